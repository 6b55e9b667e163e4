/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs with one fault each, of which the text says what limits them, and how much mending it could give at most. On two
 * execution streams with a pool each; the argument chooses one:
 *   balanced   two units at a time, as long as each other: nothing is wrong
 *   one_pool   all units are in the pool of one execution stream
 *   serial     the primary unit works for as long as all units do, before it creates them
 *   wait       each unit is joined before the next one is created
 *   imbalance  one unit takes as long as all others
 *   creation   what the primary unit does for each unit takes longer than the unit
 *   grain      units that do nothing, and so many that a graph of OpenMP's tasks would be folded
 *   mutex      all that units do is under one mutex
 *   nested     units create units
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <time.h>

typedef void *H;
int ABT_init(int, char **), ABT_finalize(void), ABT_xstream_self(H *), ABT_xstream_get_main_pools(H, int, H *);
int ABT_xstream_create(H, H *), ABT_xstream_join(H), ABT_xstream_free(H *);
int ABT_thread_create(H, void (*)(void *), void *, H, H *), ABT_thread_free(H *);
int ABT_mutex_create(H *), ABT_mutex_free(H *), ABT_mutex_lock(H), ABT_mutex_unlock(H);

#define DEFAULT ((H)9) /* ABT_THREAD_ATTR_NULL */
#define SCHED   ((H)3) /* ABT_SCHED_NULL */
#define STREAMS 2
#define MOST    3000

static H streams[STREAMS], pools[STREAMS], units[MOST], mutex;

/* Works for so many microseconds of its thread's own time, five times over, whatever else the processor does. With less, a
 * program's start would take as long as its fault. */
static void busy(intptr_t us)
{
	us *= 5;
	struct timespec now, begin;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 < us);
}

static void work(void *us)
{
	busy((intptr_t)us);
}

static void nothing(void *argument)
{
	(void)argument;
}

static void locked(void *us)
{
	ABT_mutex_lock(mutex);
	busy((intptr_t)us);
	ABT_mutex_unlock(mutex);
}

static void create(int i, int pool, void (*function)(void *), intptr_t us)
{
	ABT_thread_create(pools[pool], function, (void *)us, DEFAULT, &units[i]);
}

static void join(int from, int end)
{
	for (int i = from; i < end; i++)
		ABT_thread_free(&units[i]);
}

static void nest(void *depth)
{
	H own[2];
	for (int i = 0; i < 2 && depth != 0; i++)
		ABT_thread_create(pools[i], nest, (char *)depth - 1, DEFAULT, &own[i]);
	busy(300);
	for (int i = 0; i < 2 && depth != 0; i++)
		ABT_thread_free(&own[i]);
}

static void run(const char *what)
{
	int n = strcmp(what, "grain") == 0 ? MOST : strcmp(what, "imbalance") == 0 ? 40 : 80;
	if (strcmp(what, "balanced") == 0) {
		for (int round = 0; round < 40; round++) {
			for (int i = 0; i < 2; i++)
				create(i, i, work, 3000);
			join(0, 2);
		}
		return;
	}
	if (strcmp(what, "grain") == 0)
		for (int round = 0; round < 7; round++) {
			for (int i = 0; i < n; i++)
				create(i, i % 2, nothing, 0);
			join(0, n);
		}
	if (strcmp(what, "nested") == 0) {
		create(0, 1, nest, 5);
		n = 1;
	}
	if (strcmp(what, "serial") == 0)
		busy(40000);
	for (int i = 0; i < n && strcmp(what, "nested") != 0; i++) {
		if (strcmp(what, "one_pool") == 0)
			create(i, 1, work, 1000);
		else if (strcmp(what, "serial") == 0)
			create(i, i % 2, work, 500);
		else if (strcmp(what, "wait") == 0) {
			create(i, i % 2, work, 1000);
			join(i, i + 1);
		} else if (strcmp(what, "imbalance") == 0)
			create(i, i % 2, work, i == n - 1 ? 39000 : 1000);
		else if (strcmp(what, "creation") == 0) {
			busy(500);
			create(i, 1, work, 200);
		} else if (strcmp(what, "grain") == 0)
			create(i, i % 2, nothing, 0);
		else if (strcmp(what, "mutex") == 0)
			create(i, i % 2, locked, 1000);
	}
	if (strcmp(what, "wait") != 0)
		join(0, n);
}

int main(int count, char **arguments)
{
	ABT_init(0, NULL);
	ABT_xstream_self(&streams[0]);
	for (int i = 1; i < STREAMS; i++)
		ABT_xstream_create(SCHED, &streams[i]);
	for (int i = 0; i < STREAMS; i++)
		ABT_xstream_get_main_pools(streams[i], 1, &pools[i]);
	ABT_mutex_create(&mutex);
	run(count > 1 ? arguments[1] : "balanced");
	ABT_mutex_free(&mutex);
	for (int i = 1; i < STREAMS; i++) {
		ABT_xstream_join(streams[i]);
		ABT_xstream_free(&streams[i]);
	}
	ABT_finalize();
	return 0;
}
