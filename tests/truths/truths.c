/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs whose times are known from their text: what they execute is counted in turns of a loop. The argument chooses
 * one; tests/truths.py says what must come out.
 */
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void spin(long turns)
{
	volatile unsigned long sum = 0;
	for (long i = 0; i < turns; i++)
		sum = sum * 3 + (unsigned long)i;
}

/* Not before another thread has begun the task does this one come to the end of the taskgroup. */
static void taskgroup(void)
{
	int has_begun = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp taskgroup
		{
#pragma omp task shared(has_begun)
			{
				__atomic_store_n(&has_begun, 1, __ATOMIC_SEQ_CST);
				spin(100000000);
			}
			while (!__atomic_load_n(&has_begun, __ATOMIC_SEQ_CST))
				usleep(100);
		}
	}
}

static void tiny(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 20000; i++) {
#pragma omp task
		spin(100);
	}
}

/* The first half of the turns is a quarter of the work. */
static void triangle(void)
{
#pragma omp parallel for schedule(static) num_threads(2)
	for (int i = 0; i < 200; i++)
		spin(10000L * i);
}

static void critical(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 400; i++) {
#pragma omp task
		{
			spin(50000);
#pragma omp critical
			spin(450000);
		}
	}
}

static int fib(int n)
{
	int a, b;
	if (n < 2)
		return n;
#pragma omp task shared(a)
	a = fib(n - 1);
#pragma omp task shared(b)
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

static void fib_alone(void)
{
#pragma omp parallel num_threads(1)
	fib(18);
}

static void sleeps(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
	usleep(100000);
}

/* A single task, long enough for others to want the processor. */
static void burn(void)
{
#pragma omp parallel num_threads(1)
#pragma omp single
#pragma omp task
	spin(300000000);
}

static void undeferred(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 100; i++) {
#pragma omp task if (0)
		spin(500000);
	}
}

static void final_children(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task final(1)
	for (int i = 0; i < 100; i++) {
#pragma omp task
		spin(500000);
	}
}

/* One task after the other: at any time two of three threads wait, at the taskwait or behind the single. */
static void behind(void)
{
	int chain = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
	{
		for (int i = 0; i < 10; i++) {
#pragma omp task depend(inout : chain)
			spin(10000000);
		}
#pragma omp taskwait
	}
}

/* Each task excludes the others, in any order. */
static void excluded(void)
{
	int one = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 20; i++) {
#pragma omp task depend(mutexinoutset : one)
		spin(5000000);
	}
}

/* Each thread acquires a lock that it alone uses. */
static void own_locks(void)
{
#pragma omp parallel num_threads(2)
	{
		omp_lock_t lock;
		omp_init_lock(&lock);
		for (int i = 0; i < 20000; i++) {
			omp_set_lock(&lock);
			omp_unset_lock(&lock);
		}
		omp_destroy_lock(&lock);
	}
}

/* Before its ordered part an iteration works for as long as all of those do that come before it. */
static void turns(void)
{
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
	for (int i = 0; i < 20; i++) {
		if (i % 2 == 0)
			spin(5000000);
#pragma omp ordered
		spin(1000);
	}
}

/* Two threads on one processor, which they give to each other some hundred thousand times a second. */
static void yields(void)
{
#pragma omp parallel num_threads(2)
	for (int i = 0; i < 100000; i++)
		sched_yield();
}

/* Until the calling thread has used 0.2 s of processor time. */
static void *compute(void *unused)
{
	struct timespec used;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	while (used.tv_sec == 0 && used.tv_nsec < 200000000);
	return unused;
}

/* A thread that the runtime does not know computes, and a task waits for it. */
static void unseen(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
	{
		pthread_t thread;
		if (pthread_create(&thread, NULL, compute, NULL) == 0)
			pthread_join(thread, NULL);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} programs[] = {{"taskgroup", taskgroup},  {"tiny", tiny},     {"triangle", triangle}, {"critical", critical},
			{"fib", fib_alone},        {"sleeps", sleeps}, {"burn", burn},         {"if0", undeferred},
			{"final", final_children}, {"behind", behind}, {"yields", yields},     {"excluded", excluded},
			{"own_locks", own_locks},  {"turns", turns},   {"unseen", unseen}};
	if (argc == 2 && strcmp(argv[1], "forever") == 0)
		for (;;)
			spin(1000000);
	for (size_t i = 0; argc == 2 && i < sizeof programs / sizeof *programs; i++)
		if (strcmp(programs[i].name, argv[1]) == 0) {
			programs[i].run();
			return EXIT_SUCCESS;
		}
	return EXIT_FAILURE;
}
