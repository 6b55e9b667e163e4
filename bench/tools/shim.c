/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library for LD_PRELOAD that changes what the recorder meets, for the scenarios of bench/scenarios:
 *
 *   BENCH_DISK_MBPS=N     pwrite, and pwritev past the page cache, are a disk of N MB/s: one at a time through the whole process, each as
 *                         long as its bytes take. What they write goes where it goes without this
 *   BENCH_EMPTY_HANDLER=1 handlers of real-time signals do nothing: what the timers of samples cost by themselves
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static ssize_t (*next_pwrite)(int fd, const void *bytes, size_t n_bytes, off_t offset);
static ssize_t (*next_pwritev)(int fd, const struct iovec *parts, int n, off_t offset);
static uint64_t ns_per_kb; /* 0: as fast as it is */
static int (*next_sigaction)(int number, const struct sigaction *action, struct sigaction *before);
static int empties_handlers;

ssize_t pwrite(int fd, const void *bytes, size_t n_bytes, off_t offset);
ssize_t pwritev(int fd, const struct iovec *parts, int n, off_t offset);
int sigaction(int number, const struct sigaction *action, struct sigaction *before);

__attribute__((constructor)) static void start(void)
{
	const char *mbps = getenv("BENCH_DISK_MBPS");
	*(void **)&next_pwrite = dlsym(RTLD_NEXT, "pwrite");
	*(void **)&next_pwritev = dlsym(RTLD_NEXT, "pwritev");
	*(void **)&next_sigaction = dlsym(RTLD_NEXT, "sigaction");
	empties_handlers = getenv("BENCH_EMPTY_HANDLER") != NULL;
	if (mbps != NULL && atoi(mbps) > 0)
		ns_per_kb = 1000000 / (uint64_t)atoi(mbps);
}

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* The disk does what came first: each write begins when the one before has ended. */
static void wait_for_disk(size_t n_bytes)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static uint64_t free_ns;
	pthread_mutex_lock(&lock);
	uint64_t now = now_ns();
	free_ns = (free_ns > now ? free_ns : now) + n_bytes * ns_per_kb / 1000;
	struct timespec until = {(time_t)(free_ns / 1000000000), (long)(free_ns % 1000000000)};
	pthread_mutex_unlock(&lock);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
		;
}

ssize_t pwrite(int fd, const void *bytes, size_t n_bytes, off_t offset)
{
	if (ns_per_kb)
		wait_for_disk(n_bytes);
	return next_pwrite(fd, bytes, n_bytes, offset);
}

ssize_t pwritev(int fd, const struct iovec *parts, int n, off_t offset)
{
	size_t n_bytes = 0;
	for (int i = 0; i < n; i++)
		n_bytes += parts[i].iov_len;
	if (ns_per_kb && fcntl(fd, F_GETFL) & O_DIRECT)
		wait_for_disk(n_bytes);
	return next_pwritev(fd, parts, n, offset);
}

static void do_nothing(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
}

int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
	struct sigaction empty;
	if (empties_handlers && number >= SIGRTMIN && action != NULL && (action->sa_flags & SA_SIGINFO)) {
		empty = *action;
		empty.sa_sigaction = do_nothing;
		action = &empty;
	}
	return next_sigaction(number, action, before);
}
