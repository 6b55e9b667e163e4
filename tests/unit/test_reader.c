/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The reader on synthetic dumps: whole ones, what a killed process leaves, damage of every kind with what is said about it, and
 * a few thousand mutations, of which none may make it crash (run it under the sanitizers).
 */
#include "builder/list.h"
#include "builder/reader.h"
#include "tests/unit/dump_writer.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];
static char dir[128];
static char said[65536]; /* what the last open_dump said on stderr */

static void make_root(void)
{
	strcpy(root, "/tmp/otter-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	snprintf(dir, sizeof dir, "%s/fib-host-1.otter", root);
}

static void remove_root(void)
{
	dump_writer_remove(dir);
	dump_writer_remove(root);
}

static int open_dump(struct dump *dump, const char *path)
{
	char log[128];
	snprintf(log, sizeof log, "%s/log", root);
	int fd = open(log, O_RDWR | O_CREAT | O_TRUNC, 0600), before = dup(2);
	ck_assert(fd >= 0 && before >= 0);
	dup2(fd, 2);
	int result = dump_open(dump, path);
	dup2(before, 2);
	close(before);
	ssize_t n = pread(fd, said, sizeof said - 1, 0);
	said[n > 0 ? n : 0] = '\0';
	close(fd);
	return result;
}

static void assert_said(const char *text)
{
	ck_assert_msg(strstr(said, text) != NULL, "expected \"%s\" in: %s", text, said);
}

static uint64_t found(const struct dump *dump, const char *name)
{
	for (unsigned i = 0; i < dump->findings.n_rows; i++)
		if (strcmp(dump->findings.rows[i].name, name) == 0)
			return dump->findings.rows[i].count;
	return 0;
}

static char *file_path(const char *name)
{
	static char path[256];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	return path;
}

static void patch(const char *name, uint64_t at, const void *bytes, size_t n)
{
	int fd = open(file_path(name), O_WRONLY);
	ck_assert_msg(fd >= 0, "%s", file_path(name));
	ck_assert_int_eq(pwrite(fd, bytes, n, (off_t)at), (ssize_t)n);
	close(fd);
}

static void flip(const char *name, uint64_t at)
{
	unsigned char byte;
	int fd = open(file_path(name), O_RDONLY);
	ck_assert(fd >= 0 && pread(fd, &byte, 1, (off_t)at) == 1);
	close(fd);
	byte ^= 1;
	patch(name, at, &byte, 1);
}

/* Reads a header, changes it, and writes it back with its checksum right. */
static struct segment_header get_header(const char *name, uint64_t at)
{
	struct segment_header h;
	int fd = open(file_path(name), O_RDONLY);
	ck_assert(fd >= 0 && pread(fd, &h, sizeof h, (off_t)at) == (ssize_t)sizeof h);
	close(fd);
	return h;
}

static void put_header(const char *name, uint64_t at, struct segment_header h)
{
	h.checksum = segment_checksum(&h);
	patch(name, at, &h, sizeof h);
}

/* n tasks in a stream, times from 10000 on, each 10 ns after the other. */
static void fill(struct dump_writer *w, uint32_t stream, unsigned n)
{
	dump_writer_root(w, stream, 10000, 1, 1);
	for (unsigned i = 0; i < n; i++)
		dump_writer_record(w, stream, 10010 + 10 * i, EVENT_task_create, task_flags_explicit, 2 + i, id_make(stream, 1), 0x401000);
}

/* Are these the records of fill(), all of them, in order? */
static void assert_filled(const struct stream *s, unsigned n)
{
	struct cursor c;
	cursor_init(&c, s);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_ptr_nonnull(cursor_next(&c));
	for (unsigned i = 0; i < n; i++) {
		const struct record *r = cursor_next(&c);
		ck_assert_ptr_nonnull(r);
		ck_assert_uint_eq(record_kind(r), EVENT_task_create);
		ck_assert_uint_eq(record_value(r), 2 + i);
	}
	ck_assert_ptr_null(cursor_next(&c));
	ck_assert_uint_eq(s->n_records, 3 + n);
	ck_assert_uint_eq(s->max_task, 1 + n);
	ck_assert_uint_eq(s->max_region, 1);
}

START_TEST(a_whole_dump_is_read_whatever_file_it_is_in)
{
	struct dump_writer w;
	struct dump d;
	dump_writer_init(&w, dir);
	w.streams[7].place = WRITER_DRAIN_FILE;
	w.streams[8].place = WRITER_DRAIN_FILE;
	fill(&w, 3, 1000);
	fill(&w, 7, 500);
	fill(&w, 8, 0);
	dump_writer_finish(&w);
	char slash[256];
	snprintf(slash, sizeof slash, "%s//", dir);
	ck_assert_int_eq(open_dump(&d, slash), 0);
	ck_assert_str_eq(said, "");
	ck_assert_str_eq(d.name, "fib-host-1");
	ck_assert_str_eq(d.path, dir);
	ck_assert_uint_eq(d.n_streams, 3);
	ck_assert_uint_eq(d.streams[0].number, 3);
	assert_filled(&d.streams[0], 1000);
	assert_filled(&d.streams[1], 500);
	assert_filled(&d.streams[2], 0);
	ck_assert_uint_eq(d.n_records, 1509);
	ck_assert(d.streams[0].is_sealed && d.streams[1].is_sealed && d.is_complete && !d.is_snapshot);
	ck_assert_uint_eq(d.n_lost, 0);
	dump_close(&d);
}
END_TEST

START_TEST(a_killed_process_leaves_its_newest_records_in_rings)
{
	for (int both = 0; both < 2; both++) {
		struct dump_writer w;
		struct dump d;
		dump_writer_init(&w, dir);
		w.is_killed = true;
		w.streams[0].place = both ? WRITER_RING_AND_FILE : WRITER_RING;
		w.streams[0].is_live = true;
		fill(&w, 0, 1000);
		dump_writer_finish(&w);
		ck_assert_int_eq(open_dump(&d, dir), 0);
		ck_assert_str_eq(said, "");
		assert_filled(&d.streams[0], 1000);
		ck_assert(d.streams[0].has_ring && !d.streams[0].is_sealed && !d.is_complete && !d.is_snapshot);
		dump_close(&d);
		dump_writer_remove(dir);
	}
}
END_TEST

START_TEST(the_position_alone_says_what_is_published)
{
	struct dump_writer w;
	struct dump d;
	dump_writer_init(&w, dir);
	w.streams[0].place = WRITER_RING;
	w.streams[0].is_live = w.is_killed = true;
	fill(&w, 0, 20);
	dump_writer_finish(&w);
	uint64_t position = 4096 + 128 + 13 * 32;
	patch("00000.ring", offsetof(struct ring_control, position), &position, sizeof position);
	ck_assert_int_eq(open_dump(&d, dir), 0);
	ck_assert_str_eq(said, "");
	assert_filled(&d.streams[0], 10);
	dump_close(&d);
	/* Not opened yet: nothing of it. */
	position = 4096;
	patch("00000.ring", offsetof(struct ring_control, position), &position, sizeof position);
	ck_assert_int_eq(open_dump(&d, dir), 0);
	ck_assert_uint_eq(d.n_records, 0);
	dump_close(&d);
	/* Nowhere: what is closed is still to be had, and nothing is here. */
	position = UINT64_MAX - 4095 + 160;
	patch("00000.ring", offsetof(struct ring_control, position), &position, sizeof position);
	ck_assert_int_eq(open_dump(&d, dir), 0);
	ck_assert_uint_eq(d.n_records, 0);
	ck_assert_uint_eq(found(&d, "position_damaged"), 1);
	assert_said("00000.ring at byte 64: position at offset 160");
	dump_close(&d);
}
END_TEST

START_TEST(a_ring_with_a_damaged_control_page_gives_its_closed_segments)
{
	struct dump_writer w;
	struct dump d;
	dump_writer_init(&w, dir);
	w.streams[0].place = WRITER_RING;
	w.streams[0].is_live = w.is_killed = true;
	fill(&w, 0, 300); /* three segments: two closed */
	dump_writer_finish(&w);
	flip("00000.ring", offsetof(struct ring_control, n_segments));
	ck_assert_int_eq(open_dump(&d, dir), 0);
	ck_assert_uint_eq(d.n_records, 2 * 124);
	ck_assert_uint_eq(found(&d, "ring_damaged"), 1);
	assert_said("00000.ring: control page with magic");
	dump_close(&d);
}
END_TEST

START_TEST(a_foreign_ring_is_left_alone)
{
	struct dump_writer w;
	struct dump d;
	dump_writer_init(&w, dir);
	w.streams[0].place = WRITER_RING;
	w.streams[0].is_live = w.is_killed = true;
	fill(&w, 0, 20);
	dump_writer_finish(&w);
	char to[256];
	snprintf(to, sizeof to, "%s/00005.ring", dir);
	ck_assert_int_eq(rename(file_path("00000.ring"), to), 0);
	ck_assert_int_eq(open_dump(&d, dir), 0);
	ck_assert_uint_eq(d.n_streams, 0);
	ck_assert_uint_eq(found(&d, "foreign_ring"), 1);
	assert_said("the ring of stream 0 of process 4242, expected stream 5 of process 4242");
	dump_close(&d);
}
END_TEST

START_TEST(rings_are_found_where_meta_says_and_in_a_copied_dump)
{
	struct dump_writer w;
	struct dump d;
	char line[256], to[256];
	snprintf(line, sizeof line, "ring_dir %s\n", root);
	for (int moved = 0; moved < 2; moved++) {
		dump_writer_init(&w, dir);
		w.more_meta = moved ? line : "ring_dir /nowhere/at/all\n";
		w.streams[0].place = WRITER_RING;
		w.streams[0].is_live = w.is_killed = true;
		fill(&w, 0, 20);
		dump_writer_finish(&w);
		snprintf(to, sizeof to, "%s/00000.ring", root);
		if (moved)
			ck_assert_int_eq(rename(file_path("00000.ring"), to), 0);
		ck_assert_int_eq(open_dump(&d, dir), 0);
		assert_filled(&d.streams[0], 20);
		dump_close(&d);
		dump_writer_remove(dir);
	}
}
END_TEST

START_TEST(a_stream_without_seal_and_ring_is_named)
{
	struct dump_writer w;
	struct dump d;
	dump_writer_init(&w, dir);
	w.streams[2].is_live = w.is_killed = true;
	fill(&w, 2, 20);
	dump_writer_finish(&w);
	ck_assert_int_eq(open_dump(&d, dir), 0);
	assert_filled(&d.streams[0], 20);
	assert_said("stream 2 was not sealed, and its ring");
	assert_said("/00002.ring is not there");
	dump_close(&d);
}
END_TEST

START_TEST(a_file_cut_anywhere_gives_the_whole_records_before)
{
	for (off_t size = 0; size <= 4096 + 500; size += 33) {
		struct dump_writer w;
		struct dump d;
		dump_writer_init(&w, dir);
		fill(&w, 0, 150);
		dump_writer_finish(&w);
		ck_assert_int_eq(truncate(file_path("00000.seg"), size), 0);
		ck_assert_int_eq(open_dump(&d, dir), 0);
		off_t in_first = size < 128 ? 0 : size > 4096 ? 124 : (size - 128) / 32;
		off_t in_second = size < 4096 + 128 ? 0 : (size - 4096 - 128) / 32;
		ck_assert_int_eq((off_t)d.n_records, in_first + in_second);
		ck_assert(!d.is_complete);
		if (size > 4096 + 128) {
			ck_assert_uint_eq(found(&d, "segment_cut"), 1);
			assert_said("segment 2 of stream 0, in the stream's file at byte 4096:");
			assert_said("records, expected 29");
		}
		dump_close(&d);
		dump_writer_remove(dir);
	}
}
END_TEST

START_TEST(damaged_and_foreign_segments_are_named_and_skipped)
{
	struct {
		uint64_t at;
		unsigned char bytes[8];
		size_t n;
		const char *name, *text;
	} const damages[] = {
		{4096 + 64, {0xff}, 1, "header_damaged", "00000.seg at byte 4096: segment header with checksum"},
		{4096, {'P', 'N', 'G'}, 3, "not_a_segment", "00000.seg at byte 4096: magic"},
		{4096, {'G', 'E', 'S', 'R', 'E', 'T', 'T', 'O'}, 8, "byte_order", "big-endian byte order, expected little-endian"},
	};
	for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
		struct dump_writer w;
		struct dump d;
		dump_writer_init(&w, dir);
		fill(&w, 0, 400);
		dump_writer_finish(&w);
		patch("00000.seg", damages[i].at, damages[i].bytes, damages[i].n);
		ck_assert_int_eq(open_dump(&d, dir), 0);
		ck_assert_uint_eq(found(&d, damages[i].name), 1);
		assert_said(damages[i].text);
		assert_said("stream 0: segment 3 follows 1, expected 2 [segments_missing]");
		const struct stream *s = &d.streams[0];
		ck_assert_uint_eq(s->n_segments, 3);
		ck_assert_uint_eq(s->n_missing_segments, 1);
		ck_assert_uint_eq(s->n_missing_records, 124);
		ck_assert(!s->segments[0].is_after_gap && s->segments[1].is_after_gap && !s->segments[2].is_after_gap);
		struct cursor c;
		cursor_init(&c, s);
		for (unsigned k = 0; k < 124; k++, cursor_next(&c)) {
			ck_assert_ptr_nonnull(cursor_peek(&c));
			ck_assert(!cursor_at_gap(&c));
		}
		ck_assert_ptr_nonnull(cursor_peek(&c));
		ck_assert(cursor_at_gap(&c));
		ck_assert_uint_eq(cursor_header(&c)->sequence, 3);
		ck_assert(s->is_sealed && !d.is_complete);
		dump_close(&d);
		dump_writer_remove(dir);
	}
}
END_TEST

