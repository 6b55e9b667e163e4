/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What LLVM's runtime does differently, on synthetic dumps: leagues, one kind for all implicit barriers, untied parts without end. The
 * records are those of real programs, cut down to what matters.
 */
#include "tests/unit/replay_fixture.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static uint64_t quirk(const char *name)
{
	return replay_count_of(&replay_trace.model.quirks, name);
}

static uint64_t n_repairs(void)
{
	return tally_total(&replay_trace.model.repairs);
}

static int count_kind(void *self, const struct node_view *node)
{
	((unsigned *)self)[node->kind]++;
	return 0;
}

static unsigned n_nodes(enum node_kind kind)
{
	unsigned counts[NODE_KINDS] = {0};
	graph_each_node(&replay_graph, count_kind, counts);
	return counts[kind];
}

static const struct region *region_of(uint64_t counter)
{
	return &replay_trace.model.regions[model_region(&replay_trace.model, id_make(0, counter))];
}

/* ---- One kind of implicit barrier (LLVM 18 and older) ---- */

#define KIND_2 sync_kind_barrier_implicit

/* The barriers of one member of region 2, whose construct has the return address 0x1000: workers' closing ones have none. */
static void barrier_2(uint32_t stream, uint64_t task, uint64_t codeptr)
{
	replay_put(stream, EVENT_sync_region_begin, KIND_2, 0, task, codeptr);
	replay_put(stream, EVENT_sync_region_wait_begin, KIND_2, 0, task, codeptr);
	replay_put(stream, EVENT_sync_region_wait_end, KIND_2, 0, task, codeptr);
	replay_put(stream, EVENT_sync_region_end, KIND_2, 0, task, codeptr);
}

START_TEST(the_last_implicit_barrier_is_the_join)
{
	uint64_t me = replay_begin_program(2), other = id_make(1, 1);
	replay_begin_implicit(1, 1, 2, 2, 1);
	barrier_2(0, me, 0x4000);
	barrier_2(1, other, 0x4000);
	barrier_2(0, me, 0x1000);
	uint64_t join = replay_now;
	replay_end_program();
	barrier_2(1, other, 0);
	replay_end_implicit(1, 1, 1);
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(n_nodes(NODE_BARRIER), 1);
	ck_assert_uint_eq(n_nodes(NODE_JOIN), 1);
	ck_assert_uint_eq(replay_edges(me, 0, EDGE_BARRIER) + replay_edges(other, 0, EDGE_BARRIER), 2);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_JOIN), 1); /* the barrier's, for both */
	ck_assert_uint_eq(quirk("one_kind_of_implicit_barrier"), 4);
	ck_assert_uint_eq(region_of(2)->join_ticks, join);
	ck_assert_uint_eq(replay_trace.model.tasks[model_task(&replay_trace.model, other)].end_ticks, join);
	ck_assert_uint_eq(n_repairs(), 0);
	replay_done();
}
END_TEST

START_TEST(a_team_of_one_has_no_closing_barrier)
{
	uint64_t me = replay_begin_program(1);
	barrier_2(0, me, 0x4000);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(n_nodes(NODE_BARRIER), 1);
	ck_assert_uint_eq(n_repairs(), 0);
	replay_done();
}
END_TEST

START_TEST(other_runtimes_close_teams_of_one_with_a_barrier)
{
	replay_writer.runtime = "Some other runtime 1.0";
	uint64_t me = replay_begin_program(1);
	barrier_2(0, me, 0x4000);
	barrier_2(0, me, 0x1000);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(n_nodes(NODE_BARRIER), 1);
	ck_assert_uint_eq(n_repairs(), 0);
	replay_done();
}
END_TEST

/* The process died in the team's last barrier (_i: 0), or in the one before. */
START_TEST(without_an_end_the_return_address_tells_which_barrier_it_is)
{
	replay_writer.is_killed = true;
	replay_writer.streams[0].is_live = replay_writer.streams[1].is_live = true;
	uint64_t me = replay_begin_program(2), other = id_make(1, 1);
	replay_begin_implicit(1, 1, 2, 2, 1);
	barrier_2(0, me, 0x4000);
	barrier_2(1, other, 0x4000);
	replay_put(0, EVENT_sync_region_begin, KIND_2, 0, me, _i == 0 ? 0x1000 : 0x5000);
	replay_put(1, EVENT_sync_region_begin, KIND_2, 0, other, _i == 0 ? 0 : 0x5000);
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(n_nodes(NODE_BARRIER), _i == 0 ? 1 : 2);
	replay_done();
}
END_TEST

/* ---- Leagues ---- */

static void begin_league(uint64_t region, unsigned n_teams)
{
	replay_put(0, EVENT_parallel_begin, parallel_flags_invoker_runtime | parallel_flags_league, region, n_teams, 0x6000);
}

