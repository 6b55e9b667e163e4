/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Gather, replay and graph on synthetic dumps: what each rule makes of records that no real program gives on demand.
 * Expectations follow docs/design.md sections 4 and 5.
 */
#include "builder/graph_files.h"
#include "builder/symbols.h"
#include "tests/unit/dump_writer.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char root[64], dir[128];
static struct dump_writer w;
static struct trace trace;
static struct graph graph;
static uint64_t now;

static void setup(void)
{
	strcpy(root, "/tmp/otter-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	snprintf(dir, sizeof dir, "%s/p-host-1.otter", root);
	dump_writer_init(&w, dir);
	now = 2000;
}

static void teardown(void)
{
	dump_writer_remove(dir);
	dump_writer_remove(root);
}

/* ---- Writing ---- */

static void put(uint32_t stream, unsigned kind, unsigned flags, uint64_t value, uint64_t a, uint64_t b)
{
	dump_writer_record(&w, stream, now += 10, kind, flags, value, a, b);
}

static void begin_region(uint64_t region, unsigned threads)
{
	put(0, EVENT_parallel_begin, parallel_flags_invoker_runtime | parallel_flags_team, region, threads, 0x1000);
}

static void begin_implicit(uint32_t stream, uint64_t task, uint64_t region, uint64_t threads, uint64_t index)
{
	put(stream, EVENT_implicit_task_begin, task_flags_implicit, task, id_make(0, region), threads | index << 32);
}

static void end_implicit(uint32_t stream, uint64_t task, uint64_t index)
{
	put(stream, EVENT_implicit_task_end, task_flags_implicit, 0, id_make(stream, task), index << 32);
}

static void sync_begin(uint32_t stream, unsigned kind, uint64_t task)
{
	put(stream, EVENT_sync_region_begin, kind, 0, task, 0x2000);
}

static void sync_end(uint32_t stream, unsigned kind, uint64_t task)
{
	put(stream, EVENT_sync_region_end, kind, 0, task, 0x2000);
}

/* Creates an explicit task in stream 0; returns its id. */
static uint64_t create(uint64_t counter, uint64_t parent)
{
	put(0, EVENT_task_create, task_flags_explicit, counter, parent, 0x3000);
	return id_make(0, counter);
}

static void run_task(uint64_t task, uint64_t in)
{
	put(0, EVENT_task_schedule, task_status_switch, 0, in, task);
	put(0, EVENT_task_schedule, task_status_complete, 0, task, in);
}

/* The usual frame: a root, one region, its implicit task 2 on stream 0. */
static uint64_t begin_program(unsigned threads)
{
	dump_writer_root(&w, 0, now, 1, 1);
	begin_region(2, threads);
	begin_implicit(0, 2, 2, threads, 0);
	return id_make(0, 2);
}

static void end_program(void)
{
	end_implicit(0, 2, 0);
	put(0, EVENT_parallel_end, parallel_flags_team, 2, id_make(0, 1), 0x1000);
	put(0, EVENT_implicit_task_end, task_flags_initial, 0, id_make(0, 1), UINT64_C(1) << 32);
	put(0, EVENT_thread_detach, 0, 0, 4242, 0);
}

/* ---- Reading ---- */

static void build(enum graph_level level)
{
	static struct progress progress;
	dump_writer_finish(&w);
	memset(&trace, 0, sizeof trace);
	ck_assert_int_eq(dump_open(&trace.dump, dir), 0);
	ck_assert_int_eq(model_gather(&trace.model, &trace.dump), 0);
	ck_assert_int_eq(graph_begin(&graph, &trace.model, level), 0);
	struct visitor visitor = {&graph_ops, &graph};
	ck_assert_int_eq(replay_run(&trace.model, &visitor, 1, &progress), 0);
	graph_finish(&graph);
	ck_assert_int_eq(symbols_resolve(&trace.model), 0);
}

static void done(void)
{
	graph_free(&graph);
	model_free(&trace.model);
	dump_close(&trace.dump);
}

static uint64_t count_of(const struct tally *tally, const char *name)
{
	for (unsigned i = 0; i < tally->n_rows; i++)
		if (strcmp(tally->rows[i].name, name) == 0)
			return tally->rows[i].count;
	return 0;
}

struct wanted {
	uint32_t source, target;
	enum edge_kind kind;
	unsigned n;
};

static int match(void *self, const struct edge_view *edge)
{
	struct wanted *wanted = self;
	bool is_source = wanted->source == 0 || wanted->source == edge->source;
	bool is_target = wanted->target == 0 || wanted->target == edge->target;
	wanted->n += is_source && is_target && wanted->kind == edge->kind;
	return 0;
}

/* Edges between two tasks (0: any node), by id. */
static unsigned edges(uint64_t source, uint64_t target, enum edge_kind kind)
{
	struct wanted wanted = {model_task(&trace.model, source), model_task(&trace.model, target), kind, 0};
	graph_each_edge(&graph, match, &wanted);
	return wanted.n;
}

/* ---- Dependences (OpenMP 5.1 section 2.19.11) ---- */

static uint64_t depend1(uint64_t counter, uint64_t parent, uint64_t variable, unsigned type)
{
	uint64_t task = create(counter, parent);
	dump_writer_dependences(&w, 0, now, task, 1, &variable, &type);
	return task;
}

START_TEST(readers_wait_for_the_writer_and_the_next_writer_for_them)
{
	uint64_t me = begin_program(1);
	uint64_t out = depend1(3, me, 0x10, dependence_type_out), in1 = depend1(4, me, 0x10, dependence_type_in);
	uint64_t in2 = depend1(5, me, 0x10, dependence_type_in), last = depend1(6, me, 0x10, dependence_type_inout);
	end_program();
	build(GRAPH_TASK);
	ck_assert_uint_eq(edges(out, in1, EDGE_DEPEND), 1);
	ck_assert_uint_eq(edges(out, in2, EDGE_DEPEND), 1);
	ck_assert_uint_eq(edges(in1, in2, EDGE_DEPEND), 0);
	ck_assert_uint_eq(edges(in1, last, EDGE_DEPEND), 1);
	ck_assert_uint_eq(edges(in2, last, EDGE_DEPEND), 1);
	ck_assert_uint_eq(edges(0, 0, EDGE_DEPEND), 4);
	done();
}
END_TEST

START_TEST(sets_are_unordered_within)
{
	uint64_t me = begin_program(1);
	const unsigned types[] = {dependence_type_mutexinoutset, dependence_type_inoutset};
	uint64_t first = depend1(3, me, 0x10, dependence_type_out), set[4];
	for (unsigned i = 0; i < 4; i++)
		set[i] = depend1(4 + i, me, 0x10, types[i / 2]);
	end_program();
	build(GRAPH_TASK);
	ck_assert_uint_eq(edges(first, set[0], EDGE_DEPEND) + edges(first, set[1], EDGE_DEPEND), 2);
	ck_assert_uint_eq(edges(set[0], set[1], EDGE_DEPEND) + edges(set[2], set[3], EDGE_DEPEND), 0);
	ck_assert_uint_eq(edges(set[0], set[2], EDGE_DEPEND) + edges(set[0], set[3], EDGE_DEPEND), 2);
	ck_assert_uint_eq(edges(0, 0, EDGE_DEPEND), 6);
	done();
}
END_TEST

START_TEST(a_pair_has_one_edge_however_many_addresses_it_shares)
{
	uint64_t me = begin_program(1);
	const uint64_t variables[] = {0x10, 0x20, 0x30, 0x40, 0x50};
	const unsigned outs[] = {2, 2, 2, 2, 2}, ins[] = {1, 1, 1, 1, 1};
	uint64_t a = create(3, me);
	dump_writer_dependences(&w, 0, now, a, 5, variables, outs);
	uint64_t b = create(4, me);
	dump_writer_dependences(&w, 0, now, b, 5, variables, ins);
	end_program();
	build(GRAPH_TASK);
	ck_assert_uint_eq(edges(a, b, EDGE_DEPEND), 1);
	ck_assert_uint_eq(edges(0, 0, EDGE_DEPEND), 1);
	done();
}
END_TEST

START_TEST(in_and_out_of_one_address_in_one_list_are_an_inout)
{
	uint64_t me = begin_program(1);
	const uint64_t variables[] = {0x10, 0x10};
	const unsigned types[] = {dependence_type_in, dependence_type_out};
	uint64_t reader = depend1(3, me, 0x10, dependence_type_in), both = create(4, me);
	dump_writer_dependences(&w, 0, now, both, 2, variables, types);
	uint64_t last = depend1(5, me, 0x10, dependence_type_in);
	end_program();
	build(GRAPH_TASK);
	ck_assert_uint_eq(edges(reader, both, EDGE_DEPEND), 1);
	ck_assert_uint_eq(edges(both, last, EDGE_DEPEND), 1);
	ck_assert_uint_eq(edges(0, 0, EDGE_DEPEND), 2);
	done();
}
END_TEST

START_TEST(all_memory_conflicts_with_every_address)
{
	uint64_t me = begin_program(1);
	uint64_t a = depend1(3, me, 0x10, dependence_type_in), b = depend1(4, me, 0x20, dependence_type_out);
	uint64_t all = depend1(5, me, 0, dependence_type_out_all_memory);
	uint64_t old = depend1(6, me, 0x10, dependence_type_in), new = depend1(7, me, 0x30, dependence_type_in);
	end_program();
	build(GRAPH_TASK);
	ck_assert_uint_eq(edges(a, all, EDGE_DEPEND) + edges(b, all, EDGE_DEPEND), 2);
	ck_assert_uint_eq(edges(all, old, EDGE_DEPEND) + edges(all, new, EDGE_DEPEND), 2);
	ck_assert_uint_eq(edges(0, 0, EDGE_DEPEND), 4);
	done();
}
END_TEST

START_TEST(only_siblings_depend)
{
	uint64_t me = begin_program(1);
	uint64_t a = depend1(3, me, 0x10, dependence_type_out);
	put(0, EVENT_task_schedule, task_status_switch, 0, me, a);
	depend1(4, a, 0x10, dependence_type_in);
	put(0, EVENT_task_schedule, task_status_complete, 0, a, me);
	end_program();
	build(GRAPH_TASK);
	ck_assert_uint_eq(edges(0, 0, EDGE_DEPEND), 0);
	done();
}
END_TEST

START_TEST(a_cut_list_is_skipped_and_counted)
{
	uint64_t me = begin_program(1);
	uint64_t a = create(3, me);
	put(0, EVENT_dependences, dependence_type_in, 5, a, 0x10); /* four more are announced and missing */
	run_task(a, me);
	end_program();
	build(GRAPH_TASK);
	ck_assert_uint_eq(count_of(&trace.model.repairs, "cut_dependence_list"), 1);
	ck_assert_uint_eq(edges(0, 0, EDGE_DEPEND), 0);
	done();
}
END_TEST

/* ---- Who waits (section 5 of docs/design.md) ---- */

START_TEST(a_taskwait_waits_for_children_only)
{
	uint64_t me = begin_program(1);
	uint64_t child = create(3, me);
	put(0, EVENT_task_schedule, task_status_switch, 0, me, child);
	uint64_t grandchild = create(4, child);
	put(0, EVENT_task_schedule, task_status_complete, 0, child, me);
	sync_begin(0, sync_kind_taskwait, me);
	sync_end(0, sync_kind_taskwait, me);
	sync_begin(0, sync_kind_barrier_explicit, me);
	run_task(grandchild, me);
	sync_end(0, sync_kind_barrier_explicit, me);
	end_program();
	build(GRAPH_TASK);
	ck_assert_uint_eq(edges(child, 0, EDGE_TASKWAIT), 1);
	ck_assert_uint_eq(edges(grandchild, 0, EDGE_TASKWAIT), 0);
	ck_assert_uint_eq(edges(grandchild, 0, EDGE_BARRIER), 1);
	done();
}
END_TEST

START_TEST(a_taskgroup_waits_for_descendants_but_not_for_what_was_before_it)
{
	uint64_t me = begin_program(1);
	uint64_t before = create(3, me);
	sync_begin(0, sync_kind_taskgroup, me);
	uint64_t child = create(4, me);
	put(0, EVENT_task_schedule, task_status_switch, 0, me, child);
	uint64_t grandchild = create(5, child);
	put(0, EVENT_task_schedule, task_status_complete, 0, child, me);
	run_task(grandchild, me);
	sync_end(0, sync_kind_taskgroup, me);
	run_task(before, me);
	end_program();
	build(GRAPH_TASK);
	ck_assert_uint_eq(edges(child, 0, EDGE_TASKGROUP), 1);
	ck_assert_uint_eq(edges(grandchild, 0, EDGE_TASKGROUP), 1);
	ck_assert_uint_eq(edges(before, 0, EDGE_TASKGROUP), 0);
	ck_assert_uint_eq(edges(before, 0, EDGE_BARRIER), 1); /* the join */
	done();
}
END_TEST

START_TEST(a_barrier_waits_by_phase_and_not_by_time)
{
	/* Thread 1 is already behind the barrier and creates a task before the records of thread 0's barrier come. */
	uint64_t me = begin_program(2), other = id_make(1, 1);
	begin_implicit(1, 1, 2, 2, 1);
	sync_begin(1, sync_kind_barrier_explicit, other);
	sync_end(1, sync_kind_barrier_explicit, other);
	put(1, EVENT_task_create, task_flags_explicit, 2, other, 0x3000);
	uint64_t early = id_make(1, 2), mine = create(3, me);
	sync_begin(0, sync_kind_barrier_explicit, me);
	run_task(mine, me);
	sync_end(0, sync_kind_barrier_explicit, me);
	sync_begin(0, sync_kind_barrier_implicit_parallel, me);
	run_task(early, me);
	sync_begin(1, sync_kind_barrier_implicit_parallel, other);
	sync_end(0, sync_kind_barrier_implicit_parallel, me);
	end_program();
	sync_end(1, sync_kind_barrier_implicit_parallel, other);
	end_implicit(1, 1, 1);
	build(GRAPH_TASK);
	enum edge_kind kind = EDGE_CREATE;
	struct node_view of_mine = graph_node(&graph, graph_joiner(&graph, model_task(&trace.model, mine), &kind));
	ck_assert_int_eq(of_mine.kind, NODE_BARRIER);
	struct node_view of_early = graph_node(&graph, graph_joiner(&graph, model_task(&trace.model, early), &kind));
	ck_assert_int_eq(of_early.kind, NODE_JOIN);
	done();
}
END_TEST

/* ---- Quirks and repairs (section 4) ---- */

static uint64_t last_end; /* of stream 1's implicit tasks */

static int watch_end(void *self, const struct point *at, uint32_t task)
{
	(void)self;
	(void)task;
	if (at->stream == 1)
		last_end = at->ticks;
	return 0;
}

static const struct replay_ops watch_ends = {.implicit_end = watch_end};

/* A program whose worker, task 1 of stream 1, is in the closing barrier and has not reported its end. When the team joined. */
static uint64_t leave_worker_behind(void)
{
	uint64_t me = begin_program(2), other = id_make(1, 1);
	put(1, EVENT_thread_attach, 0, 0, 4243, 0);
	begin_implicit(1, 1, 2, 2, 1);
	sync_begin(1, sync_kind_barrier_implicit_parallel, other);
	sync_begin(0, sync_kind_barrier_implicit_parallel, me);
	sync_end(0, sync_kind_barrier_implicit_parallel, me);
	uint64_t join = now;
	end_program();
	return join;
}

/* When the replay lets that worker end. */
static uint64_t replayed_worker_end(void)
{
	static struct progress progress;
	struct visitor visitor = {&watch_ends, NULL};
	last_end = 0;
	ck_assert_int_eq(replay_run(&trace.model, &visitor, 1, &progress), 0);
	return last_end;
}

START_TEST(a_late_worker_ends_at_the_join)
{
	uint64_t join = leave_worker_behind(), other = id_make(1, 1);
	now += 1000000;
	sync_end(1, sync_kind_barrier_implicit_parallel, other);
	end_implicit(1, 1, 1);
	build(GRAPH_TASK);
	ck_assert_uint_eq(trace.model.tasks[model_task(&trace.model, other)].end_ticks, join);
	ck_assert_uint_eq(count_of(&trace.model.quirks, "late_worker_end"), 1);
	ck_assert_uint_eq(tally_total(&trace.model.repairs), 0);
	done();
}
END_TEST

START_TEST(a_single_without_end_is_closed_by_the_barrier)
{
	uint64_t me = begin_program(1);
	put(0, EVENT_work_begin, work_kind_single_executor, 0, 1, 0x4000);
	sync_begin(0, sync_kind_barrier_implementation, me);
	sync_end(0, sync_kind_barrier_implementation, me);
	end_program();
	build(GRAPH_SCOPE);
	ck_assert_uint_eq(count_of(&trace.model.quirks, "work_without_end"), 1);
	ck_assert_uint_eq(tally_total(&trace.model.repairs), 0);
	done();
}
END_TEST

START_TEST(other_runtimes_get_no_special_rules)
{
	w.runtime = "Some other runtime 1.0";
	begin_program(1);
	put(0, EVENT_work_begin, work_kind_single_executor, 0, 1, 0x4000);
	end_program();
	build(GRAPH_TASK);
	ck_assert_uint_eq(tally_total(&trace.model.quirks), 0);
	ck_assert_uint_eq(tally_total(&trace.model.repairs), 1);
	done();
}
END_TEST

START_TEST(a_discarded_task_completes_without_having_run)
{
	uint64_t me = begin_program(1);
	uint64_t task = create(3, me);
	put(0, EVENT_cancel, cancel_flags_taskgroup | cancel_flags_discarded_task, 0, task, 0);
	put(0, EVENT_task_schedule, task_status_cancel, 0, task, me);
	end_program();
	build(GRAPH_TASK);
	unsigned state = trace.model.tasks[model_task(&trace.model, task)].state;
	ck_assert_uint_eq(state & (TASK_CANCELLED | TASK_COMPLETED | TASK_STARTED), TASK_CANCELLED | TASK_COMPLETED);
	ck_assert_uint_eq(tally_total(&trace.model.repairs), 0);
	done();
}
END_TEST

START_TEST(what_a_killed_process_left_open_is_closed_and_counted)
{
	w.is_killed = true;
	w.streams[0].is_live = true;
	uint64_t me = begin_program(1);
	uint64_t task = create(3, me);
	sync_begin(0, sync_kind_taskwait, me);
	put(0, EVENT_task_schedule, task_status_switch, 0, me, task);
	build(GRAPH_TASK);
	ck_assert_uint_eq(count_of(&trace.model.repairs, "task_without_end"), 1);
	ck_assert_uint_eq(count_of(&trace.model.repairs, "scope_open_at_end"), 1);
	ck_assert_uint_eq(count_of(&trace.model.repairs, "implicit_task_without_end"), 2);
	ck_assert(!trace.dump.is_complete);
	done();
}
END_TEST

START_TEST(a_late_worker_that_writes_a_segment_out_ends_at_the_join_too)
{
	uint64_t join = leave_worker_behind(), other = id_make(1, 1);
	now += 1000000;
	sync_end(1, sync_kind_barrier_implicit_parallel, other);
	put(1, EVENT_buffer_flush, 0, 4096, now + 100, 0);
	end_implicit(1, 1, 1);
	build(GRAPH_TASK);
	ck_assert_uint_eq(replayed_worker_end(), join);
	done();
}
END_TEST

START_TEST(a_worker_whose_end_is_missing_ends_at_the_join)
{
	w.is_killed = true;
	w.streams[1].is_live = true;
	uint64_t join = leave_worker_behind();
	build(GRAPH_TASK);
	ck_assert_uint_eq(replayed_worker_end(), join);
	done();
}
END_TEST

START_TEST(a_cycle_of_parents_ends)
{
	begin_program(1);
	create(3, id_make(0, 4));
	create(4, id_make(0, 3));
	end_program();
	build(GRAPH_TASK);
	struct graphs graphs = {&trace, &graph, 1};
	FILE *null = fopen("/dev/null", "w");
	ck_assert_int_eq(graph_canonical(&graphs, null), 0);
	fclose(null);
	done();
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
	uint64_t me = begin_program(1);
	put(0, EVENT_work_begin, work_kind_single_executor, 0, 1, 0x4000);
	uint64_t task = create(3, me);
	sync_begin(0, sync_kind_taskwait, me);
	run_task(task, me);
	sync_end(0, sync_kind_taskwait, me);
	put(0, EVENT_work_end, work_kind_single_executor, 0, 1, 0x4000);
	end_program();
	build((enum graph_level)_i);
	struct level_counts counts = {0};
	graph_each_node(&graph, count_node, &counts);
	counts.creates = edges(0, 0, EDGE_CREATE);
	ck_assert_uint_eq(counts.n_tasks, 3); /* initial, implicit, explicit */
	ck_assert_uint_eq(counts.n_syncs, 3); /* region, taskwait, join */
	ck_assert_uint_eq(counts.creates, 2);
	ck_assert_uint_eq(counts.n_others, _i == GRAPH_TASK ? 0 : _i == GRAPH_SCOPE ? 2 : 3);
	done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("replay");
	TCase *tests = tcase_create("synthetic dumps");
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, readers_wait_for_the_writer_and_the_next_writer_for_them);
	tcase_add_test(tests, sets_are_unordered_within);
	tcase_add_test(tests, a_pair_has_one_edge_however_many_addresses_it_shares);
	tcase_add_test(tests, in_and_out_of_one_address_in_one_list_are_an_inout);
	tcase_add_test(tests, all_memory_conflicts_with_every_address);
	tcase_add_test(tests, only_siblings_depend);
	tcase_add_test(tests, a_cut_list_is_skipped_and_counted);
	tcase_add_test(tests, a_taskwait_waits_for_children_only);
	tcase_add_test(tests, a_taskgroup_waits_for_descendants_but_not_for_what_was_before_it);
	tcase_add_test(tests, a_barrier_waits_by_phase_and_not_by_time);
	tcase_add_test(tests, a_late_worker_ends_at_the_join);
	tcase_add_test(tests, a_single_without_end_is_closed_by_the_barrier);
	tcase_add_test(tests, other_runtimes_get_no_special_rules);
	tcase_add_test(tests, a_discarded_task_completes_without_having_run);
	tcase_add_test(tests, what_a_killed_process_left_open_is_closed_and_counted);
	tcase_add_test(tests, a_late_worker_that_writes_a_segment_out_ends_at_the_join_too);
	tcase_add_test(tests, a_worker_whose_end_is_missing_ends_at_the_join);
	tcase_add_test(tests, a_cycle_of_parents_ends);
	tcase_add_loop_test(tests, all_levels_have_the_same_tasks_and_synchronisations, GRAPH_SCOPE, GRAPH_FRAGMENT + 1);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
