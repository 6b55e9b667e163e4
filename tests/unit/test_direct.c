/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The drain thread's way past the page cache: several segments at once, of any length, in pieces of any size, and through the page cache after
 * all where direct writes are not possible. (Where the tests' directory takes none, they show that way alone.)
 */
#include <check.h>
#include <sys/stat.h>

#include "recorder/drain/direct.h"
#include "recorder/drain/drain.h"
#include "tests/unit/small_ring.h"

#define RING    "256K"
#define SEGMENT UINT64_C(32768)
#define RECORDS ((SEGMENT - sizeof(struct segment_header)) / sizeof(struct record))
#define BATCH   4

/* A session whose drain thread is the test. */
static struct session *begin(const char *name, const char *value)
{
	struct session *session = dump_begin("OTTER_RING", RING, name, value, NULL);
	ck_assert_ptr_nonnull(session);
	session->drain.is_started = 1;
	session->idle.stays = true;
	return session;
}

static off_t drained_bytes(struct session *session)
{
	char path[PATH_MAX + 16];
	struct stat status;
	snprintf(path, sizeof path, "%s/drain.seg", session->dir.path);
	return stat(path, &status) == 0 ? status.st_size : 0;
}

static void flush(struct session *session)
{
	__atomic_fetch_add(&session->n_flushes, 1, __ATOMIC_RELAXED);
	session_turn(0, 0);
}

static void ends_well(struct session *session, uint64_t n)
{
	while (drain_round(session))
		;
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 0), n);
	ck_assert_uint_eq(dump->n_rings, 0);
	ck_assert_uint_eq(session->stop.cause, 0);
	dump_remove();
}

/* It writes as many at once as there are, up to a batch, but never all that the owner has. */
START_TEST(several_are_written_at_once)
{
	struct session *session = begin("OTTER_DRAIN", "auto");
	put(0);
	uint32_t batch = direct_batch(session, tls_stream);
	ck_assert_uint_eq(batch, BATCH);
	for (uint64_t i = 1; i < RECORDS * 7; i++) /* thread_attach is one, too: seven segments are full */
		put(i);
	ck_assert(drain_round(session));
	if (!session->direct.is_off && !session->direct.is_paused) /* a busy disk may be too slow */
		ck_assert_uint_eq(session->drain.file.n_places, BATCH);
	ck_assert_int_eq(drained_bytes(session) % 4096, 0);
	ck_assert(drain_round(session));
	if (!session->direct.is_off && !session->direct.is_paused)
		ck_assert_uint_eq(session->drain.file.n_places, 7);
	for (uint64_t i = RECORDS * 7; i < RECORDS * 50; i++) {
		put(i);
		if (i % (RECORDS * 3) == 0)
			drain_round(session);
	}
	ends_well(session, RECORDS * 50);
}
END_TEST

START_TEST(owner_keeps_one)
{
	struct session *session = begin("OTTER_DRAIN", "auto");
	put_many(RECORDS * BATCH -
		 1); /* thread_attach is one, too: all segments that were used are full, but none is handed over yet */
	ck_assert_uint_eq(tls_stream->n_used, BATCH);
	segment_flush(tls_stream);
	ck_assert_uint_eq(handover_n(&tls_stream->full), BATCH);
	ck_assert(drain_round(session));
	ck_assert_uint_ge(handover_n(&tls_stream->full), 1);
	for (uint64_t i = RECORDS * BATCH - 1; i < RECORDS * 20; i++)
		put(i);
	ends_well(session, RECORDS * 20);
}
END_TEST

/* Segments that are not full are padded, and never have another one behind them in the same write. */
START_TEST(segments_of_any_length)
{
	struct session *session = begin("OTTER_DRAIN", "auto");
	uint64_t n = 0;
	for (unsigned length = 1; length < 400; length += 37) {
		for (uint64_t end = n + length + (length % 3) * RECORDS; n < end; n++)
			put(n);
		flush(session);
		put(n++);
		if (length % 2)
			while (drain_round(session))
				;
	}
	ends_well(session, n);
}
END_TEST

/* A slow disk gets little at once: the pieces of a segment add up. And they grow again. */
START_TEST(pieces_add_up)
{
	struct session *session = begin("OTTER_DRAIN", "auto");
	for (uint64_t i = 0; i < RECORDS * 60; i++) {
		put(i);
		if (i % (RECORDS * 3) == 0) {
			session->direct.piece_bytes = 4096 * (1 + i / RECORDS % 11);
			drain_round(session);
		}
	}
	ck_assert(session->direct.is_off || session->direct.piece_bytes >= 4096);
	ends_well(session, RECORDS * 60);
}
END_TEST

