/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Thread states (docs/states.md) on synthetic dumps: which event begins and ends which, to the tick. What holds for all dumps (no gap, no
 * overlap, the sum is the life) replay_fixture.c checks for each.
 */
#include "tests/unit/states_fixture.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

/* At every level: in a barrier, for a mutex, and while another task runs, a task executes nothing. */
START_TEST(waiting_is_in_no_tasks_time)
{
	uint64_t me = replay_begin_program(1), task = replay_create(3, me);
	replay_now += 300;
	replay_sync_begin(0, sync_kind_barrier_explicit, me);
	replay_now += 5000;
	replay_run_task(task, me);
	replay_now += 5000;
	replay_sync_end(0, sync_kind_barrier_explicit, me);
	replay_put(0, EVENT_mutex_acquire, mutex_kind_critical, 0, 0x100, 0x5000);
	replay_now += 5000;
	replay_put(0, EVENT_mutex_acquired, mutex_kind_critical, 0, 0x100, 0x5000);
	replay_put(0, EVENT_mutex_released, mutex_kind_critical, 0, 0x100, 0x5000);
	replay_end_program();
	replay_build((enum graph_level)_i);
	uint32_t row = model_task(&replay_trace.model, me);
	ck_assert_uint_eq(replay_states.busy.ticks[row], 10 + 310 + 10 + 10 + 10);
	ck_assert_uint_eq(ticks_in(0, STATE_WORK_PARALLEL),
			  replay_states.busy.ticks[row] + replay_states.busy.ticks[model_task(&replay_trace.model, task)]);
	if (_i != GRAPH_FRAGMENT)
		ck_assert_uint_eq(graph_node(&replay_graph, row).busy_ticks, replay_states.busy.ticks[row]);
	replay_done();
}
END_TEST

START_TEST(a_region_is_overhead_work_and_its_barrier)
{
	uint64_t worker, me = begin_team(&worker);
	replay_sync_begin(1, sync_kind_barrier_implicit_parallel, worker);
	replay_sync_begin(0, sync_kind_barrier_implicit_parallel, me);
	wait_begin(0, sync_kind_barrier_implicit_parallel, me);
	wait_end(0, sync_kind_barrier_implicit_parallel, me);
	replay_sync_end(0, sync_kind_barrier_implicit_parallel, me);
	replay_end_program();
	/* The worker's end comes much later (Q3): it was idle meanwhile. */
	replay_now += 1000;
	replay_sync_end(1, sync_kind_barrier_implicit_parallel, worker);
	replay_end_implicit(1, 1, 1);
	replay_put(1, EVENT_thread_end, 0, 0, 0, 0);
	replay_put(1, EVENT_thread_detach, 0, 0, 4243, 0);
	replay_build(GRAPH_TASK);
	ck_assert_str_eq(replay_states_seen(0), "overhead work_serial " TEAM_MEMBER " work_serial overhead");
	ck_assert_uint_eq(ticks_in(0, STATE_WAIT_BARRIER_IMPLICIT_PARALLEL), 0);
	ck_assert_str_eq(replay_states_seen(1),
			 "undefined idle work_parallel wait_barrier_implicit_parallel overhead idle undefined");
	ck_assert_uint_eq(ticks_in(1, STATE_WAIT_BARRIER_IMPLICIT_PARALLEL), 10);
	ck_assert_uint_eq(ticks_in(1, STATE_IDLE), 10 + 40 + 1000 + 30);
	replay_done();
}
END_TEST

/* A worker that says nothing any more was idle from its team's join until the process ended. */
START_TEST(a_worker_that_never_ends_is_idle)
{
	uint64_t worker, me = begin_team(&worker);
	replay_writer.is_killed = true;
	replay_writer.streams[1].is_live = true;
	replay_sync_begin(1, sync_kind_barrier_implicit_parallel, worker);
	replay_sync_begin(0, sync_kind_barrier_implicit_parallel, me);
	replay_sync_end(0, sync_kind_barrier_implicit_parallel, me);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_str_eq(replay_states_seen(1), "undefined idle work_parallel wait_barrier_implicit_parallel idle");
	ck_assert_uint_eq(ticks_in(1, STATE_IDLE), 10 + 40);
	replay_done();
}
END_TEST

