/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How long tasks execute or are blocked while they hold a mutex (builder/states/states.h), on synthetic dumps, to the
 * tick.
 */
#include "tests/unit/switches_fixture.h"

#include <check.h>

#define LOCK  0x100
#define OTHER 0x200

static void take(unsigned kind, uint64_t wait_id)
{
	replay_put(0, EVENT_mutex_acquire, kind, 0, wait_id, 0x5000);
	replay_put(0, EVENT_mutex_acquired, kind, 0, wait_id, 0x5000);
}

static void release(unsigned kind, uint64_t wait_id)
{
	replay_put(0, EVENT_mutex_released, kind, 0, wait_id, 0x5000);
}

/* Held twice, for 300 and 500; in the second time its task waits 7000 for another lock and holds that for 100. */
START_TEST(what_the_holder_waits_for_is_left_out)
{
	replay_begin_program(1);
	take(mutex_kind_critical, LOCK);
	replay_now += 290;
	release(mutex_kind_critical, LOCK);
	take(mutex_kind_critical, LOCK);
	replay_now += 380;
	replay_put(0, EVENT_mutex_acquire, mutex_kind_lock, 0, OTHER, 0x5000);
	replay_now += 6990;
	replay_put(0, EVENT_mutex_acquired, mutex_kind_lock, 0, OTHER, 0x5000);
	replay_now += 90;
	release(mutex_kind_lock, OTHER);
	release(mutex_kind_critical, LOCK);
	replay_end_program();
	replay_build(GRAPH_FRAGMENT);
	const struct exclusion *longest = exclusions_longest(&replay_states.exclusions);
	ck_assert_ptr_nonnull(longest);
	ck_assert_uint_eq(longest->kind, mutex_kind_critical);
	ck_assert_uint_eq(longest->n, 2);
	ck_assert_uint_eq(longest->ticks, 300 + 390 + 100 + 10);
	replay_done();
}
END_TEST

/* A nestable lock is held from its first acquisition to its release; a task that runs meanwhile does not hold it. */
START_TEST(the_outermost_acquisition_counts_and_other_tasks_do_not)
{
	uint64_t me = replay_begin_program(1), task = replay_create(3, me);
	for (unsigned i = 0; i < 2; i++) {
		take(mutex_kind_nest_lock, LOCK);
		replay_put(0, EVENT_mutex_acquire, mutex_kind_nest_lock, 0, LOCK, 0x5000);
		replay_put(0, EVENT_nest_lock_begin, 0, 0, LOCK, 0x5000);
		replay_put(0, EVENT_nest_lock_end, 0, 0, LOCK, 0x5000);
		if (i == 1) {
			switch_task(0, task_status_switch, me, task);
			replay_now += 5000;
			switch_task(0, task_status_complete, task, me);
		}
		release(mutex_kind_nest_lock, LOCK);
	}
	replay_end_program();
	replay_build(GRAPH_FRAGMENT);
	const struct exclusion *longest = exclusions_longest(&replay_states.exclusions);
	ck_assert_ptr_nonnull(longest);
	ck_assert_uint_eq(longest->n, 2);
	ck_assert_uint_eq(longest->ticks, 30 + 40); /* the 10 of waiting for the own lock are left out */
	replay_done();
}
END_TEST

START_TEST(a_mutex_that_is_held_once_excludes_nobody)
{
	replay_begin_program(1);
	take(mutex_kind_lock, LOCK);
	release(mutex_kind_lock, LOCK);
	take(mutex_kind_lock, OTHER); /* and never released */
	replay_end_program();
	replay_build(GRAPH_FRAGMENT);
	ck_assert_ptr_null(exclusions_longest(&replay_states.exclusions));
	replay_done();
}
END_TEST

/* Held twice, for 1000 each; in the second time its holder is preempted for 200, and blocked for 400. */
START_TEST(blocked_counts_and_preempted_does_not)
{
	replay_begin_program(1);
	take(mutex_kind_critical, LOCK);
	replay_now += 990;
	release(mutex_kind_critical, LOCK);
	take(mutex_kind_critical, LOCK);
	uint64_t begin = replay_now;
	replay_now += 990;
	release(mutex_kind_critical, LOCK);
	replay_end_program();
	put_switches(0, true, 1500, replay_now, 2);
	put_off(off_why_preempted, begin + 100, begin + 300, 0, 0);
	put_off(off_why_blocked, begin + 400, begin + 800, 0, 0);
	replay_build(GRAPH_FRAGMENT);
	const struct exclusion *longest = exclusions_longest(&replay_states.exclusions);
	ck_assert_ptr_nonnull(longest);
	ck_assert_uint_eq(longest->n, 2);
	ck_assert_uint_eq(longest->ticks, 1000 + 1000 - 200);
	replay_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("exclusion");
	TCase *tests = tcase_create("synthetic dumps");
	tcase_add_checked_fixture(tests, replay_setup, replay_teardown);
	tcase_add_test(tests, what_the_holder_waits_for_is_left_out);
	tcase_add_test(tests, the_outermost_acquisition_counts_and_other_tasks_do_not);
	tcase_add_test(tests, a_mutex_that_is_held_once_excludes_nobody);
	tcase_add_test(tests, blocked_counts_and_preempted_does_not);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
