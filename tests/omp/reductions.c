/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions over a region, a loop, tasks and a taskloop. */
#include "check.h"

int main(void)
{
	int a = 0, b = 0, c = 0, d = 0;
#pragma omp parallel num_threads(2) reduction(+ : a)
	{
		a += 1;
#pragma omp for reduction(+ : b)
		for (int i = 0; i < 100; i++)
			b += i;
#pragma omp single
#pragma omp taskgroup task_reduction(+ : c) /* @group */
		{
			for (int i = 0; i < 8; i++)
#pragma omp task in_reduction(+ : c) /* @task */
				c += i;
		}
#pragma omp single
#pragma omp taskloop num_tasks(4) reduction(+ : d) /* @loop */
		for (int i = 0; i < 100; i++)
			d += i;
	}
	CHECK(a == 2 && b == 4950 && c == 28 && d == 4950);
	return 0;
}
