/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The replay of tasks that move between threads, on one thread and on several: random programs in which untied tasks go on anywhere, with
 * open taskgroups and locks that they hold. Whatever number of threads replays them, each stream's events are the same, and those of a task
 * come in the order of the program.
 */
#include "tests/unit/replay_fixture.h"

#include <check.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STREAMS 6
#define TASKS   400

/* ---- A visitor that writes down what each stream is told ---- */

static struct log {
	_Alignas(64) char *text;
	size_t n, capacity;
	unsigned n_nested;
} logs[STREAMS];
static uint64_t latest_ticks[4 * TASKS]; /* by task: of its latest event */
static unsigned n_events[4 * TASKS];
static int was_parallel; /* some stream was replayed by one of several threads */
static bool is_whole;    /* where records stop in the middle, scopes that suspended tasks left open are closed last, at any time */

/* The next event of a task: how many came before it. */
static unsigned nth(uint32_t task, uint64_t ticks)
{
	if (task_is_explicit(&replay_trace.model.tasks[task]) && task != 0) {
		ck_assert_uint_lt(task, 4 * TASKS);
		ck_assert(!is_whole || ticks >= latest_ticks[task]);
		latest_ticks[task] = ticks;
	}
	return n_events[task]++;
}

static void note(const struct point *at, const char *what, uint32_t task, uint32_t other)
{
	struct log *l = &logs[at->stream];
	ck_assert_uint_eq(__atomic_fetch_add(&l->n_nested, 1, __ATOMIC_RELAXED), 0); /* one thread at a time */
	array_reserve(l->text, l->n + 128, l->capacity);
	l->n += (size_t)snprintf(l->text + l->n, 128, "%llu %s %u(%u) %u(%u)\n", (unsigned long long)at->ticks, what, task,
				 task != 0 ? nth(task, at->ticks) : 0, other, other != 0 ? nth(other, at->ticks) : 0);
	__atomic_fetch_sub(&l->n_nested, 1, __ATOMIC_RELAXED);
}

static int note_switch(void *self, const struct point *at, uint32_t prior, uint32_t next, unsigned status)
{
	(void)self;
	(void)status;
	note(at, "switch", prior, next);
	return 0;
}

static int note_enter(void *self, const struct point *at, struct scope *scope)
{
	(void)self;
	note(at, scope->type == SCOPE_SYNC ? "enter" : "enter other", at->task, 0);
	return 0;
}

static int note_leave(void *self, const struct point *at, struct scope *scope)
{
	(void)self;
	(void)scope;
	note(at, "leave", at->task, 0);
	return 0;
}

static int note_mutex(void *self, const struct point *at, const struct mutex *mutex)
{
	(void)self;
	ck_assert(mutex->event == MUTEX_ACQUIRE || mutex->order != 0);
	note(at, mutex->event == MUTEX_RELEASED ? "release" : "acquire", at->task, 0);
	return 0;
}

static int note_end(void *self, const struct point *at)
{
	(void)self;
	if (omp_in_parallel())
		__atomic_store_n(&was_parallel, 1, __ATOMIC_RELAXED);
	note(at, "end", 0, 0);
	return 0;
}

static const struct replay_ops notes = {.task_switch = note_switch,
					.scope_enter = note_enter,
					.scope_leave = note_leave,
					.mutex = note_mutex,
					.stream_end = note_end,
					.is_by_stream = true};

/* Replays on so many threads. The text of all streams, which is to be freed. */
static char *replay_on(int n_threads)
{
	static struct progress progress;
	struct visitor visitor = {&notes, NULL};
	memset(logs, 0, sizeof logs);
	memset(latest_ticks, 0, sizeof latest_ticks);
	memset(n_events, 0, sizeof n_events);
	omp_set_num_threads(n_threads);
	ck_assert_int_eq(replay_run(&replay_trace.model, &visitor, 1, &progress), 0);
	size_t n = 1;
	for (unsigned i = 0; i < STREAMS; i++)
		n += logs[i].n + 1;
	char *all = calloc(n, 1);
	for (unsigned i = 0; i < STREAMS; i++) {
		if (logs[i].n > 0)
			strncat(all, logs[i].text, logs[i].n);
		strcat(all, "\n");
		free(logs[i].text);
	}
	return all;
}

