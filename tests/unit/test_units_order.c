/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Argobots' work units if the clocks of processors differ: a stream whose records come too early waits for what must
 * come before them, and goes on from that time.
 */
#include "builder/argobots/events.h"
#include "tests/unit/units_fixture.h"

#include <stdlib.h>
#include <string.h>

/* Sets the time of the next record. */
static void at(uint64_t ticks)
{
	replay_now = ticks - 10;
}

static uint32_t prior_stream;
static uint64_t run_ticks;

static int see_run(void *self, const struct point *at, const struct unit_switch *change)
{
	(void)self;
	if (change->reason == UNIT_RUN && unit(change->next)->handle == U) {
		prior_stream = at->stream;
		run_ticks = at->ticks;
	}
	return 0;
}

/*
 * The second stream's clock is 300 ticks behind: by its times it runs a unit before that is created, and resumes one
 * before that is suspended.
 */
START_TEST(a_clock_that_is_behind)
{
	static struct progress progress;
	static const struct unit_ops unit_ops = {.unit_switch = see_run};
	static const void *const own[N_PARADIGMS] = {[PARADIGM_argobots] = &unit_ops};
	static const struct replay_ops ops = {.own = own};
	const struct visitor visitor = {&ops, NULL};
	at(2000);
	begin();
	creation(EVENT_unit_create, 0, SCHED + 1, 0, 4 << 20);
	create(0, U, PRIMARY);
	uint64_t created = replay_now;
	suspend(0, PRIMARY, unit_sync_eventual, 0x77);
	uint64_t suspended = replay_now;
	at(suspended + 100);
	run_unit(0, PRIMARY, SCHED, 1);
	put(0, EVENT_unit_join, 0, U, PRIMARY);
	put(0, EVENT_unit_free, 0, U, PRIMARY);
	at(suspended + 400);
	put(0, EVENT_unit_join, 0, SCHED + 1, PRIMARY);
	put(0, EVENT_unit_free, 0, SCHED + 1, PRIMARY);
	end();
	at(created - 300 + 10);
	attach(1);
	run_unit(1, SCHED + 1, 0x77, 0);
	run_unit(1, U, SCHED + 1, 1);
	resume(1, PRIMARY, U);
	finish(1, U, 1);
	finish(1, SCHED + 1, 0);
	detach(1);
	ck_assert_str_eq(
		units_told(),
		"life1 begin0>1 create2<1 run0>2 create3<1 run2>3 suspend1>0 resume1<3 finish3>2 finish2>0 begin0>4 run4>1 "
		"join3<1 free3<1 join2<1 free2<1 end1>4 end4>0 over1");
	ck_assert_uint_eq(quirks("clocks_differ"), 3);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	/* The unit did not run before it was created. */
	ck_assert_uint_eq(unit(3)->create_ticks, created);
	ck_assert_uint_eq(unit(3)->start_ticks, created);
	ck_assert_uint_eq(unit(3)->end_ticks, suspended);
	ck_assert_uint_eq(unit(1)->wait_ticks, 0);
	ck_assert_int_eq(replay_run(&replay_trace.model, &visitor, 1, &progress), 0);
	ck_assert_uint_eq(prior_stream, 1);
	ck_assert_uint_eq(run_ticks, created);
	replay_done();
}
END_TEST

/* The second stream's clock is ahead: the first stream joins, frees and creates units that have not ended there. */
START_TEST(a_clock_that_is_ahead)
{
	at(2000);
	begin();
	creation(EVENT_unit_create, 0, SCHED + 1, 0, 4 << 20);
	create(0, U, PRIMARY);
	put(0, EVENT_unit_join, 0, U, PRIMARY);
	put(0, EVENT_unit_free, 0, U, PRIMARY);
	create(0, U, PRIMARY);
	put(0, EVENT_unit_join, 0, U, PRIMARY);
	put(0, EVENT_unit_free, 0, U, PRIMARY);
	put(0, EVENT_unit_join, 0, SCHED + 1, PRIMARY);
	put(0, EVENT_unit_free, 0, SCHED + 1, PRIMARY);
	end();
	at(3000);
	attach(1);
	run_unit(1, SCHED + 1, 0x77, 0);
	run_unit(1, U, SCHED + 1, 1);
	finish(1, U, 1);
	run_unit(1, U, SCHED + 1, 1);
	finish(1, U, 1);
	finish(1, SCHED + 1, 0);
	detach(1);
	ck_assert_str_eq(units_told(),
			 "life1 begin0>1 create2<1 create3<1 run0>2 run2>3 finish3>2 join3<1 free3<1 create4<1 run2>4 finish4>2 "
			 "join4<1 free4<1 finish2>0 join2<1 free2<1 end1>0 over1");
	ck_assert_uint_eq(unit(4)->generation, 2);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	ck_assert_uint_ge(quirks("clocks_differ"), 3);
	replay_done();
}
END_TEST

