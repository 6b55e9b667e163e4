/* SPDX-License-Identifier: BSD-3-Clause */
/* Three root threads at the same time, each in a region of its own: barriers, tasks, a nested region; none waits for another's. */
#include "check.h"

#include <pthread.h>

static int inside;

/* All three roots are inside of their regions at once. */
static void meet(void)
{
	int n;
	add(&inside, 1);
	do {
		usleep(100);
#pragma omp atomic read
		n = inside;
	} while (n < 3);
}

static void *first(void *arg)
{
	int n = 0;
	(void)arg;
#pragma omp parallel num_threads(2) /* @first */
	{
#pragma omp masked
		meet();
#pragma omp task shared(n) /* @firsttask */
		add(&n, 1);
#pragma omp barrier /* @firstbarrier */
		CHECK(n >= 2);
#pragma omp task shared(n) /* @firstlast */
		add(&n, 10);
	}
	CHECK(n == 22);
	return NULL;
}

static void *second(void *arg)
{
	int n = 0;
	(void)arg;
	omp_set_max_active_levels(2); /* of this thread's data environment */
#pragma omp parallel num_threads(3)   /* @second */
	{
#pragma omp masked
		{
			meet();
#pragma omp parallel num_threads(2) /* @nested */
			{
#pragma omp task shared(n) /* @nestedtask */
				add(&n, 1);
			}
		}
#pragma omp task shared(n) /* @secondtask */
		add(&n, 10);
#pragma omp taskwait /* @secondwait */
	}
	CHECK(n == 32);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	int n = 0;
	CHECK(pthread_create(&threads[0], NULL, first, NULL) == 0);
	CHECK(pthread_create(&threads[1], NULL, second, NULL) == 0);
#pragma omp task shared(n) /* @alone */
	n = 1;
#pragma omp taskwait                /* @mainwait */
#pragma omp parallel num_threads(2) /* @main */
	{
#pragma omp masked
		meet();
#pragma omp task shared(n) /* @maintask */
		add(&n, 1);
	}
	CHECK(n == 3);
	CHECK(pthread_join(threads[0], NULL) == 0);
	CHECK(pthread_join(threads[1], NULL) == 0);
	return 0;
}
