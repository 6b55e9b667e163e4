/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Work, span and the critical path of synthetic programs, whose times are chosen and whose paths are worked out by hand. Ticks are ns; every
 * record is 10 behind the one before it, and later where the test says so.
 */
#include "builder/graph_path.h"
#include "tests/unit/replay_fixture.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

/* The next record comes n ticks behind the last one. */
static void pass(uint64_t n)
{
	replay_now += n - 10;
}

static void switch_task(uint32_t stream, unsigned status, uint64_t prior, uint64_t next)
{
	replay_put(stream, EVENT_task_schedule, status, 0, prior, next);
}

/* Runs a task that executes n ticks; 10 are between, in the task that it runs in. */
static void run_for(uint64_t task, uint64_t in, uint64_t n)
{
	switch_task(0, task_status_switch, in, task);
	pass(n);
	switch_task(0, task_status_complete, task, in);
}

static uint64_t depend(uint64_t counter, uint64_t parent, unsigned type)
{
	const uint64_t variable = 0x10;
	uint64_t task = replay_create(counter, parent);
	dump_writer_dependences(&replay_writer, 0, replay_now, task, 1, &variable, &type);
	return task;
}

/* "initial 30, region 0, ..." */
static const char *path_text(void)
{
	static char text[4096];
	const struct path *path = replay_graph.path;
	size_t n = 0;
	text[0] = '\0';
	for (uint32_t i = 0; i < path->n_nodes; i++) {
		struct node_view node = graph_node(&replay_graph, path->nodes[i]);
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %lu", i > 0 ? ", " : "", node_kind_name(node.kind),
				      (unsigned long)path_node_ns(&replay_trace.dump, &node));
	}
	return text;
}

/* What holds of any path: it follows edges, its nodes add up to the span, and the work is not less. */
static int see_edge(void *self, const struct edge_view *edge)
{
	uint32_t *n = self;
	*n += path_has_edge(&replay_graph, edge->source, edge->target);
	return 0;
}

static void build(void)
{
	uint64_t ns = 0;
	uint32_t n_edges = 0;
	replay_build(GRAPH_FRAGMENT);
	const struct path *path = replay_graph.path;
	ck_assert_ptr_nonnull(path);
	for (uint32_t i = 0; i < path->n_nodes; i++) {
		struct node_view node = graph_node(&replay_graph, path->nodes[i]);
		ck_assert_uint_eq(path_place(&replay_graph, node.id), i + 1);
		ns += path_node_ns(&replay_trace.dump, &node);
	}
	graph_each_edge(&replay_graph, see_edge, &n_edges);
	ck_assert_uint_eq(ns, path->span_ns);
	ck_assert_uint_le(path->span_ns, path->work_ns);
	ck_assert_uint_eq(n_edges, path->n_nodes > 0 ? path->n_nodes - 1 : 0);
}

static void ck_assert_path(const char *wanted, uint64_t work_ns)
{
	ck_assert_int_eq(replay_graph.path->bound, PATH_EXACT);
	ck_assert_uint_eq(replay_graph.path->reasons, 0);
	ck_assert_str_eq(path_text(), wanted);
	ck_assert_uint_eq(replay_graph.path->work_ns, work_ns);
}

/* Around what a test puts in: the initial task executes 10 before the region, the implicit task's begin, and 10 behind it. */
#define BEFORE "initial 10, region 0, "
#define BEHIND "join 0, fragment 10"

/* ---- The order of fragments ---- */

START_TEST(what_is_created_hangs_on_the_middle_of_its_parent)
{
	/* The first task is the longer one, the second one is created late: 60 + 700 against 60 + 1000 + 300. */
	uint64_t me = replay_begin_program(1);
	pass(60);
	uint64_t first = replay_create(3, me);
	pass(1000);
	uint64_t second = replay_create(4, me);
	pass(50);
	replay_sync_begin(0, sync_kind_taskwait, me);
	run_for(first, me, 700);
	run_for(second, me, 300);
	replay_sync_end(0, sync_kind_taskwait, me);
	pass(20);
	replay_end_program();
	build();
	ck_assert_path(BEFORE "implicit 60, fragment 1000, task 300, taskwait 0, fragment 20, " BEHIND,
		       10 + 60 + 1000 + 50 + 700 + 300 + 20 + 10);
	replay_done();
}
END_TEST

START_TEST(a_chain_of_dependences_is_on_it_and_its_neighbours_are_not)
{
	uint64_t me = replay_begin_program(1), chain[3], other[3];
	for (unsigned i = 0; i < 3; i++) {
		chain[i] = depend(3 + 2 * i, me, dependence_type_inout);
		other[i] = replay_create(4 + 2 * i, me);
	}
	replay_sync_begin(0, sync_kind_taskwait, me);
	for (unsigned i = 0; i < 3; i++) {
		run_for(other[i], me, 250);
		run_for(chain[i], me, 100);
	}
	replay_sync_end(0, sync_kind_taskwait, me);
	replay_end_program();
	build();
	ck_assert_path(BEFORE "implicit 10, task 100, task 100, task 100, taskwait 0, fragment 10, " BEHIND,
		       10 + 6 * 10 + 10 + 3 * 250 + 3 * 100 + 10 + 10);
	replay_done();
}
END_TEST