START_TEST(a_segment_of_another_stream_does_not_belong_into_a_stream_file)
{
	struct dump_writer w;
	struct dump d;
	dump_writer_init(&w, dir);
	fill(&w, 4, 20);
	dump_writer_finish(&w);
	char to[256];
	snprintf(to, sizeof to, "%s/00006.seg", dir);
	ck_assert_int_eq(rename(file_path("00004.seg"), to), 0);
	ck_assert_int_eq(open_dump(&d, dir), 0);
	ck_assert_uint_eq(d.n_streams, 0);
	assert_said("00006.seg at byte 0: a segment of stream 4, expected stream 6 [foreign_segment]");
	assert_said("nothing of stream 4 is there, expected 1 segments [stream_missing]");
	dump_close(&d);
}
END_TEST

START_TEST(a_hole_inside_a_closed_segment_ends_it)
{
	struct dump_writer w;
	struct dump d;
	dump_writer_init(&w, dir);
	fill(&w, 0, 400);
	dump_writer_finish(&w);
	static const unsigned char zeros[1024];
	patch("00000.seg", 4096 + 3072, zeros, sizeof zeros);
	ck_assert_int_eq(open_dump(&d, dir), 0);
	ck_assert_uint_eq(d.streams[0].segments[1].n_records, 124 - 32);
	ck_assert_uint_eq(d.streams[0].n_missing_records, 32);
	assert_said("92 records, expected 124 [segment_cut]");
	dump_close(&d);
}
END_TEST