START_TEST(a_task_in_a_barrier_is_work_and_the_barrier_goes_on_behind_it)
{
	uint64_t me = replay_begin_program(1), task = replay_create(3, me);
	replay_sync_begin(0, sync_kind_barrier_explicit, me);
	wait_begin(0, sync_kind_barrier_explicit, me);
	switch_task(0, task_status_switch, me, task);
	replay_sync_begin(0, sync_kind_taskwait, task);
	replay_sync_end(0, sync_kind_taskwait, task);
	switch_task(0, task_status_complete, task, me);
	wait_end(0, sync_kind_barrier_explicit, me);
	replay_sync_end(0, sync_kind_barrier_explicit, me);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_str_eq(replay_states_seen(0), "overhead work_serial overhead work_parallel overhead work_parallel overhead "
						"work_parallel overhead work_parallel overhead work_serial overhead");
	ck_assert_uint_eq(ticks_in(0, STATE_OVERHEAD), 10 + 10 + 20 + 10 + 20 + 10); /* a team of one waits for nobody */
	replay_done();
}
END_TEST

/* Suspended in a taskwait on one thread, an untied task goes on in it on the other. */
static const struct {
	unsigned kind;
	enum state state;
} barriers[] = {{sync_kind_barrier, STATE_WAIT_BARRIER},
		{sync_kind_barrier_explicit, STATE_WAIT_BARRIER_EXPLICIT},
		{sync_kind_barrier_implementation, STATE_WAIT_BARRIER_IMPLEMENTATION},
		{sync_kind_barrier_implicit_workshare, STATE_WAIT_BARRIER_IMPLICIT_WORKSHARE},
		{99, STATE_WAIT_BARRIER}}; /* of a later version */

START_TEST(each_kind_of_barrier_is_a_state)
{
	uint64_t worker, me = begin_team(&worker);
	replay_sync_begin(0, barriers[_i].kind, me);
	replay_now += 70;
	replay_sync_begin(1, barriers[_i].kind, worker);
	replay_sync_end(0, barriers[_i].kind, me);
	replay_sync_end(1, barriers[_i].kind, worker);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_uint_eq(ticks_in(0, barriers[_i].state), 80);
	replay_done();
}
END_TEST

START_TEST(what_a_task_waits_for_moves_with_it)
{
	uint64_t worker, me = begin_team(&worker), task = id_make(0, 3);
	replay_put(0, EVENT_task_create, task_flags_explicit | task_flags_untied, 3, me, 0x3000);
	switch_task(0, task_status_switch, me, task);
	uint64_t child = replay_create(4, task);
	replay_sync_begin(0, sync_kind_taskwait, task);
	switch_task(0, task_status_switch, task, child);
	switch_task(1, task_status_switch, worker, task);
	switch_task(0, task_status_complete, child, me);
	replay_sync_end(1, sync_kind_taskwait, task);
	switch_task(1, task_status_complete, task, worker);
	replay_end_program();
	replay_end_implicit(1, 1, 1);
	replay_build(GRAPH_TASK);
	ck_assert_str_eq(replay_states_seen(0), "overhead work_serial overhead work_parallel overhead work_parallel "
						"overhead work_serial overhead");
	ck_assert_str_eq(replay_states_seen(1), "undefined idle work_parallel wait_taskwait overhead work_parallel idle");
	ck_assert_uint_eq(ticks_in(1, STATE_WAIT_TASKWAIT), 10);
	replay_done();
}
END_TEST

