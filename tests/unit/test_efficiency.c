/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The factors of a run's efficiency: their product is the efficiency, whatever the threads did.
 */
#include <check.h>
#include <math.h>

#include "builder/answer/answer.h"

/* Two threads, of which the first one has `ticks`, and the second one was in `other` all the time. */
static struct efficiency factors(const uint64_t ticks[SPENTS], enum spent other)
{
	static struct account_thread threads[2];
	struct answer answer = {.account = {.n_threads = 2, .threads = threads}};
	struct account *account = &answer.account;
	threads[0] = threads[1] = (struct account_thread){0};
	for (unsigned kind = 0; kind < SPENTS; kind++) {
		threads[0].ticks[kind] = ticks[kind];
		account->wall_ticks += ticks[kind];
	}
	threads[1].ticks[other] = account->wall_ticks;
	for (unsigned kind = 0; kind < SPENTS; kind++)
		account->ticks[kind] = threads[0].ticks[kind] + threads[1].ticks[kind];
	return answer_efficiencies(&answer);
}

static double product(const struct efficiency *e)
{
	return e->load_balance * e->on_processor * e->waits * e->idling * e->runtime;
}

START_TEST(factors_multiply_to_the_efficiency)
{
	const uint64_t mixed[SPENTS] = {[SPENT_WORK] = 40, [SPENT_PREEMPTED] = 30, [SPENT_SERIAL] = 20, [SPENT_RUNTIME] = 10};
	for (unsigned other = 0; other < SPENTS; other++) {
		struct efficiency e = factors(mixed, (enum spent)other);
		ck_assert(fabs(product(&e) - e.total) < 1e-9);
	}
}
END_TEST

/* A run that never had a processor while it had work does not work all the time. */
START_TEST(nothing_is_the_product_where_no_thread_works)
{
	for (unsigned one = 0; one < SPENTS; one++)
		for (unsigned other = 0; other < SPENTS; other++) {
			uint64_t ticks[SPENTS] = {0};
			ticks[one] = 100;
			struct efficiency e = factors(ticks, (enum spent)other);
			ck_assert(fabs(product(&e) - e.total) < 1e-9);
		}
}
END_TEST

/* The program without the recorder does not have the recorder's start. */
START_TEST(a_gain_leaves_the_recorder_out)
{
	struct answer answer = {.account = {.n_threads = 2, .wall_ticks = 1000}, .recorder_ticks = 100};
	struct candidate saves = {.saved_ticks = 300}, saves_all = {.saved_ticks = 950};
	ck_assert(fabs(answer_speedup(&answer, &saves) - 900.0 / 600) < 1e-9);
	ck_assert(fabs(answer_speedup(&answer, &saves_all) - 2) < 1e-9);
	answer.recorder_ticks = 0;
	ck_assert(fabs(answer_speedup(&answer, &saves) - 1000.0 / 700) < 1e-9);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("efficiency");
	tcase_add_test(tests, factors_multiply_to_the_efficiency);
	tcase_add_test(tests, nothing_is_the_product_where_no_thread_works);
	tcase_add_test(tests, a_gain_leaves_the_recorder_out);
	Suite *suite = suite_create("efficiency");
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed != 0;
}