START_TEST(of_two_copies_the_longer_is_taken)
{
	struct dump_writer w;
	struct dump d;
	dump_writer_init(&w, dir);
	w.streams[0].place = WRITER_DRAIN_FILE;
	fill(&w, 0, 50);
	dump_writer_finish(&w);
	char command[600];
	snprintf(command, sizeof command, "cp %s/drain.seg %s/00000.seg && truncate -s 1000 %s/drain.seg", dir, dir, dir);
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(open_dump(&d, dir), 0);
	assert_filled(&d.streams[0], 50);
	ck_assert_str_eq(said, "");
	ck_assert(d.is_complete);
	dump_close(&d);
	/* Two segments of one number that are not the same one. */
	struct segment_header h = get_header("drain.seg", 0);
	h.ticks++;
	put_header("drain.seg", 0, h);
	ck_assert_int_eq(open_dump(&d, dir), 0);
	assert_said("two different segments 1 of stream 0");
	dump_close(&d);
}
END_TEST

START_TEST(a_flight_recorder_misses_its_beginning_without_damage)
{
	struct dump_writer w;
	struct dump d;
	dump_writer_init(&w, dir);
	w.more_meta = "setting keep newest\n";
	w.streams[0].missing = 1;
	fill(&w, 0, 400);
	dump_writer_finish(&w);
	ck_assert_int_eq(open_dump(&d, dir), 0);
	ck_assert_str_eq(said, "");
	ck_assert_uint_eq(d.streams[0].n_missing_segments, 0);
	ck_assert(d.streams[0].segments[0].is_after_gap);
	ck_assert_uint_eq(d.lost[loss_cause_overwritten], 124);
	ck_assert_uint_eq(tally_total(&d.findings), 0);
	dump_close(&d);
}
END_TEST

