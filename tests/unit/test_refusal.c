/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the recorder does if a file cannot grow, or there is no room for one: it counts what is lost, and does not
 * disturb the program.
 */
#include <check.h>
#include <sys/resource.h>

#include "recorder/ring/record.h"
#include "tests/unit/small_ring.h"

START_TEST(limit_stops_and_every_loss_is_counted)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_LIMIT", "40K", "OTTER_DRAIN", "self", NULL);
	uint64_t n = SMALL_RECORDS * 50;
	put_many(n);
	ck_assert_uint_eq(session_stopped(session), loss_cause_limit);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	uint64_t n_there = count_numbers(dump, 0);
	ck_assert_uint_ge(n_there, SMALL_RECORDS * 9);
	ck_assert_uint_eq(n_there + sum_lost(session, loss_cause_limit), n);
	ck_assert_ptr_nonnull(strstr(dump_meta(session->dir.path), "\nnote recording stopped: the limit is reached"));
	dump_remove();
}
END_TEST

/* The process may be killed before meta has the counts. */
START_TEST(counts_of_losses_stay_in_the_ring_until_meta_has_them)
{
	for (int has_limit = 0; has_limit < 2; has_limit++) {
		struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_LIMIT", has_limit ? "40K" : "100M",
						     "OTTER_DRAIN", "self", NULL);
		char path[PATH_MAX + 16];
		put_many(SMALL_RECORDS * 50);
		snprintf(path, sizeof path, "%s/00000.ring", session->ring_dir.path);
		stream_seal(session_stream(session, 0));
		ck_assert_int_eq(access(path, F_OK), has_limit ? 0 : -1);
		tls_stream = STREAM_NONE;
		session_end("finalize");
		ck_assert_int_eq(access(path, F_OK), -1);
		dump_remove();
	}
}
END_TEST

/* SIGXFSZ would end the process by default. */
START_TEST(file_size_limit_raises_no_signal)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL);
	put(0);
	struct rlimit limit = {100 * 1024, RLIM_INFINITY};
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	uint64_t n = SMALL_RECORDS * 80; /* more than there is room for in two files */
	for (uint64_t i = 1; i < n; i++)
		put(i);
	ck_assert_uint_eq(session_stopped(session), loss_cause_limit);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	uint64_t n_there = count_numbers(dump, 0);
	ck_assert_uint_ge(n_there, SMALL_RECORDS * 48);
	ck_assert_uint_eq(n_there + sum_lost(session, loss_cause_limit), n);
	dump_remove();
}
END_TEST

START_TEST(vanished_directory_stops_recording_only)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL);
	put(0);
	dump_remove();
	uint64_t n = SMALL_RECORDS * 50;
	for (uint64_t i = 1; i < n; i++)
		put(i);
	ck_assert_uint_eq(session_stopped(session), loss_cause_io_error);
	ck_assert_uint_gt(sum_lost(session, loss_cause_io_error), 0);
	session_end("finalize");
}
END_TEST

/* A flight recorder: its files have a fixed number of places, and keep the newest segments. */
START_TEST(newest_are_kept)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_KEEP", "newest", "OTTER_LIMIT", "256K", NULL);
	uint64_t n = SMALL_RECORDS * 500;
	put_many(n);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	uint64_t last = 0;
	uint64_t n_kept = 0;
	bool is_kept[600] = {false};
	for (size_t i = 0; i < dump->n_segments; i++) {
		uint64_t sequence = dump->segments[i].header.sequence;
		n_kept += !is_kept[sequence];
		is_kept[sequence] = true;
		last = sequence > last ? sequence : last;
	}
	ck_assert_uint_ge(last, 501);
	for (uint64_t sequence = last - RING_SEGMENTS; sequence <= last; sequence++)
		ck_assert(is_kept[sequence]);
	const struct dump_segment *end = dump_segment(dump, 0, last);
	ck_assert(end->is_sealed);
	const struct record *record = &end->records[end->n_records - 1];
	while (record > end->records && record_kind(record) != EVENT_task_schedule)
		record--; /* the last task_schedule may be followed by a buffer_flush */
	ck_assert_uint_eq(record->b, n - 1);
	ck_assert_uint_le(n_kept, 64);
	ck_assert_uint_ge(session->written.n_overwritten, (last - n_kept - 8) * SMALL_RECORDS);
	dump_remove();
}
END_TEST

