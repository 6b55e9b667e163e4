/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The reader on damaged dumps: what it prints about damage of every kind, and what it still reads.
 */
#include "tests/unit/reader_fixture.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

START_TEST(a_ring_with_a_damaged_control_page_gives_its_closed_segments)
{
	struct dump_writer w;
	struct dump d;
	dump_writer_init(&w, reader_dir);
	w.streams[0].place = WRITER_RING;
	w.streams[0].is_live = w.is_killed = true;
	reader_fill(&w, 0, 300); /* three segments, two of them closed */
	dump_writer_finish(&w);
	reader_flip("00000.ring", offsetof(struct ring_control, n_segments));
	ck_assert_int_eq(reader_open(&d, reader_dir), 0);
	ck_assert_uint_eq(d.n_records, 2 * 124);
	ck_assert_uint_eq(reader_found(&d, "ring_damaged"), 1);
	reader_assert_said("00000.ring: found a control page with magic");
	dump_close(&d);
}
END_TEST

START_TEST(a_foreign_ring_is_left_alone)
{
	struct dump_writer w;
	struct dump d;
	dump_writer_init(&w, reader_dir);
	w.streams[0].place = WRITER_RING;
	w.streams[0].is_live = w.is_killed = true;
	reader_fill(&w, 0, 20);
	dump_writer_finish(&w);
	char to[256];
	snprintf(to, sizeof to, "%s/00005.ring", reader_dir);
	ck_assert_int_eq(rename(reader_file("00000.ring"), to), 0);
	ck_assert_int_eq(reader_open(&d, reader_dir), 0);
	ck_assert_uint_eq(d.n_streams, 0);
	ck_assert_uint_eq(reader_found(&d, "foreign_ring"), 1);
	reader_assert_said("found the ring of stream 0 of process 4242, expected stream 5 of process 4242");
	dump_close(&d);
}
END_TEST

START_TEST(a_stream_without_seal_and_ring_is_named)
{
	struct dump_writer w;
	struct dump d;
	dump_writer_init(&w, reader_dir);
	w.streams[2].is_live = w.is_killed = true;
	reader_fill(&w, 2, 20);
	dump_writer_finish(&w);
	ck_assert_int_eq(reader_open(&d, reader_dir), 0);
	reader_assert_filled(&d.streams[0], 20);
	reader_assert_said("stream 2 was not sealed: expected its ring");
	reader_assert_said("/00002.ring, found none");
	dump_close(&d);
}
END_TEST

START_TEST(a_file_cut_anywhere_gives_the_whole_records_before)
{
	for (off_t size = 0; size <= 4096 + 500; size += 33) {
		struct dump_writer w;
		struct dump d;
		dump_writer_init(&w, reader_dir);
		reader_fill(&w, 0, 150);
		dump_writer_finish(&w);
		ck_assert_int_eq(truncate(reader_file("00000.seg"), size), 0);
		ck_assert_int_eq(reader_open(&d, reader_dir), 0);
		off_t in_first = size < 128 ? 0 : size > 4096 ? 124 : (size - 128) / 32;
		off_t in_second = size < 4096 + 128 ? 0 : (size - 4096 - 128) / 32;
		ck_assert_int_eq((off_t)d.n_records, in_first + in_second);
		ck_assert(!d.is_complete);
		if (size > 4096 + 128) {
			ck_assert_uint_eq(reader_found(&d, "segment_cut"), 1);
			reader_assert_said("segment 2 of stream 0, in the stream's file at byte 4096:");
			reader_assert_said("records, expected 29");
		}
		dump_close(&d);
		dump_writer_remove(reader_dir);
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
		{4096 + 64, {0xff}, 1, "header_damaged", "00000.seg at byte 4096: found a segment header with checksum"},
		{4096, {'P', 'N', 'G'}, 3, "not_a_segment", "00000.seg at byte 4096: found magic"},
		{4096, {'G', 'E', 'S', 'R', 'E', 'T', 'T', 'O'}, 8, "byte_order", "big-endian byte order, expected little-endian"},
	};
	for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
		struct dump_writer w;
		struct dump d;
		dump_writer_init(&w, reader_dir);
		reader_fill(&w, 0, 400);
		dump_writer_finish(&w);
		reader_patch("00000.seg", damages[i].at, damages[i].bytes, damages[i].n);
		ck_assert_int_eq(reader_open(&d, reader_dir), 0);
		ck_assert_uint_eq(reader_found(&d, damages[i].name), 1);
		reader_assert_said(damages[i].text);
		reader_assert_said("stream 0: found segment 3 after 1, expected 2 [segments_missing]");
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
		dump_writer_remove(reader_dir);
	}
}
END_TEST

