/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares: each construct's figures, the whole runs' time, what limits them; and how work grows over several sides.
 */
#include "builder/diff/diff.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#include <math.h>
#include <string.h>

#define WHAT          "the comparison"
#define LEAST_OF_TIME 0.001 /* of all threads' time: less is not called a change */

const struct diff_place *diff_entry_place(const struct diff_entry *entry)
{
	return entry->b != NULL ? entry->b->place : entry->a->place;
}

/* ---- Of whole runs ---- */

enum total { TOTAL_THREADS, TOTAL_WALL, TOTAL_WORK };

/* By run; to be freed. */
static uint64_t *totals(const struct diff_side *side, enum total total)
{
	uint64_t *values = memory_get(side->n_runs, sizeof *values, WHAT);
	for (size_t r = 0; r < side->n_runs; r++) {
		const struct diff_run *run = &side->runs[r];
		values[r] = total == TOTAL_THREADS ? run->n_threads : total == TOTAL_WALL ? run->wall_ns : run->work_ns;
	}
	return values;
}

static double median_total(const struct diff_side *side, enum total total)
{
	uint64_t *values = totals(side, total);
	double median = noise_group(values, side->n_runs).median;
	free(values);
	return median;
}

/* With several runs on both sides chance must be excluded; without, only the threshold decides. */
static void judge(struct diff *diff)
{
	const struct noise_change *wall = &diff->wall;
	bool is_real = !wall->has_interval || noise_excludes_zero(wall);
	double least = diff->threshold * wall->a.median;
	diff->is_slower = is_real && wall->difference > least;
	diff->is_faster = is_real && wall->difference < -least;
}

/* ---- Constructs ---- */

static void compare_entry(struct diff *diff, struct diff_entry *entry)
{
	const struct diff_side *a = &diff->sides[0], *b = &diff->sides[1];
	size_t n = a->n_runs > b->n_runs ? a->n_runs : b->n_runs;
	uint64_t *nothing = memory_zeroed(n, sizeof *nothing, WHAT);
	for (unsigned f = 0; f < FIGURES; f++) {
		struct noise_change *c = &entry->figures[f];
		*c = noise_compare(entry->a != NULL ? entry->a->values[f] : nothing, a->n_runs,
				   entry->b != NULL ? entry->b->values[f] : nothing, b->n_runs);
		entry->is_changed[f] =
			f == FIGURE_COUNT ? noise_is_other_count(c) : noise_is_change(c, diff->threshold, diff->least_ns);
	}
	bool has_both = entry->a != NULL && entry->b != NULL;
	entry->is_moved = has_both && (diff_row_compare_group(entry->a, entry->b) != 0 || !diff_row_is_same(entry->a, entry->b));
	free(nothing);
}

static double weight(const struct diff_entry *entry)
{
	double own = fabs(entry->figures[FIGURE_OWN].difference), blamed = fabs(entry->figures[FIGURE_BLAMED].difference);
	return own > blamed ? own : blamed;
}

static int by_weight(const void *left, const void *right)
{
	const struct diff_entry *l = left, *r = right;
	double w_l = weight(l), w_r = weight(r);
	if (w_l != w_r)
		return w_l > w_r ? -1 : 1;
	const struct diff_place *p_l = diff_entry_place(l), *p_r = diff_entry_place(r);
	int order = strcmp(p_l->label, p_r->label);
	return order != 0 ? order : (l->a == NULL) - (r->a == NULL);
}

/* of_b: by row of b, the same construct's row of a, or NO_ROW. */
static void compare_rows(struct diff *diff, const size_t *of_a, const size_t *of_b)
{
	const struct diff_side *a = &diff->sides[0], *b = &diff->sides[1];
	diff->entries = memory_zeroed(a->n_rows + b->n_rows, sizeof *diff->entries, WHAT);
	for (size_t i = 0; i < a->n_rows; i++)
		diff->entries[diff->n_entries++] =
			(struct diff_entry){.a = &a->rows[i], .b = of_a[i] != NO_ROW ? &b->rows[of_a[i]] : NULL};
	for (size_t j = 0; j < b->n_rows; j++)
		if (of_b[j] == NO_ROW)
			diff->entries[diff->n_entries++] = (struct diff_entry){.b = &b->rows[j]};
	for (size_t i = 0; i < diff->n_entries; i++)
		compare_entry(diff, &diff->entries[i]);
	diff_compare_paths(diff, of_a, of_b);
	sort_array(diff->entries, diff->n_entries, by_weight);
	size_t limiting = a->limiting != NO_ROW ? of_a[a->limiting] : NO_ROW;
	bool is_same_place = (a->limiting == NO_ROW && b->limiting == NO_ROW) || (limiting != NO_ROW && limiting == b->limiting);
	diff->has_other_limit = strcmp(a->limited->limit, b->limited->limit) != 0 || !is_same_place;
}

static void compare_two(struct diff *diff)
{
	const struct diff_side *a = &diff->sides[0], *b = &diff->sides[1];
	size_t *of_a = memory_get(a->n_rows, sizeof *of_a, WHAT), *of_b = memory_get(b->n_rows, sizeof *of_b, WHAT);
	uint64_t *walls_a = totals(a, TOTAL_WALL), *walls_b = totals(b, TOTAL_WALL);
	diff->wall = noise_compare(walls_a, a->n_runs, walls_b, b->n_runs);
	free(walls_a);
	free(walls_b);
	diff->least_ns = LEAST_OF_TIME * (diff->threads[0] * diff->wall.a.median);
	judge(diff);
	diff_match(a, b, of_a, of_b);
	compare_rows(diff, of_a, of_b);
	free(of_a);
	free(of_b);
}

/* ---- Over several numbers of threads ---- */

static void scale(struct diff *diff)
{
	const struct diff_side *base = &diff->sides[diff->base];
	diff->rows = memory_get(diff->n_sides * base->n_rows, sizeof *diff->rows, WHAT);
	for (size_t s = 0; s < diff->n_sides; s++) {
		size_t *back = memory_get(diff->sides[s].n_rows, sizeof *back, WHAT);
		diff_match(base, &diff->sides[s], diff->rows + s * base->n_rows, back);
		free(back);
	}
}

void diff_make(struct diff *diff, const struct diff_side *sides, size_t n_sides, double threshold)
{
	*diff = (struct diff){.sides = sides, .n_sides = n_sides, .threshold = threshold};
	diff->threads = memory_get(3 * n_sides, sizeof *diff->threads, WHAT);
	diff->wall_ns = diff->threads + n_sides;
	diff->work_ns = diff->wall_ns + n_sides;
	for (size_t s = 0; s < n_sides; s++) {
		diff->threads[s] = median_total(&sides[s], TOTAL_THREADS);
		diff->wall_ns[s] = median_total(&sides[s], TOTAL_WALL);
		diff->work_ns[s] = median_total(&sides[s], TOTAL_WORK);
		if (diff->threads[s] < diff->threads[diff->base])
			diff->base = s;
	}
	if (n_sides == 2)
		compare_two(diff);
	diff->has_scaling = n_sides > 2 || diff->threads[0] != diff->threads[1];
	if (diff->has_scaling)
		scale(diff);
}

void diff_free(struct diff *diff)
{
	free(diff->entries);
	free(diff->paths);
	free(diff->rows);
	free(diff->threads);
}
