/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fills the table of Argobots' work units, in a pass of its own over the records of all streams in the order of time, because
 * only that order shows which unit a handle means (unit.h). Dumps without such records need no such pass. One thread.
 */
#include "builder/argobots/argobots.h"
#include "builder/argobots/unit.h"
#include "builder/support/array.h"
#include "builder/dump/merge.h"
#include "builder/model/tables.h"

struct unit_walk {
	struct model *m;
	struct units units;
	struct unit_walk_stream {
		struct timeline timeline;
		uint64_t last_ticks;
		uint64_t since_ticks; /* when `unit` became current */
		uint32_t unit;        /* row of the current unit, 0 none or unknown */
		uint32_t rank;        /* rank of the execution stream that the thread is; UINT32_MAX unknown */
		bool has_begun;
	} * streams;
	uint64_t *ready_ticks; /* by row of model.units: since when it can run; 0: it cannot, or this is not known */
	size_t ready_capacity;
};

/* The unit can run from now on; its row may be new. */
static void note_ready(struct unit_walk *w, uint32_t row, uint64_t ticks)
{
	size_t before = w->ready_capacity;
	array_reserve(w->ready_ticks, (size_t)row + 1, w->ready_capacity);
	for (size_t i = before; i < w->ready_capacity; i++)
		w->ready_ticks[i] = 0;
	w->ready_ticks[row] = ticks;
}

/* The unit runs from now on. */
static void note_run(struct unit_walk *w, uint32_t row, const struct unit_event *e)
{
	struct work_unit *unit = &w->m->units[row];
	unit->n_runs++;
	if (row < w->ready_capacity && w->ready_ticks[row] != 0) {
		if (e->ticks > w->ready_ticks[row])
			unit->queued_ticks += e->ticks - w->ready_ticks[row];
		w->ready_ticks[row] = 0;
	}
	if (!(unit->state & UNIT_STARTED)) {
		unit->state |= UNIT_STARTED;
		unit->start_ticks = e->ticks;
		unit->run_stream = e->stream;
		unit->depth = (uint8_t)(e->change.depth < UINT8_MAX ? e->change.depth : UINT8_MAX);
	} else if (unit->last_stream != e->stream) {
		unit->n_moves++;
		unit->state |= UNIT_MIGRATED;
	}
	unit->last_stream = e->stream;
	if (unit->kind == UNIT_EXTERNAL)
		return;
	unit->last_rank = w->streams[e->stream].rank;
	if (unit->n_runs == 1)
		unit->run_rank = unit->last_rank;
}

/*
 * The record says which execution stream the thread is. It may come after the unit that runs there has begun, if the
 * record of its run is missing: then that unit's rank is set now.
 */
static void note_xstream(struct unit_walk *w, const struct unit_event *e)
{
	struct unit_walk_stream *s = &w->streams[e->stream];
	struct work_unit *unit = &w->m->units[s->unit];
	s->rank = e->count < UINT32_MAX ? (uint32_t)e->count : UINT32_MAX;
	if (s->unit == 0 || unit->kind == UNIT_EXTERNAL || unit->last_rank != UINT32_MAX)
		return;
	unit->last_rank = s->rank;
	if (unit->n_runs == 1)
		unit->run_rank = s->rank;
}

/*
 * The current unit of the stream has run until now: it worked, or it waited. Where it polls for another unit's end it
 * can only have waited; between two polls for a mutex it may have had the mutex, too, as 1.1 does not report that.
 */
static void add_time(struct unit_walk *w, const struct unit_event *e, bool has_waited, bool is_known)
{
	struct unit_walk_stream *s = &w->streams[e->stream];
	struct work_unit *unit = &w->m->units[s->unit];
	if (has_waited && s->unit != 0 && e->ticks > s->since_ticks)
		unit->wait_ticks += e->ticks - s->since_ticks;
	if (has_waited && !is_known)
		unit->state |= UNIT_MAY_WAIT;
	s->since_ticks = e->ticks;
}

/* The unit has stopped and run again, often, with nothing else in between. */
static void note_polls(struct unit_walk *w, const struct unit_event *e)
{
	struct work_unit *unit = &w->m->units[e->unit];
	if (w->streams[e->stream].unit == e->unit)
		add_time(w, e, e->was_look, unit_sync_joins(e->wait.sync));
	if (unit_sync_polls(e->wait.sync)) {
		unit->n_polls += e->count;
	} else { /* the program's own yields, with its work between them */
		unit->n_runs += (uint32_t)e->count;
		unit->n_yields += (uint32_t)e->count;
	}
}

/* The unit does something to another one. */
static void note_act(struct unit_walk *w, const struct unit_event *e)
{
	const struct unit_walk_stream *s = &w->streams[e->stream];
	if (e->other != 0 && e->other == s->unit)
		add_time(w, e, e->was_look,
			 w->m->units[e->other].kind != UNIT_EXTERNAL && w->m->units[e->other].kind != UNIT_TASKLET);
}

