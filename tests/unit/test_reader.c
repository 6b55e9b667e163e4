/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The reader on whole dumps, and on dumps of a killed, running or paused process; and the listing.
 */
#include "tests/unit/reader_fixture.h"
#include "builder/dump/list.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

START_TEST(a_whole_dump_is_read_whatever_file_it_is_in)
{
	struct dump_writer w;
	struct dump d;
	dump_writer_init(&w, reader_dir);
	w.streams[7].place = WRITER_DRAIN_FILE;
	w.streams[8].place = WRITER_DRAIN_FILE;
	reader_fill(&w, 3, 1000);
	reader_fill(&w, 7, 500);
	reader_fill(&w, 8, 0);
	dump_writer_finish(&w);
	char slash[256];
	snprintf(slash, sizeof slash, "%s//", reader_dir);
	ck_assert_int_eq(reader_open(&d, slash), 0);
	ck_assert_str_eq(reader_said, "");
	ck_assert_str_eq(d.name, "fib-host-1");
	ck_assert_str_eq(d.path, reader_dir);
	ck_assert_uint_eq(d.n_streams, 3);
	ck_assert_uint_eq(d.streams[0].number, 3);
	reader_assert_filled(&d.streams[0], 1000);
	reader_assert_filled(&d.streams[1], 500);
	reader_assert_filled(&d.streams[2], 0);
	ck_assert_uint_eq(d.n_records, 1509);
	ck_assert(d.streams[0].is_sealed && d.streams[1].is_sealed && d.is_complete && !d.is_snapshot);
	ck_assert_uint_eq(d.n_lost, 0);
	dump_close(&d);
}
END_TEST

START_TEST(a_dump_is_put_down_and_taken_up_again)
{
	struct dump_writer w;
	struct dump d;
	dump_writer_init(&w, reader_dir);
	reader_fill(&w, 3, 1000);
	reader_fill(&w, 7, 500);
	dump_writer_finish(&w);
	ck_assert_int_eq(reader_open(&d, reader_dir), 0);
	ck_assert_int_eq(dump_take_up(&d), 0); /* it is up */
	reader_assert_filled(&d.streams[0], 1000);
	dump_put_down(&d);
	dump_put_down(&d); /* it is down */
	ck_assert(d.mappings == NULL && d.streams[0].segments == NULL);
	ck_assert_str_eq(d.name, "fib-host-1");
	ck_assert_uint_eq(d.n_records, 1506);
	ck_assert(d.is_complete && d.streams[1].number == 7);
	ck_assert_int_eq(dump_take_up(&d), 0);
	reader_assert_filled(&d.streams[0], 1000);
	reader_assert_filled(&d.streams[1], 500);
	dump_put_down(&d);
	dump_close(&d);
}
END_TEST

START_TEST(a_dump_that_changes_meanwhile_is_not_taken_up)
{
	struct dump_writer w;
	struct dump d;
	dump_writer_init(&w, reader_dir);
	reader_fill(&w, 3, 1000);
	reader_fill(&w, 7, 500);
	dump_writer_finish(&w);
	ck_assert_int_eq(reader_open(&d, reader_dir), 0);
	dump_put_down(&d);
	ck_assert_int_eq(unlink(reader_file("00007.seg")), 0);
	ck_assert_int_eq(dump_take_up(&d), -1);
	dump_close(&d);
}
END_TEST

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

START_TEST(losses_are_told_by_cause_and_not_twice)
{
	for (int killed = 0; killed < 2; killed++) {
		struct dump_writer w;
		struct dump d;
		dump_writer_init(&w, reader_dir);
		w.is_killed = killed;
		w.streams[0].place = killed ? WRITER_RING : WRITER_STREAM_FILE;
		w.streams[0].is_live = killed;
		w.more_meta = killed ? "" : "lost_reentry 5\nlost_no_stream 6\n";
		reader_fill(&w, 0, 10);
		dump_writer_record(&w, 0, 11000, EVENT_records_lost, loss_cause_full, 0, 17, 0);
		reader_fill(&w, 1, 10);
		dump_writer_record(&w, 1, 11000, EVENT_records_lost, loss_cause_limit, 0, 2, 0);
		dump_writer_close_segment(&w, 1);
		dump_writer_record(&w, 1, 11001, EVENT_flush, 0, 0, 0, 0);
		dump_writer_finish(&w);
		ck_assert_int_eq(reader_open(&d, reader_dir), 0);
		ck_assert_uint_eq(d.lost[loss_cause_full], 17);
		ck_assert_uint_eq(d.lost[loss_cause_limit], 2);
		ck_assert_uint_eq(d.lost[loss_cause_reentry], killed ? 0 : 5);
		ck_assert_uint_eq(d.lost[loss_cause_no_stream], killed ? 0 : 6);
		ck_assert_uint_eq(d.lost[0], 0);
		ck_assert_uint_eq(d.n_lost, killed ? 19 : 30);
		ck_assert_uint_eq(d.streams[0].lost[loss_cause_full], 17);
		ck_assert(!d.is_complete);
		dump_close(&d);
		dump_writer_remove(reader_dir);
	}
}
END_TEST

