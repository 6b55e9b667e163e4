/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Argobots' work units on synthetic dumps: which unit a handle means that is used again, which unit runs and which one
 * acts, and what becomes of records that contradict each other. tests/argobots.py tests what the library delivers.
 */
#include "tests/unit/units_fixture.h"

#include <stdlib.h>
#include <string.h>

START_TEST(created_and_joined)
{
	begin();
	whole_unit(0, U, PRIMARY);
	end();
	/* Rows: 1 the primary unit, 2 the one created, 3 the scheduler, which the first run names. */
	ck_assert_str_eq(units_told(),
			 "life1 begin0>1 create2<1 suspend1>0 begin0>3 run3>2 finish2>3 resume1<2 run3>1 join2<1 free2<1 "
			 "end1>3 end3>0 over1");
	ck_assert_uint_eq(unit(1)->kind, UNIT_PRIMARY);
	ck_assert_uint_eq(unit(2)->kind, UNIT_ULT);
	ck_assert_uint_eq(unit(3)->kind, UNIT_SCHEDULER);
	ck_assert_uint_eq(unit(2)->creator, 1);
	ck_assert_uint_eq(unit(2)->number, 1);
	ck_assert_uint_eq(unit(2)->stack_bytes, STACK);
	ck_assert_uint_eq(replay_states.units.busy.ticks[2], 10);
	ck_assert_uint_eq(unit(2)->state,
			  UNIT_SEEN | UNIT_ACTED | UNIT_CREATED | UNIT_STARTED | UNIT_ENDED | UNIT_JOINED | UNIT_FREED);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

/* What the records before tell is not in the record: who creates, who ran before, which scheduler frees. */
START_TEST(not_asked)
{
	begin();
	for (int i = 0; i < 2; i++) {
		replay_put(0, EVENT_unit_spawn, STACK >> 10, POOL / 8, U, FUNCTION);
		yield(0, PRIMARY, unit_sync_user, 0);
		run_unit(0, U, i == 0 ? SCHED : 0, 1);
		replay_put(0, EVENT_unit_spawn, 0, POOL / 8, V, FUNCTION);
		finish(0, U, 1);
		put(0, EVENT_unit_free, 0, U, 0);
		run_unit(0, V, 0, 1);
		finish(0, V, 1);
		put(0, EVENT_unit_free, 0, V, 0);
		run_unit(0, PRIMARY, 0, 1);
	}
	end();
	ck_assert_ptr_nonnull(strstr(units_told(),
				     "begin0>1 create2<1 yield1>0 begin0>3 run3>2 create4<2 finish2>3 free2<3 run3>4 finish4>3 "
				     "free4<3 run3>1 create5<1 yield1>3 run3>5 create6<5 finish5>3 free5<3 run3>6"));
	ck_assert_uint_eq(unit(2)->kind, UNIT_ULT);
	ck_assert_uint_eq(unit(2)->stack_bytes, STACK);
	ck_assert_uint_eq(unit(2)->pool, POOL);
	ck_assert_uint_eq(unit(3)->kind, UNIT_SCHEDULER);
	ck_assert_uint_eq(unit(4)->kind, UNIT_TASKLET);
	ck_assert_uint_eq(replay_trace.model.constructs[unit(4)->construct].codeptr, FUNCTION);
	ck_assert_uint_eq(quirks("creator_not_named"), 0);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

START_TEST(handle_used_again)
{
	begin();
	whole_unit(0, U, PRIMARY);
	whole_unit(0, U, PRIMARY);
	end();
	units_told();
	ck_assert_uint_eq(replay_trace.model.n_units, 5);
	ck_assert_uint_eq(unit(2)->generation, 1);
	ck_assert_uint_eq(unit(4)->generation, 2);
	ck_assert_uint_eq(unit(4)->handle, U);
	ck_assert_uint_eq(unit(4)->number, 2);
	ck_assert_uint_eq(unit(4)->n_runs, 1);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

START_TEST(lives)
{
	begin();
	whole_unit(0, U, PRIMARY);
	put(0, EVENT_unit_end, 0, 0, 0);
	put(0, EVENT_unit_begin, 0, PRIMARY, XSTREAM);
	whole_unit(0, U, PRIMARY);
	end();
	ck_assert_ptr_nonnull(strstr(units_told(), "over1 life2 begin0>4 create5<4"));
	ck_assert_uint_eq(unit(4)->kind, UNIT_PRIMARY);
	ck_assert_uint_eq(unit(4)->life, 2);
	ck_assert_uint_eq(unit(5)->generation, 2);
	ck_assert_uint_eq(unit(6)->kind, UNIT_SCHEDULER);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

START_TEST(revived)
{
	begin();
	create(0, U, PRIMARY);
	suspend(0, PRIMARY, unit_sync_unit_join, U);
	run_unit(0, U, SCHED, 1);
	finish(0, U, 1);
	resume(0, PRIMARY, U);
	run_unit(0, PRIMARY, U, 1);
	put(0, EVENT_unit_join, 0, U, PRIMARY);
	creation(EVENT_unit_revive, 0, U, PRIMARY, STACK);
	suspend(0, PRIMARY, unit_sync_unit_join, U);
	run_unit(0, U, SCHED, 1);
	finish(0, U, 1);
	resume(0, PRIMARY, U);
	run_unit(0, PRIMARY, U, 1);
	put(0, EVENT_unit_join, 0, U, PRIMARY);
	put(0, EVENT_unit_join, 0, U, PRIMARY);
	put(0, EVENT_unit_free, 0, U, PRIMARY);
	end();
	ck_assert_ptr_nonnull(
		strstr(units_told(), "join2<1 revive4<1 suspend1>3 run3>4 finish4>3 resume1<4 run3>1 join4<1 again4<1 free4<1"));
	ck_assert_uint_eq(unit(4)->before, 2);
	ck_assert_uint_eq(unit(4)->first, 2);
	ck_assert_uint_eq(unit(4)->generation, 1);
	ck_assert_uint_eq(quirks("joined_again"), 1);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

/*
 * A handle is freed on one stream, and becomes another unit's on another stream: only the times tell. There are also a
 * unit that moves to another stream, and an external thread.
 */
START_TEST(streams)
{
	begin();
	attach(1);
	attach(2);
	create(0, U, PRIMARY);
	creation(EVENT_unit_create, 0, SCHED + 1, 0, 4 << 20);
	run_unit(1, SCHED + 1, 0x77, 0);
	run_unit(1, U, SCHED + 1, 1);
	yield(1, U, unit_sync_user, 0);
	yield(0, PRIMARY, unit_sync_user, 0);
	run_unit(0, U, SCHED, 1);
	finish(0, U, 1);
	run_unit(0, PRIMARY, SCHED, 1);
	put(0, EVENT_unit_join, 0, U, PRIMARY);
	put(0, EVENT_unit_free, 0, U, PRIMARY);
	create(2, U, 0);
	run_unit(1, U, SCHED + 1, 1);
	finish(1, U, 1);
	put(2, EVENT_unit_join, 0, U, 0);
	put(2, EVENT_unit_free, 0, U, 0);
	detach(2);
	finish(1, SCHED + 1, 0);
	detach(1);
	end();
	/* Rows: 2 U, 3 a main scheduler, 4 the primary's, 5 the external thread, 6 another unit with U's handle. */
	ck_assert_str_eq(
		units_told(),
		"life1 begin0>1 create2<1 create3<1 run0>3 run3>2 yield2>3 yield1>0 begin0>4 run4>2 finish2>4 run4>1 "
		"join2<1 free2<1 begin0>5 create6<5 run3>6 finish6>3 join6<5 free6<5 end5>0 finish3>0 end1>4 end4>0 over1");
	ck_assert(unit(2)->state & UNIT_MIGRATED);
	ck_assert_uint_eq(unit(5)->kind, UNIT_EXTERNAL);
	ck_assert_uint_eq(unit(5)->create_stream, 2);
	ck_assert_uint_eq(quirks("creator_not_named"), 1);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

/* A scheduler that another scheduler runs: its units run above it, and it goes on when they stop. */
START_TEST(stacked)
{
	begin();
	create(0, V, PRIMARY);
	create(0, U, PRIMARY);
	yield(0, PRIMARY, unit_sync_user, 0);
	run_unit(0, V, SCHED, 1);
	run_unit(0, U, V, 2);
	put(0, EVENT_unit_yield, 2 << 4 | unit_sync_user, U, 0);
	yield(0, V, unit_sync_user, 0);
	run_unit(0, V, SCHED, 1);
	run_unit(0, U, V, 2);
	finish(0, U, 2);
	finish(0, V, 1);
	run_unit(0, PRIMARY, SCHED, 1);
	end();
	ck_assert_str_eq(
		units_told(),
		"life1 begin0>1 create2<1 create3<1 yield1>0 begin0>4 run4>2 run2>3 yield3>2 yield2>4 run4>2 run2>3 finish3>2 "
		"finish2>4 run4>1 end1>4 end4>0 over1");
	ck_assert_uint_eq(replay_states.units.busy.ticks[2], 40);
	ck_assert_uint_eq(replay_states.units.busy.ticks[3], 20);
	ck_assert_uint_eq(unit(3)->depth, 2);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

START_TEST(polls_and_cancels)
{
	begin();
	create(0, U, PRIMARY);
	create(0, V, PRIMARY);
	yield(0, PRIMARY, unit_sync_unit_join, V);
	run_unit(0, PRIMARY, SCHED, 1);
	replay_put(0, EVENT_unit_polls, 1 << 4 | unit_sync_unit_join, 1000, PRIMARY, V);
	yield(0, PRIMARY, unit_sync_unit_join, V);
	put(0, EVENT_unit_cancel, 0, U, 0);
	run_unit(0, V, SCHED, 1);
	put(0, EVENT_unit_cancel, 0, V, 0);
	run_unit(0, PRIMARY, SCHED, 1);
	end();
	ck_assert_str_eq(
		units_told(),
		"life1 begin0>1 create2<1 create3<1 yield1>0 begin0>4 run4>1 poll1*1000 yield1>4 cancel2>4 run4>3 cancel3>4 "
		"run4>1 end1>4 end4>0 over1");
	ck_assert_uint_eq(unit(2)->state & (UNIT_STARTED | UNIT_CANCELLED | UNIT_ENDED), UNIT_CANCELLED | UNIT_ENDED);
	ck_assert_uint_eq(unit(1)->n_polls, 1000);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

/* In 1.1 a joiner is resumed before the end, and the root of an execution stream is created and freed without a run. */
START_TEST(version_1_1)
{
	replay_writer.more_meta = "argobots recorded\nargobots_code 20480\nmaps_at 1\nmap 5000 6000 0 - /usr/lib/libabt.so.1\n";
	begin();
	creation(EVENT_unit_create, 0, 0x7000, 0, 0);
	create(0, U, PRIMARY);
	suspend(0, PRIMARY, unit_sync_unit_join, U);
	run_unit(0, U, SCHED, 1);
	resume(0, PRIMARY, U);
	finish(0, U, 1);
	run_unit(0, PRIMARY, U, 1);
	put(0, EVENT_unit_free, 0, 0x7000, PRIMARY);
	end();
	ck_assert_ptr_null(strstr(units_told(), "create2"));
	ck_assert_uint_eq(quirks("resume_before_finish"), 1);
	ck_assert_uint_eq(quirks("root_unit"), 1);
	ck_assert_uint_eq(unit(2)->kind, UNIT_ROOT);
	ck_assert_uint_eq(unit(3)->number, 1);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

/* ---- Records that contradict each other ---- */

START_TEST(stop_is_missing)
{
	begin();
	attach(1);
	create(0, U, PRIMARY);
	run_unit(1, U, SCHED, 1);
	run_unit(1, U, SCHED, 1);
	put(1, EVENT_unit_yield, 1 << 4, V, 0);
	detach(1);
	end();
	units_told();
	ck_assert_uint_eq(repairs("unit_without_stop"), 1);
	ck_assert_uint_eq(repairs("unit_without_create"), 1);
	ck_assert_uint_eq(repairs("stop_of_another_unit"), 1);
	replay_done();
}
END_TEST

START_TEST(killed)
{
	replay_writer.is_killed = true;
	begin();
	create(0, U, PRIMARY);
	yield(0, PRIMARY, unit_sync_user, 0);
	run_unit(0, U, SCHED, 1);
	ck_assert_str_eq(units_told(), "life1 begin0>1 create2<1 yield1>0 begin0>3 run3>2 cut2>3 cut3>0");
	ck_assert_uint_eq(repairs("unit_without_end"), 2);
	replay_done();
}
END_TEST

START_TEST(ends_twice)
{
	begin();
	whole_unit(0, U, PRIMARY);
	create(0, V, PRIMARY);
	resume(0, V, PRIMARY);
	put(0, EVENT_unit_join, 0, V, PRIMARY);
	put(0, EVENT_unit_cancel, 0, V, 0);
	put(0, EVENT_unit_cancel, 0, V, 0);
	create(0, V, PRIMARY);
	put(0, EVENT_unit_free, 0, V, PRIMARY);
	end();
	units_told();
	ck_assert_uint_eq(repairs("resume_without_suspend"), 1);
	ck_assert_uint_eq(repairs("join_before_end"), 1);
	ck_assert_uint_eq(repairs("unit_ended_twice"), 1);
	ck_assert_uint_eq(repairs("unit_without_free"), 1);
	ck_assert_uint_eq(repairs("freed_before_end"), 1);
	ck_assert_uint_eq(replay_n_repairs(), 5);
	replay_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("units");
	TCase *tcase = tcase_create("units");
	tcase_add_checked_fixture(tcase, replay_setup, replay_teardown);
	tcase_add_test(tcase, created_and_joined);
	tcase_add_test(tcase, not_asked);
	tcase_add_test(tcase, handle_used_again);
	tcase_add_test(tcase, lives);
	tcase_add_test(tcase, revived);
	tcase_add_test(tcase, streams);
	tcase_add_test(tcase, stacked);
	tcase_add_test(tcase, polls_and_cancels);
	tcase_add_test(tcase, version_1_1);
	tcase_add_test(tcase, stop_is_missing);
	tcase_add_test(tcase, killed);
	tcase_add_test(tcase, ends_twice);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
