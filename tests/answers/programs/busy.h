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

/* All programs take this many times as long as their figures say. Starting a thread takes up to 3 ms on some machines: that
 * would limit a run of 20 ms, and does not limit a run of 100 ms. */
#define TIMES 5

/* Works for TIMES * us microseconds of the thread's own processor time. */
static inline void busy(double us)
{
	us *= TIMES;
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

/* Sleeps for TIMES * us microseconds. */
static inline void asleep(double us)
{
	us *= TIMES;
	struct timespec left = {(time_t)(us / 1e6), (long)(us * 1e3) % 1000000000};
	while (nanosleep(&left, &left) != 0)
		;
}

/* Waits until a second thread is here as well. */
static inline void meet(void)
{
	static int here;
	__atomic_fetch_add(&here, 1, __ATOMIC_RELAXED);
	while (__atomic_load_n(&here, __ATOMIC_RELAXED) < 2)
		usleep(100);
}

/* Starts a process that kills this one after `ms` milliseconds, if this one still runs then. */
static inline void killed_after(int ms)
{
	pid_t runs = getpid();
	if (fork() != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	usleep((useconds_t)ms * 1000);
	if (getppid() == runs)
		kill(runs, SIGKILL);
	_exit(0);
}

#endif
