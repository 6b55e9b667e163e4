/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The graph's rules (docs/design.md section 5) on synthetic dumps: who waits for whom, the three levels, mutexes.
 */
#include "tests/unit/replay_fixture.h"
#include "builder/graph/mutexes.h"

#include <check.h>

/* ---- Who waits (section 5 of docs/design.md) ---- */

START_TEST(a_taskwait_waits_for_children_only)
{
	uint64_t me = replay_begin_program(1);
	uint64_t child = replay_create(3, me);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, child);
	uint64_t grandchild = replay_create(4, child);
	replay_put(0, EVENT_task_schedule, task_status_complete, 0, child, me);
	replay_sync_begin(0, sync_kind_taskwait, me);
	replay_sync_end(0, sync_kind_taskwait, me);
	replay_sync_begin(0, sync_kind_barrier_explicit, me);
	replay_run_task(grandchild, me);
	replay_sync_end(0, sync_kind_barrier_explicit, me);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(replay_edges(child, 0, EDGE_TASKWAIT), 1);
	ck_assert_uint_eq(replay_edges(grandchild, 0, EDGE_TASKWAIT), 0);
	ck_assert_uint_eq(replay_edges(grandchild, 0, EDGE_BARRIER), 1);
	replay_done();
}
END_TEST

START_TEST(a_taskgroup_waits_for_descendants_but_not_for_what_was_before_it)
{
	uint64_t me = replay_begin_program(1);
	uint64_t before = replay_create(3, me);
	replay_sync_begin(0, sync_kind_taskgroup, me);
	uint64_t child = replay_create(4, me);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, child);
	uint64_t grandchild = replay_create(5, child);
	replay_put(0, EVENT_task_schedule, task_status_complete, 0, child, me);
	replay_run_task(grandchild, me);
	replay_sync_end(0, sync_kind_taskgroup, me);
	replay_run_task(before, me);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(replay_edges(child, 0, EDGE_TASKGROUP), 1);
	ck_assert_uint_eq(replay_edges(grandchild, 0, EDGE_TASKGROUP), 1);
	ck_assert_uint_eq(replay_edges(before, 0, EDGE_TASKGROUP), 0);
	ck_assert_uint_eq(replay_edges(before, 0, EDGE_BARRIER), 1); /* the join */
	replay_done();
}
END_TEST

START_TEST(a_barrier_waits_by_phase_and_not_by_time)
{
	/* Thread 1 is already past the barrier and creates a task before the records of thread 0's barrier come. */
	uint64_t me = replay_begin_program(2), other = id_make(1, 1);
	replay_begin_implicit(1, 1, 2, 2, 1);
	replay_sync_begin(1, sync_kind_barrier_explicit, other);
	replay_sync_end(1, sync_kind_barrier_explicit, other);
	replay_put(1, EVENT_task_create, task_flags_explicit, 2, other, 0x3000);
	uint64_t early = id_make(1, 2), mine = replay_create(3, me);
	replay_sync_begin(0, sync_kind_barrier_explicit, me);
	replay_run_task(mine, me);
	replay_sync_end(0, sync_kind_barrier_explicit, me);
	replay_sync_begin(0, sync_kind_barrier_implicit_parallel, me);
	replay_run_task(early, me);
	replay_sync_begin(1, sync_kind_barrier_implicit_parallel, other);
	replay_sync_end(0, sync_kind_barrier_implicit_parallel, me);
	replay_end_program();
	replay_sync_end(1, sync_kind_barrier_implicit_parallel, other);
	replay_end_implicit(1, 1, 1);
	replay_build(GRAPH_TASK);
	enum edge_kind kind = EDGE_CREATE;
	struct node_view of_mine =
		graph_node(&replay_graph, graph_joiner(&replay_graph, model_task(&replay_trace.model, mine), &kind));
	ck_assert_int_eq(of_mine.kind, NODE_BARRIER);
	struct node_view of_early =
		graph_node(&replay_graph, graph_joiner(&replay_graph, model_task(&replay_trace.model, early), &kind));
	ck_assert_int_eq(of_early.kind, NODE_JOIN);
	replay_done();
}
END_TEST

