/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Undeferred and detached tasks (builder/graph/order.h): what their end comes before, and what comes before their end; and where that is not known.
 */
#include "tests/unit/path_fixture.h"

#include <check.h>

/* A region of one or two threads. The second one waits at its end, where it may run tasks. */
static uint64_t begin_team(unsigned threads)
{
	uint64_t me = replay_begin_program(threads), worker = id_make(1, 1);
	if (threads == 2) {
		dump_writer_record(&replay_writer, 1, replay_now, EVENT_thread_attach, 0, 0, 1001, 0);
		replay_begin_implicit(1, 1, 2, 2, 1);
		replay_sync_begin(1, sync_kind_barrier_implicit_parallel, worker);
	}
	return me;
}

static void end_team(unsigned threads)
{
	uint64_t me = id_make(0, 2), worker = id_make(1, 1);
	if (threads == 2) {
		replay_sync_begin(0, sync_kind_barrier_implicit_parallel, me);
		replay_sync_end(0, sync_kind_barrier_implicit_parallel, me);
		replay_sync_end(1, sync_kind_barrier_implicit_parallel, worker);
		replay_end_implicit(1, 1, 1);
	}
	replay_end_program();
}

static uint64_t create(uint64_t counter, uint64_t parent, unsigned flags)
{
	replay_put(0, EVENT_task_create, task_flags_explicit | flags, counter, parent, 0x3000);
	return id_make(0, counter);
}

/* Creates an undeferred task and runs it at once. */
static uint64_t undeferred(uint64_t counter, uint64_t parent)
{
	uint64_t task = create(counter, parent, task_flags_undeferred);
	replay_run_task(task, parent);
	return task;
}

static void build(enum graph_level level)
{
	replay_build(level);
	ck_assert_uint_eq(replay_n_repairs(), 0);
}

/* ---- Undeferred tasks ---- */

START_TEST(what_its_creator_does_next_comes_after_it)
{
	uint64_t me = begin_team(2), before = replay_create(3, me), first = undeferred(4, me);
	uint64_t next = replay_create(5, me), second = replay_create(6, me), last = undeferred(7, me);
	replay_sync_begin(0, sync_kind_taskwait, me);
	replay_run_task(before, me);
	replay_run_task(next, me);
	replay_run_task(second, me);
	replay_sync_end(0, sync_kind_taskwait, me);
	uint64_t behind = replay_create(8, me);
	replay_run_task(behind, me);
	end_team(2);
	build(GRAPH_TASK);
	ck_assert_uint_eq(replay_edges(first, next, EDGE_UNDEFERRED), 1);
	ck_assert_uint_eq(replay_edges(first, second, EDGE_UNDEFERRED), 1);
	ck_assert_uint_eq(replay_edges(first, last, EDGE_UNDEFERRED), 1);
	ck_assert_uint_eq(replay_edges(first, 0, EDGE_UNDEFERRED), 3);
	ck_assert_uint_eq(replay_edges(last, 0, EDGE_UNDEFERRED), 1);
	ck_assert_uint_eq(replay_edges(0, behind, EDGE_UNDEFERRED), 0);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_UNDEFERRED), 4);
	ck_assert_uint_eq(replay_n_nodes(NODE_TASK_END), 0);
	replay_done();
}
END_TEST

/* The parent ends with it: that end is a node, which the parent's barrier waits for. */
START_TEST(the_end_of_its_creator_comes_after_it)
{
	uint64_t me = begin_team(2), parent = replay_create(3, me);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, parent);
	uint64_t task = undeferred(4, parent);
	replay_put(0, EVENT_task_schedule, task_status_complete, 0, parent, me);
	end_team(2);
	build(GRAPH_TASK);
	ck_assert_uint_eq(replay_n_nodes(NODE_TASK_END), 1);
	ck_assert_uint_eq(replay_edges(task, 0, EDGE_UNDEFERRED), 1);
	ck_assert_uint_eq(replay_edges(parent, 0, EDGE_BARRIER), 0); /* but its task_end has one */
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_BARRIER), 2);
	replay_done();
}
END_TEST

