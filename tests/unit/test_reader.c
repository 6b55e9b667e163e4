/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The reader on whole dumps, their losses, clocks and ids; and the listing. test_reader_rings.c has the rings.
 */
#include "tests/unit/reader_fixture.h"
#include "builder/dump/list.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

START_TEST(segments_of_a_large_file_are_read_into_one_place)
{
	struct dump_writer w;
	struct dump d;
	struct unpacked room = {.has_reads = true}, other = {0};
	dump_writer_init(&w, reader_dir);
	reader_fill(&w, 3, 5000);
	reader_fill(&w, 7, 500);
	dump_writer_finish(&w);
	ck_assert_int_eq(reader_open(&d, reader_dir), 0);
	for (size_t i = 0; i < d.streams[0].n_segments; i++) {
		const struct segment *segment = &d.streams[0].segments[i];
		ck_assert_ptr_eq(segment_records(segment, &room), room.records);
		ck_assert_mem_eq(room.records, segment->records, segment->n_records * sizeof *room.records);
		ck_assert_ptr_eq(segment_records(segment, &other), segment->records);
	}
	const struct segment *small = &d.streams[1].segments[0];
	ck_assert_ptr_eq(segment_records(small, &room), small->records);
	unpacked_free(&room);
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
	tcase_set_timeout(c, 0); /* tests/check.sh ends what hangs */
	tcase_add_test(c, a_whole_dump_is_read_whatever_file_it_is_in);
	tcase_add_test(c, segments_of_a_large_file_are_read_into_one_place);
	tcase_add_test(c, a_dump_is_put_down_and_taken_up_again);
	tcase_add_test(c, a_dump_that_changes_meanwhile_is_not_taken_up);
	tcase_add_test(c, losses_are_told_by_cause_and_not_twice);
	tcase_add_test(c, ticks_become_ns_by_the_triples_furthest_apart);
	tcase_add_test(c, a_dump_without_two_clock_readings_says_so);
	tcase_add_test(c, counters_run_ahead_only_where_recording_was_off);
	tcase_add_test(c, ids_of_an_absurd_header_come_from_the_one_before);
	tcase_add_test(c, the_list_names_every_field);
	suite_add_tcase(suite, c);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed == 0 ? 0 : 1;
}
