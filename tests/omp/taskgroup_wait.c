/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * With the default events: the only task of a taskgroup runs on the other thread, so that its creator has nothing to do at
 * the group's end but to wait. The taskwait and the barriers are recorded without records of their own for the waiting.
 */
#include "check.h"

int main(void)
{
	int n = 0, is_running = 0;
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
#pragma omp taskgroup /* @group */
			{
#pragma omp task shared(n, is_running) /* @member */
				{
					set_flag(&is_running);
					usleep(100000);
					add(&n, 1);
				}
				wait_for(&is_running);
			}
			CHECK(n == 1);
#pragma omp taskwait
		}
#pragma omp barrier
	}
	return 0;
}