START_TEST(a_flight_recorder_is_cut_to_what_all_streams_cover)
{
	struct dump_writer w;
	struct dump d;
	dump_writer_init(&w, dir);
	w.more_meta = "setting keep newest\n";
	w.streams[0].missing = 2; /* an old island before it: segment 1 */
	fill(&w, 0, 400);
	fill(&w, 1, 400);         /* whole */
	fill(&w, 2, 10);          /* ended long before */
	dump_writer_finish(&w);
	ck_assert_int_eq(open_dump(&d, dir), 0);
	assert_said("a flight recorder's dump: cut to what all streams cover, from 0.000011 s on; 372 older records left out");
	ck_assert_uint_eq(d.streams[0].n_segments, 2);
	ck_assert_uint_eq(d.streams[0].segments[0].header->sequence, 3);
	ck_assert_uint_eq(d.streams[1].n_segments, 2);
	ck_assert_uint_eq(d.streams[1].segments[0].header->sequence, 3);
	ck_assert(d.streams[1].segments[0].is_after_gap && !d.streams[1].segments[1].is_after_gap);
	ck_assert_uint_eq(d.streams[2].n_segments, 1);
	ck_assert_uint_eq(d.n_left_out, 3 * 124);
	ck_assert_uint_eq(d.n_records, 403 - 248 + 403 - 248 + 13);
	ck_assert_uint_eq(d.streams[1].max_task, 401);
	ck_assert_uint_eq(d.window_ticks, d.streams[0].segments[0].header->ticks);
	ck_assert_uint_eq(tally_total(&d.findings), 0);
	dump_close(&d);
}
END_TEST

START_TEST(what_a_gap_leaves_of_a_group_is_left_out)
{
	uint64_t variables[700];
	unsigned types[700];
	for (unsigned i = 0; i < 700; i++) {
		variables[i] = 0x1000 + i;
		types[i] = dependence_type_in;
	}
	for (uint64_t missing = 1; missing <= 3; missing++) {
		struct dump_writer w;
		struct dump d;
		dump_writer_init(&w, dir);
		w.streams[0].missing = missing;
		fill(&w, 0, 100);
		dump_writer_dependences(&w, 0, 20000, id_make(0, 5), 700, variables, types); /* 234 records: into all three segments */
		dump_writer_record(&w, 0, 20010, EVENT_flush, 0, 0, 0, 0x401000);
		dump_writer_finish(&w);
		ck_assert_int_eq(open_dump(&d, dir), 0);
		ck_assert_uint_ge(found(&d, "group_cut"), 1);
		struct cursor c;
		const struct record *r, *last = NULL;
		cursor_init(&c, &d.streams[0]);
		while ((r = cursor_next(&c)) != NULL) {
			ck_assert(!record_is_continuation(r));
			ck_assert_uint_ne(record_kind(r), EVENT_dependences);
			last = r;
		}
		ck_assert_ptr_nonnull(last);
		ck_assert_uint_eq(record_kind(last), missing == 3 ? EVENT_task_create : EVENT_flush);
		dump_close(&d);
		dump_writer_remove(dir);
	}
}
END_TEST

