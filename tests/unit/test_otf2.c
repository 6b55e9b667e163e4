/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The archive of synthetic dumps: written by builder/otf2, read back by OTF2's own reader, compared as text. Here is
 * what no real program does on demand; archives of real programs are checked by tests/otf2_check.py. Tasks, regions, units.
 */
#include "tests/unit/otf2_fixture.h"

#include <check.h>

START_TEST(a_task_is_created_entered_left_and_completed)
{
	otf2_begin_program();
	uint64_t task = otf2_create(3, 0);
	otf2_schedule(0, otf2_primary, task_status_switch, task);
	otf2_schedule(0, task, task_status_complete, otf2_primary);
	otf2_end_program();
	otf2_build(2);
	ck_assert_str_eq(archive_text[0], ON_PRIMARY(" <create task C0.3 >create task S0.3 <task >task D0.3 S0.0"));
	ck_assert_str_eq(archive_text[1], ON_WORKER(""));
	ck_assert_uint_eq(archive_times[0][0], archive_clock_first);
	ck_assert_uint_eq(archive_times[0][archive_n_events[0] - 1], archive_clock_first + archive_clock_length);
}
END_TEST

START_TEST(tasks_nest_in_each_other)
{
	otf2_begin_program();
	uint64_t outer = otf2_create(3, task_flags_undeferred);
	otf2_schedule(0, otf2_primary, task_status_switch, outer);
	otf2_put(0, EVENT_task_create, task_flags_explicit | task_flags_undeferred, 4, outer, 0x3000);
	uint64_t inner = id_make(0, 4);
	otf2_schedule(0, outer, task_status_switch, inner);
	otf2_put(0, EVENT_sync_region_begin, sync_kind_taskwait, 0, inner, 0x4000);
	otf2_put(0, EVENT_sync_region_end, sync_kind_taskwait, 0, inner, 0x4000);
	otf2_schedule(0, inner, task_status_complete, outer);
	otf2_put(0, EVENT_sync_region_begin, sync_kind_taskwait, 0, outer, 0x4000);
	otf2_put(0, EVENT_sync_region_end, sync_kind_taskwait, 0, outer, 0x4000);
	otf2_schedule(0, outer, task_status_complete, otf2_primary);
	otf2_end_program();
	otf2_build(2);
	ck_assert_str_eq(archive_text[0],
			 ON_PRIMARY(" <create task C0.3 >create task S0.3 <task <create task C0.4 >create task S0.4"
				    " <task <taskwait >taskwait >task D0.4 S0.3 <taskwait >taskwait >task D0.3 S0.0"));
}
END_TEST

START_TEST(a_task_that_moves_leaves_its_regions_and_enters_them_again)
{
	otf2_begin_program();
	uint64_t task = otf2_create(3, task_flags_untied);
	otf2_schedule(0, otf2_primary, task_status_switch, task);
	otf2_put(0, EVENT_sync_region_begin, sync_kind_taskwait, 0, task, 0x4000);
	otf2_schedule(0, task, task_status_switch, otf2_primary);
	otf2_schedule(1, otf2_worker, task_status_switch, task);
	otf2_put(1, EVENT_sync_region_end, sync_kind_taskwait, 0, task, 0x4000);
	otf2_schedule(1, task, task_status_complete, otf2_worker);
	otf2_end_program();
	otf2_build(2);
	ck_assert_str_eq(archive_text[0],
			 ON_PRIMARY(" <create task C0.3 >create task S0.3 <untied task <taskwait >taskwait >untied task S0.0"));
	ck_assert_str_eq(archive_text[1], ON_WORKER(" S0.3 <untied task <taskwait >taskwait >untied task D0.3 S1.0"));
	ck_assert_uint_eq(archive_n_fragments, 2); /* both regions that were entered again say so */
}
END_TEST

START_TEST(a_task_that_the_implicit_task_goes_on_without_is_left)
{
	otf2_begin_program();
	uint64_t task = otf2_create(3, task_flags_untied);
	otf2_schedule(0, otf2_primary, task_status_yield, task);
	otf2_schedule(0, task, task_status_switch, otf2_primary);
	otf2_put(0, EVENT_sync_region_begin, sync_kind_barrier_explicit, 0, otf2_primary, 0x4000);
	otf2_schedule(0, otf2_primary, task_status_switch, task);
	otf2_schedule(0, task, task_status_complete, otf2_primary);
	otf2_put(0, EVENT_sync_region_end, sync_kind_barrier_explicit, 0, otf2_primary, 0x4000);
	otf2_end_program();
	otf2_build(2);
	ck_assert_str_eq(archive_text[0], ON_PRIMARY(" <create task C0.3 >create task S0.3 <untied task >untied task S0.0 <barrier"
						     " S0.3 <untied task >untied task D0.3 S0.0 >barrier"));
}
END_TEST

