/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Edges and sets that follow from dependence lists (docs/graph.md), on synthetic dumps.
 */
#include "tests/unit/replay_fixture.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Dependences (OpenMP 5.1 section 2.19.11) ---- */

static uint64_t depend1(uint64_t counter, uint64_t parent, uint64_t variable, unsigned type)
{
	uint64_t task = replay_create(counter, parent);
	dump_writer_dependences(&replay_writer, 0, replay_now, task, 1, &variable, &type);
	return task;
}

START_TEST(readers_wait_for_the_writer_and_the_next_writer_for_them)
{
	uint64_t me = replay_begin_program(1);
	uint64_t out = depend1(3, me, 0x10, dependence_type_out), in1 = depend1(4, me, 0x10, dependence_type_in);
	uint64_t in2 = depend1(5, me, 0x10, dependence_type_in), last = depend1(6, me, 0x10, dependence_type_inout);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(replay_edges(out, in1, EDGE_DEPEND), 1);
	ck_assert_uint_eq(replay_edges(out, in2, EDGE_DEPEND), 1);
	ck_assert_uint_eq(replay_edges(in1, in2, EDGE_DEPEND), 0);
	ck_assert_uint_eq(replay_edges(in1, last, EDGE_DEPEND), 1);
	ck_assert_uint_eq(replay_edges(in2, last, EDGE_DEPEND), 1);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_DEPEND), 4);
	replay_done();
}
END_TEST

START_TEST(sets_are_unordered_within)
{
	uint64_t me = replay_begin_program(1);
	const unsigned types[] = {dependence_type_mutexinoutset, dependence_type_inoutset};
	uint64_t first = depend1(3, me, 0x10, dependence_type_out), set[4];
	for (unsigned i = 0; i < 4; i++)
		set[i] = depend1(4 + i, me, 0x10, types[i / 2]);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(replay_edges(first, set[0], EDGE_DEPEND) + replay_edges(first, set[1], EDGE_DEPEND), 2);
	ck_assert_uint_eq(replay_edges(set[0], set[1], EDGE_DEPEND) + replay_edges(set[2], set[3], EDGE_DEPEND), 0);
	ck_assert_uint_eq(replay_edges(set[0], set[2], EDGE_DEPEND) + replay_edges(set[0], set[3], EDGE_DEPEND), 2);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_DEPEND), 6);
	replay_done();
}
END_TEST

START_TEST(a_pair_has_one_edge_however_many_addresses_it_shares)
{
	uint64_t me = replay_begin_program(1);
	const uint64_t variables[] = {0x10, 0x20, 0x30, 0x40, 0x50};
	const unsigned outs[] = {2, 2, 2, 2, 2}, ins[] = {1, 1, 1, 1, 1};
	uint64_t a = replay_create(3, me);
	dump_writer_dependences(&replay_writer, 0, replay_now, a, 5, variables, outs);
	uint64_t b = replay_create(4, me);
	dump_writer_dependences(&replay_writer, 0, replay_now, b, 5, variables, ins);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(replay_edges(a, b, EDGE_DEPEND), 1);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_DEPEND), 1);
	replay_done();
}
END_TEST

START_TEST(in_and_out_of_one_address_in_one_list_are_an_inout)
{
	uint64_t me = replay_begin_program(1);
	const uint64_t variables[] = {0x10, 0x20, 0x10};
	const unsigned types[2][3] = {{dependence_type_in, dependence_type_in, dependence_type_out},
				      {dependence_type_out, dependence_type_in, dependence_type_in}};
	uint64_t first = depend1(3, me, 0x10, dependence_type_out), reader = depend1(4, me, 0x10, dependence_type_in);
	uint64_t both = replay_create(5, me);
	dump_writer_dependences(&replay_writer, 0, replay_now, both, 3, variables, types[_i]);
	uint64_t last = depend1(6, me, 0x10, dependence_type_in);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(replay_edges(first, reader, EDGE_DEPEND), 1);
	ck_assert_uint_eq(replay_edges(reader, both, EDGE_DEPEND), 1);
	ck_assert_uint_eq(replay_edges(both, last, EDGE_DEPEND), 1);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_DEPEND), 3);
	replay_done();
}
END_TEST

static int keep_type(void *self, const struct edge_view *edge)
{
	if (edge->kind == EDGE_DEPEND)
		*(unsigned *)self = edge->dependence;
	return 0;
}

