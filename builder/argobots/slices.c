/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Flows to units of Argobots that have waited: from the unit that ended to its joiner, if the joiner did not run at that time;
 * and from the slice of the unit that released another one (set an eventual, unlocked a mutex) to the next slice of that one.
 * Streams with units are replayed together, on one thread, and so is link_releases().
 */
#include "builder/argobots/argobots.h"
#include "builder/slices/slices.h"
#include "builder/support/array.h"
#include "builder/support/sort.h"

#include <stdlib.h>

#define WHAT "units that waited"

static void resume(struct slices *slices, const struct point *at, uint32_t unit, uint32_t waker)
{
	const struct slice_stream *s = &slices->streams[at->stream];
	uint32_t n_tasks = slices->m->n_tasks;
	bool has_slice = waker != 0 && waker != unit && s->item == n_tasks + waker && s->is_settled;
	slices->resumed[unit] = 0;
	if (slices->is_without_flows || !has_slice)
		return;
	array_push(slices->releases, slices->n_releases, slices->releases_capacity,
		   (struct slice_release){.stream = at->stream,
					  .item = s->item,
					  .ordinal = s->ordinal,
					  .begin_ticks = window_clip(&slices->m->window, s->begin_ticks),
					  .next_ticks = UINT64_MAX});
	slices->resumed[unit] = (uint32_t)slices->n_releases;
}

/* A slice of the unit is in the log. */
static void go_on(struct slices *slices, struct slice_stream *s, uint32_t unit)
{
	uint32_t row = slices->resumed[unit];
	if (row == 0)
		return;
	slices->resumed[unit] = 0;
	slices->releases[row - 1].next_ticks = window_clip(&slices->m->window, s->begin_ticks);
	s->release = row;
}

/* Adds one flow for each unit, to its first joiner. */
static void join(struct slices *slices, const struct point *at, uint32_t unit, uint32_t joiner)
{
	struct slice_stream *s = &slices->streams[at->stream];
	uint32_t n_tasks = slices->m->n_tasks, item = n_tasks + unit;
	const struct work_unit *joined = &slices->m->units[unit];
	bool goes_on = joiner == at->unit && joiner != unit && s->item == n_tasks + joiner && s->is_settled && !s->is_written;
	if (slices->is_without_flows || !goes_on || s->wait != 0 || slices->n_slices[item] == 0 ||
	    slices->flags[item] & SLICE_IS_JOINED)
		return;
	bool has_waited = joined->end_ticks >= slices->stopped[joiner] && joined->end_ticks <= s->begin_ticks;
	if (!(joined->state & UNIT_ENDED) || !has_waited || s->ordinal == 0)
		return;
	array_push(s->waits, s->n_waits, s->waits_capacity,
		   (struct slice_wait){0, item, slices->stopped[joiner], s->begin_ticks, s->begin_ticks, 0});
	s->wait = (uint32_t)s->n_waits;
	slices->flags[item] |= SLICE_IS_JOINED;
}

static int unit_create(void *self, const struct point *at, uint32_t unit, uint32_t creator)
{
	struct slices *slices = self;
	(void)creator;
	return slices_catch_up(slices, at) != 0 ? -1 : slices_start(slices, at, slices->m->n_tasks + unit);
}

static int unit_resume(void *self, const struct point *at, uint32_t unit, uint32_t waker, const struct unit_wait *wait)
{
	if (slices_catch_up(self, at) != 0)
		return -1;
	if (!unit_sync_joins(wait->sync)) /* a unit's end is reported by its join */
		resume(self, at, unit, waker);
	return 0;
}

static int unit_join(void *self, const struct point *at, uint32_t unit, uint32_t joiner, bool is_first, bool was_look)
{
	(void)was_look;
	if (slices_catch_up(self, at) != 0)
		return -1;
	if (is_first)
		join(self, at, unit, joiner);
	return 0;
}

static int unit_switch(void *self, const struct point *at, const struct unit_switch *change)
{
	(void)change;
	return slices_catch_up(self, at);
}

const struct unit_ops argobots_slices_ops = {
	.unit_create = unit_create,
	.unit_revive = unit_create,
	.unit_switch = unit_switch,
	.unit_resume = unit_resume,
	.unit_join = unit_join,
};

static int by_slice(const void *left, const void *right, void *releases)
{
	const struct slice_release *rows = releases, *l = &rows[*(const uint32_t *)left], *r = &rows[*(const uint32_t *)right];
	return cmp(l->stream, r->stream) ?: cmp(l->begin_ticks, r->begin_ticks) ?: cmp(l, r);
}

/* Sorts the releases by the slices in which they begin. */
static void link_releases(struct slices *slices)
{
	size_t n = slices->n_releases;
	if (n == 0)
		return;
	slices->release_order = memory_get(n, sizeof *slices->release_order, WHAT);
	for (size_t i = 0; i < n; i++)
		slices->release_order[i] = (uint32_t)i;
	sort_array_r(slices->release_order, n, by_slice, slices->releases);
}

const struct slices_unit_hooks argobots_slices = {.go_on = go_on, .link = link_releases};
