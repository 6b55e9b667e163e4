/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Knows which mutexes are held on a location, and releases those whose release is among the records that are missing.
 * Called by locks.c for each acquisition and release, by close.c and events.c where tasks end, and before a gap. On
 * one thread at a time for each location.
 */
#include "builder/otf2/current.h"
#include "builder/otf2/holds.h"
#include "builder/support/array.h"

#define MANY 16 /* holds; from so many on they are found by their mutex's number */

/* The place of the link to a hold in the list of those of its mutex: place + 1 of the latest, each has that of the one before. */
static uint32_t *link_to(struct location *l, uint32_t lock, uint32_t place)
{
	uint32_t *link = map_put(&l->hold_of, lock);
	while (*link != 0 && *link != place + 1)
		link = &l->holds[*link - 1].before;
	return link;
}

static void index_hold(struct location *l, uint32_t place)
{
	uint32_t *latest = map_put(&l->hold_of, l->holds[place].lock);
	l->holds[place].before = *latest;
	*latest = place + 1;
}

/* The latest hold of the mutex that is at or before the end of the first n; place + 1, 0: none. */
static uint32_t find(const struct location *l, uint32_t lock, uint32_t n)
{
	while (n > 0 && l->holds[n - 1].lock != lock)
		n--;
	return n;
}

static uint32_t latest_of(const struct location *l, uint32_t lock)
{
	const uint32_t *latest = l->hold_of.n_slots != 0 ? map_get(&l->hold_of, lock) : NULL;
	return l->hold_of.n_slots == 0 ? find(l, lock, l->n_holds) : latest != NULL ? *latest : 0;
}

static uint32_t before(const struct location *l, uint32_t i)
{
	return l->hold_of.n_slots == 0 ? find(l, l->holds[i - 1].lock, i - 1) : l->holds[i - 1].before;
}

struct lock_hold *holds_find(struct location *l, uint32_t lock, uint32_t order)
{
	for (uint32_t i = latest_of(l, lock); i > 0; i = before(l, i))
		if (l->holds[i - 1].order == order)
			return &l->holds[i - 1];
	return NULL;
}

bool holds_otherwise(const struct location *l, uint32_t lock, uint32_t order)
{
	for (uint32_t i = latest_of(l, lock); i > 0; i = before(l, i))
		if (l->holds[i - 1].task == l->running && l->holds[i - 1].order != order)
			return true;
	return false;
}

struct lock_hold *holds_add(struct location *l, uint32_t lock, uint32_t order)
{
	array_reserve((void **)&l->holds, (size_t)l->n_holds + 1, &l->holds_capacity, sizeof *l->holds);
	l->holds[l->n_holds] = (struct lock_hold){.lock = lock, .order = order, .task = l->running};
	l->n_holds++;
	if (l->hold_of.n_slots != 0)
		index_hold(l, l->n_holds - 1);
	else if (l->n_holds == MANY)
		for (uint32_t i = 0; i < MANY; i++)
			index_hold(l, i);
	return &l->holds[l->n_holds - 1];
}

void holds_remove(struct location *l, struct lock_hold *hold)
{
	uint32_t place = (uint32_t)(hold - l->holds), last = --l->n_holds;
	if (l->hold_of.n_slots == 0) {
		*hold = l->holds[last];
		return;
	}
	*link_to(l, hold->lock, place) = hold->before;
	if (*map_put(&l->hold_of, hold->lock) == 0)
		map_remove(&l->hold_of, hold->lock);
	if (place != last) {
		*link_to(l, l->holds[last].lock, last) = place + 1;
		*hold = l->holds[last];
	}
	if (l->n_holds == 0)
		map_free(&l->hold_of);
}

/* Writes the releases of one hold, by its task. */
static int release(struct archive *a, struct location *l, uint64_t time, struct lock_hold hold)
{
	/* What was taken between a task that has ended and the next one, any task may release. */
	if (current_require(a, l, time, hold.task != UNSET ? hold.task : 0) != 0)
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
