/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Matches the constructs of two sides: within those of the same kind, file and function, in the order of their lines, so
 * that lines that moved still match. Where there are more on one side than on the other, the alignment is the cheapest
 * one: constructs at the same line, and such as were executed equally often, go together before others.
 */
#include "builder/diff/diff.h"
#include "builder/support/memory.h"

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
	size_t first_a, first_b, n_a, n_b;
};

static double pair_cost(const struct match_group *g, size_t i, size_t j)
{
	const struct diff_row *a = &g->a->rows[g->first_a + i], *b = &g->b->rows[g->first_b + j];
	double distance = count_distance(a, g->a->n_runs, b, g->b->n_runs);
	return diff_row_is_same(a, b) ? SHARE_SAME * distance : COST_MOVED + SHARE_MOVED * distance;
}

static void pair(const struct match_group *g, size_t i, size_t j, size_t *of_a, size_t *of_b)
{
	of_a[g->first_a + i] = g->first_b + j;
	of_b[g->first_b + j] = g->first_a + i;
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
		const struct diff_row *a = &g->a->rows[g->first_a + i], *b = &g->b->rows[g->first_b + j];
		if (diff_row_is_same(a, b))
			pair(g, i++, j++, of_a, of_b);
		else if (a->position <= b->position)
			i++;
		else
			j++;
	}
}

/* How many rows from `first` on are of the group of that one. */
static size_t group_size(const struct diff_side *side, size_t first)
{
	size_t n = 1;
	while (first + n < side->n_rows && diff_row_compare_group(&side->rows[first], &side->rows[first + n]) == 0)
		n++;
	return n;
}

void diff_match(const struct diff_side *a, const struct diff_side *b, size_t *of_a, size_t *of_b)
{
	for (size_t i = 0; i < a->n_rows; i++)
		of_a[i] = NO_ROW;
	for (size_t j = 0; j < b->n_rows; j++)
		of_b[j] = NO_ROW;
	for (size_t i = 0, j = 0; i < a->n_rows && j < b->n_rows;) {
		int order = diff_row_compare_group(&a->rows[i], &b->rows[j]);
		if (order < 0)
			i++;
		else if (order > 0)
			j++;
		else {
			struct match_group group = {a, b, i, j, group_size(a, i), group_size(b, j)};
			if (group.n_a > MOST_PAIRS / group.n_b)
				match_lines(&group, of_a, of_b);
			else
				align(&group, of_a, of_b);
			i += group.n_a;
			j += group.n_b;
		}
	}
}
