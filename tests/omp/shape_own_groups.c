/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of one line, each in the taskgroup of another single: whichever thread executes which. */
#include "check.h"

#include <time.h>

static int n, n_begun;

/* Waits until `count` singles have begun, if there are threads that can begin them; not for long. */
static void await(int count)
{
	for (int i = 0; omp_get_num_threads() > 1 && i < 100000 && __atomic_load_n(&n_begun, __ATOMIC_RELAXED) < count; i++)
		;
}

static void create(void)
{
#pragma omp task /* @task */
	add(&n, 1);
}

int main(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	int late = (int)(now.tv_nsec / 1000 % 2); /* this thread does not come first */
#pragma omp parallel
	{
		if (omp_get_thread_num() == late)
			await(1);
#pragma omp single nowait
		{
			add(&n_begun, 1);
			await(2);
#pragma omp taskgroup /* @first */
			create();
		}
#pragma omp single nowait
		{
			add(&n_begun, 1);
#pragma omp taskgroup /* @second */
			create();
		}
	}
	CHECK(n == 2);
	return 0;
}
