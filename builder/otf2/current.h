/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Who is current on a location, in the archive: one of OpenMP's tasks or one of Argobots' units. Every event in between
 * belongs to it, so each change is a ThreadTaskSwitch. Called by all files that write events of tasks and units. One
 * thread.
 *
 * Each function that returns int returns 0 or -1.
 */
#ifndef OTTER_BUILDER_OTF2_CURRENT_H
#define OTTER_BUILDER_OTF2_CURRENT_H

#include "builder/otf2/archive.h"

/*
 * How the archive names a task: (communicator of its binding team, rank of the creating thread, that thread's number
 * for it).
 */
struct key {
	uint32_t comm, rank, generation;
};
struct key current_key(struct archive *a, uint32_t task);

/* The communicator of an implicit task's team. */
uint32_t current_team_comm(struct archive *a, uint32_t implicit_task);

/* May the task be current on the location, as far as other records allow it? */
bool current_can_be(const struct process *p, const struct location *l, uint32_t task);

/* From when on it may: `time`, or later. This becomes the location's latest time. */
uint64_t current_time(const struct process *p, struct location *l, uint64_t time, uint32_t task);

/* What is kept about a marked task: NULL where there is nothing; then current_keep makes it. */
struct suspended *current_find(const struct process *p, uint32_t task);
struct suspended *current_keep(struct archive *a, uint32_t task);

/* The task becomes current on the location (is_here), or stops to be. */
void current_note(struct archive *a, struct location *l, uint64_t time, uint32_t task, bool is_here);

/* Makes the task current. */
int current_switch(struct archive *a, struct location *l, uint64_t time, uint32_t task);

/* Makes some task current that may be: the one whose region is innermost, or what the location began with. */
int current_any(struct archive *a, struct location *l, uint64_t time);

int current_require_slow(struct archive *a, struct location *l, uint64_t time, uint32_t task);

/*
 * Before an event that belongs to the task: makes it current if it is not. Where it cannot be, l->running is another
 * one afterwards.
 */
static inline int current_require(struct archive *a, struct location *l, uint64_t time, uint32_t task)
{
	return l->running == task ? 0 : current_require_slow(a, l, time, task);
}

/* Makes the unit current, if it is not; 0: the thread's implicit task in the units' team. */
int current_require_unit(struct archive *a, struct location *l, uint64_t time, uint32_t unit);

#endif