START_TEST(a_segment_of_another_stream_does_not_belong_into_a_stream_file)
{
	struct dump_writer w;
	struct dump d;
	dump_writer_init(&w, reader_dir);
	reader_fill(&w, 4, 20);
	dump_writer_finish(&w);
	char to[256];
	snprintf(to, sizeof to, "%s/00006.seg", reader_dir);
	ck_assert_int_eq(rename(reader_file("00004.seg"), to), 0);
	ck_assert_int_eq(reader_open(&d, reader_dir), 0);
	ck_assert_uint_eq(d.n_streams, 0);
	reader_assert_said("00006.seg at byte 0: found a segment of stream 4, expected stream 6 [foreign_segment]");
	reader_assert_said("found nothing of stream 4, expected 1 segments [stream_missing]");
	dump_close(&d);
}
END_TEST

START_TEST(a_hole_inside_a_closed_segment_ends_it)
{
	struct dump_writer w;
	struct dump d;
	dump_writer_init(&w, reader_dir);
	reader_fill(&w, 0, 400);
	dump_writer_finish(&w);
	static const unsigned char zeros[1024];
	reader_patch("00000.seg", 4096 + 3072, zeros, sizeof zeros);
	ck_assert_int_eq(reader_open(&d, reader_dir), 0);
	ck_assert_uint_eq(d.streams[0].segments[1].n_records, 124 - 32);
	ck_assert_uint_eq(d.streams[0].n_missing_records, 32);
	reader_assert_said("92 records, expected 124 [segment_cut]");
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
		dump_writer_init(&w, reader_dir);
		w.streams[0].missing = missing;
		reader_fill(&w, 0, 100);
		dump_writer_dependences(&w, 0, 20000, id_make(0, 5), 700, variables,
					types); /* 234 records, in all three segments */
		dump_writer_record(&w, 0, 20010, EVENT_flush, 0, 0, 0, 0x401000);
		dump_writer_finish(&w);
		ck_assert_int_eq(reader_open(&d, reader_dir), 0);
		ck_assert_uint_ge(reader_found(&d, "group_cut"), 1);
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
		dump_writer_remove(reader_dir);
	}
}
END_TEST

START_TEST(a_group_without_its_end_is_left_out)
{
	static const struct {
		unsigned kind;
		uint64_t value, b;
		unsigned n; /* continuation records */
	} groups[] = {
		{EVENT_target_begin, 0, 0, 1},   {EVENT_target_data_op_begin, 0, 0, 2},
		{EVENT_target_data_op, 0, 0, 2}, {EVENT_target_data_op_end, 0, 0, 1},
		{EVENT_target_map, 3, 0, 3},     {EVENT_device_initialize, 0, 25 | UINT64_C(24) << 32, 3},
		{EVENT_device_load, 0, 1, 3},
	};
	for (unsigned i = 0; i < sizeof groups / sizeof groups[0]; i++)
		for (unsigned n_missing = 0; n_missing < 2; n_missing++) {
			struct dump_writer w;
			struct dump d;
			dump_writer_init(&w, reader_dir);
			reader_fill(&w, 0, 10);
			dump_writer_record(&w, 0, 20000, groups[i].kind, 0, groups[i].value, 0, groups[i].b);
			for (unsigned k = n_missing; k < groups[i].n; k++)
				dump_writer_record(&w, 0, 0, EVENT_text, 0, 0, 0, 0);
			dump_writer_finish(&w);
			ck_assert_int_eq(reader_open(&d, reader_dir), 0);
			ck_assert_uint_eq(reader_found(&d, "group_cut"), n_missing);
			dump_close(&d);
			dump_writer_remove(reader_dir);
		}
}
END_TEST

