/* SPDX-License-Identifier: BSD-3-Clause
 *
 * States of threads that run units of Argobots (docs/states.md) on synthetic dumps, to the tick.
 */
#include "builder/graph/path.h"
#include "builder/graph/shared.h"
#include "tests/unit/switches_fixture.h"
#include "tests/unit/units_fixture.h"

#include <stdlib.h>

/* As of OpenMP's tasks: preempted is nothing, blocked is no work and stays in the span. */
START_TEST(a_unit_without_a_processor_does_not_execute)
{
	begin();
	create(0, U, PRIMARY);
	yield(0, PRIMARY, unit_sync_user, 0);
	run_unit(0, U, SCHED, 1);
	uint64_t since = replay_now;
	replay_now += 990;
	finish(0, U, 1);
	run_unit(0, PRIMARY, SCHED, 1);
	end();
	put_switches(0, true, 1000, replay_now, 2);
	put_off(off_why_preempted, since + 100, since + 300, 0, 0);
	put_off(off_why_blocked, since + 400, since + 800, 0, 0);
	replay_build(GRAPH_FRAGMENT);
	ck_assert_uint_eq(replay_states.units.busy.ticks[2], 1000 - 600);
	ck_assert_uint_eq(replay_states.units.blocked.ticks[2], 400);
	struct node_view node = graph_node(&replay_graph, graph_unit_node(&replay_graph, 2));
	ck_assert_uint_eq(node.busy_ticks, 1000 - 600);
	ck_assert_uint_eq(node.blocked_ticks, 400);
	ck_assert_uint_eq(path_node_ns(&replay_trace.dump, &node), 1000 - 200);
	replay_done();
}
END_TEST

/* While nobody knows whether a unit polls, its thread loses its processor: it is decided by the unit, and not by that. */
START_TEST(a_preempted_poll_is_a_poll)
{
	begin();
	create(0, U, PRIMARY);
	yield(0, PRIMARY, unit_sync_mutex, 0x77);
	run_unit(0, PRIMARY, SCHED, 1);
	uint64_t first = replay_now;
	replay_now += 490;
	yield(0, PRIMARY, unit_sync_mutex, 0x77);
	run_unit(0, PRIMARY, SCHED, 1); /* now it has the mutex, and works */
	uint64_t second = replay_now;
	replay_now += 490;
	end();
	put_switches(0, true, 1000, replay_now, 2);
	put_off(off_why_preempted, first + 100, first + 200, 0, 0);
	put_off(off_why_preempted, second + 100, second + 300, 0, 0);
	replay_build(GRAPH_FRAGMENT);
	ck_assert_str_eq(replay_states_seen(0),
			 "undefined work_serial idle wait_mutex idle work_serial preempted work_serial undefined");
	ck_assert_uint_eq(ticks_in(0, STATE_WAIT_MUTEX), 500);
	ck_assert_uint_eq(ticks_in(0, STATE_PREEMPTED), 200);
	ck_assert_uint_eq(replay_states.units.busy.ticks[1], ticks_in(0, STATE_WORK_SERIAL));
	replay_done();
}
END_TEST

