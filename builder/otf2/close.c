/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Closes what is open: regions, and the tasks, teams and units that they belong to. The functions call each other,
 * because a task that completes closes its regions, and a region that is closed may be the last one of a task; so they
 * are one file.
 *
 * Runs on one thread at a time for each location.
 */
#include "builder/otf2/current.h"
#include "builder/otf2/location.h"

/* Leaves all regions of the task, and all regions of teams that began inside of it. */
static int leave_all_of(struct archive *a, struct location *l, uint64_t time, uint32_t task)
{
	uint32_t i = 0;
	if (!location_may_own(&a->now, l, task))
		return 0;
	while (i < l->n_open && l->open[i].owner != task && !(l->open[i].type == OPEN_IMPLICIT && l->open[i].around == task))
		i++;
	return i < l->n_open ? close_down_to(a, l, time, i) : 0;
}

int close_task(struct archive *a, struct location *l, uint64_t time, uint32_t task, uint32_t status)
{
	if (task_bit(&a->now, task, TASK_BIT_COMPLETED))
		return 0;
	if (leave_all_of(a, l, time, task) != 0 || current_require(a, l, time, task) != 0)
		return -1;
	struct key k = current_key(a, l, task);
	if (l->running != task || task_bit(&a->now, task, TASK_BIT_COMPLETED)) { /* contradictory records */
		l->has_holes = true;
		return 0;
	}
	if (l->n_holds > 0 && holds_release(a, l, time, task) != 0)
		return -1;
	task_bit_set(&a->now, task, TASK_BIT_COMPLETED);
	current_note(a, l, time, task, false);
	l->running = UNSET;
	if (status != UNSET && archive_add_string(a, l->attributes, ATTRIBUTE_PRIOR_TASK_STATUS, status) != 0)
		return -1;
	return archive_check(
		a, WRITE_EVENT(l, ThreadTaskComplete, status != UNSET ? l->attributes : NULL, time, k.comm, k.rank, k.generation),
		"writing ThreadTaskComplete");
}

int close_team(struct archive *a, struct location *l, uint64_t time, const struct open_region *implicit)
{
	uint32_t comm = current_team_comm(a, l, implicit->task);
	if (holds_release(a, l, time, implicit->task) != 0)
		return -1;
	l->running = implicit->around;
	return archive_check(a, WRITE_EVENT(l, ThreadTeamEnd, NULL, time, comm), "writing ThreadTeamEnd");
}

int close_fork(struct archive *a, struct location *l, uint64_t time)
{
	uint32_t height = l->forks[l->n_forks - 1].height;
	l->has_holes |= l->n_open > height; /* ends are missing */
	if (l->n_open > height && close_down_to(a, l, time, height) != 0)
		return -1;
	return location_join(a, l, time);
}

int close_fragment(struct archive *a, struct location *l, uint64_t time, uint32_t unit)
{
	a->now.units[unit].runs_on = 0;
	unit_note(&a->now, l, time, unit);
	return location_pop(a, l, time, l->attributes);
}

int close_cut_fragment(struct archive *a, struct location *l, uint64_t time)
{
	uint32_t unit = l->open[l->n_open - 1].unit;
	l->has_holes = true;
	return current_require_unit(a, l, time, unit) != 0 ? -1 : close_fragment(a, l, time, unit);
}

int close_down_to(struct archive *a, struct location *l, uint64_t time, uint32_t n_open)
{
	int rc = 0;
	while (rc == 0 && l->n_open > n_open) {
		struct open_region top = l->open[l->n_open - 1];
		rc = top.type == OPEN_UNIT ? close_cut_fragment(a, l, time) : location_leave(a, l, time);
		if (rc == 0 && top.type == OPEN_IMPLICIT)
			rc = close_team(a, l, time, &top);
		if (rc == 0 && top.type == OPEN_TASK) {
			rc = close_task(a, l, time, top.task, a->string_unfinished);
			if (rc == 0)
				rc = current_require(a, l, time, l->n_open > 0 ? l->open[l->n_open - 1].task : 0);
		}
	}
	return rc;
}

int close_own(struct archive *a, struct location *l, uint64_t time, uint32_t i, bool *is_left)
{
	if (l->n_open > i + 1 && close_down_to(a, l, time, i + 1) != 0)
		return -1;
	*is_left = l->n_open > i;
	l->has_holes |= !*is_left;
	return *is_left ? location_leave(a, l, time) : 0;
}

int close_units(struct archive *a, struct location *l, uint64_t time)
{
	uint32_t comm = a->now.units_comm;
	if (!l->is_in_units)
		return 0;
	if (close_down_to(a, l, time, l->units_height) != 0 || current_require_unit(a, l, time, 0) != 0)
		return -1;
	l->is_in_units = false;
	if (archive_add_u64(a, l->attributes, ATTRIBUTE_THREAD_ID, l->tid) != 0 ||
	    archive_check(a, WRITE_EVENT(l, ThreadTeamEnd, l->attributes, time, comm), "writing ThreadTeamEnd") != 0)
		return -1;
	uint32_t thread = l->thread;
	l->thread = 0;
	return thread == 0 ? 0 : archive_check(a, WRITE_EVENT(l, ThreadEnd, NULL, time, comm, thread), "writing ThreadEnd");
}

int close_location(struct archive *a, uint32_t stream)
{
	struct location *l = &a->now.locations[stream];
	if (l->is_finished)
		return 0;
	if (location_open(a, stream) != 0)
		return -1;
	if (l->is_in_units)
		close_units(a, l, location_stamp(a, l, 0));
	if (l->n_open > 0 && !__atomic_load_n(&a->has_failed, __ATOMIC_RELAXED))
		close_down_to(a, l, location_stamp(a, l, 0), 0);
	return location_end(a, stream); /* a failure is remembered in the archive */
}
