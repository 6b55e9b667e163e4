/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Matches the constructs of two sides: within those of the same kind, file and function, in the order of their lines, so
 * that lines that moved still match. Where there are more on one side than on the other, the alignment is the cheapest
 * one: constructs at the same line, and such as were executed equally often, go together before others. What is left over is
 * matched in the same way without the file, so that files that were renamed still match.
 */
#include "builder/diff/diff.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#include <string.h>

#define MOST_PAIRS  4000000 /* in a function; with more, only constructs at the same line are matched */
#define COST_MOVED  0.1     /* another line */
#define COST_ALONE  0.6     /* a construct without a match: two of them cost more than any match, which costs 1 at most */
#define SHARE_MOVED 0.9     /* weight of the counts for constructs at different lines */
#define SHARE_SAME  0.5     /* weight of the counts for constructs at the same line */

/* The distance of the counts: from 0, equal, to 1. The runs of a side are added up. */
static double count_distance(const struct diff_row *a, size_t n_a, const struct diff_row *b, size_t n_b)
{
	double of_a = 0, of_b = 0;
	for (size_t r = 0; r < n_a; r++)
		of_a += (double)a->values[FIGURE_COUNT][r] / (double)n_a;
	for (size_t r = 0; r < n_b; r++)
		of_b += (double)b->values[FIGURE_COUNT][r] / (double)n_b;
	double more = of_a > of_b ? of_a : of_b, less = of_a > of_b ? of_b : of_a;
	return more > 0 ? 1 - less / more : 0;
}

struct match_group {
	const struct diff_side *a, *b;
	const size_t *rows_a, *rows_b; /* numbers of rows, in the order in which they are aligned */
	size_t n_a, n_b;
};

static double pair_cost(const struct match_group *g, size_t i, size_t j)
{
	const struct diff_row *a = &g->a->rows[g->rows_a[i]], *b = &g->b->rows[g->rows_b[j]];
	double distance = count_distance(a, g->a->n_runs, b, g->b->n_runs);
	return diff_row_is_same(a, b) ? SHARE_SAME * distance : COST_MOVED + SHARE_MOVED * distance;
}

static void pair(const struct match_group *g, size_t i, size_t j, size_t *of_a, size_t *of_b)
{
	of_a[g->rows_a[i]] = g->rows_b[j];
	of_b[g->rows_b[j]] = g->rows_a[i];
}

/* costs[i][j]: of the rows from i and j on. */
static void align(const struct match_group *g, size_t *of_a, size_t *of_b)
{
	size_t width = g->n_b + 1;
	double *costs = memory_get((g->n_a + 1) * width, sizeof *costs, "the comparison");
	for (size_t i = g->n_a + 1; i-- > 0;)
		for (size_t j = width; j-- > 0;) {
			if (i == g->n_a || j == g->n_b) {
				costs[i * width + j] = COST_ALONE * (double)(g->n_a - i + g->n_b - j);
				continue;
			}
			double best = pair_cost(g, i, j) + costs[(i + 1) * width + j + 1];
			double skip_a = COST_ALONE + costs[(i + 1) * width + j], skip_b = COST_ALONE + costs[i * width + j + 1];
			best = skip_a < best ? skip_a : best;
			costs[i * width + j] = skip_b < best ? skip_b : best;
		}
	for (size_t i = 0, j = 0; i < g->n_a && j < g->n_b;) {
		double here = costs[i * width + j];
		if (here >= COST_ALONE + costs[(i + 1) * width + j])
			i++;
		else if (here >= COST_ALONE + costs[i * width + j + 1])
			j++;
		else
			pair(g, i++, j++, of_a, of_b);
	}
	free(costs);
}

static void match_lines(const struct match_group *g, size_t *of_a, size_t *of_b)
{
	for (size_t i = 0, j = 0; i < g->n_a && j < g->n_b;) {
		const struct diff_row *a = &g->a->rows[g->rows_a[i]], *b = &g->b->rows[g->rows_b[j]];
		if (diff_row_is_same(a, b))
			pair(g, i++, j++, of_a, of_b);
		else if (a->position <= b->position)
			i++;
		else
			j++;
	}
}

/* ---- Groups ---- */

/* Rows of a side that are not matched yet, in an order in which those of a group are together. */
struct match_rows {
	const struct diff_side *side;
	size_t *rows, n;
	int (*compare)(const struct diff_row *a, const struct diff_row *b); /* 0: of the same group */
};