START_TEST(one_after_the_other_has_a_parallelism_of_one)
{
	uint64_t me = begin_team(2);
	path_pass(60);
	for (unsigned i = 3; i < 6; i++) {
		uint64_t task = create(i, me, task_flags_undeferred);
		path_run_for(task, me, 100);
		path_pass(30);
	}
	end_team(2);
	path_build();
	path_check(PATH_BEFORE "implicit 80, fragment 10, task 100, fragment 30, fragment 10, task 100, fragment 30, fragment 10, "
			       "task 100, fragment 30, " PATH_BEHIND,
		   replay_graph.path->span_ns + 10); /* of the other thread */
	replay_done();
}
END_TEST

/* Where the program decides that a task is undeferred, and where it is not known (Q50). */
static const struct {
	unsigned threads;
	const char *runtime; /* NULL: LLVM's */
	const char *meta;
	bool is_parent_final, is_awaited;
	bool is_ordered;
} origins[] = {
	{2, NULL, "", false, false, true},
	{1, NULL, "", false, false, false},
	{1, NULL, "", true, false, true},
	{2, NULL, "env KMP_TASKING=0\n", false, false, false},
	{2, NULL, "env KMP_TASKING=0\n", true, false, true},
	{2, NULL, "env KMP_TASKING=2\nenv KMP_TASKING_X=0\n", false, false, true},
	{1, NULL, "map 9000 a000 0 - /usr/lib/libomp.so.5\n", false, true, true}, /* gcc's code */
	{2, "Other OpenMP", "", false, false, false},
	{2, "Other OpenMP", "", true, false, true},
};

START_TEST(where_nobody_knows_it_is_a_lower_bound)
{
	if (origins[_i].runtime != NULL)
		replay_writer.runtime = origins[_i].runtime;
	replay_writer.more_meta = origins[_i].meta;
	uint64_t me = begin_team(origins[_i].threads), parent = me;
	if (origins[_i].is_parent_final) {
		parent = create(3, me, task_flags_final);
		replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, parent);
	}
	if (origins[_i].is_awaited) {
		const uint64_t variable = 0x10;
		const unsigned type = dependence_type_in;
		replay_put(0, EVENT_task_create, task_flags_taskwait | task_flags_undeferred | task_flags_has_dependences, 4, me,
			   0x2ff0);
		dump_writer_dependences(&replay_writer, 0, replay_now, id_make(0, 4), 1, &variable, &type);
		replay_put(0, EVENT_task_schedule, task_status_taskwait_complete, 0, id_make(0, 4), 0);
	}
	uint64_t task = id_make(0, 5), next;
	replay_put(0, EVENT_task_create, task_flags_explicit | task_flags_undeferred, 5, parent,
		   origins[_i].is_awaited ? 0x9100 : 0x3000);
	path_run_for(task, parent, 100);
	next = create(6, parent, 0);
	path_run_for(next, parent, 100);
	if (parent != me)
		replay_put(0, EVENT_task_schedule, task_status_complete, 0, parent, me);
	end_team(origins[_i].threads);
	path_build();
	ck_assert_uint_eq(replay_edges(task, 0, EDGE_UNDEFERRED), origins[_i].is_ordered);
	ck_assert_uint_eq(replay_graph.path->reasons, origins[_i].is_ordered ? 0 : PATH_UNDEFERRED);
	ck_assert_int_eq(replay_graph.path->bound, origins[_i].is_ordered ? PATH_EXACT : PATH_LOWER);
	replay_done();
}
END_TEST

/* It waits for its predecessors, and its parent goes on (Q51). */
START_TEST(one_that_does_not_begin_at_once_suspends_nobody)
{
	uint64_t me = begin_team(2), parent = create(3, me, task_flags_final);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, parent);
	uint64_t late = create(4, parent, task_flags_undeferred);
	if (_i == 1) {
		uint64_t other = undeferred(5, parent);
		replay_run_task(late, parent);
		(void)other;
	} else {
		replay_sync_begin(0, sync_kind_taskwait, parent);
		replay_run_task(late, parent);
		replay_sync_end(0, sync_kind_taskwait, parent);
	}
	replay_put(0, EVENT_task_schedule, task_status_complete, 0, parent, me);
	end_team(2);
	build(GRAPH_TASK);
	ck_assert_uint_eq(replay_edges(late, 0, EDGE_UNDEFERRED), 0);
	replay_done();
}
END_TEST

