/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What it costs to hand out chunks of a loop that are too small. When a thread asks the runtime for its next chunk is not in
 * the records, so it looks like the loop's own work; the recorder counts chunks, and the price of one is a lower bound. Used by
 * answer.c, candidates.c and the lint, on one thread, after the figures are there.
 */
#ifndef OTTER_BUILDER_ANSWER_CHUNKS_H
#define OTTER_BUILDER_ANSWER_CHUNKS_H

#include "builder/answer/answer.h"

struct chunks {
	uint64_t n;                     /* 0: the construct has none that are too small */
	uint64_t own_ticks, cost_ticks; /* what one executes on average, and what of that handing it out costs at least */
};

struct chunks chunks_of(const struct answer *answer, uint32_t construct);

/* Of all constructs: what the threads spent on that. */
uint64_t chunks_ticks(const struct answer *answer);

#endif
