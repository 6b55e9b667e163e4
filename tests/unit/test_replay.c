/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The replay's rules (docs/design.md section 4) on synthetic dumps: quirks and repairs that no real program gives on demand.
 */
#include "tests/unit/replay_fixture.h"

#include <check.h>
#include <stdio.h>

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
	uint64_t me = replay_begin_program(2), other = id_make(1, 1);
	replay_put(1, EVENT_thread_attach, 0, 0, 4243, 0);
	replay_begin_implicit(1, 1, 2, 2, 1);
	replay_sync_begin(1, sync_kind_barrier_implicit_parallel, other);
	replay_sync_begin(0, sync_kind_barrier_implicit_parallel, me);
	replay_sync_end(0, sync_kind_barrier_implicit_parallel, me);
	uint64_t join = replay_now;
	replay_end_program();
	return join;
}

/* When the replay lets that worker end. */
static uint64_t replayed_worker_end(void)
{
	static struct progress progress;
	struct visitor visitor = {&watch_ends, NULL};
	last_end = 0;
	ck_assert_int_eq(replay_run(&replay_trace.model, &visitor, 1, &progress), 0);
	return last_end;
}

START_TEST(a_late_worker_ends_at_the_join)
{
	uint64_t join = leave_worker_behind(), other = id_make(1, 1);
	replay_now += 1000000;
	replay_sync_end(1, sync_kind_barrier_implicit_parallel, other);
	replay_end_implicit(1, 1, 1);
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(replay_trace.model.tasks[model_task(&replay_trace.model, other)].end_ticks, join);
	ck_assert_uint_eq(replay_count_of(&replay_trace.model.notes->quirks, "late_worker_end"), 1);
	ck_assert_uint_eq(tally_total(&replay_trace.model.notes->repairs), 0);
	replay_done();
}
END_TEST

START_TEST(a_single_without_end_is_closed_by_the_barrier)
{
	uint64_t me = replay_begin_program(1);
	replay_put(0, EVENT_work_begin, work_kind_single_executor, 0, 1, 0x4000);
	replay_sync_begin(0, sync_kind_barrier_implementation, me);
	replay_sync_end(0, sync_kind_barrier_implementation, me);
	replay_end_program();
	replay_build(GRAPH_SCOPE);
	ck_assert_uint_eq(replay_count_of(&replay_trace.model.notes->quirks, "work_without_end"), 1);
	ck_assert_uint_eq(tally_total(&replay_trace.model.notes->repairs), 0);
	replay_done();
}
END_TEST

START_TEST(other_runtimes_get_no_special_rules)
{
	replay_writer.runtime = "Some other runtime 1.0";
	replay_begin_program(1);
	replay_put(0, EVENT_work_begin, work_kind_single_executor, 0, 1, 0x4000);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(tally_total(&replay_trace.model.notes->quirks), 0);
	ck_assert_uint_eq(tally_total(&replay_trace.model.notes->repairs), 1);
	replay_done();
}
END_TEST

/* Q30, met with three nested levels: the runtime gave the team of region 3 to region 4 before it reported the end of region 3. */
START_TEST(a_region_ends_though_the_next_one_is_named)
{
	uint64_t me = replay_begin_program(1);
	uint64_t ends[2];
	for (uint64_t region = 3; region < 5; region++) {
		replay_begin_region(region, 1);
		replay_begin_implicit(0, region, region, 1, 0);
		replay_end_implicit(0, region, 0);
		replay_put(0, EVENT_parallel_end, parallel_flags_team, 4, me, 0x1000);
		ends[region - 3] = replay_now;
	}
	replay_end_program();
	replay_build(GRAPH_TASK);
	for (uint64_t region = 3; region < 5; region++)
		ck_assert_uint_eq(replay_trace.model.regions[model_region(&replay_trace.model, id_make(0, region))].end_ticks,
				  ends[region - 3]);
	ck_assert_uint_eq(replay_count_of(&replay_trace.model.notes->quirks, "region_end_names_another"), 1);
	ck_assert_uint_eq(tally_total(&replay_trace.model.notes->repairs), 0);
	replay_done();
}
END_TEST

START_TEST(a_discarded_task_completes_without_having_run)
{
	uint64_t me = replay_begin_program(1);
	uint64_t task = replay_create(3, me);
	replay_put(0, EVENT_cancel, cancel_flags_taskgroup | cancel_flags_discarded_task, 0, task, 0);
	replay_put(0, EVENT_task_schedule, task_status_cancel, 0, task, me);
	replay_end_program();
	replay_build(GRAPH_TASK);
	unsigned state = replay_trace.model.tasks[model_task(&replay_trace.model, task)].state;
	ck_assert_uint_eq(state & (TASK_CANCELLED | TASK_COMPLETED | TASK_STARTED), TASK_CANCELLED | TASK_COMPLETED);
	ck_assert_uint_eq(tally_total(&replay_trace.model.notes->repairs), 0);
	replay_done();
}
END_TEST

