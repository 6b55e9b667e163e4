/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical path where something is missing: it is a lower bound, or unknown, and the reason is said.
 */
#include "tests/unit/path_fixture.h"

#include <check.h>
#include <stdio.h>

START_TEST(a_pause_does_not_count_and_makes_it_a_lower_bound)
{
	uint64_t me = replay_begin_program(1);
	path_pass(20);
	replay_put(0, EVENT_recording_off, off_reason_paused, 0, 0, 0);
	path_pass(700);
	replay_put(0, EVENT_recording_on, 0, 0, me, id_make(0, 2));
	path_pass(30);
	replay_end_program();
	path_build();
	ck_assert_int_eq(replay_graph.path->bound, PATH_LOWER);
	ck_assert_uint_eq(replay_graph.path->reasons, PATH_PAUSED);
	ck_assert_str_eq(path_text(), PATH_BEFORE "implicit 50, " PATH_BEHIND);
	replay_done();
}
END_TEST

START_TEST(a_gap_does_not_count_and_makes_it_a_lower_bound)
{
	uint64_t me = replay_begin_program(1);
	path_pass(20);
	uint64_t task = replay_create(3, me);
	replay_now += 3000;
	replay_put(0, EVENT_records_lost, loss_cause_full, 0, 7, 0);
	path_switch_task(0, task_status_switch, me, task);
	path_pass(100);
	path_switch_task(0, task_status_complete, task, me);
	path_build();
	ck_assert_int_eq(replay_graph.path->bound, PATH_LOWER);
	ck_assert(replay_graph.path->reasons & PATH_REPAIRED);
	ck_assert_uint_ge(replay_graph.path->span_ns, 130);
	ck_assert_uint_le(replay_graph.path->work_ns, 300);
	replay_done();
}
END_TEST

START_TEST(who_was_killed_while_it_waited_had_not_executed_that)
{
	replay_writer.is_killed = true;
	replay_begin_program(1);
	path_pass(20);
	replay_put(0, EVENT_mutex_acquire, mutex_kind_lock, 0, 0x100, 0x5000);
	dump_writer_root(&replay_writer, 1, replay_now + 5000, 1, 1); /* another thread lives on */
	path_build();
	ck_assert_int_eq(replay_graph.path->bound, PATH_LOWER);
	ck_assert(replay_graph.path->reasons & PATH_RECORDS_MISSING);
	ck_assert_uint_eq(replay_graph.path->span_ns, 10 + 20);
	replay_done();
}
END_TEST

/* What a thread does that the program makes itself may come before the rest, or after it. */
START_TEST(what_orders_root_threads_is_not_recorded)
{
	replay_begin_program(1);
	path_pass(20);
	dump_writer_root(&replay_writer, 1, replay_now, 1, 1);
	replay_now += 100;
	dump_writer_record(&replay_writer, 1, replay_now, EVENT_implicit_task_end, task_flags_initial, 0, id_make(1, 1),
			   UINT64_C(1) << 32);
	replay_end_program();
	path_build();
	ck_assert_int_eq(replay_graph.path->bound, PATH_LOWER);
	ck_assert_uint_eq(replay_graph.path->reasons, PATH_ROOTS);
	replay_done();
}
END_TEST

START_TEST(contradictory_records_leave_it_out)
{
	uint64_t me = replay_begin_program(1), task = replay_create(3, me);
	replay_sync_begin(0, sync_kind_taskwait, me);
	path_run_for(task, me, 100);
	path_run_for(task, me, 100); /* once more */
	replay_sync_end(0, sync_kind_taskwait, me);
	replay_end_program();
	path_build();
	ck_assert_int_eq(replay_graph.path->bound, PATH_UNKNOWN);
	ck_assert(replay_graph.path->reasons & PATH_CONTRADICTORY);
	ck_assert_uint_eq(replay_graph.path->n_nodes, 0);
	ck_assert_uint_eq(path_place(&replay_graph, 1), 0);
	replay_done();
}
END_TEST

static const struct {
	const char *setting;
	enum path_bound bound;
} events[] = {{"all", PATH_EXACT},
	      {"default,+dispatch,-work", PATH_EXACT},
	      {"-flush,-lock_init", PATH_EXACT},
	      {"-sync_region", PATH_UNKNOWN},
	      {"all,-dependences", PATH_UNKNOWN},
	      {"-flush,-task_schedule,+task", PATH_UNKNOWN},
	      {"-all,+parallel", PATH_UNKNOWN}};

START_TEST(events_that_were_left_out_leave_it_out)
{
	char line[100];
	snprintf(line, sizeof line, "setting events %s\n", events[_i].setting);
	replay_writer.more_meta = line;
	replay_begin_program(1);
	replay_end_program();
	path_build();
	ck_assert_int_eq(replay_graph.path->bound, events[_i].bound);
	ck_assert_uint_eq(replay_graph.path->reasons, events[_i].bound == PATH_UNKNOWN ? PATH_EVENTS : 0);
	replay_done();
}
END_TEST

START_TEST(other_levels_have_none)
{
	replay_begin_program(1);
	replay_end_program();
	replay_build(_i == 0 ? GRAPH_TASK : GRAPH_SCOPE);
	ck_assert_ptr_null(replay_graph.path);
	ck_assert_uint_eq(path_place(&replay_graph, 1), 0);
	replay_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("path_bound");
	TCase *tests = tcase_create("synthetic dumps");
	tcase_add_checked_fixture(tests, replay_setup, replay_teardown);
	tcase_add_test(tests, a_pause_does_not_count_and_makes_it_a_lower_bound);
	tcase_add_test(tests, a_gap_does_not_count_and_makes_it_a_lower_bound);
	tcase_add_test(tests, who_was_killed_while_it_waited_had_not_executed_that);
	tcase_add_test(tests, what_orders_root_threads_is_not_recorded);
	tcase_add_test(tests, contradictory_records_leave_it_out);
	tcase_add_loop_test(tests, events_that_were_left_out_leave_it_out, 0, sizeof events / sizeof *events);
	tcase_add_loop_test(tests, other_levels_have_none, 0, 2);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
