/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The reader on packed segments: in files and in packing buffers, beside copies that are not packed, and damaged.
 */
#include "common/pack.h"
#include "tests/unit/reader_fixture.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SEGMENT  SEGMENT_BYTES_MIN
#define PER_FILE 8 /* segments of 124 records each, of reader_fill(w, 3, 989) */

static size_t at[PER_FILE + 1]; /* where pack() has put the segments */

/* Packs the segments first to last (from 0) of 00003.seg, or of another file, and appends them to `to`. */
static void pack(const char *from, size_t first, size_t last, const char *to)
{
	static struct pack_memory memory;
	static union {
		struct segment_header header;
		unsigned char bytes[SEGMENT];
	} segment;
	static unsigned char room[PACKED_BYTES_MAX(SEGMENT / 32)];
	FILE *in = fopen(reader_file(from), "r"), *out = fopen(reader_file(to), "a");
	ck_assert(in != NULL && out != NULL);
	for (size_t i = first; i <= last; i++) {
		ck_assert_int_eq(fseek(in, (long)(i * SEGMENT), SEEK_SET), 0);
		ck_assert_uint_gt(fread(segment.bytes, 1, SEGMENT, in), sizeof segment.header);
		size_t n = pack_segment(&memory, &segment.header, room);
		at[i] = (size_t)ftell(out);
		ck_assert_uint_eq(fwrite(room, 1, n, out), n);
		at[i + 1] = (size_t)ftell(out);
	}
	fclose(in);
	fclose(out);
}

static void remove_file(const char *name)
{
	ck_assert_int_eq(unlink(reader_file(name)), 0);
}

/* A dump with stream 3 of eight segments, in the given place, and stream 5 of one. */
static void write_dump(enum writer_place place)
{
	struct dump_writer w;
	dump_writer_init(&w, reader_dir);
	w.first_line = "otter-dump 2 0";
	w.streams[3].place = place;
	reader_fill(&w, 3, PER_FILE * 124 - 3);
	reader_fill(&w, 5, 10);
	dump_writer_finish(&w);
}

static void is_whole(void)
{
	struct dump d;
	ck_assert_int_eq(reader_open(&d, reader_dir), 0);
	ck_assert_str_eq(reader_said, "");
	ck_assert_uint_eq(d.n_streams, 2);
	reader_assert_filled(&d.streams[0], PER_FILE * 124 - 3);
	reader_assert_filled(&d.streams[0], PER_FILE * 124 - 3);
	reader_assert_filled(&d.streams[1], 10);
	ck_assert(d.is_complete && d.streams[0].is_sealed);
	dump_close(&d);
}

START_TEST(packed_segments_are_read_wherever_they_are)
{
	static const char *const files[] = {"00003.pseg", "drain.pseg", "00003.pbuf", "drain.pbuf"};
	for (size_t i = 0; i < 4; i++) {
		write_dump(WRITER_STREAM_FILE);
		pack("00003.seg", 0, PER_FILE - 1, files[i]);
		is_whole(); /* each segment twice */
		remove_file("00003.seg");
		if (i % 2 == 1) {
			pack("00005.seg", 0, 0, files[i]);
			remove_file("00005.seg");
		}
		is_whole();
		dump_writer_remove(reader_dir);
	}
	write_dump(WRITER_STREAM_FILE);
	pack("00003.seg", 0, 2, "00003.pseg");
	pack("00003.seg", 2, 4, "drain.pbuf");
	pack("00003.seg", 5, 7, "drain.pseg");
	remove_file("00003.seg");
	is_whole();
}
END_TEST

START_TEST(zeros_between_packed_segments_are_no_damage)
{
	static const char zeros[5 * PACK_ALIGN];
	write_dump(WRITER_STREAM_FILE);
	pack("00003.seg", 0, 3, "00003.pseg");
	FILE *f = fopen(reader_file("00003.pseg"), "a");
	ck_assert_uint_eq(fwrite(zeros, 1, sizeof zeros, f), sizeof zeros);
	fclose(f);
	pack("00003.seg", 4, 7, "00003.pseg");
	remove_file("00003.seg");
	is_whole();
}
END_TEST

/* Any changed byte of a packed segment takes away that segment, and no other. */
START_TEST(a_damaged_segment_is_left_out_and_the_next_one_is_found)
{
	write_dump(WRITER_STREAM_FILE);
	pack("00003.seg", 0, 7, "00003.pseg");
	remove_file("00003.seg");
	struct pack_header p;
	FILE *f = fopen(reader_file("00003.pseg"), "r");
	ck_assert(fseek(f, (long)(at[2] + 128), SEEK_SET) == 0 && fread(&p, sizeof p, 1, f) == 1);
	fclose(f);
	for (size_t i = 0; i < 160 + p.n_bytes; i += i < 160 ? 1 : 7) {
		struct dump d;
		reader_flip("00003.pseg", at[2] + i);
		ck_assert_int_eq(reader_open(&d, reader_dir), 0);
		ck_assert_uint_eq(d.streams[0].n_segments, 7);
		ck_assert_uint_eq(d.streams[0].n_missing_segments, 1);
		ck_assert_uint_eq(d.streams[0].n_missing_records, 124);
		ck_assert(d.streams[0].segments[2].is_after_gap);
		ck_assert_uint_eq(reader_found(&d, "segments_missing"), 1);
		/* Bytes 8 to 15 are the sequence: the segment may look like another one, which is there. */
		uint64_t n_told = reader_found(&d, "packed_damaged") + reader_found(&d, "not_a_segment") +
				  reader_found(&d, "foreign_segment") + reader_found(&d, "header_damaged");
		ck_assert_uint_le(n_told, 1);
		ck_assert(n_told == 1 || (i >= 8 && i < 16));
		dump_close(&d);
		reader_flip("00003.pseg", at[2] + i);
	}
	is_whole();
}
END_TEST

