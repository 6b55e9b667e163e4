/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads of the program's own, each an OpenMP thread with a task:
 *
 *     threads together N     N of them at once: none leaves before the last has come
 *     threads in-turn N      one after the other
 */
#include "tests/omp/check.h"

#include <pthread.h>
#include <string.h>

#define STACK_BYTES (256 * 1024)

static int n_run;
static pthread_barrier_t all_are_there;

static void *run(void *together)
{
#pragma omp task
	add(&n_run, 1);
	if (together)
		pthread_barrier_wait(&all_are_there);
	return NULL;
}

int main(int argc, char **argv)
{
	CHECK(argc == 3);
	int n = atoi(argv[2]);
	int is_together = strcmp(argv[1], "together") == 0;
	pthread_t *threads = calloc((size_t)n, sizeof *threads);
	pthread_attr_t attributes;
	CHECK(threads && pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0);
	CHECK(pthread_barrier_init(&all_are_there, NULL, (unsigned)n) == 0);
	for (int i = 0; i < n; i++) {
		CHECK(pthread_create(&threads[i], &attributes, run, is_together ? &all_are_there : NULL) == 0);
		if (!is_together)
			CHECK(pthread_join(threads[i], NULL) == 0);
	}
	for (int i = 0; is_together && i < n; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	printf("%d tasks\n", n_run);
	free(threads);
	return 0;
}
