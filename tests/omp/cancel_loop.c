/* SPDX-License-Identifier: BSD-3-Clause */
/* cancel for and cancel sections, with cancellation points; and tasks that were created in the cancelled loop. */
#include "check.h"

int main(void)
{
	int n = 0, after = 0, tasks = 0;
#pragma omp parallel num_threads(2) /* @region */
	{
#pragma omp for schedule(monotonic : dynamic, 1) /* @loop */
		for (int i = 0; i < 1000; i++) {
			if (i == 0) {
#pragma omp task shared(tasks) /* @task */
				add(&tasks, 1);
			}
			add(&n, 1);
#pragma omp cancel for if (i >= 10)
#pragma omp cancellation point for
		}
		CHECK(tasks == 1);
#pragma omp sections /* @sections */
		{
#pragma omp section
			{
#pragma omp cancel sections
				n = 100000;
			}
#pragma omp section
			{
#pragma omp cancellation point sections
				add(&after, 1);
			}
		}
#pragma omp barrier
		add(&after, 10);
	}
	CHECK(n >= 11 && n < 1000 && after >= 20);
	return 0;
}
