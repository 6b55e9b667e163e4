/* SPDX-License-Identifier: BSD-3-Clause */
/* cancel parallel: the team's threads go to the region's end; a second region is untouched. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(2) /* @cancelled */
	{
#pragma omp task shared(n) /* @task */
		add(&n, 1);
		if (omp_get_thread_num() == 1) {
#pragma omp cancel parallel
			n = -1000;
		}
		for (;;) {
#pragma omp cancellation point parallel
			usleep(50);
		}
	}
	CHECK(n >= 0 && n <= 2);
#pragma omp parallel num_threads(2) /* @second */
	add(&n, 10);
	CHECK(n >= 20);
	return 0;
}
