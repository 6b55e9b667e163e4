/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The sentence about what limits a run, as people read it: a construct that is not known is left out of it.
 */
#include "builder/summary/summary.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char empty[] = "", label[] = "task@a.c:7";

/* The sentence about such a limit. To be freed. */
static char *sentence(enum limit limit, enum cause_sort sort, char *name)
{
	struct answer_place place = {name, empty, empty, "task", 7};
	static const struct nouns nouns = {false, "thread", "a thread", "threads", "tasks"};
	struct answer_row row = {.nouns = &nouns, .limit = limit, .sort = sort, .construct = place, .other = place, .n = 2};
	char *text = NULL;
	size_t n_bytes;
	FILE *out = open_memstream(&text, &n_bytes);
	answer_print_what(&row, out);
	fclose(out);
	return text;
}

START_TEST(no_sentence_names_what_is_not_known)
{
	const enum limit limits[] = {LIMIT_RUNTIME, LIMIT_PREEMPTION, LIMIT_SERIAL};
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		for (unsigned sort = 0; sort < CAUSE_SORTS; sort++) {
			char *unknown = sentence(limits[i], (enum cause_sort)sort, empty);
			ck_assert_msg(strstr(unknown, "unknown") == NULL, "%s", unknown);
			free(unknown);
		}
	char *known = sentence(LIMIT_RUNTIME, CAUSE_RESUMING, label);
	ck_assert_str_eq(known, "OpenMP runtime: threads continue late after task@a.c:7");
	free(known);
	known = sentence(LIMIT_RUNTIME, CAUSE_ACQUIRING, label);
	ck_assert_str_eq(known, "OpenMP runtime: task@a.c:7 is free, and acquired 2 times, which takes 0 ns each");
	free(known);
	known = sentence(LIMIT_PREEMPTION, CAUSE_PLAIN, label);
	ck_assert_str_eq(known, "other programs: they used the CPUs, most in task@a.c:7");
	free(known);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("answer_text");
	TCase *tcase = tcase_create("answer_text");
	tcase_add_test(tcase, no_sentence_names_what_is_not_known);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed != 0;
}