/* ---- Detached tasks ---- */

enum { BEFORE_IT_BEGINS, WHILE_IT_RUNS, AFTER_ITS_BODY, MOMENTS };

START_TEST(who_fulfils_comes_before_who_waits)
{
	unsigned moment = (unsigned)_i % MOMENTS;
	bool is_late = moment == AFTER_ITS_BODY;
	unsigned status = is_late ? task_status_late_fulfill : task_status_early_fulfill;
	uint64_t me = begin_team(2), worker = id_make(1, 1);
	uint64_t detached = replay_create(3, me), other = replay_create(4, me), unrelated = replay_create(5, me);
	replay_put(1, EVENT_task_schedule, task_status_switch, 0, worker, other);
	replay_sync_begin(0, sync_kind_taskwait, me);
	if (moment == BEFORE_IT_BEGINS)
		replay_put(1, EVENT_task_schedule, status, 0, detached, 0);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, detached);
	if (moment == WHILE_IT_RUNS)
		replay_put(1, EVENT_task_schedule, status, 0, detached, 0);
	replay_put(0, EVENT_task_schedule, is_late ? task_status_detach : task_status_complete, 0, detached, me);
	replay_run_task(unrelated, me);
	if (is_late)
		replay_put(1, EVENT_task_schedule, status, 0, detached, 0);
	replay_put(1, EVENT_task_schedule, task_status_complete, 0, other, worker);
	replay_sync_end(0, sync_kind_taskwait, me);
	end_team(2);
	build(_i / MOMENTS == 0 ? GRAPH_TASK : GRAPH_FRAGMENT);
	ck_assert_uint_eq(replay_edges(other, 0, EDGE_FULFILL), 1);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_FULFILL), 1);
	ck_assert_uint_eq(replay_edges(detached, 0, EDGE_SEQUENCE), 1);
	ck_assert_uint_eq(replay_n_nodes(NODE_TASK_END), 1);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_TASKWAIT), 3);
	if (replay_graph.path != NULL)
		ck_assert_int_eq(replay_graph.path->bound, PATH_EXACT);
	replay_done();
}
END_TEST

/* What `other` does after it has fulfilled the event is no part of the way to the wait. */
START_TEST(the_path_goes_through_who_fulfils)
{
	uint64_t me = begin_team(2), worker = id_make(1, 1);
	uint64_t detached = replay_create(3, me), other = replay_create(4, me);
	replay_put(1, EVENT_task_schedule, task_status_switch, 0, worker, other);
	replay_sync_begin(0, sync_kind_taskgroup, me);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, detached);
	replay_put(0, EVENT_task_schedule, task_status_detach, 0, detached, me);
	path_pass(500);
	replay_put(1, EVENT_task_schedule, task_status_late_fulfill, 0, detached, 0);
	path_pass(100);
	replay_put(1, EVENT_task_schedule, task_status_complete, 0, other, worker);
	replay_sync_end(0, sync_kind_taskgroup, me);
	end_team(2);
	path_build();
	uint32_t end = 0;
	for (uint32_t i = 0; i < replay_graph.n_nodes; i++)
		if (replay_graph.nodes[i].kind == NODE_TASK_END)
			end = replay_trace.model.n_tasks + i;
	ck_assert_uint_ne(end, 0);
	/* Of `other` its first fragment comes before the end, and the second one does not. */
	ck_assert_uint_eq(replay_edges(other, 0, EDGE_FULFILL), 1);
	ck_assert_uint_eq(replay_graph.tasks[model_task(&replay_trace.model, detached)].last, end);
	struct node_view first = graph_node(&replay_graph, model_task(&replay_trace.model, other));
	ck_assert_uint_ge(first.busy_ticks, 500);
	ck_assert_uint_lt(first.busy_ticks, 600);
	replay_done();
}
END_TEST

