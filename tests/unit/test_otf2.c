/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The archive of synthetic dumps: written by builder/otf2, read back by OTF2's own reader, compared as text. Here is
 * what no real program does on demand; archives of real programs are checked by tests/otf2_check.py.
 */
#include "builder/otf2/otf2.h"
#include "builder/otf2/trace_id.h"
#include "builder/gather/gather.h"
#include "builder/model/symbols.h"
#include "tests/unit/archive_text.h"
#include "tests/unit/dump_writer.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char root[64], dir[128], out[128];
static struct dump_writer w;
static struct trace trace;
static uint64_t now;

static void remove_tree(const char *path)
{
	char command[256];
	snprintf(command, sizeof command, "rm -rf '%s'", path);
	ck_assert_int_eq(system(command), 0);
}

static void setup(void)
{
	strcpy(root, "/tmp/otter-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	snprintf(dir, sizeof dir, "%s/p-host-1.otter", root);
	snprintf(out, sizeof out, "%s/out", root);
	dump_writer_init(&w, dir);
	now = 2000;
}

static void teardown(void)
{
	remove_tree(root);
}

/* ---- Writing ---- */

static void put(uint32_t stream, unsigned kind, unsigned flags, uint64_t value, uint64_t a, uint64_t b)
{
	dump_writer_record(&w, stream, now += 10, kind, flags, value, a, b);
}

static void schedule(uint32_t stream, uint64_t prior, unsigned status, uint64_t next)
{
	put(stream, EVENT_task_schedule, status, 0, prior, next);
}

/* A root thread, a region of two threads: implicit tasks 0:2 and 1:1. */
static void begin_program(void)
{
	dump_writer_root(&w, 0, now, 1, 1);
	put(0, EVENT_parallel_begin, parallel_flags_invoker_runtime | parallel_flags_team, 2, 2, 0x1000);
	put(0, EVENT_implicit_task_begin, task_flags_implicit, 2, id_make(0, 2), 2);
	put(1, EVENT_thread_attach, 0, 0, 4243, 0);
	put(1, EVENT_implicit_task_begin, task_flags_implicit, 1, id_make(0, 2), 2 | UINT64_C(1) << 32);
}

static void end_program(void)
{
	put(1, EVENT_implicit_task_end, task_flags_implicit, 0, id_make(1, 1), UINT64_C(1) << 32);
	put(1, EVENT_thread_detach, 0, 0, 4243, 0);
	put(0, EVENT_implicit_task_end, task_flags_implicit, 0, id_make(0, 2), 2);
	put(0, EVENT_parallel_end, parallel_flags_team, 2, id_make(0, 1), 0x1000);
	put(0, EVENT_implicit_task_end, task_flags_initial, 0, id_make(0, 1), UINT64_C(1) << 32);
	put(0, EVENT_thread_detach, 0, 0, 4242, 0);
}

static const uint64_t primary = UINT64_C(2) << ID_STREAM_BITS, worker = UINT64_C(1) << ID_STREAM_BITS | 1;

static uint64_t create(uint64_t counter, unsigned flags)
{
	put(0, EVENT_task_create, task_flags_explicit | flags, counter, primary, 0x3000);
	return id_make(0, counter);
}

/* Builds the dump's archive and reads it back. */
static void build(size_t n_locations)
{
	static struct progress progress;
	struct sink sink;
	dump_writer_finish(&w);
	memset(&trace, 0, sizeof trace);
	ck_assert_int_eq(dump_open(&trace.dump, dir), 0);
	ck_assert_uint_eq(trace.dump.n_streams, n_locations);
	ck_assert_int_eq(sink_otf2_open(&sink, out, &trace, 1, false), 0);
	ck_assert_int_eq(model_gather(&trace.model, &trace.dump, true), 0);
	ck_assert_int_eq(sink.begin(sink.self, &trace), 0);
	struct visitor visitor = {sink.ops, sink.self};
	ck_assert_int_eq(replay_run(&trace.model, &visitor, 1, &progress), 0);
	struct symbols *symbols = symbols_open();
	symbols_resolve(symbols, &trace.model);
	symbols_close(symbols);
	ck_assert_int_eq(sink.end(sink.self, &trace), 0);
	ck_assert_int_eq(sink.close(sink.self), 0);
	uint64_t id = trace_id_of(&trace, 1);
	model_free(&trace.model);
	dump_close(&trace.dump);

	archive_read(out, n_locations);
	ck_assert_uint_eq(archive_trace_id, id);
}

/* What all tests have around their own events, on either thread. */
#define ON_PRIMARY(events) "B <initial task F2 T <parallel" events " >parallel t J >initial task E"
#define ON_WORKER(events)  "T <parallel" events " >parallel t"

/* ---- Tests ---- */

START_TEST(a_task_is_created_entered_left_and_completed)
{
	begin_program();
	uint64_t task = create(3, 0);
	schedule(0, primary, task_status_switch, task);
	schedule(0, task, task_status_complete, primary);
	end_program();
	build(2);
	ck_assert_str_eq(archive_text[0], ON_PRIMARY(" <create task C0.3 >create task S0.3 <task >task D0.3 S0.0"));
	ck_assert_str_eq(archive_text[1], ON_WORKER(""));
	ck_assert_uint_eq(archive_times[0][0], archive_clock_first);
	ck_assert_uint_eq(archive_times[0][archive_n_events[0] - 1], archive_clock_first + archive_clock_length);
}
END_TEST

START_TEST(tasks_nest_in_each_other)
{
	begin_program();
	uint64_t outer = create(3, task_flags_undeferred);
	schedule(0, primary, task_status_switch, outer);
	put(0, EVENT_task_create, task_flags_explicit | task_flags_undeferred, 4, outer, 0x3000);
	uint64_t inner = id_make(0, 4);
	schedule(0, outer, task_status_switch, inner);
	put(0, EVENT_sync_region_begin, sync_kind_taskwait, 0, inner, 0x4000);
	put(0, EVENT_sync_region_end, sync_kind_taskwait, 0, inner, 0x4000);
	schedule(0, inner, task_status_complete, outer);
	put(0, EVENT_sync_region_begin, sync_kind_taskwait, 0, outer, 0x4000);
	put(0, EVENT_sync_region_end, sync_kind_taskwait, 0, outer, 0x4000);
	schedule(0, outer, task_status_complete, primary);
	end_program();
	build(2);
	ck_assert_str_eq(archive_text[0],
			 ON_PRIMARY(" <create task C0.3 >create task S0.3 <task <create task C0.4 >create task S0.4"
				    " <task <taskwait >taskwait >task D0.4 S0.3 <taskwait >taskwait >task D0.3 S0.0"));
}
END_TEST

START_TEST(a_task_that_moves_leaves_its_regions_and_enters_them_again)
{
	begin_program();
	uint64_t task = create(3, task_flags_untied);
	schedule(0, primary, task_status_switch, task);
	put(0, EVENT_sync_region_begin, sync_kind_taskwait, 0, task, 0x4000);
	schedule(0, task, task_status_switch, primary);
	schedule(1, worker, task_status_switch, task);
	put(1, EVENT_sync_region_end, sync_kind_taskwait, 0, task, 0x4000);
	schedule(1, task, task_status_complete, worker);
	end_program();
	build(2);
	ck_assert_str_eq(archive_text[0],
			 ON_PRIMARY(" <create task C0.3 >create task S0.3 <untied task <taskwait >taskwait >untied task S0.0"));
	ck_assert_str_eq(archive_text[1], ON_WORKER(" S0.3 <untied task <taskwait >taskwait >untied task D0.3 S1.0"));
	ck_assert_uint_eq(archive_n_fragments, 2); /* both regions that were entered again say so */
}
END_TEST

START_TEST(a_task_that_the_implicit_task_goes_on_without_is_left)
{
	begin_program();
	uint64_t task = create(3, task_flags_untied);
	schedule(0, primary, task_status_yield, task);
	schedule(0, task, task_status_switch, primary);
	put(0, EVENT_sync_region_begin, sync_kind_barrier_explicit, 0, primary, 0x4000);
	schedule(0, primary, task_status_switch, task);
	schedule(0, task, task_status_complete, primary);
	put(0, EVENT_sync_region_end, sync_kind_barrier_explicit, 0, primary, 0x4000);
	end_program();
	build(2);
	ck_assert_str_eq(archive_text[0], ON_PRIMARY(" <create task C0.3 >create task S0.3 <untied task >untied task S0.0 <barrier"
						     " S0.3 <untied task >untied task D0.3 S0.0 >barrier"));
}
END_TEST

START_TEST(a_discarded_task_begins_and_ends_where_it_is_discarded)
{
	begin_program();
	uint64_t task = create(3, 0);
	put(0, EVENT_cancel, cancel_flags_taskgroup | cancel_flags_discarded_task, 0, task, 0);
	schedule(0, task, task_status_cancel, primary);
	end_program();
	build(2);
	ck_assert_str_eq(archive_text[0], ON_PRIMARY(" <create task C0.3 >create task S0.3 <task >task D0.3:cancel S0.0"));
}
END_TEST

START_TEST(a_detached_task_completes_where_a_member_fulfils_it)
{
	begin_program();
	uint64_t task = create(3, 0);
	schedule(0, primary, task_status_switch, task);
	schedule(0, task, task_status_detach, primary);
	schedule(1, task, task_status_late_fulfill, 0);
	end_program();
	build(2);
	ck_assert_str_eq(archive_text[0], ON_PRIMARY(" <create task C0.3 >create task S0.3 <task >task S0.0"));
	ck_assert_str_eq(archive_text[1], ON_WORKER(" S0.3 D0.3 S1.0"));
}
END_TEST

/* The begin of the thread's own task is missing, so that task cannot go on. The detached task does not stay current for that. */
START_TEST(a_detached_task_is_over_where_nothing_is_known_to_go_on)
{
	dump_writer_root(&w, 0, now, 1, 1);
	put(0, EVENT_parallel_begin, parallel_flags_invoker_runtime | parallel_flags_team, 2, 2, 0x1000);
	put(0, EVENT_implicit_task_begin, task_flags_implicit, 2, id_make(0, 2), 2);
	uint64_t task = create(3, 0);
	w.streams[1].n_tasks = 1;
	schedule(1, worker, task_status_switch, task);
	schedule(1, task, task_status_detach, worker);
	put(0, EVENT_task_schedule, task_status_late_fulfill, 0, task, 0);
	put(1, EVENT_thread_detach, 0, 0, 4243, 0);
	put(0, EVENT_implicit_task_end, task_flags_implicit, 0, id_make(0, 2), 2);
	put(0, EVENT_parallel_end, parallel_flags_team, 2, id_make(0, 1), 0x1000);
	put(0, EVENT_implicit_task_end, task_flags_initial, 0, id_make(0, 1), UINT64_C(1) << 32);
	put(0, EVENT_thread_detach, 0, 0, 4242, 0);
	build(2);
	ck_assert_str_eq(archive_text[1], "S0.3 <task >task S0.0");
}
END_TEST

START_TEST(what_a_killed_process_had_open_is_closed)
{
	begin_program();
	uint64_t task = create(3, 0);
	schedule(0, primary, task_status_switch, task);
	put(0, EVENT_sync_region_begin, sync_kind_taskwait, 0, task, 0x4000);
	w.is_killed = w.streams[0].is_live = w.streams[1].is_live = true;
	build(2);
	ck_assert_str_eq(archive_text[0],
			 "B <initial task F2 T <parallel <create task C0.3 >create task S0.3 <task <taskwait >taskwait >task"
			 " D0.3:unfinished S0.0 >parallel t J >initial task E");
	ck_assert_str_eq(archive_text[1], ON_WORKER(""));
}
END_TEST

START_TEST(a_region_that_the_thread_never_was_in_has_no_fork)
{
	dump_writer_root(&w, 0, now, 1, 1);
	put(0, EVENT_parallel_begin, parallel_flags_invoker_runtime | parallel_flags_team, 2, 2, 0x1000);
	w.is_killed = w.streams[0].is_live = true;
	build(1);
	ck_assert_str_eq(archive_text[0], "B <initial task >initial task E");
}
END_TEST

START_TEST(a_worker_may_have_begun_a_region_that_the_primary_thread_never_was_in)
{
	dump_writer_root(&w, 0, now, 1, 1);
	put(0, EVENT_parallel_begin, parallel_flags_invoker_runtime | parallel_flags_team, 2, 2, 0x1000);
	put(1, EVENT_thread_attach, 0, 0, 4243, 0);
	put(1, EVENT_implicit_task_begin, task_flags_implicit, 1, id_make(0, 2), 2 | UINT64_C(1) << 32);
	w.is_killed = w.streams[0].is_live = w.streams[1].is_live = true;
	build(2);
	ck_assert_str_eq(archive_text[0], "B <initial task >initial task E");
	ck_assert_str_eq(archive_text[1], ON_WORKER(""));
}
END_TEST

START_TEST(a_region_that_ends_after_a_gap_has_no_second_join)
{
	begin_program();
	put(0, EVENT_records_lost, loss_cause_full, 0, 7, 0);
	end_program();
	build(2);
	ck_assert_str_eq(archive_text[0], "B <initial task F2 T <parallel >parallel t J >initial task E");
}
END_TEST

static void set_lock(uint32_t stream)
{
	put(stream, EVENT_mutex_acquire, mutex_kind_lock, 0, 0x5000, 0x6000);
	put(stream, EVENT_mutex_acquired, mutex_kind_lock, 0, 0x5000, 0x6000);
}

START_TEST(no_lock_is_held_over_a_gap)
{
	begin_program();
	set_lock(1);
	put(1, EVENT_records_lost, loss_cause_full, 0, 7, 0);
	set_lock(0);
	put(0, EVENT_recording_off, off_reason_paused, 0, 0, 0);
	put(0, EVENT_recording_on, 0, 0, primary, id_make(0, 2));
	set_lock(0);
	end_program();
	build(2);
	ck_assert_str_eq(archive_text[0],
			 "B <initial task F2 T <parallel <omp_set_lock A2 >omp_set_lock R2 off on <omp_set_lock A3 >omp_set_lock"
			 " >parallel R3 t J >initial task E");
	ck_assert_str_eq(archive_text[1], ON_WORKER(" <omp_set_lock A1 >omp_set_lock R1"));
}
END_TEST

START_TEST(a_lock_that_a_task_leaves_locked_stays_locked)
{
	begin_program();
	set_lock(0);
	end_program();
	build(2);
	ck_assert_str_eq(archive_text[0], ON_PRIMARY(" <omp_set_lock A1 >omp_set_lock"));
}
END_TEST

static void create_unit(uint32_t stream, uint64_t handle)
{
	put(stream, EVENT_unit_create, 0, 1, handle, 0);
	dump_writer_record(&w, stream, 0, EVENT_unit_more, 0, 16384, 0x7000, 0);
}

START_TEST(the_team_of_units_ends_with_its_thread)
{
	put(0, EVENT_thread_attach, 0, 0, 4242, 0);
	put(0, EVENT_unit_begin, 0, 0, 0x100, 0x200);
	put(1, EVENT_thread_attach, 0, 0, 51, 0);
	create_unit(1, 0x300);
	/* Its initial task has no end, and a thread of OpenMP takes its stream. */
	put(1, EVENT_implicit_task_begin, task_flags_initial, 1, 0, 1 | UINT64_C(1) << 32);
	put(1, EVENT_thread_detach, 0, 0, 51, 0);
	put(1, EVENT_thread_attach, 0, 0, 52, 0);
	create_unit(1, 0x400);
	put(0, EVENT_unit_end, 0, 0, 0, 0);
	put(1, EVENT_thread_detach, 0, 0, 52, 0);
	put(0, EVENT_thread_detach, 0, 0, 4242, 0);
	build(2);
	ck_assert_str_eq(archive_text[1], "T <create C1.2 >create <initial task >initial task t T <create C1.4 >create t");
}
END_TEST

START_TEST(a_task_runs_after_its_creation_whatever_the_clocks_say)
{
	begin_program();
	uint64_t created = now + 10;
	uint64_t task = create(3, 0);
	now -= 5; /* the other processor's clock is behind */
	dump_writer_record(&w, 1, created - 2, EVENT_task_schedule, task_status_switch, 0, worker, task);
	now = created + 20;
	schedule(1, task, task_status_complete, worker);
	end_program();
	build(2);
	ck_assert_str_eq(archive_text[1], ON_WORKER(" S0.3 <task >task D0.3 S1.0"));
	ck_assert_uint_eq(archive_times[1][2], created + 1);
}
END_TEST

START_TEST(critical_regions_are_numbered_over_all_threads)
{
	begin_program();
	for (uint32_t stream = 2; stream-- > 0;) {
		put(stream, EVENT_mutex_acquire, mutex_kind_critical, 0, 0x5000, 0x6000);
		put(stream, EVENT_mutex_acquired, mutex_kind_critical, 0, 0x5000, 0x6000);
		put(stream, EVENT_mutex_released, mutex_kind_critical, 0, 0x5000, stream == 0 ? 0x6000 : 0); /* quirk Q9 */
	}
	end_program();
	build(2);
	ck_assert_str_eq(archive_text[0], ON_PRIMARY(" <critical A2 <critical sblock >critical sblock R2 >critical"));
	ck_assert_str_eq(archive_text[1], ON_WORKER(" <critical A1 <critical sblock >critical sblock R1 >critical"));
}
END_TEST

START_TEST(a_lock_that_is_only_tried_is_nothing)
{
	begin_program();
	put(0, EVENT_mutex_acquire, mutex_kind_test_lock, 0, 0x5000, 0x6000);
	put(0, EVENT_mutex_acquire, mutex_kind_lock, 0, 0x5000, 0x6000);
	put(0, EVENT_mutex_acquired, mutex_kind_lock, 0, 0x5000, 0x6000);
	put(0, EVENT_mutex_released, mutex_kind_lock, 0, 0x5000, 0x6010);
	end_program();
	build(2);
	ck_assert_str_eq(archive_text[0], ON_PRIMARY(" <omp_set_lock A1 >omp_set_lock <omp_unset_lock R1 >omp_unset_lock"));
}
END_TEST

START_TEST(nothing_happens_while_recording_was_off)
{
	begin_program();
	uint64_t task = create(3, 0);
	schedule(0, primary, task_status_switch, task);
	put(0, EVENT_recording_off, off_reason_paused, 0, 0, 0);
	put(0, EVENT_recording_on, 0, 0, task, id_make(0, 2));
	put(0, EVENT_buffer_flush, 0, 4096, now + 12, 0);
	schedule(0, task, task_status_complete, primary);
	end_program();
	build(2);
	ck_assert_str_eq(archive_text[0], ON_PRIMARY(" <create task C0.3 >create task S0.3 <task off on flush >task D0.3 S0.0"));
}
END_TEST

static uint64_t id_of(const struct trace *one)
{
	return trace_id_of(one, 1);
}

START_TEST(another_dump_has_another_identifier)
{
	begin_program();
	end_program();
	dump_writer_finish(&w);
	struct trace other[2];
	memset(other, 0, sizeof other);
	ck_assert_int_eq(dump_open(&other[0].dump, dir), 0);
	other[1] = other[0];
	uint64_t id = id_of(&other[0]);
	ck_assert_uint_eq(id_of(&other[1]), id);
	ck_assert_uint_ne(trace_id_of(other, 2), id);
	other[1].dump.meta.pid++;
	ck_assert_uint_ne(id_of(&other[1]), id);
	other[1] = other[0];
	other[1].dump.meta.start.ticks += UINT64_C(1) << 40;
	ck_assert_uint_ne(id_of(&other[1]), id);
	other[1] = other[0];
	other[1].dump.meta.host = "elsewhere";
	ck_assert_uint_ne(id_of(&other[1]), id);
	other[0].dump.streams[1].n_records++; /* of a process that still runs */
	ck_assert_uint_ne(id_of(&other[0]), id);
	dump_close(&other[0].dump);
}
END_TEST

/* Nothing tells which of two places is the identifier's. */
START_TEST(an_anchor_with_the_identifier_in_two_places_is_left_alone)
{
	begin_program();
	end_program();
	build(2);
	char anchor[160], written[sizeof archive_trace_id];
	snprintf(anchor, sizeof anchor, "%s/traces.otf2", out);
	ck_assert_int_eq(trace_id_set(anchor, archive_trace_id), 0);
	FILE *file = fopen(anchor, "a");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(&archive_trace_id, sizeof archive_trace_id, 1, file), 1);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(trace_id_set(anchor, 1), -1);
	file = fopen(anchor, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fseek(file, -(long)sizeof written, SEEK_END), 0);
	ck_assert_uint_eq(fread(written, sizeof written, 1, file), 1);
	fclose(file);
	ck_assert_mem_eq(written, &archive_trace_id, sizeof written);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("otf2");
	TCase *tests = tcase_create("synthetic dumps");
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_task_is_created_entered_left_and_completed);
	tcase_add_test(tests, tasks_nest_in_each_other);
	tcase_add_test(tests, a_task_that_moves_leaves_its_regions_and_enters_them_again);
	tcase_add_test(tests, a_task_that_the_implicit_task_goes_on_without_is_left);
	tcase_add_test(tests, a_discarded_task_begins_and_ends_where_it_is_discarded);
	tcase_add_test(tests, a_detached_task_completes_where_a_member_fulfils_it);
	tcase_add_test(tests, a_detached_task_is_over_where_nothing_is_known_to_go_on);
	tcase_add_test(tests, what_a_killed_process_had_open_is_closed);
	tcase_add_test(tests, a_region_that_the_thread_never_was_in_has_no_fork);
	tcase_add_test(tests, a_worker_may_have_begun_a_region_that_the_primary_thread_never_was_in);
	tcase_add_test(tests, a_region_that_ends_after_a_gap_has_no_second_join);
	tcase_add_test(tests, no_lock_is_held_over_a_gap);
	tcase_add_test(tests, a_lock_that_a_task_leaves_locked_stays_locked);
	tcase_add_test(tests, the_team_of_units_ends_with_its_thread);
	tcase_add_test(tests, a_task_runs_after_its_creation_whatever_the_clocks_say);
	tcase_add_test(tests, critical_regions_are_numbered_over_all_threads);
	tcase_add_test(tests, a_lock_that_is_only_tried_is_nothing);
	tcase_add_test(tests, nothing_happens_while_recording_was_off);
	tcase_add_test(tests, another_dump_has_another_identifier);
	tcase_add_test(tests, an_anchor_with_the_identifier_in_two_places_is_left_alone);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