START_TEST(exclusion_is_no_order)
{
	uint64_t me = replay_begin_program(1);
	uint64_t first = depend(3, me, dependence_type_mutexinoutset), second = depend(4, me, dependence_type_mutexinoutset);
	replay_sync_begin(0, sync_kind_taskwait, me);
	run_for(first, me, 100);
	run_for(second, me, 200);
	replay_sync_end(0, sync_kind_taskwait, me);
	replay_end_program();
	build();
	ck_assert_path(BEFORE "implicit 10, fragment 10, task 200, taskwait 0, fragment 10, " BEHIND,
		       10 + 10 + 10 + 10 + 100 + 200 + 10 + 10);
	replay_done();
}
END_TEST

START_TEST(of_two_equally_long_ones_the_lower_numbered_is_taken)
{
	uint64_t me = replay_begin_program(1);
	pass(60);
	uint64_t first = replay_create(3, me), second = replay_create(4, me);
	replay_sync_begin(0, sync_kind_taskwait, me);
	run_for(second, me, 200);
	run_for(first, me, 210); /* created 10 earlier */
	replay_sync_end(0, sync_kind_taskwait, me);
	replay_end_program();
	build();
	ck_assert_path(BEFORE "implicit 60, task 210, taskwait 0, fragment 10, " BEHIND, 10 + 60 + 10 + 10 + 200 + 210 + 10 + 10);
	replay_done();
}
END_TEST

/* Two threads: a barrier joins what both did, and the later phase begins behind it. */
START_TEST(a_barrier_joins_the_longer_ways)
{
	uint64_t me = replay_begin_program(2), worker = id_make(1, 1);
	dump_writer_record(&replay_writer, 1, replay_now, EVENT_thread_attach, 0, 0, 1001, 0);
	replay_begin_implicit(1, 1, 2, 2, 1);
	pass(100); /* of both: the first one began 10 earlier */
	replay_sync_begin(0, sync_kind_barrier_explicit, me);
	pass(400);
	replay_sync_begin(1, sync_kind_barrier_explicit, worker);
	replay_sync_end(1, sync_kind_barrier_explicit, worker);
	replay_sync_end(0, sync_kind_barrier_explicit, me);
	pass(300);
	replay_sync_begin(0, sync_kind_barrier_implicit_parallel, me);
	replay_sync_begin(1, sync_kind_barrier_implicit_parallel, worker);
	replay_sync_end(0, sync_kind_barrier_implicit_parallel, me);
	replay_sync_end(1, sync_kind_barrier_implicit_parallel, worker);
	replay_end_implicit(1, 1, 1);
	replay_end_program();
	build();
	ck_assert_path(BEFORE "implicit 500, barrier 0, fragment 320, " BEHIND, 10 + 110 + 500 + 300 + 320 + 10);
	replay_done();
}
END_TEST

/* ---- What is executed, and what is not ---- */

START_TEST(who_waits_executes_nothing)
{
	uint64_t me = replay_begin_program(1);
	uint64_t first = replay_create(3, me);
	replay_sync_begin(0, sync_kind_taskwait, me);
	pass(5000);
	run_for(first, me, 100);
	pass(5000);
	replay_sync_end(0, sync_kind_taskwait, me);
	uint64_t second = replay_create(4, me);
	pass(30);
	replay_sync_begin(0, sync_kind_barrier_implicit_parallel, me);
	pass(5000);
	run_for(second, me, 100);
	pass(5000);
	replay_sync_end(0, sync_kind_barrier_implicit_parallel, me);
	replay_end_program();
	build();
	ck_assert_path(BEFORE "implicit 10, task 100, taskwait 0, fragment 10, task 100, " BEHIND,
		       10 + 10 + 10 + 100 + 10 + 30 + 100 + 10);
	replay_done();
}
END_TEST

START_TEST(a_wait_with_dependences_is_over_when_it_is_complete)
{
	uint64_t me = replay_begin_program(1), task = depend(3, me, dependence_type_out), dummy = id_make(0, 4);
	const uint64_t variable = 0x10;
	const unsigned type = dependence_type_in;
	replay_put(0, EVENT_task_create, task_flags_taskwait | task_flags_undeferred, 4, me, 0x3000);
	dump_writer_dependences(&replay_writer, 0, replay_now, dummy, 1, &variable, &type);
	pass(5000);
	run_for(task, me, 100);
	pass(5000);
	switch_task(0, task_status_taskwait_complete, dummy, 0);
	pass(40);
	replay_end_program();
	build();
	ck_assert_path(BEFORE "implicit 10, task 100, taskwait 0, fragment 40, " BEHIND, 10 + 10 + 10 + 100 + 40 + 10);
	replay_done();
}
END_TEST