START_TEST(a_length_that_is_wrong_hides_no_other_segment)
{
	write_dump(WRITER_STREAM_FILE);
	pack("00003.seg", 0, 7, "00003.pseg");
	remove_file("00003.seg");
	static const uint32_t lengths[] = {0, 1, 2000, 3968, UINT32_MAX};
	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
		struct dump d;
		reader_patch("00003.pseg", at[4] + 136, &lengths[i], sizeof lengths[i]);
		ck_assert_int_eq(reader_open(&d, reader_dir), 0);
		ck_assert_uint_eq(d.streams[0].n_segments, 7);
		ck_assert_uint_eq(reader_found(&d, "packed_damaged"), 1);
		reader_assert_said("stream 3, in a file of packed segments at byte");
		dump_close(&d);
	}
}
END_TEST

/* A process was killed while it wrote a segment to the file: the ring or the buffer still has it. */
START_TEST(what_was_torn_is_no_loss_where_there_is_another_copy)
{
	for (int has_buffer = 0; has_buffer < 2; has_buffer++) {
		write_dump(has_buffer ? WRITER_STREAM_FILE : WRITER_RING_AND_FILE);
		if (has_buffer) {
			static const char noise[3 * PACK_ALIGN] = "OTTERSEG what is left of an earlier copy";
			pack("00003.seg", 3, 3, "00003.pbuf");
			FILE *f = fopen(reader_file("00003.pbuf"), "a");
			ck_assert_uint_eq(fwrite(noise, 1, sizeof noise, f), sizeof noise);
			fclose(f);
			pack("00003.seg", 6, 7, "00003.pbuf");
			pack("00003.seg", 4, 5, "00003.pbuf");
		}
		pack("00003.seg", 0, 7, "00003.pseg");
		remove_file("00003.seg");
		for (size_t n = at[8]; n > at[4]; n -= 32) {
			ck_assert_int_eq(truncate(reader_file("00003.pseg"), (off_t)n), 0);
			is_whole();
		}
		dump_writer_remove(reader_dir);
	}
}
END_TEST

/* Of a process that runs nothing is damage: files end where they end, and buffers are written to meanwhile. */
START_TEST(what_a_running_process_has_packed_is_read)
{
	struct dump_writer w;
	struct dump d;
	char host[256], boot_id[64];
	dump_writer_init(&w, reader_dir);
	reader_name_self(&w, host, boot_id);
	w.first_line = "otter-dump 2 0";
	w.is_killed = true;
	w.streams[3].place = WRITER_RING_AND_FILE;
	w.streams[3].is_live = true;
	reader_fill(&w, 3, 7 * 124 + 20 - 3);
	dump_writer_finish(&w);
	pack("00003.seg", 5, 6, "00003.pbuf");
	size_t overwritten = at[5] + 200; /* the ring has that one, too */
	pack("00003.seg", 2, 4, "00003.pbuf");
	size_t third = at[2] + 200;
	pack("00003.seg", 0, 4, "00003.pseg");
	remove_file("00003.seg");
	ck_assert_int_eq(truncate(reader_file("00003.pseg"), (off_t)(at[2] + 200)), 0);
	reader_flip("00003.pbuf", overwritten);
	ck_assert_int_eq(reader_open(&d, reader_dir), 0);
	ck_assert_str_eq(reader_said, "");
	ck_assert(d.is_snapshot && tally_total(&d.damage) == 0);
	ck_assert(d.streams[0].segments[2].mapped == NULL && d.streams[0].segments[0].mapped != NULL);
	for (int i = 0; i < 2; i++) {
		reader_flip("00003.pbuf", third); /* what was read is a copy */
		reader_assert_filled(&d.streams[0], 7 * 124 + 20 - 3);
	}
	dump_close(&d);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("reader, packed");
	TCase *c = tcase_create("packed");
	tcase_set_timeout(c, 0); /* tests/check.sh ends what hangs */
	tcase_add_checked_fixture(c, reader_setup, reader_teardown);
	tcase_add_test(c, packed_segments_are_read_wherever_they_are);
	tcase_add_test(c, zeros_between_packed_segments_are_no_damage);
	tcase_add_test(c, a_damaged_segment_is_left_out_and_the_next_one_is_found);
	tcase_add_test(c, a_length_that_is_wrong_hides_no_other_segment);
	tcase_add_test(c, what_was_torn_is_no_loss_where_there_is_another_copy);
	tcase_add_test(c, what_a_running_process_has_packed_is_read);
	suite_add_tcase(suite, c);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed == 0 ? 0 : 1;
}
