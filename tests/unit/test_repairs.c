/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Repairs by name (docs/damage.md): records that are missing, and records that contradict each other, each in a dump
 * that is good otherwise. What is printed about the latter, and that the graph is a graph all the same.
 */
#include "builder/graph/shared.h"
#include "tests/unit/replay_fixture.h"

#include <check.h>
#include <stdlib.h>

static uint64_t repairs(const char *name)
{
	return replay_count_of(&replay_trace.model.notes->repairs, name) + replay_count_of(&replay_graph.repairs, name);
}

static int count_edge(void *self, const struct edge_view *edge)
{
	ck_assert_uint_ne(edge->source, edge->target);
	++*(size_t *)self;
	return 0;
}

static size_t n_edges(void)
{
	size_t n = 0;
	ck_assert_int_eq(graph_each_edge(&replay_graph, count_edge, &n), 0);
	return n;
}

/* ---- Missing records ---- */

/* A segment is missing in the midst of a taskwait of a task: what was open is closed, and what ends behind it has not begun. */
START_TEST(missing_segments_close_what_is_open)
{
	uint64_t me = replay_begin_program(1), task = replay_create(3, me);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, task);
	replay_sync_begin(0, sync_kind_taskwait, task);
	dump_writer_close_segment(&replay_writer, 0);
	replay_sync_end(0, sync_kind_taskwait, task);
	replay_put(0, EVENT_task_schedule, task_status_complete, 0, task, me);
	dump_writer_close_segment(&replay_writer, 0);
	replay_writer.streams[0].missing = 2;
	replay_end_program();
	replay_build_said();
	replay_assert_said("expected 2 [segments_missing]");
	ck_assert_uint_eq(repairs("missing_segments"), 1);
	ck_assert_uint_eq(repairs("scope_open_at_gap"), 1);
	ck_assert_uint_eq(repairs("task_without_end"), 1);
	ck_assert_uint_eq(repairs("implicit_task_without_end"), 2);
	ck_assert_uint_eq(repairs("region_without_end"), 1);
	ck_assert_uint_eq(repairs("implicit_task_end_without_begin"), 2);
	ck_assert_uint_eq(repairs("region_end_without_begin"), 1);
	replay_done();
}
END_TEST

/* Killed where two of a team have come to a second barrier, and the third has not: both come from there to the join, by one edge. */
START_TEST(a_team_is_cut_between_two_barriers)
{
	replay_writer.is_killed = true;
	uint64_t me = replay_begin_program(3);
	for (uint32_t stream = 0; stream < 3; stream++) {
		uint64_t task = stream == 0 ? me : id_make(stream, 1);
		replay_writer.streams[stream].is_live = true;
		replay_writer.streams[stream].place = WRITER_RING; /* nothing else is missing */
		if (stream > 0) {
			replay_put(stream, EVENT_thread_attach, 0, 0, 4242 + stream, 0);
			replay_begin_implicit(stream, 1, 2, 3, stream);
		}
		replay_sync_begin(stream, sync_kind_barrier_explicit, task);
		replay_sync_end(stream, sync_kind_barrier_explicit, task);
		if (stream > 0)
			replay_sync_begin(stream, sync_kind_barrier_explicit, task);
	}
	replay_build_said();
	ck_assert_uint_eq(replay_n_nodes(NODE_BARRIER), 2);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_JOIN), 2);
	ck_assert_uint_eq(repairs("edge_twice"), 0);
	replay_done();
}
END_TEST

START_TEST(lost_records_close_what_is_open)
{
	uint64_t me = replay_begin_program(1);
	replay_sync_begin(0, sync_kind_taskwait, me);
	replay_put(0, EVENT_records_lost, loss_cause_full, 0, 7, 0);
	replay_end_program();
	replay_build_said();
	ck_assert_uint_eq(repairs("lost_records"), 1);
	ck_assert_uint_eq(repairs("missing_segments"), 0);
	ck_assert_uint_eq(repairs("scope_open_at_gap"), 1);
	replay_done();
}
END_TEST

START_TEST(a_thread_leaves_its_scopes_to_the_next)
{
	uint64_t me = replay_begin_program(1);
	replay_sync_begin(0, sync_kind_taskwait, me);
	replay_put(0, EVENT_thread_attach, 0, 0, 4343, 0);
	replay_build_said();
	ck_assert_uint_eq(repairs("thread_left_scope_open"), 1);
	ck_assert_uint_eq(repairs("scope_open_at_end"), 0);
	replay_done();
}
END_TEST

START_TEST(a_group_without_its_continuations)
{
	uint64_t me = replay_begin_program(1);
	replay_put(0, EVENT_target_begin, 0, 2, 0, 0x4000); /* one more is announced */
	replay_run_task(replay_create(3, me), me);
	replay_end_program();
	replay_assert_repair("cut_group", "(task_create): a record of its own, expected 1 continuations more");
}
END_TEST

/* ---- Tasks ---- */

START_TEST(a_task_is_created_by_another_than_it_says)
{
	uint64_t me = replay_begin_program(1), first = replay_create(3, me), second = replay_create(4, first);
	replay_run_task(first, me);
	replay_run_task(second, me);
	replay_end_program();
	replay_assert_repair("created_by_another_task",
			     "record 6 (task_create): it names an encountering task that is not the one running, expected 0:2");
}
END_TEST

