/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What LLVM's runtime does differently with tasks, on synthetic dumps: untied parts without end, waits with dependences. The records are
 * those of real programs, cut down to what matters.
 */
#include "builder/graph/shared.h"
#include "tests/unit/replay_fixture.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static uint64_t quirk(const char *name)
{
	return replay_count_of(&replay_trace.model.notes->quirks, name);
}

/* ---- Untied tasks ---- */

static uint64_t completed_ticks, completed_stream, completions;

static int watch_completion(void *self, const struct point *at, uint32_t prior, uint32_t next, unsigned status)
{
	const uint32_t *task = self;
	(void)next;
	if (prior == *task && status == task_status_complete) {
		completed_ticks = at->ticks;
		completed_stream = at->stream;
		completions++;
	}
	return 0;
}

static const struct replay_ops watch_completions = {.task_switch = watch_completion};

/*
 * An untied task's first part on stream 0, its last one on stream 1, whose end nobody reports; stream 0 reports the completion, before
 * (_i: 0) or after stream 1 shows its implicit task again.
 */
START_TEST(an_untied_part_without_end_ends_where_it_ran)
{
	uint64_t me = replay_begin_program(2), other = id_make(1, 1);
	replay_begin_implicit(1, 1, 2, 2, 1);
	replay_put(0, EVENT_task_create, task_flags_explicit | task_flags_untied, 3, me, 0x3000);
	uint64_t task = id_make(0, 3), child = id_make(0, 4);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, task);
	replay_create(4, task);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, task, me);
	replay_sync_begin(0, sync_kind_barrier_implicit_parallel, me);
	replay_sync_begin(1, sync_kind_barrier_implicit_parallel, other);
	replay_put(1, EVENT_task_schedule, task_status_switch, 0, other, task);
	uint64_t expected = replay_now + 10;
	for (int i = 0; i < 2; i++)
		if (i == _i)
			replay_put(0, EVENT_task_schedule, task_status_complete, 0, task, me);
		else
			replay_put(1, EVENT_task_schedule, task_status_switch, 0, other, child);
	replay_put(1, EVENT_task_schedule, task_status_complete, 0, child, other);
	replay_sync_end(0, sync_kind_barrier_implicit_parallel, me);
	replay_end_program();
	replay_sync_end(1, sync_kind_barrier_implicit_parallel, other);
	replay_end_implicit(1, 1, 1);
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(quirk("untied_part_without_end"), 1);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	ck_assert_uint_eq(replay_edges(task, child, EDGE_CREATE), 1);
	ck_assert_uint_eq(replay_edges(task, 0, EDGE_BARRIER) + replay_edges(child, 0, EDGE_BARRIER), 2);

	static struct progress progress;
	uint32_t row = model_task(&replay_trace.model, task);
	struct visitor visitor = {&watch_completions, &row};
	completions = 0;
	ck_assert_int_eq(replay_run(&replay_trace.model, &visitor, 1, &progress), 0);
	ck_assert_uint_eq(completions, 1);
	ck_assert_uint_eq(completed_stream, 1);
	ck_assert_uint_eq(completed_ticks, expected);
	replay_done();
}
END_TEST

/* Another thread reports the completion, and the task is suspended: the record that it went on is missing. It completes, and is over once. */
START_TEST(a_suspended_task_is_completed_by_another_thread)
{
	uint64_t me = replay_begin_program(2), other = id_make(1, 1);
	replay_begin_implicit(1, 1, 2, 2, 1);
	replay_put(0, EVENT_task_create, task_flags_explicit | task_flags_untied, 3, me, 0x3000);
	uint64_t task = id_make(0, 3);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, task);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, task, me);
	replay_sync_begin(0, sync_kind_barrier_implicit_parallel, me);
	replay_sync_begin(1, sync_kind_barrier_implicit_parallel, other);
	replay_put(1, EVENT_task_schedule, task_status_switch, 0, other, task);
	replay_put(1, EVENT_task_schedule, task_status_switch, 0, task, other);
	replay_put(0, EVENT_task_schedule, task_status_complete, 0, task, me);
	uint64_t expected = replay_now;
	replay_sync_end(0, sync_kind_barrier_implicit_parallel, me);
	replay_end_program();
	replay_sync_end(1, sync_kind_barrier_implicit_parallel, other);
	replay_end_implicit(1, 1, 1);
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(quirk("untied_part_without_end"), 0);
	ck_assert_uint_eq(replay_count_of(&replay_trace.model.notes->repairs, "switch_from_another_task"), 1);
	ck_assert_uint_eq(replay_n_repairs(), 1);

	static struct progress progress;
	uint32_t row = model_task(&replay_trace.model, task);
	struct visitor visitor = {&watch_completions, &row};
	completions = 0;
	ck_assert_int_eq(replay_run(&replay_trace.model, &visitor, 1, &progress), 0);
	ck_assert_uint_eq(completions, 1);
	ck_assert_uint_eq(completed_ticks, expected);
	replay_done();
}
END_TEST

