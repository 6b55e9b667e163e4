/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads that lose their processor: what becomes of their states, of the times of nodes, and of what is not known. And
 * time stamps that are older than their segment, because the write of the segment before took long.
 */
#include "builder/graph/path.h"
#include "tests/unit/switches_fixture.h"

#include <check.h>

static uint64_t unknown_in(uint32_t stream)
{
	return replay_states.times[model_stream_row(&replay_trace.dump, stream)].unknown_ticks;
}

static const struct switches_of *switches_of_0(void)
{
	return &replay_trace.model.switches.streams[0];
}

/* A program of one task, which runs from task_begin to task_end in a taskwait of the initial task. */
static uint64_t task_begin, task_end, wait_end_at;
static void put_program(void)
{
	uint64_t me = replay_begin_program(1);
	uint64_t task = replay_create(3, me);
	replay_sync_begin(0, sync_kind_taskwait, me);
	switch_task(0, task_status_switch, me, task);
	task_begin = replay_now;
	replay_now += 1000;
	switch_task(0, task_status_complete, task, me);
	task_end = replay_now;
	replay_now += 500;
	replay_sync_end(0, sync_kind_taskwait, me);
	wait_end_at = replay_now;
	replay_end_program();
}

/*
 * In a task both are no work. In a taskwait in which nothing is waited for the runtime has something to do, so that it is
 * preempted as well; asleep it is in overhead. The blocked stretch is on the critical path, the other one is not.
 */
