/* SPDX-License-Identifier: BSD-3-Clause */
/* Untied tasks that create tasks, untied ones too, wait for some, and yield: each time any thread may go on with them. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(2) /* @region */
#pragma omp single nowait
	{
		for (int i = 0; i < 4; i++)
#pragma omp task untied shared(n) /* @untied */
		{
			for (int j = 0; j < 3; j++)
#pragma omp task shared(n) /* @child */
				add(&n, 1);
#pragma omp taskwait              /* @wait */
#pragma omp task untied shared(n) /* @grand */
			{
#pragma omp task shared(n) /* @deep */
				add(&n, 100);
#pragma omp taskyield
				add(&n, 100);
			}
			add(&n, 1000);
		}
	}
	CHECK(n == 4812);
	return 0;
}
