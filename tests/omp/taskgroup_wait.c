/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * With the default events: the only task of a taskgroup runs on the other thread, so that its creator has nothing to do at
 * the group's end but to wait. The taskwait and the barriers are recorded without records of their own for the waiting.
 */
#include "check.h"

#include <pthread.h>

int main(void)
{
	int n = 0, is_running = 0, is_at_end = 0;
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
#pragma omp taskgroup /* @group */
			{
				clockid_t creator;
				CHECK(pthread_getcpuclockid(pthread_self(), &creator) == 0);
#pragma omp task shared(n, is_running, is_at_end) firstprivate(creator) /* @member */
				{
					set_flag(&is_running);
					wait_for(&is_at_end);
					/* It waits by spinning: when it has taken the processor for so long, it waits. */
					for (double begin = processor_seconds(creator); processor_seconds(creator) - begin < 0.01;)
						usleep(1000);
					add(&n, 1);
				}
				wait_for(&is_running);
				set_flag(&is_at_end);
			}
			CHECK(n == 1);
#pragma omp taskwait
		}
#pragma omp barrier
	}
	return 0;
}
