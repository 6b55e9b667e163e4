/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which tasks could be run by a thread other than their creator, and since when: those of each region in the order in
 * which they became ready. Made of the gathered tables before the replay and constant from then on, so that the sweeps
 * of all streams (sweep.h) may read it at the same time. Made and freed on one thread.
 */
#ifndef OTTER_BUILDER_STATES_READY_H
#define OTTER_BUILDER_STATES_READY_H

#include "builder/model/tables.h"
#include "builder/model/task_times.h"

#define READY_LEVELS 6
#define READY_BLOCK  16        /* tasks, or blocks of the level below */
#define READY_MANY   (1 << 14) /* fewer tasks are indexed sooner than threads are woken up */

/* The tasks by region, and of each region in the order in which they became ready. */
struct ready_list {
	uint32_t *tasks;
	uint64_t *ticks; /* since when they were ready; NULL: since they were created */
	size_t n;
	struct ready_span {
		uint32_t region;
		size_t first;
	} * spans; /* of each region that has some, by its row; one more ends the last */
	size_t n_spans;
	/* Of each block the latest time at which a task was begun: level 0 has blocks of tasks, level 1 blocks of these ... */
	uint64_t *begins[READY_LEVELS];
	struct ready_latest *until; /* of each block: with all tasks before it that are of the region of its last one */
};

/* The latest times of several tasks. */
struct ready_latest {
	uint64_t any_ticks, untied_ticks; /* when one that another thread might run was begun; an untied one */
	uint64_t unfinished_ticks;        /* when one was complete */
};

enum { READY_CREATED, READY_DELAYED, READY_LISTS };

struct ready {
	const struct model *m;
	struct ready_list lists[READY_LISTS]; /* those that were ready when they were created, and those that had to wait */
	struct ready_delays delays;
	bool is_empty;    /* no thread could run a task that it has not created */
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
 * runtime's own threads run target tasks, and a detached task is completed by anybody.
 */
bool ready_is_for_others(const struct model *m, uint32_t task);

/* When the task is complete; UINT64_MAX: no record tells. */
static inline uint64_t ready_end(const struct model *m, uint32_t task)
{
	return m->tasks[task].state & TASK_COMPLETED ? m->tasks[task].end_ticks : UINT64_MAX;
}

/* When somebody begins it, or it is discarded; UINT64_MAX: no record tells. */
static inline uint64_t ready_begins(const struct model *m, uint32_t task)
{
	return m->tasks[task].state & TASK_STARTED ? m->tasks[task].start_ticks : ready_end(m, task);
}

/* Is it a task of a target construct, which the runtime's own threads run, where it has some? */
static inline bool ready_is_for_helpers(const struct ready *ready, uint32_t row)
{
	return ready->has_helpers && ready->m->tasks[row].flags & task_flags_target;
}

/* Takes a task into the latest times; when one was begun that is for helpers does not matter to other threads. */
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
