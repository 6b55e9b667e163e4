/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The recorder packs (OTTER_PACK): who packs when, what is in which file, and that a whole copy of each record is somewhere at any time.
 */
#include <check.h>
#include <sys/stat.h>

#include "recorder/drain/drain.h"
#include "recorder/drain/drain_pack.h"
#include "recorder/drain/pack_policy.h"
#include "tests/unit/small_ring.h"

static struct session *begin(const char *drain, const char *pack)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", drain, "OTTER_PACK", pack, NULL);
	ck_assert_ptr_nonnull(session);
	session->drain.is_started = 1; /* the test is the drain thread */
	session->idle.stays = true;
	return session;
}

static void drain_is_away(struct session *session)
{
	session->idle.is_away = 1;
	session->idle.away_until_ns = UINT64_MAX;
}

static bool has_file(struct session *session, const char *name)
{
	char path[PATH_MAX + 64];
	struct stat status;
	snprintf(path, sizeof path, "%s/%s", session->dir.path, name);
	return stat(path, &status) == 0;
}

static bool has_note(struct session *session, const char *word)
{
	char *meta = dump_meta(session->dir.path);
	bool has = strstr(meta, word) != NULL;
	free(meta);
	return has;
}

/* How many copies of segments are packed, and how many are not. */
static void count_copies(const struct dump *dump, size_t *n_packed, size_t *n_raw)
{
	*n_packed = *n_raw = 0;
	for (size_t i = 0; i < dump->n_segments; i++)
		if (!dump->segments[i].is_in_ring)
			++*(dump->segments[i].is_packed ? n_packed : n_raw);
}

static void ends_well(struct session *session, uint64_t n)
{
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 0), n);
	ck_assert_uint_eq(dump->n_rings, 0);
	ck_assert_uint_eq(session->stop.cause, 0);
	ck_assert(!has_file(session, "00000.pbuf"));
	ck_assert(!has_file(session, "drain.pbuf"));
	dump_remove();
}

/* At each record, all that were made are in the dump: in the ring, in a packing buffer, or in a file. */
static void put_and_look(struct session *session, uint64_t n, uint64_t drain_every)
{
	for (uint64_t i = 0; i < n; i++) {
		put(i);
		if (drain_every && i % drain_every == 0)
			drain_round(session);
		if (i % 40 && i % SMALL_RECORDS > 2)
			continue;
		struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
		ck_assert_uint_eq(count_numbers(dump, 0), i + 1);
		free(dump);
	}
}

#define N_LOOKS (SMALL_RECORDS * 60)

START_TEST(drain_thread_packs)
{
	struct session *session = begin("auto", "on");
	size_t n_packed, n_raw;
	put_and_look(session, N_LOOKS, SMALL_RECORDS);
	ck_assert(has_file(session, "drain.pbuf"));
	ck_assert(!has_file(session, "00000.pbuf")); /* it was never late */
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	count_copies(dump, &n_packed, &n_raw);
	ck_assert_uint_gt(n_packed, 20);
	ck_assert_uint_eq(n_raw, 0);
	ends_well(session, N_LOOKS);
}
END_TEST

START_TEST(threads_pack_without_it)
{
	struct session *session = begin("self", "on");
	size_t n_packed, n_raw;
	put_and_look(session, N_LOOKS, 0);
	ck_assert_uint_le(tls_stream->n_used, 2); /* a segment is used again at once */
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	count_copies(dump, &n_packed, &n_raw);
	ck_assert_uint_gt(n_packed, 40);
	ck_assert_uint_eq(n_raw, 0);
	ends_well(session, N_LOOKS);
}
END_TEST

/* While the drain thread has no processor threads pack, and it writes what they have packed all the same. */
START_TEST(threads_pack_while_it_is_away)
{
	struct session *session = begin("auto", "on");
	drain_is_away(session);
	put_and_look(session, N_LOOKS, SMALL_RECORDS);
	ck_assert_uint_le(tls_stream->n_used, 3);
	ck_assert(has_file(session, "drain.pseg"));
	ck_assert(!has_file(session, "00000.pseg"));
	ck_assert(!has_file(session, "00000.seg"));
	ends_well(session, N_LOOKS);
}
END_TEST

/* If it does not come for that either, the ring is filled, and then the thread writes. */
START_TEST(thread_writes_when_nobody_else_does)
{
	struct session *session = begin("auto", "on");
	drain_is_away(session);
	put_and_look(session, N_LOOKS, 0);
	ck_assert_uint_eq(tls_stream->n_used, RING_SEGMENTS);
	ck_assert(has_file(session, "00000.pseg"));
	ck_assert(!has_file(session, "00000.seg"));
	ends_well(session, N_LOOKS);
}
END_TEST

