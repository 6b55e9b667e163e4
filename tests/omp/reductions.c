/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions over tasks: task_reduction and in_reduction, a taskloop's, and the task modifier of a region's and a loop's. */
#include "check.h"

int main(void)
{
	int c = 0, d = 0, e = 0, f = 0;
#pragma omp parallel num_threads(2) /* @region */
	{
#pragma omp single                          /* @single */
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
	CHECK(c == 28 && d == 4950);
#pragma omp parallel num_threads(2) reduction(task, + : e) /* @modifier */
	{
#pragma omp task in_reduction(+ : e) /* @member */
		e += 5;
	}
	CHECK(e == 10);
#pragma omp parallel num_threads(2)                     /* @around */
#pragma omp for reduction(task, + : f) schedule(static) /* @for */
	for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : f) /* @iteration */
		f += i;
	}
	CHECK(f == 45);
	return 0;
}
