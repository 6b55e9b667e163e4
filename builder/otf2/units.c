/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The visitor: Argobots' work units, as tasks of one team that all threads of the process are in, under a paradigm of the user's: OTF2 knows none of
 * Argobots. A run of a unit is (team, rank of the thread that created it, number among what that thread created). Here is who they are, who is current,
 * and what happens to them; where they run is in otf2_fragments.c. Below all units is the thread's own implicit task: whatever is not
 * recorded, the scheduler of the primary unit or a thread outside of Argobots.
 *
 * The threads of execution streams are created, begun, ended and waited for as their main schedulers are.
 */
#include "builder/otf2/units.h"

#include <stdlib.h>

/* ---- Names ---- */

bool unit_is_left_out(const struct process *p, uint32_t unit)
{
	const struct work_unit *u = &p->model->units[unit];
	return unit == 0 || u->kind == UNIT_EXTERNAL || u->kind == UNIT_ROOT || u->state & UNIT_CONTRADICTORY;
}

uint32_t unit_creating_stream(const struct work_unit *u)
{
	return u->state & UNIT_CREATED || !(u->state & UNIT_STARTED) ? u->create_stream : u->run_stream;
}

/* The main scheduler of a thread that Argobots makes. */
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

int archive_begin_units(struct archive *a)
{
	struct process *p = &a->now;
	const struct model *m = p->model;
	if (m->n_units == 0)
		return 0;
	uint32_t *streams = malloc(p->def->n_locations * sizeof *streams);
	uint32_t *n_created = calloc(p->def->n_locations, sizeof *n_created);
	p->units = calloc(m->n_units, sizeof *p->units);
	bool is_done = streams != NULL && n_created != NULL && p->units != NULL;
	for (uint32_t i = 0; is_done && i < p->def->n_locations; i++)
		streams[i] = i;
	if (is_done) {
		p->units_comm = archive_comm(a, UNSET, streams, p->def->n_locations);
		is_done = p->units_comm != UNSET;
	}
	for (uint32_t unit = 1; is_done && unit < m->n_units; unit++)
		p->units[unit].generation = ++n_created[unit_creating_stream(&m->units[unit])];
	if (is_done)
		a->comms[p->units_comm].is_of_units = a->has_units = true;
	free(streams);
	free(n_created);
	return is_done ? 0 : archive_out_of_memory(a);
}

void archive_end_units(struct archive *a)
{
	struct process *p = &a->now;
	for (uint32_t unit = 1; unit < p->model->n_units; unit++) {
		unsigned bits = p->units[unit].bits;
		a->has_holes |= (p->model->units[unit].state & UNIT_CONTRADICTORY) != 0;
		a->has_holes |= bits & UNIT_BIT_CREATED && !(bits & UNIT_BIT_COMPLETED);
	}
}

void process_free_units(struct process *p)
{
	for (uint32_t unit = 0; p->units != NULL && unit < p->model->n_units; unit++)
		free(p->units[unit].open);
	free(p->units);
	p->units = NULL;
}

/* ---- Who runs ---- */

/* Is one of OpenMP's tasks current there, other than the one that the thread began with? */
static bool is_in_openmp(const struct archive *a, const struct location *l)
{
	const struct model *m = a->now.model;
	return l->running != 0 && l->running != UNSET && !(m->regions[m->tasks[l->running].region].state & REGION_INITIAL);
}

int location_run_unit(struct archive *a, struct location *l, uint64_t time)
{
	uint32_t unit = l->unit;
	const struct unit_written *w = &a->now.units[unit];
	uint32_t rank = unit != 0 ? unit_creating_stream(&a->now.model->units[unit]) : location_stream(a, l);
	if (is_in_openmp(a, l))
		l->running = UNSET;
	return archive_check(
		a, OTF2_EvtWriter_ThreadTaskSwitch(l->writer, NULL, time, a->now.units_comm, rank, unit != 0 ? w->generation : 0),
		"writing ThreadTaskSwitch");
}

int unit_run(struct archive *a, struct location *l, uint64_t time, uint32_t unit)
{
	if (l->unit == unit && !is_in_openmp(a, l) && !l->is_unit_over)
		return 0;
	l->unit = unit;
	l->is_unit_over = false;
	if (unit == 0 && location_team_task(l) != 0) { /* of a unit that the archive does not have */
		a->has_holes = true;
		return current_any(a, l, time);
	}
	return location_run_unit(a, l, time);
}

int unit_begin_thread(struct archive *a, struct location *l, uint64_t time, uint32_t scheduler)
{
	if (l->is_in_units && l->n_open == l->units_height && location_leave_units(a, l, time) != 0)
		return -1;
	if (l->is_in_units || l->n_open > 0)
		return 0;
	l->thread = scheduler;
	a->now.units[scheduler].bits |= UNIT_BIT_THREAD;
	return archive_check(a, OTF2_EvtWriter_ThreadBegin(l->writer, NULL, time, a->now.units_comm, scheduler),
			     "writing ThreadBegin");
}

int unit_join_team(struct archive *a, struct location *l, uint64_t time)
{
	uint32_t comm = a->now.units_comm;
	if (l->is_in_units)
		return 0;
	l->is_in_units = true;
	l->units_height = l->n_open;
	l->unit = 0;
	return archive_check(a, OTF2_EvtWriter_ThreadTeamBegin(l->writer, NULL, time, comm), "writing ThreadTeamBegin");
}

