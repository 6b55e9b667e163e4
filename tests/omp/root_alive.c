/* SPDX-License-Identifier: BSD-3-Clause */
/* A root thread that has had a region and tasks, and still lives when the process ends. */
#include "check.h"

#include <pthread.h>

static int ready;

static void *root(void *arg)
{
	int n = 0;
	(void)arg;
#pragma omp parallel num_threads(2) /* @region */
	{
#pragma omp task shared(n) /* @task */
		add(&n, 1);
	}
	CHECK(n == 2);
	set_flag(&ready);
	for (;;)
		pause();
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int n = 0;
	CHECK(pthread_create(&thread, NULL, root, NULL) == 0);
	wait_for(&ready);
#pragma omp parallel num_threads(2) /* @main */
	{
#pragma omp task shared(n) /* @maintask */
		add(&n, 1);
	}
	CHECK(n == 2);
	return 0;
}
