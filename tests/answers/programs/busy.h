/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the programs of this folder do: they keep a processor busy for a known time of their own, whatever else runs on the
 * machine. MENDED is 0 or 1.
 */
#ifndef OTTER_TESTS_ANSWERS_BUSY_H
#define OTTER_TESTS_ANSWERS_BUSY_H

#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/* For so many us of the thread's own time. */
static inline void busy(double us)
{
	struct timespec begin, now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((double)(now.tv_sec - begin.tv_sec) * 1e6 + (double)(now.tv_nsec - begin.tv_nsec) / 1e3 < us);
}

/* For so many turns of a loop, each of some ns. */
static inline void turn(long turns)
{
	for (volatile long i = 0; i < turns; i++)
		;
}

/* The thread stays on the processor with this number, among those that the process may use. */
static inline void stay_on(int number)
{
	cpu_set_t all, one;
	sched_getaffinity(getpid(), sizeof all, &all);
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &all) && number-- == 0)
			CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof one, &one);
}

/* A process that never ends before this one, on the processor of this number. */
static inline void hog(int number)
{
	if (fork() != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	stay_on(number);
	for (;;)
		turn(1000000);
}

#endif
