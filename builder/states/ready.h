/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which tasks could be run by a thread other than their creator, and since when: the tasks of each region in the order in
 * which they became ready. Made from the gathered tables before the replay, and constant from then on, so that the sweeps
 * of all streams (sweep.h) may read it at the same time. Made and freed on one thread.
 */
#ifndef OTTER_BUILDER_STATES_READY_H
#define OTTER_BUILDER_STATES_READY_H

#include "builder/model/tables.h"
#include "builder/model/task_times.h"

#define READY_LEVELS 6
#define READY_BLOCK  16        /* tasks, or blocks of the level below */
#define READY_MANY   (1 << 14) /* indexing fewer tasks takes less time than waking up threads */

/* The tasks by region, within a region in the order in which they became ready. */
struct ready_list {
	uint32_t *tasks;
	uint64_t *ticks; /* since when they were ready; NULL: since they were created */
	size_t n;
	struct ready_span {
		uint32_t region;
		size_t first;
	} * spans; /* one for each region that has tasks, ordered by its row; an extra one marks the end of the last */
	size_t n_spans;
	/* By block: the latest time at which one of its tasks began. Level 0 has blocks of tasks, level 1 blocks of these, ... */
	uint64_t *begins[READY_LEVELS];
	struct ready_latest *until; /* by block: latest times of the region of its last task, up to the end of the block */
};

/* The latest times of several tasks. */
struct ready_latest {
	uint64_t any_ticks, untied_ticks; /* when a task that another thread might run was begun; an untied such task */
	uint64_t unfinished_ticks;        /* when a task was complete */
};

enum { READY_CREATED, READY_DELAYED, READY_LISTS };

struct ready {
	const struct model *m;
	struct ready_list lists[READY_LISTS]; /* those that were ready when they were created, and those that had to wait */
	struct ready_delays delays;
	bool is_empty;    /* no thread could run a task that another one has created */
	bool has_helpers; /* target tasks run on threads of the runtime's own */
};

void ready_begin(struct ready *ready, const struct model *m);
void ready_free(struct ready *ready);

/* ready_created.c: lists the tasks that were ready when they were created. `delays` are there already. */
void ready_add_created(struct ready *ready, struct ready_list *list);

/* The caller frees `delays`. */
struct ready_delays ready_delays_find(const struct model *m);

/*
 * Could a thread other than its creator run the task? Not in a team of one, and not if it is undeferred; but the
 * runtime's own threads run target tasks, and any thread may complete a detached task.
 */
static inline bool ready_is_for_others(const struct model *m, uint32_t row)
{
	const struct task *task = &m->tasks[row];
	const struct region *region = &m->regions[task->region];
	const unsigned left_out = task_flags_undeferred | task_flags_taskwait;
	if (!task_is_explicit(task) || !(task->state & TASK_CREATED) || task->flags & left_out)
		return false;
	return region->n_members_seen > 1 || region->actual > 1 || task->flags & task_flags_target || task->state & TASK_DETACHED;
}

/* When the task is complete; UINT64_MAX: no record says. */
static inline uint64_t ready_end(const struct model *m, uint32_t task)
{
	return m->tasks[task].state & TASK_COMPLETED ? m->tasks[task].end_ticks : UINT64_MAX;
}

/* When the task begins, or is discarded; UINT64_MAX: no record says. */
static inline uint64_t ready_begins(const struct model *m, uint32_t task)
{
	return m->tasks[task].state & TASK_STARTED ? m->tasks[task].start_ticks : ready_end(m, task);
}

/* Is it a task of a target construct, which the runtime's own threads run if there are any? */
static inline bool ready_is_for_helpers(const struct ready *ready, uint32_t row)
{
	return ready->has_helpers && ready->m->tasks[row].flags & task_flags_target;
}

/* Takes a task into the latest times; for other threads it does not matter when a task for helpers was begun. */
static inline void ready_take(const struct ready *ready, uint32_t row, struct ready_latest *latest)
{
	uint64_t begins = ready_begins(ready->m, row), end = ready_end(ready->m, row);
	latest->unfinished_ticks = end > latest->unfinished_ticks ? end : latest->unfinished_ticks;
	if (ready_is_for_helpers(ready, row))
		return;
	latest->any_ticks = begins > latest->any_ticks ? begins : latest->any_ticks;
	if (ready->m->tasks[row].flags & task_flags_untied)
		latest->untied_ticks = begins > latest->untied_ticks ? begins : latest->untied_ticks;
}

/* Takes those of other tasks into the latest times. */
static inline void ready_join(struct ready_latest *latest, const struct ready_latest *other)
{
	if (other->any_ticks > latest->any_ticks)
		latest->any_ticks = other->any_ticks;
	if (other->untied_ticks > latest->untied_ticks)
		latest->untied_ticks = other->untied_ticks;
	if (other->unfinished_ticks > latest->unfinished_ticks)
		latest->unfinished_ticks = other->unfinished_ticks;
}

/* Since when the i-th task of the list is ready. */
static inline uint64_t ready_ticks(const struct ready *ready, const struct ready_list *list, size_t i)
{
	return list->ticks != NULL ? list->ticks[i] : ready->m->tasks[list->tasks[i]].create_ticks;
}

#endif
