/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How activities of devices are placed in the host's time, on synthetic dumps: by translated times, by readings of
 * clocks, and what happens if these are wrong.
 */
#include "tests/unit/device_fixture.h"

#include <check.h>

#define REAL_NS UINT64_C(1700000000000000000) /* real time at tick 0 in the writer's dumps */

/*
 * omp_get_wtime goes half as fast as the host's clock first, then as fast: a time is placed by the readings around it.
 */
START_TEST(a_translated_time_is_placed_between_the_readings_around_it)
{
	device_dump_begin();
	device_reading(0, 10000, 4, 1, DEVICE_WTIME);
	device_reading(0, 20000, 4, 2, DEVICE_WTIME + 5000);
	device_reading(0, 30000, 4, 3, DEVICE_WTIME + 15000);
	device_kernel(0, 1, 77, 78, DEVICE_WTIME, DEVICE_WTIME + 5000);
	device_kernel(0, 2, 77, 78, DEVICE_WTIME + 1000, DEVICE_WTIME + 6000);
	device_kernel(0, 3, 77, 78, DEVICE_WTIME + 15000, DEVICE_WTIME + 15000);
	device_finish(GRAPH_TASK);
	device_check_times(1, 10000, 20000);
	device_check_times(2, 12000, 21000);
	device_check_times(3, 30000, 30000);
	ck_assert_uint_eq(device_repair("kernel_without_submit"), 3);
	ck_assert_uint_eq(device_n_counted(), 3);
	replay_done();
}
END_TEST

/* Before the first and after the last reading the clock goes at its pace over all readings. */
START_TEST(a_time_outside_of_all_readings_goes_on_at_their_pace)
{
	device_dump_begin();
	device_reading(0, 10000, 4, 1, DEVICE_WTIME + 10000);
	device_reading(0, 30000, 4, 3, DEVICE_WTIME + 20000);
	device_kernel(0, 1, 77, 78, DEVICE_WTIME + 8000, DEVICE_WTIME + 21000);
	device_finish(GRAPH_TASK);
	device_check_times(1, 6000, 32000);
	replay_done();
}
END_TEST

START_TEST(an_interrupted_reading_counts_for_nothing)
{
	device_dump_begin();
	device_reading(0, 10000, 4, 1, DEVICE_WTIME);
	/* The clock was read at tick 21000, and then the thread lost its processor. */
	device_reading(0, 30000, 20000, 2, DEVICE_WTIME + 1000);
	device_reading(0, 40000, 4, 3, DEVICE_WTIME + 30000);
	device_kernel(0, 1, 77, 78, DEVICE_WTIME + 1000, DEVICE_WTIME + 2000);
	device_finish(GRAPH_TASK);
	device_check_times(1, 11000, 12000);
	replay_done();
}
END_TEST

/* Which readings are too wide is decided for each device by itself; readings may come in any order. */
START_TEST(readings_of_several_devices_are_told_apart)
{
	device_dump_begin();
	for (uint64_t i = 1; i <= 3; i++) {
		device_reading(2, 10000 * i, 6000, 0, DEVICE_WTIME + 1000 * i); /* all of them are wide, so they are used */
		device_reading(0, 10000 * i, 4, 0, DEVICE_WTIME + 20000 * i);
		device_reading(1, 10000 * i, i == 2 ? 9000 : 4, 0, i == 2 ? DEVICE_WTIME + 39000 : DEVICE_WTIME + 20000 * i);
	}
	device_kernel(0, 1, 77, 78, DEVICE_WTIME + 30000, DEVICE_WTIME + 50000);
	device_kernel(1, 2, 77, 78, DEVICE_WTIME + 30000, DEVICE_WTIME + 50000);
	device_kernel(2, 3, 77, 78, DEVICE_WTIME + 1500, DEVICE_WTIME + 2500);
	device_finish(GRAPH_TASK);
	for (uint64_t id = 1; id <= 3; id++)
		device_check_times(id, 15000, 25000);
	replay_done();
}
END_TEST

/* omp_get_wtime was put back in between: a time that came twice is placed by the device's own clock, or not at all. */
START_TEST(a_translation_that_goes_back_tells_nothing)
{
	device_dump_begin();
	device_announce(0);
	device_announce(1);
	for (uint32_t device = 0; device < 2; device++) {
		device_reading(device, 10000, 4, device == 0 ? 500 : 0, REAL_NS + 10000);
		device_reading(device, 20000, 4, device == 0 ? 1500 : 0, REAL_NS + 20000);
		device_reading(device, 30000, 4, device == 0 ? 2500 : 0, REAL_NS + 12000);
		device_reading(device, 40000, 4, device == 0 ? 3500 : 0, REAL_NS + 22000);
	}
	device_kernel(0, 1, 1600, 2400, REAL_NS + 11000, REAL_NS + 11900);
	device_kernel(1, 2, 1600, 2400, REAL_NS + 11000, REAL_NS + 11900);
	device_finish(GRAPH_TASK);
	device_check_times(1, 21000, 29000);
	device_check_times(2, 0, 0);
	ck_assert_uint_eq(replay_count_of(&device_model()->notes->quirks, "translation_goes_back"), 2);
	ck_assert_uint_eq(device_repair("device_clock_unknown"), 1);
	replay_done();
}
END_TEST

