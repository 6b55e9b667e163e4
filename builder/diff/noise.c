/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The bootstrap: runs are drawn from each side, with repetition, as many as there are, and the medians of what was drawn
 * are subtracted. The middle 95 % of many such draws are the interval.
 */
#include "builder/diff/diff.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#include <math.h>
#include <string.h>

#define DRAWS        2000
#define TAIL         (DRAWS / 40) /* draws that are left out at each end */
#define LEAST_CHANGE 0.01         /* of the figure itself: less is not called a change */
#define WHAT         "the comparison"

static int by_value(const void *left, const void *right)
{
	double l = *(const double *)left, r = *(const double *)right;
	return cmp(l, r);
}

static double *sort(const uint64_t *values, size_t n)
{
	double *sorted = memory_get(n, sizeof *sorted, WHAT);
	for (size_t i = 0; i < n; i++)
		sorted[i] = (double)values[i];
	sort_array(sorted, n, by_value);
	return sorted;
}

static struct noise_group group(const double *sorted, size_t n)
{
	return (struct noise_group){(sorted[(n - 1) / 2] + sorted[n / 2]) / 2, sorted[0], sorted[n - 1]};
}

struct noise_group noise_group(const uint64_t *values, size_t n)
{
	double *sorted = sort(values, n);
	struct noise_group of_all = group(sorted, n);
	free(sorted);
	return of_all;
}

/* Marsaglia's generator xorshift64: its state is never 0. */
static uint64_t draw(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> 11;
}

/* The value at a place of what was drawn; `counts`: how often each was. */
static double drawn_at(const double *sorted, const uint32_t *counts, size_t place)
{
	size_t i = 0;
	for (; place >= counts[i]; i++)
		place -= counts[i];
	return sorted[i];
}

static double draw_median(const double *sorted, size_t n, uint32_t *counts, uint64_t *state)
{
	memset(counts, 0, n * sizeof *counts);
	for (size_t i = 0; i < n; i++)
		counts[draw(state) % n]++;
	return (drawn_at(sorted, counts, (n - 1) / 2) + drawn_at(sorted, counts, n / 2)) / 2;
}

static void find_interval(struct noise_change *change, const double *a, size_t n_a, const double *b, size_t n_b)
{
	double *differences = memory_get(DRAWS, sizeof *differences, WHAT);
	uint32_t *counts = memory_get(n_a > n_b ? n_a : n_b, sizeof *counts, WHAT);
	uint64_t state = 0x9E3779B97F4A7C15;
	for (unsigned i = 0; i < DRAWS; i++) {
		double of_a = draw_median(a, n_a, counts, &state);
		differences[i] = draw_median(b, n_b, counts, &state) - of_a;
	}
	sort_array(differences, DRAWS, by_value);
	/* B's figure is never negative: whatever was drawn of A, it does not become less by more than A's own median. */
	change->lowest = fmax(differences[TAIL], -change->a.median);
	change->highest = fmax(differences[DRAWS - 1 - TAIL], -change->a.median);
	free(differences);
	free(counts);
}

struct noise_change noise_compare(const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b)
{
	double *of_a = sort(a, n_a), *of_b = sort(b, n_b);
	struct noise_change change = {.a = group(of_a, n_a), .b = group(of_b, n_b), .has_interval = n_a > 1 && n_b > 1};
	change.difference = change.b.median - change.a.median;
	change.lowest = change.highest = change.difference;
	bool is_flat = change.a.least == change.a.most && change.b.least == change.b.most;
	if (change.has_interval && !is_flat)
		find_interval(&change, of_a, n_a, of_b, n_b);
	free(of_a);
	free(of_b);
	return change;
}

bool noise_is_change(const struct noise_change *change, double threshold, double least)
{
	double size = fabs(change->difference), least_share = change->has_interval ? LEAST_CHANGE : threshold;
	bool is_real = !change->has_interval || noise_excludes_zero(change);
	return is_real && size > least_share * change->a.median && size > least;
}

bool noise_is_other_count(const struct noise_change *count)
{
	return count->a.most < count->b.least || count->b.most < count->a.least;
}

double noise_chance(size_t n_a, size_t n_b)
{
	double ways = 1; /* to choose the runs of a side among all */
	for (size_t i = 1; i <= n_a; i++)
		ways *= (double)(n_b + i) / (double)i;
	return ways / 2;
}