/* What is left at the end is packed, too. */
START_TEST(seal_packs)
{
	struct session *session = begin(_i ? "self" : "auto", "on");
	put_many(SMALL_RECORDS * 5);
	session_end("finalize");
	size_t n_packed, n_raw;
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	count_copies(dump, &n_packed, &n_raw);
	ck_assert_uint_eq(n_packed, 6); /* thread_attach is one more record */
	ck_assert_uint_eq(n_raw, 0);
	ck_assert(dump_segment(dump, 0, 6)->is_sealed);
	ck_assert_uint_eq(count_numbers(dump, 0), SMALL_RECORDS * 5);
	ck_assert(!has_file(session, "00000.pbuf"));
	dump_remove();
}
END_TEST

/* Of a segment that is sealed when it has been packed before, the mark is in a second copy. */
START_TEST(flushed_end_is_sealed)
{
	struct session *session = begin("self", "on");
	put_many(100);
	session->n_flushes++;
	session_turn(0, 0);
	struct stream *stream = record_enter_again(&(uint64_t){clock_ticks()});
	ck_assert(record_gate(stream, clock_ticks()));
	record_leave(stream);
	ck_assert_uint_eq(stream->current, SEGMENT_NONE);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 0), 100);
	ck_assert(dump_segment(dump, 0, 1)->is_sealed);
	dump_remove();
}
END_TEST

/* Segments that do not become less are written as they are. */
START_TEST(what_does_not_become_less_is_not_packed)
{
	struct session *session = begin(_i ? "self" : "auto", "on");
	uint64_t x = 88172645463325252u;
	size_t n_packed, n_raw;
	for (uint64_t i = 0; i < SMALL_RECORDS * 30; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		record_one(clock_ticks(), (x << 32 & ~(UINT64_C(0xffff) << 32)) | HEAD, x * x, i);
		if (i % SMALL_RECORDS == 0 && !_i)
			drain_round(session);
	}
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	count_copies(dump, &n_packed, &n_raw);
	ck_assert_uint_eq(n_packed + n_raw, 31);
	dump_remove();
}
END_TEST

/* A packing buffer that cannot be made: a note, and segments as they are. */
START_TEST(without_a_buffer_nothing_is_packed)
{
	struct session *session = begin(_i ? "self" : "auto", "on");
	char path[PATH_MAX + 64];
	put(0);
	snprintf(path, sizeof path, "%s/%s", session->dir.path, _i ? "00000.pbuf" : "drain.pbuf");
	ck_assert_int_eq(mkdir(path, 0700), 0);
	for (uint64_t i = 1; i < SMALL_RECORDS * 30; i++) {
		put(i);
		if (i % SMALL_RECORDS == 0 && !_i)
			drain_round(session);
	}
	ck_assert(has_note(session, "OTTER_PACK: no room for a packing buffer"));
	ck_assert(has_file(session, "drain.seg"));
	rmdir(path);
	ends_well(session, SMALL_RECORDS * 30);
}
END_TEST

/* auto: as long as the drain thread comes in time nothing is packed, then the thread packs that would have to wait. */
START_TEST(auto_packs_where_a_thread_would_wait)
{
	struct session *session = begin("auto", "auto");
	for (uint64_t i = 0; i < SMALL_RECORDS * 30; i++) {
		put(i);
		if (i % SMALL_RECORDS == 0)
			drain_round(session);
	}
	ck_assert(!pack_is_on(session));
	for (uint64_t i = SMALL_RECORDS * 30; i < SMALL_RECORDS * 39; i++)
		put(i);
	ck_assert(pack_is_on(session));
	ck_assert(has_file(session, "00000.pbuf"));
	ck_assert(!has_file(session, "00000.pseg"));
	drain_round(session);
	ck_assert(has_file(session, "drain.pbuf")); /* it packs, too */
	session->pack.until_ns = 0;
	ck_assert(!pack_is_on(session));
	for (uint64_t i = SMALL_RECORDS * 39; i < SMALL_RECORDS * 60; i++) {
		put(i);
		if (i % SMALL_RECORDS == 0)
			drain_round(session);
	}
	ck_assert(!pack_is_on(session));
	ends_well(session, SMALL_RECORDS * 60);
}
END_TEST

