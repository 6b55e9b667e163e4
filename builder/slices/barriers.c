/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Flows of barriers: from the last slice before a barrier was over, which is that of the last thread to arrive, or of a task
 * that was executed in the barrier, to the next slices of the threads that waited for it. Only a wait that took longer than
 * the barrier itself, from its last slice on, has a flow: so barriers at which the threads arrive together have none.
 * Arrivals are noted by stream, each on its thread; slices_link_barriers() brings them together, on one thread.
 */
#include "builder/slices/slices.h"
#include "builder/support/array.h"
#include "builder/support/sort.h"

#include <stdlib.h>

#define WHAT "barriers"

/* The task leaves a barrier, and is not current yet: the last slice before is known. */
void slices_leave_barrier(struct slices *slices, const struct point *at, const struct scope *scope)
{
	struct slice_stream *s = &slices->streams[at->stream];
	const struct window *window = &slices->m->window;
	bool has_slice = s->last.item != ITEM_NONE && s->last.end_ticks >= scope->enter_ticks;
	if (slices->is_without_flows || !has_slice || !(slices->m->tasks[at->task].flags & task_flags_implicit))
		return;
	array_push(s->arrivals, s->n_arrivals, s->arrivals_capacity,
		   (struct slice_arrival){.region = scope->region,
					  .barrier = scope->ordinal,
					  .item = s->last.item,
					  .ordinal = s->last.ordinal,
					  .begin_ticks = window_clip(window, s->last.begin_ticks),
					  .end_ticks = window_clip(window, s->last.end_ticks),
					  .next_ticks = UINT64_MAX,
					  .enter_ticks = scope->enter_ticks,
					  .leave_ticks = at->ticks,
					  .construct = slices_barrier_construct(slices, s)});
	s->barrier.task = at->task;
	s->barrier.row = (uint32_t)s->n_arrivals;
	s->barrier.ticks = s->last_ticks;
}

/* After the barrier at the end of a region, workers have nothing to resume; the primary thread resumes what follows the region. */
void slices_end_member(struct slices *slices, const struct point *at, uint32_t task)
{
	struct slice_stream *s = &slices->streams[at->stream];
	if (s->barrier.task != task)
		return;
	s->barrier.joined = slices->m->tasks[task].thread == 0 ? s->barrier.row : 0;
	s->barrier.task = 0;
}

void slices_leave_region(struct slices *slices, const struct point *at, uint32_t region)
{
	struct slice_stream *s = &slices->streams[at->stream];
	uint32_t row = s->barrier.joined;
	if (row == 0 || s->arrivals[row - 1].region != region || slices->m->regions[region].task != at->task)
		return;
	s->barrier.task = at->task;
	s->barrier.row = row;
	s->barrier.ticks = s->last_ticks;
	s->barrier.joined = 0;
}

/* The open slice will be in the log: links it to the barrier that it follows. */
void slices_go_on(const struct slices *slices, struct slice_stream *s)
{
	if (s->barrier.task != 0 && s->barrier.task == s->item && s->barrier.ticks == s->begin_ticks) {
		s->arrival = s->barrier.row;
		s->arrivals[s->arrival - 1].next_ticks = window_clip(&slices->m->window, s->begin_ticks);
	}
	s->barrier.task = 0;
}

/* ---- When all arrivals are known ---- */

static int by_barrier(const void *left, const void *right)
{
	const struct slice_arrival *l = *(struct slice_arrival *const *)left, *r = *(struct slice_arrival *const *)right;
	return cmp(l->region, r->region) ?: cmp(l->barrier, r->barrier) ?: cmp(l, r);
}

/* Links the arrivals at one barrier. */
static void link_barrier(const struct slices *slices, struct slice_arrival *const *members, size_t n)
{
	struct slice_arrival *last = members[0];
	for (size_t i = 1; i < n; i++)
		if (members[i]->end_ticks > last->end_ticks)
			last = members[i];
	for (size_t i = 0; i < n; i++) {
		struct slice_arrival *member = members[i];
		if (member->end_ticks < last->end_ticks)
			member->latest = (uint32_t)(last - slices->arrivals) + 1;
		bool goes_on = member->next_ticks != UINT64_MAX && member->next_ticks >= last->end_ticks;
		if (!goes_on || last->end_ticks - member->end_ticks <= member->next_ticks - last->end_ticks)
			continue;
		member->waker = (uint32_t)(last - slices->arrivals) + 1;
		member->next = last->first;
		last->first = (uint32_t)(member - slices->arrivals) + 1;
	}
}

void slices_link_barriers(struct slices *slices)
{
	size_t n_streams = slices->trace->dump.n_streams, n = 0;
	slices->first_arrival = memory_zeroed(n_streams + 1, sizeof *slices->first_arrival, WHAT);
	for (size_t i = 0; i < n_streams; i++) {
		n += slices->streams[i].n_arrivals;
		slices->first_arrival[i + 1] = (uint32_t)n;
	}
	if (n == 0)
		return;
	slices->arrivals = memory_get(n, sizeof *slices->arrivals, WHAT);
	struct slice_arrival **sorted = memory_get(n, sizeof *sorted, WHAT);
	for (size_t i = 0; i < n_streams; i++) {
		struct slice_stream *s = &slices->streams[i];
		for (size_t j = 0; j < s->n_arrivals; j++)
			slices->arrivals[slices->first_arrival[i] + j] = s->arrivals[j];
		free(s->arrivals);
		s->arrivals = NULL;
	}
	for (size_t i = 0; i < n; i++)
		sorted[i] = &slices->arrivals[i];
	sort_array(sorted, n, by_barrier);
	for (size_t first = 0, end; first < n; first = end) {
		for (end = first + 1; end < n && sorted[end]->region == sorted[first]->region; end++)
			if (sorted[end]->barrier != sorted[first]->barrier)
				break;
		link_barrier(slices, &sorted[first], end - first);
	}
	free(sorted);
}

bool slices_has_release(const struct slices *slices, uint32_t row)
{
	const struct slice_arrival *arrival = &slices->arrivals[row];
	if (arrival->waker == 0)
		return false;
	uint64_t begin_ticks = slices->arrivals[arrival->waker - 1].begin_ticks;
	return slices_file(slices, begin_ticks) == slices_file(slices, arrival->next_ticks);
}
