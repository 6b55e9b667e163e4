/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading what is in rings: of a process that was killed, of a flight recorder, and of one that still runs.
 */
#include "tests/unit/reader_fixture.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

START_TEST(a_killed_process_leaves_its_newest_records_in_rings)
{
	for (int both = 0; both < 2; both++) {
		struct dump_writer w;
		struct dump d;
		dump_writer_init(&w, reader_dir);
		w.is_killed = true;
		w.streams[0].place = both ? WRITER_RING_AND_FILE : WRITER_RING;
		w.streams[0].is_live = true;
		reader_fill(&w, 0, 1000);
		dump_writer_finish(&w);
		ck_assert_int_eq(reader_open(&d, reader_dir), 0);
		ck_assert_str_eq(reader_said, "");
		reader_assert_filled(&d.streams[0], 1000);
		ck_assert(d.streams[0].has_ring && !d.streams[0].is_sealed && !d.is_complete && !d.is_snapshot);
		dump_close(&d);
		dump_writer_remove(reader_dir);
	}
}
END_TEST

START_TEST(the_position_alone_says_what_is_published)
{
	struct dump_writer w;
	struct dump d;
	dump_writer_init(&w, reader_dir);
	w.streams[0].place = WRITER_RING;
	w.streams[0].is_live = w.is_killed = true;
	reader_fill(&w, 0, 20);
	dump_writer_finish(&w);
	uint64_t position = 4096 + 128 + 13 * 32;
	reader_patch("00000.ring", offsetof(struct ring_control, position), &position, sizeof position);
	ck_assert_int_eq(reader_open(&d, reader_dir), 0);
	ck_assert_str_eq(reader_said, "");
	reader_assert_filled(&d.streams[0], 10);
	dump_close(&d);
	/* A segment that was not opened yet has no records. */
	position = 4096;
	reader_patch("00000.ring", offsetof(struct ring_control, position), &position, sizeof position);
	ck_assert_int_eq(reader_open(&d, reader_dir), 0);
	ck_assert_uint_eq(d.n_records, 0);
	dump_close(&d);
	/* A position outside of the ring: closed segments would still be read, but here there is none. */
	position = UINT64_MAX - 4095 + 160;
	reader_patch("00000.ring", offsetof(struct ring_control, position), &position, sizeof position);
	ck_assert_int_eq(reader_open(&d, reader_dir), 0);
	ck_assert_uint_eq(d.n_records, 0);
	ck_assert_uint_eq(reader_found(&d, "position_damaged"), 1);
	reader_assert_said("00000.ring at byte 64: found a position at offset 160");
	dump_close(&d);
}
END_TEST

START_TEST(rings_are_found_where_meta_says_and_in_a_copied_dump)
{
	struct dump_writer w;
	struct dump d;
	char line[256], to[256];
	snprintf(line, sizeof line, "ring_dir %s\n", reader_root);
	for (int moved = 0; moved < 2; moved++) {
		dump_writer_init(&w, reader_dir);
		w.more_meta = moved ? line : "ring_dir /nowhere/at/all\n";
		w.streams[0].place = WRITER_RING;
		w.streams[0].is_live = w.is_killed = true;
		reader_fill(&w, 0, 20);
		dump_writer_finish(&w);
		snprintf(to, sizeof to, "%s/00000.ring", reader_root);
		if (moved)
			ck_assert_int_eq(rename(reader_file("00000.ring"), to), 0);
		ck_assert_int_eq(reader_open(&d, reader_dir), 0);
		reader_assert_filled(&d.streams[0], 20);
		dump_close(&d);
		dump_writer_remove(reader_dir);
	}
}
END_TEST

START_TEST(of_two_copies_the_longer_is_taken)
{
	struct dump_writer w;
	struct dump d;
	dump_writer_init(&w, reader_dir);
	w.streams[0].place = WRITER_DRAIN_FILE;
	reader_fill(&w, 0, 50);
	dump_writer_finish(&w);
	char command[600];
	snprintf(command, sizeof command, "cp %s/drain.seg %s/00000.seg && truncate -s 1000 %s/drain.seg", reader_dir, reader_dir,
		 reader_dir);
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(reader_open(&d, reader_dir), 0);
	reader_assert_filled(&d.streams[0], 50);
	ck_assert_str_eq(reader_said, "");
	ck_assert(d.is_complete);
	dump_close(&d);
	/* Two different segments with the same number. */
	struct segment_header h = reader_get_header("drain.seg", 0);
	h.ticks++;
	reader_put_header("drain.seg", 0, h);
	ck_assert_int_eq(reader_open(&d, reader_dir), 0);
	reader_assert_said("two different segments 1 of stream 0");
	dump_close(&d);
}
END_TEST

