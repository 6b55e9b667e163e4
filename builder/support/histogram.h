/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How numbers are spread: counted in classes, each a 32nd of a power of two wide, so that a percentile is within 3 percent
 * of the true one however many numbers there are, and does not depend on their order. One thread.
 */
#ifndef OTTER_BUILDER_SUPPORT_HISTOGRAM_H
#define OTTER_BUILDER_SUPPORT_HISTOGRAM_H

#include "builder/support/memory.h"

#include <stdint.h>

#define HISTOGRAM_BITS    5
#define HISTOGRAM_CLASSES ((64 - HISTOGRAM_BITS + 1) << HISTOGRAM_BITS)

struct histogram {
	uint64_t n, sum, least, most;
	uint32_t *counts; /* by class; NULL: there are no numbers */
};

static inline unsigned histogram_class(uint64_t x)
{
	/* Below 32, where each number has a class of its own, nothing is shifted. */
	unsigned shift = 63 - (unsigned)__builtin_clzll(x | 1u << HISTOGRAM_BITS) - HISTOGRAM_BITS;
	return (shift << HISTOGRAM_BITS) + (unsigned)(x >> shift);
}

/* The least number of a class. */
static inline uint64_t histogram_class_begin(unsigned class)
{
	if (class < 1u << HISTOGRAM_BITS)
		return class;
	unsigned shift = (class >> HISTOGRAM_BITS) - 1;
	return (uint64_t)((class & ((1u << HISTOGRAM_BITS) - 1)) + (1u << HISTOGRAM_BITS)) << shift;
}

static inline void histogram_add(struct histogram *histogram, uint64_t x)
{
	if (histogram->counts == NULL) {
		histogram->counts = memory_zeroed(HISTOGRAM_CLASSES, sizeof *histogram->counts, "percentiles");
		histogram->least = x;
	}
	histogram->least = x < histogram->least ? x : histogram->least;
	histogram->most = x > histogram->most ? x : histogram->most;
	histogram->n++;
	histogram->sum += x;
	histogram->counts[histogram_class(x)]++;
}

/* The mean, where a number above `most` counts as `most`; of no numbers 0. Within 3 percent, as are percentiles. */
static inline uint64_t histogram_mean_up_to(const struct histogram *histogram, uint64_t most)
{
	uint64_t sum = 0;
	for (unsigned class = 0; class < HISTOGRAM_CLASSES && histogram->n != 0; class ++) {
		uint64_t begin = histogram_class_begin(class);
		sum += histogram->counts[class] * (begin < most ? begin : most);
	}
	return histogram->n != 0 ? sum / histogram->n : 0;
}

/* The number below which this share of the numbers is, 0 to 1; of no numbers 0. */
static inline uint64_t histogram_percentile(const struct histogram *histogram, double share)
{
	uint64_t rank = (uint64_t)((double)histogram->n * share), before = 0;
	for (unsigned class = 0; class < HISTOGRAM_CLASSES && histogram->n != 0; class ++) {
		before += histogram->counts[class];
		if (before <= rank && before < histogram->n)
			continue;
		uint64_t begin = histogram_class_begin(class);
		return begin < histogram->least ? histogram->least : begin > histogram->most ? histogram->most : begin;
	}
	return 0;
}

/* How many numbers are below this one, to the class. */
static inline uint64_t histogram_below(const struct histogram *histogram, uint64_t x)
{
	uint64_t n = 0;
	for (unsigned class = 0; histogram->counts != NULL && class < histogram_class(x); class ++)
		n += histogram->counts[class];
	return n;
}

static inline void histogram_free(struct histogram *histogram)
{
	free(histogram->counts);
	*histogram = (struct histogram){0};
}

#endif