START_TEST(what_a_killed_process_left_open_is_closed_and_counted)
{
	replay_writer.is_killed = true;
	replay_writer.streams[0].is_live = true;
	uint64_t me = replay_begin_program(1);
	uint64_t task = replay_create(3, me);
	replay_sync_begin(0, sync_kind_taskwait, me);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, task);
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(replay_count_of(&replay_trace.model.notes->repairs, "task_without_end"), 1);
	ck_assert_uint_eq(replay_count_of(&replay_trace.model.notes->repairs, "scope_open_at_end"), 1);
	ck_assert_uint_eq(replay_count_of(&replay_trace.model.notes->repairs, "implicit_task_without_end"), 2);
	ck_assert(!replay_trace.dump.is_complete);
	replay_done();
}
END_TEST

/* Its first thread has lived since the process's start, and at least until the runtime reported it. */
START_TEST(a_process_killed_at_its_beginning_has_lived_until_then)
{
	replay_writer.is_killed = true;
	replay_writer.streams[0].is_live = true;
	replay_writer.pid = 1000;
	replay_writer.more_meta = "process_start 400 0\n";
	dump_writer_root(&replay_writer, 0, replay_now, 1, 1);
	replay_build(GRAPH_TASK);
	const struct model *m = &replay_trace.model;
	ck_assert_uint_eq(m->first_ticks, 400);
	ck_assert_uint_eq(m->last_ticks, replay_now);
	ck_assert_uint_eq(m->tasks[model_task(m, id_make(0, 1))].start_ticks, 400);
	replay_done();
}
END_TEST

START_TEST(a_late_worker_that_writes_a_segment_out_ends_at_the_join_too)
{
	uint64_t join = leave_worker_behind(), other = id_make(1, 1);
	replay_now += 1000000;
	replay_sync_end(1, sync_kind_barrier_implicit_parallel, other);
	replay_put(1, EVENT_buffer_flush, 0, 4096, replay_now + 100, 0);
	replay_end_implicit(1, 1, 1);
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(replayed_worker_end(), join);
	replay_done();
}
END_TEST

/* A segment is written between two records of one callback, the last ones of a segment: the time of the flush is later than theirs. */
START_TEST(a_flush_amid_a_callback_is_no_disorder)
{
	uint64_t other = id_make(1, 1);
	(void)leave_worker_behind();
	replay_sync_end(1, sync_kind_barrier_implicit_parallel, other);
	replay_end_implicit(1, 1, 1);
	replay_put(1, EVENT_thread_end, 0, 0, 0, 0);
	uint64_t end = replay_now;
	replay_put(1, EVENT_buffer_flush, 0, 4096, replay_now + 100, 0);
	dump_writer_record(&replay_writer, 1, end, EVENT_thread_detach, 0, 0, 1001, 0);
	dump_writer_close_segment(&replay_writer, 1);
	replay_now += 1000;
	replay_put(1, EVENT_thread_attach, 0, 0, 1002, 0);
	replay_put(1, EVENT_thread_detach, 0, 0, 1002, 0);
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

START_TEST(a_worker_whose_end_is_missing_ends_at_the_join)
{
	replay_writer.is_killed = true;
	replay_writer.streams[1].is_live = true;
	uint64_t join = leave_worker_behind();
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(replayed_worker_end(), join);
	replay_done();
}
END_TEST

/* The worker ends at the join, by a quirk and without a repair. */
static void check_end_without_a_word(uint64_t join)
{
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(replay_count_of(&replay_trace.model.notes->quirks, "worker_without_end"), 1);
	ck_assert_uint_eq(replayed_worker_end(), join);
	ck_assert_uint_eq(tally_total(&replay_trace.model.notes->repairs), 0);
	replay_done();
}

/* Q36: woken for the runtime's end, a worker may leave its closing barrier without a word. */
START_TEST(a_worker_may_leave_the_runtime_without_a_word)
{
	uint64_t join = leave_worker_behind();
	replay_now += 1000000;
	replay_put(1, EVENT_thread_end, 0, 0, 0, 0);
	check_end_without_a_word(join);
}
END_TEST

/* Q36: a worker that sleeps in its closing barrier is not woken for the end while its team's primary thread lives. */
START_TEST(a_worker_may_sleep_past_the_runtimes_end)
{
	uint64_t join = leave_worker_behind();
	check_end_without_a_word(join);
}
END_TEST

/* Q10: OpenMP asks for no end of an initial task whose thread is alive when the runtime finalizes; anything else that is open was cut. */
START_TEST(a_root_may_have_no_end)
{
	replay_begin_program(1);
	replay_end_program();
	for (uint32_t stream = 1; stream <= 2; stream++)
		replay_put(stream, EVENT_implicit_task_begin, task_flags_initial, 1, id_make(stream, 1), 1 | UINT64_C(1) << 32);
	replay_put(2, EVENT_work_begin, work_kind_sections, 0, 1, 0x4000);
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(replay_count_of(&replay_trace.model.notes->quirks, "root_without_end"), 1);
	ck_assert_uint_eq(replay_count_of(&replay_trace.model.notes->repairs, "implicit_task_without_end"), 1);
	replay_done();
}
END_TEST

START_TEST(a_cut_list_is_skipped_and_counted)
{
	uint64_t me = replay_begin_program(1);
	uint64_t a = replay_create(3, me);
	replay_put(0, EVENT_dependences, dependence_type_in, 5, a, 0x10); /* four more are announced and missing */
	replay_run_task(a, me);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(replay_count_of(&replay_trace.model.notes->repairs, "cut_dependence_list"), 1);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_DEPEND), 0);
	replay_done();
}
END_TEST