START_TEST(losses_are_told_by_cause_and_not_twice)
{
	for (int killed = 0; killed < 2; killed++) {
		struct dump_writer w;
		struct dump d;
		dump_writer_init(&w, dir);
		w.is_killed = killed;
		w.streams[0].place = killed ? WRITER_RING : WRITER_STREAM_FILE;
		w.streams[0].is_live = killed;
		w.more_meta = killed ? "" : "lost_reentry 5\nlost_no_stream 6\n";
		fill(&w, 0, 10);
		dump_writer_record(&w, 0, 11000, EVENT_records_lost, loss_cause_full, 0, 17, 0);
		fill(&w, 1, 10);
		dump_writer_record(&w, 1, 11000, EVENT_records_lost, loss_cause_limit, 0, 2, 0);
		dump_writer_close_segment(&w, 1);
		dump_writer_record(&w, 1, 11001, EVENT_flush, 0, 0, 0, 0);
		dump_writer_finish(&w);
		ck_assert_int_eq(open_dump(&d, dir), 0);
		ck_assert_uint_eq(d.lost[loss_cause_full], 17);
		ck_assert_uint_eq(d.lost[loss_cause_limit], 2);
		ck_assert_uint_eq(d.lost[loss_cause_reentry], killed ? 0 : 5);
		ck_assert_uint_eq(d.lost[loss_cause_no_stream], killed ? 0 : 6);
		ck_assert_uint_eq(d.lost[0], 0);
		ck_assert_uint_eq(d.n_lost, killed ? 19 : 30);
		ck_assert_uint_eq(d.streams[0].lost[loss_cause_full], 17);
		ck_assert(!d.is_complete);
		dump_close(&d);
		dump_writer_remove(dir);
	}
}
END_TEST

START_TEST(ticks_become_ns_by_the_triples_furthest_apart)
{
	struct dump_writer w;
	struct dump d;
	dump_writer_init(&w, dir);
	w.ticks_per_ns = 3;
	w.start_ticks = 3000000;
	w.end_ticks = 3000000;
	dump_writer_root(&w, 0, 2999100, 1, 1); /* before the first triple */
	dump_writer_record(&w, 0, 2999999000, EVENT_flush, 0, 0, 0, 0);
	dump_writer_finish(&w);
	ck_assert_int_eq(open_dump(&d, dir), 0);
	ck_assert_uint_eq(dump_ticks_per_second(&d), UINT64_C(3000000000));
	ck_assert_uint_eq(dump_ns(&d, 2999100), 0);
	ck_assert_uint_eq(dump_ns(&d, 2999100 + 3000), 1000);
	ck_assert_uint_eq(dump_ns(&d, 2999100 + 2997000000), 999000000);
	ck_assert_uint_eq(dump_ns(&d, 5), 0);
	ck_assert_uint_eq(d.first_realtime_ns, UINT64_C(1700000000000000000) + 2999100 / 3);
	dump_close(&d);
}
END_TEST

START_TEST(a_dump_without_two_clock_readings_says_so)
{
	struct dump_writer w;
	struct dump d;
	dump_writer_init(&w, dir);
	w.ticks_per_ns = 3;
	w.start_ticks = 10000;
	w.streams[0].is_live = w.is_killed = true;
	w.streams[0].place = WRITER_RING;
	fill(&w, 0, 10);
	dump_writer_finish(&w);
	ck_assert_int_eq(open_dump(&d, dir), 0);
	ck_assert_uint_eq(dump_ticks_per_second(&d), 1000000000);
	assert_said("one tick is taken for one ns [no_clock_rate]");
	dump_close(&d);
}
END_TEST

START_TEST(counters_run_ahead_only_where_recording_was_off)
{
	for (int paused = 0; paused < 2; paused++) {
		struct dump_writer w;
		struct dump d;
		dump_writer_init(&w, dir);
		fill(&w, 0, 10);
		if (paused) {
			dump_writer_record(&w, 0, 10500, EVENT_recording_off, off_reason_paused, 0, 0, 0);
			dump_writer_record(&w, 0, 10600, EVENT_recording_on, 0, 0, id_make(0, 1), id_make(0, 1));
		}
		dump_writer_record(&w, 0, 11000, EVENT_task_create, task_flags_explicit, 5000000, id_make(0, 1), 0);
		dump_writer_finish(&w);
		ck_assert_int_eq(open_dump(&d, dir), 0);
		ck_assert_uint_eq(d.streams[0].max_task, paused ? 5000000 : 11);
		ck_assert_uint_eq(found(&d, "counter_absurd"), !paused);
		dump_close(&d);
		dump_writer_remove(dir);
	}
}
END_TEST

