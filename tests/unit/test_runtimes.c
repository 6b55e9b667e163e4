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
	return replay_count_of(&replay_trace.model.notes->quirks, name);
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
	ck_assert_uint_eq(replay_n_nodes(NODE_BARRIER), 1);
	ck_assert_uint_eq(replay_n_nodes(NODE_JOIN), 1);
	ck_assert_uint_eq(replay_edges(me, 0, EDGE_BARRIER) + replay_edges(other, 0, EDGE_BARRIER), 2);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_JOIN), 1); /* the barrier's, for both */
	ck_assert_uint_eq(quirk("one_kind_of_implicit_barrier"), 4);
	ck_assert_uint_eq(region_of(2)->join_ticks, join);
	ck_assert_uint_eq(replay_trace.model.tasks[model_task(&replay_trace.model, other)].end_ticks, join);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

START_TEST(a_team_of_one_has_no_closing_barrier)
{
	uint64_t me = replay_begin_program(1);
	barrier_2(0, me, 0x4000);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(replay_n_nodes(NODE_BARRIER), 1);
	ck_assert_uint_eq(replay_n_repairs(), 0);
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
	ck_assert_uint_eq(replay_n_nodes(NODE_BARRIER), 1);
	ck_assert_uint_eq(replay_n_repairs(), 0);
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
	ck_assert_uint_eq(replay_n_nodes(NODE_BARRIER), _i == 0 ? 1 : 2);
	replay_done();
}
END_TEST

/* ---- The barrier of a tree reduction ---- */

/*
 * Thread 0 combines inside of the barrier, thread 1 is a leaf. Nothing more ends the construct (_i: 0), or a barrier of its own does (1):
 * there smaller teams have two, as well. Another barrier of this kind without a reduction inside is one of the program's.
 */
