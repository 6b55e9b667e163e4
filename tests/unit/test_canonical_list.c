/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The canonical list's lines: sorted like their texts, equal ones counted, whatever names look like and however many
 * threads sort them.
 */
#include "builder/graph/canonical.h"
#include "builder/support/memory.h"

#include <check.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static int by_text(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The list as it must be, from its lines' texts, which are sorted and freed. */
static char *expected(char **lines, size_t n)
{
	char *text;
	size_t n_bytes;
	FILE *out = memory_open_stream(&text, &n_bytes, "the test");
	qsort(lines, n, sizeof *lines, by_text);
	for (size_t i = 0, first = 0; i < n; i++) {
		if (i + 1 < n && strcmp(lines[i], lines[i + 1]) == 0)
			continue;
		fputs(lines[i], out);
		if (i > first)
			fprintf(out, " x%zu", i - first + 1);
		fputc('\n', out);
		first = i + 1;
	}
	memory_close_stream(out, "the test");
	for (size_t i = 0; i < n; i++)
		free(lines[i]);
	return text;
}

static void check_list(struct canonical_list *list)
{
	char *printed, **lines = memory_get(list->n_lines, sizeof *lines, "the test");
	size_t n_bytes, n = list->n_lines;
	for (size_t i = 0; i < n; i++) {
		const struct canonical_line *line = &list->lines[i];
		const struct canonical_name *source = &list->names[line->source], *target = &list->names[line->target];
		bool is_edge = line->kind < EDGE_KINDS;
		lines[i] = text_format("%.*s %s %.*s %s%s%s", (int)source->n, source->text, is_edge ? "->" : "--", (int)target->n,
				       target->text, is_edge ? edge_kind_name(line->kind) : "exclusive",
				       line->dependence != 0 ? ":" : "", edge_dependence_name(line->dependence));
	}
	FILE *out = memory_open_stream(&printed, &n_bytes, "the test");
	ck_assert_int_eq(canonical_print(list, out), 0);
	memory_close_stream(out, "the test");
	char *text = expected(lines, n);
	ck_assert_int_eq(strcmp(printed, text), 0);
	free(text);
	free(printed);
	free(lines);
}

static uint32_t add_name(struct canonical_list *list, const char *format, unsigned a, unsigned b)
{
	char *name = text_format(format, a, b);
	struct buffer text = {name, strlen(name), 0};
	uint32_t number = canonical_add_name(list, &text);
	free(name);
	return number;
}

START_TEST(lines_are_sorted_as_texts)
{
	static const char *const formats[] = {
		"task@a.c:%u[1.%u]", "task@a.c:%u", "%u%u", "taskwait@a.c:7[1.r1.i.1.2.3.4.5.6.%u.%u]",
		"\xc3\xa9%u[%u]",    "x%.0u%.0u"};
	struct canonical_list *list = memory_zeroed(1, sizeof *list, "the test");
	omp_set_num_threads(1 + 3 * _i);
	srand(1);
	for (unsigned i = 0; i < 50000; i++)
		add_name(list, formats[(unsigned)rand() % 6], (unsigned)rand() % 300, (unsigned)rand() % 300);
	for (unsigned i = 0; i < 100000; i++) {
		uint32_t source = (uint32_t)rand() % 50000, target = (uint32_t)rand() % 50000;
		uint8_t kind = (uint8_t)(rand() % (EDGE_KINDS + 1)), dependence = (uint8_t)(kind == EDGE_DEPEND ? rand() % 256 : 0);
		canonical_add_line(list, &(struct canonical_line){source, target, kind, dependence});
	}
	check_list(list);
	canonical_free_list(list);
}
END_TEST

/* More than are formatted at once, between others. */
START_TEST(many_equal_lines_are_one)
{
	struct canonical_list *list = memory_zeroed(1, sizeof *list, "the test");
	omp_set_num_threads(1 + 3 * _i);
	uint32_t first = add_name(list, "%u[%u]", 1, 1), last = add_name(list, "%u[%u]", 2, 2);
	for (unsigned i = 0; i < 3000; i++)
		canonical_add_line(list, &(struct canonical_line){first, add_name(list, "%u[%u]", i, 0), EDGE_CREATE, 0});
	for (unsigned i = 0; i < 20000; i++)
		canonical_add_line(list, &(struct canonical_line){first, add_name(list, "z%.0u%.0u", 0, 0), EDGE_BARRIER, 0});
	for (unsigned i = 0; i < 20000; i++)
		canonical_add_line(list, &(struct canonical_line){first, last, EDGE_BARRIER, 0});
	canonical_add_line(list, &(struct canonical_line){last, first, EDGE_BARRIER, 0});
	check_list(list);
	canonical_free_list(list);
}
END_TEST

START_TEST(no_lines_are_an_empty_list)
{
	struct canonical_list *list = memory_zeroed(1, sizeof *list, "the test");
	check_list(list);
	canonical_free_list(list);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("canonical_list");
	TCase *tests = tcase_create("canonical_list");
	tcase_add_loop_test(tests, lines_are_sorted_as_texts, 0, 2);
	tcase_add_loop_test(tests, many_equal_lines_are_one, 0, 2);
	tcase_add_test(tests, no_lines_are_an_empty_list);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
