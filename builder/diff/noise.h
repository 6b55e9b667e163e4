/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What differs between two groups of runs, and what only chance makes differ: medians, and a bootstrap interval of their
 * difference. The same numbers give the same interval in every run of the builder. docs/analyses.md has the rule. Called by
 * diff.c; one thread.
 */
#ifndef OTTER_BUILDER_DIFF_NOISE_H
#define OTTER_BUILDER_DIFF_NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct noise_group {
	double median, least, most;
};

/* A figure on both sides. */
struct noise_change {
	struct noise_group a, b;
	double difference;      /* of the medians, B less A */
	bool has_interval;      /* both sides have several runs: */
	double lowest, highest; /* the difference is between these, by 95 % of the draws */
};

/* Of n values, at least 1. */
struct noise_group noise_group(const uint64_t *values, size_t n);

/* n_a and n_b are at least 1. */
struct noise_change noise_compare(const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b);

/* Is the difference more than chance makes, as far as the interval tells? */
static inline bool noise_excludes_zero(const struct noise_change *change)
{
	return change->has_interval && (change->lowest > 0 || change->highest < 0);
}

/*
 * Of so many comparisons of runs between which there is no difference, one has all runs of a side above all those of the
 * other.
 */
double noise_chance(size_t n_a, size_t n_b);

#endif
