/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The canonical list's lines: sorted like their texts, equal ones counted, whatever names look like and however many
 * threads sort them.
 */
#include "builder/graph/canonical.h"
#include "builder/support/array.h"

#include <check.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define N_NAMES 50000
#define N_LINES 100000

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

/* The list in the making: names and lines in any order. */
struct made {
	struct canonical_list *list;
	struct canonical_text text;
	struct canonical_name *names;
	size_t n_names, names_capacity;
	struct line {
		uint32_t source, target;
		uint8_t kind, dependence; /* kind EDGE_KINDS: they exclude each other */
	} * lines;
	size_t n_lines, lines_capacity;
};

static void add_line(struct made *made, uint32_t source, uint32_t target, unsigned kind, unsigned dependence)
{
	array_push(made->lines, made->n_lines, made->lines_capacity,
		   (struct line){source, target, (uint8_t)kind, (uint8_t)dependence});
}

static uint32_t add_name(struct made *made, const char *format, unsigned a, unsigned b)
{
	char *name = text_format(format, a, b);
	made->text.name.n = 0;
	buffer_put_text(&made->text.name, name);
	array_push(made->names, made->n_names, made->names_capacity, canonical_put_name(&made->text, 0));
	free(name);
	return (uint32_t)made->n_names - 1;
}

static struct made make(void)
{
	struct canonical_list *list = memory_zeroed(1, sizeof *list, "the test");
	return (struct made){.list = list, .text = {.list = list}};
}

static int by_source(const void *left, const void *right)
{
	const struct line *l = left, *r = right;
	return l->source < r->source ? -1 : l->source > r->source;
}

/* Adds them as a process does; a second call does it as a second process would. */
static void settle_lines(struct made *made)
{
	struct canonical_list *list = made->list;
	size_t *first = memory_get(made->n_names + 1, sizeof *first, "the test"), n = 0, first_name = list->n_names;
	uint64_t *lines = memory_get(made->n_lines, sizeof *lines, "the test");
	if (made->n_lines > 1)
		qsort(made->lines, made->n_lines, sizeof *made->lines, by_source);
	for (size_t name = 0, i = 0; name <= made->n_names; name++) {
		first[name] = n;
		for (; i < made->n_lines && made->lines[i].source == name; i++) {
			const struct line *line = &made->lines[i];
			if (line->kind == EDGE_KINDS) {
				array_push(list->pairs, list->n_pairs, list->pairs_capacity,
					   (struct canonical_pair){(uint32_t)first_name + line->source,
								   (uint32_t)first_name + line->target});
				continue;
			}
			lines[n] = canonical_edge(line->target, line->kind, line->dependence);
			list->has_label[canonical_edge_label(lines[n++])] = true;
		}
	}
	canonical_add_lines(list, (uint32_t)made->n_names, &first, &lines);
	if (made->n_names != 0)
		memcpy(list->names + first_name, made->names, made->n_names * sizeof *made->names);
	free(first);
	free(lines);
}

/* Prints the list of the lines and names so many times, as of as many processes. */
static void check_list(struct made *made, unsigned n_times)
{
	struct canonical_list *list = made->list;
	size_t n_bytes, n = 0;
	char *printed, **lines = memory_get(n_times * made->n_lines, sizeof *lines, "the test");
	for (size_t i = 0; i < n_times * made->n_lines; i++) {
		const struct line *line = &made->lines[i % made->n_lines];
		const struct canonical_name *source = &made->names[line->source], *target = &made->names[line->target];
		bool is_edge = line->kind < EDGE_KINDS;
		lines[n++] = text_format("%.*s %s %.*s %s%s%s", (int)source->n, source->text, is_edge ? "->" : "--", (int)target->n,
					 target->text, is_edge ? edge_kind_name(line->kind) : "exclusive",
					 line->dependence != 0 ? ":" : "", edge_dependence_name(line->dependence));
	}
	for (unsigned i = 0; i < n_times; i++)
		settle_lines(made);
	FILE *out = memory_open_stream(&printed, &n_bytes, "the test");
	ck_assert_int_eq(canonical_print(list, out), 0);
	memory_close_stream(out, "the test");
	char *text = expected(lines, n);
	ck_assert_int_eq(strcmp(printed, text), 0);
	free(text);
	free(printed);
	free(lines);
	free(made->lines);
	free(made->names);
	buffer_free(&made->text.name);
	canonical_free_list(list);
}

START_TEST(lines_are_sorted_as_texts)
{
	static const char *const formats[] = {
		"task@a.c:%u[1.%u]", "task@a.c:%u", "%u%u", "taskwait@a.c:7[1.r1.i.1.2.3.4.5.6.%u.%u]",
		"\xc3\xa9%u[%u]",    "x%.0u%.0u"};
	struct made made = make();
	omp_set_num_threads(1 + 3 * _i);
	srand(1);
	for (unsigned i = 0; i < N_NAMES; i++)
		add_name(&made, formats[(unsigned)rand() % 6], (unsigned)rand() % 300, (unsigned)rand() % 300);
	for (unsigned i = 0; i < N_LINES; i++) {
		uint32_t source = (uint32_t)rand() % N_NAMES, target = (uint32_t)rand() % N_NAMES;
		unsigned kind = (unsigned)rand() % (EDGE_KINDS + 1);
		add_line(&made, source, target, kind, kind == EDGE_DEPEND ? (unsigned)rand() % 256 : 0);
	}
	check_list(&made, 2);
}
END_TEST

/* More than are formatted at once, between others. */
START_TEST(many_equal_lines_are_one)
{
	struct made made = make();
	omp_set_num_threads(1 + 3 * _i);
	uint32_t first = add_name(&made, "%u[%u]", 1, 1), last = add_name(&made, "%u[%u]", 2, 2);
	for (unsigned i = 0; i < 3000; i++)
		add_line(&made, first, add_name(&made, "%u[%u]", i, 0), EDGE_CREATE, 0);
	for (unsigned i = 0; i < 20000; i++)
		add_line(&made, first, add_name(&made, "z%.0u%.0u", 0, 0), EDGE_BARRIER, 0);
	for (unsigned i = 0; i < 20000; i++)
		add_line(&made, first, last, i % 2 == 0 ? EDGE_BARRIER : EDGE_KINDS, 0);
	add_line(&made, last, first, EDGE_BARRIER, 0);
	check_list(&made, 1);
}
END_TEST

START_TEST(no_lines_are_an_empty_list)
{
	struct made made = make();
	check_list(&made, 1);
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