/* More than any team has: a dump may say so all the same, and in the worst order. */
START_TEST(a_region_of_too_many_members_is_cut)
{
	const uint64_t n = UINT16_MAX + 100;
	replay_begin_program((unsigned)n);
	for (uint64_t i = 1; i <= n; i++)
		replay_begin_implicit(1, i, 2, n, n - i + 1);
	replay_end_program();
	replay_build(GRAPH_TASK);
	const struct model *m = &replay_trace.model;
	ck_assert_uint_eq(m->n_tasks, n + 3);
	ck_assert_uint_le(m->teams[m->regions[2].team].n_members, UINT16_MAX);
	replay_done();
}
END_TEST

/* So many that a stream's take several blocks, of so many mutexes that their numbers take several bytes. */
#define ACQUISITIONS 60000
#define MUTEXES      300

START_TEST(acquisitions_are_numbered_in_the_order_of_time_over_all_streams)
{
	static uint32_t expected[3][ACQUISITIONS], n_of_stream[3], n_of_mutex[MUTEXES];
	replay_begin_program(3);
	replay_begin_implicit(1, 1, 2, 3, 1);
	replay_begin_implicit(2, 1, 2, 3, 2);
	srand(1);
	for (unsigned i = 0; i < ACQUISITIONS; i++) {
		uint32_t stream = (uint32_t)rand() % 3, mutex = (uint32_t)rand() % MUTEXES;
		replay_now += (uint64_t)(rand() % 5 == 0 ? rand() : rand() % 100);
		replay_put(stream, EVENT_mutex_acquired, mutex_kind_lock, 0, 0x5000 + mutex, 0x6000);
		expected[stream][n_of_stream[stream]++] = ++n_of_mutex[mutex];
		replay_put(stream, EVENT_mutex_released, mutex_kind_lock, 0, 0x5000 + mutex, 0x6000);
	}
	/* At the same time: the first stream comes first. */
	for (uint32_t stream = 3; stream-- > 0; replay_now -= 10) {
		expected[stream][n_of_stream[stream]++] = n_of_mutex[0] + 1 + stream;
		replay_put(stream, EVENT_mutex_acquired, mutex_kind_lock, 0, 0x5000, 0x6000);
	}
	replay_now += 100;
	replay_end_program();
	replay_build(GRAPH_TASK);
	const struct model *m = &replay_trace.model;
	ck_assert_uint_eq(m->n_locks, MUTEXES);
	for (uint32_t stream = 0; stream < 3; stream++)
		ck_assert_mem_eq(m->lock_orders[stream], expected[stream], n_of_stream[stream] * sizeof **expected);
	replay_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("replay");
	TCase *tests = tcase_create("synthetic dumps");
	tcase_add_checked_fixture(tests, replay_setup, replay_teardown);
	tcase_add_test(tests, a_late_worker_ends_at_the_join);
	tcase_add_test(tests, a_single_without_end_is_closed_by_the_barrier);
	tcase_add_test(tests, other_runtimes_get_no_special_rules);
	tcase_add_test(tests, a_region_ends_though_the_next_one_is_named);
	tcase_add_test(tests, a_discarded_task_completes_without_having_run);
	tcase_add_test(tests, what_a_killed_process_left_open_is_closed_and_counted);
	tcase_add_test(tests, a_process_killed_at_its_beginning_has_lived_until_then);
	tcase_add_test(tests, a_worker_may_leave_the_runtime_without_a_word);
	tcase_add_test(tests, a_worker_may_sleep_past_the_runtimes_end);
	tcase_add_test(tests, a_root_may_have_no_end);
	tcase_add_test(tests, a_late_worker_that_writes_a_segment_out_ends_at_the_join_too);
	tcase_add_test(tests, a_flush_amid_a_callback_is_no_disorder);
	tcase_add_test(tests, a_worker_whose_end_is_missing_ends_at_the_join);
	tcase_add_test(tests, a_cut_list_is_skipped_and_counted);
	tcase_add_test(tests, a_region_of_too_many_members_is_cut);
	tcase_add_test(tests, acquisitions_are_numbered_in_the_order_of_time_over_all_streams);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
