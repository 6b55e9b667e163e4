/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The append: slots, positions, sequences, what happens at a segment's end, and what a reader sees of a ring whose process is dead.
 */
#include <check.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "recorder/drain/drain.h"
#include "recorder/ring/record.h"
#include "tests/recorder_dump.h"

#define SMALL_RING    "32K" /* segments of 4096 bytes */
#define SMALL_SEGMENT UINT64_C(4096)
#define SMALL_RECORDS ((SMALL_SEGMENT - sizeof(struct segment_header)) / sizeof(struct record))

/* A record that is known by its number. Any kind will do: the ring does not read it. */
#define HEAD record_head(EVENT_task_schedule, task_status_switch, 0)

static void put(uint64_t number)
{
	record_one(clock_ticks(), HEAD, 0, number);
}

static struct session *begin_self(void)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL);
	ck_assert_ptr_nonnull(session);
	ck_assert_uint_eq(session->config.segment_bytes, SMALL_SEGMENT);
	return session;
}

/* Numbers of the test's records must be 0, 1, 2 ...; returns how many there are. */
static uint64_t check_numbers(const struct record *records, size_t n_records)
{
	uint64_t next = 0;
	uint64_t time = 0;
	for (size_t i = 0; i < n_records; i++) {
		ck_assert_uint_ge(records[i].time, time);
		time = records[i].time;
		if (record_kind(&records[i]) == EVENT_task_schedule)
			ck_assert_uint_eq(records[i].b, next++);
	}
	return next;
}

static size_t count_kind(const struct record *records, size_t n_records, unsigned kind)
{
	size_t n = 0;
	for (size_t i = 0; i < n_records; i++)
		n += record_kind(&records[i]) == kind;
	return n;
}

#define LINE_OF(type, field)      (offsetof(struct type, field) / CACHE_LINE_BYTES)
#define LAST_LINE_OF(type, field) ((offsetof(struct type, field) + sizeof(((struct type *)NULL)->field) - 1) / CACHE_LINE_BYTES)

/* Between two ends of segments no thread takes a cache line away from another one's appends. */
START_TEST(appends_share_no_cache_line)
{
	ck_assert_uint_eq(alignof(struct stream), CACHE_LINE_BYTES);
	ck_assert_uint_eq(STREAM_BYTES % CACHE_LINE_BYTES, 0);
	/* For a record: the first line of the stream, and the position's. For an implicit task: the contexts of teams too. */
	ck_assert_uint_eq(LAST_LINE_OF(stream, epoch), 0);
	ck_assert_uint_eq(LINE_OF(stream, team), 1);
	size_t last_own = LAST_LINE_OF(stream, xstream);
	/* The drain thread, at a segment. */
	ck_assert_uint_gt(LINE_OF(stream, end), last_own);
	ck_assert_uint_gt(LINE_OF(stream, shift), last_own);
	ck_assert_uint_gt(LINE_OF(stream, session), last_own);
	ck_assert_uint_gt(LINE_OF(stream, n_used), last_own);
	ck_assert_uint_gt(LINE_OF(stream, drain_file), last_own);
	ck_assert_uint_gt(LINE_OF(stream, full), last_own);
	ck_assert_uint_gt(LINE_OF(stream, empty), last_own);
	ck_assert_uint_gt(LINE_OF(stream, written), last_own);
	/* Any thread that looks for a stream. */
	ck_assert_uint_gt(LINE_OF(stream, owner), last_own);
	ck_assert_uint_gt(LINE_OF(ring_control, position), LAST_LINE_OF(ring_control, pid));
	ck_assert_uint_lt(LINE_OF(ring_control, position), LINE_OF(ring_control, lost));
	ck_assert_uint_eq(offsetof(struct segment_header, closed) / CACHE_LINE_BYTES, 0);
	ck_assert_uint_eq(sizeof(struct segment_header) % CACHE_LINE_BYTES, 0);
}
END_TEST

