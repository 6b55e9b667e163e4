/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What begins and ends units: records of creations and revivals, each of which adds a row; and ABT_init and ABT_finalize, with
 * which a life of the library begins and ends, and their effects on units. docs/runtimes.md ("Argobots") describes the quirks
 * that are counted here. One thread.
 */
#include "builder/argobots/unit_state.h"

#include <string.h>

/* ---- Creations and revivals ---- */

/* Does the address lie in Argobots' own code? */
static bool is_in_library(const struct model *m, uint64_t address)
{
	const struct meta *meta = &m->dump->meta;
	const struct meta_map *own = meta_find_map(meta, meta->argobots_code), *map = meta_find_map(meta, address);
	return own != NULL && map != NULL && strcmp(own->path, meta->program) != 0 && strcmp(own->path, map->path) == 0;
}

/* Sets what the record of its creation or revival says about a new run. */
static void fill_created(struct units *u, uint32_t stream, uint32_t row, uint32_t creator, const struct record *r,
			 const struct record *more)
{
	struct work_unit *unit = units_row_to_fill(u, row);
	unit->state |= UNIT_SEEN | UNIT_CREATED;
	unit->pool = unit->last_pool = record_value(r) << 3;
	unit->create_ticks = r->time;
	unit->create_stream = stream;
	unit->creator = creator;
	if (more == NULL) /* it is missing, which was counted as repair cut_group */
		return;
	uint64_t bytes = record_value(more);
	unit->stack_bytes = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
	unit->kind = is_in_library(u->model, more->a) ? UNIT_SCHEDULER : bytes == 0 ? UNIT_TASKLET : UNIT_ULT;
	enum construct_kind kind = unit->kind == UNIT_SCHEDULER ? CONSTRUCT_SCHEDULER
				   : bytes == 0                 ? CONSTRUCT_TASKLET
								: CONSTRUCT_UNIT;
	unit->construct = model_construct(u->filling, kind, more->a);
}

int units_on_create(struct units *u, uint32_t stream, const struct record *r, const struct record *more)
{
	const uint32_t *found = map_get(&u->alive, r->a);
	uint32_t old = found != NULL ? *found : 0, creator;
	if (old != 0 && u->now[old].state == NOW_RUNNING && !units_is_gone(u, old) &&
	    unit_cut(u, u->now[old].stream, 0, r->time, "unit_without_stop") != 0)
		return -1;
	if (old != 0 && !units_is_gone(u, old))
		unit_repair(u, stream, old, "unit_without_free", "a unit that had been freed, because its handle is used again");
	if (units_actor(u, stream, r->b, r->time, &creator) != 0)
		return -1;
	uint32_t row = units_new_unit(u, r->a, UNIT_UNKNOWN);
	u->n_unfreed += old == 0 || units_is_gone(u, old);
	if (u->filling != NULL)
		fill_created(u, stream, row, creator, r, more);
	if (r->b == 0 && creator != 0 && units_row(u, creator)->kind != UNIT_EXTERNAL)
		unit_quirk(u, "creator_not_named");
	return units_emit(u, stream, (struct unit_event){.kind = UNIT_EVENT_CREATE, .unit = row, .other = creator}, r->time);
}

int units_on_revive(struct units *u, uint32_t stream, const struct record *r, const struct record *more)
{
	uint32_t creator, before = units_subject(u, stream, r->a, false);
	if (units_actor(u, stream, r->b, r->time, &creator) != 0)
		return -1;
	if (u->now[before].state != NOW_ENDED) {
		unit_repair(u, stream, before, "revived_before_end", "a unit that had ended");
		if (u->now[before].state == NOW_RUNNING && unit_cut(u, u->now[before].stream, 0, r->time, NULL) != 0)
			return -1;
	}
	uint32_t row = units_new_row(u, r->a, UNIT_UNKNOWN);
	*map_put(&u->alive, r->a) = row;
	if (u->filling != NULL) {
		struct work_unit *unit = units_row_to_fill(u, row);
		unit->before = before;
		unit->first = units_row(u, before)->first;
		unit->generation = units_row(u, before)->generation;
		unit->ordinal = units_row(u, before)->ordinal + 1;
		fill_created(u, stream, row, creator, r, more);
	}
	return units_emit(u, stream, (struct unit_event){.kind = UNIT_EVENT_REVIVE, .unit = row, .other = creator}, r->time);
}

int units_on_spawn(struct units *u, uint32_t stream, const struct record *r)
{
	const struct record more = {.head = record_head(EVENT_unit_more, 0, (uint64_t)record_flags(r) << 10), .a = r->b};
	struct record create = *r;
	create.b = units_row(u, units_current(u, stream))->handle;
	return units_on_create(u, stream, &create, &more);
}

/* ---- Lives of the library ---- */

/* ABT_init: a new life of the library begins. */
int units_on_begin(struct units *u, uint32_t stream, const struct record *r)
{
	/* All units that were alive before are gone. */
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
	if (units_emit(u, stream, (struct unit_event){.kind = UNIT_EVENT_LIFE_BEGIN, .count = u->life}, r->time) != 0)
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
 * (primary_without_end). No other unit should be running now, but some may be left that have not run yet.
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
	return units_emit(u, stream, (struct unit_event){.kind = UNIT_EVENT_LIFE_END, .count = u->life}, r->time);
}
