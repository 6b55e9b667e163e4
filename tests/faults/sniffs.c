/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The descriptors 0, 1 and 2 are closed, before the runtime starts or later, and stay so: does one of them ever exist after the
 * first region, and does any read or write of the program's succeed? A thread looks all the time, while others fill segments, begin and end.
 *
 *   sniffs early|late|alone N     N parallel regions; alone: and no thread can be made any more (RLIMIT_NPROC)
 *
 * The result goes to the descriptor 50, where the test has a pipe: how many tasks were executed, and what was seen. Exit status 1
 * if anything was seen.
 */
#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define RESULT 50

static bool must_end;
static long n_seen, n_tasks;

static void *sniff(void *argument)
{
	char byte;
	while (!__atomic_load_n(&must_end, __ATOMIC_RELAXED)) {
		for (int fd = 0; fd <= 2; fd++)
			n_seen += fcntl(fd, F_GETFD) != -1 || errno != EBADF;
		n_seen += read(0, &byte, 1) >= 0;
		n_seen += write(1, "a line of the program\n", 22) >= 0;
		n_seen += write(2, "a warning of the program\n", 25) >= 0;
	}
	return argument;
}

static void work(long i)
{
#pragma omp parallel num_threads(2 + i % 3)
	for (int k = 0; k < 600; k++) {
#pragma omp task
		__atomic_fetch_add(&n_tasks, 1, __ATOMIC_RELAXED);
		if (k % 8 == 7) {
#pragma omp taskwait
		}
	}
}

int main(int argc, char **argv)
{
	pthread_t sniffer;
	bool is_early = argc > 1 && strcmp(argv[1], "early") == 0, is_alone = argc > 1 && strcmp(argv[1], "alone") == 0;
	long n = argc > 2 ? strtol(argv[2], NULL, 10) : 1;
	work(0); /* the runtime's own start opens files, too */
	for (int fd = 0; !is_early && fd <= 2; fd++)
		close(fd);
	pthread_create(&sniffer, NULL, sniff, NULL);
	if (is_alone)
		setrlimit(RLIMIT_NPROC, &(struct rlimit){0, 0});
	for (long i = 0; i < n; i++)
		work(is_alone ? 0 : i);
	__atomic_store_n(&must_end, true, __ATOMIC_RELAXED);
	pthread_join(sniffer, NULL);
	dprintf(RESULT, "%ld tasks, %ld seen\n", n_tasks, n_seen);
	return n_seen != 0;
}