/* The same on any number of threads. */
static void assert_same(void)
{
	char *expected = replay_on(1);
	for (int round = 0; round < 4; round++)
		for (int n = 2; n <= 16; n *= 2) {
			char *text = replay_on(n);
			ck_assert_str_eq(text, expected);
			free(text);
		}
	free(expected);
}

/* ---- Random programs ---- */

static struct moving {
	uint64_t id;
	bool is_in_group, has_lock;
} tasks[TASKS];
static unsigned n_tasks, n_queued, queue[TASKS], running[STREAMS]; /* running: index in tasks + 1 */
static uint64_t counters[STREAMS];

static uint64_t implicit_of(unsigned stream)
{
	return id_make(stream, stream == 0 ? 2 : 1);
}

static uint64_t add_task(unsigned stream, uint64_t parent, unsigned flags)
{
	uint64_t id = id_make(stream, ++counters[stream]);
	replay_put(stream, EVENT_task_create, task_flags_explicit | flags, counters[stream], parent, 0x3000);
	return id;
}

static void add_untied(unsigned stream, uint64_t parent)
{
	if (n_tasks == TASKS)
		return;
	tasks[n_tasks] = (struct moving){.id = add_task(stream, parent, task_flags_untied)};
	queue[n_queued++] = n_tasks++;
}

static void lock(unsigned stream, struct moving *t)
{
	unsigned events[] = {EVENT_mutex_acquire, EVENT_mutex_acquired};
	for (unsigned i = t->has_lock ? 2 : 0; i < 2; i++)
		replay_put(stream, events[i], mutex_kind_lock, 0, 0x9000 + t->id, 0x4000);
	if (t->has_lock)
		replay_put(stream, EVENT_mutex_released, mutex_kind_lock, 0, 0x9000 + t->id, 0x4000);
	t->has_lock = !t->has_lock;
}

/* One step of what runs on the stream. */
static void act(unsigned stream)
{
	unsigned index = running[stream] - 1;
	struct moving *t = &tasks[index];
	switch (rand() % 8) {
	case 0: add_untied(stream, t->id); return;
	case 1: {
		uint64_t tied = add_task(stream, t->id, 0);
		replay_put(stream, EVENT_task_schedule, task_status_switch, 0, t->id, tied);
		replay_put(stream, EVENT_task_schedule, task_status_complete, 0, tied, t->id);
		return;
	}
	case 2: lock(stream, t); return;
	case 3:
		(t->is_in_group ? replay_sync_end : replay_sync_begin)(stream, sync_kind_taskgroup, t->id);
		t->is_in_group = !t->is_in_group;
		return;
	case 4:
	case 5:
		if (!t->is_in_group && !t->has_lock) {
			replay_put(stream, EVENT_task_schedule, task_status_complete, 0, t->id, implicit_of(stream));
			running[stream] = 0;
			return;
		} /* fall through */
	default:
		replay_put(stream, EVENT_task_schedule, task_status_switch, 0, t->id, implicit_of(stream));
		queue[n_queued++] = index;
		running[stream] = 0;
	}
}

static void take(unsigned stream)
{
	unsigned i = (unsigned)rand() % n_queued, index = queue[i];
	queue[i] = queue[--n_queued];
	running[stream] = index + 1;
	replay_put(stream, EVENT_task_schedule, task_status_switch, 0, implicit_of(stream), tasks[index].id);
}

static bool is_anything_running(void)
{
	bool is_running = false;
	for (unsigned i = 0; i < STREAMS; i++)
		is_running |= running[i] != 0;
	return is_running;
}

static uint64_t begin(void)
{
	uint64_t me = replay_begin_program(STREAMS);
	counters[0] = 2;
	for (unsigned i = 1; i < STREAMS; i++) {
		counters[i] = 1;
		replay_begin_implicit(i, 1, 2, STREAMS, i);
	}
	return me;
}

