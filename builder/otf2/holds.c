/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Knows which mutexes are held on a location, and releases those whose release is among the records that are missing.
 * Called by locks.c for each acquisition and release, by close.c and events.c where tasks end, and before a gap. On
 * one thread at a time for each location.
 */
#include "builder/otf2/current.h"
#include "builder/otf2/holds.h"
#include "builder/support/array.h"

struct lock_hold *holds_find(struct location *l, uint32_t lock, uint32_t order)
{
	for (uint32_t i = l->n_holds; i > 0; i--)
		if (l->holds[i - 1].lock == lock && l->holds[i - 1].order == order)
			return &l->holds[i - 1];
	return NULL;
}

bool holds_otherwise(const struct location *l, uint32_t lock, uint32_t order)
{
	for (uint32_t i = 0; i < l->n_holds; i++)
		if (l->holds[i].lock == lock && l->holds[i].task == l->running && l->holds[i].order != order)
			return true;
	return false;
}

struct lock_hold *holds_add(struct location *l, uint32_t lock, uint32_t order)
{
	array_reserve((void **)&l->holds, (size_t)l->n_holds + 1, &l->holds_capacity, sizeof *l->holds);
	l->holds[l->n_holds] = (struct lock_hold){lock, order, l->running, 0};
	return &l->holds[l->n_holds++];
}

void holds_remove(struct location *l, struct lock_hold *hold)
{
	*hold = l->holds[--l->n_holds];
}

/* Writes the releases of one hold, by its task. */
static int release(struct archive *a, struct location *l, uint64_t time, struct lock_hold hold)
{
	if (current_require(a, l, time, hold.task) != 0)
		return -1;
	for (uint32_t i = 0; i < hold.depth; i++)
		if (archive_check(a, WRITE_EVENT(l, ThreadReleaseLock, NULL, time, OTF2_PARADIGM_OPENMP, hold.lock, hold.order),
				  "writing ThreadReleaseLock") != 0)
			return -1;
	return 0;
}

int holds_release(struct archive *a, struct location *l, uint64_t time, uint32_t task)
{
	if (l->n_holds == 0 || (task != UNSET && a->is_complete && !model_has_repairs(a->now.model, l->stream)))
		return 0;
	int rc = 0;
	for (uint32_t i = l->n_holds; i > 0 && rc == 0; i--) {
		struct lock_hold hold = l->holds[i - 1];
		if (task != UNSET && hold.task != task)
			continue;
		l->has_holes = true;
		holds_remove(l, &l->holds[i - 1]);
		rc = release(a, l, time, hold);
	}
	return rc;
}
