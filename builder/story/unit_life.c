/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What ABT_init and ABT_finalize do to units: a life of the library begins, and ends. docs/runtimes.md ("Argobots")
 * describes the quirks that are counted here. Called by units_record() in unit_records.c; one thread.
 */
#include "builder/story/unit_state.h"

/* ABT_init: a new life of the library begins. */
int units_on_begin(struct units *u, uint32_t stream, const struct record *r)
{
	/* Whatever was alive before is gone. */
	for (size_t i = 0; i < u->model->dump->n_streams; i++) {
		if (unit_cut(u, (uint32_t)i, 0, r->time, "unit_without_end") != 0 ||
		    units_end_external(u, (uint32_t)i, r->time) != 0)
			return -1;
		u->streams[i].is_xstream = false;
	}
	u->life++;
	u->n_unfreed = 0;
	u->first_of_life = u->n_units;
	u->is_in_life = true;
	u->streams[stream].is_xstream = true;
	if (units_tell(u, stream, (struct unit_event){.kind = UNIT_EVENT_LIFE_BEGIN, .count = u->life}, r->time) != 0)
		return -1;
	if (r->a == 0)
		return 0;
	uint32_t row = units_new_unit(u, r->a, UNIT_PRIMARY);
	units_note_own(u, stream, row);
	if (u->filling != NULL)
		units_row_to_fill(u, row)->state |= UNIT_SEEN;
	return units_put(u, stream, row, 1, r->time, UNIT_BEGIN);
}

/*
 * ABT_finalize mutes the library first, and then lets the primary's scheduler run what is left in its pools
 * (muted_at_finalize): what became of units that had not ended is not known. Those that 1.1 has below main schedulers
 * are in no pool and never run. In the first pass only.
 */
static void mark_muted(struct units *u)
{
	for (uint32_t row = u->first_of_life; row < u->n_units; row++) {
		const struct unit_now *now = &u->now[row];
		struct work_unit *unit = units_row_to_fill(u, row);
		if (now->state == NOW_ENDED || now->is_freed || !(unit->state & UNIT_CREATED) || (unit->pool == 0 && !now->has_run))
			continue;
		unit->state |= UNIT_MUTED;
		unit_quirk(u, u->is_blind ? "unit_not_whole" : "muted_at_finalize");
	}
}

/*
 * ABT_finalize: the primary unit, its scheduler and external threads end without records of their own
 * (primary_without_end). Nothing else should be running now, but units may be left that are yet to run.
 */
int units_on_end(struct units *u, uint32_t stream, const struct record *r)
{
	for (size_t i = 0; i < u->model->dump->n_streams; i++) {
		struct units_stream *s = &u->streams[i];
		while (s->n > 0) {
			uint32_t top = s->stack[s->n - 1];
			bool is_quiet = top == 0 || (i == stream && s->n <= 2);
			if (!is_quiet)
				unit_repair(u, (uint32_t)i, top, "unit_without_end",
					    "a unit that had ended before the library was finalised");
			struct unit_switch change = {.reason = is_quiet ? UNIT_END : UNIT_STOP_MISSING};
			if (units_leave(u, (uint32_t)i, change, r->time) != 0)
				return -1;
		}
		if (units_end_external(u, (uint32_t)i, r->time) != 0)
			return -1;
		s->is_xstream = false;
	}
	unit_quirk(u, "primary_without_end");
	if (u->filling != NULL)
		mark_muted(u);
	u->is_in_life = false;
	return units_tell(u, stream, (struct unit_event){.kind = UNIT_EVENT_LIFE_END, .count = u->life}, r->time);
}
