/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Work, span and the critical path of synthetic programs that are whole.
 */
#include "tests/unit/path_fixture.h"

#include <check.h>

/* ---- The order of fragments ---- */

START_TEST(what_is_created_hangs_on_the_middle_of_its_parent)
{
	/* The first task is the longer one, the second one is created late: 60 + 700 against 60 + 1000 + 300. */
	uint64_t me = replay_begin_program(1);
	path_pass(60);
	uint64_t first = replay_create(3, me);
	path_pass(1000);
	uint64_t second = replay_create(4, me);
	path_pass(50);
	replay_sync_begin(0, sync_kind_taskwait, me);
	path_run_for(first, me, 700);
	path_run_for(second, me, 300);
	replay_sync_end(0, sync_kind_taskwait, me);
	path_pass(20);
	replay_end_program();
	path_build();
	path_check(PATH_BEFORE "implicit 60, fragment 1000, task 300, taskwait 0, fragment 20, " PATH_BEHIND,
		   10 + 60 + 1000 + 50 + 700 + 300 + 20 + 10);
	replay_done();
}
END_TEST

START_TEST(a_chain_of_dependences_is_on_it_and_its_neighbours_are_not)
{
	uint64_t me = replay_begin_program(1), chain[3], other[3];
	for (unsigned i = 0; i < 3; i++) {
		chain[i] = path_depend(3 + 2 * i, me, dependence_type_inout);
		other[i] = replay_create(4 + 2 * i, me);
	}
	replay_sync_begin(0, sync_kind_taskwait, me);
	for (unsigned i = 0; i < 3; i++) {
		path_run_for(other[i], me, 250);
		path_run_for(chain[i], me, 100);
	}
	replay_sync_end(0, sync_kind_taskwait, me);
	replay_end_program();
	path_build();
	path_check(PATH_BEFORE "implicit 10, task 100, task 100, task 100, taskwait 0, fragment 10, " PATH_BEHIND,
		   10 + 6 * 10 + 10 + 3 * 250 + 3 * 100 + 10 + 10);
	replay_done();
}
END_TEST

START_TEST(exclusion_is_no_order)
{
	uint64_t me = replay_begin_program(1);
	uint64_t first = path_depend(3, me, dependence_type_mutexinoutset),
		 second = path_depend(4, me, dependence_type_mutexinoutset);
	replay_sync_begin(0, sync_kind_taskwait, me);
	path_run_for(first, me, 100);
	path_run_for(second, me, 200);
	replay_sync_end(0, sync_kind_taskwait, me);
	replay_end_program();
	path_build();
	path_check(PATH_BEFORE "implicit 10, fragment 10, task 200, taskwait 0, fragment 10, " PATH_BEHIND,
		   10 + 10 + 10 + 10 + 100 + 200 + 10 + 10);
	replay_done();
}
END_TEST

START_TEST(of_two_equally_long_ones_the_lower_numbered_is_taken)
{
	uint64_t me = replay_begin_program(1);
	path_pass(60);
	uint64_t first = replay_create(3, me), second = replay_create(4, me);
	replay_sync_begin(0, sync_kind_taskwait, me);
	path_run_for(second, me, 200);
	path_run_for(first, me, 210); /* created 10 earlier */
	replay_sync_end(0, sync_kind_taskwait, me);
	replay_end_program();
	path_build();
	path_check(PATH_BEFORE "implicit 60, task 210, taskwait 0, fragment 10, " PATH_BEHIND,
		   10 + 60 + 10 + 10 + 200 + 210 + 10 + 10);
	replay_done();
}
END_TEST

/* Two threads: a barrier joins what both did, and the later phase begins behind it. */
START_TEST(a_barrier_joins_the_longer_ways)
{
	uint64_t me = replay_begin_program(2), worker = id_make(1, 1);
	dump_writer_record(&replay_writer, 1, replay_now, EVENT_thread_attach, 0, 0, 1001, 0);
	replay_begin_implicit(1, 1, 2, 2, 1);
	path_pass(100); /* of both: the first one began 10 earlier */
	replay_sync_begin(0, sync_kind_barrier_explicit, me);
	path_pass(400);
	replay_sync_begin(1, sync_kind_barrier_explicit, worker);
	replay_sync_end(1, sync_kind_barrier_explicit, worker);
	replay_sync_end(0, sync_kind_barrier_explicit, me);
	path_pass(300);
	replay_sync_begin(0, sync_kind_barrier_implicit_parallel, me);
	replay_sync_begin(1, sync_kind_barrier_implicit_parallel, worker);
	replay_sync_end(0, sync_kind_barrier_implicit_parallel, me);
	replay_sync_end(1, sync_kind_barrier_implicit_parallel, worker);
	replay_end_implicit(1, 1, 1);
	replay_end_program();
	path_build();
	path_check(PATH_BEFORE "implicit 500, barrier 0, fragment 320, " PATH_BEHIND, 10 + 110 + 500 + 300 + 320 + 10);
	replay_done();
}
END_TEST

/* ---- What is executed, and what is not ---- */