static size_t switches_away, ends;

static int watch_cancel(void *sink, const struct point *at, uint32_t prior, uint32_t next, unsigned status)
{
	const uint32_t *task = sink;
	(void)at;
	(void)next;
	switches_away += prior == *task && status == task_status_switch;
	ends += prior == *task && status == task_status_cancel;
	return 0;
}

static const struct replay_ops watch_cancels = {.task_switch = watch_cancel};

/*
 * A part of an untied task ends in a cancelled taskgroup, and the rest of it is cancelled on the other thread (_i: 0), or on the same
 * one, as the task of another thread (_i: 1). A tied task (_i: 2) cannot be cancelled twice.
 */
START_TEST(an_untied_part_may_end_by_a_cancel)
{
	uint64_t me = replay_begin_program(2), other = id_make(1, 1), task = id_make(1, 2);
	replay_begin_implicit(1, 1, 2, 2, 1);
	replay_put(1, EVENT_task_create, task_flags_explicit | (_i < 2 ? task_flags_untied : 0), 2, other, 0x3000);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, task);
	replay_put(0, EVENT_task_schedule, task_status_cancel, 0, task, me);
	replay_put(_i == 0, EVENT_task_schedule, task_status_cancel, 0, task, _i == 0 ? other : me);
	uint64_t ended = replay_now;
	replay_end_program();
	replay_end_implicit(1, 1, 1);
	replay_build(GRAPH_TASK);
	uint32_t row = model_task(&replay_trace.model, task);
	bool is_contradictory = replay_trace.model.tasks[row].state & TASK_CONTRADICTORY;
	ck_assert(is_contradictory == (_i == 2));
	ck_assert_uint_eq(quirk("part_cancelled"), _i < 2);
	if (_i < 2) {
		ck_assert_uint_eq(replay_n_repairs(), 0);
		ck_assert_uint_eq(replay_trace.model.tasks[row].end_ticks, ended);
		static struct progress progress;
		struct visitor visitor = {&watch_cancels, &row};
		switches_away = ends = 0;
		ck_assert_int_eq(replay_run(&replay_trace.model, &visitor, 1, &progress), 0);
		ck_assert_uint_eq(switches_away, 1);
		ck_assert_uint_eq(ends, 1);
	}
	replay_done();
}
END_TEST

/* ---- Split taskloops ---- */

/* Creates a task of a taskloop, without a return address in the program. */
static uint64_t create_chunk(uint32_t stream, uint64_t counter, uint64_t parent)
{
	replay_put(stream, EVENT_task_create, task_flags_explicit, counter, parent, 0x9000);
	return id_make(stream, counter);
}

static void run_on(uint32_t stream, uint64_t task, uint64_t in)
{
	replay_put(stream, EVENT_task_schedule, task_status_switch, 0, in, task);
	replay_put(stream, EVENT_task_schedule, task_status_complete, 0, task, in);
}

/*
 * Thread 1 encounters a taskloop. Thread 0, whose records are read first, runs the task that splits it, and that one makes another one,
 * which thread 1 runs. One of them may name another parent than the one that it has itself (_i: 1), or be untied (2).
 */