START_TEST(a_discarded_task_begins_and_ends_where_it_is_discarded)
{
	otf2_begin_program();
	uint64_t task = otf2_create(3, 0);
	otf2_put(0, EVENT_cancel, cancel_flags_taskgroup | cancel_flags_discarded_task, 0, task, 0);
	otf2_schedule(0, task, task_status_cancel, otf2_primary);
	otf2_end_program();
	otf2_build(2);
	ck_assert_str_eq(archive_text[0], ON_PRIMARY(" <create task C0.3 >create task S0.3 <task >task D0.3:cancel S0.0"));
}
END_TEST

START_TEST(a_detached_task_completes_where_a_member_fulfils_it)
{
	otf2_begin_program();
	uint64_t task = otf2_create(3, 0);
	otf2_schedule(0, otf2_primary, task_status_switch, task);
	otf2_schedule(0, task, task_status_detach, otf2_primary);
	otf2_schedule(1, task, task_status_late_fulfill, 0);
	otf2_end_program();
	otf2_build(2);
	ck_assert_str_eq(archive_text[0], ON_PRIMARY(" <create task C0.3 >create task S0.3 <task >task S0.0"));
	ck_assert_str_eq(archive_text[1], ON_WORKER(" S0.3 D0.3 S1.0"));
}
END_TEST

/* The begin of the thread's own task is missing, so that task cannot go on. The detached task does not stay current for that. */
START_TEST(a_detached_task_is_over_where_nothing_is_known_to_go_on)
{
	dump_writer_root(&otf2_writer, 0, otf2_now, 1, 1);
	otf2_put(0, EVENT_parallel_begin, parallel_flags_invoker_runtime | parallel_flags_team, 2, 2, 0x1000);
	otf2_put(0, EVENT_implicit_task_begin, task_flags_implicit, 2, id_make(0, 2), 2);
	uint64_t task = otf2_create(3, 0);
	otf2_writer.streams[1].n_tasks = 1;
	otf2_schedule(1, otf2_worker, task_status_switch, task);
	otf2_schedule(1, task, task_status_detach, otf2_worker);
	otf2_put(0, EVENT_task_schedule, task_status_late_fulfill, 0, task, 0);
	otf2_put(1, EVENT_thread_detach, 0, 0, 4243, 0);
	otf2_put(0, EVENT_implicit_task_end, task_flags_implicit, 0, id_make(0, 2), 2);
	otf2_put(0, EVENT_parallel_end, parallel_flags_team, 2, id_make(0, 1), 0x1000);
	otf2_put(0, EVENT_implicit_task_end, task_flags_initial, 0, id_make(0, 1), UINT64_C(1) << 32);
	otf2_put(0, EVENT_thread_detach, 0, 0, 4242, 0);
	otf2_build(2);
	ck_assert_str_eq(archive_text[1], "S0.3 <task >task S0.0");
}
END_TEST

START_TEST(what_a_killed_process_had_open_is_closed)
{
	otf2_begin_program();
	uint64_t task = otf2_create(3, 0);
	otf2_schedule(0, otf2_primary, task_status_switch, task);
	otf2_put(0, EVENT_sync_region_begin, sync_kind_taskwait, 0, task, 0x4000);
	otf2_writer.is_killed = otf2_writer.streams[0].is_live = otf2_writer.streams[1].is_live = true;
	otf2_build(2);
	ck_assert_str_eq(archive_text[0],
			 "B <initial task F2 T <parallel <create task C0.3 >create task S0.3 <task <taskwait >taskwait >task"
			 " D0.3:unfinished S0.0 >parallel t J >initial task E");
	ck_assert_str_eq(archive_text[1], ON_WORKER(""));
}
END_TEST

START_TEST(a_region_that_the_thread_never_was_in_has_no_fork)
{
	dump_writer_root(&otf2_writer, 0, otf2_now, 1, 1);
	otf2_put(0, EVENT_parallel_begin, parallel_flags_invoker_runtime | parallel_flags_team, 2, 2, 0x1000);
	otf2_writer.is_killed = otf2_writer.streams[0].is_live = true;
	otf2_build(1);
	ck_assert_str_eq(archive_text[0], "B <initial task >initial task E");
}
END_TEST