static int by_kind_and_function(const struct diff_row *a, const struct diff_row *b)
{
	return strcmp(a->place->kind, b->place->kind) ?: diff_row_compare_function(a, b);
}

static int by_function_and_place(const void *left, const void *right, void *self)
{
	size_t l = *(const size_t *)left, r = *(const size_t *)right;
	const struct diff_row *a = &((const struct diff_side *)self)->rows[l], *b = &((const struct diff_side *)self)->rows[r];
	return by_kind_and_function(a, b) ?: cmp(l, r);
}

/* To be freed: rows that have no match. */
static struct match_rows unmatched(const struct diff_side *side, const size_t *of_rows)
{
	struct match_rows rows = {side, memory_get(side->n_rows, sizeof *rows.rows, "the comparison"), 0, diff_row_compare_group};
	for (size_t i = 0; i < side->n_rows; i++)
		if (of_rows[i] == NO_ROW)
			rows.rows[rows.n++] = i;
	return rows;
}

/* The same where the function is known, in its order. */
static struct match_rows unmatched_by_function(const struct diff_side *side, const size_t *of_rows)
{
	struct match_rows rows = unmatched(side, of_rows);
	size_t n = 0;
	for (size_t i = 0; i < rows.n; i++)
		if (side->rows[rows.rows[i]].function_bytes != 0)
			rows.rows[n++] = rows.rows[i];
	rows.n = n;
	rows.compare = by_kind_and_function;
	sort_array_r(rows.rows, n, by_function_and_place, (void *)(uintptr_t)side);
	return rows;
}

static const struct diff_row *row_at(const struct match_rows *rows, size_t i)
{
	return &rows->side->rows[rows->rows[i]];
}

/* How many rows from `first` on are of the group of that one. */
static size_t group_size(const struct match_rows *rows, size_t first)
{
	size_t n = 1;
	while (first + n < rows->n && rows->compare(row_at(rows, first), row_at(rows, first + n)) == 0)
		n++;
	return n;
}

/* Are all of these rows in one file? */
static bool is_of_one_file(const struct diff_side *side, const size_t *rows, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (diff_row_compare_file(&side->rows[rows[0]], &side->rows[rows[i]]) != 0)
			return false;
	return true;
}

/*
 * Has the function another file? Functions of one name in several files are different ones, and it is not known which of them
 * became which; what is left over in the same file is new or gone.
 */
static bool is_renamed(const struct match_group *g)
{
	bool is_same_file = diff_row_compare_file(&g->a->rows[g->rows_a[0]], &g->b->rows[g->rows_b[0]]) == 0;
	return !is_same_file && is_of_one_file(g->a, g->rows_a, g->n_a) && is_of_one_file(g->b, g->rows_b, g->n_b);
}

static void match_group(const struct match_group *group, size_t *of_a, size_t *of_b)
{
	if (group->n_a > MOST_PAIRS / group->n_b)
		match_lines(group, of_a, of_b);
	else
		align(group, of_a, of_b);
}

static void match_groups(const struct match_rows *a, const struct match_rows *b, size_t *of_a, size_t *of_b)
{
	for (size_t i = 0, j = 0; i < a->n && j < b->n;) {
		int order = a->compare(row_at(a, i), row_at(b, j));
		if (order < 0)
			i++;
		else if (order > 0)
			j++;
		else {
			struct match_group group = {a->side, b->side, a->rows + i, b->rows + j, group_size(a, i), group_size(b, j)};
			if (a->compare == diff_row_compare_group || is_renamed(&group))
				match_group(&group, of_a, of_b);
			i += group.n_a;
			j += group.n_b;
		}
	}
	free(a->rows);
	free(b->rows);
}

void diff_match(const struct diff_side *a, const struct diff_side *b, size_t *of_a, size_t *of_b)
{
	for (size_t i = 0; i < a->n_rows; i++)
		of_a[i] = NO_ROW;
	for (size_t j = 0; j < b->n_rows; j++)
		of_b[j] = NO_ROW;
	struct match_rows rows_a = unmatched(a, of_a), rows_b = unmatched(b, of_b);
	match_groups(&rows_a, &rows_b, of_a, of_b);
	rows_a = unmatched_by_function(a, of_a);
	rows_b = unmatched_by_function(b, of_b);
	match_groups(&rows_a, &rows_b, of_a, of_b);
}
