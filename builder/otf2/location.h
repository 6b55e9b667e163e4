/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One location: its writer, its time stamps, and the stack of regions that are open on it. These functions write
 * what their arguments say; current.h makes the right task current before. Runs on one thread at a time for each location.
 *
 * Each function that returns int returns 0 or -1.
 */
#ifndef OTTER_BUILDER_OTF2_LOCATION_H
#define OTTER_BUILDER_OTF2_LOCATION_H

#include "builder/otf2/archive.h"
#include "builder/otf2/intern.h"
#include "builder/support/array.h"

/* Opens the location's writer, if it is not open, with ProgramBegin on the process's first location. */
int location_open(struct archive *a, uint32_t stream);

/*
 * Writes what comes last on the location, counts its events and gives the writer back. No region is open any more,
 * unless the archive failed.
 */
int location_end(struct archive *a, uint32_t stream);

void location_free(struct location *l);

/*
 * Nothing is inside of a flush: where something happened during one, as states and samples may, the flush is written in
 * parts. Writes the part of the location's flush until then; nothing if it has none.
 */
int location_flush(struct archive *a, struct location *l, uint64_t until);

/* The rest of location_stamp, where a flush, samples or late releases are to be written, or measurement is off. */
void location_catch_up(struct archive *a, struct location *l, uint64_t time);

/*
 * The time stamp of an event at `ticks`: never before the location's latest one, never outside of the process. Samples
 * up to then are written, and measurement is turned on if it is off.
 */
static inline uint64_t location_stamp(struct archive *a, struct location *l, uint64_t ticks)
{
	uint64_t time = clock_stamp(&a->now, ticks);
	if (time < l->last_time)
		time = l->last_time;
	if (__builtin_expect(l->has_sample || l->has_flush || time >= l->next_due || !l->is_on, 0))
		location_catch_up(a, l, time);
	return l->last_time = time;
}

/* Recording was turned on, or off. */
int location_measurement(struct archive *a, struct location *l, uint64_t ticks, bool is_on);

/* Does the task own an open region here? */
bool location_owns(const struct location *l, uint32_t task);

/* May the task own one, or be the task around a team's region? False is certain. */
static inline bool location_may_own(const struct process *p, const struct location *l, uint32_t task)
{
	return task == 0 || l->is_scattered || task_bit(p, task, TASK_BIT_OPEN);
}

/*
 * Keeps TASK_BIT_OPEN right, so that a task that completes need not look through all that is open on the location: the
 * time for tasks nested in each other would grow with the square of their number. A task commonly enters a region when
 * its own are the innermost ones, or when it has none; whatever else happens, because records contradict each other, is
 * looked up.
 */
static inline void location_note_owner(struct process *p, struct location *l, struct open_region *region)
{
	uint32_t owner = region->owner, around = region->type == OPEN_IMPLICIT ? region->around : 0;
	region->is_lowest = false;
	if (owner != 0 && owner != UNSET && !task_bit(p, owner, TASK_BIT_OPEN)) {
		task_bit_set(p, owner, TASK_BIT_OPEN);
		region->is_lowest = true;
	} else if (owner != 0 && owner != UNSET && !location_owns(l, owner))
		l->is_scattered = true;
	if (around != 0 && around != UNSET && !location_owns(l, around))
		l->is_scattered = true;
}

/*
 * Enters a region, and puts it on top of those that are open: what of it depends on the location is filled in. Always
 * inline: else the region, which the caller has just put together, is copied twice.
 */
__attribute__((always_inline)) static inline int location_push(struct archive *a, struct location *l, uint64_t time,
							       struct open_region region, OTF2_AttributeList *attributes)
{
	array_reserve(l->open, (size_t)l->n_open + 1, l->open_capacity);
	struct open_region *top = &l->open[l->n_open];
	*top = region;
	top->region = region_of(a, l, region.construct, region.kind);
	top->key = l->key;
	if (l->key_task != region.owner)
		top->key.comm = UNSET;
	top->team = l->team_task;
	if (region.type == OPEN_IMPLICIT)
		l->team_task = region.task;
	location_note_owner(&a->now, l, top);
	l->n_open++;
	return archive_check(a, WRITE_EVENT(l, Enter, attributes, time, top->region), "writing Enter");
}

/* Joins the team that was forked last, in which nothing is open. */
static inline int location_join(struct archive *a, struct location *l, uint64_t time)
{
	l->n_forks--;
	return archive_check(a, WRITE_EVENT(l, ThreadJoin, NULL, time, OTF2_PARADIGM_OPENMP), "writing ThreadJoin");
}

