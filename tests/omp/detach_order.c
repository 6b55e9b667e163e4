/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The task that fulfils an event comes before whatever waits for the detached task: its parent, its own descendant, an implicit task, itself; before the task
 * begins, while it runs, and after its body has ended; and of an undeferred one the parent waits for the body alone.
 */
#include "check.h"

int main(void)
{
	int n = 0, body = 0, late = 0;
	omp_event_handle_t shared_event;
	int has_event = 0;
#pragma omp parallel num_threads(2) /* @region */
	{
		if (omp_get_thread_num() == 0) {
			omp_event_handle_t first, second, third, fourth, fifth;
#pragma omp task shared(n) detach(first) depend(out : n) /* @early */
			add(&n, 1);
			omp_fulfill_event(first);
#pragma omp task shared(n) depend(in : n) /* @reader */
			CHECK(n == 1);
#pragma omp taskwait                            /* @wait1 */
#pragma omp task shared(n, body) detach(second) /* @detached */
			{
				add(&n, 1);
				set_flag(&body);
			}
			for (int is_set = 0; !is_set;) {
#pragma omp taskyield
#pragma omp atomic read
				is_set = body;
			}
#pragma omp task shared(n) /* @fulfiller */
			{
#pragma omp task shared(n) /* @unrelated */
				add(&n, 10);
#pragma omp task if (0) shared(n) /* @before */
				add(&n, 1);
				omp_fulfill_event(second);
#pragma omp task shared(n) /* @later */
				add(&n, 10);
			}
#pragma omp taskwait                     /* @wait2 */
#pragma omp task shared(n) detach(third) /* @itself */
			{
				add(&n, 1);
				omp_fulfill_event(third);
			}
#pragma omp task if (0) shared(n, late) detach(fourth) /* @undeferred */
			{
				add(&n, 1);
#pragma omp task shared(n, late) firstprivate(fourth) /* @descendant */
				{
					wait_for(&late);
					omp_fulfill_event(fourth);
				}
			}
#pragma omp task shared(n) /* @next */
			add(&n, 100);
			set_flag(&late);
#pragma omp taskwait                     /* @wait3 */
#pragma omp task shared(n) detach(fifth) /* @other */
			add(&n, 1);
			shared_event = fifth;
			set_flag(&has_event);
#pragma omp taskwait /* @wait4 */
		} else {
			wait_for(&has_event);
#pragma omp task shared(n) /* @elsewhere */
			add(&n, 1000);
#pragma omp taskwait /* @waitelsewhere */
			omp_fulfill_event(shared_event);
		}
	}
	CHECK(n == 1126);
	return 0;
}