/* auto: where the disk stays slow, it is packed for longer each time, up to a minute; after a while of peace it begins anew. */
START_TEST(auto_tries_again_less_and_less)
{
	struct session *session = begin("auto", "auto");
	uint64_t last_ns = 0;
	for (int i = 0; i < 20; i++) {
		pack_disk_is_slow(session);
		ck_assert(pack_is_on(session));
		uint64_t ns = session->pack.until_ns - clock_ns(CLOCK_MONOTONIC);
		if (i && i < 8)
			ck_assert_uint_gt(ns, last_ns + last_ns / 2);
		last_ns = ns;
		session->pack.until_ns = clock_ns(CLOCK_MONOTONIC);
		ck_assert(!pack_is_on(session));
	}
	ck_assert_uint_gt(last_ns, UINT64_C(30000000000));
	ck_assert_uint_lt(last_ns, UINT64_C(70000000000));
	session->pack.until_ns = clock_ns(CLOCK_MONOTONIC) - UINT64_C(100000000000);
	pack_disk_is_slow(session);
	ck_assert_uint_lt(session->pack.until_ns - clock_ns(CLOCK_MONOTONIC), UINT64_C(1000000000));
	ends_well(session, 0);
}
END_TEST

/* auto: a write in which the thread was blocked for long shows a slow disk; one in which it had no processor does not. */
START_TEST(auto_tells_the_disk_from_the_processor)
{
	struct session *session = begin("self", "auto");
	struct timespec moment = {.tv_nsec = 1000000};
	nanosleep(&moment, NULL);
	struct pack_timing timing = pack_write_begins(session);
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
	while (clock_ns(CLOCK_MONOTONIC) - begin_ns < 1000000)
		;
	timing.n_waits++; /* whatever the machine's other work is */
	pack_write_ends(session, &timing, SMALL_SEGMENT);
	ck_assert(!pack_is_on(session));
	timing = pack_write_begins(session);
	nanosleep(&moment, NULL);
	pack_write_ends(session, &timing, SMALL_SEGMENT);
	ck_assert(pack_is_on(session));
	ends_well(session, 0);
}
END_TEST

/* With OTTER_FULL=drop threads pack before they drop, and never write. */
START_TEST(drop_packs_first)
{
	struct session *session = begin("auto", "auto");
	session->config.drops_when_full = true;
	put_many(SMALL_RECORDS * (RING_SEGMENTS + 3));
	ck_assert_uint_eq(sum_lost(session, loss_cause_full), 0);
	for (uint64_t i = 0; i < SMALL_RECORDS * 30; i++)
		put(1000000);
	ck_assert_uint_gt(sum_lost(session, loss_cause_full), 0);
	ck_assert(!has_file(session, "00000.pseg"));
	ck_assert(!has_file(session, "00000.seg"));
	session_end("finalize");
	dump_remove();
}
END_TEST

/* Another thread is using the drain thread's buffer when the session ends: it stays in the dump, with what is in it. */
START_TEST(buffer_that_is_in_use_stays)
{
	struct session *session = begin("auto", "on");
	put_many(SMALL_RECORDS * 3 + 5);
	ck_assert(drain_round(session));
	ck_assert(drain_pack_begin(session));
	session_end("finalize");
	ck_assert(has_file(session, "drain.pbuf"));
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 0), SMALL_RECORDS * 3 + 5);
	dump_remove();
}
END_TEST

/* OTTER_LIMIT counts what is written, and every record is there or counted. */
START_TEST(limit_counts_packed_bytes)
{
	struct session *session =
		dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", "OTTER_PACK", "on", "OTTER_LIMIT", "64K", NULL);
	uint64_t n = SMALL_RECORDS * 400;
	put_many(n);
	ck_assert_uint_eq(session_stopped(session), loss_cause_limit);
	ck_assert_uint_le(session->written.n_bytes, (64 << 10) + SMALL_SEGMENT);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	uint64_t n_there = count_numbers(dump, 0);
	ck_assert_uint_gt(n_there, (64 << 10) / sizeof(struct record) * 2); /* more than fits unpacked */
	ck_assert_uint_eq(n_there + sum_lost(session, loss_cause_limit), n);
	dump_remove();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("packing");
	TCase *packing = tcase_create("packing");
	tcase_set_timeout(packing, 0); /* tests/check.sh ends what hangs */
	tcase_add_test(packing, drain_thread_packs);
	tcase_add_test(packing, threads_pack_without_it);
	tcase_add_test(packing, threads_pack_while_it_is_away);
	tcase_add_test(packing, thread_writes_when_nobody_else_does);
	tcase_add_loop_test(packing, seal_packs, 0, 2);
	tcase_add_test(packing, flushed_end_is_sealed);
	tcase_add_loop_test(packing, what_does_not_become_less_is_not_packed, 0, 2);
	tcase_add_loop_test(packing, without_a_buffer_nothing_is_packed, 0, 2);
	tcase_add_test(packing, auto_packs_where_a_thread_would_wait);
	tcase_add_test(packing, auto_tries_again_less_and_less);
	tcase_add_test(packing, auto_tells_the_disk_from_the_processor);
	tcase_add_test(packing, drop_packs_first);
	tcase_add_test(packing, buffer_that_is_in_use_stays);
	tcase_add_test(packing, limit_counts_packed_bytes);
	suite_add_tcase(suite, packing);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