START_TEST(a_cycle_of_parents_ends)
{
	replay_begin_program(1);
	replay_create(3, id_make(0, 4));
	replay_create(4, id_make(0, 3));
	replay_end_program();
	replay_build(GRAPH_TASK);
	FILE *null = fopen("/dev/null", "w");
	replay_print_canonical(null);
	fclose(null);
	replay_done();
}
END_TEST

/* ---- The three levels ---- */

struct level_counts {
	unsigned n_tasks, n_syncs, n_others, creates;
};

static int count_node(void *self, const struct node_view *node)
{
	struct level_counts *counts = self;
	if (node->kind <= NODE_TARGET)
		counts->n_tasks++;
	else if (node->kind <= NODE_JOIN)
		counts->n_syncs++;
	else
		counts->n_others++;
	return 0;
}

START_TEST(all_levels_have_the_same_tasks_and_synchronisations)
{
	uint64_t me = replay_begin_program(1);
	replay_put(0, EVENT_work_begin, work_kind_single_executor, 0, 1, 0x4000);
	uint64_t task = replay_create(3, me);
	replay_sync_begin(0, sync_kind_taskwait, me);
	replay_run_task(task, me);
	replay_sync_end(0, sync_kind_taskwait, me);
	replay_put(0, EVENT_work_end, work_kind_single_executor, 0, 1, 0x4000);
	replay_end_program();
	replay_build((enum graph_level)_i);
	struct level_counts counts = {0};
	graph_each_node(&replay_graph, count_node, &counts);
	counts.creates = replay_edges(0, 0, EDGE_CREATE);
	ck_assert_uint_eq(counts.n_tasks, 3); /* initial, implicit, explicit */
	ck_assert_uint_eq(counts.n_syncs, 3); /* region, taskwait, join */
	ck_assert_uint_eq(counts.creates, 2);
	ck_assert_uint_eq(counts.n_others, _i == GRAPH_TASK ? 0 : _i == GRAPH_SCOPE ? 2 : 3);
	replay_done();
}
END_TEST

/* ---- Mutexes ---- */

static void put_mutex(struct mutexes *mutexes, uint32_t stream, uint64_t ticks, enum mutex_event event)
{
	const struct mutex mutex = {.event = event, .construct = 1, .kind = mutex_kind_lock, .wait_id = 0x9000};
	(void)mutexes_event(mutexes, NULL, &(struct point){.stream = stream, .ticks = ticks}, &mutex);
}

/* Twice, a task acquires a lock on stream 0 and releases it on stream 2. */
START_TEST(a_lock_that_another_thread_releases_was_held_since_the_latest_acquisition)
{
	struct mutexes mutexes = {0};
	const struct window window = {0};
	mutexes_begin(&mutexes, 3, &window);
	put_mutex(&mutexes, 0, 10, MUTEX_ACQUIRED);
	put_mutex(&mutexes, 2, 20, MUTEX_RELEASED);
	put_mutex(&mutexes, 0, 30, MUTEX_ACQUIRED);
	put_mutex(&mutexes, 2, 45, MUTEX_RELEASED);
	put_mutex(&mutexes, 1, 50, MUTEX_RELEASED); /* nobody holds it */
	mutexes_finish(&mutexes);
	ck_assert_uint_eq(mutexes.n_rows, 1);
	ck_assert_uint_eq(mutexes.rows[0].n_acquired, 2);
	ck_assert_uint_eq(mutexes.rows[0].held_ticks, 10 + 15);
	mutexes_free(&mutexes);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("graph");
	TCase *tests = tcase_create("synthetic dumps");
	tcase_add_checked_fixture(tests, replay_setup, replay_teardown);
	tcase_add_test(tests, a_taskwait_waits_for_children_only);
	tcase_add_test(tests, a_taskgroup_waits_for_descendants_but_not_for_what_was_before_it);
	tcase_add_test(tests, a_barrier_waits_by_phase_and_not_by_time);
	tcase_add_test(tests, a_cycle_of_parents_ends);
	tcase_add_loop_test(tests, all_levels_have_the_same_tasks_and_synchronisations, GRAPH_SCOPE, GRAPH_FRAGMENT + 1);
	tcase_add_test(tests, a_lock_that_another_thread_releases_was_held_since_the_latest_acquisition);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