START_TEST(an_edge_shows_the_dependence_that_made_it)
{
	/* Two locations: what came before the second one alone is waited for as `in`; of what came before both the stronger one shows. */
	const uint64_t variables[] = {0x10, 0x20};
	const unsigned outs[] = {dependence_type_out, dependence_type_out}, mixed[] = {dependence_type_inout, dependence_type_in};
	uint64_t me = replay_begin_program(1), first = replay_create(3, me);
	dump_writer_dependences(&replay_writer, 0, replay_now, first, (size_t)_i + 1, variables + 1 - _i, outs);
	uint64_t second = replay_create(4, me);
	dump_writer_dependences(&replay_writer, 0, replay_now, second, 2, variables, mixed);
	replay_end_program();
	replay_build(GRAPH_TASK);
	unsigned type = 0;
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_DEPEND), 1);
	graph_each_edge(&replay_graph, keep_type, &type);
	ck_assert_uint_eq(type, _i == 0 ? dependence_type_in : dependence_type_inout);
	replay_done();
}
END_TEST

START_TEST(all_memory_conflicts_with_every_address)
{
	uint64_t me = replay_begin_program(1);
	uint64_t a = depend1(3, me, 0x10, dependence_type_in), b = depend1(4, me, 0x20, dependence_type_out);
	uint64_t all = depend1(5, me, 0, dependence_type_out_all_memory);
	uint64_t old = depend1(6, me, 0x10, dependence_type_in), new = depend1(7, me, 0x30, dependence_type_in);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(replay_edges(a, all, EDGE_DEPEND) + replay_edges(b, all, EDGE_DEPEND), 2);
	ck_assert_uint_eq(replay_edges(all, old, EDGE_DEPEND) + replay_edges(all, new, EDGE_DEPEND), 2);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_DEPEND), 4);
	replay_done();
}
END_TEST

START_TEST(only_siblings_depend)
{
	uint64_t me = replay_begin_program(1);
	uint64_t a = depend1(3, me, 0x10, dependence_type_out);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, a);
	depend1(4, a, 0x10, dependence_type_in);
	replay_put(0, EVENT_task_schedule, task_status_complete, 0, a, me);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_DEPEND), 0);
	replay_done();
}
END_TEST

/* ---- The runtime's own word for a dependence ---- */

START_TEST(a_dependence_that_no_list_shows_is_counted)
{
	uint64_t me = replay_begin_program(1);
	uint64_t first = depend1(3, me, 0x10, dependence_type_out), other = depend1(4, me, 0x20, dependence_type_out);
	uint64_t second = depend1(5, me, 0x10, dependence_type_inout);
	replay_put(0, EVENT_task_dependence, 0, 0, first, second);
	uint64_t third = depend1(6, me, 0x10, dependence_type_in);
	replay_put(0, EVENT_task_dependence, 0, 0, second, third);
	replay_put(0, EVENT_task_dependence, 0, 0, first, third); /* follows from the two others */
	if (_i == 1)
		replay_put(0, EVENT_task_dependence, 0, 0, other, third);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(replay_count_of(&replay_graph.repairs, "dependence_not_in_list"), (unsigned)_i);
	ck_assert_uint_eq(replay_n_repairs(), (unsigned)_i);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_DEPEND), 2); /* never from these records */
	replay_done();
}
END_TEST

/* ---- Mutual exclusion (OpenMP 5.1 section 2.19.11, mutexinoutset) ---- */

static uint64_t depend2(uint64_t counter, uint64_t parent, uint64_t variable, unsigned type, uint64_t variable2, unsigned type2)
{
	uint64_t task = replay_create(counter, parent);
	const uint64_t variables[] = {variable, variable2};
	const unsigned types[] = {type, type2};
	dump_writer_dependences(&replay_writer, 0, replay_now, task, 2, variables, types);
	return task;
}

static int put_set(void *self, const uint32_t *nodes, uint32_t n)
{
	char *text = self;
	for (uint32_t i = 0; i < n; i++)
		sprintf(text + strlen(text), "%u,", nodes[i]);
	strcat(text, ";");
	return 0;
}

/* All sets as text: counters of the tasks, a comma after each, a semicolon after each set. */
static const char *all_sets(void)
{
	static char text[256];
	text[0] = '\0';
	graph_each_exclusive(&replay_graph, put_set, text);
	return text;
}

