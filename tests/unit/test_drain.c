/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The way out of the ring: the drain thread's file, a stream's own, and sealing.
 */
#include <check.h>
#include <linux/magic.h>
#include <pthread.h>
#include <sys/vfs.h>

#include "recorder/drain/drain.h"
#include "recorder/ring/record.h"
#include "tests/unit/small_ring.h"

START_TEST(drain_thread_writes_every_segment)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, NULL);
	ck_assert(session->drain.has_thread);
	put_many(SMALL_RECORDS * 300);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 0), SMALL_RECORDS * 300);
	ck_assert_uint_eq(dump->n_rings, 0);
	dump_remove();
}
END_TEST

/* The drain thread comes out of its sleep for each of them, although nothing but a full segment tells it to. */
START_TEST(drain_thread_wakes)
{
	/* Where records are dropped it takes every segment, whatever other processes do. */
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_FULL", "drop", NULL);
	for (uint64_t k = 0; k < 5; k++) {
		for (uint64_t i = 0; i < SMALL_RECORDS; i++)
			put(k * SMALL_RECORDS + i);
		bool is_there = false;
		for (int tries = 0; tries < 2000 && !is_there; tries++) {
			usleep(1000);
			struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
			for (size_t i = 0; i < dump->n_segments; i++)
				is_there |= dump->segments[i].is_drained && dump->segments[i].header.sequence == k + 1;
			free(dump);
		}
		ck_assert(is_there);
	}
	dump_remove();
}
END_TEST

START_TEST(round_takes_one_segment_of_a_stream)
{
	struct session *session = begin_undrained();
	put_many(SMALL_RECORDS * 3);
	int n_rounds = 0;
	while (drain_round(session))
		n_rounds++;
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	size_t n_drained = 0;
	for (size_t i = 0; i < dump->n_segments; i++)
		n_drained += dump->segments[i].is_drained;
	ck_assert_uint_eq(n_drained, 3);
	ck_assert_uint_eq(session->drain.file.n_places, 3);
	ck_assert_int_ge(n_rounds, 3);
	ck_assert(!drain_round(session));
	dump_remove();
}
END_TEST

/* The drain thread has taken a segment and never comes back: sealing writes it all the same. */
START_TEST(held_segment_is_written_at_the_end)
{
	struct session *session = begin_undrained();
	put_many(SMALL_RECORDS * 4);
	uint32_t held;
	ck_assert(handover_take_any(&tls_stream->full, &held));
	session_end("finalize");
	ck_assert_ptr_eq(tls_stream, STREAM_NONE);
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 0), SMALL_RECORDS * 4);
	ck_assert_uint_eq(dump->n_rings, 0);
	ck_assert(dump_segment(dump, 0, 5)->is_sealed);
	ck_assert(!dump_segment(dump, 0, 4)->is_sealed);
	dump_remove();
}
END_TEST

/* The same where its owner has gone far beyond it with the other segments, as where the drain thread gets no processor. */
START_TEST(segment_held_for_long_is_written_at_the_end)
{
	struct session *session = begin_undrained();
	put_many(SMALL_RECORDS * 2);
	uint32_t held;
	ck_assert(handover_take_any(&tls_stream->full, &held));
	for (uint64_t i = SMALL_RECORDS * 2; i < SMALL_RECORDS * 50; i++)
		put(i);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 0), SMALL_RECORDS * 50);
	ck_assert_uint_eq(dump->n_rings, 0);
	dump_remove();
}
END_TEST

/* What has been drained is not written once more. */
START_TEST(drained_segment_is_not_written_twice)
{
	struct session *session = begin_undrained();
	put_many(SMALL_RECORDS * 4);
	while (drain_round(session))
		;
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	ck_assert_uint_eq(dump->n_segments, 5);
	ck_assert_uint_eq(count_numbers(dump, 0), SMALL_RECORDS * 4);
	dump_remove();
}
END_TEST

static pthread_barrier_t barrier;

static void *live_thread(void *argument)
{
	put_many(10);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	for (uint64_t i = 10; i < 20; i++)
		put(i);
	return argument;
}

