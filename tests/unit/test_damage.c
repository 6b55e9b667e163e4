/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The reader on damaged dumps: what it says about damage of every kind, what it still reads, and a few thousand mutations, of which
 * none may make it crash (run it under the sanitizers).
 */
#include "tests/unit/reader_fixture.h"
#include "builder/list.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
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
	reader_fill(&w, 0, 300); /* three segments: two closed */
	dump_writer_finish(&w);
	reader_flip("00000.ring", offsetof(struct ring_control, n_segments));
	ck_assert_int_eq(reader_open(&d, reader_dir), 0);
	ck_assert_uint_eq(d.n_records, 2 * 124);
	ck_assert_uint_eq(reader_found(&d, "ring_damaged"), 1);
	reader_assert_said("00000.ring: control page with magic");
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
	reader_assert_said("the ring of stream 0 of process 4242, expected stream 5 of process 4242");
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
	reader_assert_said("stream 2 was not sealed, and its ring");
	reader_assert_said("/00002.ring is not there");
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
		{4096 + 64, {0xff}, 1, "header_damaged", "00000.seg at byte 4096: segment header with checksum"},
		{4096, {'P', 'N', 'G'}, 3, "not_a_segment", "00000.seg at byte 4096: magic"},
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
		reader_assert_said("stream 0: segment 3 follows 1, expected 2 [segments_missing]");
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
	reader_assert_said("00006.seg at byte 0: a segment of stream 4, expected stream 6 [foreign_segment]");
	reader_assert_said("nothing of stream 4 is there, expected 1 segments [stream_missing]");
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
					types); /* 234 records: into all three segments */
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

START_TEST(other_versions_and_other_things_than_dumps)
{
	struct {
		const char *first_line;
		const char *text;
		int result;
	} const versions[] = {
		{"otter-dump 1 7", "the dump has format 1.7, this otter-build knows 1.1: what is new in it is skipped", 0},
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
			"/meta: ends before its first line does: the process died, or is being looked at, as it begins [meta_empty]");
		ck_assert_uint_eq(d.n_streams, 0);
		ck_assert(!d.is_complete);
		dump_close(&d);
		dump_writer_remove(reader_dir);
	}
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
	int fd = open(reader_file(f->name), O_RDONLY);
	ck_assert(fd >= 0 && fstat(fd, &st) == 0);
	f->n_bytes = (size_t)st.st_size;
	f->bytes = malloc(f->n_bytes + 1);
	ck_assert_int_eq(read(fd, f->bytes, f->n_bytes), (ssize_t)f->n_bytes);
	close(fd);
}

static void store(const struct file *f, const unsigned char *bytes, size_t n_bytes)
{
	int fd = open(reader_file(f->name), O_WRONLY | O_TRUNC);
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
	struct file files[] = {{.name = "meta"},       {.name = "drain.seg"},  {.name = "00000.seg"},
			       {.name = "00002.ring"}, {.name = "00003.ring"}, {.name = "00003.seg"}};
	const size_t n_files = sizeof files / sizeof files[0];
	uint64_t variables[20] = {0};
	unsigned types[20] = {0};
	dump_writer_init(&w, reader_dir);
	for (uint32_t s = 0; s < 4; s++) {
		w.streams[s].place = (enum writer_place)s;
		w.streams[s].is_live = s >= 2;
		reader_fill(&w, s, 150);
		for (unsigned i = 0; i < 20; i++)
			dump_writer_dependences(&w, s, 20000 + i, id_make(s, i), 20, variables, types);
	}
	dump_writer_finish(&w);
	for (size_t i = 0; i < n_files; i++)
		load(&files[i]);
	diag_quiet();
	/* The many errors go into a file; so does a sanitizer's report: it stays in the directory when this crashes. */
	char log[128];
	snprintf(log, sizeof log, "%s/log", reader_root);
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
		if (dump_open(&d, reader_dir) == 0) {
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
	ck_assert_int_eq(dump_open(&d, reader_dir), 0);
	ck_assert_uint_eq(tally_total(&d.findings), 0);
	dump_close(&d);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("damage");
	TCase *c = tcase_create("damage");
	tcase_add_checked_fixture(c, reader_setup, reader_teardown);
	tcase_set_timeout(c, 120);
	tcase_add_test(c, a_ring_with_a_damaged_control_page_gives_its_closed_segments);
	tcase_add_test(c, a_foreign_ring_is_left_alone);
	tcase_add_test(c, a_stream_without_seal_and_ring_is_named);
	tcase_add_test(c, a_file_cut_anywhere_gives_the_whole_records_before);
	tcase_add_test(c, damaged_and_foreign_segments_are_named_and_skipped);
	tcase_add_test(c, a_segment_of_another_stream_does_not_belong_into_a_stream_file);
	tcase_add_test(c, a_hole_inside_a_closed_segment_ends_it);
	tcase_add_test(c, what_a_gap_leaves_of_a_group_is_left_out);
	tcase_add_test(c, a_group_without_its_end_is_left_out);
	tcase_add_test(c, other_versions_and_other_things_than_dumps);
	tcase_add_test(c, a_process_that_died_as_it_began_leaves_an_empty_dump);
	tcase_add_test(c, no_damage_makes_it_crash);
	suite_add_tcase(suite, c);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed == 0 ? 0 : 1;
}
