/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Argobots' work units in the graph: nodes and edges of waits and resumptions, at each level.
 */
#include "builder/graph/shared.h"
#include "tests/unit/units_fixture.h"

#include <stdlib.h>

static int find_resume(void *self, const struct edge_view *edge)
{
	if (edge->kind == EDGE_RESUME)
		*(struct edge_view *)self = *edge;
	return 0;
}

/* A unit waits for an eventual, is resumed by another unit, and is joined: the same edges at each level. */
START_TEST(edges)
{
	begin();
	create(0, U, PRIMARY);
	create(0, V, PRIMARY);
	suspend(0, PRIMARY, unit_sync_unit_join, U);
	run_unit(0, U, SCHED, 1);
	suspend(0, U, unit_sync_eventual, 0x77);
	run_unit(0, V, SCHED, 1);
	resume(0, U, V);
	finish(0, V, 1);
	run_unit(0, U, SCHED, 1);
	finish(0, U, 1);
	resume(0, PRIMARY, U);
	run_unit(0, PRIMARY, U, 1);
	put(0, EVENT_unit_join, 0, U, PRIMARY);
	put(0, EVENT_unit_join, 0, V, PRIMARY);
	put(0, EVENT_unit_join, 0, V, PRIMARY);
	end();
	replay_build((enum graph_level)_i);
	ck_assert_uint_eq(replay_n_nodes(NODE_UNIT), 2);
	ck_assert_uint_eq(replay_n_nodes(NODE_UNIT_WAIT), 1);
	ck_assert_uint_eq(replay_n_nodes(NODE_UNIT_JOIN), 2);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_CREATE), 2);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_JOIN), 2);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_RESUME), 1);
	struct edge_view found = {0};
	graph_each_edge(&replay_graph, find_resume, &found);
	ck_assert_uint_eq(found.sync, unit_sync_eventual);
	ck_assert_uint_eq(found.object, 0x77);
	ck_assert_uint_eq(unit(2)->wait_ticks, 20);
	ck_assert_uint_eq(graph_node(&replay_graph, found.source).unit_node, graph_unit_node(&replay_graph, 3));
	ck_assert_uint_eq(graph_node(&replay_graph, found.target).unit_node, graph_unit_node(&replay_graph, 2));
	ck_assert_uint_eq(graph_node(&replay_graph, found.target).kind, NODE_UNIT_WAIT);
	units_check_graph();
	replay_done();
}
END_TEST

/* Polling for one thing is one wait, however often; it is two if the unit did something in between. */
START_TEST(polling_is_one_wait)
{
	begin();
	create(0, U, PRIMARY);
	run_unit(1, U, SCHED, 1);
	for (int i = 0; i < 5; i++) {
		yield(0, PRIMARY, unit_sync_mutex, 0x77);
		run_unit(0, PRIMARY, SCHED, 1);
		if (i == 2)
			create(0, V, PRIMARY);
	}
	finish(1, U, 1);
	end();
	replay_build((enum graph_level)_i);
	ck_assert_uint_eq(replay_n_nodes(NODE_UNIT_WAIT), 2);
	/*
	 * At the fragment level there is a fragment after each wait; after the first creation nothing came but the
	 * wait.
	 */
	units_check_graph();
	replay_done();
}
END_TEST

/*
 * A unit that was resumed and waits for the same thing again has two waits: there may be a path from the first to the
 * second.
 */
START_TEST(resumed_twice)
{
	begin();
	create(0, U, PRIMARY);
	yield(0, PRIMARY, unit_sync_user, 0);
	for (int i = 0; i < 2; i++) {
		run_unit(0, U, SCHED, 1);
		suspend(0, U, unit_sync_cond, 0x77);
		run_unit(0, PRIMARY, SCHED, 1);
		resume(0, U, PRIMARY);
		yield(0, PRIMARY, unit_sync_user, 0);
	}
	run_unit(0, U, SCHED, 1);
	finish(0, U, 1);
	run_unit(0, PRIMARY, SCHED, 1);
	end();
	replay_build((enum graph_level)_i);
	ck_assert_uint_eq(replay_n_nodes(NODE_UNIT_WAIT), 2);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_RESUME), 2);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	units_check_graph();
	replay_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("units graph");
	TCase *tcase = tcase_create("units graph");
	tcase_add_checked_fixture(tcase, replay_setup, replay_teardown);
	tcase_add_loop_test(tcase, edges, GRAPH_SCOPE, GRAPH_FRAGMENT + 1);
	tcase_add_loop_test(tcase, polling_is_one_wait, GRAPH_SCOPE, GRAPH_FRAGMENT + 1);
	tcase_add_loop_test(tcase, resumed_twice, GRAPH_SCOPE, GRAPH_FRAGMENT + 1);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
