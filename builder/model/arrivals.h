/* SPDX-License-Identifier: BSD-3-Clause
 *
 * When the threads of a team came to its barriers. gather/ notes each arrival; builder/states/ asks since when nobody
 * was missing. One thread.
 */
#ifndef OTTER_BUILDER_MODEL_ARRIVALS_H
#define OTTER_BUILDER_MODEL_ARRIVALS_H

#include "builder/support/array.h"
#include "builder/support/map.h"

struct arrivals {
	struct map rows; /* region << 32 | number of the barrier in each member, from 1 -> row + 1 */
	struct arrival {
		uint64_t last_ticks;
		uint32_t n; /* members that have come */
	} * barriers;
	size_t n, capacity;
};

/* A member of the region's team comes to its barrier with this number. */
static inline void arrivals_note(struct arrivals *a, uint32_t region, uint32_t number, uint64_t ticks)
{
	uint32_t *row = map_put(&a->rows, (uint64_t)region << 32 | number);
	if (*row == 0) {
		array_reserve((void **)&a->barriers, a->n + 1, &a->capacity, sizeof *a->barriers);
		a->barriers[a->n++] = (struct arrival){0, 0};
		*row = (uint32_t)a->n;
	}
	struct arrival *barrier = &a->barriers[*row - 1];
	barrier->n++;
	if (ticks > barrier->last_ticks)
		barrier->last_ticks = ticks;
}

/* When the last of n_members came, UINT64_MAX: not all are known to have come. */
static inline uint64_t arrivals_last(const struct arrivals *a, uint32_t region, uint32_t number, uint32_t n_members)
{
	const uint32_t *row = map_get(&a->rows, (uint64_t)region << 32 | number);
	return row != NULL && a->barriers[*row - 1].n >= n_members ? a->barriers[*row - 1].last_ticks : UINT64_MAX;
}

static inline void arrivals_free(struct arrivals *a)
{
	map_free(&a->rows);
	free(a->barriers);
	*a = (struct arrivals){0};
}

#endif