START_TEST(first_record_opens_the_first_segment)
{
	begin_self();
	ck_assert_ptr_eq(tls_stream, STREAM_NONE);
	put(7);
	struct stream *s = tls_stream;
	const struct segment_header *header = stream_segment(s, 0);
	ck_assert_uint_eq(header->magic, SEGMENT_MAGIC);
	ck_assert_uint_eq(header->sequence, 1);
	ck_assert_uint_eq(header->closed, 0);
	ck_assert_uint_eq(header->checksum, segment_checksum(header));
	/* thread_attach, then ours */
	ck_assert_uint_eq(stream_control(s)->position, SMALL_SEGMENT + sizeof *header + 2 * sizeof(struct record));
	const struct record *records = (const struct record *)(header + 1);
	ck_assert_uint_eq(record_kind(&records[0]), EVENT_thread_attach);
	ck_assert_uint_eq(records[0].a, (uint64_t)gettid());
	ck_assert_uint_eq(record_kind(&records[1]), EVENT_task_schedule);
	ck_assert_uint_eq(record_flags(&records[1]), task_status_switch);
	ck_assert_uint_eq(records[1].b, 7);
	dump_remove();
}
END_TEST

START_TEST(full_segment_is_closed_by_the_next_record)
{
	begin_self();
	for (uint64_t i = 0; i < SMALL_RECORDS - 1; i++) /* thread_attach is the first */
		put(i);
	struct stream *s = tls_stream;
	ck_assert_uint_eq(stream_control(s)->position, 2 * SMALL_SEGMENT);
	ck_assert_uint_eq(stream_segment(s, 0)->closed, 0);
	put(SMALL_RECORDS - 1);
	ck_assert_uint_eq(stream_control(s)->position >> s->shift, 2);
	struct dump *dump = dump_open(s->session->dir.path, SMALL_SEGMENT);
	const struct dump_segment *first = dump_segment(dump, 0, 1);
	ck_assert_ptr_nonnull(first);
	ck_assert_uint_eq(first->header.closed, segment_closed(SMALL_SEGMENT));
	ck_assert_uint_eq(first->n_records, SMALL_RECORDS);
	ck_assert_uint_eq(dump_segment(dump, 0, 2)->header.n_records, SMALL_RECORDS);
	dump_remove();
}
END_TEST

/* Twenty times round the ring, by the thread alone: nothing is lost, and each write has a record after the one that caused it. */
START_TEST(thread_drains_itself)
{
	struct session *session = begin_self();
	uint64_t n = SMALL_RECORDS * RING_SEGMENTS * 20;
	for (uint64_t i = 0; i < n; i++)
		put(i);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	size_t n_records;
	struct record *records = dump_records(dump, 0, &n_records);
	ck_assert_uint_eq(check_numbers(records, n_records), n);
	size_t n_flushes = count_kind(records, n_records, EVENT_buffer_flush);
	ck_assert_uint_ge(n_flushes, RING_SEGMENTS * 20);
	for (size_t i = 0; i < n_records; i++)
		if (record_kind(&records[i]) == EVENT_buffer_flush) {
			ck_assert_uint_eq(record_value(&records[i]), SMALL_SEGMENT);
			ck_assert_uint_ge(records[i].a, records[i].time);
		}
	ck_assert_uint_eq(dump->n_rings, 0);
	dump_remove();
}
END_TEST

/* A write that no record followed is recorded after the next record, and not with an earlier time. */
START_TEST(late_flush_is_not_early)
{
	struct session *session = begin_self();
	put(0);
	segment_flush(tls_stream);
	put(1);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	size_t n_records;
	struct record *records = dump_records(dump, 0, &n_records);
	ck_assert_uint_eq(n_records, 4);
	ck_assert_uint_eq(record_kind(&records[3]), EVENT_buffer_flush);
	ck_assert_uint_ge(records[3].time, records[2].time);
	dump_remove();
}
END_TEST

/* No thread drains: this thread drops records, counts them, and continues when there is room. */
START_TEST(full_ring_drops_and_tells)
{
	struct session *session = begin_self();
	session->drain.has_thread = true; /* the test is it */
	session->drain.is_started = 1;
	session->idle.stays = true;
	session->config.drops_when_full = true;
	session->config.pack = CONFIG_PACK_OFF; /* or else it would pack before it drops */
	uint64_t n = SMALL_RECORDS * RING_SEGMENTS - 1;
	for (uint64_t i = 0; i < n; i++)
		put(i);
	struct ring_control *control = stream_control(tls_stream);
	ck_assert_uint_eq(control->lost[loss_cause_full], 0);
	uint64_t position = control->position;
	for (uint64_t i = 0; i < 10; i++)
		put(1000000);
	ck_assert_uint_eq(control->lost[loss_cause_full], 10);
	ck_assert_uint_eq(control->position, position);
	ck_assert(drain_round(session));
	put(n);
	ck_assert_uint_eq(control->lost[loss_cause_full], 10);
	while (drain_round(session))
		;
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	size_t n_records;
	struct record *records = dump_records(dump, 0, &n_records);
	ck_assert_uint_eq(check_numbers(records, n_records), n + 1);
	ck_assert_uint_eq(count_kind(records, n_records, EVENT_records_lost), 1);
	const struct record *lost = &records[n_records - 2];
	ck_assert_uint_eq(record_kind(lost), EVENT_records_lost);
	ck_assert_uint_eq(record_flags(lost), loss_cause_full);
	ck_assert_uint_eq(lost->a, 10);
	ck_assert_uint_eq(dump_segment(dump, 0, RING_SEGMENTS + 1)->header.n_lost, 10);
	dump_remove();
}
END_TEST

