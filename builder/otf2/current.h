/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is current on a location, in the archive: one of OpenMP's tasks or one of Argobots' units. Every event in between
 * belongs to it, so each change is a ThreadTaskSwitch. Runs on one thread at a time for each location.
 *
 * Each function that returns int returns 0 or -1.
 */
#ifndef OTTER_BUILDER_OTF2_CURRENT_H
#define OTTER_BUILDER_OTF2_CURRENT_H

#include "builder/otf2/archive.h"
#include "builder/otf2/location.h"

/* Before the first event of a process, and after its last one. */
void current_begin(struct process *p);
void current_end(struct process *p);

struct key current_find_key_slow(struct archive *a, struct location *l, uint32_t task);

/* How the archive names a task. Most are created on the same stream, one after the other in the same region. */
static inline struct key current_find_key(struct archive *a, struct location *l, uint32_t task)
{
	const struct task *t = &a->now.model->tasks[task];
	uint32_t number = task - l->alike_base;
	if (number - 1 < l->n_alike && t->region == l->alike_region && task_is_explicit(t))
		return (struct key){l->alike.comm, l->alike.rank, number};
	return current_find_key_slow(a, l, task);
}

/* The same for a task that is current on the location, was current just now, or is when the innermost region continues. */
static inline struct key current_key(struct archive *a, struct location *l, uint32_t task)
{
	if (l->key_task != task) {
		struct open_region *top = l->n_open > 0 ? &l->open[l->n_open - 1] : NULL;
		bool is_tops = top != NULL && top->owner == task && task != 0;
		l->key = is_tops && top->key.comm != UNSET ? top->key : current_find_key(a, l, task);
		l->key_task = task;
		if (is_tops)
			top->key = l->key;
	}
	return l->key;
}

/* The communicator of an implicit task's team. */
uint32_t current_team_comm(struct archive *a, struct location *l, uint32_t implicit_task);

bool current_can_be_slow(const struct process *p, const struct location *l, uint32_t task);

/* May the task be current on the location, as far as other records allow it? */
static inline bool current_can_be(const struct process *p, const struct location *l, uint32_t task)
{
	const struct task *t = &p->model->tasks[task];
	bool is_plain = task_is_explicit(t) && !(t->flags & task_flags_taskwait) && t->run_stream == l->stream &&
			!(t->state & (TASK_CONTRADICTORY | TASK_MIGRATED));
	bool is_implicit = task == l->team_task && task != 0 && !task_is_explicit(t) && !(t->state & TASK_CONTRADICTORY);
	return is_implicit || (is_plain && !task_bit(p, task, TASK_BIT_COMPLETED)) || current_can_be_slow(p, l, task);
}

/* The time from which on the task may be current: `time`, or later. This becomes the location's latest time. */
uint64_t current_time_slow(const struct process *p, struct location *l, uint64_t time, uint32_t task);

/* The same: not before it is created, nor before what it did elsewhere. Clocks of two processors may say otherwise. */
static inline uint64_t current_time(const struct process *p, struct location *l, uint64_t time, uint32_t task)
{
	const struct task *t = &p->model->tasks[task];
	bool is_early = task_is_explicit(t) && t->state & TASK_CREATED && time <= clock_stamp(p, t->create_ticks);
	if (p->has_movers || (is_early && !task_bit(p, task, TASK_BIT_STARTED)))
		return current_time_slow(p, l, time, task);
	return l->last_time = time;
}

/* What is kept about a marked task; NULL if it is none. */
struct suspended *current_find(const struct process *p, uint32_t task);

void current_note_mover(struct archive *a, struct location *l, uint64_t time, uint32_t task, bool is_here);

/* The task becomes current on the location (is_here), or is no longer. */
static inline void current_note(struct archive *a, struct location *l, uint64_t time, uint32_t task, bool is_here)
{
	if (a->now.has_movers)
		current_note_mover(a, l, time, task, is_here);
}

/* Makes the task current. */
int current_switch(struct archive *a, struct location *l, uint64_t time, uint32_t task);

/* Makes a task current that may be: the one that owns the innermost region, or what the location began with. */
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

/* ---- Enter ---- */

/*
 * What is entered and left on a location, by its current task: every Enter and Leave of OpenMP goes through here, so
 * that regions nest in every task and on every location, whatever the records say. On one thread at a time for each
 * location.
 *
 * Each function returns 0 or -1.
 */

static inline int location_enter_with(struct archive *a, struct location *l, uint64_t time, uint32_t construct,
				      enum region_kind kind, uint32_t task, enum open_type type, OTF2_AttributeList *attributes)
{
	if (current_require(a, l, time, task) != 0)
		return -1;
	l->has_holes |= l->running != task;
	return location_push(
		a, l, time,
		(struct open_region){.construct = construct, .kind = kind, .task = task, .owner = l->running, .type = type},
		attributes);
}

static inline int location_enter(struct archive *a, struct location *l, uint64_t time, uint32_t construct, enum region_kind kind,
				 uint32_t task, enum open_type type)
{
	return location_enter_with(a, l, time, construct, kind, task, type, NULL);
}

/* Leaves the innermost region. */
static inline int location_leave_with(struct archive *a, struct location *l, uint64_t time, OTF2_AttributeList *attributes)
{
	uint32_t owner = l->open[l->n_open - 1].owner; /* what was entered by task 0, an unknown one, is left by it as well */
	if (owner != 0 ? current_require(a, l, time, owner) != 0 : l->running != 0 && current_any(a, l, time) != 0)
		return -1;
	return location_pop(a, l, time, attributes);
}

static inline int location_leave(struct archive *a, struct location *l, uint64_t time)
{
	return location_leave_with(a, l, time, NULL);
}

/* Leaves the task's innermost scope of this kind, and what is inside of it, if there is one here. */
int location_leave_kind(struct archive *a, struct location *l, uint64_t time, enum region_kind kind, uint32_t task);

/* Enters and leaves a region that takes no time. */
int location_pass(struct archive *a, struct location *l, uint64_t time, uint32_t region, uint32_t task);

#endif
