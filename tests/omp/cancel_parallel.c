/* SPDX-License-Identifier: BSD-3-Clause */
/* cancel parallel: tasks that have not begun are dropped, one that has begun goes on to its end; a second region is untouched. */
#include "check.h"

int main(void)
{
	int n = 0, begun = 0, cancelled = 0, dropped = 0;
#pragma omp parallel num_threads(2) /* @cancelled */
	{
		if (omp_get_thread_num() == 1) {
#pragma omp task shared(n, begun, cancelled) if (0) /* @begun */
			{
				set_flag(&begun);
				wait_for(&cancelled);
				add(&n, 1);
			}
			for (;;) {
#pragma omp cancellation point parallel
				usleep(50);
			}
		}
		for (int i = 0; i < 10; i++) {
#pragma omp task shared(dropped) /* @dropped */
			add(&dropped, 1);
		}
		wait_for(&begun);
		set_flag(&cancelled);
#pragma omp cancel parallel
		n = -1000;
	}
	CHECK(n == 1 && dropped == 0);
#pragma omp parallel num_threads(2) /* @second */
	{
#pragma omp barrier        /* @barrier */
#pragma omp task shared(n) /* @task */
		add(&n, 10);
	}
	CHECK(n == 21);
	return 0;
}