/* Another thread lives on when the session ends: its stream stays a ring, takes records, and is sealed when the thread ends. */
START_TEST(live_stream_goes_on_after_the_end)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, NULL);
	pthread_t thread;
	put_many(5);
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, live_thread, NULL);
	pthread_barrier_wait(&barrier);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	ck_assert_uint_eq(dump->n_rings, 1);
	ck_assert_uint_eq(count_numbers(dump, 0), 5);
	ck_assert_uint_eq(count_numbers(dump, 1), 10);
	const char *meta = dump_meta(session->dir.path);
	ck_assert_ptr_nonnull(strstr(meta, "\nstream 0 sealed 6 1 0 0\n"));
	ck_assert_ptr_nonnull(strstr(meta, "\nstream 1 live 11 1 0 0\n"));
	ck_assert_ptr_nonnull(strstr(meta, "\nended finalize\n"));
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	dump = dump_open(session->dir.path, SMALL_SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 1), 20);
	ck_assert_uint_eq(dump->n_rings, 0);
	ck_assert(dump_segment(dump, 1, 1)->is_sealed);

	/* And this thread, should it report anything yet, has a new stream. */
	put(0);
	ck_assert_uint_eq(tls_stream->number, 2);
	session_end("destructor");
	dump = dump_open(session->dir.path, SMALL_SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 2), 1);
	dump_remove();
}
END_TEST

START_TEST(flush_writes_a_segment_before_it_is_full)
{
	struct session *session = begin_undrained();
	put_many(3);
	__atomic_fetch_add(&session->n_flushes, 1, __ATOMIC_RELAXED);
	session_turn(0, 0);
	for (uint64_t i = 3; i < 6; i++)
		put(i);
	while (drain_round(session))
		;
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 0), 6);
	ck_assert_uint_eq(dump_segment(dump, 0, 1)->n_records, 4);
	ck_assert(dump_segment(dump, 0, 1)->is_drained);
	ck_assert_uint_eq(dump_segment(dump, 0, 2)->header.n_records, 4);
	dump_remove();
}
END_TEST

/* Room that is taken ahead for a growing file is at most half of its size, and stays. */
START_TEST(room_ahead_stays_small)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL);
	char path[PATH_MAX + 16];
	struct stat status;
	struct statfs fs;
	put_many(SMALL_RECORDS * 400);
	const struct output_file *file = &session->drain.file;
	snprintf(path, sizeof path, "%s/drain.seg", session->dir.path);
	ck_assert_int_eq(statfs(session->dir.path, &fs), 0);
	ck_assert_int_eq(stat(path, &status), 0);
	if (fs.f_type == EXT4_SUPER_MAGIC) {
		ck_assert_uint_gt(file->reserved, (uint64_t)status.st_size);
		ck_assert_uint_le(file->reserved, (uint64_t)status.st_size * 3 / 2);
		ck_assert_int_gt(status.st_blocks * 512, status.st_size);
	}
	session_end("finalize");
	ck_assert_int_eq(stat(path, &status), 0);
	ck_assert_int_le(status.st_blocks * 512, status.st_size * 3 / 2 + 65536); /* the file system may need blocks of its own */
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 0), SMALL_RECORDS * 400);
	dump_remove();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("drain");
	TCase *drain = tcase_create("drain");
	tcase_set_timeout(drain, 0); /* tests/check.sh ends what hangs */
	tcase_add_test(drain, drain_thread_writes_every_segment);
	tcase_add_test(drain, drain_thread_wakes);
	tcase_add_test(drain, round_takes_one_segment_of_a_stream);
	tcase_add_test(drain, flush_writes_a_segment_before_it_is_full);
	suite_add_tcase(suite, drain);
	TCase *end = tcase_create("end");
	tcase_add_test(end, held_segment_is_written_at_the_end);
	tcase_add_test(end, segment_held_for_long_is_written_at_the_end);
	tcase_add_test(end, drained_segment_is_not_written_twice);
	tcase_add_test(end, room_ahead_stays_small);
	tcase_add_test(end, live_stream_goes_on_after_the_end);
	suite_add_tcase(suite, end);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