/* How many segments of a stream are kept: each of its two files has so many places. */
static uint64_t kept_of(const struct session *session, uint32_t number)
{
	const uint64_t last = UINT64_C(1) << 40;
	return last - output_first_kept(session, number, last) + 1;
}

/* The stream of switches, too, is within the limit. */
START_TEST(all_streams_together_keep_to_the_limit)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_KEEP", "newest", "OTTER_LIMIT", "1M", NULL);
	uint64_t of_switches = kept_of(session, ID_STREAM_SWITCHES), of_stream = kept_of(session, 0);
	session->n_processors = 8;
	uint64_t of_eight = kept_of(session, 0);
	ck_assert_uint_gt(of_switches, 2);
	ck_assert_uint_gt(of_eight, 2);
	ck_assert_uint_ge(of_stream, of_eight);
	ck_assert_uint_le((2 * 8 * of_eight + 2 * of_switches) * SMALL_SEGMENT, UINT64_C(1) << 20);
	session_end("finalize");
	dump_remove();
}
END_TEST

/* If there is no room for the ring's third segment, recording goes on with two, and the thread writes them itself. */
START_TEST(ring_grows_as_far_as_there_is_room)
{
	struct session *session = begin_undrained();
	char path[PATH_MAX + 16];
	put_many(SMALL_RECORDS * 2 - 1); /* the first record is thread_attach */
	struct stream *stream = tls_stream;
	ck_assert_uint_eq(stream->n_used, 2);
	snprintf(path, sizeof path, "%s/00000.ring", session->ring_dir.path);
	ck_assert_int_eq(unlink(path), 0);
	stream->has_all_room = false; /* as if the ring were not on a tmpfs, where all its room is reserved */
	for (uint64_t i = SMALL_RECORDS * 2 - 1; i < SMALL_RECORDS * 20; i++)
		put(i);
	ck_assert_uint_eq(stream->n_segments, 2);
	ck_assert_uint_eq(session_stopped(session), 0);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 0), SMALL_RECORDS * 20);
	dump_remove();
}
END_TEST

/* With a single segment recording cannot go on: the thread would have to wait for its own segment. */
START_TEST(ring_of_one_segment_stops)
{
	struct session *session = begin_undrained();
	char path[PATH_MAX + 16];
	put(0);
	snprintf(path, sizeof path, "%s/00000.ring", session->ring_dir.path);
	ck_assert_int_eq(unlink(path), 0);
	tls_stream->has_all_room = false;
	for (uint64_t i = 1; i < SMALL_RECORDS * 3; i++)
		put(i);
	ck_assert_uint_eq(session_stopped(session), loss_cause_io_error);
	ck_assert_uint_eq(SMALL_RECORDS - 1 + sum_lost(session, loss_cause_io_error), SMALL_RECORDS * 3);
	dump_remove();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("refusal");
	TCase *refusal = tcase_create("refusal");
	tcase_add_test(refusal, limit_stops_and_every_loss_is_counted);
	tcase_add_test(refusal, counts_of_losses_stay_in_the_ring_until_meta_has_them);
	tcase_add_test(refusal, file_size_limit_raises_no_signal);
	tcase_add_test(refusal, vanished_directory_stops_recording_only);
	tcase_add_test(refusal, newest_are_kept);
	tcase_add_test(refusal, all_streams_together_keep_to_the_limit);
	tcase_add_test(refusal, ring_grows_as_far_as_there_is_room);
	tcase_add_test(refusal, ring_of_one_segment_stops);
	suite_add_tcase(suite, refusal);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
