/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Paths of creation (builder/callpaths/), on synthetic dumps: recursion is folded, what is not known is called so, and there is
 * an end to the number of paths.
 */
#include "builder/callpaths/callpaths.h"
#include "tests/unit/replay_fixture.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static struct callpath_tree tree;
static struct callpaths callpaths;

/* Creates a task of the construct with this address. */
static uint64_t create(uint64_t counter, uint64_t parent, uint64_t codeptr)
{
	replay_put(0, EVENT_task_create, task_flags_explicit, counter, parent, codeptr);
	return id_make(0, counter);
}

static void build(void)
{
	replay_build(GRAPH_FRAGMENT);
	ck_assert_int_eq(callpath_begin(&tree, &replay_trace.model, &replay_states, NULL), 0);
	ck_assert_int_eq(callpath_finish(&tree, &replay_graph), 0);
	callpath_collect(&callpaths, &replay_trace, &tree);
}

static void done(void)
{
	callpath_free_rows(&callpaths);
	callpath_free(&tree);
	replay_done();
}

/* "2 task@0x3000 x4, ...": of each row but those of the process and the initial task its depth, name and count. */
static const char *text(void)
{
	static char text[4096];
	size_t n = 0;
	text[0] = '\0';
	for (size_t i = 1; i < callpaths.n_rows; i++) {
		const struct callpath_row *row = &callpaths.rows[i];
		ck_assert_uint_eq(callpaths.rows[row->parent].depth + 1, row->depth);
		const char *name = callpaths.frames[row->frame].name;
		if (strcmp(name, "initial") != 0)
			n += (size_t)snprintf(text + n, sizeof text - n, "%s%u %s x%lu", n > 0 ? ", " : "", (unsigned)row->depth,
					      name, (unsigned long)row->count);
	}
	return text;
}

START_TEST(a_path_goes_back_to_where_it_was)
{
	uint64_t task = replay_begin_program(1);
	for (uint64_t i = 0; i < 8; i++) /* a, b, a, b, ... each in the one before */
		task = create(3 + i, task, i % 2 == 0 ? 0x3000 : 0x3100);
	create(11, task, 0x3200); /* in a b */
	replay_end_program();
	build();
	ck_assert_str_eq(text(), "2 parallel@0x1000 x1, 3 task@0x3000 x4, 4 task@0x3100 x4, 5 task@0x3200 x1");
	done();
}
END_TEST

START_TEST(the_same_construct_has_a_row_for_each_path)
{
	uint64_t me = replay_begin_program(1);
	uint64_t first = create(3, me, 0x3000), second = create(4, me, 0x3100);
	create(5, first, 0x3200);
	create(6, second, 0x3200);
	create(7, second, 0x3200);
	create(8, me, 0x3200);
	replay_end_program();
	build();
	ck_assert_str_eq(text(), "2 parallel@0x1000 x1, 3 task@0x3000 x1, 4 task@0x3200 x1, 3 task@0x3100 x1, 4 task@0x3200 x2, "
				 "3 task@0x3200 x1");
	done();
}
END_TEST

/* Tens of thousands of tasks, each created in the one before: no stack of the machine is as deep. */
START_TEST(a_deep_recursion_takes_one_row)
{
	uint64_t task = replay_begin_program(1);
	for (uint64_t i = 0; i < 50000; i++)
		task = create(3 + i, task, 0x3000);
	replay_end_program();
	build();
	ck_assert_str_eq(text(), "2 parallel@0x1000 x1, 3 task@0x3000 x50000");
	ck_assert_uint_eq(tree.n_nodes, CALLPATH_ROOT + 4);
	done();
}
END_TEST

START_TEST(who_created_what_nobody_recorded_is_unknown)
{
	uint64_t me = replay_begin_program(1);
	create(3, 0, 0x3000);
	create(4, id_make(0, 3), 0x3100);
	create(5, me, 0x3100);
	replay_end_program();
	replay_build_said();
	ck_assert_int_eq(callpath_begin(&tree, &replay_trace.model, &replay_states, NULL), 0);
	ck_assert_int_eq(callpath_finish(&tree, &replay_graph), 0);
	callpath_collect(&callpaths, &replay_trace, &tree);
	ck_assert_str_eq(text(),
			 "2 parallel@0x1000 x1, 3 task@0x3100 x1, 1 unknown creator x0, 2 task@0x3000 x1, 3 task@0x3100 x1");
	done();
}
END_TEST

