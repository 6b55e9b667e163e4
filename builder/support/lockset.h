/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The mutexes that a thread holds, or a task that moves between threads, each with a number from 1: of its acquisition, or
 * of its place in a list. Most often these are few. One thread at a time uses a list.
 */
#ifndef OTTER_BUILDER_SUPPORT_LOCKSET_H
#define OTTER_BUILDER_SUPPORT_LOCKSET_H

#include "builder/support/map.h"

#define LOCKSET_NEAR 8

struct lockset {
	struct lockset_mutex {
		uint64_t wait_id;
		uint32_t number;
	} near[LOCKSET_NEAR];
	uint32_t n_near;
	struct map far; /* wait id -> number: those for which there was no room */
};

/* Where a mutex's number is, or NULL: it is not held. */
static inline uint32_t *lockset_find(struct lockset *lockset, uint64_t wait_id)
{
	for (uint32_t i = lockset->n_near; i > 0; i--)
		if (lockset->near[i - 1].wait_id == wait_id)
			return &lockset->near[i - 1].number;
	return lockset->far.n_used != 0 ? map_get(&lockset->far, wait_id) : NULL;
}

static inline void lockset_put(struct lockset *lockset, uint64_t wait_id, uint32_t number)
{
	uint32_t *found = lockset_find(lockset, wait_id);
	if (found != NULL)
		*found = number;
	else if (lockset->n_near < LOCKSET_NEAR)
		lockset->near[lockset->n_near++] = (struct lockset_mutex){wait_id, number};
	else
		*map_put(&lockset->far, wait_id) = number;
}

/* Takes a mutex out: its number; 0: it is not held. */
static inline uint32_t lockset_take(struct lockset *lockset, uint64_t wait_id)
{
	const uint32_t *found = lockset_find(lockset, wait_id);
	uint32_t number = found != NULL ? *found : 0;
	for (uint32_t i = lockset->n_near; found != NULL && i > 0; i--)
		if (lockset->near[i - 1].wait_id == wait_id) {
			lockset->near[i - 1] = lockset->near[--lockset->n_near];
			return number;
		}
	if (found != NULL)
		map_remove(&lockset->far, wait_id);
	return number;
}

static inline void lockset_clear(struct lockset *lockset)
{
	map_free(&lockset->far);
	lockset->n_near = 0;
}

#endif
