/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes where Argobots' work units run. Each fragment of a unit's run is a region that is entered where the fragment
 * begins and left where it stops, so that regions nest on every thread although units move. Where OpenMP is used inside
 * of a unit that stops, the regions that OpenMP has open on the thread are left with the unit and entered again with
 * it. One thread.
 */
#include "builder/argobots/argobots.h"
#include "builder/otf2/current.h"
#include "builder/otf2/intern.h"
#include "builder/otf2/location.h"
#include "builder/argobots/archive.h"
#include "builder/support/memory.h"

#include <stdlib.h>

/* Enters one of OpenMP's regions again, and makes its task current, or joins its team, before. */
static int enter_again(struct archive *a, struct location *l, uint64_t time, const struct open_region *region)
{
	struct open_region own = *region;
	if (own.type == OPEN_IMPLICIT) {
		uint32_t comm = current_team_comm(a, l, own.task);
		own.around = l->running;
		l->running = own.task;
		if (archive_check(a, WRITE_EVENT(l, ThreadTeamBegin, NULL, time, comm), "writing ThreadTeamBegin") != 0)
			return -1;
	} else if (current_require(a, l, time, own.owner) != 0)
		return -1;
	own.owner = l->running;
	return location_push(a, l, time, own, l->attributes);
}

/* OpenMP's regions that were open in the unit continue as well, if this is the thread that they belong to. */
static int enter_saved(struct archive *a, struct location *l, uint64_t time, struct unit_written *w)
{
	int rc = 0;
	if (w->n_open > 0 && w->open_on != l->stream + 1)
		l->has_holes = true;
	else
		for (uint32_t i = 0; i < w->n_open && rc == 0; i++)
			rc = enter_again(a, l, time, &w->open[i]);
	free(w->open);
	w->open = NULL;
	w->n_open = 0;
	return rc;
}

/* The unit begins to run, or continues. */
static int begin_fragment(struct archive *a, struct location *l, uint64_t ticks, uint32_t unit)
{
	struct process *p = &a->now;
	struct unit_written *w = &p->units[unit];
	uint64_t time = unit_time(a, l, ticks, unit);
	if (w->thread == unit && w->bits == UNIT_BIT_CREATED && unit_begin_thread(a, l, time, unit) != 0)
		return -1;
	if (unit_join_team(a, l, time) != 0)
		return -1;
	if (w->bits & UNIT_BIT_COMPLETED || w->runs_on != 0) { /* contradictory records */
		l->has_holes = true;
		return 0;
	}
	if ((w->created_on == l->stream && unit_create(a, l, time, unit) != 0) || current_require_unit(a, l, time, unit) != 0)
		return -1;
	w->bits |= UNIT_BIT_STARTED;
	w->runs_on = l->stream + 1;
	unit_note(p, l, time, unit);
	if (archive_add_nonzero(a, l->attributes, ATTRIBUTE_TASK_FRAGMENT, w->n_fragments++) != 0)
		return -1;
	if (w->waker != 0 && archive_check(a,
					   OTF2_AttributeList_AddLocationRef(l->attributes, ATTRIBUTE_RESUMED_BY,
									     (uint64_t)(w->waker - 1) << 32 | p->def->process),
					   "adding an attribute") != 0)
		return -1;
	w->waker = 0;
	if (location_push(a, l, time,
			  (struct open_region){.construct = p->model->units[unit].construct,
					       .kind = unit_region_kind(p, unit),
					       .task = UNSET,
					       .unit = unit,
					       .type = OPEN_UNIT},
			  l->attributes) != 0)
		return -1;
	return enter_saved(a, l, time, w);
}

static uint32_t find_open(const struct location *l, uint32_t unit)
{
	for (uint32_t i = l->n_open; i > 0; i--)
		if (l->open[i - 1].type == OPEN_UNIT && l->open[i - 1].unit == unit)
			return i - 1;
	return l->n_open;
}

/* Leaves the regions above the unit's own. Those of OpenMP are kept, to be entered again. */
static int leave_above(struct archive *a, struct location *l, uint64_t time, uint32_t first, struct unit_written *w)
{
	uint32_t n = l->n_open - first;
	if (n == 0)
		return 0;
	w->open = memory_grow(w->open, n, sizeof *w->open, "the open regions");
	w->n_open = 0;
	w->open_on = l->stream + 1;
	for (uint32_t i = first; i < l->n_open; i++)
		if (l->open[i].type != OPEN_UNIT)
			w->open[w->n_open++] = l->open[i];
	int rc = 0;
	while (rc == 0 && l->n_open > first) {
		struct open_region top = l->open[l->n_open - 1];
		rc = top.type == OPEN_UNIT ? close_cut_fragment(a, l, time) : location_leave(a, l, time);
		if (rc == 0 && top.type == OPEN_IMPLICIT) { /* one more begin of the team than its other members have */
			l->has_split_teams = true;
			rc = close_team(a, l, time, &top);
		}
	}
	return rc;
}

static int add_reason(struct archive *a, struct location *l, const struct unit_switch *change)
{
	uint32_t reason = change->reason == UNIT_YIELD     ? a->string_yield
			  : change->reason == UNIT_SUSPEND ? a->string_suspend
			  : change->reason == UNIT_CANCEL  ? a->string_cancel
							   : UNSET;
	if (reason != UNSET && archive_add_string(a, l->attributes, ATTRIBUTE_STOP, reason) != 0)
		return -1;
	if (reason == UNSET || change->reason == UNIT_CANCEL)
		return 0;
	uint32_t sync = intern_string(&l->interned, unit_sync_name(change->wait.sync));
	if (archive_add_string(a, l->attributes, ATTRIBUTE_SYNC, sync) != 0)
		return -1;
	return archive_add_nonzero(a, l->attributes, ATTRIBUTE_SYNC_OBJECT, change->wait.object) != 0
		       ? -1
		       : archive_add_nonzero(a, l->attributes, ATTRIBUTE_POOL, change->pool);
}

