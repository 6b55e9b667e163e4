/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One location: its writer, its time stamps, and the stack of regions that are open on it. These functions write what
 * they are told; enter.h sees to it that the right task is current before. Called by all files that write events of
 * threads. One thread.
 *
 * Each function that returns int returns 0 or -1.
 */
#ifndef OTTER_BUILDER_OTF2_LOCATION_H
#define OTTER_BUILDER_OTF2_LOCATION_H

#include "builder/otf2/archive.h"

/* Opens the location's writer, if it is not open, with ProgramBegin on the process's first location. */
int location_open(struct archive *a, uint32_t stream);

/*
 * Writes what comes last on the location, counts its events and gives the writer back. No region is open any more,
 * unless the archive failed.
 */
int location_end(struct archive *a, uint32_t stream);

/*
 * Writes a location's local definitions, which are empty, as all numbers in events are global. Consumers refuse
 * archives without the file.
 */
int location_write_definitions(struct archive *a, uint64_t id);

/*
 * The time stamp of an event at `ticks`: never before the location's latest one, never outside of the process. Samples
 * up to then are written, and measurement is turned on if it is off.
 */
uint64_t location_stamp(struct archive *a, struct location *l, uint64_t ticks);

/* Recording was turned on, or off. */
int location_measurement(struct archive *a, struct location *l, uint64_t ticks, bool is_on);

/* Enters a region, and puts it on top of those that are open. */
int location_push(struct archive *a, struct location *l, uint64_t time, const struct open_region *region,
		  OTF2_AttributeList *attributes);

/* Leaves the innermost region, and takes it off. */
int location_pop(struct archive *a, struct location *l, uint64_t time, OTF2_AttributeList *attributes);

/* The place of the task's own region (OPEN_TASK, OPEN_IMPLICIT, OPEN_INITIAL) in l->open, or l->n_open. */
uint32_t location_find_open(const struct location *l, uint32_t task);

/* Does the task own an open region here? */
bool location_owns(const struct location *l, uint32_t task);

/* May it, or be the task around a team's region? False is certain. */
static inline bool location_may_own(const struct process *p, uint32_t task)
{
	return task == 0 || p->is_scattered || task_bit(p, task, TASK_BIT_OPEN);
}

/* The implicit task whose team is the innermost one on the location, or 0. */
uint32_t location_team_task(const struct location *l);

int location_parameter(struct archive *a, struct location *l, uint64_t time, uint32_t parameter, uint64_t value);

#endif
