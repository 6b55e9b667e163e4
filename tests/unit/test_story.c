/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The state machine of a thread (builder/current/): what a record that does not fit means is decided once, so that the tables and the visitors agree; and the list of
 * a thread's suspended tasks.
 */
#include "builder/current/suspended.h"
#include "tests/unit/replay_fixture.h"

#include <check.h>
#include <stdlib.h>

static const struct task *task(uint64_t id)
{
	return &replay_trace.model.tasks[model_task(&replay_trace.model, id)];
}

/* A task that is suspended is cancelled by a record that names it twice, while another one runs: the other one goes on. */
START_TEST(a_cancelled_task_is_named_twice)
{
	uint64_t me = replay_begin_program(1), waiting = replay_create(3, me), running = replay_create(4, me);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, waiting);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, waiting, running);
	replay_put(0, EVENT_task_schedule, task_status_cancel, 0, waiting, waiting);
	replay_put(0, EVENT_task_schedule, task_status_complete, 0, running, me);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(task(waiting)->state & (TASK_CANCELLED | TASK_COMPLETED), TASK_CANCELLED | TASK_COMPLETED);
	ck_assert_uint_eq(task(running)->state & (TASK_CANCELLED | TASK_COMPLETED), TASK_COMPLETED);
	ck_assert_uint_eq(tally_total(&replay_trace.model.notes->repairs), 0);
	replay_done();
}
END_TEST

/* A task that never was current ends a part: the record is named, and both tasks are left out of archives. */
START_TEST(a_switch_comes_from_another_task)
{
	uint64_t me = replay_begin_program(1), stranger = replay_create(3, me), running = replay_create(4, me),
		 last = replay_create(5, me);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, running);
	replay_put(0, EVENT_task_schedule, task_status_complete, 0, stranger, last);
	replay_put(0, EVENT_task_schedule, task_status_complete, 0, last, me);
	replay_end_program();
	replay_build_said();
	replay_assert_said(
		"(task_schedule): it ends a part of task 0:3, expected the current task, 0:4 [switch_from_another_task]");
	ck_assert_uint_eq(replay_count_of(&replay_trace.model.notes->repairs, "switch_from_another_task"), 1);
	ck_assert(task(stranger)->state & TASK_CONTRADICTORY);
	ck_assert(task(running)->state & TASK_CONTRADICTORY);
	ck_assert(!(task(last)->state & TASK_CONTRADICTORY));
	replay_done();
}
END_TEST

/* A record names the implicit task as current though no record ended the explicit one, and no thread reported that it completed. */
START_TEST(a_part_ends_without_a_record_and_nobody_confirms_it)
{
	uint64_t me = replay_begin_program(1), running = replay_create(3, me);
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, me, running);
	replay_sync_begin(0, sync_kind_taskwait, me);
	replay_sync_end(0, sync_kind_taskwait, me);
	replay_end_program();
	replay_build_said();
	replay_assert_said(
		"task 0:3 is the current one before it, and the record takes it for over; no record ends it [switch_from_another_task]");
	ck_assert_uint_eq(replay_n_nodes(NODE_TASKWAIT), 1);
	replay_done();
}
END_TEST

/* ---- The list of suspended tasks ---- */

static uint32_t passed[8];
static size_t n_passed;

static void note_passed(void *self, uint32_t row)
{
	(void)self;
	ck_assert_uint_lt(n_passed, 8);
	passed[n_passed++] = row;
}

START_TEST(tasks_above_the_one_that_goes_on_become_loose_once)
{
	struct suspended_tasks list = {0};
	n_passed = 0;
	for (uint32_t row = 1; row <= 4; row++)
		suspended_push(&list, row);
	ck_assert(suspended_take(&list, suspended_find(&list, 2), note_passed, NULL));
	ck_assert_uint_eq(n_passed, 2); /* 4 and 3 */
	ck_assert_uint_eq(passed[0], 4);
	ck_assert_uint_eq(passed[1], 3);
	ck_assert(!suspended_take(&list, suspended_find(&list, 3), note_passed, NULL)); /* it was passed over */
	ck_assert(suspended_take(&list, suspended_find(&list, 1), note_passed, NULL));
	ck_assert_uint_eq(n_passed, 2); /* 4 was already loose */
	ck_assert(suspended_find(&list, 2) == SIZE_MAX);
	ck_assert(suspended_above(&list, 0));
	ck_assert_uint_eq(suspended_pop(&list), 4);
	ck_assert(!suspended_above(&list, 0));
	suspended_free(&list);
}
END_TEST

/* Far more than are searched one by one, taken out in any order. */
START_TEST(many_suspended_tasks_are_found)
{
	enum { N = 10000 };
	struct suspended_tasks list = {0};
	for (uint32_t row = 1; row <= N; row++)
		suspended_push(&list, row);
	for (uint32_t i = 0; i < N; i++) {
		uint32_t row = i * 7919 % N + 1;
		size_t index = suspended_find(&list, row);
		ck_assert(index != SIZE_MAX);
		ck_assert_uint_eq(list.tasks[index].task, row);
		if (i % 2 == 0)
			suspended_remove(&list, row);
		else {
			n_passed = 0;
			list.n_firm = 0; /* nothing is to be passed over here */
			suspended_take(&list, index, note_passed, NULL);
		}
		ck_assert(suspended_find(&list, row) == SIZE_MAX);
	}
	ck_assert(!suspended_above(&list, 0));
	suspended_free(&list);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("story");
	TCase *story = tcase_create("story"), *suspended = tcase_create("suspended");
	tcase_add_checked_fixture(story, replay_setup, replay_teardown);
	tcase_add_test(story, a_cancelled_task_is_named_twice);
	tcase_add_test(story, a_switch_comes_from_another_task);
	tcase_add_test(story, a_part_ends_without_a_record_and_nobody_confirms_it);
	tcase_add_test(suspended, tasks_above_the_one_that_goes_on_become_loose_once);
	tcase_add_test(suspended, many_suspended_tasks_are_found);
	suite_add_tcase(suite, story);
	suite_add_tcase(suite, suspended);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