/*
 * Two streams share a pool, and run a polling unit in turns (1.1): between the polls that one stream has counted, the
 * unit has run on the other one.
 */
START_TEST(polled_in_turns)
{
	begin();
	attach(1);
	attach(2);
	creation(EVENT_unit_create, 0, SCHED + 1, 0, 4 << 20);
	creation(EVENT_unit_create, 0, SCHED + 2, 0, 4 << 20);
	create(0, U, PRIMARY);
	run_unit(1, SCHED + 1, 0x77, 0);
	run_unit(2, SCHED + 2, 0x78, 0);
	run_unit(1, U, SCHED + 1, 1);
	yield(1, U, unit_sync_user, 0);
	run_unit(1, U, SCHED + 1, 1);
	run_unit(2, U, SCHED + 2, 1);
	yield(2, U, unit_sync_user, 0);
	replay_put(1, EVENT_unit_polls, 1 << 4 | unit_sync_user, 5, U, 0);
	finish(1, U, 1);
	put(0, EVENT_unit_join, 0, U, PRIMARY);
	put(0, EVENT_unit_free, 0, U, PRIMARY);
	finish(1, SCHED + 1, 0);
	finish(2, SCHED + 2, 0);
	end();
	ck_assert_str_eq(
		units_told(),
		"life1 begin0>1 create2<1 create3<1 create4<1 run0>2 run0>3 run2>4 yield4>2 run2>4 yield4>2 run3>4 yield4>3 run2>4 "
		"poll4*4 finish4>2 join4<1 free4<1 finish2>0 finish3>0 end1>0 over1");
	ck_assert_uint_eq(quirks("polled_in_turns"), 1);
	ck_assert_uint_eq(quirks("clocks_differ"), 0);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	/*
	 * Eight runs in all: three have records of their own, and five were counted as polls, one of which is told as a
	 * run.
	 */
	ck_assert_uint_eq(unit(4)->n_runs + unit(4)->n_polls, 4 + 4);
	replay_done();
}
END_TEST

/* No stream waits without end for something that never comes, nor do all streams wait. */
START_TEST(what_never_comes)
{
	at(2000);
	begin();
	attach(1);
	run_unit(1, U, 0x77, 1);
	finish(1, U, 1);
	create(0, V, PRIMARY);
	put(0, EVENT_unit_join, 0, V, PRIMARY);
	at(50 * 1000 * 1000);
	create(0, V + 8, PRIMARY);
	end();
	(void)units_told();
	ck_assert_uint_eq(repairs("unit_without_create"), 1);
	ck_assert_uint_eq(repairs("join_before_end"), 1);
	ck_assert_uint_eq(quirks("clocks_differ"), 0);
	replay_done();
}
END_TEST

/* No stream waits in a dump whose records are incomplete anyway, because recording began after ABT_init. */
START_TEST(where_records_are_missing)
{
	attach(0);
	run_unit(0, U, SCHED, 1);
	finish(0, U, 1);
	attach(1);
	create(1, U, 0);
	(void)units_told();
	ck_assert_uint_eq(quirks("clocks_differ"), 0);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("units order");
	TCase *tcase = tcase_create("units order");
	tcase_add_checked_fixture(tcase, replay_setup, replay_teardown);
	tcase_add_test(tcase, a_clock_that_is_behind);
	tcase_add_test(tcase, a_clock_that_is_ahead);
	tcase_add_test(tcase, polled_in_turns);
	tcase_add_test(tcase, what_never_comes);
	tcase_add_test(tcase, where_records_are_missing);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
