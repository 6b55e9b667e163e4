/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Doacross loops: edges from sources to the sinks that wait for them, what is waiting, and what the path lacks. Two threads.
 */
#include "tests/unit/path_fixture.h"

#include <check.h>

#define WORKER id_make(1, 1)

static uint64_t me;

static void begin(void)
{
	me = replay_begin_program(2);
	dump_writer_record(&replay_writer, 1, replay_now, EVENT_thread_attach, 0, 0, 1001, 0);
	replay_begin_implicit(1, 1, 2, 2, 1);
}

static void loop(unsigned event)
{
	replay_put(0, event, work_kind_loop_static, 0, 4, 0x3000);
	replay_put(1, event, work_kind_loop_static, 0, 4, 0x3000);
}

/* The thread of the stream is at the source, or after the sink, with these numbers of an iteration. */
static void iterate(uint32_t stream, unsigned type, size_t n, uint64_t first, uint64_t second)
{
	const uint64_t numbers[] = {first, second};
	const unsigned types[] = {type, type};
	dump_writer_dependences(&replay_writer, stream, replay_now += 10, stream == 0 ? me : WORKER, n, numbers, types);
}

static void source(uint32_t stream, uint64_t number)
{
	iterate(stream, dependence_type_source, 1, number, 0);
}

static void sink(uint32_t stream, uint64_t number)
{
	iterate(stream, dependence_type_sink, 1, number, 0);
}

static void end(void)
{
	replay_sync_begin(0, sync_kind_barrier_implicit_parallel, me);
	replay_sync_begin(1, sync_kind_barrier_implicit_parallel, WORKER);
	replay_sync_end(0, sync_kind_barrier_implicit_parallel, me);
	replay_sync_end(1, sync_kind_barrier_implicit_parallel, WORKER);
	replay_end_implicit(1, 1, 1);
	replay_end_program();
	path_build();
}

static void check(unsigned n_edges, size_t n_waits, unsigned reasons)
{
	size_t n;
	const struct sink_wait *waits = graph_sink_waits(&replay_graph, &n);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_DOACROSS), n_edges);
	ck_assert_uint_eq(n, n_waits);
	for (size_t i = 0; i < n; i++)
		ck_assert_uint_lt(waits[i].begin_ticks, waits[i].end_ticks);
	ck_assert_uint_eq(replay_graph.path->reasons, reasons);
	ck_assert_int_eq(replay_graph.path->bound, reasons != 0 ? PATH_LOWER : PATH_EXACT);
}

/* 100, 200 and 300 one after the other, on two threads. */
START_TEST(iterations_that_wait_are_one_after_the_other)
{
	begin();
	loop(EVENT_work_begin);
	path_pass(90);
	source(0, 0);
	sink(1, 0);
	path_pass(190);
	source(1, 1);
	sink(0, 1);
	path_pass(290);
	source(0, 2);
	end();
	check(2, 2, PATH_SINK_WAITS);
	/* What each did after its wait, until the other's source; 10 are between a source and the sink that sees it. */
	ck_assert_uint_ge(replay_graph.path->span_ns, 100 + 200 + 300);
	ck_assert_uint_le(replay_graph.path->span_ns, 100 + 200 + 300 + 100);
	/* The worker goes on for 300 after its source; with the waits it would be 300 more. */
	ck_assert_uint_lt(replay_graph.path->work_ns, 100 + 200 + 300 + 300 + 100);
	replay_done();
}
END_TEST

/* The source was there before the fragment that ends with the sink began: all of that is work. */
START_TEST(a_thread_that_comes_late_does_not_wait)
{
	begin();
	loop(EVENT_work_begin);
	source(0, 0);
	path_pass(20);
	source(1, 7); /* of another iteration: a new fragment begins */
	path_pass(500);
	sink(1, 0);
	end();
	check(1, 0, 0);
	ck_assert_uint_ge(replay_graph.path->span_ns, 500);
	replay_done();
}
END_TEST

/* The source came while it worked, long before its sink. */
START_TEST(a_thread_that_works_until_its_sink_does_not_wait)
{
	begin();
	loop(EVENT_work_begin);
	path_pass(100);
	source(0, 0);
	path_pass(500);
	sink(1, 0);
	end();
	check(1, 0, 0);
	replay_done();
}
END_TEST

/* Two loops without a barrier between them have the same numbers; after a barrier numbers begin anew. */
START_TEST(each_loop_has_its_own_iterations)
{
	begin();
	for (unsigned i = 0; i < 3; i++) {
		loop(EVENT_work_begin);
		source(0, 0);
		path_pass(30);
		sink(1, 0);
		loop(EVENT_work_end);
		if (i != 1)
			continue;
		replay_sync_begin(0, sync_kind_barrier_explicit, me);
		replay_sync_begin(1, sync_kind_barrier_explicit, WORKER);
		replay_sync_end(0, sync_kind_barrier_explicit, me);
		replay_sync_end(1, sync_kind_barrier_explicit, WORKER);
	}
	end();
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_DOACROSS), 3);
	ck_assert_uint_eq(replay_graph.path->reasons & PATH_SOURCES, 0);
	replay_done();
}
END_TEST

/* In the first loop the iteration has no source: that of the second loop is not taken for it. */
START_TEST(a_sink_without_a_source_is_said)
{
	begin();
	loop(EVENT_work_begin);
	sink(1, 0);
	loop(EVENT_work_end);
	loop(EVENT_work_begin);
	source(0, 0);
	loop(EVENT_work_end);
	end();
	check(0, 0, PATH_SOURCES);
	replay_done();
}
END_TEST

START_TEST(iterations_have_numbers_in_each_dimension)
{
	begin();
	loop(EVENT_work_begin);
	iterate(0, dependence_type_source, 2, 1, 2);
	path_pass(300);
	iterate(0, dependence_type_source, 2, 2, 1);
	iterate(1, dependence_type_sink, 2, 2, 1);
	iterate(1, dependence_type_sink, 2, 1, 1);
	end();
	check(1, 1, PATH_SINK_WAITS | PATH_SOURCES);
	replay_done();
}
END_TEST

/* Its own earlier iterations come before a thread's later ones anyway. */
START_TEST(a_thread_does_not_wait_for_itself)
{
	begin();
	loop(EVENT_work_begin);
	source(0, 0);
	path_pass(50);
	sink(0, 0);
	end();
	check(0, 0, 0);
	replay_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("doacross");
	TCase *tests = tcase_create("synthetic dumps");
	tcase_add_checked_fixture(tests, replay_setup, replay_teardown);
	tcase_add_test(tests, iterations_that_wait_are_one_after_the_other);
	tcase_add_test(tests, a_thread_that_comes_late_does_not_wait);
	tcase_add_test(tests, a_thread_that_works_until_its_sink_does_not_wait);
	tcase_add_test(tests, each_loop_has_its_own_iterations);
	tcase_add_test(tests, a_sink_without_a_source_is_said);
	tcase_add_test(tests, iterations_have_numbers_in_each_dimension);
	tcase_add_test(tests, a_thread_does_not_wait_for_itself);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
