/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The registry of stages: every need is met, the walks keep the order of the rows, and what is made is freed.
 */
#include <check.h>
#include <string.h>

#include "builder/run/job.h"

START_TEST(every_need_is_met_by_a_row_above)
{
	for (unsigned i = 0; i < N_STAGES; i++) {
		ck_assert_uint_lt(stages[i].needs, 1u << i);
		for (unsigned j = 0; j < i; j++)
			ck_assert_str_ne(stages[i].name, stages[j].name);
	}
}
END_TEST

/* A set that is closed: no stage of it lacks what it needs. */
static void check_closed(unsigned needs)
{
	for (unsigned i = 0; i < N_STAGES; i++)
		if (needs >> i & 1)
			ck_assert_uint_eq(stages[i].needs & ~needs, 0);
}

START_TEST(needs_follow_over_any_number_of_rows)
{
	ck_assert_uint_eq(stages_needed(0), 0);
	ck_assert_uint_eq(stages_needed(NEEDS_TREE), NEEDS_TREE | NEEDS_STATES | NEEDS_REPLAY | NEEDS_SYMBOLS | NEEDS_MODEL);
	for (unsigned i = 0; i < N_STAGES; i++) {
		unsigned needs = stages_needed(1u << i);
		ck_assert(needs >> i & 1);
		check_closed(needs);
	}
}
END_TEST

/* With any one option, at each level: all stages of its outputs run; and each stage runs for some output. */
START_TEST(each_stage_that_an_output_needs_runs)
{
	unsigned all = 0;
	for (unsigned option = 0; option < N_OUTPUT_OPTIONS; option++)
		for (int level = GRAPH_SCOPE; level <= GRAPH_FRAGMENT; level++) {
			const struct options options = {.level = (enum graph_level)level, .asked = 1u << option};
			uint64_t outputs = outputs_selected(&options);
			unsigned needs = outputs_need(outputs, &options, true);
			check_closed(needs);
			for (unsigned row = 0; row < n_output_rows; row++)
				if (output_is_selected(outputs, row))
					ck_assert_uint_eq(output_rows[row].needs & ~needs, 0);
			all |= needs;
		}
	ck_assert_uint_eq(all, (1u << N_STAGES) - 1);
}
END_TEST

/* ---- The walks, over rows that write down what is called ---- */

static char calls[64];
static bool fails;

static void note(char c)
{
	size_t n = strlen(calls);
	ck_assert_uint_lt(n + 1, sizeof calls);
	calls[n] = c;
}

static int make_a(struct job *job)
{
	(void)job;
	note('a');
	return 0;
}

static int make_b(struct job *job)
{
	(void)job;
	note('b');
	return fails ? -1 : 0;
}

static int make_c(struct job *job)
{
	(void)job;
	note('c');
	return 0;
}

static void free_a(struct job *job)
{
	(void)job;
	note('A');
}

static void free_b(struct job *job)
{
	(void)job;
	note('B');
}

static void free_c(struct job *job)
{
	(void)job;
	note('C');
}

static struct visitor visits(struct slots *now)
{
	return (struct visitor){&states_ops, now};
}

static struct visitor visits_not(struct slots *now)
{
	(void)now;
	return (struct visitor){&states_ops, NULL};
}

static const struct stage rows[] = {
	{"a", 0, make_a, visits, make_a, free_a},
	{"b", 1, make_b, NULL, NULL, free_b},
	{"c", 2, make_c, visits_not, make_c, free_c},
};

START_TEST(a_walk_goes_up_to_make_and_down_to_free)
{
	static struct job job;
	memset(&job, 0, sizeof job);
	fails = false;
	ck_assert_int_eq(stages_make(rows, 3, 7, &job), 0);
	ck_assert_uint_eq(job.now.n_visitors, 1);
	ck_assert_ptr_eq(job.now.visitors[0].self, &job.now);
	ck_assert_int_eq(stages_finish(rows, 3, 7, &job), 0);
	stages_free(rows, 3, 7, &job);
	ck_assert_str_eq(calls, "abcacCBA");
	memset(calls, 0, sizeof calls);
	ck_assert_int_eq(stages_make(rows, 3, 5, &job), 0);
	stages_free(rows, 3, 5, &job);
	ck_assert_str_eq(calls, "acCA");
}
END_TEST

START_TEST(after_a_failure_no_stage_follows_and_all_are_freed)
{
	static struct job job;
	memset(&job, 0, sizeof job);
	memset(calls, 0, sizeof calls);
	fails = true;
	ck_assert_int_eq(stages_make(rows, 3, 7, &job), -1);
	stages_free(rows, 3, 7, &job);
	ck_assert_str_eq(calls, "abCBA");
}
END_TEST

/* A stage that nothing has begun is freed after another one's failure. */
START_TEST(each_stage_can_be_freed_before_it_is_made)
{
	static struct job job;
	static const struct options options;
	struct trace trace = {0};
	struct graph graph = {0};
	struct states states = {0};
	memset(&job, 0, sizeof job);
	job.options = &options;
	job.now = (struct slots){.trace = &trace, .graph = &graph, .states = &states};
	stages_free(stages, N_STAGES, (1u << N_STAGES) - 1, &job);
	for (unsigned i = 0; i < N_STAGES; i++)
		ck_assert(stages[i].make == NULL || stages[i].free != NULL || i == STAGE_SYMBOLS); /* symbols_close() frees these */
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stages");
	TCase *stages_case = tcase_create("stages");
	tcase_add_test(stages_case, every_need_is_met_by_a_row_above);
	tcase_add_test(stages_case, needs_follow_over_any_number_of_rows);
	tcase_add_test(stages_case, each_stage_that_an_output_needs_runs);
	tcase_add_test(stages_case, a_walk_goes_up_to_make_and_down_to_free);
	tcase_add_test(stages_case, after_a_failure_no_stage_follows_and_all_are_freed);
	tcase_add_test(stages_case, each_stage_can_be_freed_before_it_is_made);
	suite_add_tcase(suite, stages_case);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
