/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Flows to units of Argobots that have waited: from the unit that ended to the one that joined it, if that one did not run when
 * the other one ended; and from the slice of who let a unit go on (set an eventual, unlocked a mutex) to what that unit does next.
 * Streams with units are replayed together, on one thread, and so is slices_link_units().
 */
#include "builder/slices/slices.h"
#include "builder/support/array.h"

#include <stdlib.h>

#define WHAT "units that waited"

void slices_resume_unit(struct slices *slices, const struct point *at, uint32_t unit, uint32_t waker)
{
	const struct slice_stream *s = &slices->streams[at->stream];
	uint32_t n_tasks = slices->m->n_tasks;
	bool has_slice = waker != 0 && waker != unit && s->item == n_tasks + waker && s->is_settled;
	slices->resumed[unit] = 0;
	if (slices->is_without_flows || !has_slice)
		return;
	array_reserve((void **)&slices->releases, slices->n_releases + 1, &slices->releases_capacity, sizeof *slices->releases);
	slices->releases[slices->n_releases++] =
		(struct slice_release){.stream = at->stream,
				       .item = s->item,
				       .ordinal = s->ordinal,
				       .begin_ticks = window_clip(&slices->m->window, s->begin_ticks),
				       .next_ticks = UINT64_MAX};
	slices->resumed[unit] = (uint32_t)slices->n_releases;
}

/* A slice of the unit is in the log. */
void slices_go_on_unit(struct slices *slices, struct slice_stream *s, uint32_t unit)
{
	uint32_t row = slices->resumed[unit];
	if (row == 0)
		return;
	slices->resumed[unit] = 0;
	slices->releases[row - 1].next_ticks = window_clip(&slices->m->window, s->begin_ticks);
	s->release = row;
}

/* One flow for each unit, to whom joins it first. */
void slices_join_unit(struct slices *slices, const struct point *at, uint32_t unit, uint32_t joiner)
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
	array_reserve((void **)&s->waits, s->n_waits + 1, &s->waits_capacity, sizeof *s->waits);
	s->waits[s->n_waits++] = (struct slice_wait){0, item, slices->stopped[joiner], s->begin_ticks, s->begin_ticks};
	s->wait = (uint32_t)s->n_waits;
	slices->flags[item] |= SLICE_IS_JOINED;
}

static int by_slice(const void *left, const void *right, void *releases)
{
	const struct slice_release *rows = releases, *l = &rows[*(const uint32_t *)left], *r = &rows[*(const uint32_t *)right];
	if (l->stream != r->stream)
		return l->stream < r->stream ? -1 : 1;
	if (l->begin_ticks != r->begin_ticks)
		return l->begin_ticks < r->begin_ticks ? -1 : 1;
	return l < r ? -1 : l > r;
}

/* Brings them into the order of the slices that they begin in. */
void slices_link_units(struct slices *slices)
{
	size_t n = slices->n_releases;
	if (n == 0)
		return;
	slices->release_order = memory_get(n, sizeof *slices->release_order, WHAT);
	for (size_t i = 0; i < n; i++)
		slices->release_order[i] = (uint32_t)i;
	qsort_r(slices->release_order, n, sizeof *slices->release_order, by_slice, slices->releases);
}

bool slices_has_resume(const struct slices *slices, uint32_t row)
{
	const struct slice_release *release = &slices->releases[row];
	return release->next_ticks != UINT64_MAX &&
	       slices_file(slices, release->begin_ticks) == slices_file(slices, release->next_ticks);
}

/* The first place in release_order whose slice is on the stream, and begins then or later. */
size_t slices_find_release(const struct slices *slices, uint32_t stream, uint64_t begin_ticks)
{
	size_t low = 0, high = slices->release_order != NULL ? slices->n_releases : 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct slice_release *release = &slices->releases[slices->release_order[middle]];
		if (release->stream < stream || (release->stream == stream && release->begin_ticks < begin_ticks))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
