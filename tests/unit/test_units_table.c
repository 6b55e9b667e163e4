/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of Argobots' work units: pools, streams, counts and times of each run.
 */
#include "tests/unit/units_fixture.h"

#include <stdlib.h>

#define OTHER_POOL 0xa00

/* A unit is created into one pool, yields into another, and is resumed into the first one again, on a second stream. */
START_TEST(pools_and_streams)
{
	begin();
	put(0, EVENT_unit_xstream, 0, XSTREAM, 0);
	attach(1);
	put(1, EVENT_unit_xstream, 0, 0x200, 7);
	creation(EVENT_unit_create, 0, SCHED + 1, 0, 4 << 20);
	run_unit(1, SCHED + 1, 0x77, 0);
	create(0, U, PRIMARY);
	uint64_t created = replay_now;
	yield(0, PRIMARY, unit_sync_user, 0);
	run_unit(0, U, SCHED, 1);
	uint64_t queued = replay_now - created;
	replay_put(0, EVENT_unit_yield, 1 << 4 | unit_sync_user, OTHER_POOL / 8, U, 0);
	uint64_t yielded = replay_now;
	run_unit(1, U, SCHED + 1, 1);
	queued += replay_now - yielded;
	suspend(1, U, unit_sync_eventual, 0x77);
	run_unit(0, PRIMARY, SCHED, 1);
	uint64_t suspended = replay_now;
	replay_put(0, EVENT_unit_resume, 0, POOL / 8, U, PRIMARY);
	uint64_t resumed = replay_now;
	replay_now += 10;
	run_unit(1, U, SCHED + 1, 1);
	queued += replay_now - resumed;
	finish(1, U, 1);
	put(0, EVENT_unit_join, 0, U, PRIMARY);
	put(0, EVENT_unit_free, 0, U, PRIMARY);
	uint64_t freed = replay_now;
	finish(1, SCHED + 1, 0);
	detach(1);
	end();
	(void)units_told();
	ck_assert_uint_eq(replay_n_repairs(), 0);
	const struct work_unit *u = unit(3);
	ck_assert_uint_eq(u->pool, POOL);
	ck_assert_uint_eq(u->last_pool, POOL);
	ck_assert_uint_eq(u->n_runs, 3);
	ck_assert_uint_eq(u->n_yields, 1);
	ck_assert_uint_eq(u->n_suspends, 1);
	ck_assert_uint_eq(u->n_moves, 1);
	ck_assert_uint_eq(u->run_stream, 0);
	ck_assert_uint_eq(u->last_stream, 1);
	ck_assert_uint_eq(u->run_rank, 0);
	ck_assert_uint_eq(u->last_rank, 7);
	ck_assert_uint_eq(u->queued_ticks, queued);
	ck_assert_uint_eq(u->wait_ticks, resumed - suspended + 10);
	ck_assert_uint_eq(u->free_ticks, freed);
	ck_assert_uint_eq(unit(1)->run_rank, 0);
	ck_assert_uint_eq(unit(1)->n_created, 2);
	replay_done();
}
END_TEST

/* The same unit is revived: each run has a row and counts of its own, and the generation stays the same. */
START_TEST(runs)
{
	begin();
	create(0, U, PRIMARY);
	for (int i = 0; i < 3; i++) {
		yield(0, PRIMARY, unit_sync_user, 0);
		run_unit(0, U, SCHED, 1);
		if (i == 1)
			yield(0, U, unit_sync_user, 0);
		if (i == 1)
			run_unit(0, U, SCHED, 1);
		finish(0, U, 1);
		run_unit(0, PRIMARY, SCHED, 1);
		if (i < 2)
			creation(EVENT_unit_revive, 0, U, PRIMARY, STACK);
	}
	end();
	(void)units_told();
	const uint32_t rows[] = {2, 4, 5};
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(unit(rows[i])->generation, 1);
		ck_assert_uint_eq(unit(rows[i])->ordinal, i + 1);
		ck_assert_uint_eq(unit(rows[i])->n_runs, i == 1 ? 2 : 1);
	}
	replay_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("units table");
	TCase *tcase = tcase_create("units table");
	tcase_add_checked_fixture(tcase, replay_setup, replay_teardown);
	tcase_add_test(tcase, pools_and_streams);
	tcase_add_test(tcase, runs);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