/* A taskgroup's body is work; it waits at its end. So does who creates the dummy of a wait with dependences. */
START_TEST(taskgroups_wait_at_their_end_and_dummies_until_complete)
{
	uint64_t worker, me = begin_team(&worker);
	replay_sync_begin(0, sync_kind_taskgroup, me);
	uint64_t task = replay_create(3, me);
	switch_task(1, task_status_switch, worker, task);
	wait_begin(0, sync_kind_taskgroup, me);
	switch_task(1, task_status_complete, task, worker);
	wait_end(0, sync_kind_taskgroup, me);
	replay_sync_end(0, sync_kind_taskgroup, me);
	task = replay_create(4, me);
	switch_task(1, task_status_switch, worker, task);
	replay_put(0, EVENT_task_create, task_flags_taskwait | task_flags_undeferred, 5, me, 0x3000);
	replay_put(0, EVENT_task_dependence, 0, 0, task, 0);
	switch_task(1, task_status_complete, task, worker);
	switch_task(0, task_status_taskwait_complete, id_make(0, 5), 0);
	replay_end_program();
	replay_end_implicit(1, 1, 1);
	replay_build(GRAPH_TASK);
	ck_assert_str_eq(replay_states_seen(0), "overhead work_serial overhead work_parallel wait_taskgroup overhead "
						"work_parallel wait_taskwait overhead work_parallel overhead work_serial overhead");
	ck_assert_uint_eq(ticks_in(0, STATE_WAIT_TASKGROUP), 10);
	ck_assert_uint_eq(ticks_in(0, STATE_WAIT_TASKWAIT), 20);
	replay_done();
}
END_TEST

static void acquire(unsigned kind, uint64_t wait_id)
{
	replay_put(0, EVENT_mutex_acquire, kind, 0, wait_id, 0x5000);
}

static void acquired(unsigned kind, uint64_t wait_id)
{
	replay_put(0, EVENT_mutex_acquired, kind, 0, wait_id, 0x5000);
}

static const struct {
	unsigned kind;
	enum state state;
} mutexes[] = {{mutex_kind_lock, STATE_WAIT_LOCK},
	       {mutex_kind_nest_lock, STATE_WAIT_LOCK},
	       {mutex_kind_critical, STATE_WAIT_CRITICAL},
	       {mutex_kind_atomic, STATE_WAIT_ATOMIC},
	       {mutex_kind_ordered, STATE_WAIT_ORDERED},
	       {mutex_kind_test_lock, STATE_NONE},
	       {0, STATE_WAIT_MUTEX},
	       {99, STATE_WAIT_MUTEX}}; /* kinds of a later version */

/* From the wish to the possession, and no longer; and a test does not wait. */
START_TEST(who_wants_a_mutex_waits_until_it_is_there)
{
	unsigned kind = mutexes[_i].kind;
	replay_begin_program(1);
	acquire(kind, 0x100);
	replay_now += 70;
	acquired(kind, 0x100);
	replay_put(0, EVENT_mutex_released, kind, 0, 0x100, 0x5000);
	replay_end_program();
	replay_build(GRAPH_TASK);
	char wanted[200] = "overhead work_serial overhead work_parallel ";
	if (mutexes[_i].state != STATE_NONE) {
		strcat(strcat(wanted, state_name(mutexes[_i].state)), " work_parallel ");
		ck_assert_uint_eq(ticks_in(0, mutexes[_i].state), 80);
	}
	ck_assert_str_eq(replay_states_seen(0), strcat(wanted, "overhead work_serial overhead"));
	replay_done();
}
END_TEST

/* An owned lock once more; and a test that failed, which a runtime may call a set: it is over when anything else comes. */
START_TEST(locks_once_more_and_failed_tests)
{
	uint64_t me = replay_begin_program(1);
	acquire(mutex_kind_nest_lock, 0x100);
	replay_put(0, EVENT_nest_lock_begin, 0, 0, 0x100, 0x5000);
	acquire(mutex_kind_lock, 0x200);
	replay_sync_begin(0, sync_kind_taskwait, me);
	replay_sync_end(0, sync_kind_taskwait, me);
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_str_eq(replay_states_seen(0), "overhead work_serial overhead work_parallel wait_lock work_parallel wait_lock "
						"overhead work_parallel overhead work_serial overhead");
	replay_done();
}
END_TEST

