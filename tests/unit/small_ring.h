/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What tests of the way out of the ring share: records with numbers, rings so small that they soon have to go somewhere, and a session without
 * a drain thread.
 */
#ifndef OTTER_TESTS_SMALL_RING_H
#define OTTER_TESTS_SMALL_RING_H

#include <check.h>

#include "recorder/ring/record.h"
#include "tests/recorder_dump.h"

#define SMALL_RING    "32K"
#define SMALL_SEGMENT UINT64_C(4096)
#define SMALL_RECORDS ((SMALL_SEGMENT - sizeof(struct segment_header)) / sizeof(struct record))
#define HEAD          record_head(EVENT_task_schedule, task_status_switch, 0)

__attribute__((unused)) static void put(uint64_t number)
{
	record_one(clock_ticks(), HEAD, 0, number);
}

__attribute__((unused)) static void put_many(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		put(i);
}

/* The test's own records in a stream, which must be 0, 1, 2 ... Without check's macros: a forked child must not write to its pipe. */
__attribute__((unused)) static uint64_t count_numbers(const struct dump *dump, uint32_t stream)
{
	size_t n_records;
	uint64_t next = 0;
	struct record *records = dump_records(dump, stream, &n_records);
	for (size_t i = 0; i < n_records; i++)
		if (record_kind(&records[i]) == EVENT_task_schedule && records[i].b != next++)
			return UINT64_MAX;
	free(records);
	return next;
}

/* A session whose drain thread is the test: it calls drain_round() itself. */
__attribute__((unused)) static struct session *begin_undrained(void)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL);
	ck_assert_ptr_nonnull(session);
	session->drain.has_thread = true;
	session->drain.is_started = 1;
	session->idle.stays = true;
	return session;
}

/* Of all streams, by one cause. */
__attribute__((unused)) static uint64_t sum_lost(struct session *session, unsigned cause)
{
	uint64_t lost = 0;
	for (uint32_t i = 0; i < session_n_streams(session); i++)
		lost += stream_control(session_stream(session, i))->lost[cause];
	return lost;
}

#endif
