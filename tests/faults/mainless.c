/* SPDX-License-Identifier: BSD-3-Clause */
/* mainless N READY GO: its main thread exits. Another thread makes N tasks, makes the file READY, waits for the file GO, makes N
 * more tasks and ends the process. */
#include "tests/omp/check.h"

#include <pthread.h>
#include <unistd.h>

static char **arguments;

static void make_tasks(int n)
{
	int n_run = 0;
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < n; i++) {
#pragma omp task shared(n_run)
		add(&n_run, 1);
	}
	CHECK(n_run == n);
}

static void *run(void *main_thread)
{
	int n = atoi(arguments[1]);
	CHECK(pthread_join(*(pthread_t *)main_thread, NULL) == 0);
	make_tasks(n);
	FILE *ready = fopen(arguments[2], "w");
	CHECK(ready && fclose(ready) == 0);
	while (access(arguments[3], F_OK) != 0)
		usleep(10000);
	make_tasks(n);
	printf("%d tasks\n", 2 * n);
	exit(0);
}

int main(int argc, char **argv)
{
	static pthread_t main_thread;
	pthread_t other;
	CHECK(argc == 4);
	arguments = argv;
	main_thread = pthread_self();
	CHECK(pthread_create(&other, NULL, run, &main_thread) == 0);
	pthread_exit(NULL);
}
