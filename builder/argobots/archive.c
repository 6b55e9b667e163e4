/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the events of Argobots' work units, except where they run. Units are tasks of one team, which has all threads of the
 * process, with the paradigm USER, as OTF2 has none for Argobots: a run of a unit is (that team, rank of the thread that
 * created it, number among the units that this thread created). The threads of execution streams are created, begin, end
 * and are joined when their main schedulers are; a stream that is revived has the thread that it had, which has not ended
 * meanwhile. One thread.
 */
#include "builder/argobots/argobots.h"
#include "builder/otf2/intern.h"
#include "builder/otf2/location.h"
#include "builder/argobots/archive.h"
#include "builder/support/memory.h"

#include <stdlib.h>

/* ---- The numbers and names of units ---- */

bool unit_is_left_out(const struct process *p, uint32_t unit)
{
	const struct work_unit *u = &p->model->units[unit];
	return unit == 0 || u->kind == UNIT_EXTERNAL || u->kind == UNIT_ROOT || u->state & UNIT_CONTRADICTORY;
}

/*
 * The stream that creates the unit in the archive: its creator's, or, where it was created before the recording, the one
 * that it runs on.
 */
static uint32_t creating_stream(const struct work_unit *u)
{
	return u->state & UNIT_CREATED || !(u->state & UNIT_STARTED) ? u->create_stream : u->run_stream;
}

bool unit_is_thread(const struct process *p, uint32_t unit)
{
	const struct work_unit *u = &p->model->units[unit];
	unsigned wanted = UNIT_CREATED | UNIT_STARTED;
	return u->kind == UNIT_SCHEDULER && u->depth == 0 && (u->state & (wanted | UNIT_MIGRATED)) == wanted &&
	       u->run_stream != u->create_stream && !unit_is_left_out(p, unit);
}

enum region_kind unit_region_kind(const struct process *p, uint32_t unit)
{
	switch (p->model->units[unit].kind) {
	case UNIT_SCHEDULER: return REGION_SCHEDULER;
	case UNIT_TASKLET: return REGION_TASKLET;
	case UNIT_PRIMARY: return REGION_UNIT_PRIMARY;
	default: return REGION_UNIT;
	}
}

/* Numbers the units of the process that begins. */
static void begin(struct archive *a)
{
	struct process *p = &a->now;
	const struct model *m = p->model;
	if (m->n_units == 0)
		return;
	uint32_t *streams = memory_get(p->def->n_locations, sizeof *streams, "the units");
	uint32_t *n_created = memory_zeroed(p->def->n_locations, sizeof *n_created, "the units");
	p->units = memory_zeroed(m->n_units, sizeof *p->units, "the units");
	for (uint32_t i = 0; i < p->def->n_locations; i++)
		streams[i] = i;
	p->units_comm = intern_comm(a, UNSET, streams, p->def->n_locations);
	for (uint32_t unit = 1; unit < m->n_units; unit++) {
		p->units[unit].created_on = creating_stream(&m->units[unit]);
		p->units[unit].generation = ++n_created[p->units[unit].created_on];
		uint32_t before = m->units[unit].before;
		if (before != 0 && unit_is_thread(p, unit) && unit_is_thread(p, before))
			p->units[before].goes_on = m->units[before].run_stream == m->units[unit].run_stream;
	}
	a->comms[p->units_comm].is_of_units = a->has_units = true;
	free(streams);
	free(n_created);
}

static int end(struct archive *a)
{
	struct process *p = &a->now;
	for (uint32_t unit = 1; unit < p->model->n_units; unit++) {
		unsigned bits = p->units[unit].bits;
		a->has_holes |= (p->model->units[unit].state & UNIT_CONTRADICTORY) != 0;
		a->has_holes |= bits & UNIT_BIT_CREATED && !(bits & UNIT_BIT_COMPLETED);
	}
	return 0;
}

static void free_units(struct process *p)
{
	for (uint32_t unit = 0; p->units != NULL && unit < p->model->n_units; unit++)
		free(p->units[unit].open);
	free(p->units);
	p->units = NULL;
}

/* ---- Events ---- */

int unit_begin_thread(struct archive *a, struct location *l, uint64_t time, uint32_t scheduler)
{
	if (l->is_in_units && l->n_open == l->units_height && close_units(a, l, time) != 0)
		return -1;
	if (l->is_in_units || l->n_open > 0)
		return 0;
	l->thread = scheduler;
	a->now.units[scheduler].bits |= UNIT_BIT_THREAD;
	return archive_check(a, WRITE_EVENT(l, ThreadBegin, NULL, time, a->now.units_comm, scheduler), "writing ThreadBegin");
}

int unit_join_team(struct archive *a, struct location *l, uint64_t time)
{
	uint32_t comm = a->now.units_comm;
	if (l->is_in_units)
		return 0;
	l->is_in_units = true;
	l->units_height = l->n_open;
	l->unit = 0;
	if (archive_add_u64(a, l->attributes, ATTRIBUTE_THREAD_ID, l->tid) != 0)
		return -1;
	return archive_check(a, WRITE_EVENT(l, ThreadTeamBegin, l->attributes, time, comm), "writing ThreadTeamBegin");
}

