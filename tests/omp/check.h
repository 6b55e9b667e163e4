/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the test programs share. A program proves its own result with CHECK, so that a run that tracing had harmed is noticed.
 * A comment "@name" at the end of a construct's line names that line for the expectations.
 */
#ifndef OTTER_TESTS_CHECK_H
#define OTTER_TESTS_CHECK_H

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition)                                                                                                           \
	do {                                                                                                                       \
		if (!(condition)) {                                                                                                \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                    \
			_exit(99);                                                                                                 \
		}                                                                                                                  \
	} while (0)

/* Waits until other threads have brought *counter to count. */
static inline void wait_for_count(int *counter, int count)
{
	int value;
	do {
		usleep(100);
#pragma omp atomic read
		value = *counter;
	} while (value < count);
}

/* Waits until another thread has set *flag. */
static inline void wait_for(int *flag)
{
	wait_for_count(flag, 1);
}

static inline void set_flag(int *flag)
{
#pragma omp atomic write
	*flag = 1;
}

static inline double processor_seconds(clockid_t of)
{
	struct timespec time;
	CHECK(clock_gettime(of, &time) == 0);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Takes so many seconds of the processor: on a busy machine all such times grow alike. */
static inline void keep_busy(double seconds)
{
	double begin = processor_seconds(CLOCK_THREAD_CPUTIME_ID);
	while (processor_seconds(CLOCK_THREAD_CPUTIME_ID) - begin < seconds)
		;
}

static inline void add(int *sum, int n)
{
#pragma omp atomic
	*sum += n;
}

#endif
