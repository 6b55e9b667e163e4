/* SPDX-License-Identifier: BSD-3-Clause */
/* Two threads that are there before the runtime is, and thereby before its tool is loaded; each becomes a root later. */
#include "check.h"

#include <pthread.h>

static int may_begin;

static void *root(void *arg)
{
	int n = 0, go;
	do {
		usleep(100);
#pragma omp atomic read
		go = may_begin;
	} while (!go);
#pragma omp parallel num_threads(2) /* @root */
	{
#pragma omp masked
#pragma omp task shared(n) /* @roottask */
		add(&n, 1);
	}
	*(int *)arg = n;
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	int results[2], n = 0;
	for (int i = 0; i < 2; i++)
		CHECK(pthread_create(&threads[i], NULL, root, &results[i]) == 0);
#pragma omp parallel num_threads(2) reduction(+ : n) /* @main */
	n++;
	CHECK(n == 2);
	add(&may_begin, 1);
	for (int i = 0; i < 2; i++) {
		CHECK(pthread_join(threads[i], NULL) == 0);
		CHECK(results[i] == 1);
	}
	return 0;
}