/* Where no more paths are kept, further ones are one, by construct; those that are there stay, and so does what is below the process. */
START_TEST(there_is_an_end_to_paths)
{
	replay_begin_program(1);
	replay_end_program();
	replay_build(GRAPH_FRAGMENT);
	ck_assert_int_eq(callpath_begin(&tree, &replay_trace.model, &replay_states, NULL), 0);
	tree.max_frames = tree.n_frames + 3;
	uint32_t first = callpath_step(&tree, CALLPATH_ROOT, 1), second = callpath_step(&tree, first, 2);
	ck_assert_uint_eq(tree.nodes[second].depth, 2);
	uint32_t others = callpath_step(&tree, second, 3);
	ck_assert_uint_eq(tree.nodes[others].construct, 3);
	ck_assert_uint_eq(tree.nodes[tree.nodes[others].parent].construct, CALLPATH_OTHERS);
	ck_assert_uint_eq(callpath_step(&tree, first, 3), others);
	ck_assert_uint_eq(callpath_step(&tree, others, 3), others);
	ck_assert_uint_eq(callpath_step(&tree, others, 2), callpath_step(&tree, callpath_step(&tree, first, 4), 2));
	ck_assert_uint_eq(callpath_step(&tree, first, 2), second);
	ck_assert_uint_eq(callpath_step(&tree, second, 1), first);
	ck_assert_uint_eq(tree.nodes[callpath_step(&tree, CALLPATH_ROOT, 4)].depth, 1);
	callpath_free(&tree);
	replay_done();
}
END_TEST

/* Of each construct rounded times add up to the construct's rounded time, whatever its paths. */
START_TEST(times_add_up)
{
	uint64_t me = replay_begin_program(1), counter = 3;
	for (uint64_t i = 0; i < 20; i++) {
		uint64_t around = create(counter++, me, 0x3000 + 0x10 * (i % 7)), inner = create(counter++, around, 0x4000);
		replay_now += 3 * i;
		replay_run_task(around, me);
		replay_now += 7 * i;
		replay_run_task(inner, me);
	}
	replay_end_program();
	build();
	uint64_t ticks = 0, ns = 0;
	for (uint32_t i = CALLPATH_ROOT; i < tree.n_nodes; i++)
		if (tree.nodes[i].construct < replay_trace.model.n_constructs)
			ticks += replay_trace.model.constructs[tree.nodes[i].construct].codeptr == 0x4000 ? tree.nodes[i].own_ticks
													  : 0;
	for (size_t i = 0; i < callpaths.n_rows; i++) {
		const struct callpath_row *row = &callpaths.rows[i];
		uint64_t below_ns = row->own_ns;
		for (size_t j = i + 1; j < callpaths.n_rows; j++)
			below_ns += callpaths.rows[j].parent == i ? callpaths.rows[j].total_ns : 0;
		ck_assert_uint_eq(below_ns, row->total_ns);
		ns += strcmp(callpaths.frames[row->frame].name, "task@0x4000") == 0 ? row->own_ns : 0;
	}
	ck_assert_uint_gt(ticks, 0);
	ck_assert_uint_eq(ns, dump_duration_ns(&replay_trace.dump, ticks));
	done();
}
END_TEST

/* What is executed in a worksharing construct is its own, and neither the region's nor that of one around it. */
START_TEST(time_is_that_of_the_innermost_construct)
{
	static struct progress progress;
	uint64_t me = replay_begin_program(1);
	replay_put(0, EVENT_work_begin, work_kind_single_executor, 1, me, 0x4000);
	replay_now += 190;
	replay_put(0, EVENT_work_begin, work_kind_taskloop, 1, me, 0x5000);
	replay_now += 490;
	replay_put(0, EVENT_work_end, work_kind_taskloop, 0, me, 0x5000);
	replay_now += 90;
	replay_put(0, EVENT_work_end, work_kind_single_executor, 0, me, 0x4000);
	replay_now += 40;
	replay_end_program();
	replay_build(GRAPH_TASK);
	states_free(&replay_states);
	states_begin(&replay_states, &replay_trace.model, NULL, 0);
	ck_assert_int_eq(callpath_begin(&tree, &replay_trace.model, &replay_states, NULL), 0);
	const struct visitor visitors[] = {{&states_ops, &replay_states}, {&callpath_ops, &tree}};
	ck_assert_int_eq(replay_run(&replay_trace.model, visitors, 2, &progress), 0);
	states_finish(&replay_states);
	ck_assert_int_eq(callpath_finish(&tree, NULL), 0);
	callpath_collect(&callpaths, &replay_trace, &tree);
	ck_assert_str_eq(text(), "2 parallel@0x1000 x1, 3 taskloop@0x5000 x1, 3 single@0x4000 x1");
	ck_assert_uint_eq(callpaths.rows[3].own_ns, 500);
	ck_assert_uint_eq(callpaths.rows[4].own_ns, 200 + 100);
	ck_assert_uint_eq(callpaths.rows[2].own_ns, 10 + 50);
	done();
}
END_TEST