static void begin_initial(uint32_t stream, uint64_t task, uint64_t region, uint64_t n_teams, uint64_t index)
{
	replay_put(stream, EVENT_implicit_task_begin, task_flags_initial, task, id_make(0, region), n_teams | index << 32);
}

static void end_initial(uint32_t stream, uint64_t task, uint64_t index)
{
	replay_put(stream, EVENT_implicit_task_end, task_flags_initial, 0, id_make(stream, task), index << 32);
}

/* The team that the runtime makes inside of each initial task, before what the program's text has there, and behind it. */
static void begin_inner_team(uint32_t stream, uint64_t region, uint64_t task)
{
	replay_put(stream, EVENT_parallel_begin, parallel_flags_invoker_runtime | parallel_flags_team, region, 2, 0);
	replay_put(stream, EVENT_implicit_task_begin, task_flags_implicit, task, id_make(stream, region), 2);
}

static void end_inner_team(uint32_t stream, uint64_t region, uint64_t task, uint64_t initial)
{
	replay_put(stream, EVENT_implicit_task_end, task_flags_implicit, 0, id_make(stream, task), 2);
	replay_put(stream, EVENT_parallel_end, parallel_flags_invoker_runtime | parallel_flags_team, region, initial, 0);
}

/* A root, and a league of two with a task in each team's initial task. Those tasks. */
static void write_league(unsigned closing, uint64_t tasks[2])
{
	dump_writer_root(&replay_writer, 0, replay_now, 1, 1);
	begin_league(2, 2);
	begin_initial(0, 2, 2, 2, 0);
	begin_inner_team(0, 3, 3);
	tasks[0] = replay_create(4, id_make(0, 3));
	replay_run_task(tasks[0], id_make(0, 3));
	end_inner_team(0, 3, 3, id_make(0, 2));
	begin_initial(1, 1, 2, 2, 1);
	begin_inner_team(1, 1, 2);
	replay_put(1, EVENT_task_create, task_flags_explicit, 3, id_make(1, 2), 0x3000);
	tasks[1] = id_make(1, 3);
	replay_put(1, EVENT_task_schedule, task_status_switch, 0, id_make(1, 2), tasks[1]);
	replay_put(1, EVENT_task_schedule, task_status_complete, 0, tasks[1], id_make(1, 2));
	end_inner_team(1, 1, 2, id_make(1, 1));
	replay_sync_begin(1, closing, id_make(1, 1));
	replay_sync_begin(0, closing, id_make(0, 2));
	replay_sync_end(0, closing, id_make(0, 2));
	end_initial(0, 2, 0);
	replay_put(0, EVENT_parallel_end, parallel_flags_league, 2, id_make(0, 1), 0x6000);
	end_initial(0, 1, 1);
	replay_sync_end(1, closing, id_make(1, 1));
	end_initial(1, 1, 1);
}

/* With LLVM 19's barrier kinds, and with the one kind before. */
START_TEST(the_runtimes_team_inside_a_league_is_left_out)
{
	uint64_t tasks[2];
	write_league(_i == 0 ? sync_kind_barrier_teams : KIND_2, tasks);
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(n_nodes(NODE_INITIAL), 3);
	ck_assert_uint_eq(n_nodes(NODE_IMPLICIT), 0);
	ck_assert_uint_eq(n_nodes(NODE_REGION), 1);
	ck_assert_uint_eq(n_nodes(NODE_BARRIER), 0);
	ck_assert_uint_eq(replay_edges(id_make(0, 2), tasks[0], EDGE_CREATE), 1);
	ck_assert_uint_eq(replay_edges(id_make(1, 1), tasks[1], EDGE_CREATE), 1);
	ck_assert_uint_eq(quirk("league_inner_team"), 2);
	ck_assert_uint_eq(n_repairs(), 0);
	replay_done();
}
END_TEST

START_TEST(each_initial_task_of_a_league_has_barriers_of_its_own)
{
	dump_writer_root(&replay_writer, 0, replay_now, 1, 1);
	begin_league(2, 2);
	begin_initial(0, 2, 2, 2, 0);
	begin_initial(1, 1, 2, 2, 1);
	for (uint32_t stream = 0; stream < 2; stream++) {
		uint64_t task = stream == 0 ? id_make(0, 2) : id_make(1, 1);
		replay_sync_begin(stream, sync_kind_barrier_explicit, task);
		replay_sync_end(stream, sync_kind_barrier_explicit, task);
	}
	end_initial(1, 1, 1);
	end_initial(0, 2, 0);
	replay_put(0, EVENT_parallel_end, parallel_flags_league, 2, id_make(0, 1), 0x6000);
	end_initial(0, 1, 1);
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(n_nodes(NODE_BARRIER), 2);
	replay_done();
}
END_TEST

