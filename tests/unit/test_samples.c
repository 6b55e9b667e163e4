/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How the builder reads samples: in streams of their own, in groups, counted by state, with the runtime's names of
 * states.
 */
#include <check.h>
#include <string.h>

#include "builder/dump/samples.h"
#include "builder/summary/summary.h"
#include "tests/unit/reader_fixture.h"

static struct dump_writer w;
static struct dump d;

/* Stream 0 has a thread with a task, and there are samples of it. */
static void begin(void)
{
	dump_writer_init(&w, reader_dir);
	reader_fill(&w, 0, 3);
	dump_writer_record(&w, WRITER_SAMPLES, 10001, EVENT_thread_attach, 0, 0, 1000, UINT64_MAX);
}

static void put(uint32_t stream, uint64_t ticks, unsigned missed, unsigned state, uint64_t wait_id)
{
	uint64_t value = (uint64_t)(wait_id != 0 ? sample_flags_has_wait_id : 0) << 32 | state;
	dump_writer_record(&w, stream, ticks, EVENT_sample, missed, value, id_make(0, 1), id_make(0, 1));
	if (wait_id != 0)
		dump_writer_record(&w, stream, ticks, EVENT_sample_wait, 0, 0, wait_id, 0);
}

static void next_is(struct cursor *c, uint64_t ticks, unsigned missed, unsigned state, uint64_t wait_id)
{
	struct sample sample;
	ck_assert(sample_next(&d, c, &sample));
	ck_assert_uint_eq(sample.ticks, ticks);
	ck_assert_uint_eq(sample.missed, missed);
	ck_assert_uint_eq(sample.state, state);
	ck_assert_uint_eq(sample.wait_id, wait_id);
	ck_assert_uint_eq(sample.task, id_make(0, 1));
	ck_assert_uint_eq(sample.region, id_make(0, 1));
}

START_TEST(samples_are_apart_from_events)
{
	begin();
	reader_fill(&w, 3, 2); /* a stream without samples */
	put(WRITER_SAMPLES, 10010, 0, thread_state_work_serial, 0);
	put(WRITER_SAMPLES, 10020, 4095, thread_state_wait_lock, 0xabc);
	put(WRITER_SAMPLES, 10030, 2, 0x200, 0xdef);
	put(WRITER_SAMPLES, 10040, 0, thread_state_work_parallel, 0);
	put(WRITER_SAMPLES + 1, 10050, 0, thread_state_idle, 0); /* samples of a stream without events */
	dump_writer_finish(&w);
	ck_assert_int_eq(reader_open(&d, reader_dir), 0);
	ck_assert_str_eq(reader_said, "");
	ck_assert(d.is_complete);
	ck_assert_uint_eq(d.n_streams, 2);
	ck_assert_uint_eq(d.n_samples, 2);
	ck_assert_uint_eq(d.n_records, d.streams[0].n_records + d.streams[1].n_records);
	reader_assert_filled(&d.streams[0], 3);
	ck_assert_ptr_null(samples_of(&d, 3));
	ck_assert_ptr_eq(samples_of(&d, 1), &d.samples[1]);
	const struct stream *samples = samples_of(&d, 0);
	ck_assert_ptr_eq(samples, &d.samples[0]);
	struct cursor c;
	struct sample sample;
	cursor_init(&c, samples);
	next_is(&c, 10010, 0, thread_state_work_serial, 0);
	next_is(&c, 10020, 4095, thread_state_wait_lock, 0xabc);
	next_is(&c, 10030, 2, 0x200, 0xdef);
	next_is(&c, 10040, 0, thread_state_work_parallel, 0);
	ck_assert(!sample_next(&d, &c, &sample));
	dump_close(&d);
}
END_TEST

/* A sample is left out if a gap separates it from its wait id. */
START_TEST(cut_sample_is_left_out)
{
	begin();
	for (unsigned i = 0; i < 122; i++)
		put(WRITER_SAMPLES, 10100 + i, 0, thread_state_work_parallel, 0);
	put(WRITER_SAMPLES, 10300, 0, thread_state_wait_lock,
	    0xabc); /* the last record of segment 1, continued by the first one of segment 2 */
	for (unsigned i = 0; i < 130; i++)
		put(WRITER_SAMPLES, 10400 + i, 0, thread_state_work_serial, 0);
	w.streams[WRITER_SAMPLES].missing = 2;
	dump_writer_finish(&w);
	ck_assert_int_eq(reader_open(&d, reader_dir), 0);
	ck_assert_uint_eq(reader_found(&d, "group_cut"), 1);
	ck_assert_uint_eq(reader_found(&d, "segments_missing"), 1);
	ck_assert(!d.is_complete);
	struct sample_counts counts = {0};
	ck_assert_int_eq(samples_count(&counts, &d, samples_of(&d, 0)), 0);
	ck_assert_uint_eq(counts.n_rows, 2);
	ck_assert_uint_eq(counts.rows[0].state, thread_state_work_serial);
	ck_assert_uint_eq(counts.rows[1].state, thread_state_work_parallel);
	ck_assert_uint_eq(counts.rows[1].n_samples, 122);
	samples_free(&counts);
	dump_close(&d);
}
END_TEST

