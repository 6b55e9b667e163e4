/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What mutual exclusion alone costs: for each mutex the time that tasks executed or were blocked while they held it. No
 * two of them can hold it at once, so no schedule takes less than the largest of these sums (docs/graph.md, "The critical
 * path").
 */
#ifndef OTTER_BUILDER_STATES_EXCLUSION_H
#define OTTER_BUILDER_STATES_EXCLUSION_H

#include "builder/replay/replay.h"

/* A mutex: a lock, the critical constructs of one name, an ordered loop, an atomic that the runtime reports. */
struct exclusion {
	uint32_t construct; /* row: that of the first acquisition with a label */
	unsigned kind;      /* mutex_kind of the first acquisition */
	uint64_t n, ticks;  /* how often it was held, and how long its holders executed or were blocked meanwhile */
};

struct exclusions {
	struct exclusion *rows;
	size_t n_rows, rows_capacity;
	struct map row_of;  /* wait id -> row + 1 */
	struct map hold_of; /* row << 32 | task -> place in `holds`, while the task holds it */
	uint64_t *holds;    /* how long the task had executed and been blocked when it got it */
	size_t n_holds, holds_capacity;
};

/* Visits a replay after states_ops; `self` is the same struct states. */
extern const struct replay_ops exclusion_ops;

void exclusions_free(struct exclusions *exclusions);

/* The mutex whose time is the longest, or NULL: none was held twice, and one that was held once excludes nobody. */
const struct exclusion *exclusions_longest(const struct exclusions *exclusions);

#endif