static void note_switch(struct unit_walk *w, const struct unit_event *e)
{
	struct model *m = w->m;
	struct unit_walk_stream *s = &w->streams[e->stream];
	const struct unit_switch *change = &e->change;
	struct work_unit *prior = &m->units[change->prior];
	add_time(w, e, change->was_look, unit_sync_joins(change->wait.sync));
	s->unit = units_current(&w->units, e->stream);
	if (change->reason <= UNIT_RUN) {
		note_run(w, change->next, e);
		return;
	}
	if (change->reason == UNIT_FINISH || change->reason == UNIT_CANCEL || change->reason == UNIT_END)
		prior->state |= UNIT_ENDED;
	if (change->reason == UNIT_CANCEL)
		prior->state |= UNIT_CANCELLED;
	if (change->reason == UNIT_STOP_MISSING)
		prior->state |= UNIT_CUT;
	prior->end_ticks = e->ticks;
	prior->n_suspends += change->reason == UNIT_SUSPEND;
	if (change->reason != UNIT_YIELD)
		return;
	prior->n_yields++;
	if (change->pool != 0)
		prior->last_pool = change->pool;
	note_ready(w, change->prior, e->ticks);
}

/* Receives the events of the state machine, and notes them in the table. */
static int note(void *self, const struct unit_event *e)
{
	struct unit_walk *w = self;
	struct work_unit *unit = &w->m->units[e->unit];
	note_act(w, e);
	switch (e->kind) {
	case UNIT_EVENT_SWITCH: note_switch(w, e); break;
	case UNIT_EVENT_XSTREAM: note_xstream(w, e); break;
	case UNIT_EVENT_CREATE:
	case UNIT_EVENT_REVIVE: note_ready(w, e->unit, e->ticks); break;
	case UNIT_EVENT_RESUME:
		if (e->pool != 0)
			unit->last_pool = e->pool;
		note_ready(w, e->unit, e->ticks);
		break;
	case UNIT_EVENT_POLL: note_polls(w, e); break;
	case UNIT_EVENT_JOIN: unit->state |= UNIT_JOINED; break;
	case UNIT_EVENT_FREE:
		unit->state |= UNIT_FREED;
		unit->free_ticks = e->ticks;
		break;
	default: break;
	}
	return 0;
}

static const struct record *next_record(void *self, uint32_t row)
{
	struct unit_walk *w = self;
	return timeline_peek(&w->streams[row].timeline);
}

/* Takes the next record of a stream, and its continuation record. 0, or -1 after an error message. */
static int walk_record(struct unit_walk *w, uint32_t row)
{
	struct unit_walk_stream *s = &w->streams[row];
	struct timeline *t = &s->timeline;
	const struct record *r = timeline_peek(t);
	unsigned kind = record_kind(r);
	bool is_gap = cursor_at_gap(&t->cursor) || kind == EVENT_records_lost;
	if (s->has_begun && is_gap && units_gap(&w->units, row, s->last_ticks) != 0)
		return -1;
	s->has_begun = true;
	s->last_ticks = r->time;
	if (!units_is_of_interest(kind)) {
		timeline_take(t);
		return 0;
	}
	const struct record own = *r;
	timeline_take(t);
	const struct record *more = NULL;
	if (record_continuations(&own) > 0) {
		more = timeline_peek(t);
		if (more != NULL && (cursor_at_gap(&t->cursor) || record_kind(more) != EVENT_unit_more))
			more = NULL;
	}
	return units_record(&w->units, row, &own, more);
}

/* Numbers each creator's runs in the order of their creation, without the library's own units. */
static void number(struct model *m)
{
	for (uint32_t row = 1; row < m->n_units; row++) {
		struct work_unit *unit = &m->units[row];
		bool is_told = unit->state & UNIT_CREATED && unit->kind != UNIT_ROOT && unit->creator != 0;
		unit->number = is_told ? ++m->units[unit->creator].n_created : 0;
	}
}

static bool has_records(const struct model *m)
{
	for (unsigned kind = EVENT_unit_begin; kind <= EVENT_unit_spawn; kind++)
		if (m->n_events[kind] > 0)
			return true;
	return false;
}

int argobots_gather(struct model *m)
{
	if (!has_records(m))
		return 0;
	size_t n_streams = m->dump->n_streams;
	struct unit_walk w = {.m = m, .streams = memory_zeroed(n_streams + 1, sizeof *w.streams, "the work units")};
	struct merge merge;
	units_begin(&w.units, m, m, note, next_record, &w);
	merge_begin(&merge, n_streams);
	for (size_t i = 0; i < n_streams; i++) {
		w.streams[i].rank = UINT32_MAX;
		timeline_init(&w.streams[i].timeline, m->dump, &m->dump->streams[i], false);
		merge_add(&merge, &w.streams[i].timeline, (uint32_t)i);
	}
	merge.is_early = units_is_early;
	merge.self = &w.units;
	int rc = 0;
	for (uint32_t row; rc == 0 && merge_next(&merge, &row);)
		rc = walk_record(&w, row);
	if (rc == 0 && merge.n_raised > 0)
		tally_add(&m->notes->quirks, "clocks_differ", merge.n_raised);
	if (rc == 0)
		rc = units_finish(&w.units);
	if (rc == 0)
		number(m);
	m->tasking = m->n_units > 0 ? paradigms[PARADIGM_argobots] : NULL;
	merge_end(&merge);
	for (size_t i = 0; i < n_streams; i++)
		timeline_end(&w.streams[i].timeline);
	units_end(&w.units);
	free(w.ready_ticks);
	free(w.streams);
	return rc;
}
