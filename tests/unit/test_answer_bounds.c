/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the answer's figures are bounded by, and what the table of constructs has beside its rows.
 */
#include "builder/answer/candidates.h"
#include "builder/summary/summary.h"

#include <check.h>
#include <stdlib.h>

#define NEAR 1e-12

/* ---- The rest of the constructs ---- */

START_TEST(shares_add_up)
{
	struct answer_summary s = {.span_ns = 100,
				   .has_loss = true,
				   .n_all_constructs = 5,
				   .n_constructs = 2,
				   .all_path_share = 0.6,
				   .all_blame_share = 0.9,
				   .blocked_share = 0.2,
				   .device_share = 0.1};
	s.constructs[0] = (struct answer_construct){.path_share = 0.3, .blame_share = 0.4};
	s.constructs[1] = (struct answer_construct){.path_share = 0.1, .blame_share = 0.3};
	for (unsigned n = 0; n <= 2; n++) {
		struct answer_rest rows[ANSWER_RESTS];
		answer_find_rest(&s, n, rows);
		double path = 0, blame = 0;
		for (unsigned i = 0; i < n; i++) {
			path += s.constructs[i].path_share;
			blame += s.constructs[i].blame_share;
		}
		for (unsigned i = 0; i < ANSWER_RESTS; i++) {
			path += rows[i].path_share;
			blame += rows[i].blame_share;
		}
		ck_assert_double_eq_tol(path, 1, NEAR);
		ck_assert_double_eq_tol(blame, 1, NEAR);
		ck_assert_uint_eq(rows[REST_OTHERS].n, 5 - n);
		ck_assert_double_eq_tol(rows[REST_NONE].path_share, 0.1, NEAR);
		ck_assert_double_eq_tol(rows[REST_NONE].blame_share, 0.1, NEAR);
		ck_assert_double_eq_tol(rows[REST_BLOCKED].path_share, 0.2, NEAR);
		ck_assert_double_eq_tol(rows[REST_DEVICES].path_share, 0.1, NEAR);
	}
}
END_TEST

/* Without a path, or without a loss, nothing has a share of it; and rounding makes no share negative. */
START_TEST(what_is_not_there_has_no_shares)
{
	struct answer_summary s = {.n_all_constructs = 1, .n_constructs = 1, .all_path_share = 0.5, .all_blame_share = 0.5};
	struct answer_rest rows[ANSWER_RESTS];
	s.constructs[0] = (struct answer_construct){.path_share = 0.5 + 1e-10, .blame_share = 0.5 + 1e-10};
	answer_find_rest(&s, 1, rows);
	for (unsigned i = 0; i < ANSWER_RESTS; i++)
		ck_assert(rows[i].path_share == 0 && rows[i].blame_share == 0);
	s.span_ns = 1;
	s.has_loss = true;
	answer_find_rest(&s, 1, rows);
	ck_assert_double_eq_tol(rows[REST_NONE].path_share, 0.5, NEAR);
	ck_assert_double_eq_tol(rows[REST_NONE].blame_share, 0.5, NEAR);
	ck_assert(rows[REST_OTHERS].path_share == 0 && rows[REST_OTHERS].blame_share == 0);
}
END_TEST

/* ---- Bounds of a saving ---- */

static struct dump dump;
static struct model model = {.dump = &dump};
static struct graph graph = {.model = &model};

/* What a candidate of 1000 ticks saves, where the process has four threads that worked for 1600 ticks in a wall of 1000. */
static uint64_t saved(enum limit limit, enum cause_sort sort, uint64_t n_processors, uint64_t n_online, uint64_t most)
{
	struct answer answer = {.net.graph = &graph, .account = {.n_threads = 4, .wall_ticks = 1000}};
	struct candidate_search s = {.answer = &answer, .most_beside_bounds = most};
	answer.account.ticks[SPENT_WORK] = 1600;
	dump.meta.n_processors = n_processors;
	dump.meta.n_online = n_online;
	candidates_put(&s, (struct candidate){.limit = limit, .sort = sort, .saved_ticks = 1000});
	ck_assert_uint_eq(answer.n_candidates, 1);
	uint64_t ticks = answer.candidates[0].saved_ticks;
	free(answer.candidates);
	return ticks;
}

START_TEST(a_saving_leaves_the_work)
{
	ck_assert_uint_eq(saved(LIMIT_WAIT, CAUSE_PLAIN, 4, 8, 50), 1000);
	ck_assert_uint_eq(saved(LIMIT_WAIT, CAUSE_PLAIN, 2, 8, 50), 200);   /* two processors need 800 ticks for the work */
	ck_assert_uint_eq(saved(LIMIT_WAIT, CAUSE_PLAIN, 1, 8, 50), 0);     /* one needs more than the run took */
	ck_assert_uint_eq(saved(LIMIT_WAIT, CAUSE_PROCESS, 1, 2, 50), 200); /* with the machine's */
	ck_assert_uint_eq(saved(LIMIT_WAIT, CAUSE_PROCESS, 1, 4, 50), 1000);
}
END_TEST

START_TEST(what_the_chain_is_without_keeps_its_bounds)
{
	for (unsigned limit = 0; limit < LIMITS; limit++) {
		bool keeps = limit == LIMIT_RUNTIME || limit == LIMIT_PREEMPTION || limit == LIMIT_BINDING;
		ck_assert_int_eq(bounds_hold_without(limit), keeps);
		ck_assert_uint_eq(saved(limit, CAUSE_PLAIN, 4, 4, 300), keeps ? 300 : 1000);
		ck_assert_uint_eq(saved(limit, CAUSE_PLAIN, 2, 4, 300), 200); /* the lower of two bounds */
	}
}
END_TEST

/* What excludes each other comes after what one thread does alone; a chain of loops that could be divided otherwise is no bound. */
START_TEST(no_run_takes_less_than_its_bounds)
{
	struct answer answer = {.net.graph = &graph};
	answer.bounds = (struct answer_bounds){.exclusion_ticks = 300, .serial_ticks = 100, .span_ns = 350};
	ck_assert_uint_eq(answer_least_ticks(&answer), 400);
	answer.bounds.span_ns = 500;
	ck_assert_uint_eq(answer_least_ticks(&answer), net_ticks_of(&answer.net, 500));
	ck_assert_uint_ge(answer_least_ticks(&answer), 500);
	answer.bounds.has_loops = true;
	ck_assert_uint_eq(answer_least_ticks(&answer), 400);
	answer.bounds.exclusion_ticks = 0;
	ck_assert_uint_eq(answer_least_ticks(&answer), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("answer_bounds");
	TCase *tcase = tcase_create("answer_bounds");
	tcase_add_test(tcase, shares_add_up);
	tcase_add_test(tcase, what_is_not_there_has_no_shares);
	tcase_add_test(tcase, a_saving_leaves_the_work);
	tcase_add_test(tcase, what_the_chain_is_without_keeps_its_bounds);
	tcase_add_test(tcase, no_run_takes_less_than_its_bounds);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed != 0;
}