/* _i: is it recorded since when the task waits at the group's end? */
START_TEST(the_end_of_a_taskgroup_is_waiting)
{
	uint64_t me = replay_begin_program(1);
	replay_sync_begin(0, sync_kind_taskgroup, me);
	pass(30);
	uint64_t task = replay_create(3, me);
	pass(500); /* without the record nobody knows that this is not waiting */
	if (_i == 1)
		replay_put(0, EVENT_sync_region_wait_begin, sync_kind_taskgroup, 0, me, 0x2000);
	run_for(task, me, 100);
	pass(5000);
	if (_i == 1)
		replay_put(0, EVENT_sync_region_wait_end, sync_kind_taskgroup, 0, me, 0x2000);
	replay_sync_end(0, sync_kind_taskgroup, me);
	pass(40);
	replay_end_program();
	build();
	if (_i == 1) {
		ck_assert_path(BEFORE "implicit 40, fragment 510, taskgroup 0, fragment 40, " BEHIND,
			       10 + 40 + 510 + 100 + 40 + 10);
	} else {
		ck_assert_int_eq(replay_graph.path->bound, PATH_LOWER);
		ck_assert_uint_eq(replay_graph.path->reasons, PATH_GROUP_WAITS);
		ck_assert_str_eq(path_text(), BEFORE "implicit 40, task 100, taskgroup 0, fragment 40, " BEHIND);
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
	pass(20);
	replay_put(0, EVENT_mutex_acquire, kind, 0, 0x100, 0x5000);
	pass(700);
	replay_put(0, EVENT_mutex_acquired, kind, 0, 0x100, 0x5000);
	pass(30);
	replay_put(0, EVENT_mutex_released, kind, 0, 0x100, 0x5000);
	pass(40);
	replay_end_program();
	build();
	uint64_t executed_ns = 20 + 30 + 40 + (mutexes[_i].waits ? 0 : 700);
	ck_assert_uint_eq(replay_graph.path->span_ns, 10 + executed_ns + 10);
	ck_assert_uint_eq(replay_graph.path->work_ns, 10 + executed_ns + 10);
	ck_assert_int_eq(replay_graph.path->bound, PATH_EXACT);
	replay_done();
}
END_TEST

/* ---- Where it is not whole ---- */

START_TEST(a_pause_does_not_count_and_makes_it_a_lower_bound)
{
	uint64_t me = replay_begin_program(1);
	pass(20);
	replay_put(0, EVENT_recording_off, off_reason_paused, 0, 0, 0);
	pass(700);
	replay_put(0, EVENT_recording_on, 0, 0, me, id_make(0, 2));
	pass(30);
	replay_end_program();
	build();
	ck_assert_int_eq(replay_graph.path->bound, PATH_LOWER);
	ck_assert_uint_eq(replay_graph.path->reasons, PATH_PAUSED);
	ck_assert_str_eq(path_text(), BEFORE "implicit 50, " BEHIND);
	replay_done();
}
END_TEST

START_TEST(a_gap_does_not_count_and_makes_it_a_lower_bound)
{
	uint64_t me = replay_begin_program(1);
	pass(20);
	uint64_t task = replay_create(3, me);
	replay_now += 3000;
	replay_put(0, EVENT_records_lost, loss_cause_full, 0, 7, 0);
	switch_task(0, task_status_switch, me, task);
	pass(100);
	switch_task(0, task_status_complete, task, me);
	build();
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
	pass(20);
	replay_put(0, EVENT_mutex_acquire, mutex_kind_lock, 0, 0x100, 0x5000);
	dump_writer_root(&replay_writer, 1, replay_now + 5000, 1, 1); /* another thread lives on */
	build();
	ck_assert_int_eq(replay_graph.path->bound, PATH_LOWER);
	ck_assert(replay_graph.path->reasons & PATH_RECORDS_MISSING);
	ck_assert_uint_eq(replay_graph.path->span_ns, 10 + 20);
	replay_done();
}
END_TEST

START_TEST(contradictions_leave_it_out)
{
	uint64_t me = replay_begin_program(1), task = replay_create(3, me);
	replay_sync_begin(0, sync_kind_taskwait, me);
	run_for(task, me, 100);
	run_for(task, me, 100); /* once more */
	replay_sync_end(0, sync_kind_taskwait, me);
	replay_end_program();
	build();
	ck_assert_int_eq(replay_graph.path->bound, PATH_UNKNOWN);
	ck_assert(replay_graph.path->reasons & PATH_CONTRADICTION);
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
	build();
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
	tcase_add_test(tests, a_pause_does_not_count_and_makes_it_a_lower_bound);
	tcase_add_test(tests, a_gap_does_not_count_and_makes_it_a_lower_bound);
	tcase_add_test(tests, who_was_killed_while_it_waited_had_not_executed_that);
	tcase_add_test(tests, contradictions_leave_it_out);
	tcase_add_loop_test(tests, events_that_were_left_out_leave_it_out, 0, sizeof events / sizeof *events);
	tcase_add_loop_test(tests, other_levels_have_none, 0, 2);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