/* The second reading began before the first one and ended after it, which is no contradiction. */
START_TEST(readings_may_overlap)
{
	device_dump_begin();
	device_reading(0, 10000, 4, 1, DEVICE_WTIME);
	device_reading(0, 9900, 1000, 2, DEVICE_WTIME + 400);
	device_reading(0, 20000, 4, 3, DEVICE_WTIME + 10400);
	device_kernel(0, 1, 77, 78, DEVICE_WTIME + 5400, DEVICE_WTIME + 10400);
	device_finish(GRAPH_TASK);
	ck_assert_uint_eq(device_activity(1)->end_ticks, 20000);
	ck_assert_uint_eq(replay_count_of(&device_model()->notes->quirks, "translation_goes_back"), 0);
	replay_done();
}
END_TEST

START_TEST(without_a_translation_the_devices_own_clock_tells)
{
	device_dump_begin();
	device_reading(0, 10000, 4, 500, 0);
	device_reading(0, 20000, 4, 1500, 0);
	device_reading(1, 10000, 4, 90000, 0); /* of another device */
	device_plain_kernel(0, 1, 600, 1700);
	device_plain_kernel(1, 2, 90100, 90200);
	device_finish(GRAPH_TASK);
	device_check_times(1, 11000, 22000);
	device_check_times(2, 10100, 10200); /* with a single reading the units of the clock are taken as ns */
	replay_done();
}
END_TEST

/* omp_get_wtime is real time in LLVM's runtime, and monotonic time in others. */
START_TEST(without_a_reading_a_translation_is_a_clock_that_the_process_ran_in)
{
	device_dump_begin();
	device_kernel(0, 1, 77, 78, REAL_NS + 5000, REAL_NS + 6000);
	device_kernel(0, 2, 77, 78, 7000, 8000);
	device_kernel(0, 3, 77, 78, 5 * REAL_NS, 5 * REAL_NS + 1000);
	device_finish(GRAPH_TASK);
	device_check_times(1, 5000, 6000);
	device_check_times(2, 7000, 8000);
	device_check_times(3, 0, 0);
	ck_assert_uint_eq(device_repair("device_clock_unknown"), 1);
	replay_done();
}
END_TEST

START_TEST(what_has_no_time_gets_none)
{
	device_dump_begin();
	device_plain_clock(0);
	device_plain_kernel(0, 1, 5000, 0);
	device_plain_kernel(0, 2, 0, 5000);
	device_plain_kernel(0, 3, 5000, 4999);
	device_plain_kernel(0, 4, 500000, 600000); /* long after the end of the process */
	device_plain_kernel(1, 5, 5000, 6000);     /* there is no reading of this device */
	device_plain_kernel(0, 6, 5000, 6000);
	device_finish(GRAPH_TASK);
	for (uint64_t id = 1; id <= 5; id++) {
		device_check_times(id, 0, 0);
		ck_assert_uint_eq(device_activity(id)->queue, QUEUE_NONE);
	}
	device_check_times(6, 5000, 6000);
	ck_assert_uint_eq(device_repair("device_record_without_time"), 2);
	ck_assert_uint_eq(device_repair("device_end_before_begin"), 1);
	ck_assert_uint_eq(device_repair("device_clock_unknown"), 2);
	ck_assert_uint_eq(device_model()->n_queues, 1);
	replay_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("device_time");
	TCase *tests = tcase_create("device_time");
	tcase_add_checked_fixture(tests, replay_setup, replay_teardown);
	tcase_add_test(tests, a_translated_time_is_placed_between_the_readings_around_it);
	tcase_add_test(tests, a_time_outside_of_all_readings_goes_on_at_their_pace);
	tcase_add_test(tests, an_interrupted_reading_counts_for_nothing);
	tcase_add_test(tests, readings_of_several_devices_are_told_apart);
	tcase_add_test(tests, a_translation_that_goes_back_tells_nothing);
	tcase_add_test(tests, readings_may_overlap);
	tcase_add_test(tests, without_a_translation_the_devices_own_clock_tells);
	tcase_add_test(tests, without_a_reading_a_translation_is_a_clock_that_the_process_ran_in);
	tcase_add_test(tests, what_has_no_time_gets_none);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed != 0;
}