START_TEST(the_dummy_of_a_wait_runs)
{
	uint64_t me = replay_begin_program(1);
	replay_put(0, EVENT_task_create, task_flags_taskwait | task_flags_undeferred, 3, me, 0x3000);
	replay_run_task(id_make(0, 3), me);
	replay_end_program();
	replay_assert_repair("wait_that_runs", "task 0:3, expected a task, not the dummy of a taskwait");
}
END_TEST

START_TEST(a_task_runs_behind_its_end)
{
	uint64_t me = replay_begin_program(1), task = replay_create(3, me);
	replay_run_task(task, me);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, task);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, task, me);
	replay_end_program();
	replay_assert_repair("task_after_completion", "task 0:3, expected one that has not completed");
}
END_TEST

START_TEST(a_task_runs_that_nobody_created)
{
	uint64_t me = replay_begin_program(1), later = replay_create(4, me);
	replay_run_task(id_make(0, 3), me);
	replay_run_task(later, me);
	replay_end_program();
	replay_assert_repair("task_never_created", "task 0:3 runs, and no record creates it");
}
END_TEST

/* ---- Regions ---- */

START_TEST(a_region_begins_twice)
{
	uint64_t me = replay_begin_program(1);
	for (int i = 0; i < 2; i++) {
		replay_begin_region(3, 1);
		replay_begin_implicit(0, 3 + (uint64_t)i, 3, 1, 0);
		replay_end_implicit(0, 3 + (uint64_t)i, 0);
		replay_put(0, EVENT_parallel_end, parallel_flags_team, 3, me, 0x1000);
	}
	replay_end_program();
	replay_assert_repair("region_begun_twice", "(parallel_begin): region 3 of its stream once more, expected a new one");
}
END_TEST

START_TEST(a_thread_is_twice_in_a_team)
{
	replay_begin_program(2);
	replay_put(1, EVENT_thread_attach, 0, 0, 4243, 0);
	for (uint64_t task = 1; task <= 2; task++) {
		replay_begin_implicit(1, task, 2, 2, 1);
		replay_end_implicit(1, task, 1);
	}
	replay_end_program();
	replay_build_said();
	ck_assert_uint_eq(repairs("team_member_twice"), 1);
	ck_assert_uint_eq(
		replay_trace.model.teams[replay_trace.model.regions[model_region(&replay_trace.model, id_make(0, 2))].team]
			.n_members,
		2);
	replay_done();
}
END_TEST

/* ---- Scopes and locks ---- */

START_TEST(scopes_nest_too_deep)
{
	const uint64_t n = NESTING_MAX + 5;
	uint64_t me = replay_begin_program(1);
	for (uint64_t i = 0; i < n; i++)
		replay_sync_begin(0, sync_kind_taskgroup, me);
	for (uint64_t i = 0; i < n; i++)
		replay_sync_end(0, sync_kind_taskgroup, me);
	replay_end_program();
	replay_build_said();
	ck_assert_uint_eq(repairs("scope_too_deep"), 5);
	ck_assert_uint_eq(repairs("scope_end_without_begin"), 5);
	replay_done();
}
END_TEST

static void lock(unsigned kind, unsigned mutex, uint64_t object)
{
	replay_put(0, kind, mutex, 0, object, 0x5000);
}

START_TEST(a_lock_is_taken_twice_and_given_back_by_who_has_it_not)
{
	replay_begin_program(1);
	for (int i = 0; i < 2; i++) {
		lock(EVENT_mutex_acquire, mutex_kind_lock, 0x77);
		lock(EVENT_mutex_acquired, mutex_kind_lock, 0x77);
	}
	lock(EVENT_mutex_released, mutex_kind_lock, 0x77);
	lock(EVENT_mutex_released, mutex_kind_lock, 0x78);
	replay_end_program();
	replay_build_said();
	ck_assert_uint_eq(repairs("lock_taken_twice"), 1);
	ck_assert_uint_eq(repairs("lock_not_held"), 1);
	ck_assert_uint_eq(replay_n_repairs(), 2);
	replay_done();
}
END_TEST

/* ---- Dependences beyond all measure ---- */

/* Sets behind each other whose pairs are more than a dump of this size may ask for: each task of the second set has all of the first in each location. */
START_TEST(too_many_dependences_are_left_out)
{
	enum { N_TASKS = 1500, N_LOCATIONS = 6 };
	uint64_t variables[N_LOCATIONS], me = replay_begin_program(1);
	unsigned types[N_LOCATIONS];
	for (unsigned i = 0; i < N_LOCATIONS; i++)
		variables[i] = 0x10 + i;
	for (uint64_t i = 0; i < 2 * N_TASKS; i++) {
		uint64_t task = replay_create(3 + i, me);
		for (unsigned k = 0; k < N_LOCATIONS; k++)
			types[k] = i < N_TASKS ? dependence_type_in : dependence_type_inoutset;
		dump_writer_dependences(&replay_writer, 0, replay_now += 10, task, N_LOCATIONS, variables, types);
	}
	replay_end_program();
	replay_build_said();
	ck_assert_uint_gt(repairs("dependences_left_out"), 0);
	ck_assert_uint_gt(replay_edges(0, 0, EDGE_DEPEND), 10000000 / N_LOCATIONS);
	ck_assert_uint_lt(replay_edges(0, 0, EDGE_DEPEND), N_TASKS * N_TASKS);
	replay_done();
}
END_TEST