static void end(void)
{
	for (unsigned i = 0; i < STREAMS; i++)
		replay_sync_begin(i, sync_kind_barrier_implicit_parallel, implicit_of(i));
	replay_sync_end(0, sync_kind_barrier_implicit_parallel, implicit_of(0));
	replay_end_program();
	for (unsigned i = 1; i < STREAMS; i++) {
		replay_sync_end(i, sync_kind_barrier_implicit_parallel, implicit_of(i));
		replay_end_implicit(i, 1, i);
	}
}

/* Untied tasks that go on anywhere. Odd _i: the records stop in the middle. */
START_TEST(moved_tasks_are_replayed_the_same_on_any_number_of_threads)
{
	srand((unsigned)_i + 1);
	is_whole = _i % 2 == 0;
	uint64_t me = begin();
	n_tasks = n_queued = 0;
	memset(running, 0, sizeof running);
	for (unsigned i = 0; i < 40; i++)
		add_untied(0, me);
	while (n_queued > 0 || is_anything_running()) {
		unsigned stream = (unsigned)rand() % STREAMS;
		if (running[stream] != 0)
			act(stream);
		else if (n_queued > 0)
			take(stream);
		if (!is_whole && n_tasks > TASKS / 2)
			break;
	}
	if (is_whole)
		end();
	replay_build(GRAPH_TASK);
	ck_assert_uint_gt(replay_trace.model.n_migrated, 50);
	ck_assert_uint_eq(replay_count_of(&replay_trace.model.notes->repairs, "task_in_two_threads"), 0);
	if (is_whole)
		ck_assert_uint_eq(replay_n_repairs(), 0);
	assert_same();
	replay_done();
}
END_TEST

/* By their times, two threads exchange two tasks, each before the other one has given its own away. */
START_TEST(a_circle_is_cut)
{
	uint64_t me = begin(), other = implicit_of(1);
	uint64_t one = add_task(0, me, task_flags_untied), two = add_task(0, me, task_flags_untied);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, one);
	replay_put(1, EVENT_task_schedule, task_status_switch, 0, other, two);
	replay_put(1, EVENT_task_schedule, task_status_switch, 0, two, one);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, one, two);
	replay_put(0, EVENT_task_schedule, task_status_complete, 0, two, me);
	replay_put(1, EVENT_task_schedule, task_status_complete, 0, one, other);
	end();
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(replay_count_of(&replay_trace.model.notes->repairs, "task_in_two_threads"), 1);
	ck_assert_uint_eq(replay_n_repairs(), 1);
	replay_done();
}
END_TEST

/* Of a tied task the missing records cannot show that it moved. Odd _i: there is an untied one. */
START_TEST(a_paused_recording_is_replayed_on_several_threads_where_tasks_stay)
{
	uint64_t me = begin();
	uint64_t task = add_task(0, me, _i % 2 == 0 ? 0 : task_flags_untied);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, task);
	replay_put(0, EVENT_task_schedule, task_status_complete, 0, task, me);
	replay_put(1, EVENT_recording_off, 0, 0, implicit_of(1), 0);
	replay_put(1, EVENT_recording_on, 0, 0, implicit_of(1), 0);
	end();
	is_whole = true;
	was_parallel = 0;
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	assert_same();
	ck_assert_int_eq(was_parallel, _i % 2 == 0);
	replay_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tasks that move");
	TCase *tests = tcase_create("synthetic dumps");
	tcase_add_checked_fixture(tests, replay_setup, replay_teardown);
	tcase_add_loop_test(tests, moved_tasks_are_replayed_the_same_on_any_number_of_threads, 0, 12);
	tcase_add_test(tests, a_circle_is_cut);
	tcase_add_loop_test(tests, a_paused_recording_is_replayed_on_several_threads_where_tasks_stay, 0, 2);
	tcase_set_timeout(tests, 0); /* tests/check.sh ends what hangs */
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
