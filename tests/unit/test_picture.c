/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pieces of pictures: how times, names and axes are written, and how a folded graph is cut to a number of nodes.
 */
#include "builder/draw/dot.h"
#include "builder/draw/svg.h"
#include "builder/draw/xml.h"
#include "builder/support/text.h"

#include <check.h>
#include <stdlib.h>

static struct buffer text;

static const char *ended(void)
{
	buffer_put(&text, "", 1);
	text.n = 0;
	return text.bytes;
}

static const char *time_of(uint64_t ns)
{
	dot_put_time(&text, ns);
	return ended();
}

START_TEST(times_have_three_digits)
{
	ck_assert_str_eq(time_of(0), "0 ns");
	ck_assert_str_eq(time_of(999), "999 ns");
	ck_assert_str_eq(time_of(1000), "1.00 us");
	ck_assert_str_eq(time_of(9996), "10.0 us");
	ck_assert_str_eq(time_of(99960), "100 us");
	ck_assert_str_eq(time_of(999600), "1.00 ms");
	ck_assert_str_eq(time_of(UINT64_C(1234000000000)), "1234 s");
}
END_TEST

START_TEST(xml_is_text)
{
	xml_put(&text, "<a b=\"c\">&'\x01\xff", SIZE_MAX);
	ck_assert_str_eq(ended(), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;\\x01\\xff");
	xml_put(&text, "a\xc3\xa4x", 2); /* in the midst of a character */
	ck_assert_str_eq(ended(), "a...");
	xml_put(&text, "abc", 3);
	ck_assert_str_eq(ended(), "abc");
}
END_TEST

START_TEST(dot_has_no_entities)
{
	text_dot(&text, "a&amp;b&#39;c&d & &;");
	ck_assert_str_eq(ended(), "a&amp;amp;b&amp;#39;c&d & &;");
}
END_TEST

START_TEST(ticks_are_round)
{
	ck_assert_uint_eq(svg_tick(4, 10), 1);
	ck_assert_uint_eq(svg_tick(64, 10), 10);
	ck_assert_uint_eq(svg_tick(42000000, 12), 5000000);
	ck_assert_uint_eq(svg_tick(0, 1), 1);
	ck_assert_uint_gt(svg_tick(UINT64_MAX, 10), UINT64_MAX / 20);
}
END_TEST

START_TEST(labels_are_numbered_once)
{
	struct labels labels = {0};
	uint32_t a = labels_number(&labels, "a"), nothing = labels_number(&labels, "");
	ck_assert_uint_ne(a, nothing);
	ck_assert_uint_eq(labels_number(&labels, "a"), a);
	ck_assert_str_eq(labels_text(&labels, a), "a");
	ck_assert_str_eq(labels_text(&labels, 0), "");
	labels_free(&labels);
}
END_TEST

/* So many constructs of tasks in one region: each of the first `n_chain` comes before the next one. */
static void make_fold(struct fold *fold, struct labels *labels, uint32_t n_tasks, uint32_t n_chain)
{
	uint32_t region = fold_class_row(fold, 0, NODE_REGION, labels_number(labels, "parallel")), before = 0;
	for (uint32_t i = 0; i < n_tasks; i++) {
		char name[32];
		snprintf(name, sizeof name, "task %u", (unsigned)i);
		uint32_t task = fold_class_row(fold, region, NODE_TASK, labels_number(labels, name));
		fold->classes[task].n = 1;
		fold->classes[task].own_ns = 1000 * (i + 1);
		fold_edge_row(fold, region, task, EDGE_CREATE)->n = 1;
		if (before != 0 && i < n_chain)
			fold_edge_row(fold, before, task, EDGE_DEPEND)->n = 1;
		before = task;
	}
	fold->classes[region].n = 1;
}

START_TEST(few_nodes_are_shown)
{
	struct labels labels = {0};
	struct fold fold = {0};
	struct dot_view shown;
	make_fold(&fold, &labels, 50, 50);
	shown_make(&shown, &fold, &labels, 150);
	ck_assert_uint_eq(shown.n_nodes, 51);
	ck_assert_uint_eq(shown.others, 0);
	shown_free(&shown);
	for (uint32_t max = 1; max < 60; max++) {
		shown_make(&shown, &fold, &labels, max);
		ck_assert_uint_le(shown.n_nodes, max);
		for (uint32_t c = 1; c < fold.n_classes; c++) /* each is somewhere, and what it is shown at is shown */
			ck_assert(shown.as[c] == shown.others || shown.as[shown.as[c]] == shown.as[c]);
		shown_free(&shown);
	}
	shown_make(&shown, &fold, &labels, 11);
	ck_assert_uint_eq(shown.as[51], 51); /* the longest task */
	ck_assert_uint_eq(shown.as[2], shown.others);
	shown_free(&shown);
	fold_free(&fold);
	labels_free(&labels);
}
END_TEST

START_TEST(tasks_that_are_alike_are_a_table)
{
	struct labels labels = {0};
	struct fold fold = {0};
	struct dot_view shown;
	make_fold(&fold, &labels, 12, 3); /* the first three differ */
	shown_make(&shown, &fold, &labels, 150);
	ck_assert_uint_eq(shown.n_nodes, 1 + 3 + 1);
	ck_assert(shown.is_table[5]);
	ck_assert_uint_eq(shown.as[13], 5);
	dot_put_fold(&text, &shown);
	ck_assert_ptr_nonnull(strstr(ended(), "creates x9"));
	shown_free(&shown);
	fold_free(&fold);
	labels_free(&labels);
}
END_TEST

/* Two processes with the same constructs, in another order. */
START_TEST(processes_are_added_up)
{
	struct labels labels = {0};
	struct fold sum = {0}, one = {0}, other = {0};
	make_fold(&one, &labels, 3, 3);
	fold_class_row(&other, 0, NODE_INITIAL, 0);
	make_fold(&other, &labels, 5, 2);
	fold_add(&sum, &one);
	fold_add(&sum, &other);
	uint32_t region = fold_find_class(&sum, 0, NODE_REGION, labels_number(&labels, "parallel"));
	uint32_t task = fold_find_class(&sum, region, NODE_TASK, labels_number(&labels, "task 2"));
	ck_assert_uint_eq(sum.classes[region].n, 2);
	ck_assert_uint_eq(sum.classes[task].own_ns, 6000);
	ck_assert_uint_eq(fold_edge_row(&sum, region, task, EDGE_CREATE)->n, 2);
	ck_assert_uint_eq(sum.n_classes, 1 + 1 + 5 + 1);
	fold_free(&one);
	fold_free(&other);
	fold_free(&sum);
	labels_free(&labels);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("picture");
	TCase *tcase = tcase_create("all");
	tcase_add_test(tcase, times_have_three_digits);
	tcase_add_test(tcase, xml_is_text);
	tcase_add_test(tcase, dot_has_no_entities);
	tcase_add_test(tcase, ticks_are_round);
	tcase_add_test(tcase, labels_are_numbered_once);
	tcase_add_test(tcase, few_nodes_are_shown);
	tcase_add_test(tcase, tasks_that_are_alike_are_a_table);
	tcase_add_test(tcase, processes_are_added_up);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	buffer_free(&text);
	return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
