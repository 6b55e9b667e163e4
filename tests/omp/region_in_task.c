/* SPDX-License-Identifier: BSD-3-Clause */
/* A parallel region inside of an explicit task, and tasks inside of that. */
#include "check.h"

int main(void)
{
	int n = 0;
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) /* @outer */
#pragma omp single nowait
	for (int i = 0; i < 3; i++)
#pragma omp task shared(n) /* @task */
	{
#pragma omp task shared(n) /* @before */
		add(&n, 1);
#pragma omp parallel num_threads(2) /* @inner */
		{
#pragma omp task shared(n) /* @within */
			add(&n, 100);
		}
#pragma omp taskwait /* @wait */
	}
	CHECK(n == 603);
	return 0;
}