/* The runtime reports dependences on the first task of all, on which no list depends: each is looked up along a chain as long as the program. */
START_TEST(too_many_reports_are_not_checked)
{
	enum { N_TASKS = 5000, N_REPORTS = 3500 };
	const uint64_t variable = 0x10;
	const unsigned type = dependence_type_inout;
	uint64_t me = replay_begin_program(1), first = replay_create(3, me), task = 0;
	for (uint64_t i = 0; i < N_TASKS; i++) {
		task = replay_create(4 + i, me);
		dump_writer_dependences(&replay_writer, 0, replay_now += 10, task, 1, &variable, &type);
	}
	for (unsigned i = 0; i < N_REPORTS; i++)
		replay_put(0, EVENT_task_dependence, 0, 0, first, task);
	replay_end_program();
	replay_build_said();
	ck_assert_uint_eq(repairs("dependences_not_checked"), 1);
	ck_assert_uint_gt(repairs("dependence_not_in_list"), 0);
	ck_assert_uint_lt(repairs("dependence_not_in_list"), N_REPORTS);
	replay_done();
}
END_TEST

/* An implicit task of a region with an id that no stream gave: it has no team. */
START_TEST(a_task_of_a_region_that_nobody_began)
{
	replay_begin_program(2);
	replay_begin_implicit(1, 1, 77, 2, 1);
	replay_end_implicit(1, 1, 1);
	replay_end_program();
	replay_assert_repair("id_out_of_range", "it begins a task of region 0:77, which no stream made");
}
END_TEST

/* ---- Edges ---- */

/* Two tasks and an edge between them; then what records that contradict each other would add. */
START_TEST(edges_that_make_no_graph_are_left_out)
{
	uint64_t me = replay_begin_program(1), ids[] = {replay_create(3, me), replay_create(4, me)};
	for (int i = 0; i < 2; i++)
		replay_run_task(ids[i], me);
	replay_end_program();
	replay_build_said();
	size_t n_before = n_edges();
	uint32_t first = model_task(&replay_trace.model, ids[0]), second = model_task(&replay_trace.model, ids[1]);
	const struct edge edges[] = {{first, second, EDGE_DEPEND, true, dependence_type_in, 0, 0},
				     {first, second, EDGE_DEPEND, true, dependence_type_in, 0, 0},
				     {second, first, EDGE_DEPEND, true, dependence_type_in, 0, 0},
				     {second, 0, EDGE_DEPEND, true, dependence_type_in, 0, 0}};
	const struct point nowhere = {0};
	for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
		graph_add_edge(&replay_graph, &nowhere, &edges[i]);
	graph_make_sound(&replay_graph);
	ck_assert_uint_eq(replay_n_repairs(), 0); /* of a dump without a repair it does not look */
	tally_add(&replay_trace.model.notes->repairs, "task_created_twice", 1);
	graph_make_sound(&replay_graph);
	ck_assert_uint_eq(repairs("edge_twice"), 1);
	ck_assert_uint_eq(repairs("edge_of_cycle"), 1);
	ck_assert_uint_eq(repairs("edge_to_nothing"), 1);
	ck_assert_uint_eq(n_edges(), n_before + 1);
	replay_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("repairs");
	TCase *tests = tcase_create("repairs");
	tcase_add_checked_fixture(tests, replay_setup, replay_teardown);
	tcase_add_test(tests, missing_segments_close_what_is_open);
	tcase_add_test(tests, a_team_is_cut_between_two_barriers);
	tcase_add_test(tests, lost_records_close_what_is_open);
	tcase_add_test(tests, a_thread_leaves_its_scopes_to_the_next);
	tcase_add_test(tests, a_group_without_its_continuations);
	tcase_add_test(tests, a_task_is_created_by_another_than_it_says);
	tcase_add_test(tests, the_dummy_of_a_wait_runs);
	tcase_add_test(tests, a_task_runs_behind_its_end);
	tcase_add_test(tests, a_task_runs_that_nobody_created);
	tcase_add_test(tests, a_region_begins_twice);
	tcase_add_test(tests, a_thread_is_twice_in_a_team);
	tcase_add_test(tests, scopes_nest_too_deep);
	tcase_add_test(tests, a_lock_is_taken_twice_and_given_back_by_who_has_it_not);
	tcase_add_test(tests, too_many_dependences_are_left_out);
	tcase_add_test(tests, too_many_reports_are_not_checked);
	tcase_add_test(tests, a_task_of_a_region_that_nobody_began);
	tcase_add_test(tests, edges_that_make_no_graph_are_left_out);
	tcase_set_timeout(tests, 0); /* tests/check.sh ends what hangs */
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
