/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One location: its writer, its time stamps, and the stack of regions that are open on it. These functions write what
 * they are told; enter.h sees to it that the right task is current before. Called by all files that write events of
 * threads, on one thread at a time for each location.
 *
 * Each function that returns int returns 0 or -1.
 */
#ifndef OTTER_BUILDER_OTF2_LOCATION_H
#define OTTER_BUILDER_OTF2_LOCATION_H

#include "builder/otf2/clock.h"
#include "builder/otf2/regions.h"
#include "builder/support/array.h"

/* Opens the location's writer, if it is not open, with ProgramBegin on the process's first location. */
int location_open(struct archive *a, uint32_t stream);

/*
 * Writes what comes last on the location, counts its events and gives the writer back. No region is open any more,
 * unless the archive failed.
 */
int location_end(struct archive *a, uint32_t stream);

void location_free(struct location *l);

/* The rest of location_stamp, where samples are to be written, or measurement is off. */
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
	if (__builtin_expect(l->has_sample || !l->is_on, 0))
		location_catch_up(a, l, time);
	return l->last_time = time;
}

/* Recording was turned on, or off. */
int location_measurement(struct archive *a, struct location *l, uint64_t ticks, bool is_on);

/* Does the task own an open region here? */
bool location_owns(const struct location *l, uint32_t task);

/* May it, or be the task around a team's region? False is certain. */
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
	array_reserve((void **)&l->open, (size_t)l->n_open + 1, &l->open_capacity, sizeof *l->open);
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

/* Leaves the innermost region, and takes it off. */
static inline int location_pop(struct archive *a, struct location *l, uint64_t time, OTF2_AttributeList *attributes)
{
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

#endif
