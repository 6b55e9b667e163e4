/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Waiting or overhead (docs/states.md) on synthetic dumps: a thread waits only while something that it waits for is
 * unfinished elsewhere and no task is ready that it might run. Stream 0 is the waiting thread, 1 its only colleague.
 */
#include "tests/unit/states_fixture.h"

#include <check.h>

static uint64_t me, worker;

static void begin(void)
{
	me = begin_team(&worker);
}

static void run_elsewhere(uint64_t task)
{
	switch_task(1, task_status_switch, worker, task);
}

static void end_elsewhere(uint64_t task)
{
	switch_task(1, task_status_complete, task, worker);
}

static void end(void)
{
	replay_end_program();
	replay_end_implicit(1, 1, 1);
	replay_build(GRAPH_TASK);
}

static uint64_t create(uint64_t counter, uint64_t parent, unsigned flags)
{
	replay_put(0, EVENT_task_create, task_flags_explicit | flags, counter, parent, 0x3000);
	return id_make(0, counter);
}

/* The child is ready for 300, runs elsewhere for 500; then 70 until the runtime goes on. */
START_TEST(a_ready_child_is_overhead_and_a_running_one_a_wait)
{
	begin();
	uint64_t child = replay_create(3, me);
	replay_sync_begin(0, sync_kind_taskwait, me);
	replay_now += 290;
	run_elsewhere(child);
	replay_now += 490;
	end_elsewhere(child);
	replay_now += 60;
	replay_sync_end(0, sync_kind_taskwait, me);
	end();
	ck_assert_uint_eq(ticks_in(0, STATE_WAIT_TASKWAIT), 500);
	ck_assert_str_eq(replay_states_seen(0), "overhead work_serial overhead work_parallel overhead wait_taskwait overhead "
						"work_parallel overhead work_serial overhead");
	replay_done();
}
END_TEST

/*
 * A task waits for its child while a sibling of the task is ready for 400. It may not begin that one if both are tied
 * (OpenMP 5.1 section 2.12.6), and might if the sibling is untied. _i: is it?
 */
START_TEST(a_tied_task_that_is_no_descendant_may_not_run)
{
	begin();
	uint64_t task = create(3, me, 0);
	switch_task(0, task_status_switch, me, task);
	uint64_t child = create(4, task, 0);
	run_elsewhere(child);
	uint64_t grandchild = id_make(1, 2);
	replay_sync_begin(0, sync_kind_taskwait, task);
	uint64_t sibling = id_make(1, 3);
	replay_put(1, EVENT_task_create, task_flags_explicit, 2, child, 0x3000);
	replay_now += 90;
	switch_task(1, task_status_switch, child, grandchild); /* ready for 100, and a descendant */
	switch_task(1, task_status_complete, grandchild, child);
	replay_put(1, EVENT_task_create, task_flags_explicit | (_i ? task_flags_untied : 0), 3, me, 0x3000);
	replay_now += 390;
	end_elsewhere(child);
	run_elsewhere(sibling);
	end_elsewhere(sibling);
	replay_sync_end(0, sync_kind_taskwait, task);
	switch_task(0, task_status_complete, task, me);
	end();
	ck_assert_uint_eq(ticks_in(0, STATE_WAIT_TASKWAIT), 10 + 20 + (_i ? 0 : 400));
	replay_done();
}
END_TEST

/* In a barrier any task of the team may run. The thread that comes last to it waits only for tasks. */
START_TEST(a_barrier_waits_for_arrivals_and_then_for_tasks)
{
	begin();
	uint64_t task = replay_create(3, me), other = replay_create(4, me);
	run_elsewhere(task);
	replay_sync_begin(0, sync_kind_barrier_explicit, me);
	replay_now += 90; /* task 4 is ready for 100 */
	switch_task(0, task_status_switch, me, other);
	switch_task(0, task_status_complete, other, me);
	replay_now += 190; /* task 3 still runs, for 200 */
	end_elsewhere(task);
	replay_now += 290; /* the worker has not come, for 300 */
	replay_sync_begin(1, sync_kind_barrier_explicit, worker);
	replay_now += 30;
	replay_sync_end(0, sync_kind_barrier_explicit, me);
	replay_sync_end(1, sync_kind_barrier_explicit, worker);
	end();
	ck_assert_uint_eq(ticks_in(0, STATE_WAIT_BARRIER_EXPLICIT), 200 + 300);
	ck_assert_uint_eq(ticks_in(1, STATE_WAIT_BARRIER_EXPLICIT), 0);
	replay_done();
}
END_TEST