START_TEST(a_flight_recorder_misses_its_beginning_without_damage)
{
	struct dump_writer w;
	struct dump d;
	dump_writer_init(&w, reader_dir);
	w.more_meta = "setting keep newest\n";
	w.streams[0].missing = 1;
	reader_fill(&w, 0, 400);
	dump_writer_finish(&w);
	ck_assert_int_eq(reader_open(&d, reader_dir), 0);
	ck_assert_str_eq(reader_said, "");
	ck_assert_uint_eq(d.streams[0].n_missing_segments, 0);
	ck_assert(d.streams[0].segments[0].is_after_gap);
	ck_assert_uint_eq(d.lost[loss_cause_overwritten], 124);
	ck_assert_uint_eq(tally_total(&d.damage), 0);
	dump_close(&d);
}
END_TEST

START_TEST(a_flight_recorder_is_cut_to_what_all_streams_cover)
{
	struct dump_writer w;
	struct dump d;
	dump_writer_init(&w, reader_dir);
	w.more_meta = "setting keep newest\n";
	w.streams[0].missing = 2; /* segment 1 is there, and older than the gap */
	reader_fill(&w, 0, 400);
	reader_fill(&w, 1, 400); /* whole */
	reader_fill(&w, 2, 10);  /* it ended long before the window */
	dump_writer_finish(&w);
	ck_assert_int_eq(reader_open(&d, reader_dir), 0);
	reader_assert_said(
		"a flight recorder's dump: cut to what all streams cover, from 0.000011 s on; 372 older records left out");
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
	ck_assert_uint_eq(tally_total(&d.damage), 0);
	dump_close(&d);
}
END_TEST

START_TEST(a_process_that_still_runs_gives_a_snapshot)
{
	/*
	 * 0: it runs; 1: another process has its number; 2: it ended, but a stream is live; 3: it ended, and all are
	 * sealed
	 */
	for (int variant = 0; variant < 4; variant++) {
		struct dump_writer w;
		struct dump d;
		char host[256], boot_id[64];
		dump_writer_init(&w, reader_dir);
		reader_name_self(&w, host, boot_id);
		w.pid_start += variant == 1;
		w.is_killed = variant < 2;
		w.streams[0].is_live = variant < 3;
		w.streams[0].place = variant < 3 ? WRITER_RING : WRITER_STREAM_FILE;
		reader_fill(&w, 0, 1000);
		dump_writer_finish(&w);
		ck_assert_int_eq(reader_open(&d, reader_dir), 0);
		ck_assert_str_eq(reader_said, "");
		reader_assert_filled(&d.streams[0], 1000);
		ck_assert_int_eq(d.is_snapshot, variant == 0 || variant == 2);
		ck_assert_int_eq(d.is_complete, variant == 3);
		dump_close(&d);
		dump_writer_remove(reader_dir);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("reader_rings");
	TCase *c = tcase_create("reader_rings");
	tcase_add_checked_fixture(c, reader_setup, reader_teardown);
	tcase_set_timeout(c, 0); /* tests/check.sh ends what hangs */
	tcase_add_test(c, a_killed_process_leaves_its_newest_records_in_rings);
	tcase_add_test(c, the_position_alone_says_what_is_published);
	tcase_add_test(c, rings_are_found_where_meta_says_and_in_a_copied_dump);
	tcase_add_test(c, of_two_copies_the_longer_is_taken);
	tcase_add_test(c, a_flight_recorder_misses_its_beginning_without_damage);
	tcase_add_test(c, a_flight_recorder_is_cut_to_what_all_streams_cover);
	tcase_add_test(c, a_process_that_still_runs_gives_a_snapshot);
	suite_add_tcase(suite, c);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed == 0 ? 0 : 1;
}
