/* SPDX-License-Identifier: BSD-3-Clause */
/* abort() in the middle: nothing of the recorder runs after it. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		for (int i = 0; i < 10; i++)
#pragma omp task shared(n) /* @task */
			add(&n, 1);
#pragma omp taskwait /* @wait */
		abort();
	}
	return 0;
}