START_TEST(a_worker_may_have_begun_a_region_that_the_primary_thread_never_was_in)
{
	dump_writer_root(&otf2_writer, 0, otf2_now, 1, 1);
	otf2_put(0, EVENT_parallel_begin, parallel_flags_invoker_runtime | parallel_flags_team, 2, 2, 0x1000);
	otf2_put(1, EVENT_thread_attach, 0, 0, 4243, 0);
	otf2_put(1, EVENT_implicit_task_begin, task_flags_implicit, 1, id_make(0, 2), 2 | UINT64_C(1) << 32);
	otf2_writer.is_killed = otf2_writer.streams[0].is_live = otf2_writer.streams[1].is_live = true;
	otf2_build(2);
	ck_assert_str_eq(archive_text[0], "B <initial task >initial task E");
	ck_assert_str_eq(archive_text[1], ON_WORKER(""));
}
END_TEST

START_TEST(a_region_that_ends_after_a_gap_has_no_second_join)
{
	otf2_begin_program();
	otf2_put(0, EVENT_records_lost, loss_cause_full, 0, 7, 0);
	otf2_end_program();
	otf2_build(2);
	ck_assert_str_eq(archive_text[0], "B <initial task F2 T <parallel >parallel t J >initial task E");
}
END_TEST

static void create_unit(uint32_t stream, uint64_t handle)
{
	otf2_put(stream, EVENT_unit_create, 0, 1, handle, 0);
	dump_writer_record(&otf2_writer, stream, 0, EVENT_unit_more, 0, 16384, 0x7000, 0);
}

START_TEST(the_team_of_units_ends_with_its_thread)
{
	otf2_put(0, EVENT_thread_attach, 0, 0, 4242, 0);
	otf2_put(0, EVENT_unit_begin, 0, 0, 0x100, 0x200);
	otf2_put(1, EVENT_thread_attach, 0, 0, 51, 0);
	create_unit(1, 0x300);
	/* Its initial task has no end, and a thread of OpenMP takes its stream. */
	otf2_put(1, EVENT_implicit_task_begin, task_flags_initial, 1, 0, 1 | UINT64_C(1) << 32);
	otf2_put(1, EVENT_thread_detach, 0, 0, 51, 0);
	otf2_put(1, EVENT_thread_attach, 0, 0, 52, 0);
	create_unit(1, 0x400);
	otf2_put(0, EVENT_unit_end, 0, 0, 0, 0);
	otf2_put(1, EVENT_thread_detach, 0, 0, 52, 0);
	otf2_put(0, EVENT_thread_detach, 0, 0, 4242, 0);
	otf2_build(2);
	ck_assert_str_eq(archive_text[1], "T <create C1.2 >create <initial task >initial task t T <create C1.4 >create t");
}
END_TEST

START_TEST(a_task_runs_after_its_creation_whatever_the_clocks_say)
{
	otf2_begin_program();
	uint64_t created = otf2_now + 10;
	uint64_t task = otf2_create(3, 0);
	otf2_now -= 5; /* the other processor's clock is late */
	dump_writer_record(&otf2_writer, 1, created - 2, EVENT_task_schedule, task_status_switch, 0, otf2_worker, task);
	otf2_now = created + 20;
	otf2_schedule(1, task, task_status_complete, otf2_worker);
	otf2_end_program();
	otf2_build(2);
	ck_assert_str_eq(archive_text[1], ON_WORKER(" S0.3 <task >task D0.3 S1.0"));
	ck_assert_uint_eq(archive_times[1][2], created + 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("otf2");
	TCase *tests = tcase_create("synthetic dumps");
	tcase_add_checked_fixture(tests, otf2_setup, otf2_teardown);
	tcase_add_test(tests, a_task_is_created_entered_left_and_completed);
	tcase_add_test(tests, tasks_nest_in_each_other);
	tcase_add_test(tests, a_task_that_moves_leaves_its_regions_and_enters_them_again);
	tcase_add_test(tests, a_task_that_the_implicit_task_goes_on_without_is_left);
	tcase_add_test(tests, a_discarded_task_begins_and_ends_where_it_is_discarded);
	tcase_add_test(tests, a_detached_task_completes_where_a_member_fulfils_it);
	tcase_add_test(tests, a_detached_task_is_over_where_nothing_is_known_to_go_on);
	tcase_add_test(tests, what_a_killed_process_had_open_is_closed);
	tcase_add_test(tests, a_region_that_the_thread_never_was_in_has_no_fork);
	tcase_add_test(tests, a_worker_may_have_begun_a_region_that_the_primary_thread_never_was_in);
	tcase_add_test(tests, a_region_that_ends_after_a_gap_has_no_second_join);
	tcase_add_test(tests, the_team_of_units_ends_with_its_thread);
	tcase_add_test(tests, a_task_runs_after_its_creation_whatever_the_clocks_say);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
