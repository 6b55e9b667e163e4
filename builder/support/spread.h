/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How numbers are spread: counted in classes, each a 32nd of a power of two wide, so that a percentile is within 3 percent
 * of the true one however many numbers there are, and does not depend on their order. One thread.
 */
#ifndef OTTER_BUILDER_SUPPORT_SPREAD_H
#define OTTER_BUILDER_SUPPORT_SPREAD_H

#include "builder/support/memory.h"

#include <stdint.h>

#define SPREAD_BITS    5
#define SPREAD_CLASSES ((64 - SPREAD_BITS + 1) << SPREAD_BITS)

struct spread {
	uint64_t n, sum, least, most;
	uint32_t *counts; /* by class; NULL: there are no numbers */
};

static inline unsigned spread_class(uint64_t x)
{
	/* Below 32, where each number has a class of its own, nothing is shifted. */
	unsigned shift = 63 - (unsigned)__builtin_clzll(x | 1u << SPREAD_BITS) - SPREAD_BITS;
	return (shift << SPREAD_BITS) + (unsigned)(x >> shift);
}

/* The least number of a class. */
static inline uint64_t spread_class_begin(unsigned class)
{
	if (class < 1u << SPREAD_BITS)
		return class;
	unsigned shift = (class >> SPREAD_BITS) - 1;
	return (uint64_t)((class & ((1u << SPREAD_BITS) - 1)) + (1u << SPREAD_BITS)) << shift;
}

static inline void spread_add(struct spread *spread, uint64_t x)
{
	if (spread->counts == NULL) {
		spread->counts = memory_zeroed(SPREAD_CLASSES, sizeof *spread->counts, "percentiles");
		spread->least = x;
	}
	spread->least = x < spread->least ? x : spread->least;
	spread->most = x > spread->most ? x : spread->most;
	spread->n++;
	spread->sum += x;
	spread->counts[spread_class(x)]++;
}

/* The number below which this share of the numbers is, 0 to 1; of no numbers 0. */
static inline uint64_t spread_percentile(const struct spread *spread, double share)
{
	uint64_t rank = (uint64_t)((double)spread->n * share), before = 0;
	for (unsigned class = 0; class < SPREAD_CLASSES && spread->n != 0; class ++) {
		before += spread->counts[class];
		if (before <= rank && before < spread->n)
			continue;
		uint64_t begin = spread_class_begin(class);
		return begin < spread->least ? spread->least : begin > spread->most ? spread->most : begin;
	}
	return 0;
}

/* How many numbers are below this one, to the class. */
static inline uint64_t spread_below(const struct spread *spread, uint64_t x)
{
	uint64_t n = 0;
	for (unsigned class = 0; spread->counts != NULL && class < spread_class(x); class ++)
		n += spread->counts[class];
	return n;
}

static inline void spread_free(struct spread *spread)
{
	free(spread->counts);
	*spread = (struct spread){0};
}

#endif
