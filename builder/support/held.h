/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The mutexes that a thread holds, or a task that moves between threads, each with a number from 1: of its acquisition, or
 * of its place in a list. Most often these are few. Used by the replay, the graph and the answer; one thread at a time uses
 * a list.
 */
#ifndef OTTER_BUILDER_SUPPORT_HELD_H
#define OTTER_BUILDER_SUPPORT_HELD_H

#include "builder/support/map.h"

#define HELD_NEAR 8

struct held {
	struct held_mutex {
		uint64_t wait_id;
		uint32_t number;
	} near[HELD_NEAR];
	uint32_t n_near;
	struct map far; /* wait id -> number: those for which there was no room */
};

/* Where a mutex's number is, or NULL: it is not held. */
static inline uint32_t *held_find(struct held *held, uint64_t wait_id)
{
	for (uint32_t i = held->n_near; i > 0; i--)
		if (held->near[i - 1].wait_id == wait_id)
			return &held->near[i - 1].number;
	return held->far.n_used != 0 ? map_get(&held->far, wait_id) : NULL;
}

static inline void held_put(struct held *held, uint64_t wait_id, uint32_t number)
{
	uint32_t *found = held_find(held, wait_id);
	if (found != NULL)
		*found = number;
	else if (held->n_near < HELD_NEAR)
		held->near[held->n_near++] = (struct held_mutex){wait_id, number};
	else
		*map_put(&held->far, wait_id) = number;
}

/* Takes a mutex out: its number; 0: it is not held. */
static inline uint32_t held_take(struct held *held, uint64_t wait_id)
{
	const uint32_t *found = held_find(held, wait_id);
	uint32_t number = found != NULL ? *found : 0;
	for (uint32_t i = held->n_near; found != NULL && i > 0; i--)
		if (held->near[i - 1].wait_id == wait_id) {
			held->near[i - 1] = held->near[--held->n_near];
			return number;
		}
	if (found != NULL)
		map_remove(&held->far, wait_id);
	return number;
}

static inline void held_clear(struct held *held)
{
	map_free(&held->far);
	held->n_near = 0;
}

#endif