/* The initial task of a league of one names a region that nobody announced (_i: 0), or one that is over. */
START_TEST(a_league_of_one_has_the_region_of_its_teams_construct)
{
	dump_writer_root(&replay_writer, 0, replay_now, 1, 1);
	replay_begin_region(2, 1);
	replay_begin_implicit(0, 2, 2, 1, 0);
	replay_end_implicit(0, 2, 0);
	replay_put(0, EVENT_parallel_end, parallel_flags_team, 2, id_make(0, 1), 0x1000);
	begin_league(3, 1);
	begin_initial(0, 3, _i == 0 ? 4 : 2, 1, 0);
	begin_inner_team(0, 5, 4);
	end_inner_team(0, 5, 4, id_make(0, 3));
	end_initial(0, 3, 0);
	replay_put(0, EVENT_parallel_end, parallel_flags_league, 3, id_make(0, 1), 0x6000);
	end_initial(0, 1, 1);
	replay_build(GRAPH_TASK);
	uint32_t initial = model_task(&replay_trace.model, id_make(0, 3));
	ck_assert_uint_eq(replay_trace.model.tasks[initial].region, model_region(&replay_trace.model, id_make(0, 3)));
	ck_assert_uint_eq(quirk("league_of_one_region"), 1);
	ck_assert_uint_eq(n_nodes(NODE_REGION), 2);
	ck_assert_uint_eq(n_repairs(), 0);
	replay_done();
}
END_TEST

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
	ck_assert_uint_eq(n_repairs(), 0);
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
	ck_assert_uint_eq(n_nodes(NODE_TASKWAIT), 2);
	ck_assert_uint_eq(replay_edges(a, 0, EDGE_DEPEND), 1);
	ck_assert_uint_eq(replay_edges(child, 0, EDGE_DEPEND), 1);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_DEPEND), 2);
	ck_assert_uint_eq(n_repairs(), 0);
	replay_done();
}
END_TEST

/*
 * task if(0) depend(in : x): a wait and then the task, which the next writer waits for (_i: 0, clang's two calls; 1, gcc's one, whose second
 * half is called by the runtime). taskwait depend(in : x) and a task of its own (2: another call in between, 3: something happened).
 */
START_TEST(an_undeferred_task_has_the_dependences_of_its_wait)
{
	static const uint64_t codeptrs[] = {0x700d, 0x9000, 0x7040, 0x700d};
	replay_writer.more_meta = "map 9000 a000 0 - /usr/lib/libomp.so.5\n";
	uint64_t me = replay_begin_program(1), first = replay_create(3, me);
	depend(first, 0x10, dependence_type_out);
	wait_for(4, me, 0x10, 0x7000);
	replay_run_task(first, me);
	end_wait();
	if (_i == 3)
		replay_put(0, EVENT_flush, 0, 0, 0, 0x7005);
	replay_put(0, EVENT_task_create, task_flags_explicit | task_flags_undeferred, 5, me, codeptrs[_i]);
	uint64_t task = id_make(0, 5);
	replay_run_task(task, me);
	uint64_t next = replay_create(6, me);
	depend(next, 0x10, dependence_type_out);
	replay_end_program();
	replay_build(GRAPH_TASK);
	bool is_one = _i < 2;
	ck_assert_uint_eq(quirk("undeferred_behind_its_wait"), is_one);
	ck_assert_uint_eq(replay_edges(task, next, EDGE_DEPEND), is_one);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_DEPEND), 2);
	if (_i == 1) {
		const struct model *m = &replay_trace.model;
		ck_assert_uint_eq(m->constructs[m->tasks[model_task(m, task)].construct].codeptr, 0x7000);
	}
	ck_assert_uint_eq(n_repairs(), 0);
	replay_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("runtimes");
	TCase *tests = tcase_create("synthetic dumps");
	tcase_add_checked_fixture(tests, replay_setup, replay_teardown);
	tcase_add_test(tests, the_last_implicit_barrier_is_the_join);
	tcase_add_test(tests, a_team_of_one_has_no_closing_barrier);
	tcase_add_test(tests, other_runtimes_close_teams_of_one_with_a_barrier);
	tcase_add_loop_test(tests, without_an_end_the_return_address_tells_which_barrier_it_is, 0, 2);
	tcase_add_loop_test(tests, the_runtimes_team_inside_a_league_is_left_out, 0, 2);
	tcase_add_test(tests, each_initial_task_of_a_league_has_barriers_of_its_own);
	tcase_add_loop_test(tests, a_league_of_one_has_the_region_of_its_teams_construct, 0, 2);
	tcase_add_loop_test(tests, an_untied_part_without_end_ends_where_it_ran, 0, 2);
	tcase_add_test(tests, waits_with_dependences_nest);
	tcase_add_loop_test(tests, an_undeferred_task_has_the_dependences_of_its_wait, 0, 4);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
