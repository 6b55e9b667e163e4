/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Thread states (docs/states.md) where nothing is recorded: pauses, records that are missing, streams without a thread.
 */
#include "tests/unit/states_fixture.h"

#include <check.h>

/* While nothing was recorded nothing is known; behind it the task goes on as it was. */
START_TEST(a_pause_is_undefined)
{
	uint64_t me = replay_begin_program(1);
	replay_sync_begin(0, sync_kind_taskwait, me);
	replay_put(0, EVENT_recording_off, off_reason_paused, 0, 0, 0);
	replay_now += 300;
	replay_put(0, EVENT_recording_on, 0, 0, me, id_make(0, 2));
	replay_sync_end(0, sync_kind_taskwait, me);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_str_eq(replay_states_seen(0), "overhead work_serial overhead work_parallel overhead undefined "
						"overhead work_parallel overhead work_serial overhead");
	ck_assert_uint_eq(ticks_in(0, STATE_UNDEFINED), 310);
	replay_done();
}
END_TEST

/* A worker notices the pause when it would report its end: long after its team's join, since when it was idle. */
START_TEST(who_was_idle_before_a_pause_was_in_no_barrier)
{
	uint64_t worker, me = begin_team(&worker);
	replay_sync_begin(1, sync_kind_barrier_implicit_parallel, worker);
	replay_sync_begin(0, sync_kind_barrier_implicit_parallel, me);
	replay_sync_end(0, sync_kind_barrier_implicit_parallel, me);
	replay_end_program();
	replay_now += 700;
	replay_put(1, EVENT_recording_off, off_reason_paused, 0, 0, 0);
	replay_put(1, EVENT_thread_detach, 0, 0, 4243, 0);
	replay_put(2, EVENT_thread_attach, 0, 0, 4244, 0);
	replay_build(GRAPH_TASK);
	ck_assert_str_eq(replay_states_seen(1),
			 "undefined idle work_parallel wait_barrier_implicit_parallel overhead idle undefined");
	ck_assert_uint_eq(ticks_in(1, STATE_WAIT_BARRIER_IMPLICIT_PARALLEL), 10);
	ck_assert_uint_eq(ticks_in(1, STATE_IDLE), 10 + 40 + 700 + 10);
	replay_done();
}
END_TEST

/* Records are missing in a taskwait: from the last one to the first one behind them that tells of a task nothing is known. */
START_TEST(a_gap_is_undefined)
{
	uint64_t me = replay_begin_program(1);
	replay_create(3, me);
	replay_sync_begin(0, sync_kind_taskwait, me);
	uint64_t before = replay_now;
	replay_now += 300;
	replay_put(0, EVENT_records_lost, loss_cause_full, 0, 7, 0);
	switch_task(0, task_status_switch, me, id_make(0, 3));
	uint64_t behind = replay_now;
	switch_task(0, task_status_complete, id_make(0, 3), me);
	replay_build(GRAPH_TASK);
	ck_assert_str_eq(replay_states_seen(0),
			 "overhead work_serial overhead work_parallel wait_taskwait undefined work_parallel");
	ck_assert_uint_eq(ticks_in(0, STATE_UNDEFINED), behind - before);
	replay_done();
}
END_TEST

/* Threads one after the other on one stream: the time between them is nobody's. The same thread again goes on as it was. */
START_TEST(a_stream_without_a_thread_has_no_state)
{
	uint64_t me = replay_begin_program(1);
	replay_sync_begin(0, sync_kind_taskwait, me);
	replay_put(0, EVENT_thread_detach, 0, 0, 1000, 0);
	replay_now += 500;
	replay_put(0, EVENT_thread_attach, 0, 0, 1000, 0);
	replay_sync_end(0, sync_kind_taskwait, me);
	replay_end_program();
	replay_now += 500;
	replay_put(0, EVENT_thread_attach, 0, 0, 1001, 0);
	replay_put(0, EVENT_thread_begin, thread_type_initial, 0, 0, 0);
	replay_put(0, EVENT_thread_detach, 0, 0, 1001, 0);
	replay_build(GRAPH_TASK);
	ck_assert_str_eq(replay_states_seen(0), "overhead work_serial overhead work_parallel overhead overhead "
						"work_parallel overhead work_serial overhead undefined overhead");
	ck_assert_uint_eq(ticks_in(0, STATE_WAIT_TASKWAIT), 0);
	replay_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("states_pauses");
	TCase *tests = tcase_create("synthetic dumps");
	tcase_add_checked_fixture(tests, replay_setup, replay_teardown);
	tcase_add_test(tests, a_pause_is_undefined);
	tcase_add_test(tests, who_was_idle_before_a_pause_was_in_no_barrier);
	tcase_add_test(tests, a_gap_is_undefined);
	tcase_add_test(tests, a_stream_without_a_thread_has_no_state);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