START_TEST(a_task_of_the_runtime_splits_a_taskloop)
{
	replay_writer.more_meta = "map 9000 a000 0 - /usr/lib/libomp.so.5\n";
	uint64_t me = replay_begin_program(2), other = id_make(1, 1);
	replay_begin_implicit(1, 1, 2, 2, 1);
	replay_sync_begin(1, sync_kind_taskgroup, other);
	replay_put(1, EVENT_work_begin, work_kind_taskloop, 0, 5, 0x9000);
	replay_put(1, EVENT_task_create, task_flags_explicit | (_i == 2 ? task_flags_untied : 0), 2, _i == 1 ? me : other, 0x9000);
	uint64_t split = id_make(1, 2), low = create_chunk(1, 3, other);
	replay_put(1, EVENT_work_end, work_kind_taskloop, 0, 5, 0x9000);
	replay_sync_begin(0, sync_kind_barrier_implicit_parallel, me);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, split);
	uint64_t again = create_chunk(0, 3, other), middle = create_chunk(0, 4, other);
	replay_put(0, EVENT_task_schedule, task_status_complete, 0, split, me);
	replay_put(1, EVENT_task_schedule, task_status_switch, 0, other, again);
	uint64_t high = create_chunk(1, 4, other);
	replay_put(1, EVENT_task_schedule, task_status_complete, 0, again, other);
	run_on(0, middle, me);
	run_on(1, low, other);
	run_on(1, high, other);
	replay_sync_end(1, sync_kind_taskgroup, other);
	replay_sync_begin(1, sync_kind_barrier_implicit_parallel, other);
	replay_sync_end(0, sync_kind_barrier_implicit_parallel, me);
	replay_end_program();
	replay_sync_end(1, sync_kind_barrier_implicit_parallel, other);
	replay_end_implicit(1, 1, 1);
	replay_build(GRAPH_TASK);
	const struct model *m = &replay_trace.model;
	ck_assert_uint_eq(quirk("taskloop_split"), _i == 0 ? 2 : 1);
	ck_assert_uint_eq(replay_count_of(&m->notes->repairs, "created_by_another_task"), _i == 0 ? 0 : _i == 1 ? 3 : 2);
	if (_i == 0) {
		ck_assert_uint_eq(replay_n_repairs(), 0);
		ck_assert_uint_eq(replay_n_nodes(NODE_TASKLOOP_SPLIT), 2);
		ck_assert_uint_eq(replay_n_nodes(NODE_TASK), 3);
		ck_assert_uint_eq(replay_edges(split, again, EDGE_CREATE) + replay_edges(split, middle, EDGE_CREATE), 2);
		ck_assert_uint_eq(replay_edges(again, high, EDGE_CREATE), 1);
		ck_assert_uint_eq(replay_edges(0, 0, EDGE_TASKGROUP), 5);
		ck_assert_uint_eq(m->tasks[model_task(m, high)].parent, model_task(m, other));
		const uint32_t rows[] = {model_task(m, low), model_task(m, middle), model_task(m, high)};
		for (unsigned i = 0; i < 3; i++)
			for (unsigned j = 0; j < 3; j++)
				ck_assert_int_eq(graph_compare_siblings(&replay_graph, rows[i], rows[j]), (i > j) - (i < j));
	}
	replay_done();
}
END_TEST

/*
 * The last part of an untied task that a stream read later created has ended without a record, and the implicit task below it creates
 * tasks: that is no split taskloop, and the part ended when the first of them was created.
 */
START_TEST(an_untied_part_has_ended_when_the_task_below_it_creates)
{
	uint64_t me = replay_begin_program(2), other = id_make(1, 1), task = id_make(1, 2);
	replay_begin_implicit(1, 1, 2, 2, 1);
	replay_put(1, EVENT_task_create, task_flags_explicit | task_flags_untied, 2, other, 0x3000);
	replay_put(1, EVENT_task_schedule, task_status_switch, 0, other, task);
	replay_put(1, EVENT_task_schedule, task_status_switch, 0, task, other);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, task);
	uint64_t child = replay_create(3, me), ended = replay_now, next = replay_create(4, me);
	replay_run_task(child, me);
	replay_run_task(next, me);
	replay_put(1, EVENT_task_schedule, task_status_complete, 0, task, other);
	replay_end_program();
	replay_end_implicit(1, 1, 1);
	replay_build(GRAPH_TASK);
	const struct model *m = &replay_trace.model;
	ck_assert_uint_eq(quirk("untied_part_without_end"), 1);
	ck_assert_uint_eq(quirk("taskloop_split"), 0);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	ck_assert_uint_eq(replay_edges(task, 0, EDGE_CREATE), 0);
	ck_assert_uint_eq(m->tasks[model_task(m, task)].end_ticks, ended);
	replay_done();
}
END_TEST

/* ---- Waits with dependences ---- */

#define DUMMY (task_flags_taskwait | task_flags_undeferred | task_flags_mergeable | task_flags_has_dependences)

static void depend(uint64_t task, uint64_t variable, unsigned type)
{
	dump_writer_dependences(&replay_writer, 0, replay_now, task, 1, &variable, &type);
}

/* The dummy that stands for the wait, and whose id its creation alone knows. */
static void wait_for(uint64_t counter, uint64_t parent, uint64_t variable, uint64_t codeptr)
{
	replay_put(0, EVENT_task_create, DUMMY, counter, parent, codeptr);
	depend(0, variable, dependence_type_in);
}

static void end_wait(void)
{
	replay_put(0, EVENT_task_schedule, task_status_taskwait_complete, 0, 0, 0);
}

