/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The replay of Argobots' work units: story/unit.c tells what each record means, and this file passes it on to the
 * visitors. Called by replay.c for each record, in the order of time; one thread.
 */
#include "builder/replay/state.h"

/* The library's own units below main schedulers are not shown to visitors. */
static bool is_hidden(const struct replay *r, uint32_t row)
{
	return r->model->units[row].kind == UNIT_ROOT;
}

/* Receives the events of the story. */
static int tell(void *self, const struct unit_event *e)
{
	struct replay *r = self;
	struct stream_state *s = &r->streams[e->stream];
	if (is_hidden(r, e->unit))
		return 0;
	const struct point *at = replay_point(s, e->ticks);
	switch (e->kind) {
	case UNIT_EVENT_LIFE_BEGIN: return VISIT(r, unit_life, at, (uint32_t)e->count, true);
	case UNIT_EVENT_LIFE_END: return VISIT(r, unit_life, at, (uint32_t)e->count, false);
	case UNIT_EVENT_XSTREAM: return VISIT(r, unit_xstream, at, e->handle, e->count);
	case UNIT_EVENT_CREATE: return VISIT(r, unit_create, at, e->unit, e->other);
	case UNIT_EVENT_REVIVE: return VISIT(r, unit_revive, at, e->unit, e->other);
	case UNIT_EVENT_POLL: return VISIT(r, unit_poll, at, e->unit, &e->wait, e->count, e->was_look);
	case UNIT_EVENT_RESUME: return VISIT(r, unit_resume, at, e->unit, e->other, &e->wait);
	case UNIT_EVENT_JOIN: return VISIT(r, unit_join, at, e->unit, e->other, e->is_first, e->was_look);
	case UNIT_EVENT_FREE: return VISIT(r, unit_free, at, e->unit, e->other);
	case UNIT_EVENT_SWITCH:
		if (VISIT(r, unit_switch, at, &e->change) != 0)
			return -1;
		s->at.unit = units_current(&r->units, e->stream);
		return 0;
	}
	return 0;
}

static const struct record *next_record(void *self, uint32_t stream)
{
	struct replay *r = self;
	return timeline_peek(&r->streams[stream].timeline);
}

void replay_unit_begin(struct replay *r)
{
	if (r->model->n_units > 0)
		units_begin(&r->units, r->model, NULL, tell, next_record, r);
}

int replay_unit_record(struct replay *r, struct stream_state *s, const struct record *record)
{
	unsigned kind = record_kind(record);
	if (!units_is_of_interest(kind))
		return 1;
	/* A copy, because looking at the next record may overwrite a record whose time was mended (timeline.h). */
	const struct record own = *record;
	const struct record *more = NULL;
	if (record_continuations(record) > 0) {
		more = timeline_peek(&s->timeline);
		if (more != NULL && (cursor_at_gap(&s->timeline.cursor) || record_kind(more) != EVENT_unit_more))
			more = NULL;
	}
	if (units_record(&r->units, s->row, &own, more) != 0)
		return -1;
	return kind >= EVENT_unit_begin ? 0 : 1;
}

int replay_unit_gap(struct replay *r, struct stream_state *s)
{
	return r->model->n_units > 0 ? units_gap(&r->units, s->row, s->at.ticks) : 0;
}

int replay_unit_finish(struct replay *r)
{
	return r->model->n_units > 0 ? units_finish(&r->units) : 0;
}