START_TEST(no_processor_is_no_work)
{
	put_program();
	put_switches(0, true, 1500, replay_now, 4);
	put_off(off_why_preempted, task_begin + 100, task_begin + 300, 0, 1);
	put_off(off_why_blocked, task_begin + 400, task_begin + 800, 1, 1);
	put_off(off_why_preempted, task_end + 100, task_end + 200, 1, 0);
	put_off(off_why_blocked, task_end + 300, task_end + 400, 0, 0);
	replay_build(GRAPH_FRAGMENT);
	ck_assert_uint_eq(ticks_in(0, STATE_PREEMPTED), 200 + 100);
	ck_assert_uint_eq(ticks_in(0, STATE_BLOCKED), 400);
	ck_assert_ptr_nonnull(strstr(replay_states_seen(0), "overhead work_parallel preempted work_parallel blocked work_parallel "
							    "overhead preempted overhead work_parallel"));
	ck_assert_uint_eq(replay_states.busy.ticks[3], 1010 - 600);
	ck_assert_uint_eq(replay_states.blocked.ticks[3], 400);
	struct node_view node = graph_node(&replay_graph, 3);
	ck_assert_uint_eq(node.busy_ticks, 1010 - 600);
	ck_assert_uint_eq(node.blocked_ticks, 400);
	ck_assert_uint_eq(path_node_ns(&replay_trace.dump, &node), 1010 - 200);
	ck_assert_uint_eq(switches_of_0()->n_migrations, 2);
	ck_assert_uint_eq(unknown_in(0), 0);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

/* A store of the recorder's that waits for the file system is the same to the task; and it is no wait for a lock. */
START_TEST(a_stalled_store_is_blocked_and_waits_for_no_lock)
{
	replay_begin_program(1);
	replay_put(0, EVENT_mutex_acquire, mutex_kind_lock, 0, 0x10, 0x5000);
	uint64_t acquire_at = replay_now;
	replay_now += 1000;
	replay_put(0, EVENT_mutex_acquired, mutex_kind_lock, 0, 0x10, 0x5000);
	uint64_t acquired_at = replay_now;
	replay_now += 1000;
	replay_put(0, EVENT_mutex_released, mutex_kind_lock, 0, 0x10, 0x5000);
	replay_end_program();
	put_switches(0, true, 1500, replay_now, 2);
	put_off(off_why_stalled, acquire_at + 100, acquire_at + 900, 0, 0);
	put_off(off_why_stalled, acquired_at + 100, acquired_at + 500, 0, 0);
	replay_build(GRAPH_FRAGMENT);
	ck_assert_uint_eq(ticks_in(0, STATE_WAIT_LOCK), acquired_at - acquire_at - 800);
	ck_assert_uint_eq(ticks_in(0, STATE_BLOCKED), 1200);
	ck_assert_uint_eq(unknown_in(0), 0);
	replay_done();
}
END_TEST

/* At the task level the task itself has the times. */
START_TEST(a_task_has_its_blocked_time)
{
	put_program();
	put_switches(0, true, 1500, replay_now, 1);
	put_off(off_why_blocked, task_begin + 400, task_begin + 800, 1, 1);
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(graph_node(&replay_graph, 3).busy_ticks, 1010 - 400);
	ck_assert_uint_eq(graph_node(&replay_graph, 3).blocked_ticks, 400);
	replay_done();
}
END_TEST

/* A stretch that was not over at one look begins the next one again. */
START_TEST(an_open_stretch_is_counted_once)
{
	put_program();
	put_switches(0, true, 1500, task_begin + 200, 1);
	put_off(off_why_blocked, task_begin + 100, 0, 0, 0);
	put_switches(0, false, task_begin + 100, replay_now, 1);
	put_off(off_why_blocked, task_begin + 100, task_begin + 350, 0, 1);
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(ticks_in(0, STATE_BLOCKED), 250);
	ck_assert_uint_eq(switches_of_0()->n_migrations, 1);
	ck_assert_uint_eq(unknown_in(0), 0);
	replay_done();
}
END_TEST

/* Killed while blocked: up to the last look the thread was blocked, after it nothing is known. */
START_TEST(after_the_last_look_nothing_is_known)
{
	put_program();
	put_switches(0, true, 1500, task_begin + 200, 1);
	put_off(off_why_blocked, task_begin + 100, 0, 0, 0);
	dump_writer_record(&replay_writer, WRITER_SWITCHES, task_begin + 600, EVENT_switches_read, 0, 0, 0, 0);
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(ticks_in(0, STATE_BLOCKED), 500);
	ck_assert_uint_ge(unknown_in(0), 1010 - 600);
	ck_assert_uint_le(unknown_in(0), ticks_in(0, STATE_WORK_PARALLEL) + ticks_in(0, STATE_WORK_SERIAL) - 100);
	replay_done();
}
END_TEST

/* Where the kernel's memory was full, work may be anything; it stays work, and is counted as not known. */
START_TEST(what_is_lost_is_not_known)
{
	put_program();
	put_switches(0, true, 1500, replay_now, 1);
	put_off(off_why_unknown, task_begin + 100, task_begin + 300, 0, 0);
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(unknown_in(0), 200);
	ck_assert_uint_eq(replay_states.busy.ticks[3], 1010);
	replay_done();
}
END_TEST

/* A record of the kernel's is missing between two looks. */
START_TEST(between_two_looks_that_do_not_meet_nothing_is_known)
{
	put_program();
	put_switches(0, true, 1500, task_begin + 100, 0);
	put_switches(0, false, task_begin + 400, replay_now, 0);
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(unknown_in(0), 300);
	replay_done();
}
END_TEST

/* A dump without that stream is as before: nothing is known, and nothing says so. */
START_TEST(an_older_dump_has_none)
{
	put_program();
	replay_build(GRAPH_TASK);
	ck_assert(!replay_trace.model.switches.are_recorded);
	ck_assert_ptr_null(replay_states.blocked.ticks);
	replay_done();
}
END_TEST

/* Sums, in place of switches; the next thread of the stream counts from 0 again. */
START_TEST(sums_are_added_for_each_thread)
{
	put_program();
	dump_writer_record(&replay_writer, WRITER_SWITCHES, 2500, EVENT_processor_time, 0, 0, 300, 50);
	dump_writer_record(&replay_writer, WRITER_SWITCHES, 2600, EVENT_processor_time, 0, 0, 400, 60);
	dump_writer_record(&replay_writer, WRITER_SWITCHES, 2700, EVENT_processor_time, 0, 0, 100, 5);
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(switches_of_0()->running_ns, 500);
	ck_assert_uint_eq(switches_of_0()->waiting_ns, 65);
	ck_assert_uint_eq(switches_of_0()->known_until_ticks, 0);
	replay_done();
}
END_TEST

/* The write of a segment took five seconds, or the machine was suspended meanwhile: the record that waited for it is that much
 * older than its segment's header, and right. */
START_TEST(a_record_waits_for_a_write)
{
	uint64_t me = replay_begin_program(1);
	uint64_t task = replay_create(3, me);
	dump_writer_close_segment(&replay_writer, 0);
	dump_writer_record(&replay_writer, 0, replay_now + 5000000000, EVENT_buffer_flush, 0, 100, replay_now + 5000000000, 0);
	replay_writer.streams[0].used_bytes -= (uint32_t)sizeof(struct record); /* the segment was opened then, for this record: */
	uint64_t before = replay_now;
	switch_task(0, task_status_switch, me, task);
	replay_now += 5000000000;
	switch_task(0, task_status_complete, task, me);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	ck_assert_uint_eq(replay_trace.model.tasks[3].start_ticks, before + 10);
	replay_done();
}
END_TEST

/*
 * A worker reports the end of its closing barrier late. When it loses its processor after the team has joined, it is idle by
 * then: the archive's end of its team would come after the join otherwise. Before that nobody waits for it, and it is
 * preempted.
 */
START_TEST(a_worker_is_not_preempted_after_the_join)
{
	uint64_t worker, me = begin_team(&worker);
	replay_sync_begin(0, sync_kind_barrier_implicit_parallel, me);
	replay_sync_begin(1, sync_kind_barrier_implicit_parallel, worker);
	uint64_t all_came = replay_now;
	replay_now += 1000;
	replay_sync_end(0, sync_kind_barrier_implicit_parallel, me);
	replay_end_program();
	uint64_t joined = replay_now;
	replay_now += 1000;
	replay_sync_end(1, sync_kind_barrier_implicit_parallel, worker);
	replay_end_implicit(1, 1, 1);
	replay_put(1, EVENT_thread_end, 0, 0, 0, 0);
	replay_put(1, EVENT_thread_detach, 0, 0, 4243, 0);
	put_switches(1, true, 100, replay_now, 2);
	if (_i == 0)
		put_off(off_why_preempted, all_came + 100, all_came + 400, 0, 1);
	put_off(off_why_preempted, joined + 100, joined + 200, 0, 1);
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(ticks_in(1, STATE_PREEMPTED), _i == 0 ? 300 : 0);
	ck_assert_ptr_nonnull(strstr(replay_states_seen(1), _i == 0 ? "overhead preempted overhead idle undefined"
								    : "work_parallel overhead idle undefined"));
	replay_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("states and switches");
	TCase *tests = tcase_create("switches");
	tcase_add_checked_fixture(tests, replay_setup, replay_teardown);
	tcase_add_test(tests, no_processor_is_no_work);
	tcase_add_test(tests, a_stalled_store_is_blocked_and_waits_for_no_lock);
	tcase_add_test(tests, a_task_has_its_blocked_time);
	tcase_add_test(tests, an_open_stretch_is_counted_once);
	tcase_add_test(tests, after_the_last_look_nothing_is_known);
	tcase_add_test(tests, what_is_lost_is_not_known);
	tcase_add_test(tests, between_two_looks_that_do_not_meet_nothing_is_known);
	tcase_add_test(tests, an_older_dump_has_none);
	tcase_add_test(tests, sums_are_added_for_each_thread);
	tcase_add_test(tests, a_record_waits_for_a_write);
	tcase_add_loop_test(tests, a_worker_is_not_preempted_after_the_join, 0, 2);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed == 0 ? 0 : 1;
}