/* A write is not larger than what the disk took in 5 ms. One that is too slow for the smallest gets none for a while, each time for longer. */
START_TEST(slow_disks_get_little)
{
	struct session *session = begin("OTTER_DRAIN", "auto");
	put(0);
	session->direct.piece_bytes = 1 << 17;
	for (unsigned i = 0; i < 5; i++)
		direct_learn(session, session->direct.piece_bytes, 400000); /* more than 300 MB/s */
	ck_assert_uint_eq(session->direct.piece_bytes, 1 << 20);
	direct_learn(session, 1 << 20, 10000000); /* 100 MB/s */
	ck_assert_uint_eq(session->direct.piece_bytes, 1 << 19);
	direct_learn(session, 1 << 19, 10000000); /* 50 MB/s */
	ck_assert_uint_eq(session->direct.piece_bytes, 1 << 18);
	ck_assert(!session->direct.is_paused);
	direct_learn(session, 4096, 100000); /* little takes little, but the disk is not faster by that */
	ck_assert_uint_le(session->direct.piece_bytes, 1 << 18);
	ck_assert(!session->direct.is_paused);
	uint64_t pause_ns = 0;
	for (unsigned i = 0; i < 12; i++) {
		direct_learn(session, 1 << 18, 90000000);
		ck_assert(session->direct.is_paused);
		ck_assert_uint_ge(session->direct.pause_ns, pause_ns);
		pause_ns = session->direct.pause_ns;
		ck_assert_uint_eq(direct_batch(session, tls_stream), 1);
		direct_resume(session);
		ck_assert(session->direct.is_paused);
		session->direct.resume_ns = 0;
		direct_resume(session);
		ck_assert(!session->direct.is_paused);
		ck_assert_uint_eq(direct_batch(session, tls_stream), BATCH);
	}
	ck_assert_uint_gt(pause_ns, UINT64_C(10000000000));
	ck_assert_uint_lt(pause_ns, UINT64_C(100000000000));
	session_end("finalize");
	dump_remove();
}
END_TEST

/* What does not take direct writes gets everything in the other way. */
START_TEST(refusal_ends_direct_writes)
{
	struct session *session = begin("OTTER_DRAIN", "auto");
	put_many(RECORDS * 3);
	int fd = open("/dev/null", O_WRONLY);
	bool is_refused = false;
	struct iovec piece = {stream_segment(tls_stream, 0), SEGMENT};
	ck_assert_int_eq(direct_write(session, fd, &piece, 1, 0, &is_refused), 0);
	close(fd);
	ck_assert(is_refused && session->direct.is_off);
	ck_assert_uint_eq(direct_batch(session, tls_stream), 1);
	for (uint64_t i = RECORDS * 3; i < RECORDS * 30; i++) {
		put(i);
		if (i % RECORDS == 0)
			drain_round(session);
	}
	ends_well(session, RECORDS * 30);
}
END_TEST

/* In the middle of a file, too: first directly, then through the page cache. */
START_TEST(both_ways_in_one_file)
{
	struct session *session = begin("OTTER_DRAIN", "auto");
	for (uint64_t i = 0; i < RECORDS * 40; i++) {
		put(i);
		if (i == RECORDS * 20)
			session->direct.is_off = true;
		if (i % (RECORDS * 2) == 0)
			drain_round(session);
	}
	ends_well(session, RECORDS * 40);
}
END_TEST

/* Not where a write would wait for the disk in vain. */
START_TEST(not_everywhere)
{
	static const char *const settings[][2] = {{"OTTER_FULL", "drop"}, {"OTTER_KEEP", "newest"}, {"OTTER_RING", SMALL_RING}};
	int k = _i;
	struct session *session = begin(settings[k][0], settings[k][1]);
	put(0);
	ck_assert_uint_eq(direct_batch(session, tls_stream), 1);
	session_end("finalize");
	dump_remove();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("direct");
	TCase *direct = tcase_create("direct");
	tcase_set_timeout(direct, 0); /* tests/check.sh ends what hangs */
	tcase_add_test(direct, several_are_written_at_once);
	tcase_add_test(direct, owner_keeps_one);
	tcase_add_test(direct, segments_of_any_length);
	tcase_add_test(direct, pieces_add_up);
	tcase_add_test(direct, slow_disks_get_little);
	tcase_add_test(direct, refusal_ends_direct_writes);
	tcase_add_test(direct, both_ways_in_one_file);
	tcase_add_loop_test(direct, not_everywhere, 0, 3);
	suite_add_tcase(suite, direct);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