/* A task whose predecessor runs is not ready. */
START_TEST(who_waits_for_a_predecessor_is_not_ready)
{
	const uint64_t variable = 0x10;
	const unsigned type = dependence_type_inout;
	begin();
	uint64_t first = replay_create(3, me);
	dump_writer_dependences(&replay_writer, 0, replay_now, first, 1, &variable, &type);
	run_elsewhere(first);
	uint64_t second = replay_create(4, me);
	dump_writer_dependences(&replay_writer, 0, replay_now, second, 1, &variable, &type);
	replay_put(0, EVENT_task_dependence, 0, 0, first, second);
	replay_sync_begin(0, sync_kind_taskwait, me);
	replay_now += 390;
	end_elsewhere(first); /* now the second one is ready, for 100 */
	replay_now += 90;
	switch_task(0, task_status_switch, me, second);
	switch_task(0, task_status_complete, second, me);
	replay_sync_end(0, sync_kind_taskwait, me);
	end();
	ck_assert_uint_eq(ticks_in(0, STATE_WAIT_TASKWAIT), 400);
	replay_done();
}
END_TEST

/* A taskgroup waits for descendants, a taskwait does not. _i: is it a taskgroup? */
START_TEST(a_taskgroup_waits_for_descendants)
{
	begin();
	if (_i)
		replay_sync_begin(0, sync_kind_taskgroup, me);
	uint64_t child = replay_create(3, me), grandchild = id_make(1, 2);
	run_elsewhere(child);
	replay_put(1, EVENT_task_create, task_flags_explicit, 2, child, 0x3000);
	if (_i)
		wait_begin(0, sync_kind_taskgroup, me);
	else
		replay_sync_begin(0, sync_kind_taskwait, me);
	end_elsewhere(child);
	run_elsewhere(grandchild); /* ready until now */
	replay_now += 590;
	end_elsewhere(grandchild);
	if (_i) {
		wait_end(0, sync_kind_taskgroup, me);
		replay_sync_end(0, sync_kind_taskgroup, me);
	} else
		replay_sync_end(0, sync_kind_taskwait, me);
	end();
	ck_assert_uint_eq(ticks_in(0, STATE_WAIT_TASKGROUP) + ticks_in(0, STATE_WAIT_TASKWAIT), _i ? 600 : 0);
	replay_done();
}
END_TEST

/* More tasks than a block of the index has, all run by the worker one after the other, while the creator waits. */
START_TEST(many_tasks_are_found_in_blocks)
{
	begin();
	for (uint64_t i = 0; i < 1000; i++)
		replay_create(3 + i, me);
	replay_sync_begin(0, sync_kind_taskwait, me);
	for (uint64_t i = 0; i < 1000; i++) {
		run_elsewhere(id_make(0, 3 + (i * 7) % 1000));
		end_elsewhere(id_make(0, 3 + (i * 7) % 1000));
	}
	replay_sync_end(0, sync_kind_taskwait, me);
	end();
	ck_assert_uint_eq(ticks_in(0, STATE_WAIT_TASKWAIT), 10); /* while the last one ran */
	replay_done();
}
END_TEST

/* A chain of tasks, each of which the worker suspends for its child: each is ready for 10 before it runs, as far below as it is. */
START_TEST(a_ready_task_far_below_is_a_descendant)
{
	const uint64_t n = 70000;
	begin();
	uint64_t last = create(3, me, 0);
	run_elsewhere(last);
	replay_sync_begin(0, sync_kind_taskwait, me);
	for (uint64_t i = 2; i < 2 + n; i++) {
		uint64_t next = id_make(1, i);
		replay_put(1, EVENT_task_create, task_flags_explicit, i, last, 0x3000);
		switch_task(1, task_status_switch, last, next);
		last = next;
	}
	for (uint64_t i = 1 + n; i > 2; i--)
		switch_task(1, task_status_complete, id_make(1, i), id_make(1, i - 1));
	switch_task(1, task_status_complete, id_make(1, 2), id_make(0, 3));
	end_elsewhere(id_make(0, 3));
	replay_sync_end(0, sync_kind_taskwait, me);
	end();
	ck_assert_uint_eq(ticks_in(0, STATE_WAIT_TASKWAIT), 10 + 10 * n + 10 * n);
	replay_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("waits");
	TCase *tests = tcase_create("synthetic dumps");
	tcase_add_checked_fixture(tests, replay_setup, replay_teardown);
	tcase_add_test(tests, a_ready_child_is_overhead_and_a_running_one_a_wait);
	tcase_add_loop_test(tests, a_tied_task_that_is_no_descendant_may_not_run, 0, 2);
	tcase_add_test(tests, a_barrier_waits_for_arrivals_and_then_for_tasks);
	tcase_add_test(tests, who_waits_for_a_predecessor_is_not_ready);
	tcase_add_loop_test(tests, a_taskgroup_waits_for_descendants, 0, 2);
	tcase_add_test(tests, many_tasks_are_found_in_blocks);
	tcase_add_test(tests, a_ready_task_far_below_is_a_descendant);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