START_TEST(other_versions_and_other_things_than_dumps)
{
	struct {
		const char *first_line;
		const char *text;
		int result;
	} const versions[] = {
		{"otter-dump 1 7", "the dump has format 1.7, this otter-build knows 1.0: what is new in it is skipped", 0},
		{"otter-dump 2 0", "the dump has format 2.0, this otter-build reads 1.x", -1},
		{"otter-dump 0 9", "the dump has format 0.9, this otter-build reads 1.x", -1},
		{"otter-dump", "its first line must be \"otter-dump MAJOR MINOR\"", -1},
		{"<html>", "not the meta of an Otter dump", -1},
		{"otter-dump 1 0\nrecord_bytes 48", "record_bytes is \"48\", this otter-build reads \"32\"", -1},
		{"otter-dump 1 0\nbyte_order big", "byte_order is \"big\", this otter-build reads \"little\"", -1},
		{"otter-dump 1 0\nstart soon", "1 lines with values that make no sense, skipped [meta_damaged]", 0},
	};
	struct dump d;
	for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
		struct dump_writer w;
		dump_writer_init(&w, dir);
		w.first_line = versions[i].first_line;
		fill(&w, 0, 10);
		dump_writer_finish(&w);
		ck_assert_int_eq(open_dump(&d, dir), versions[i].result);
		assert_said(versions[i].text);
		if (versions[i].result == 0) {
			assert_filled(&d.streams[0], 10);
			dump_close(&d);
		}
		dump_writer_remove(dir);
	}
	ck_assert_int_eq(open_dump(&d, dir), -1);
	assert_said("/meta: No such file or directory: a dump is a directory with a file `meta`");
}
END_TEST

START_TEST(a_process_that_died_as_it_began_leaves_an_empty_dump)
{
	static const char *const beginnings[] = {"", "otter-d", "otter-dump 1"};
	for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
		struct dump d;
		ck_assert_int_eq(mkdir(dir, 0700), 0);
		FILE *f = fopen(file_path("meta"), "w");
		ck_assert(f != NULL && fputs(beginnings[i], f) >= 0 && fclose(f) == 0);
		ck_assert_int_eq(open_dump(&d, dir), 0);
		assert_said("/meta: ends before its first line does: the process died as it began [meta_empty]");
		ck_assert_uint_eq(d.n_streams, 0);
		ck_assert(!d.is_complete);
		dump_close(&d);
		dump_writer_remove(dir);
	}
}
END_TEST

/* This process, as a recorder would name it. */
static void name_self(struct dump_writer *w, char host[256], char boot_id[64])
{
	char text[1024] = "";
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
	ck_assert(f != NULL && fgets(boot_id, 64, f) != NULL);
	fclose(f);
	boot_id[strcspn(boot_id, "\n")] = '\0';
	f = fopen("/proc/self/stat", "r");
	ck_assert(f != NULL && fgets(text, sizeof text, f) != NULL);
	fclose(f);
	char *at = strrchr(text, ')');
	for (int field = 2; field < 22; field++)
		at = strchr(at + 1, ' ');
	ck_assert_int_eq(gethostname(host, 256), 0);
	w->pid = getpid();
	w->pid_start = strtoull(at + 1, NULL, 10);
	w->host = host;
	w->boot_id = boot_id;
}

START_TEST(a_process_that_still_runs_gives_a_snapshot)
{
	/* 0: runs; 1: another process with its number; 2: ended, but a stream lives on; 3: ended and all sealed */
	for (int variant = 0; variant < 4; variant++) {
		struct dump_writer w;
		struct dump d;
		char host[256], boot_id[64];
		dump_writer_init(&w, dir);
		name_self(&w, host, boot_id);
		w.pid_start += variant == 1;
		w.is_killed = variant < 2;
		w.streams[0].is_live = variant < 3;
		w.streams[0].place = variant < 3 ? WRITER_RING : WRITER_STREAM_FILE;
		fill(&w, 0, 1000);
		dump_writer_finish(&w);
		ck_assert_int_eq(open_dump(&d, dir), 0);
		ck_assert_str_eq(said, "");
		assert_filled(&d.streams[0], 1000);
		ck_assert_int_eq(d.is_snapshot, variant == 0 || variant == 2);
		ck_assert_int_eq(d.is_complete, variant == 3);
		dump_close(&d);
		dump_writer_remove(dir);
	}
}
END_TEST