START_TEST(ticks_become_ns_by_the_triples_furthest_apart)
{
	struct dump_writer w;
	struct dump d;
	dump_writer_init(&w, reader_dir);
	w.ticks_per_ns = 3;
	w.start_ticks = 3000000;
	w.end_ticks = 3000000;
	dump_writer_root(&w, 0, 2999100, 1, 1); /* before the first triple */
	dump_writer_record(&w, 0, 2999999000, EVENT_flush, 0, 0, 0, 0);
	dump_writer_finish(&w);
	ck_assert_int_eq(reader_open(&d, reader_dir), 0);
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
	dump_writer_init(&w, reader_dir);
	w.ticks_per_ns = 3;
	w.start_ticks = 10000;
	w.streams[0].is_live = w.is_killed = true;
	w.streams[0].place = WRITER_RING;
	reader_fill(&w, 0, 10);
	dump_writer_finish(&w);
	ck_assert_int_eq(reader_open(&d, reader_dir), 0);
	ck_assert_uint_eq(dump_ticks_per_second(&d), 1000000000);
	reader_assert_said("one tick is taken for one ns [no_clock_rate]");
	dump_close(&d);
}
END_TEST

START_TEST(counters_run_ahead_only_where_recording_was_off)
{
	for (int paused = 0; paused < 2; paused++) {
		struct dump_writer w;
		struct dump d;
		dump_writer_init(&w, reader_dir);
		reader_fill(&w, 0, 10);
		if (paused) {
			dump_writer_record(&w, 0, 10500, EVENT_recording_off, off_reason_paused, 0, 0, 0);
			dump_writer_record(&w, 0, 10600, EVENT_recording_on, 0, 0, id_make(0, 1), id_make(0, 1));
		}
		dump_writer_record(&w, 0, 11000, EVENT_task_create, task_flags_explicit, 5000000, id_make(0, 1), 0);
		dump_writer_finish(&w);
		ck_assert_int_eq(reader_open(&d, reader_dir), 0);
		ck_assert_uint_eq(d.streams[0].max_task, paused ? 5000000 : 11);
		ck_assert_uint_eq(reader_found(&d, "counter_absurd"), !paused);
		dump_close(&d);
		dump_writer_remove(reader_dir);
	}
}
END_TEST

/* If the last header cannot be right, the number of ids follows from the segment before it. */
START_TEST(ids_of_an_absurd_header_come_from_the_one_before)
{
	for (int all = 0; all < 2; all++) {
		struct dump_writer w;
		struct dump d;
		dump_writer_init(&w, reader_dir);
		reader_fill(&w, 0, 300);
		dump_writer_finish(&w);
		ck_assert_int_eq(reader_open(&d, reader_dir), 0);
		uint64_t n_tasks = d.streams[0].max_task;
		ck_assert_uint_ge(n_tasks, 300);
		dump_close(&d);
		for (uint64_t at = all ? 0 : 2; at < 3; at++) {
			struct segment_header h = reader_get_header("00000.seg", at * 4096);
			h.n_tasks = RECORD_VALUE_MAX + 1;
			reader_put_header("00000.seg", at * 4096, h);
		}
		ck_assert_int_eq(reader_open(&d, reader_dir), 0);
		ck_assert_uint_eq(d.streams[0].n_segments, 3);
		ck_assert_uint_eq(d.streams[0].max_task, n_tasks);
		ck_assert_uint_eq(reader_found(&d, "counter_absurd"), 1);
		dump_close(&d);
		dump_writer_remove(reader_dir);
	}
}
END_TEST