/* OpenMP inside of a unit: what a region executes is OpenMP's, what is before and after it the unit's. All work is counted once. */
START_TEST(work_of_openmp_in_a_unit_is_counted_once)
{
	replay_begin_program(1);
	replay_end_implicit(0, 2, 0);
	replay_put(0, EVENT_parallel_end, parallel_flags_team, 2, id_make(0, 1), 0x1000);
	put(0, EVENT_unit_begin, 0, PRIMARY, XSTREAM);
	replay_now += 90;
	replay_begin_region(3, 1);
	replay_begin_implicit(0, 3, 3, 1, 0);
	replay_now += 990;
	replay_end_implicit(0, 3, 0);
	replay_put(0, EVENT_parallel_end, parallel_flags_team, 3, id_make(0, 1), 0x1000);
	replay_now += 190;
	put(0, EVENT_unit_end, 0, 0, 0);
	replay_put(0, EVENT_implicit_task_end, task_flags_initial, 0, id_make(0, 1), UINT64_C(1) << 32);
	detach(0);
	replay_build(GRAPH_FRAGMENT);
	ck_assert_uint_eq(replay_states.busy.ticks[3], 1000);
	ck_assert_uint_eq(replay_states.units.busy.ticks[1], 100 + 200);
	ck_assert_uint_eq(replay_graph.path->work_ns, ticks_in(0, STATE_WORK_SERIAL) + ticks_in(0, STATE_WORK_PARALLEL));
	ck_assert_int_eq(replay_graph.path->bound, PATH_LOWER);
	ck_assert(replay_graph.path->reasons & PATH_OPENMP_IN_UNITS);
	replay_done();
}
END_TEST

/* A second execution stream: its scheduler ends, and the thread stays. */
START_TEST(an_execution_stream)
{
	begin();
	attach(1);
	creation(EVENT_unit_create, 0, SCHED + 1, 0, 4 << 20);
	create(0, U, PRIMARY);
	run_unit(1, SCHED + 1, 0x77, 0);
	run_unit(1, U, SCHED + 1, 1);
	finish(1, U, 1);
	finish(1, SCHED + 1, 0);
	replay_now += 100;
	detach(1);
	end();
	replay_build(GRAPH_TASK);
	ck_assert_str_eq(replay_states_seen(0), "undefined work_serial undefined");
	ck_assert_str_eq(replay_states_seen(1), "undefined idle work_serial idle");
	ck_assert_uint_eq(ticks_in(1, STATE_WORK_SERIAL), 10);
	ck_assert_uint_eq(ticks_in(1, STATE_IDLE), 10 + 10 + 110);
	replay_done();
}
END_TEST

/* What a unit runs to look is waiting, until it finds what it waited for: the last look of a mutex has found it, a join says so itself. */
START_TEST(polls_are_waiting)
{
	begin();
	create(0, U, PRIMARY);
	yield(0, PRIMARY, unit_sync_unit_join, U);
	run_unit(0, PRIMARY, SCHED, 1);
	yield(0, PRIMARY, unit_sync_unit_join, U);
	run_unit(0, U, SCHED, 1);
	yield(0, U, unit_sync_mutex, 0x77);
	run_unit(0, U, SCHED, 1);
	yield(0, U, unit_sync_mutex, 0x77);
	run_unit(0, U, SCHED, 1);
	replay_now += 500;
	finish(0, U, 1);
	run_unit(0, PRIMARY, SCHED, 1);
	put(0, EVENT_unit_join, 0, U, PRIMARY);
	replay_now += 40;
	end();
	replay_build(GRAPH_TASK);
	ck_assert_str_eq(
		replay_states_seen(0),
		"undefined work_serial idle wait_taskwait idle work_serial idle wait_mutex idle work_serial idle wait_taskwait work_serial undefined");
	ck_assert_uint_eq(ticks_in(0, STATE_WAIT_TASKWAIT), 10 + 10);
	ck_assert_uint_eq(ticks_in(0, STATE_WAIT_MUTEX), 10);
	ck_assert_uint_eq(ticks_in(0, STATE_WORK_SERIAL), 20 + 10 + 510 + 50);
	replay_done();
}
END_TEST

/* Counted polls: waiting up to the last one; then it did something else, and had not waited. */
START_TEST(counted_polls_are_waiting)
{
	begin();
	create(0, U, PRIMARY);
	yield(0, PRIMARY, unit_sync_mutex, 0x77);
	run_unit(0, PRIMARY, SCHED, 1);
	replay_now += 90;
	replay_put(0, EVENT_unit_polls, 1 << 4 | unit_sync_mutex, 1000, PRIMARY, 0x77);
	create(0, V, PRIMARY);
	end();
	replay_build(GRAPH_TASK);
	ck_assert_str_eq(replay_states_seen(0), "undefined work_serial idle wait_mutex work_serial undefined");
	ck_assert_uint_eq(ticks_in(0, STATE_WAIT_MUTEX), 100);
	ck_assert_uint_eq(ticks_in(0, STATE_IDLE), 10);
	replay_done();
}
END_TEST