START_TEST(group_within_a_segment_is_published_at_once)
{
	begin_self();
	put(0);
	struct stream *s = tls_stream;
	uint64_t before = stream_control(s)->position;
	struct ring_group group = ring_group_begin(s);
	for (uint64_t i = 1; i <= 5; i++) {
		ring_group_append(&group, clock_ticks(), HEAD, 0, i);
		ck_assert_uint_eq(stream_control(s)->position, before);
	}
	ring_group_end(&group);
	ck_assert_uint_eq(stream_control(s)->position, before + 5 * sizeof(struct record));
	dump_remove();
}
END_TEST

/* 1000 records that belong together, over eight segments' ends: neighbours stay neighbours, no flush record comes between. */
START_TEST(group_crosses_segment_ends)
{
	struct session *session = begin_self();
	put(0);
	struct stream *s = tls_stream;
	struct ring_group group = ring_group_begin(s);
	for (uint64_t i = 1; i < 1000; i++)
		ring_group_append(&group, clock_ticks(), HEAD, 0, i);
	ring_group_end(&group);
	put(1000);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	size_t n_records;
	struct record *records = dump_records(dump, 0, &n_records);
	for (uint64_t i = 0; i < 1000; i++)
		ck_assert_uint_eq(records[1 + i].b, i);
	ck_assert_uint_eq(record_kind(&records[1001]), EVENT_buffer_flush);
	ck_assert_uint_eq(records[1002].b, 1000);
	ck_assert_uint_eq(n_records, 1003);
	dump_remove();
}
END_TEST

/* The process dies with its records in the ring; a reader finds each of them, by the rules of the format alone. */
START_TEST(ring_outlives_the_process)
{
	static const uint64_t numbers[] = {0, 1, SMALL_RECORDS - 2, SMALL_RECORDS - 1, SMALL_RECORDS, 3 * SMALL_RECORDS + 17};
	for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
		int ends[2];
		char dir[PATH_MAX];
		ck_assert_int_eq(pipe(ends), 0);
		pid_t child = fork();
		if (child == 0) {
			/* None of check's macros here: its pipe is the parent's. */
			struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL);
			session->drain.has_thread = true; /* but there is none: everything stays in the ring */
			session->drain.is_started = 1;
			session->idle.stays = true;
			if (write(ends[1], session->dir.path, sizeof session->dir.path) < 0)
				_exit(1);
			for (uint64_t i = 0; i < numbers[k]; i++)
				put(i);
			kill(getpid(), SIGKILL);
		}
		ck_assert_int_eq((int)read(ends[0], dir, sizeof dir), sizeof dir);
		waitpid(child, NULL, 0);
		struct dump *dump = dump_open(dir, SMALL_SEGMENT);
		size_t n_records;
		struct record *records = dump_records(dump, 0, &n_records);
		ck_assert_uint_eq(check_numbers(records, n_records), numbers[k]);
		ck_assert_uint_eq(dump->n_rings, numbers[k] ? 1 : 0);
		strcpy(dump_parent, dir);
		*strrchr(dump_parent, '/') = '\0';
		dump_remove();
	}
}
END_TEST

/* A segment that is being opened again must not be believed: neither its old records nor the new ones yet. */
START_TEST(invalidated_header_is_not_believed)
{
	struct session *session = begin_self();
	session->drain.has_thread = true;
	session->drain.is_started = 1;
	session->idle.stays = true;
	for (uint64_t i = 0; i < 2 * SMALL_RECORDS; i++)
		put(i);
	stream_segment(tls_stream, 0)->sequence = 0;
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	ck_assert_ptr_null(dump_segment(dump, 0, 1));
	ck_assert_ptr_nonnull(dump_segment(dump, 0, 2));
	dump_remove();
}
END_TEST

