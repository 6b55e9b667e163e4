/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Repairs of Argobots' work units by name (docs/damage.md): what is printed about records that contradict each other.
 */
#include "tests/unit/units_fixture.h"

#include <stdlib.h>

static void run_and_finish(void)
{
	run_unit(0, U, PRIMARY, 1);
	finish(0, U, 1);
}

static void join_and_end(void)
{
	put(0, EVENT_unit_join, 0, U, PRIMARY);
	put(0, EVENT_unit_free, 0, U, PRIMARY);
	end();
}

START_TEST(a_unit_is_revived_before_its_end)
{
	begin();
	create(0, U, PRIMARY);
	creation(EVENT_unit_revive, 0, U, PRIMARY, STACK);
	run_and_finish();
	join_and_end();
	replay_assert_repair("revived_before_end", "expected a unit that had ended");
}
END_TEST

START_TEST(a_unit_runs_after_its_end)
{
	begin();
	create(0, U, PRIMARY);
	run_and_finish();
	run_unit(0, U, PRIMARY, 1);
	yield(0, U, unit_sync_unknown, 0);
	join_and_end();
	replay_assert_repair("unit_after_end", "expected a unit that has not ended");
}
END_TEST

/*
 * A unit is created and freed and never runs: like the library's own units, which are hidden from visitors. But then it
 * resumes another unit, which those never do.
 */
START_TEST(a_freed_unit_acts)
{
	begin();
	create(0, U, PRIMARY);
	put(0, EVENT_unit_create, 0, V, PRIMARY);
	dump_writer_record(&replay_writer, 0, 0, EVENT_unit_more, 0, 0, 0, 0);
	put(0, EVENT_unit_free, 0, V, PRIMARY);
	run_unit(0, U, PRIMARY, 1);
	suspend(0, U, unit_sync_unknown, 0);
	resume(0, U, V);
	run_and_finish();
	join_and_end();
	replay_assert_repair("freed_before_end", "expected a unit that has not been freed");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("units repairs");
	TCase *tcase = tcase_create("units repairs");
	tcase_add_checked_fixture(tcase, replay_setup, replay_teardown);
	tcase_add_test(tcase, a_unit_is_revived_before_its_end);
	tcase_add_test(tcase, a_unit_runs_after_its_end);
	tcase_add_test(tcase, a_freed_unit_acts);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