/* A thread outside of Argobots, which creates a unit: nothing is known of it. */
START_TEST(an_external_thread)
{
	begin();
	attach(1);
	create(1, U, 0);
	yield(0, PRIMARY, unit_sync_user, 0);
	run_unit(0, U, SCHED, 1);
	finish(0, U, 1);
	run_unit(0, PRIMARY, SCHED, 1);
	put(1, EVENT_unit_join, 0, U, 0);
	detach(1);
	end();
	replay_build(GRAPH_TASK);
	ck_assert_str_eq(replay_states_seen(0), "undefined work_serial idle work_serial idle work_serial undefined");
	ck_assert_str_eq(replay_states_seen(1), "undefined");
	replay_done();
}
END_TEST

/* OpenMP in a unit: its region's states; the scheduler is idle, whatever OpenMP's task is; a unit that runs meanwhile is in the task's state. */
START_TEST(openmp_in_a_unit)
{
	uint64_t me = replay_begin_program(1);
	put(0, EVENT_unit_begin, 0, PRIMARY, XSTREAM);
	create(0, U, PRIMARY);
	yield(0, PRIMARY, unit_sync_user, 0);
	run_unit(0, U, SCHED, 1);
	replay_sync_begin(0, sync_kind_taskwait, me);
	replay_sync_end(0, sync_kind_taskwait, me);
	finish(0, U, 1);
	run_unit(0, PRIMARY, SCHED, 1);
	put(0, EVENT_unit_end, 0, 0, 0);
	replay_sync_begin(0, sync_kind_barrier_implicit_parallel, me);
	replay_sync_end(0, sync_kind_barrier_implicit_parallel, me);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_str_eq(replay_states_seen(0),
			 "overhead work_serial overhead work_parallel idle work_parallel overhead work_parallel idle work_parallel "
			 "overhead work_serial overhead");
	ck_assert_uint_eq(ticks_in(0, STATE_IDLE), 20);
	replay_done();
}
END_TEST

/* What is not recorded is undefined, also where a unit was about to look. */
START_TEST(a_pause)
{
	begin();
	create(0, U, PRIMARY);
	yield(0, PRIMARY, unit_sync_mutex, 0x77);
	run_unit(0, PRIMARY, SCHED, 1);
	put(0, EVENT_recording_off, 0, 0, 0);
	replay_now += 1000;
	put(0, EVENT_recording_on, 0, 0, 0);
	end();
	replay_build(GRAPH_TASK);
	ck_assert_str_eq(replay_states_seen(0), "undefined work_serial idle work_serial undefined work_serial undefined");
	ck_assert_uint_eq(ticks_in(0, STATE_UNDEFINED), 10 + 1010 + 10);
	replay_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("states of units");
	TCase *tcase = tcase_create("states of units");
	tcase_add_checked_fixture(tcase, replay_setup, replay_teardown);
	tcase_add_test(tcase, a_unit_without_a_processor_does_not_execute);
	tcase_add_test(tcase, a_preempted_poll_is_a_poll);
	tcase_add_test(tcase, work_of_openmp_in_a_unit_is_counted_once);
	tcase_add_test(tcase, an_execution_stream);
	tcase_add_test(tcase, polls_are_waiting);
	tcase_add_test(tcase, counted_polls_are_waiting);
	tcase_add_test(tcase, an_external_thread);
	tcase_add_test(tcase, openmp_in_a_unit);
	tcase_add_test(tcase, a_pause);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