START_TEST(a_reductions_own_barrier_is_none_of_the_programs)
{
	uint64_t me = replay_begin_program(2), tasks[2];
	const uint64_t members[] = {me, id_make(1, 1)};
	const unsigned kind = sync_kind_barrier_implementation;
	replay_begin_implicit(1, 1, 2, 2, 1);
	for (uint32_t barrier = 0; barrier < 2; barrier++) {
		tasks[barrier] = replay_create(3 + barrier, me);
		for (uint32_t i = 2; i > 0; i--) { /* thread 1 first: its stream does not show what the barrier is for */
			uint64_t codeptr = barrier == 0 ? 0x7000 : 0x8000;
			replay_put(i - 1, EVENT_sync_region_begin, kind, 0, members[i - 1], codeptr);
			if (i == 1 && barrier == 0) {
				replay_put(0, EVENT_reduction_begin, sync_kind_reduction, 0, me, 0);
				replay_put(0, EVENT_reduction_end, sync_kind_reduction, 0, me, 0);
			}
			if (i == 1)
				replay_run_task(tasks[barrier], me);
			replay_put(i - 1, EVENT_sync_region_end, kind, 0, members[i - 1], codeptr);
			if (_i == 1 && barrier == 0) {
				replay_sync_begin(i - 1, sync_kind_barrier_implicit_workshare, members[i - 1]);
				replay_sync_end(i - 1, sync_kind_barrier_implicit_workshare, members[i - 1]);
			}
		}
	}
	replay_end_implicit(1, 1, 1);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(replay_n_nodes(NODE_BARRIER), _i == 0 ? 1 : 3);
	enum edge_kind edge;
	for (unsigned i = 0; i < 2; i++) {
		uint32_t joiner = graph_joiner(&replay_graph, model_task(&replay_trace.model, tasks[i]), &edge);
		ck_assert_int_eq(graph_node(&replay_graph, joiner).kind, NODE_BARRIER);
	}
	ck_assert_uint_eq(quirk("reduction_barrier"), _i == 0 ? 2 : 0);
	ck_assert_uint_eq(replay_n_repairs(), 0);
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

static void end_initial_as(unsigned flags, uint32_t stream, uint64_t task, uint64_t index)
{
	replay_put(stream, EVENT_implicit_task_end, flags, 0, id_make(stream, task), index << 32);
}

static void end_initial(uint32_t stream, uint64_t task, uint64_t index)
{
	end_initial_as(task_flags_initial, stream, task, index);
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

/*
 * A root, and a league of two with a task in each team's initial task. Those tasks. `worker_end`: flags of the end of the
 * initial task that is not on the league's first thread.
 */
static void write_league(unsigned closing, unsigned worker_end, uint64_t tasks[2])
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
	replay_sync_end(1, closing, id_make(1, 1));
	end_initial_as(worker_end, 1, 1, 1);
	/* The thread is used again: what has not ended by now would be a repair. */
	replay_put(0, EVENT_parallel_begin, parallel_flags_invoker_program | parallel_flags_team, 4, 2, 0x7000);
	replay_put(0, EVENT_implicit_task_begin, task_flags_implicit, 5, id_make(0, 4), 2);
	replay_put(1, EVENT_implicit_task_begin, task_flags_implicit, 4, id_make(0, 4), 2 | UINT64_C(1) << 32);
	replay_put(0, EVENT_implicit_task_end, task_flags_implicit, 0, id_make(0, 5), 2);
	replay_put(0, EVENT_parallel_end, parallel_flags_team, 4, id_make(0, 1), 0x7000);
	replay_put(1, EVENT_implicit_task_end, task_flags_implicit, 0, id_make(1, 4), UINT64_C(1) << 32);
	end_initial(0, 1, 1);
}

/* With LLVM 19's barrier kinds, with the one kind before, and where a worker's initial task ends as an implicit one. */
START_TEST(the_runtimes_team_inside_a_league_is_left_out)
{
	uint64_t tasks[2];
	write_league(_i != 1 ? sync_kind_barrier_teams : KIND_2, _i == 2 ? task_flags_implicit : task_flags_initial, tasks);
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(replay_n_nodes(NODE_INITIAL), 3);
	ck_assert_uint_eq(replay_n_nodes(NODE_IMPLICIT), 2); /* of the region after the league */
	ck_assert_uint_eq(replay_n_nodes(NODE_REGION), 2);
	ck_assert_uint_eq(replay_n_nodes(NODE_BARRIER), 0);
	ck_assert_uint_eq(replay_edges(id_make(0, 2), tasks[0], EDGE_CREATE), 1);
	ck_assert_uint_eq(replay_edges(id_make(1, 1), tasks[1], EDGE_CREATE), 1);
	ck_assert_uint_eq(quirk("league_inner_team"), 2);
	ck_assert_uint_eq(quirk("league_end_as_implicit"), _i == 2);
	ck_assert_uint_eq(replay_n_repairs(), 0);
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
	ck_assert_uint_eq(replay_n_nodes(NODE_BARRIER), 2);
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
	ck_assert_uint_eq(replay_n_nodes(NODE_REGION), 2);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

/* ---- Roots, and names of tasks around ---- */

/* Three regions of one thread, one in the other: behind the innermost the runtime believes that it is in the outermost. */
START_TEST(behind_serialized_regions_the_innermost_task_goes_on)
{
	uint64_t outer = replay_begin_program(1), middle = id_make(0, 3);
	for (uint64_t i = 3; i < 5; i++) {
		replay_begin_region(i, 1);
		replay_begin_implicit(0, i, i, 1, 0);
	}
	replay_end_implicit(0, 4, 0);
	replay_put(0, EVENT_parallel_end, parallel_flags_team, 4, middle, 0x1000);
	uint64_t task = replay_create(5, outer);
	replay_run_task(task, outer);
	replay_end_implicit(0, 2, 0);
	replay_put(0, EVENT_parallel_end, parallel_flags_team, 2, id_make(0, 1), 0x1000);
	uint64_t last = replay_create(6, outer);
	replay_run_task(last, outer);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(replay_edges(middle, task, EDGE_CREATE), 0); /* it hangs on the join behind the innermost region */
	ck_assert_uint_eq(replay_trace.model.tasks[model_task(&replay_trace.model, task)].parent,
			  model_task(&replay_trace.model, middle));
	ck_assert_uint_eq(replay_trace.model.tasks[model_task(&replay_trace.model, last)].parent,
			  model_task(&replay_trace.model, outer));
	ck_assert_uint_eq(quirk("outer_task_named"), 2);
	ck_assert_uint_eq(quirk("region_end_names_another"), 1);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

/* A root thread in a forked child (LLVM 18 and older): no initial task begins, but one ends. */
START_TEST(a_root_without_initial_task_gets_one)
{
	replay_put(0, EVENT_thread_attach, 0, 0, 4242, 0);
	replay_begin_region(1, 1);
	replay_begin_implicit(0, 1, 1, 1, 0);
	replay_end_implicit(0, 1, 0);
	replay_put(0, EVENT_parallel_end, parallel_flags_team, 1, 0, 0x1000);
	uint64_t task = replay_create(2, 0);
	replay_run_task(task, 0);
	replay_put(0, EVENT_implicit_task_end, task_flags_initial, 0, 0, UINT64_C(1) << 32);
	replay_put(0, EVENT_thread_detach, 0, 0, 4242, 0);
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(replay_n_nodes(NODE_INITIAL), 1);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_SEQUENCE), 1);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_CREATE), 2);
	ck_assert_uint_eq(quirk("initial_task_without_begin"), 1);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