START_TEST(waits_with_dependences_nest)
{
	uint64_t me = replay_begin_program(1);
	uint64_t a = replay_create(3, me), b = replay_create(4, me);
	depend(a, 0x10, dependence_type_out);
	wait_for(5, me, 0x10, 0x7000);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, b);
	uint64_t child = replay_create(6, b);
	depend(child, 0x20, dependence_type_out);
	wait_for(7, b, 0x20, 0x8000);
	replay_put(0, EVENT_task_dependence, 0, 0, child, 0);
	replay_run_task(child, b);
	end_wait();
	uint64_t inner_end = replay_now;
	replay_put(0, EVENT_task_schedule, task_status_complete, 0, b, me);
	replay_run_task(a, me);
	end_wait();
	uint64_t outer_end = replay_now;
	replay_end_program();
	replay_build(GRAPH_TASK);
	const struct model *m = &replay_trace.model;
	ck_assert_uint_eq(m->tasks[model_task(m, id_make(0, 7))].end_ticks, inner_end);
	ck_assert_uint_eq(m->tasks[model_task(m, id_make(0, 5))].end_ticks, outer_end);
	ck_assert_uint_eq(replay_n_nodes(NODE_TASKWAIT), 2);
	ck_assert_uint_eq(replay_edges(a, 0, EDGE_DEPEND), 1);
	ck_assert_uint_eq(replay_edges(child, 0, EDGE_DEPEND), 1);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_DEPEND), 2);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

/*
 * task if(0) depend(in : x): a wait and then the task, which the next writer waits for (_i: 0: gcc's one call, whose second half is called
 * by the runtime). Two calls without the program's file, in a team of one: task if(0) depend(in : x), or taskwait depend(in : x) and a
 * task (1). Something happened in between: a task of its own (2). The recorder's own records are nothing that happened.
 */
START_TEST(an_undeferred_task_has_the_dependences_of_its_wait)
{
	static const uint64_t codeptrs[] = {0x9000, 0x700d, 0x700d};
	replay_writer.more_meta = "map 9000 a000 0 - /usr/lib/libomp.so.5\n";
	uint64_t me = replay_begin_program(1), first = replay_create(3, me);
	depend(first, 0x10, dependence_type_out);
	wait_for(4, me, 0x10, 0x7000);
	replay_run_task(first, me);
	end_wait();
	replay_put(0, _i == 2 ? EVENT_flush : EVENT_buffer_flush, 0, 0, replay_now, 0x7005);
	replay_put(0, EVENT_task_create, task_flags_explicit | task_flags_undeferred, 5, me, codeptrs[_i]);
	uint64_t task = id_make(0, 5);
	replay_run_task(task, me);
	uint64_t next = replay_create(6, me);
	depend(next, 0x10, dependence_type_out);
	replay_end_program();
	replay_build(GRAPH_TASK);
	bool is_one = _i == 0;
	ck_assert_uint_eq(quirk("undeferred_behind_its_wait"), is_one);
	ck_assert_uint_eq(replay_edges(task, next, EDGE_DEPEND), is_one);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_DEPEND), 2);
	const struct model *m = &replay_trace.model;
	ck_assert_uint_eq(m->constructs[m->tasks[model_task(m, task)].construct].codeptr, _i == 0 ? 0x7000 : codeptrs[_i]);
	ck_assert_uint_eq(quirk("undeferred_or_wait"), _i == 1);
	ck_assert_uint_eq(m->n_unknown_waits, _i == 1);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

/* omp_all_memory in a runtime that has no name for it yet: no type, and no address. */
START_TEST(no_type_and_no_address_are_all_memory)
{
	uint64_t me = replay_begin_program(1);
	uint64_t a = replay_create(3, me);
	depend(a, 0x10, dependence_type_out);
	uint64_t all = replay_create(4, me);
	depend(all, 0, 0);
	uint64_t b = replay_create(5, me);
	depend(b, 0x20, dependence_type_in);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(replay_edges(a, all, EDGE_DEPEND) + replay_edges(all, b, EDGE_DEPEND), 2);
	ck_assert_uint_eq(quirk("all_memory_without_type"), 1);
	replay_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("runtime tasks");
	TCase *tests = tcase_create("synthetic dumps");
	tcase_add_checked_fixture(tests, replay_setup, replay_teardown);
	tcase_add_loop_test(tests, an_untied_part_without_end_ends_where_it_ran, 0, 2);
	tcase_add_test(tests, a_suspended_task_is_completed_by_another_thread);
	tcase_add_loop_test(tests, an_untied_part_may_end_by_a_cancel, 0, 3);
	tcase_add_loop_test(tests, a_task_of_the_runtime_splits_a_taskloop, 0, 3);
	tcase_add_test(tests, an_untied_part_has_ended_when_the_task_below_it_creates);
	tcase_add_test(tests, waits_with_dependences_nest);
	tcase_add_loop_test(tests, an_undeferred_task_has_the_dependences_of_its_wait, 0, 3);
	tcase_add_test(tests, no_type_and_no_address_are_all_memory);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