/* Killed in omp_set_lock and in a critical construct: the threads waited to the end. */
START_TEST(who_never_gets_a_mutex_waits_to_the_end)
{
	uint64_t worker;
	begin_team(&worker);
	replay_writer.is_killed = true;
	replay_writer.streams[0].is_live = replay_writer.streams[1].is_live = true;
	acquire(mutex_kind_lock, 0x100);
	replay_put(1, EVENT_mutex_acquire, mutex_kind_critical, 0, 0x200, 0x5000);
	replay_put(2, EVENT_thread_attach, 0, 0, 4244, 0);
	replay_now += 500;
	replay_put(2, EVENT_thread_detach, 0, 0, 4244, 0);
	replay_build(GRAPH_TASK);
	ck_assert_str_eq(replay_states_seen(0), "overhead work_serial overhead work_parallel wait_lock");
	ck_assert_uint_eq(ticks_in(0, STATE_WAIT_LOCK), 530);
	ck_assert_str_eq(replay_states_seen(1), "undefined idle work_parallel wait_critical");
	/* A thread that OpenMP does not know. */
	ck_assert_str_eq(replay_states_seen(2), "undefined");
	replay_done();
}
END_TEST

/* A reduction inside of the runtime's own barrier, and explicit tasks of the initial task, which is serial. */
START_TEST(reductions_and_serial_tasks_are_work)
{
	dump_writer_root(&replay_writer, 0, replay_now, 1, 1);
	uint64_t root = id_make(0, 1), task = replay_create(2, root);
	replay_run_task(task, root);
	replay_begin_region(2, 1);
	replay_begin_implicit(0, 3, 2, 1, 0);
	uint64_t me = id_make(0, 3);
	replay_sync_begin(0, sync_kind_barrier_implementation, me);
	replay_put(0, EVENT_reduction_begin, sync_kind_reduction, 0, me, 0);
	replay_put(0, EVENT_reduction_end, sync_kind_reduction, 0, me, 0);
	replay_sync_end(0, sync_kind_barrier_implementation, me);
	replay_end_implicit(0, 3, 0);
	replay_put(0, EVENT_parallel_end, parallel_flags_team, 2, root, 0x1000);
	replay_put(0, EVENT_implicit_task_end, task_flags_initial, 0, root, UINT64_C(1) << 32);
	replay_build(GRAPH_TASK);
	ck_assert_str_eq(replay_states_seen(0), "overhead work_serial overhead work_parallel overhead "
						"work_reduction overhead work_parallel overhead work_serial");
	replay_done();
}
END_TEST

static void target(bool is_begin, unsigned kind, uint64_t task)
{
	replay_put(0, is_begin ? EVENT_target_begin : EVENT_target_end, kind, 0, 0x700, 0x6000);
	if (is_begin)
		replay_put(0, EVENT_target_more, 0, 0, task, 0);
}

static void data_op(bool is_begin)
{
	replay_put(0, is_begin ? EVENT_target_data_op_begin : EVENT_target_data_op_end, target_data_op_transfer_to_device, 0, 0x701,
		   0x6000);
	replay_put(0, EVENT_target_data_op_more, 0, 1, 0x10, 8);
	if (is_begin)
		replay_put(0, EVENT_target_data_op_ids, 0, 0, 0x700, 0);
}

static const struct {
	unsigned kind;
	const char *seen;
} targets[] = {
	{target_kind_target, "wait_target wait_target_map wait_target"},
	{target_kind_target_nowait, "wait_target wait_target_map wait_target"},
	{target_kind_enter_data, "wait_target_map"},
	{target_kind_exit_data, "wait_target_map"},
	{target_kind_update, "wait_target_update"},
	{0, "wait_target_map"}, /* no construct: a routine */
};

/* A target region, and what is moved for it. */
START_TEST(target_constructs_wait_for_the_device)
{
	uint64_t me = replay_begin_program(1);
	if (targets[_i].kind != 0)
		target(true, targets[_i].kind, me);
	data_op(true);
	data_op(false);
	if (targets[_i].kind != 0)
		target(false, targets[_i].kind, me);
	replay_end_program();
	replay_build(GRAPH_TASK);
	char wanted[300];
	snprintf(wanted, sizeof wanted,
		 "overhead work_serial overhead work_parallel %s work_parallel overhead work_serial overhead", targets[_i].seen);
	ck_assert_str_eq(replay_states_seen(0), wanted);
	replay_done();
}
END_TEST