/* Leaves the innermost region, and takes it off. Forks in it whose joins are missing are joined before. */
static inline int location_pop(struct archive *a, struct location *l, uint64_t time, OTF2_AttributeList *attributes)
{
	while (__builtin_expect(l->n_forks > 0 && l->forks[l->n_forks - 1].height >= l->n_open, 0)) {
		if (location_join(a, l, time) != 0)
			return -1;
	}
	const struct open_region *top = &l->open[--l->n_open];
	l->team_task = top->team;
	if (top->is_lowest)
		task_bit_clear(&a->now, top->owner, TASK_BIT_OPEN);
	return archive_check(a, WRITE_EVENT(l, Leave, attributes, time, top->region), "writing Leave");
}

/* The place of the task's own region (OPEN_TASK, OPEN_IMPLICIT, OPEN_INITIAL) in l->open, or l->n_open. */
static inline uint32_t location_find_open(const struct location *l, uint32_t task)
{
	for (uint32_t i = l->n_open; i > 0; i--)
		if (l->open[i - 1].task == task && l->open[i - 1].type != OPEN_SCOPE)
			return i - 1;
	return l->n_open;
}

int location_parameter(struct archive *a, struct location *l, uint64_t time, uint32_t parameter, uint64_t value);

/* ---- Close ---- */

/*
 * Closes what is open on a location: regions, and with them the tasks, teams and units that they belong to. Called
 * where something ends, and where its end is missing in the records. Runs on one thread at a time for each location.
 *
 * Each function returns 0 or -1.
 */

/*
 * Leaves the innermost regions until `n_open` are left, and completes the tasks, teams and fragments of units whose own
 * regions these are.
 */
int close_down_to(struct archive *a, struct location *l, uint64_t time, uint32_t n_open);

/*
 * Leaves a task's own region, which is at place `i`, and what is inside of it. *is_left is not set where a task inside of it
 * has taken it along when it was closed, which only contradictory records bring about.
 */
int close_own(struct archive *a, struct location *l, uint64_t time, uint32_t i, bool *is_left);

/* The task completes. `status`: a string that says how, where that is not the ordinary way; else UNSET. */
int close_task(struct archive *a, struct location *l, uint64_t time, uint32_t task, uint32_t status);

/* The thread is no longer in the team of this implicit task, whose region has been left. */
int close_team(struct archive *a, struct location *l, uint64_t time, const struct open_region *implicit);

/* Joins the team that was forked last; first leaves what was entered since and is still open. */
int close_fork(struct archive *a, struct location *l, uint64_t time);

/* Leaves the region of the current unit, the innermost one; a->attributes says why. */
int close_fragment(struct archive *a, struct location *l, uint64_t time, uint32_t unit);

/* Leaves the innermost region, of a unit whose own stop is missing or comes later: it resumes elsewhere, if at all. */
int close_cut_fragment(struct archive *a, struct location *l, uint64_t time);

/* The thread is no longer in the units' team. */
int close_units(struct archive *a, struct location *l, uint64_t time);

/* Closes whatever is open on the location, and the location. Does nothing the second time. */
int close_location(struct archive *a, uint32_t stream);

/* ---- Holds ---- */

/*
 * The mutexes that tasks hold on a location. Runs on one thread at a time for each location.
 */

/* The hold that this acquisition began, or NULL. */
struct lock_hold *holds_find(struct location *l, uint32_t lock, uint32_t order);

/* Does the current task hold this lock by another acquisition, whose release is not in the records? */
bool holds_otherwise(const struct location *l, uint32_t lock, uint32_t order);

/* A new one, of the current task. Its depth is 0. */
struct lock_hold *holds_add(const struct process *p, struct location *l, uint32_t lock, uint32_t order);

/*
 * At l->next_due, which becomes that of the next hold: another thread acquires a mutex of which the release is recorded later.
 * It is written now, where its task is current. The hold stays, with depth 0, until its release comes. 0 or -1.
 */
int holds_release_late(struct archive *a, struct location *l);

/* Writes one release. 0 or -1. */
int holds_write_release(struct archive *a, struct location *l, uint64_t time, const struct lock_hold *hold);

/* Takes it off the list. */
void holds_remove(struct location *l, struct lock_hold *hold);

/*
 * holds_end.c: the task ends, and holds mutexes whose releases are not recorded. Where records are missing, it releases them now:
 * others may acquire them later. In a complete dump the program has left them locked. UNSET: all tasks' on the location,
 * before a gap. 0 or -1.
 */
int holds_release(struct archive *a, struct location *l, uint64_t time, uint32_t task);

#endif
