/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Keeps which mutexes are held on a location, and releases those whose release is among the records that are missing.
 * Runs on one thread at a time for each location.
 */
#include "builder/otf2/location.h"
#include "builder/support/array.h"

#define MANY     16   /* from this number of holds on they are found by their mutex's number */
#define MANY_DUE 1024 /* holds at once, from which on late releases stay late */

/* The link to a hold in the list of its mutex's holds: place + 1 of the latest hold; each has that of the one before it. */
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

/* When another thread acquires the mutex although its release is recorded later. Few at once are looked through often. */
static uint64_t due_of(const struct process *p, const struct location *l, uint32_t lock, uint32_t order)
{
	const struct model *m = p->model;
	if (m->n_late == 0 || l->n_holds >= MANY_DUE)
		return UINT64_MAX;
	const uint32_t *row = map_get(&m->late_releases, (uint64_t)(lock - p->first_lock + 1) << 32 | order);
	return row != NULL ? clock_stamp(p, m->late_ticks[*row - 1]) : UINT64_MAX;
}

struct lock_hold *holds_add(const struct process *p, struct location *l, uint32_t lock, uint32_t order)
{
	uint64_t due = due_of(p, l, lock, order);
	if (due < l->next_due)
		l->next_due = due;
	array_push(l->holds, l->n_holds, l->holds_capacity,
		   (struct lock_hold){.lock = lock, .order = order, .task = l->running, .due = due});
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

int holds_write_release(struct archive *a, struct location *l, uint64_t time, const struct lock_hold *hold)
{
	return archive_check(a, WRITE_EVENT(l, ThreadReleaseLock, NULL, time, OTF2_PARADIGM_OPENMP, hold->lock, hold->order),
			     "writing ThreadReleaseLock");
}

int holds_release_late(struct archive *a, struct location *l)
{
	uint64_t due = l->next_due;
	int rc = 0;
	l->next_due = UINT64_MAX;
	for (uint32_t i = 0; i < l->n_holds; i++) {
		struct lock_hold *hold = &l->holds[i];
		bool is_now = hold->due <= due;
		if (is_now)
			hold->due = UINT64_MAX;
		if (is_now && rc == 0 && hold->depth == 1 && hold->task == l->running) {
			hold->depth = 0;
			rc = holds_write_release(a, l, l->last_time, hold);
		}
		if (hold->due < l->next_due)
			l->next_due = hold->due;
	}
	return rc;
}