START_TEST(who_waits_executes_nothing)
{
	uint64_t me = replay_begin_program(1);
	uint64_t first = replay_create(3, me);
	replay_sync_begin(0, sync_kind_taskwait, me);
	path_pass(5000);
	path_run_for(first, me, 100);
	path_pass(5000);
	replay_sync_end(0, sync_kind_taskwait, me);
	uint64_t second = replay_create(4, me);
	path_pass(30);
	replay_sync_begin(0, sync_kind_barrier_implicit_parallel, me);
	path_pass(5000);
	path_run_for(second, me, 100);
	path_pass(5000);
	replay_sync_end(0, sync_kind_barrier_implicit_parallel, me);
	replay_end_program();
	path_build();
	path_check(PATH_BEFORE "implicit 10, task 100, taskwait 0, fragment 10, task 100, " PATH_BEHIND,
		   10 + 10 + 10 + 100 + 10 + 30 + 100 + 10);
	replay_done();
}
END_TEST

START_TEST(a_wait_with_dependences_is_over_when_it_is_complete)
{
	uint64_t me = replay_begin_program(1), task = path_depend(3, me, dependence_type_out), dummy = id_make(0, 4);
	const uint64_t variable = 0x10;
	const unsigned type = dependence_type_in;
	replay_put(0, EVENT_task_create, task_flags_taskwait | task_flags_undeferred, 4, me, 0x3000);
	dump_writer_dependences(&replay_writer, 0, replay_now, dummy, 1, &variable, &type);
	path_pass(5000);
	path_run_for(task, me, 100);
	path_pass(5000);
	path_switch_task(0, task_status_taskwait_complete, dummy, 0);
	path_pass(40);
	replay_end_program();
	path_build();
	path_check(PATH_BEFORE "implicit 10, task 100, taskwait 0, fragment 40, " PATH_BEHIND, 10 + 10 + 10 + 100 + 40 + 10);
	replay_done();
}
END_TEST

/* _i: is it recorded since when the task waits at the group's end? */
START_TEST(the_end_of_a_taskgroup_is_waiting)
{
	uint64_t me = replay_begin_program(1);
	replay_sync_begin(0, sync_kind_taskgroup, me);
	path_pass(30);
	uint64_t task = replay_create(3, me);
	path_pass(500); /* without the record nobody knows that this is not waiting */
	if (_i == 1)
		replay_put(0, EVENT_sync_region_wait_begin, sync_kind_taskgroup, 0, me, 0x2000);
	path_run_for(task, me, 100);
	path_pass(5000);
	if (_i == 1)
		replay_put(0, EVENT_sync_region_wait_end, sync_kind_taskgroup, 0, me, 0x2000);
	replay_sync_end(0, sync_kind_taskgroup, me);
	path_pass(40);
	replay_end_program();
	path_build();
	if (_i == 1) {
		path_check(PATH_BEFORE "implicit 40, fragment 510, taskgroup 0, fragment 40, " PATH_BEHIND,
			   10 + 40 + 510 + 100 + 40 + 10);
	} else {
		ck_assert_int_eq(replay_graph.path->bound, PATH_LOWER);
		ck_assert_uint_eq(replay_graph.path->reasons, PATH_GROUP_WAITS);
		ck_assert_str_eq(path_text(), PATH_BEFORE "implicit 40, task 100, taskgroup 0, fragment 40, " PATH_BEHIND);
	}
	replay_done();
}
END_TEST

static const struct {
	unsigned kind;
	bool waits;
} mutexes[] = {{mutex_kind_lock, true},
	       {mutex_kind_nest_lock, true},
	       {mutex_kind_critical, true},
	       {mutex_kind_ordered, true},
	       {mutex_kind_test_lock, false}};

START_TEST(who_wants_a_mutex_executes_nothing_until_it_is_there)
{
	unsigned kind = mutexes[_i].kind;
	replay_begin_program(1);
	path_pass(20);
	replay_put(0, EVENT_mutex_acquire, kind, 0, 0x100, 0x5000);
	path_pass(700);
	replay_put(0, EVENT_mutex_acquired, kind, 0, 0x100, 0x5000);
	path_pass(30);
	replay_put(0, EVENT_mutex_released, kind, 0, 0x100, 0x5000);
	path_pass(40);
	replay_end_program();
	path_build();
	uint64_t executed_ns = 20 + 30 + 40 + (mutexes[_i].waits ? 0 : 700);
	ck_assert_uint_eq(replay_graph.path->span_ns, 10 + executed_ns + 10);
	ck_assert_uint_eq(replay_graph.path->work_ns, 10 + executed_ns + 10);
	ck_assert_int_eq(replay_graph.path->bound, PATH_EXACT);
	replay_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("path");
	TCase *tests = tcase_create("synthetic dumps");
	tcase_add_checked_fixture(tests, replay_setup, replay_teardown);
	tcase_add_test(tests, what_is_created_hangs_on_the_middle_of_its_parent);
	tcase_add_test(tests, a_chain_of_dependences_is_on_it_and_its_neighbours_are_not);
	tcase_add_test(tests, exclusion_is_no_order);
	tcase_add_test(tests, of_two_equally_long_ones_the_lower_numbered_is_taken);
	tcase_add_test(tests, a_barrier_joins_the_longer_ways);
	tcase_add_test(tests, who_waits_executes_nothing);
	tcase_add_test(tests, a_wait_with_dependences_is_over_when_it_is_complete);
	tcase_add_loop_test(tests, the_end_of_a_taskgroup_is_waiting, 0, 2);
	tcase_add_loop_test(tests, who_wants_a_mutex_executes_nothing_until_it_is_there, 0, sizeof mutexes / sizeof *mutexes);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