int location_leave_units(struct archive *a, struct location *l, uint64_t time)
{
	uint32_t comm = a->now.units_comm;
	if (!l->is_in_units)
		return 0;
	if (location_unwind(a, l, time, l->units_height) != 0 || unit_run(a, l, time, 0) != 0)
		return -1;
	l->is_in_units = false;
	if (archive_check(a, OTF2_EvtWriter_ThreadTeamEnd(l->writer, NULL, time, comm), "writing ThreadTeamEnd") != 0)
		return -1;
	uint32_t thread = l->thread;
	l->thread = 0;
	return thread == 0 ? 0
			   : archive_check(a, OTF2_EvtWriter_ThreadEnd(l->writer, NULL, time, comm, thread), "writing ThreadEnd");
}

uint64_t unit_time(struct archive *a, struct location *l, uint64_t ticks, uint32_t unit)
{
	const struct unit_written *w = &a->now.units[unit];
	uint64_t time = location_stamp(a, l, ticks);
	bool is_strict = !(w->bits & UNIT_BIT_STARTED) && w->written_on != location_stream(a, l) + 1;
	if (unit != 0 && w->bits != 0 && time < w->last_time + is_strict)
		time = w->last_time + (is_strict && w->last_time < a->now.last_time);
	return l->last_time = time;
}

void unit_note(struct archive *a, struct location *l, uint64_t time, uint32_t unit)
{
	a->now.units[unit].last_time = time;
	a->now.units[unit].written_on = location_stream(a, l) + 1;
}

/* ---- Creation ---- */

int archive_add_nonzero(struct archive *a, uint32_t attribute, uint64_t value)
{
	return value != 0 ? archive_add_u64(a, attribute, value) : 0;
}

int unit_create(struct archive *a, struct location *l, uint64_t time, uint32_t unit)
{
	struct process *p = &a->now;
	const struct work_unit *u = &p->model->units[unit];
	if (p->units[unit].bits != 0)
		return 0;
	p->units[unit].bits |= UNIT_BIT_CREATED;
	unit_note(a, l, time, unit);
	if (unit_is_thread(p, unit) &&
	    archive_check(a, OTF2_EvtWriter_ThreadCreate(l->writer, NULL, time, p->units_comm, unit), "writing ThreadCreate") != 0)
		return -1;
	if (archive_add_nonzero(a, ATTRIBUTE_UNIT, u->handle) != 0 || archive_add_nonzero(a, ATTRIBUTE_POOL, u->pool) != 0 ||
	    archive_add_nonzero(a, ATTRIBUTE_STACK_SIZE, u->stack_bytes) != 0)
		return -1;
	return archive_check(a,
			     OTF2_EvtWriter_ThreadTaskCreate(l->writer, a->attributes, time, p->units_comm, unit_creating_stream(u),
							     p->units[unit].generation),
			     "writing ThreadTaskCreate");
}

int event_unit_create(void *self, const struct point *at, uint32_t unit, uint32_t creator)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[at->stream];
	(void)creator;
	if (unit_is_left_out(&a->now, unit))
		return 0;
	uint64_t time = location_stamp(a, l, at->ticks);
	uint32_t region = archive_region(a, a->now.model->units[unit].construct, REGION_UNIT_CREATE);
	if (region == UNSET || unit_join_team(a, l, time) != 0 ||
	    archive_check(a, OTF2_EvtWriter_Enter(l->writer, NULL, time, region), "writing Enter") != 0 ||
	    unit_create(a, l, time, unit) != 0)
		return -1;
	return archive_check(a, OTF2_EvtWriter_Leave(l->writer, NULL, time, region), "writing Leave");
}

/* ---- The rest ---- */

int event_unit_poll(void *self, const struct point *at, uint32_t unit, const struct unit_wait *wait, uint64_t count)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[at->stream];
	(void)wait;
	if (unit_is_left_out(&a->now, unit) || a->now.units[unit].runs_on != at->stream + 1)
		return 0;
	return location_parameter(a, l, location_stamp(a, l, at->ticks), PARAMETER_POLLS, count);
}

int event_unit_resume(void *self, const struct point *at, uint32_t unit, uint32_t waker, const struct unit_wait *wait)
{
	struct archive *a = self;
	(void)waker;
	(void)wait;
	if (!unit_is_left_out(&a->now, unit))
		a->now.units[unit].waker = at->stream + 1;
	return 0;
}

int event_unit_join(void *self, const struct point *at, uint32_t unit, uint32_t joiner, bool is_first)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[at->stream];
	(void)joiner;
	unsigned ended = UNIT_BIT_THREAD | UNIT_BIT_COMPLETED;
	if (!is_first || (a->now.units[unit].bits & ended) != ended)
		return 0;
	uint64_t time = unit_time(a, l, at->ticks, unit);
	if (unit_join_team(a, l, time) != 0)
		return -1;
	return archive_check(a, OTF2_EvtWriter_ThreadWait(l->writer, NULL, time, a->now.units_comm, unit), "writing ThreadWait");
}

int event_unit_xstream(void *self, const struct point *at, uint64_t xstream, uint64_t rank)
{
	struct archive *a = self;
	(void)xstream;
	struct location_def *def = &a->locations[a->now.def->first_location + at->stream];
	if (!def->is_xstream)
		def->xstream_rank = rank;
	def->is_xstream = true;
	return 0;
}
