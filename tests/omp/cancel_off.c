/* SPDX-License-Identifier: BSD-3-Clause */
/* Cancellation that is not enabled: cancel of a loop, of sections, of a region does nothing, and all tasks run. */
#include "check.h"

#define N 20

int main(void)
{
	int n = 0, sections = 0, tasks = 0;
	CHECK(omp_get_cancellation() == 0);
#pragma omp parallel num_threads(2) /* @region */
	{
#pragma omp for schedule(dynamic, 1) /* @loop */
		for (int i = 0; i < N; i++) {
#pragma omp task shared(tasks) /* @task */
			add(&tasks, 1);
#pragma omp cancel for
#pragma omp cancellation point for
			add(&n, 1);
		}
		CHECK(tasks == N);
#pragma omp sections /* @sections */
		{
#pragma omp section
			{
#pragma omp cancel sections
				add(&sections, 1);
			}
#pragma omp section
			{
#pragma omp cancellation point sections
				add(&sections, 10);
			}
		}
#pragma omp task shared(tasks) /* @last */
		add(&tasks, 1);
#pragma omp cancel parallel
#pragma omp cancellation point parallel
		add(&n, 100);
	}
	CHECK(n == N + 200 && sections == 11 && tasks == N + 2);
	return 0;
}
