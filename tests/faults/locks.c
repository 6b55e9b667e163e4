/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that takes a lock again and again, on one thread, for some seconds:
 *
 *     locks SECONDS
 *
 * It prints the longest time, in ns, that setting and unsetting the lock 100 times has taken. Between, it sleeps for a
 * millisecond, so that it blocks by itself as well.
 */
#include "tests/omp/check.h"

#include <time.h>
#include <unistd.h>

static long long now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(int argc, char **argv)
{
	omp_lock_t lock;
	long long longest = 0, end = now_ns() + 1000000000LL * (argc > 1 ? atoi(argv[1]) : 1);
	omp_init_lock(&lock);
	while (now_ns() < end) {
		long long begin = now_ns();
		for (int i = 0; i < 100; i++) {
			omp_set_lock(&lock);
			omp_unset_lock(&lock);
		}
		long long took = now_ns() - begin;
		longest = took > longest ? took : longest;
		usleep(1000);
	}
	omp_destroy_lock(&lock);
	printf("%lld\n", longest);
	return 0;
}
