/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the events of Argobots' work units, but for where they run. Units are tasks of one team that all threads of
 * the process are in, of the paradigm USER, as OTF2 has none for Argobots. The threads of execution streams are
 * created, begin, end and are waited for as their main schedulers are. Called through the table in events.c, and by
 * fragments.c. One thread.
 */
#include "builder/otf2/close.h"
#include "builder/otf2/location.h"
#include "builder/otf2/regions.h"
#include "builder/otf2/unit_keys.h"
#include "builder/otf2/units.h"
#include "builder/story/unit.h"

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
	if (unit_is_thread(p, unit) &&
	    archive_check(a, WRITE_EVENT(l, ThreadCreate, NULL, time, p->units_comm, unit), "writing ThreadCreate") != 0)
		return -1;
	if (archive_add_nonzero(a, l->attributes, ATTRIBUTE_UNIT, u->handle) != 0 ||
	    archive_add_nonzero(a, l->attributes, ATTRIBUTE_POOL, u->pool) != 0 ||
	    archive_add_nonzero(a, l->attributes, ATTRIBUTE_STACK_SIZE, u->stack_bytes) != 0)
		return -1;
	return archive_check(a,
			     WRITE_EVENT(l, ThreadTaskCreate, l->attributes, time, p->units_comm, unit_creating_stream(u),
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
	uint32_t region = region_of(a, l, a->now.model->units[unit].construct, REGION_UNIT_CREATE);
	if (unit_join_team(a, l, time) != 0 || archive_check(a, WRITE_EVENT(l, Enter, NULL, time, region), "writing Enter") != 0 ||
	    unit_create(a, l, time, unit) != 0)
		return -1;
	return archive_check(a, WRITE_EVENT(l, Leave, NULL, time, region), "writing Leave");
}

int event_unit_poll(void *self, const struct point *at, uint32_t unit, const struct unit_wait *wait, uint64_t count, bool was_look)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[at->stream];
	(void)was_look;
	if (!unit_sync_polls(wait->sync) || unit_is_left_out(&a->now, unit) || a->now.units[unit].runs_on != at->stream + 1)
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

int event_unit_join(void *self, const struct point *at, uint32_t unit, uint32_t joiner, bool is_first, bool was_look)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[at->stream];
	(void)joiner;
	(void)was_look;
	unsigned ended = UNIT_BIT_THREAD | UNIT_BIT_COMPLETED;
	if (!is_first || (a->now.units[unit].bits & ended) != ended)
		return 0;
	uint64_t time = unit_time(a, l, at->ticks, unit);
	if (unit_join_team(a, l, time) != 0)
		return -1;
	return archive_check(a, WRITE_EVENT(l, ThreadWait, NULL, time, a->now.units_comm, unit), "writing ThreadWait");
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
