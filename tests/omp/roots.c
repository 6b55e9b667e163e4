/* SPDX-License-Identifier: BSD-3-Clause */
/* A second root thread with a region and tasks of its own, and then many short ones, one after the other. */
#include "check.h"

#include <pthread.h>

static int n;

static void *root(void *arg)
{
	(void)arg;
#pragma omp parallel num_threads(2) /* @region */
#pragma omp single nowait
#pragma omp task shared(n) /* @task */
	add(&n, 1);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	root(NULL);
	for (int i = 0; i < 10; i++) {
		CHECK(pthread_create(&thread, NULL, root, NULL) == 0);
		if (i == 0)
			root(NULL);
		CHECK(pthread_join(thread, NULL) == 0);
	}
	CHECK(n == 12);
	return 0;
}