START_TEST(append_in_an_append_is_counted_and_harmless)
{
	begin_self();
	put(0);
	struct stream *s = record_enter(clock_ticks());
	uint64_t position = stream_control(s)->position;
	put(1);
	put(2);
	ck_assert_uint_eq(stream_control(s)->lost[loss_cause_reentry], 2);
	ck_assert_uint_eq(stream_control(s)->position, position);
	record_leave(s);
	put(1);
	ck_assert_uint_eq(stream_control(s)->position, position + sizeof(struct record));
	dump_remove();
}
END_TEST

static void *other_thread(void *number)
{
	put(*(uint64_t *)number);
	return tls_stream;
}

START_TEST(streams_are_taken_again)
{
	struct session *session = begin_self();
	put(0);
	void *streams[50];
	for (uint64_t i = 0; i < 50; i++) {
		pthread_t thread;
		ck_assert_int_eq(pthread_create(&thread, NULL, other_thread, &i), 0);
		pthread_join(thread, &streams[i]);
		ck_assert_ptr_eq(streams[i], streams[0]);
	}
	ck_assert_uint_eq(session_n_streams(session), 2);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	size_t n_records;
	struct record *records = dump_records(dump, 1, &n_records);
	ck_assert_uint_eq(check_numbers(records, n_records), 50);
	ck_assert_uint_eq(count_kind(records, n_records, EVENT_thread_attach), 50);
	ck_assert_uint_eq(count_kind(records, n_records, EVENT_thread_detach), 50);
	dump_remove();
}
END_TEST

START_TEST(turning_off_and_on_is_recorded)
{
	struct session *session = begin_self();
	put(0);
	session_turn(EPOCH_PAUSED, 0);
	put(1000);
	put(1001);
	session_turn(0, EPOCH_PAUSED);
	put(1);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	size_t n_records;
	struct record *records = dump_records(dump, 0, &n_records);
	ck_assert_uint_eq(check_numbers(records, n_records), 2);
	ck_assert_uint_eq(n_records, 5);
	ck_assert_uint_eq(record_kind(&records[2]), EVENT_recording_off);
	ck_assert_uint_eq(record_flags(&records[2]), off_reason_paused);
	ck_assert_uint_eq(record_kind(&records[3]), EVENT_recording_on);
	dump_remove();
}
END_TEST

#if defined(__x86_64__)
/* Where the counter is not to be trusted no record has its stamp, although record_one() is given it. */
START_TEST(distrusted_counter_stamps_nothing)
{
	struct session *session = begin_self();
	clock_is_counter = false;
	uint64_t before = clock_ns(CLOCK_MONOTONIC);
	for (uint64_t i = 0; i < 2 * SMALL_RECORDS; i++)
		record_one(record_time(), HEAD, 0, i);
	uint64_t after = clock_ns(CLOCK_MONOTONIC);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	size_t n_records;
	struct record *records = dump_records(dump, 0, &n_records);
	for (size_t i = 0; i < n_records; i++) {
		ck_assert_uint_ge(records[i].time, before);
		ck_assert_uint_le(records[i].time, after);
	}
	ck_assert_uint_eq(check_numbers(records, n_records), 2 * SMALL_RECORDS);
	dump_remove();
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("ring");
	TCase *append = tcase_create("append");
	tcase_add_test(append, appends_share_no_cache_line);
	tcase_add_test(append, first_record_opens_the_first_segment);
	tcase_add_test(append, full_segment_is_closed_by_the_next_record);
	tcase_add_test(append, thread_drains_itself);
	tcase_add_test(append, late_flush_is_not_early);
	tcase_add_test(append, full_ring_drops_and_tells);
	tcase_add_test(append, group_within_a_segment_is_published_at_once);
	tcase_add_test(append, group_crosses_segment_ends);
	tcase_add_test(append, append_in_an_append_is_counted_and_harmless);
	tcase_add_test(append, streams_are_taken_again);
	tcase_add_test(append, turning_off_and_on_is_recorded);
#if defined(__x86_64__)
	tcase_add_test(append, distrusted_counter_stamps_nothing);
#endif
	suite_add_tcase(suite, append);
	TCase *post_mortem = tcase_create("post mortem");
	tcase_add_test(post_mortem, ring_outlives_the_process);
	tcase_add_test(post_mortem, invalidated_header_is_not_believed);
	suite_add_tcase(suite, post_mortem);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
