/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The library twice in one process, with a tool of the program's own that counts what comes: execution streams that come and go, units on small
 * stacks, tasklets that are polled for, external threads. Prints what its tool counted. An argument says how it ends: exit or abort, in a unit, in
 * the second life; omp: with a parallel region in each unit.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void *H;
typedef void tool_function(H, H, uint64_t, H, void *);
int ABT_init(int, char **), ABT_finalize(void), ABT_xstream_self(H *), ABT_xstream_get_main_pools(H, int, H *);
int ABT_xstream_create(H, H *), ABT_xstream_join(H), ABT_xstream_free(H *);
int ABT_thread_create(H, void (*)(void *), void *, H, H *), ABT_thread_free(H *), ABT_thread_yield(void);
int ABT_task_create(H, void (*)(void *), void *, H *), ABT_task_free(H *);
int ABT_tool_register_thread_callback(tool_function *, uint64_t, void *);

#define DEFAULT   ((H)9) /* ABT_THREAD_ATTR_NULL */
#define SCHED     ((H)3) /* ABT_SCHED_NULL */
#define N_STREAMS 3
#define N_UNITS   200
#define N_EVENTS  10

static uint64_t counts[N_EVENTS];
static const char *how = "";
static int life, total;

static void count(H unit, H xstream, uint64_t event, H context, void *user)
{
	uint64_t *to = user;
	(void)unit;
	(void)xstream;
	(void)context;
	__atomic_fetch_add(&to[__builtin_ctzll(event)], 1, __ATOMIC_RELAXED);
}

static void slow(void *argument)
{
	usleep(20000);
	(void)argument;
}

static void unit(void *argument)
{
	int *value = argument;
	ABT_thread_yield();
#ifdef _OPENMP
	if (strcmp(how, "omp") == 0) {
#pragma omp parallel num_threads(2)
		__atomic_fetch_add(&total, 0, __ATOMIC_RELAXED);
	}
#endif
	if (life == 2 && *value == N_UNITS / 2 && strcmp(how, "exit") == 0)
		exit(3);
	if (life == 2 && *value == N_UNITS / 2 && strcmp(how, "kill") == 0)
		raise(SIGKILL);
	__atomic_fetch_add(&total, 1, __ATOMIC_RELAXED);
}

static void *external(void *argument)
{
	static int value = -1;
	H u;
	ABT_thread_create(argument, unit, &value, DEFAULT, &u);
	ABT_thread_free(&u);
	return NULL;
}

static void live(void)
{
	H self, own, streams[N_STREAMS], pools[N_STREAMS], units[N_UNITS], task;
	static int values[N_UNITS];
	pthread_t thread;
	life++;
	ABT_init(0, NULL);
	ABT_tool_register_thread_callback(count, (1 << N_EVENTS) - 1, counts);
	ABT_xstream_self(&self);
	ABT_xstream_get_main_pools(self, 1, &own);
	for (int i = 0; i < N_STREAMS; i++) {
		ABT_xstream_create(SCHED, &streams[i]);
		ABT_xstream_get_main_pools(streams[i], 1, &pools[i]);
	}
	for (int i = 0; i < N_UNITS; i++) {
		values[i] = i;
		ABT_thread_create(i % 4 == 3 ? own : pools[i % 4], unit, &values[i], DEFAULT, &units[i]);
	}
	ABT_task_create(pools[0], slow, NULL, &task);
	pthread_create(&thread, NULL, external, pools[1]);
	ABT_task_free(&task); /* polls, between the units of this execution stream and then alone */
	for (int i = 0; i < N_UNITS; i++)
		ABT_thread_free(&units[i]);
	pthread_join(thread, NULL);
	for (int i = 0; i < N_STREAMS; i++) {
		ABT_xstream_join(streams[i]);
		ABT_xstream_free(&streams[i]);
	}
	ABT_finalize();
}

int main(int argc, char **argv)
{
	static const char *const names[N_EVENTS] = {"create", "join",   "free",  "revive",  "run",
						    "finish", "cancel", "yield", "suspend", "resume"};
	how = argc > 1 ? argv[1] : "";
	live();
	live();
	for (int i = 0; i < N_EVENTS; i++)
		printf("%s %llu\n", names[i], (unsigned long long)counts[i]);
	return total == 2 * (N_UNITS + 1) ? 0 : 1;
}