START_TEST(the_list_names_every_field)
{
	struct dump_writer w;
	struct dump d;
	const uint64_t variables[] = {0x10, 0x20, 0x30};
	const unsigned types[] = {dependence_type_in, dependence_type_inout, dependence_type_mutexinoutset};
	dump_writer_init(&w, dir);
	dump_writer_root(&w, 2, 2000, 1, 1);
	dump_writer_record(&w, 2, 2100, EVENT_task_create, task_flags_explicit | task_flags_untied | 0x800, 2, id_make(2, 1), 0x401000);
	dump_writer_dependences(&w, 2, 2110, id_make(2, 2), 3, variables, types);
	dump_writer_record(&w, 2, 2200, EVENT_task_schedule, task_status_switch, 0, id_make(2, 1), id_make(2, 2));
	dump_writer_record(&w, 2, 2210, EVENT_task_schedule, 99, 0, id_make(2, 2), 0);
	dump_writer_record(&w, 2, 2220, EVENT_mutex_acquire, mutex_kind_critical, UINT64_C(2) << 32 | 1, 0xabc, 0x401010);
	dump_writer_record(&w, 2, 2230, EVENT_buffer_flush, 0, 4096, 2330, 0);
	dump_writer_record(&w, 2, 2400, EVENT_error, severity_warning, 5, 0, 0x401020);
	uint64_t hello = 0;
	memcpy(&hello, "h\"l\nO", 5);
	dump_writer_record(&w, 2, hello, EVENT_text, 5, 0, 0, 0);
	dump_writer_record(&w, 2, 2500, 200, 1, 2, 3, 4);
	dump_writer_close_segment(&w, 2);
	dump_writer_record(&w, 2, 2600, EVENT_thread_detach, 0, 0, 1002, 0);
	dump_writer_finish(&w);
	ck_assert_int_eq(open_dump(&d, dir), 0);
	char *text = NULL;
	size_t n_bytes;
	FILE *out = open_memstream(&text, &n_bytes);
	ck_assert_int_eq(list_dump(&d, out), 0);
	fclose(out);
	ck_assert_str_eq(text,
			 "2 1.0 1000 thread_attach tid=1002 cpu=18446744073709551615\n"
			 "2 1.1 1000 thread_begin type=initial\n"
			 "2 1.2 1000 implicit_task_begin flags=initial task=2:1 region=2:1 actual=1 index=1\n"
			 "2 1.3 1100 task_create flags=explicit|untied|0x800 task=2:2 parent=2:1 codeptr=0x401000\n"
			 "2 1.4 1110 dependences type=in count=3 task=2:2 variable=0x10\n"
			 "2 1.5 + dependences_more count=2 types=1027 variable_1=0x20 variable_2=0x30 variable_3=0x0\n"
			 "2 1.6 1200 task_schedule status=switch prior=2:1 next=2:2\n"
			 "2 1.7 1210 task_schedule status=99 prior=2:2 next=0\n"
			 "2 1.8 1220 mutex_acquire mutex=critical hint=1 impl=2 wait_id=0xabc codeptr=0x401010\n"
			 "2 1.9 1230 buffer_flush bytes=4096 end=1330\n"
			 "2 1.10 1400 error severity=warning length_bytes=5 codeptr=0x401020\n"
			 "2 1.11 + text length_bytes=5 text=\"h\\x22l\\x0aO\"\n"
			 "2 1.12 1500 kind_200 time=0x9c4 head=0x2001c8 a=0x3 b=0x4\n"
			 "2 2.0 1600 thread_detach tid=1002\n");
	free(text);
	dump_close(&d);
}
END_TEST

/* ---- mutations ---- */

static uint64_t random_state = 20260101;

static uint64_t random_below(uint64_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % n;
}

struct file {
	const char *name;
	unsigned char *bytes;
	size_t n_bytes;
};

static void load(struct file *f)
{
	struct stat st;
	int fd = open(file_path(f->name), O_RDONLY);
	ck_assert(fd >= 0 && fstat(fd, &st) == 0);
	f->n_bytes = (size_t)st.st_size;
	f->bytes = malloc(f->n_bytes + 1);
	ck_assert_int_eq(read(fd, f->bytes, f->n_bytes), (ssize_t)f->n_bytes);
	close(fd);
}

static void store(const struct file *f, const unsigned char *bytes, size_t n_bytes)
{
	int fd = open(file_path(f->name), O_WRONLY | O_TRUNC);
	ck_assert(fd >= 0 && write(fd, bytes, n_bytes) == (ssize_t)n_bytes);
	close(fd);
}

/* Damages a copy of the file's bytes; headers get a right checksum now and then, so that their values are looked at. */
static size_t mutate(const struct file *f, unsigned char *bytes)
{
	size_t n_bytes = f->n_bytes;
	memcpy(bytes, f->bytes, n_bytes);
	for (uint64_t n = 1 + random_below(4); n > 0; n--) {
		size_t at = random_below(n_bytes);
		size_t segment = at & ~(size_t)4095, word = segment + 8 * random_below(18);
		switch (random_below(6)) {
		case 0: bytes[at] = (unsigned char)(bytes[at] ^ 1u << random_below(8)); break;
		case 1: bytes[at] = (unsigned char)random_below(256); break;
		case 2: memset(bytes + at, 0, n_bytes - at < 200 ? n_bytes - at : 200); break;
		case 3: memmove(bytes + at, bytes + random_below(at + 1), n_bytes - at < 64 ? (n_bytes - at) / 2 : 32); break;
		case 4:
			if (random_below(4) == 0)
				n_bytes = 1 + random_below(n_bytes);
			break;
		default:
			if (word + 8 <= n_bytes)
				memset(bytes + word, (int)random_below(3) * 0x7f, 1 + random_below(8));
			if (segment + sizeof(struct segment_header) <= n_bytes) {
				struct segment_header h;
				memcpy(&h, bytes + segment, sizeof h);
				h.checksum = segment_checksum(&h);
				memcpy(bytes + segment, &h, sizeof h);
			}
			if (segment == 0 && n_bytes >= sizeof(struct ring_control)) {
				struct ring_control c;
				memcpy(&c, bytes, sizeof c);
				if (c.magic == RING_MAGIC)
					c.checksum = ring_checksum(&c);
				memcpy(bytes, &c, sizeof c);
			}
		}
	}
	return n_bytes;
}

