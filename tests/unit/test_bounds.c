/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The builder's memory and time for a dump are bounded by the dump's size, whatever numbers are in the dump. Nothing is
 * measured: without the bounds these tests would take terabytes or days.
 */
#include "builder/current/suspended.h"
#include "tests/unit/replay_fixture.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* A flight recorder's dump of a long run has far more ids than records, and so may a damaged header. */
START_TEST(ids_that_no_record_names_take_no_room)
{
	const uint64_t far = UINT64_C(1) << 40;
	uint64_t implicit = replay_begin_program(1);
	replay_run_task(replay_create(3, implicit), implicit);
	dump_writer_close_segment(&replay_writer, 0);
	replay_writer.streams[0].n_tasks = far;
	replay_writer.streams[0].n_regions = far;
	uint64_t task = replay_create(far + 1, implicit);
	replay_run_task(task, implicit);
	replay_end_program();
	replay_build(GRAPH_TASK);
	const struct model *m = &replay_trace.model;
	ck_assert_uint_lt(m->n_tasks, 20);
	ck_assert_uint_lt(m->n_regions, 20);
	uint32_t row = model_task(m, task);
	ck_assert_uint_ne(row, 0);
	ck_assert_uint_eq(m->tasks[row].parent, model_task(m, implicit));
	ck_assert_uint_eq(model_task(m, id_make(0, far)), 0);
	ck_assert_uint_ne(model_task(m, id_make(0, 3)), row);
	ck_assert_uint_eq(m->tasks[row].state & TASK_COMPLETED, TASK_COMPLETED);
	ck_assert_uint_eq(replay_edges(implicit, task, EDGE_CREATE), 1);
	ck_assert_uint_eq(tally_total(&m->notes->repairs), 0);
	replay_done();
}
END_TEST

START_TEST(a_region_with_more_members_than_it_can_count)
{
	const unsigned n = 70000;
	replay_begin_program(n);
	for (unsigned i = 1; i < n; i++)
		replay_begin_implicit(1, i, 2, n, n - i);
	replay_end_program();
	replay_build(GRAPH_TASK);
	uint32_t region = model_region(&replay_trace.model, id_make(0, 2));
	const struct team *team = &replay_trace.model.teams[replay_trace.model.regions[region].team];
	ck_assert_uint_eq(replay_trace.model.regions[region].n_members_seen, UINT16_MAX);
	ck_assert_uint_eq(team->n_members, 2); /* there are two threads, each counted once */
	replay_done();
}
END_TEST

/* Each task creates the next one: if names were whole paths, their total length would grow as the square of n. */
START_TEST(canonical_names_of_a_deep_recursion_stay_short)
{
	const unsigned n = 5000;
	uint64_t implicit = replay_begin_program(1), parent = implicit;
	for (unsigned i = 0; i < n; i++) {
		uint64_t task = replay_create(3 + i, parent);
		replay_put(0, EVENT_task_schedule, task_status_switch, 0, parent, task);
		parent = task;
	}
	for (unsigned i = n; i > 0; i--)
		replay_put(0, EVENT_task_schedule, task_status_complete, 0, id_make(0, 2 + i),
			   i > 1 ? id_make(0, 1 + i) : implicit);
	replay_end_program();
	replay_build(GRAPH_TASK);
	char *text = NULL;
	size_t n_bytes = 0, n_hashed = 0;
	FILE *out = open_memstream(&text, &n_bytes);
	replay_print_canonical(out);
	fclose(out);
	ck_assert_uint_lt(n_bytes, n * 2 * 1200);
	for (const char *at = text; (at = strchr(at, '~')) != NULL; at++)
		n_hashed++;
	ck_assert_uint_gt(n_hashed, n);
	/* Each name is that of one task, because every task is created once. */
	size_t n_created = 0;
	for (const char *at = text; (at = strstr(at, " create\n")) != NULL; at++)
		n_created++;
	ck_assert_uint_eq(n_created, n + 1);
	free(text);
	replay_done();
}
END_TEST

START_TEST(scopes_of_unknown_tasks_nest)
{
	/* The current task of neither stream is known. */
	replay_put(0, EVENT_thread_attach, 0, 0, 1, 0);
	replay_put(1, EVENT_thread_attach, 0, 0, 2, 0);
	for (uint32_t stream = 0; stream < 2; stream++)
		replay_sync_begin(stream, sync_kind_taskgroup, 0);
	replay_sync_begin(0, sync_kind_taskgroup, 0);
	replay_sync_end(0, sync_kind_taskgroup, 0);
	for (uint32_t stream = 0; stream < 2; stream++)
		replay_sync_end(stream, sync_kind_taskgroup, 0);
	replay_writer.runtime = "another";
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(tally_total(&replay_trace.model.notes->repairs), 0);
	replay_done();
}
END_TEST

START_TEST(suspended_tasks_leave_in_any_order)
{
	struct suspended_tasks list = {0};
	for (uint32_t task = 1; task <= 6; task++)
		suspended_push(&list, task);
	suspended_remove(&list, 2);
	suspended_remove(&list, 5);
	suspended_remove(&list, 9); /* it is not in the list */
	ck_assert(suspended_above(&list, 0));
	ck_assert_uint_eq(suspended_pop(&list), 6);
	ck_assert(suspended_above(&list, 3));
	ck_assert_uint_eq(suspended_pop(&list), 4);
	ck_assert(!suspended_above(&list, 3));
	suspended_push(&list, 2); /* a second time */
	ck_assert(suspended_above(&list, 3));
	suspended_remove(&list, 3);
	ck_assert_uint_eq(suspended_pop(&list), 2);
	ck_assert(suspended_above(&list, 0));
	ck_assert_uint_eq(suspended_pop(&list), 1);
	ck_assert(!suspended_above(&list, 0));
	suspended_free(&list);
}
END_TEST

START_TEST(any_key_has_a_place_in_a_map)
{
	struct map map = {0};
	ck_assert_ptr_null(map_get(&map, 0));
	for (uint64_t i = 0; i < 1000; i++)
		*map_put(&map, i << 54 | i) = (uint32_t)i + 1;
	for (uint64_t i = 0; i < 1000; i++)
		ck_assert_uint_eq(*map_get(&map, i << 54 | i), i + 1);
	for (uint64_t i = 0; i < 1000; i += 2)
		map_remove(&map, i << 54 | i);
	map_remove(&map, 0); /* it was removed before */
	ck_assert_uint_eq(map.n_used, 500);
	for (uint64_t i = 0; i < 1000; i++)
		ck_assert_int_eq(map_get(&map, i << 54 | i) != NULL, i % 2);
	map_free(&map);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bounds");
	TCase *cases = tcase_create("bounds");
	tcase_add_checked_fixture(cases, replay_setup, replay_teardown);
	tcase_add_test(cases, ids_that_no_record_names_take_no_room);
	tcase_add_test(cases, a_region_with_more_members_than_it_can_count);
	tcase_add_test(cases, canonical_names_of_a_deep_recursion_stay_short);
	tcase_add_test(cases, scopes_of_unknown_tasks_nest);
	tcase_add_test(cases, suspended_tasks_leave_in_any_order);
	tcase_add_test(cases, any_key_has_a_place_in_a_map);
	suite_add_tcase(suite, cases);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed == 0 ? 0 : 1;
}