/* The unit, which is current, is complete. */
static int complete(struct archive *a, struct location *l, uint64_t time, uint32_t unit, enum unit_reason reason)
{
	struct unit_written *w = &a->now.units[unit];
	uint32_t status = reason == UNIT_CANCEL ? a->string_cancel : reason == UNIT_END ? a->string_unfinished : UNSET;
	w->bits |= UNIT_BIT_COMPLETED;
	unit_note(&a->now, l, time, unit);
	if (status != UNSET && archive_add_string(a, l->attributes, ATTRIBUTE_PRIOR_TASK_STATUS, status) != 0)
		return -1;
	l->is_unit_over = true;
	return archive_check(a,
			     WRITE_EVENT(l, ThreadTaskComplete, status != UNSET ? l->attributes : NULL, time, a->now.units_comm,
					 w->created_on, w->generation),
			     "writing ThreadTaskComplete");
}

static int end_fragment(struct archive *a, struct location *l, uint64_t time, const struct unit_switch *change)
{
	uint32_t unit = change->prior;
	struct unit_written *w = &a->now.units[unit];
	bool is_over = change->reason == UNIT_FINISH || change->reason == UNIT_CANCEL || change->reason == UNIT_END;
	uint32_t i = find_open(l, unit);
	if (i == l->n_open || w->runs_on != l->stream + 1) { /* contradictory records */
		l->has_holes = true;
		return 0;
	}
	l->has_holes |= change->reason == UNIT_STOP_MISSING;
	if (leave_above(a, l, time, i + 1, w) != 0 || current_require_unit(a, l, time, unit) != 0 ||
	    add_reason(a, l, change) != 0 || close_fragment(a, l, time, unit) != 0)
		return -1;
	return is_over ? complete(a, l, time, unit, change->reason) : 0;
}

/* A unit that does not run is cancelled, by this thread. It may never have run: then its region takes no time. */
static int cancel_elsewhere(struct archive *a, struct location *l, uint64_t ticks, uint32_t unit)
{
	struct process *p = &a->now;
	struct unit_written *w = &p->units[unit];
	uint32_t current = l->unit;
	uint64_t time = unit_time(a, l, ticks, unit);
	if (!(w->bits & UNIT_BIT_CREATED) || w->bits & UNIT_BIT_COMPLETED || w->runs_on != 0) {
		l->has_holes = true;
		return 0;
	}
	uint32_t region = region_of(a, l, p->model->units[unit].construct, unit_region_kind(p, unit));
	if (unit_join_team(a, l, time) != 0 || current_require_unit(a, l, time, unit) != 0)
		return -1;
	if (!(w->bits & UNIT_BIT_STARTED) && (archive_check(a, WRITE_EVENT(l, Enter, NULL, time, region), "writing Enter") != 0 ||
					      archive_check(a, WRITE_EVENT(l, Leave, NULL, time, region), "writing Leave") != 0))
		return -1;
	return complete(a, l, time, unit, UNIT_CANCEL) != 0 ? -1 : current_require_unit(a, l, time, current);
}

/* The unit that continues when another one has stopped: the innermost one that is open here. */
static uint32_t unit_below(const struct location *l)
{
	for (uint32_t i = l->n_open; i > 0; i--)
		if (l->open[i - 1].type == OPEN_UNIT)
			return l->open[i - 1].unit;
	return 0;
}

static int unit_switch_event(void *self, const struct point *at, const struct unit_switch *change)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[at->stream];
	if (change->reason == UNIT_BEGIN || change->reason == UNIT_RUN) {
		if (!unit_is_left_out(&a->now, change->next))
			return begin_fragment(a, l, at->ticks, change->next);
		uint64_t time = location_stamp(a, l, at->ticks);
		return unit_join_team(a, l, time);
	}
	if (a->now.model->units[change->prior].kind == UNIT_EXTERNAL && l->n_open == l->units_height)
		return close_units(a, l, location_stamp(a, l, at->ticks));
	if (unit_is_left_out(&a->now, change->prior))
		return 0;
	if (change->reason == UNIT_CANCEL && change->prior != at->unit)
		return cancel_elsewhere(a, l, at->ticks, change->prior);
	uint64_t time = location_stamp(a, l, at->ticks);
	if (unit_join_team(a, l, time) != 0 || end_fragment(a, l, time, change) != 0)
		return -1;
	const struct unit_written *w = &a->now.units[change->prior];
	bool is_thread_over = l->thread != 0 && l->thread == w->thread && w->bits & UNIT_BIT_COMPLETED && !w->goes_on;
	if (current_require_unit(a, l, time, unit_below(l)) != 0)
		return -1;
	return is_thread_over ? close_units(a, l, time) : 0;
}

const struct unit_ops argobots_archive_ops = {
	.unit_xstream = unit_xstream_event,
	.unit_create = unit_create_event,
	.unit_revive = unit_create_event,
	.unit_switch = unit_switch_event,
	.unit_poll = unit_poll_event,
	.unit_resume = unit_resume_event,
	.unit_join = unit_join_event,
};