START_TEST(no_damage_makes_it_crash)
{
	struct dump_writer w;
	struct file files[] = {{.name = "meta"}, {.name = "drain.seg"}, {.name = "00000.seg"}, {.name = "00002.ring"}, {.name = "00003.ring"},
			       {.name = "00003.seg"}};
	const size_t n_files = sizeof files / sizeof files[0];
	uint64_t variables[20] = {0};
	unsigned types[20] = {0};
	dump_writer_init(&w, dir);
	for (uint32_t s = 0; s < 4; s++) {
		w.streams[s].place = (enum writer_place)s;
		w.streams[s].is_live = s >= 2;
		fill(&w, s, 150);
		for (unsigned i = 0; i < 20; i++)
			dump_writer_dependences(&w, s, 20000 + i, id_make(s, i), 20, variables, types);
	}
	dump_writer_finish(&w);
	for (size_t i = 0; i < n_files; i++)
		load(&files[i]);
	diag_quiet();
	/* The many errors go into a file; so does a sanitizer's report: it stays in the directory when this crashes. */
	char log[128];
	snprintf(log, sizeof log, "%s/log", root);
	int errors = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600), before = dup(2);
	dup2(errors, 2);
	FILE *out = fopen("/dev/null", "w");
	unsigned n_opened = 0, n_refused = 0;
	for (unsigned i = 0; i < 3000; i++) {
		const struct file *f = &files[random_below(n_files)];
		unsigned char *bytes = malloc(f->n_bytes);
		size_t n_bytes = mutate(f, bytes);
		store(f, bytes, n_bytes);
		struct dump d;
		if (dump_open(&d, dir) == 0) {
			n_opened++;
			ck_assert_int_eq(list_dump(&d, out), 0);
			for (size_t s = 0; s < d.n_streams; s++)
				ck_assert_uint_ge(d.streams[s].n_segments, 1);
			dump_close(&d);
		} else {
			n_refused++;
		}
		store(f, f->bytes, f->n_bytes);
		free(bytes);
	}
	fclose(out);
	dup2(before, 2);
	close(before);
	close(errors);
	/* Both ways were taken, and only damage to meta's first lines refuses a dump. */
	ck_assert_uint_gt(n_refused, 0);
	ck_assert_uint_gt(n_opened, 2500);
	for (size_t i = 0; i < n_files; i++)
		free(files[i].bytes);
	struct dump d;
	ck_assert_int_eq(dump_open(&d, dir), 0);
	ck_assert_uint_eq(tally_total(&d.findings), 0);
	dump_close(&d);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("reader");
	TCase *c = tcase_create("reader");
	tcase_add_checked_fixture(c, make_root, remove_root);
	tcase_set_timeout(c, 120);
	tcase_add_test(c, a_whole_dump_is_read_whatever_file_it_is_in);
	tcase_add_test(c, a_killed_process_leaves_its_newest_records_in_rings);
	tcase_add_test(c, the_position_alone_says_what_is_published);
	tcase_add_test(c, a_ring_with_a_damaged_control_page_gives_its_closed_segments);
	tcase_add_test(c, a_foreign_ring_is_left_alone);
	tcase_add_test(c, rings_are_found_where_meta_says_and_in_a_copied_dump);
	tcase_add_test(c, a_stream_without_seal_and_ring_is_named);
	tcase_add_test(c, a_file_cut_anywhere_gives_the_whole_records_before);
	tcase_add_test(c, damaged_and_foreign_segments_are_named_and_skipped);
	tcase_add_test(c, a_segment_of_another_stream_does_not_belong_into_a_stream_file);
	tcase_add_test(c, a_hole_inside_a_closed_segment_ends_it);
	tcase_add_test(c, of_two_copies_the_longer_is_taken);
	tcase_add_test(c, a_flight_recorder_misses_its_beginning_without_damage);
	tcase_add_test(c, a_flight_recorder_is_cut_to_what_all_streams_cover);
	tcase_add_test(c, what_a_gap_leaves_of_a_group_is_left_out);
	tcase_add_test(c, losses_are_told_by_cause_and_not_twice);
	tcase_add_test(c, ticks_become_ns_by_the_triples_furthest_apart);
	tcase_add_test(c, a_dump_without_two_clock_readings_says_so);
	tcase_add_test(c, counters_run_ahead_only_where_recording_was_off);
	tcase_add_test(c, other_versions_and_other_things_than_dumps);
	tcase_add_test(c, a_process_that_died_as_it_began_leaves_an_empty_dump);
	tcase_add_test(c, a_process_that_still_runs_gives_a_snapshot);
	tcase_add_test(c, the_list_names_every_field);
	tcase_add_test(c, no_damage_makes_it_crash);
	suite_add_tcase(suite, c);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed == 0 ? 0 : 1;
}