/* The thread was about to take the next segment, which has the rest of the group. */
START_TEST(a_group_may_be_cut_by_a_kill)
{
	for (unsigned is_killed = 0; is_killed < 2; is_killed++) {
		struct dump_writer w;
		struct dump d;
		dump_writer_init(&w, reader_dir);
		reader_fill(&w, 0, 10);
		uint64_t n = 0;
		for (; w.streams[0].used_bytes < w.segment_bytes - (uint32_t)sizeof(struct record); n++)
			dump_writer_record(&w, 0, 20000 + n, EVENT_flush, 0, 0, 0, 0x401000);
		dump_writer_record(&w, 0, 30000, EVENT_target_begin, 0, 0, 0, 0);
		dump_writer_close_segment(&w, 0);
		w.is_killed = is_killed;
		w.streams[0].is_live = true;
		dump_writer_finish(&w);
		ck_assert_int_eq(reader_open(&d, reader_dir), 0);
		ck_assert_uint_eq(reader_found(&d, "group_cut"), is_killed ? 0 : 1);
		struct cursor c;
		const struct record *r, *last = NULL;
		cursor_init(&c, &d.streams[0]);
		while ((r = cursor_next(&c)) != NULL)
			last = r;
		ck_assert_ptr_nonnull(last);
		ck_assert_uint_eq(last->time, 20000 + n - 1);
		dump_close(&d);
		dump_writer_remove(reader_dir);
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
		{"otter-dump 1 7", "the dump has format 1.7, this otter-build knows 1.3: what is new in it is skipped", 0},
		{"otter-dump 2 3", "the dump has format 2.3, this otter-build knows 2.1: what is new in it is skipped", 0},
		{"otter-dump 3 0", "the dump has format 3.0, this otter-build reads 1.x and 2.x", -1},
		{"otter-dump 0 9", "the dump has format 0.9, this otter-build reads 1.x and 2.x", -1},
		{"otter-dump", "its first line must be \"otter-dump MAJOR MINOR\"", -1},
		{"<html>", "not the meta of an Otter dump", -1},
		{"otter-dump 1 0\nrecord_bytes 48", "record_bytes is \"48\", this otter-build reads \"32\"", -1},
		{"otter-dump 1 0\nbyte_order big", "byte_order is \"big\", this otter-build reads \"little\"", -1},
		{"otter-dump 1 0\nstart soon",
		 "/meta at byte 15 (start): found a line whose value makes no sense, expected one as docs/format.md says; 1 such lines are "
		 "skipped [meta_damaged]",
		 0},
	};
	struct dump d;
	for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
		struct dump_writer w;
		dump_writer_init(&w, reader_dir);
		w.first_line = versions[i].first_line;
		reader_fill(&w, 0, 10);
		dump_writer_finish(&w);
		ck_assert_int_eq(reader_open(&d, reader_dir), versions[i].result);
		reader_assert_said(versions[i].text);
		if (versions[i].result == 0) {
			reader_assert_filled(&d.streams[0], 10);
			dump_close(&d);
		}
		dump_writer_remove(reader_dir);
	}
	ck_assert_int_eq(reader_open(&d, reader_dir), -1);
	reader_assert_said("/meta: No such file or directory: a dump is a directory with a file `meta`");
}
END_TEST

START_TEST(a_process_that_died_as_it_began_leaves_an_empty_dump)
{
	static const char *const beginnings[] = {"", "otter-d", "otter-dump 1"};
	for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
		struct dump d;
		ck_assert_int_eq(mkdir(reader_dir, 0700), 0);
		FILE *f = fopen(reader_file("meta"), "w");
		ck_assert(f != NULL && fputs(beginnings[i], f) >= 0 && fclose(f) == 0);
		ck_assert_int_eq(reader_open(&d, reader_dir), 0);
		reader_assert_said(
			"/meta: found no whole line, expected \"otter-dump MAJOR MINOR\" as the first one: the process was killed, or is "
			"only just starting [meta_empty]");
		ck_assert_uint_eq(d.n_streams, 0);
		ck_assert(!d.is_complete);
		dump_close(&d);
		dump_writer_remove(reader_dir);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("damage");
	TCase *c = tcase_create("damage");
	tcase_add_checked_fixture(c, reader_setup, reader_teardown);
	tcase_set_timeout(c, 0); /* tests/check.sh ends what hangs */
	tcase_add_test(c, a_ring_with_a_damaged_control_page_gives_its_closed_segments);
	tcase_add_test(c, a_foreign_ring_is_left_alone);
	tcase_add_test(c, a_stream_without_seal_and_ring_is_named);
	tcase_add_test(c, a_file_cut_anywhere_gives_the_whole_records_before);
	tcase_add_test(c, damaged_and_foreign_segments_are_named_and_skipped);
	tcase_add_test(c, a_segment_of_another_stream_does_not_belong_into_a_stream_file);
	tcase_add_test(c, a_hole_inside_a_closed_segment_ends_it);
	tcase_add_test(c, what_a_gap_leaves_of_a_group_is_left_out);
	tcase_add_test(c, a_group_without_its_end_is_left_out);
	tcase_add_test(c, a_group_may_be_cut_by_a_kill);
	tcase_add_test(c, other_versions_and_other_things_than_dumps);
	tcase_add_test(c, a_process_that_died_as_it_began_leaves_an_empty_dump);
	suite_add_tcase(suite, c);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed == 0 ? 0 : 1;
}
