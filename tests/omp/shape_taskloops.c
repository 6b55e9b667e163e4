/* SPDX-License-Identifier: BSD-3-Clause */
/* Taskloops of one thread and of all, with and without their taskgroup, beside a loop with tasks. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(2)
#pragma omp single /* @single */
	{
#pragma omp taskloop nogroup grainsize(1)
		for (int j = 0; j < 4; j++)
			add(&n, 1);
#pragma omp taskwait /* @one */
		CHECK(n == 4);
	}
#pragma omp parallel num_threads(3)
	{
#pragma omp taskloop nogroup grainsize(1)
		for (int j = 0; j < 4; j++)
			add(&n, 1);
#pragma omp taskwait /* @each */
	}
	CHECK(n == 16);
#pragma omp parallel num_threads(4)
	{
#pragma omp single nowait
		{
#pragma omp taskloop nogroup grainsize(1)
			for (int j = 0; j < 5; j++)
				add(&n, 1);
#pragma omp taskwait /* @second */
#pragma omp taskloop nogroup grainsize(1)
			for (int j = 0; j < 5; j++)
				add(&n, 1);
#pragma omp taskwait /* @third */
		}
#pragma omp for nowait /* @for */
		for (int j = 0; j < 5; j++)
#pragma omp task shared(n) /* @task */
			add(&n, 1);
#pragma omp taskwait /* @last */
	}
	CHECK(n == 31);
#pragma omp parallel num_threads(2)
#pragma omp taskloop grainsize(1) /* @loop */
	for (int j = 0; j < 7; j++)
		add(&n, 1);
	CHECK(n == 45);
	return 0;
}