/* A nested region, in the second thread: its encountering task goes on behind it. */
START_TEST(a_nested_region_leaves_its_encountering_task_as_it_was)
{
	uint64_t worker, me = begin_team(&worker), inner = id_make(1, 2);
	replay_put(1, EVENT_mutex_acquire, mutex_kind_critical, 0, 0x200, 0x5000);
	replay_put(1, EVENT_mutex_acquired, mutex_kind_critical, 0, 0x200, 0x5000);
	replay_put(1, EVENT_parallel_begin, parallel_flags_invoker_runtime | parallel_flags_team, 1, 1, 0x1000);
	replay_put(1, EVENT_implicit_task_begin, task_flags_implicit, 2, id_make(1, 1), 1);
	replay_put(1, EVENT_implicit_task_end, task_flags_implicit, 0, inner, 0);
	replay_put(1, EVENT_parallel_end, parallel_flags_team, 1, worker, 0x1000);
	replay_put(1, EVENT_mutex_released, mutex_kind_critical, 0, 0x200, 0x5000);
	replay_end_implicit(1, 1, 1);
	(void)me;
	replay_end_program();
	replay_build(GRAPH_TASK);
	ck_assert_str_eq(
		replay_states_seen(1),
		"undefined idle work_parallel wait_critical work_parallel overhead work_parallel overhead work_parallel idle");
	replay_done();
}
END_TEST

/* In ns they add up as well, to what the sum of the ticks is. */
START_TEST(nanoseconds_add_up_too)
{
	struct dump dump = {.ns_scale = (UINT64_C(1) << 48) / 3};
	struct state_times times = {.ticks = {1, 1, 1, 1, 1, 7, 100, 1, 2}};
	uint64_t ns[STATES], sum = 0;
	state_times_ns(&dump, &times, ns);
	for (unsigned i = 0; i < STATES; i++) {
		sum += ns[i];
		ck_assert_uint_le(ns[i], times.ticks[i] / 3 + 1);
	}
	ck_assert_uint_eq(sum, dump_duration_ns(&dump, 115));
	ck_assert_uint_eq(state_times_total(&times), 115);
}
END_TEST

/* All states have OMPT's numbers and names, each its own. */
START_TEST(states_have_names)
{
	for (unsigned i = 0; i < STATES; i++) {
		ck_assert_ptr_nonnull(state_name(i));
		ck_assert(i == 0 || state_number(i) > state_number(i - 1));
	}
	ck_assert_str_eq(state_name(STATE_WAIT_TARGET_UPDATE), "wait_target_update");
	ck_assert_uint_eq(state_number(STATE_WAIT_TARGET_UPDATE), 0x082);
	ck_assert_uint_eq(state_number(STATE_NONE), 0x102);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("states");
	TCase *tests = tcase_create("synthetic dumps");
	tcase_add_checked_fixture(tests, replay_setup, replay_teardown);
	tcase_add_loop_test(tests, waiting_is_in_no_tasks_time, GRAPH_SCOPE, GRAPH_FRAGMENT + 1);
	tcase_add_test(tests, a_region_is_overhead_work_and_its_barrier);
	tcase_add_test(tests, a_worker_that_never_ends_is_idle);
	tcase_add_test(tests, a_task_in_a_barrier_is_work_and_the_barrier_goes_on_behind_it);
	tcase_add_loop_test(tests, each_kind_of_barrier_is_a_state, 0, sizeof barriers / sizeof *barriers);
	tcase_add_test(tests, what_a_task_waits_for_moves_with_it);
	tcase_add_test(tests, taskgroups_wait_at_their_end_and_dummies_until_complete);
	tcase_add_loop_test(tests, who_wants_a_mutex_waits_until_it_is_there, 0, sizeof mutexes / sizeof *mutexes);
	tcase_add_test(tests, locks_once_more_and_failed_tests);
	tcase_add_test(tests, who_never_gets_a_mutex_waits_to_the_end);
	tcase_add_test(tests, reductions_and_serial_tasks_are_work);
	tcase_add_loop_test(tests, target_constructs_wait_for_the_device, 0, sizeof targets / sizeof *targets);
	tcase_add_test(tests, a_nested_region_leaves_its_encountering_task_as_it_was);
	suite_add_tcase(suite, tests);
	TCase *plain = tcase_create("numbers");
	tcase_add_test(plain, nanoseconds_add_up_too);
	tcase_add_test(plain, states_have_names);
	suite_add_tcase(suite, plain);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