/* The runtime's own team for target tasks, which one of the program's runs in. */
START_TEST(the_helper_team_is_left_out)
{
	replay_writer.more_meta = "map 9000 a000 0 - /usr/lib/libomp.so.5\n";
	uint64_t me = replay_begin_program(1), helper = id_make(1, 2);
	replay_put(0, EVENT_task_create, task_flags_target | task_flags_untied, 3, me, 0x3000);
	uint64_t task = id_make(0, 3);
	dump_writer_root(&replay_writer, 1, replay_now, 1, 1);
	replay_put(1, EVENT_parallel_begin, parallel_flags_invoker_runtime | parallel_flags_team, 2, 8, 0x9100);
	replay_put(1, EVENT_implicit_task_begin, task_flags_implicit, 2, id_make(1, 2), 8);
	replay_put(1, EVENT_masked_begin, 0, 0, helper, 0x9200);
	replay_put(1, EVENT_task_schedule, task_status_switch, 0, helper, task);
	replay_put(1, EVENT_task_schedule, task_status_complete, 0, task, helper);
	replay_end_program();
	replay_put(1, EVENT_implicit_task_end, task_flags_implicit, 0, helper, 0);
	replay_put(1, EVENT_parallel_end, parallel_flags_invoker_runtime | parallel_flags_team, 2, id_make(1, 1), 0x9100);
	replay_put(1, EVENT_implicit_task_end, task_flags_initial, 0, id_make(1, 1), UINT64_C(1) << 32);
	replay_build((enum graph_level)_i);
	ck_assert_uint_eq(replay_n_nodes(NODE_INITIAL), 1);
	ck_assert_uint_eq(replay_n_nodes(NODE_IMPLICIT), 1);
	ck_assert_uint_eq(replay_n_nodes(NODE_REGION), 1);
	ck_assert_uint_eq(replay_n_nodes(NODE_JOIN), 1);
	ck_assert_uint_eq(replay_n_nodes(NODE_TARGET), 1);
	ck_assert_uint_eq(replay_n_nodes(NODE_SCOPE_BEGIN), 0);
	ck_assert_uint_eq(replay_edges(task, 0, EDGE_BARRIER), 1);
	ck_assert_uint_eq(quirk("helper_team"), 1);
	ck_assert_uint_eq(replay_n_repairs(), 0);
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
	tcase_add_loop_test(tests, a_reductions_own_barrier_is_none_of_the_programs, 0, 2);
	tcase_add_loop_test(tests, the_runtimes_team_inside_a_league_is_left_out, 0, 3);
	tcase_add_test(tests, each_initial_task_of_a_league_has_barriers_of_its_own);
	tcase_add_loop_test(tests, a_league_of_one_has_the_region_of_its_teams_construct, 0, 2);
	tcase_add_test(tests, behind_serialized_regions_the_innermost_task_goes_on);
	tcase_add_test(tests, a_root_without_initial_task_gets_one);
	tcase_add_loop_test(tests, the_helper_team_is_left_out, GRAPH_SCOPE, GRAPH_FRAGMENT + 1);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