START_TEST(who_fulfils_its_own_event_is_ordered_anyway)
{
	uint64_t me = replay_begin_program(1), detached = replay_create(3, me);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, detached);
	replay_put(0, EVENT_task_schedule, task_status_early_fulfill, 0, detached, 0);
	replay_put(0, EVENT_task_schedule, task_status_complete, 0, detached, me);
	replay_end_program();
	build(GRAPH_TASK);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_FULFILL), 0);
	ck_assert_uint_eq(replay_n_nodes(NODE_TASK_END), 0);
	replay_done();
}
END_TEST

/* _i: how. */
START_TEST(of_a_thread_in_no_task_nothing_is_known)
{
	uint64_t me = replay_begin_program(1), detached = replay_create(3, me);
	dump_writer_record(&replay_writer, 1, replay_now, EVENT_thread_attach, 0, 0, 1001, 0);
	if (_i == 0)
		replay_put(1, EVENT_task_schedule, task_status_early_fulfill, 0, detached, 0);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, detached);
	replay_put(0, EVENT_task_schedule, _i == 0 ? task_status_complete : task_status_detach, 0, detached, me);
	if (_i == 1)
		replay_put(1, EVENT_task_schedule, task_status_late_fulfill, 0, detached, 0);
	replay_end_program();
	path_build();
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_FULFILL), 0);
	ck_assert_uint_eq(replay_graph.path->reasons, PATH_FULFILLERS);
	ck_assert_int_eq(replay_graph.path->bound, PATH_LOWER);
	replay_done();
}
END_TEST

/* ---- OpenMP 6.0 ---- */

/* _i: does the child have dependences? Those may be on tasks that are no siblings of it. */
START_TEST(a_graph_without_the_edges_of_transparent_tasks_says_so)
{
	const uint64_t variable = 0x10;
	const unsigned type = dependence_type_inout;
	uint64_t me = replay_begin_program(1);
	replay_put(0, EVENT_task_create, task_flags_explicit, 3, me, UINT64_C(0x0100000000003000)); /* importing */
	uint64_t parent = id_make(0, 3);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, parent);
	uint64_t child = create(4, parent, 0);
	if (_i == 1)
		dump_writer_dependences(&replay_writer, 0, replay_now, child, 1, &variable, &type);
	replay_run_task(child, parent);
	replay_put(0, EVENT_task_schedule, task_status_complete, 0, parent, me);
	replay_end_program();
	path_build();
	const struct task *importing = &replay_trace.model.tasks[model_task(&replay_trace.model, parent)];
	ck_assert_uint_eq(importing->flags, task_flags_explicit | task_flags_importing);
	ck_assert_uint_eq(replay_trace.model.constructs[importing->construct].codeptr, 0x3000);
	ck_assert_uint_eq(replay_count_of(&replay_graph.repairs, "transparent_task"), (unsigned)_i);
	ck_assert_int_eq(replay_graph.path->bound, _i == 1 ? PATH_LOWER : PATH_EXACT);
	replay_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("order");
	TCase *tests = tcase_create("synthetic dumps");
	tcase_add_checked_fixture(tests, replay_setup, replay_teardown);
	tcase_add_test(tests, what_its_creator_does_next_comes_after_it);
	tcase_add_test(tests, the_end_of_its_creator_comes_after_it);
	tcase_add_test(tests, one_after_the_other_has_a_parallelism_of_one);
	tcase_add_loop_test(tests, where_nobody_knows_it_is_a_lower_bound, 0, sizeof origins / sizeof *origins);
	tcase_add_loop_test(tests, one_that_does_not_begin_at_once_suspends_nobody, 0, 2);
	tcase_add_loop_test(tests, who_fulfils_comes_before_who_waits, 0, 2 * MOMENTS);
	tcase_add_test(tests, the_path_goes_through_who_fulfils);
	tcase_add_test(tests, who_fulfils_its_own_event_is_ordered_anyway);
	tcase_add_loop_test(tests, of_a_thread_in_no_task_nothing_is_known, 0, 2);
	tcase_add_loop_test(tests, a_graph_without_the_edges_of_transparent_tasks_says_so, 0, 2);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed == 0 ? 0 : 1;
}