START_TEST(counts_by_state_and_thread)
{
	begin();
	reader_fill(&w, 1, 1);
	for (unsigned i = 0; i < 10; i++)
		put(WRITER_SAMPLES, 10100 + i, i, i % 2 == 0 ? thread_state_work_parallel : thread_state_idle, 0);
	put(WRITER_SAMPLES + 1, 10200, 1, thread_state_idle, 0);
	w.streams[WRITER_SAMPLES].lost[loss_cause_full] = 7;
	w.streams[WRITER_SAMPLES].n_lost = 7;
	w.more_meta = "sampling 1000 wall 64\n";
	dump_writer_finish(&w);
	struct trace trace = {0};
	ck_assert_int_eq(reader_open(&trace.dump, reader_dir), 0);
	ck_assert_uint_eq(trace.dump.n_lost, 0); /* samples are lost, but no records */
	struct samples_summary summary = {0};
	samples_collect(&summary, &trace);
	ck_assert_uint_eq(summary.n_threads, 2);
	ck_assert_uint_eq(summary.threads[1].stream, 1);
	ck_assert_uint_eq(summary.threads[1].counts.n_samples, 1);
	ck_assert_uint_eq(summary.threads[1].counts.n_expirations, 2);
	ck_assert_uint_eq(summary.all.n_samples, 11);
	ck_assert_uint_eq(summary.all.n_expirations, 10 + 45 + 2);
	ck_assert_uint_eq(summary.all.n_lost, 7);
	ck_assert_uint_eq(summary.all.n_rows, 2);
	ck_assert_uint_eq(summary.all.rows[0].state, thread_state_work_parallel);
	ck_assert_uint_eq(summary.all.rows[0].n_expirations, 5 + 0 + 2 + 4 + 6 + 8);
	ck_assert_uint_eq(summary.all.rows[1].n_samples, 6);
	json_t *object = samples_json(&summary);
	ck_assert_int_eq(json_integer_value(json_object_get(object, "hz")), 1000);
	ck_assert_str_eq(json_string_value(json_object_get(object, "clock")), "wall");
	ck_assert_uint_eq(json_array_size(json_object_get(object, "threads")), 2);
	json_t *idle = json_object_get(json_object_get(object, "states"), "idle");
	ck_assert_int_eq(json_integer_value(json_object_get(idle, "samples")), 6);
	json_decref(object);
	samples_summary_free(&summary);
	dump_close(&trace.dump);
}
END_TEST

START_TEST(names_are_the_runtimes)
{
	begin();
	w.more_meta =
		"state 1 ompt_state_work_parallel\nstate 512 waiting for tea\nstate 513\nmutex_impl 2 queue\nsampling 50 cpu 60\n";
	dump_writer_finish(&w);
	ck_assert_int_eq(reader_open(&d, reader_dir), 0);
	ck_assert_uint_eq(d.meta.n_damaged_lines, 0);
	ck_assert_uint_eq(d.meta.n_mutex_impls, 1);
	ck_assert_str_eq(d.meta.mutex_impls[0].name, "queue");
	ck_assert_uint_eq(d.meta.sample_hz, 50);
	ck_assert_str_eq(d.meta.sample_clock, "cpu");
	ck_assert_str_eq(sample_state_name(&d.meta, 1), "work_parallel");
	ck_assert_str_eq(sample_state_name(&d.meta, 512), "waiting for tea");
	ck_assert_str_eq(sample_state_name(&d.meta, 513), "unknown");
	ck_assert_str_eq(sample_state_name(&d.meta, 3), "unknown");
	ck_assert(sample_state_is_named(&d.meta, 512) && !sample_state_is_named(&d.meta, 513));
	dump_close(&d);
}
END_TEST

/* Lines of meta that make no sense are skipped and counted. */
START_TEST(damaged_lines_are_skipped)
{
	begin();
	w.more_meta = "state x y\nsampling 0 wall 64\nsampling 10\nmutex_impl\n";
	dump_writer_finish(&w);
	ck_assert_int_eq(reader_open(&d, reader_dir), 0);
	ck_assert_uint_eq(d.meta.n_damaged_lines, 4);
	ck_assert_uint_eq(d.meta.n_states + d.meta.n_mutex_impls + d.meta.sample_hz, 0);
	dump_close(&d);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("samples");
	TCase *samples = tcase_create("samples");
	tcase_add_checked_fixture(samples, reader_setup, reader_teardown);
	tcase_add_test(samples, samples_are_apart_from_events);
	tcase_add_test(samples, cut_sample_is_left_out);
	tcase_add_test(samples, counts_by_state_and_thread);
	tcase_add_test(samples, names_are_the_runtimes);
	tcase_add_test(samples, damaged_lines_are_skipped);
	suite_add_tcase(suite, samples);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