/* "task task@0x3000 x2 200 ns, ...; 0 create 1 x2, ...": the groups and the edges between them; * on the critical path. */
static const char *graph_text(void)
{
	static char text[4096];
	size_t n = 0;
	for (size_t i = 0; i < callpaths.n_groups; i++) {
		const struct callpath_group *g = &callpaths.groups[i];
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%s%s x%lu %lu ns", n > 0 ? ", " : "",
				      callpaths.frames[g->frame].name, g->n_on_path != 0 ? "*" : "", (unsigned long)g->count,
				      (unsigned long)g->own_ns);
	}
	for (size_t i = 0; i < callpaths.n_links; i++) {
		const struct callpath_link *l = &callpaths.links[i];
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%u %s %u x%lu%s", i > 0 ? ", " : "; ", (unsigned)l->source,
				      edge_kind_name(l->kind), (unsigned)l->target, (unsigned long)l->count,
				      l->n_on_path != 0 ? "*" : "");
	}
	return text;
}

START_TEST(the_graph_has_a_node_for_each_construct_and_path)
{
	uint64_t me = replay_begin_program(1), tasks[3];
	for (unsigned i = 0; i < 3; i++)
		tasks[i] = create(3 + i, me, 0x3000);
	replay_sync_begin(0, sync_kind_taskwait, me);
	for (unsigned i = 0; i < 3; i++) {
		replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, tasks[i]);
		replay_now += 90;
		replay_put(0, EVENT_task_schedule, task_status_complete, 0, tasks[i], me);
	}
	replay_sync_end(0, sync_kind_taskwait, me);
	replay_end_program();
	build();
	ck_assert_int_eq(callpath_collect_graph(&callpaths, &replay_trace, &tree, &replay_graph, &(struct family){0}), 0);
	ck_assert_str_eq(graph_text(),
			 "initial* x1 20 ns, parallel@0x1000* x1 50 ns, task@0x3000* x3 300 ns, parallel@0x1000* x1 0 ns, "
			 "taskwait@0x2000* x1 0 ns, parallel@0x1000* x1 0 ns; 3 create 1 x1*, 1 create 2 x3*, 2 taskwait 4 x3*, "
			 "0 sequence 3 x1*, 1 sequence 4 x1, 4 sequence 1 x1*, 5 sequence 0 x1*, 1 join 5 x1*");
	done();
}
END_TEST

/* There are more constructs than the graph has room for: the smallest are one. */
START_TEST(a_large_graph_has_an_end)
{
	uint64_t me = replay_begin_program(1);
	for (uint64_t i = 0; i < CALLPATH_GROUPS_MAX; i++) {
		uint64_t task = create(3 + i, me, 0x3000 + 0x10 * i);
		replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, task);
		replay_now += i;
		replay_put(0, EVENT_task_schedule, task_status_complete, 0, task, me);
	}
	replay_end_program();
	build();
	ck_assert_int_eq(callpath_collect_graph(&callpaths, &replay_trace, &tree, &replay_graph, &(struct family){0}), 0);
	ck_assert_uint_eq(callpaths.n_groups, CALLPATH_GROUPS_MAX);
	ck_assert_int_eq(callpaths.groups[0].kind, NODE_NONE);
	uint64_t count = 0, ns = 0, n_created = 0;
	for (size_t i = 0; i < callpaths.n_groups; i++) {
		count += callpaths.groups[i].count;
		ns += callpaths.groups[i].own_ns;
	}
	for (size_t i = 0; i < callpaths.n_links; i++) {
		ck_assert_uint_lt(callpaths.links[i].source, callpaths.n_groups);
		ck_assert_uint_lt(callpaths.links[i].target, callpaths.n_groups);
		n_created += callpaths.links[i].kind == EDGE_CREATE ? callpaths.links[i].count : 0;
	}
	ck_assert_uint_eq(count, CALLPATH_GROUPS_MAX + 4); /* tasks; initial, implicit, region and its end */
	ck_assert_uint_eq(n_created, CALLPATH_GROUPS_MAX + 1);
	ck_assert_uint_eq(ns, callpaths.rows[0].total_ns);
	done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("spawn");
	TCase *tests = tcase_create("synthetic dumps");
	tcase_add_checked_fixture(tests, replay_setup, replay_teardown);
	tcase_add_test(tests, a_path_goes_back_to_where_it_was);
	tcase_add_test(tests, the_same_construct_has_a_row_for_each_path);
	tcase_add_test(tests, a_deep_recursion_takes_one_row);
	tcase_add_test(tests, who_created_what_nobody_recorded_is_unknown);
	tcase_add_test(tests, there_is_an_end_to_paths);
	tcase_add_test(tests, times_add_up);
	tcase_add_test(tests, the_graph_has_a_node_for_each_construct_and_path);
	tcase_add_test(tests, a_large_graph_has_an_end);
	tcase_add_test(tests, time_is_that_of_the_innermost_construct);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
