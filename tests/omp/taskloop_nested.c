/* SPDX-License-Identifier: BSD-3-Clause */
/* Taskloops inside of the tasks of a taskloop, with and without their taskgroups. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
#pragma omp taskloop num_tasks(3) shared(n) /* @outer */
		for (int i = 0; i < 3; i++) {
#pragma omp taskloop num_tasks(2) shared(n) /* @inner */
			for (int j = 0; j < 4; j++)
				add(&n, 1);
#pragma omp task shared(n) /* @child */
			add(&n, 100);
		}
		CHECK(n == 312);
#pragma omp task shared(n) /* @task */
		{
#pragma omp taskloop num_tasks(2) nogroup shared(n)
			for (int j = 0; j < 4; j++)
				add(&n, 1000);
		}
#pragma omp taskwait /* @wait */
	}
	CHECK(n == 4312);
	return 0;
}
