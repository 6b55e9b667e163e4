/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads that lose their processor and get one again, as the kernel recorded it (dump/switches.h): between a thread's
 * records, in the order of time. Called by replay.c before each record of a stream, and at its end, on the thread that replays the stream.
 */
#include "builder/replay/state.h"

static int visit(struct replay *r, struct stream_state *s, const struct off *off, bool is_off, uint64_t ticks)
{
	/* The stream's own point stays: the late end of a worker (Q3) has the time of its team's join, which may be earlier. */
	struct point at = {s->row, s->thread.task, ticks > s->at.ticks ? ticks : s->at.ticks, s->at.unit};
	return VISIT(r, processor, &at, off->why, is_off);
}

static int tell_until(struct replay *r, struct stream_state *s, uint64_t ticks)
{
	const struct switches_of *of = &r->model->switches.streams[s->row];
	for (; s->next_off < of->n_offs; s->next_off++) {
		const struct off *off = &of->offs[s->next_off];
		if (!s->is_off_processor && off->end_ticks <= s->at.ticks)
			continue;
		if (!s->is_off_processor && (off->begin_ticks >= ticks || visit(r, s, off, true, off->begin_ticks) != 0))
			return off->begin_ticks >= ticks ? 0 : -1;
		s->is_off_processor = true;
		bool is_unknown = off->why == off_why_unknown;
		if (off->end_ticks > ticks && is_unknown)
			return 0; /* it may run there */
		/* The thread has made a record: it has a processor again. The kernel's clock differs from the record's by some ns. */
		if (visit(r, s, off, false, off->end_ticks < ticks ? off->end_ticks : ticks) != 0)
			return -1;
		s->is_off_processor = false;
	}
	return 0;
}

int replay_processor_until(struct replay *r, struct stream_state *s, uint64_t ticks)
{
	const struct switches_of *of = &r->model->switches.streams[s->row];
	int rc = tell_until(r, s, ticks);
	const struct off *next = s->next_off < of->n_offs ? &of->offs[s->next_off] : NULL;
	/* Only where it may run can it still be in one: there is nothing to tell before its end. */
	s->off_ticks = next == NULL ? UINT64_MAX : s->is_off_processor ? next->end_ticks - 1 : next->begin_ticks;
	return rc;
}
