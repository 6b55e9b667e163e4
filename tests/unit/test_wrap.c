/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counters that overflow: it would take days or petabytes to get there, so each counter starts close to its end.
 */
#include <check.h>

#include "recorder/drain/drain.h"
#include "recorder/ring/record.h"
#include "tests/recorder_dump.h"

#define SEGMENT UINT64_C(4096)
#define RECORDS ((SEGMENT - sizeof(struct segment_header)) / sizeof(struct record))
#define COUNTER (UINT64_C(1) << 44) /* an id's counter has 44 bits */

static void put(uint64_t number)
{
	record_one(clock_ticks(), record_head(EVENT_task_schedule, task_status_switch, 0), 0, number);
}

/* A session whose only stream has written one segment and has none open. */
static struct session *begin(const char *drain)
{
	struct session *session = dump_begin("OTTER_RING", "32K", "OTTER_DRAIN", drain, NULL);
	ck_assert_ptr_nonnull(session);
	put(0);
	segment_flush(tls_stream);
	ck_assert_uint_eq(tls_stream->current, SEGMENT_NONE);
	return session;
}

/* Counts the numbers in the segments from `sequence` on, which must be `first`, first + 1, ... */
static uint64_t count_numbers(const struct dump *dump, uint64_t sequence, uint64_t first)
{
	uint64_t next = first;
	const struct dump_segment *s;
	for (; (s = dump_segment(dump, 0, sequence)); sequence++)
		for (size_t i = 0; i < s->n_records; i++)
			if (record_kind(&s->records[i]) == EVENT_task_schedule)
				ck_assert_uint_eq(s->records[i].b, next++);
	return next - first;
}

/* Brings the counters of an empty hand-over close to their end: CK counts entries in 32 bits. */
static void wind(struct handover *handover)
{
	ck_assert(!handover_has(handover));
	handover->ring.c_head = handover->ring.p_tail = handover->ring.p_head = UINT32_MAX - 20;
}

START_TEST(hand_over_goes_round_32_bits)
{
	struct session *session = begin("self");
	struct stream *s = tls_stream;
	uint32_t index;
	while (handover_take(&s->empty, &index))
		s->n_used = 0; /* as if no segment had ever been used */
	wind(&s->full);
	wind(&s->empty);
	uint64_t n = 60 * RECORDS;
	for (uint64_t i = 1; i <= n; i++)
		put(i);
	ck_assert_uint_lt(s->full.ring.p_tail, 1000);
	session_end("finalize");
	ck_assert_uint_eq(count_numbers(dump_open(session->dir.path, SEGMENT), 2, 1), n);
	dump_remove();
}
END_TEST

/* The same with the drain thread, which takes from one ring and puts into the other. */
START_TEST(drained_hand_over_goes_round_32_bits)
{
	struct session *session = begin("self");
	struct stream *s = tls_stream;
	uint32_t index;
	session->drain.has_thread = true; /* the test plays the drain thread */
	session->drain.is_started = 1;
	session->idle.stays = true;
	while (handover_take(&s->empty, &index))
		s->n_used = 0;
	wind(&s->full);
	wind(&s->empty);
	uint64_t n = 60 * RECORDS;
	for (uint64_t i = 1; i <= n; i++) {
		put(i);
		if (i % (3 * RECORDS) == 0)
			while (drain_round(session))
				;
	}
	ck_assert_uint_lt(s->full.ring.p_tail, 1000);
	ck_assert_uint_lt(s->empty.ring.p_tail, 1000);
	session_end("finalize");
	ck_assert_uint_eq(count_numbers(dump_open(session->dir.path, SEGMENT), 2, 1), n);
	dump_remove();
}
END_TEST

/* Sequence numbers, positions and numbers of records have 64 bits everywhere. */
START_TEST(sequences_go_beyond_32_bits)
{
	static const uint64_t firsts[] = {UINT32_MAX - 2, (UINT64_C(1) << 51) - 3};
	struct session *session = begin("self");
	struct stream *s = tls_stream;
	s->n_records = UINT32_MAX - 10;
	s->end = firsts[_i] << s->shift;
	stream_control(s)->position = s->end;
	uint64_t n = 30 * RECORDS;
	for (uint64_t i = 1; i <= n; i++)
		put(i);
	session_end("finalize");
	const struct dump *dump = dump_open(session->dir.path, SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, firsts[_i], 1), n);
	ck_assert_uint_eq(dump_segment(dump, 0, firsts[_i] + 5)->header.n_records, UINT32_MAX - 10 + 5 * RECORDS);
	dump_remove();
}
END_TEST

/* A thread that has created 2^44 tasks counts from 0 again. Its ids stay its own, and headers have the new counts. */
START_TEST(ids_start_again)
{
	struct session *session = begin("self");
	struct stream *s = tls_stream;
	s->last_task = s->last_region = s->last_operation = (COUNTER - 3) * RECORD_ID_STEP;
	for (uint64_t i = 0; i < 6; i++) {
		uint64_t counter = (COUNTER - 2 + i) % COUNTER, id = record_new_task(s);
		ck_assert_uint_eq(id, id_make(s->number, counter));
		ck_assert_uint_eq(record_new_region(s), id);
		ck_assert_uint_eq(record_new_operation(s), id);
		record_one(clock_ticks(), record_head(EVENT_task_create, task_flags_explicit, id_counter(id)), 0, 0);
		segment_flush(s);
	}
	put(0);
	session_end("finalize");
	const struct dump *dump = dump_open(session->dir.path, SEGMENT);
	for (uint64_t i = 0; i < 6; i++) {
		const struct dump_segment *segment = dump_segment(dump, 0, 2 + i);
		size_t k = 0;
		while (k < segment->n_records && record_kind(&segment->records[k]) != EVENT_task_create)
			k++;
		ck_assert_uint_lt(k, segment->n_records);
		ck_assert_uint_eq(record_value(&segment->records[k]), (COUNTER - 2 + i) % COUNTER);
		ck_assert_uint_eq(record_flags(&segment->records[k]), task_flags_explicit);
		ck_assert_uint_eq(segment->header.n_tasks, (COUNTER - 2 + i) % COUNTER);
	}
	dump_remove();
}
END_TEST

/* Recording is turned off and on until the epoch, which streams compare as a whole, has overflowed. */
START_TEST(epoch_goes_round)
{
	record_epoch = 0 - 8 * EPOCH_STEP;
	struct session *session = begin("self");
	uint64_t n = 1;
	for (int i = 0; i < 12; i++) {
		session_turn(EPOCH_PAUSED, 0);
		put(1000000);
		session_turn(0, EPOCH_PAUSED);
		put(n++);
	}
	ck_assert_uint_lt(record_epoch, 100 * EPOCH_STEP);
	session_end("finalize");
	ck_assert_uint_eq(count_numbers(dump_open(session->dir.path, SEGMENT), 1, 0), n);
	dump_remove();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("wrap");
	TCase *counters = tcase_create("counters");
	tcase_add_test(counters, hand_over_goes_round_32_bits);
	tcase_add_test(counters, drained_hand_over_goes_round_32_bits);
	tcase_add_loop_test(counters, sequences_go_beyond_32_bits, 0, 2);
	tcase_add_test(counters, ids_start_again);
	tcase_add_test(counters, epoch_goes_round);
	suite_add_tcase(suite, counters);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
