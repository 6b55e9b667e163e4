/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The replay of Argobots' work units: unit.c interprets each record, in the order of time, and this file passes the events on
 * to the visitors. One thread.
 */
#include "builder/argobots/argobots.h"
#include "builder/argobots/unit.h"
#include "builder/replay/state.h"

struct unit_replay {
	struct replay *r;
	struct units units;
	struct unit_visitor {
		const struct unit_ops *ops;
		void *self;
	} * visitors; /* those that take events of units */
	size_t n_visitors;
};

/* Calls one function of every visitor of units: 0, or -1 as soon as a visitor returns it. */
#define VISIT_UNITS(replay, name, ...)                                                                                             \
	({                                                                                                                         \
		int visit_rc = 0;                                                                                                  \
		const struct unit_visitor *visit_v = (replay)->visitors, *visit_end = visit_v + (replay)->n_visitors;              \
		for (; visit_v < visit_end && visit_rc == 0; visit_v++)                                                            \
			if (visit_v->ops->name != NULL)                                                                            \
				visit_rc = visit_v->ops->name(visit_v->self, __VA_ARGS__);                                         \
		visit_rc;                                                                                                          \
	})

/* The library's own units below main schedulers are not shown to visitors. */
static bool is_hidden(const struct unit_replay *u, uint32_t row)
{
	return u->r->model->units[row].kind == UNIT_ROOT;
}

/* Receives the events of the state machine. */
static int emit(void *self, const struct unit_event *e)
{
	struct unit_replay *u = self;
	struct stream_state *s = &u->r->streams[e->stream];
	if (is_hidden(u, e->unit))
		return 0;
	const struct point *at = replay_point(s, e->ticks);
	switch (e->kind) {
	case UNIT_EVENT_LIFE_BEGIN: return VISIT_UNITS(u, unit_life, at, (uint32_t)e->count, true);
	case UNIT_EVENT_LIFE_END: return VISIT_UNITS(u, unit_life, at, (uint32_t)e->count, false);
	case UNIT_EVENT_XSTREAM: return VISIT_UNITS(u, unit_xstream, at, e->handle, e->count);
	case UNIT_EVENT_CREATE: return VISIT_UNITS(u, unit_create, at, e->unit, e->other);
	case UNIT_EVENT_REVIVE: return VISIT_UNITS(u, unit_revive, at, e->unit, e->other);
	case UNIT_EVENT_POLL: return VISIT_UNITS(u, unit_poll, at, e->unit, &e->wait, e->count, e->was_look);
	case UNIT_EVENT_RESUME: return VISIT_UNITS(u, unit_resume, at, e->unit, e->other, &e->wait);
	case UNIT_EVENT_JOIN: return VISIT_UNITS(u, unit_join, at, e->unit, e->other, e->is_first, e->was_look);
	case UNIT_EVENT_FREE: return VISIT_UNITS(u, unit_free, at, e->unit, e->other);
	case UNIT_EVENT_SWITCH:
		if (VISIT_UNITS(u, unit_switch, at, &e->change) != 0)
			return -1;
		s->at.unit = units_current(&u->units, e->stream);
		return 0;
	}
	return 0;
}

static const struct record *next_record(void *self, uint32_t stream)
{
	struct unit_replay *u = self;
	return timeline_peek(&u->r->streams[stream].timeline);
}

const char *argobots_uncut(const struct model *model)
{
	return model->n_units > 0 ? "work units of Argobots" : NULL;
}

bool argobots_replays_in_order(const struct model *model)
{
	return model->n_units > 0;
}

void *argobots_replay_begin(struct replay *r)
{
	if (r->model->n_units == 0)
		return NULL;
	struct unit_replay *u = memory_zeroed(1, sizeof *u, "the replay of work units");
	u->r = r;
	u->visitors = memory_zeroed(r->n_visitors + 1, sizeof *u->visitors, "the replay of work units");
	for (size_t i = 0; i < r->n_visitors; i++) {
		const struct unit_ops *ops = replay_own_ops(&r->visitors[i], PARADIGM_argobots);
		if (ops != NULL)
			u->visitors[u->n_visitors++] = (struct unit_visitor){ops, r->visitors[i].self};
	}
	units_begin(&u->units, r->model, NULL, emit, next_record, u);
	return u;
}

int argobots_replay_record(void *self, struct stream_state *s, const struct record *record)
{
	struct unit_replay *u = self;
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
	if (units_record(&u->units, s->row, &own, more) != 0)
		return -1;
	return kind >= EVENT_unit_begin ? 0 : 1;
}

bool argobots_replay_is_early(void *self, uint32_t stream, const struct record *record)
{
	struct unit_replay *u = self;
	return units_is_early(&u->units, stream, record);
}

int argobots_replay_gap(void *self, struct stream_state *s)
{
	struct unit_replay *u = self;
	return units_gap(&u->units, s->row, s->at.ticks);
}

int argobots_replay_finish(void *self)
{
	struct unit_replay *u = self;
	return units_finish(&u->units);
}

void argobots_replay_end(void *self)
{
	struct unit_replay *u = self;
	units_end(&u->units);
	free(u->visitors);
	free(u);
}
