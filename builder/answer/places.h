/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where threads waited: how long, and how often, in which state at which construct. Filled in by track.c for each stream,
 * on its thread, and by the account (mutex_turns.c); the other files of this folder, the report and the summary read it.
 */
#ifndef OTTER_BUILDER_ANSWER_PLACES_H
#define OTTER_BUILDER_ANSWER_PLACES_H

#include "builder/model/state.h"
#include "builder/support/map.h"

/* How long, and how often, threads were in a state at a construct: a wait, a mutex, or the runtime at work. */
struct wait_place {
	uint32_t construct;
	enum state state;
	uint64_t ticks, count, longest_ticks;
};

struct wait_places {
	struct wait_place *rows;
	size_t n, capacity;
	struct map row_of; /* construct * STATES + state -> row + 1 */
	size_t latest;     /* the row that was asked for last */
};

/* The row, which is added if it is new; valid until the next row is asked for. */
struct wait_place *places_row(struct wait_places *places, uint32_t construct, enum state state);

/* The row, or NULL. */
const struct wait_place *places_find(const struct wait_places *places, uint32_t construct, enum state state);

/* Threads were in the state so many times, for so long altogether, and no longer than that at once. */
void places_add(struct wait_places *places, uint32_t construct, enum state state, const struct wait_place *more);

void places_free(struct wait_places *places);

#endif
