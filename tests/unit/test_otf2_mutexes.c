/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The archive of synthetic dumps (test_otf2.c): mutexes, and what happens while recording was off.
 */
#include "tests/unit/otf2_fixture.h"

#include <check.h>

static void set_lock(uint32_t stream)
{
	otf2_put(stream, EVENT_mutex_acquire, mutex_kind_lock, 0, 0x5000, 0x6000);
	otf2_put(stream, EVENT_mutex_acquired, mutex_kind_lock, 0, 0x5000, 0x6000);
}

START_TEST(no_lock_is_held_over_a_gap)
{
	otf2_begin_program();
	set_lock(1);
	otf2_put(1, EVENT_records_lost, loss_cause_full, 0, 7, 0);
	set_lock(0);
	otf2_put(0, EVENT_recording_off, off_reason_paused, 0, 0, 0);
	otf2_put(0, EVENT_recording_on, 0, 0, otf2_primary, id_make(0, 2));
	set_lock(0);
	otf2_end_program();
	otf2_build(2);
	ck_assert_str_eq(archive_text[0],
			 "B <initial task F2 T <parallel <omp_set_lock A2 >omp_set_lock R2 off on <omp_set_lock A3 >omp_set_lock"
			 " >parallel R3 t J >initial task E");
	ck_assert_str_eq(archive_text[1], ON_WORKER(" <omp_set_lock A1 >omp_set_lock R1"));
}
END_TEST

START_TEST(a_lock_that_a_task_leaves_locked_stays_locked)
{
	otf2_begin_program();
	set_lock(0);
	otf2_end_program();
	otf2_build(2);
	ck_assert_str_eq(archive_text[0], ON_PRIMARY(" <omp_set_lock A1 >omp_set_lock"));
}
END_TEST

START_TEST(critical_regions_are_numbered_over_all_threads)
{
	otf2_begin_program();
	for (uint32_t stream = 2; stream-- > 0;) {
		otf2_put(stream, EVENT_mutex_acquire, mutex_kind_critical, 0, 0x5000, 0x6000);
		otf2_put(stream, EVENT_mutex_acquired, mutex_kind_critical, 0, 0x5000, 0x6000);
		otf2_put(stream, EVENT_mutex_released, mutex_kind_critical, 0, 0x5000, stream == 0 ? 0x6000 : 0); /* quirk Q9 */
	}
	otf2_end_program();
	otf2_build(2);
	ck_assert_str_eq(archive_text[0], ON_PRIMARY(" <critical A2 <critical sblock >critical sblock R2 >critical"));
	ck_assert_str_eq(archive_text[1], ON_WORKER(" <critical A1 <critical sblock >critical sblock R1 >critical"));
}
END_TEST

START_TEST(a_release_that_is_recorded_late_comes_before_the_next_acquisition)
{
	otf2_begin_program();
	set_lock(0);
	set_lock(1); /* the primary thread has released the lock, and was preempted before it could record that */
	otf2_put(0, EVENT_mutex_released, mutex_kind_lock, 0, 0x5000, 0x6010);
	otf2_put(1, EVENT_mutex_released, mutex_kind_lock, 0, 0x5000, 0x6010);
	otf2_end_program();
	otf2_build(2);
	ck_assert_str_eq(archive_text[0], ON_PRIMARY(" <omp_set_lock A1 >omp_set_lock R1 <omp_unset_lock >omp_unset_lock"));
	ck_assert_str_eq(archive_text[1], ON_WORKER(" <omp_set_lock A2 >omp_set_lock <omp_unset_lock R2 >omp_unset_lock"));
	ck_assert_uint_eq(archive_times[0][8], archive_times[1][3]); /* R1, A2 */
}
END_TEST

START_TEST(a_lock_that_is_only_tried_is_nothing)
{
	otf2_begin_program();
	otf2_put(0, EVENT_mutex_acquire, mutex_kind_test_lock, 0, 0x5000, 0x6000);
	otf2_put(0, EVENT_mutex_acquire, mutex_kind_lock, 0, 0x5000, 0x6000);
	otf2_put(0, EVENT_mutex_acquired, mutex_kind_lock, 0, 0x5000, 0x6000);
	otf2_put(0, EVENT_mutex_released, mutex_kind_lock, 0, 0x5000, 0x6010);
	otf2_end_program();
	otf2_build(2);
	ck_assert_str_eq(archive_text[0], ON_PRIMARY(" <omp_set_lock A1 >omp_set_lock <omp_unset_lock R1 >omp_unset_lock"));
}
END_TEST

START_TEST(nothing_happens_while_recording_was_off)
{
	otf2_begin_program();
	uint64_t task = otf2_create(3, 0);
	otf2_schedule(0, otf2_primary, task_status_switch, task);
	otf2_put(0, EVENT_recording_off, off_reason_paused, 0, 0, 0);
	otf2_put(0, EVENT_recording_on, 0, 0, task, id_make(0, 2));
	otf2_put(0, EVENT_buffer_flush, 0, 4096, otf2_now + 12, 0);
	otf2_schedule(0, task, task_status_complete, otf2_primary);
	otf2_end_program();
	otf2_build(2);
	ck_assert_str_eq(archive_text[0], ON_PRIMARY(" <create task C0.3 >create task S0.3 <task off on flush >task D0.3 S0.0"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("otf2_mutexes");
	TCase *tests = tcase_create("synthetic dumps");
	tcase_add_checked_fixture(tests, otf2_setup, otf2_teardown);
	tcase_add_test(tests, no_lock_is_held_over_a_gap);
	tcase_add_test(tests, a_lock_that_a_task_leaves_locked_stays_locked);
	tcase_add_test(tests, critical_regions_are_numbered_over_all_threads);
	tcase_add_test(tests, a_release_that_is_recorded_late_comes_before_the_next_acquisition);
	tcase_add_test(tests, a_lock_that_is_only_tried_is_nothing);
	tcase_add_test(tests, nothing_happens_while_recording_was_off);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