START_TEST(tasks_of_a_mutexinoutset_set_exclude_each_other)
{
	uint64_t me = replay_begin_program(1);
	const unsigned mutex = dependence_type_mutexinoutset;
	uint64_t a = depend1(3, me, 0x10, mutex), b = depend1(4, me, 0x10, mutex);
	depend1(5, me, 0x10, dependence_type_in); /* closes the set */
	depend1(6, me, 0x10, mutex);
	depend1(7, me, 0x10, mutex);
	depend1(8, me, 0x10, mutex);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_str_eq(all_sets(), "3,4,;6,7,8,;");
	ck_assert_uint_eq(replay_edges(a, b, EDGE_DEPEND), 0);
	replay_done();
}
END_TEST

START_TEST(a_set_of_one_and_other_sets_exclude_nobody)
{
	uint64_t me = replay_begin_program(1);
	depend1(3, me, 0x10, dependence_type_mutexinoutset);
	depend1(4, me, 0x20, dependence_type_inoutset);
	depend1(5, me, 0x20, dependence_type_inoutset);
	depend1(6, me, 0x30, dependence_type_in);
	depend1(7, me, 0x30, dependence_type_in);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_str_eq(all_sets(), "");
	replay_done();
}
END_TEST

START_TEST(the_same_tasks_at_several_addresses_are_one_set)
{
	uint64_t me = replay_begin_program(1);
	const unsigned mutex = dependence_type_mutexinoutset;
	depend2(3, me, 0x10, mutex, 0x20, mutex);
	depend2(4, me, 0x20, mutex, 0x10, mutex);
	depend2(5, me, 0x30, mutex, 0x40, mutex);
	depend1(6, me, 0x30, mutex);
	depend1(7, me, 0x40, mutex);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_str_eq(all_sets(), "3,4,;5,6,;5,7,;");
	replay_done();
}
END_TEST

START_TEST(mutexinoutset_and_in_of_one_address_in_one_list_are_behind_the_set)
{
	uint64_t me = replay_begin_program(1);
	const unsigned mutex = dependence_type_mutexinoutset;
	uint64_t a = depend1(3, me, 0x10, mutex), b = depend1(4, me, 0x10, mutex);
	uint64_t both = depend2(5, me, 0x10, mutex, 0x10, dependence_type_in), last = depend1(6, me, 0x10, mutex);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_str_eq(all_sets(), "3,4,;");
	ck_assert_uint_eq(replay_edges(a, both, EDGE_DEPEND) + replay_edges(b, both, EDGE_DEPEND), 2);
	ck_assert_uint_eq(replay_edges(both, last, EDGE_DEPEND), 1);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_DEPEND), 3);
	replay_done();
}
END_TEST

START_TEST(the_canonical_list_names_neighbours_of_a_set)
{
	uint64_t me = replay_begin_program(1);
	for (uint64_t i = 3; i < 6; i++)
		depend1(i, me, 0x10, dependence_type_mutexinoutset);
	replay_end_program();
	replay_build(GRAPH_TASK);
	char *text = NULL;
	size_t n_bytes = 0;
	FILE *out = open_memstream(&text, &n_bytes);
	replay_print_canonical(out);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "\nimplicit[1.r1.i] -> task@0x3000[1.r1.i.1] create x3\n"));
	ck_assert_ptr_nonnull(strstr(text, "\ntask@0x3000[1.r1.i.1] -- task@0x3000[1.r1.i.1] exclusive x2\n"));
	free(text);
	replay_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("depend");
	TCase *tests = tcase_create("synthetic dumps");
	tcase_add_checked_fixture(tests, replay_setup, replay_teardown);
	tcase_add_test(tests, readers_wait_for_the_writer_and_the_next_writer_for_them);
	tcase_add_test(tests, sets_are_unordered_within);
	tcase_add_test(tests, a_pair_has_one_edge_however_many_addresses_it_shares);
	tcase_add_loop_test(tests, in_and_out_of_one_address_in_one_list_are_an_inout, 0, 2);
	tcase_add_loop_test(tests, an_edge_shows_the_dependence_that_made_it, 0, 2);
	tcase_add_test(tests, all_memory_conflicts_with_every_address);
	tcase_add_test(tests, only_siblings_depend);
	tcase_add_loop_test(tests, a_dependence_that_no_list_shows_is_counted, 0, 2);
	tcase_add_test(tests, tasks_of_a_mutexinoutset_set_exclude_each_other);
	tcase_add_test(tests, a_set_of_one_and_other_sets_exclude_nobody);
	tcase_add_test(tests, the_same_tasks_at_several_addresses_are_one_set);
	tcase_add_test(tests, mutexinoutset_and_in_of_one_address_in_one_list_are_behind_the_set);
	tcase_add_test(tests, the_canonical_list_names_neighbours_of_a_set);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