/* Gives the dump the identity of this process, as a recorder would. */
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
	/*
	 * 0: it runs; 1: another process has its number; 2: it ended, but a stream is live; 3: it ended, and all are
	 * sealed
	 */
	for (int variant = 0; variant < 4; variant++) {
		struct dump_writer w;
		struct dump d;
		char host[256], boot_id[64];
		dump_writer_init(&w, reader_dir);
		name_self(&w, host, boot_id);
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

START_TEST(the_list_names_every_field)
{
	struct dump_writer w;
	struct dump d;
	const uint64_t variables[] = {0x10, 0x20, 0x30};
	const unsigned types[] = {dependence_type_in, dependence_type_inout, dependence_type_mutexinoutset};
	dump_writer_init(&w, reader_dir);
	dump_writer_root(&w, 2, 2000, 1, 1);
	dump_writer_record(&w, 2, 2100, EVENT_task_create, task_flags_explicit | task_flags_untied | 0x800, 2, id_make(2, 1),
			   UINT64_C(0x8500000000401000));
	dump_writer_dependences(&w, 2, 2110, id_make(2, 2), 3, variables, types);
	dump_writer_record(&w, 2, 2200, EVENT_task_schedule, task_status_switch, 0, id_make(2, 1), id_make(2, 2));
	dump_writer_record(&w, 2, 2210, EVENT_task_schedule, 99, 0, id_make(2, 2), 0);
	dump_writer_record(&w, 2, 2220, EVENT_mutex_acquire, mutex_kind_critical, UINT64_C(2) << 32 | 1, 0xabc, 0x401010);
	dump_writer_record(&w, 2, 2230, EVENT_buffer_flush, 0, 4096, 2330, 0);
	dump_writer_record(&w, 2, 2400, EVENT_error, severity_warning, 5, 0, 0x401020);
	uint64_t hello = 0;
	memcpy(&hello, "h\"l\nO", 5);
	dump_writer_record(&w, 2, hello, EVENT_text, 5, 0, 0, 0);
	dump_writer_record(&w, 2, 2410, EVENT_target_data_op_begin, target_data_op_alloc, UINT32_MAX, id_make(2, 7), 0x401030);
	dump_writer_record(&w, 2, 0x10, EVENT_target_data_op_more, 0, 3, 0x20, 64);
	dump_writer_record(&w, 2, 0, EVENT_target_data_op_ids, 0, 0, 5, id_make(2, 2));
	dump_writer_record(&w, 2, 2500, 200, 1, 2, 3, 4);
	dump_writer_close_segment(&w, 2);
	dump_writer_record(&w, 2, 2600, EVENT_thread_detach, 0, 0, 1002, 0);
	dump_writer_finish(&w);
	ck_assert_int_eq(reader_open(&d, reader_dir), 0);
	char *text = NULL;
	size_t n_bytes;
	FILE *out = open_memstream(&text, &n_bytes);
	ck_assert_int_eq(list_dump(&d, out), 0);
	fclose(out);
	ck_assert_str_eq(
		text, "2 1.0 1000 thread_attach tid=1002 cpu=18446744073709551615\n"
		      "2 1.1 1000 thread_begin type=initial\n"
		      "2 1.2 1000 implicit_task_begin flags=initial task=2:1 region=2:1 actual=1 index=1\n"
		      "2 1.3 1100 task_create flags=explicit|untied|others|importing|0x84000 task=2:2 parent=2:1 codeptr=0x401000\n"
		      "2 1.4 1110 dependences type=in count=3 task=2:2 variable=0x10\n"
		      "2 1.5 + dependences_more count=2 types=1027 variable_1=0x20 variable_2=0x30 variable_3=0x0\n"
		      "2 1.6 1200 task_schedule status=switch prior=2:1 next=2:2\n"
		      "2 1.7 1210 task_schedule status=99 prior=2:2 next=0\n"
		      "2 1.8 1220 mutex_acquire mutex=critical hint=1 impl=2 wait_id=0xabc codeptr=0x401010\n"
		      "2 1.9 1230 buffer_flush bytes=4096 end=1330\n"
		      "2 1.10 1400 error severity=warning length_bytes=5 codeptr=0x401020\n"
		      "2 1.11 + text length_bytes=5 text=\"h\\x22l\\x0aO\"\n"
		      "2 1.12 1410 target_data_op_begin optype=alloc src_device=-1 id=2:7 codeptr=0x401030\n"
		      "2 1.13 + target_data_op_more dest_device=3 src_address=0x10 dest_address=0x20 bytes=64\n"
		      "2 1.14 + target_data_op_ids target=5 target_task=2:2\n"
		      "2 1.15 1500 kind_200 time=0x9c4 head=0x2001c8 a=0x3 b=0x4\n"
		      "2 2.0 1600 thread_detach tid=1002\n");
	free(text);
	dump_close(&d);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("reader");
	TCase *c = tcase_create("reader");
	tcase_add_checked_fixture(c, reader_setup, reader_teardown);
	tcase_set_timeout(c, 120);
	tcase_add_test(c, a_whole_dump_is_read_whatever_file_it_is_in);
	tcase_add_test(c, a_dump_is_put_down_and_taken_up_again);
	tcase_add_test(c, a_dump_that_changes_meanwhile_is_not_taken_up);
	tcase_add_test(c, a_killed_process_leaves_its_newest_records_in_rings);
	tcase_add_test(c, the_position_alone_says_what_is_published);
	tcase_add_test(c, rings_are_found_where_meta_says_and_in_a_copied_dump);
	tcase_add_test(c, of_two_copies_the_longer_is_taken);
	tcase_add_test(c, a_flight_recorder_misses_its_beginning_without_damage);
	tcase_add_test(c, a_flight_recorder_is_cut_to_what_all_streams_cover);
	tcase_add_test(c, losses_are_told_by_cause_and_not_twice);
	tcase_add_test(c, ticks_become_ns_by_the_triples_furthest_apart);
	tcase_add_test(c, a_dump_without_two_clock_readings_says_so);
	tcase_add_test(c, counters_run_ahead_only_where_recording_was_off);
	tcase_add_test(c, ids_of_an_absurd_header_come_from_the_one_before);
	tcase_add_test(c, a_process_that_still_runs_gives_a_snapshot);
	tcase_add_test(c, the_list_names_every_field);
	suite_add_tcase(suite, c);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed == 0 ? 0 : 1;
}
