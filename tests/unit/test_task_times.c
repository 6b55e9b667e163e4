/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What nodes.csv says of a task beside what it executed (builder/states/task_times.c), on synthetic dumps whose records
 * are 10 ticks apart. Stream 0 is the thread that creates, 1 its only colleague.
 */
#include "builder/states/task_times.h"
#include "tests/unit/states_fixture.h"

#include <check.h>

static uint64_t me, worker;
static struct states states;
static struct times_finder finder;

static void begin(void)
{
	me = begin_team(&worker);
}

/* Builds, and finds the times in a replay of its own. */
static void end(void)
{
	static struct progress progress;
	replay_end_program();
	replay_end_implicit(1, 1, 1);
	replay_build(GRAPH_TASK);
	const struct state_listener listener = {times_pass_state, &finder};
	const struct visitor visitors[] = {{&states_ops, &states}, {&times_ops, &finder}};
	states_begin(&states, &replay_trace.model, &listener, 1);
	times_begin(&finder, &replay_trace.model, &states);
	ck_assert_int_eq(replay_run(&replay_trace.model, visitors, 2, &progress), 0);
	states_finish(&states);
	times_finish(&finder);
}

static void done(void)
{
	times_free(&finder);
	states_free(&states);
	replay_done();
}

static uint64_t create(uint64_t counter, uint64_t parent, unsigned flags)
{
	replay_put(0, EVENT_task_create, task_flags_explicit | flags, counter, parent, 0x3000);
	return id_make(0, counter);
}

static uint64_t wait_of(uint64_t task)
{
	return finder.times.wait_ticks[model_task(&replay_trace.model, task)];
}

/* One more than the cost; 0: it is not known. */
static uint64_t cost_of(uint64_t task)
{
	return finder.times.creation_ticks[model_task(&replay_trace.model, task)];
}

START_TEST(an_undeferred_task_costs_from_its_creation_to_its_begin)
{
	begin();
	replay_now += 500;
	uint64_t undeferred = create(3, me, task_flags_undeferred);
	replay_now += 20;
	replay_run_task(undeferred, me);
	uint64_t deferred = create(4, me, 0);
	replay_run_task(deferred, me);
	end();
	ck_assert_uint_eq(cost_of(undeferred), 1 + 30);
	ck_assert_uint_eq(cost_of(deferred), 0);
	done();
}
END_TEST

START_TEST(a_task_of_a_taskloop_costs_what_is_since_the_one_before)
{
	begin();
	replay_now += 500;
	replay_put(0, EVENT_work_begin, work_kind_taskloop, 0, 3, 0x4000);
	replay_now += 100;
	uint64_t first = create(3, me, 0), second = create(4, me, 0);
	replay_run_task(second, me); /* what it executes is no part of what the next one costs */
	replay_now += 5;
	uint64_t third = create(5, me, 0);
	replay_put(0, EVENT_work_end, work_kind_taskloop, 0, 3, 0x4000);
	uint64_t after = create(6, me, 0);
	end();
	ck_assert_uint_eq(cost_of(first), 1 + 110);
	ck_assert_uint_eq(cost_of(second), 1 + 10);
	ck_assert_uint_eq(cost_of(third), 1 + 10 + 15);
	ck_assert_uint_eq(cost_of(after), 0);
	done();
}
END_TEST

/* Both are in a taskwait, and the thread's state does not change when it passes from the one to the other. */
START_TEST(each_task_has_its_own_waiting)
{
	begin();
	uint64_t outer = create(3, me, task_flags_untied);
	replay_sync_begin(0, sync_kind_taskwait, me);
	switch_task(0, task_status_switch, me, outer);
	uint64_t inner = create(4, outer, 0);
	switch_task(1, task_status_switch, worker, inner);
	replay_sync_begin(0, sync_kind_taskwait, outer);
	replay_now += 90;
	switch_task(0, task_status_switch, outer, me);
	replay_now += 190;
	switch_task(0, task_status_switch, me, outer);
	replay_now += 290;
	switch_task(1, task_status_complete, inner, worker);
	replay_sync_end(0, sync_kind_taskwait, outer);
	switch_task(0, task_status_complete, outer, me);
	replay_sync_end(0, sync_kind_taskwait, me);
	end();
	ck_assert_uint_eq(wait_of(outer), 100 + 300);
	ck_assert_uint_eq(wait_of(me), 200);
	ck_assert_uint_eq(states.times[0].ticks[STATE_WAIT_TASKWAIT], 600);
	ck_assert_uint_eq(wait_of(inner), 0);
	done();
}
END_TEST

/* The runtime reports that a task had to wait for another one: it is ready when that one is over. */
START_TEST(a_task_is_ready_when_what_it_depends_on_is_over)
{
	begin();
	const uint64_t variable = 0x1000;
	const unsigned type = dependence_type_inout;
	uint64_t first = create(3, me, 0);
	dump_writer_dependences(&replay_writer, 0, replay_now, first, 1, &variable, &type);
	uint64_t second = create(4, me, 0);
	dump_writer_dependences(&replay_writer, 0, replay_now, second, 1, &variable, &type);
	replay_put(0, EVENT_task_dependence, 0, 0, first, second);
	replay_now += 100;
	replay_run_task(first, me);
	uint64_t over = replay_now;
	replay_run_task(second, me);
	end();
	ck_assert_uint_eq(ready_since(finder.times.delays, model_task(&replay_trace.model, second)), over);
	ck_assert_uint_eq(ready_since(finder.times.delays, model_task(&replay_trace.model, first)), 0);
	done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("task_times");
	TCase *cases = tcase_create("task_times");
	tcase_add_checked_fixture(cases, replay_setup, replay_teardown);
	tcase_add_test(cases, an_undeferred_task_costs_from_its_creation_to_its_begin);
	tcase_add_test(cases, a_task_of_a_taskloop_costs_what_is_since_the_one_before);
	tcase_add_test(cases, each_task_has_its_own_waiting);
	tcase_add_test(cases, a_task_is_ready_when_what_it_depends_on_is_over);
	suite_add_tcase(suite, cases);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed != 0;
}