uint64_t unit_time(struct archive *a, struct location *l, uint64_t ticks, uint32_t unit)
{
	const struct unit_written *w = &a->now.units[unit];
	uint64_t time = location_stamp(a, l, ticks);
	bool is_strict = !(w->bits & UNIT_BIT_STARTED) && w->written_on != l->stream + 1;
	if (unit != 0 && w->bits != 0 && time < w->last_time + is_strict)
		time = w->last_time + (is_strict && w->last_time < a->now.last_time);
	return l->last_time = time;
}

int unit_create(struct archive *a, struct location *l, uint64_t time, uint32_t unit)
{
	struct process *p = &a->now;
	const struct work_unit *u = &p->model->units[unit];
	if (p->units[unit].bits != 0)
		return 0;
	p->units[unit].bits |= UNIT_BIT_CREATED;
	unit_note(p, l, time, unit);
	if (unit_is_thread(p, unit)) {
		uint32_t before = p->units[u->before].goes_on ? p->units[u->before].thread : 0;
		bool is_there = before != 0 && p->locations[u->run_stream].thread == before;
		p->units[unit].thread = is_there ? before : unit;
		if (!is_there &&
		    archive_check(a, WRITE_EVENT(l, ThreadCreate, NULL, time, p->units_comm, unit), "writing ThreadCreate") != 0)
			return -1;
	}
	if (archive_add_nonzero(a, l->attributes, ATTRIBUTE_UNIT, u->handle) != 0 ||
	    archive_add_nonzero(a, l->attributes, ATTRIBUTE_POOL, u->pool) != 0 ||
	    archive_add_nonzero(a, l->attributes, ATTRIBUTE_STACK_SIZE, u->stack_bytes) != 0)
		return -1;
	return archive_check(a,
			     WRITE_EVENT(l, ThreadTaskCreate, l->attributes, time, p->units_comm, p->units[unit].created_on,
					 p->units[unit].generation),
			     "writing ThreadTaskCreate");
}

int unit_create_event(void *self, const struct point *at, uint32_t unit, uint32_t creator)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[at->stream];
	(void)creator;
	if (unit_is_left_out(&a->now, unit))
		return 0;
	uint64_t time = location_stamp(a, l, at->ticks);
	uint32_t region = region_of(a, l, a->now.model->units[unit].construct, REGION_UNIT_CREATE);
	if (unit_join_team(a, l, time) != 0 || archive_check(a, WRITE_EVENT(l, Enter, NULL, time, region), "writing Enter") != 0 ||
	    unit_create(a, l, time, unit) != 0)
		return -1;
	return archive_check(a, WRITE_EVENT(l, Leave, NULL, time, region), "writing Leave");
}

int unit_poll_event(void *self, const struct point *at, uint32_t unit, const struct unit_wait *wait, uint64_t count, bool was_look)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[at->stream];
	(void)was_look;
	if (!unit_sync_polls(wait->sync) || unit_is_left_out(&a->now, unit) || a->now.units[unit].runs_on != at->stream + 1)
		return 0;
	return location_parameter(a, l, location_stamp(a, l, at->ticks), PARAMETER_POLLS, count);
}

int unit_resume_event(void *self, const struct point *at, uint32_t unit, uint32_t waker, const struct unit_wait *wait)
{
	struct archive *a = self;
	(void)waker;
	(void)wait;
	if (!unit_is_left_out(&a->now, unit))
		a->now.units[unit].waker = at->stream + 1;
	return 0;
}

int unit_join_event(void *self, const struct point *at, uint32_t unit, uint32_t joiner, bool is_first, bool was_look)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[at->stream];
	(void)joiner;
	(void)was_look;
	const struct unit_written *w = &a->now.units[unit];
	bool has_ended = w->bits & UNIT_BIT_COMPLETED && a->now.units[w->thread].bits & UNIT_BIT_THREAD;
	if (!is_first || w->goes_on || !has_ended)
		return 0;
	uint64_t time = unit_time(a, l, at->ticks, unit);
	if (unit_join_team(a, l, time) != 0)
		return -1;
	return archive_check(a, WRITE_EVENT(l, ThreadWait, NULL, time, a->now.units_comm, w->thread), "writing ThreadWait");
}

int unit_xstream_event(void *self, const struct point *at, uint64_t xstream, uint64_t rank)
{
	struct archive *a = self;
	(void)xstream;
	struct location_def *def = &a->locations[a->now.def->first_location + at->stream];
	if (!def->is_xstream)
		def->xstream_rank = rank;
	def->is_xstream = true;
	return 0;
}

const struct archive_hooks argobots_archive = {.begin = begin, .end = end, .free_process = free_units};
