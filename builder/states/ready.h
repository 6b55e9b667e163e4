/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which tasks were ready at a time: created, with all predecessors complete, and run by nobody yet. Made of the gathered
 * tables before the replay, so that the streams can be replayed one after the other. Used by wait.c; one thread.
 */
#ifndef OTTER_BUILDER_STATES_READY_H
#define OTTER_BUILDER_STATES_READY_H

#include "builder/model/tables.h"

#define READY_LEVELS 6
#define READY_BLOCK  16 /* tasks, or blocks of the level below */

/* Tasks in the order in which they became ready. */
struct ready_list {
	uint32_t *tasks;
	uint64_t *ticks; /* since when they were ready; NULL: since they were created */
	size_t n;
	/* Of each block the latest time at which a task was begun, and ended: level 0 has blocks of tasks, level 1 blocks of these ... */
	uint64_t *begins[READY_LEVELS], *ends[READY_LEVELS];
};

struct ready {
	const struct model *m;
	struct ready_list *lists; /* one for the tasks that each stream created, and one for those that had to wait for others */
	size_t n_lists;
	struct ready_delayed {
		uint32_t task;
		uint64_t ticks; /* since when it is ready */
	} * delayed;            /* tasks that had to wait for others, and dummies of waits that had to, by row */
	size_t n_delayed;
	size_t *cursors;  /* by stream that asks and list: where its last question was */
	bool has_untied;  /* some tasks may run anywhere in their team */
	bool has_helpers; /* target tasks run on threads of the runtime's own */
};

/* The thread that asks, because it waits. */
struct ready_asker {
	uint32_t stream; /* its times never decrease */
	uint32_t region; /* only tasks of this region's team can run there */
	/* New tied tasks have to be descendants of this one (OpenMP 5.1 section 2.12.6); 0: any task may run. */
	uint32_t ancestor;
};

void ready_begin(struct ready *ready, const struct model *m);
void ready_free(struct ready *ready);

/* A task that is ready then and may run on that thread, and in `begins` when somebody begins it; 0: there is none. */
uint32_t ready_find(struct ready *ready, const struct ready_asker *asker, uint64_t ticks, uint64_t *begins);

/* When such a task becomes ready after `ticks`, and before `limit`; else `limit`. */
uint64_t ready_next(struct ready *ready, const struct ready_asker *asker, uint64_t ticks, uint64_t limit);

/* When a task of that region ends that was created by `ticks` and is not complete then; 0: all are. */
uint64_t ready_unfinished(struct ready *ready, const struct ready_asker *asker, uint64_t ticks);

/* When a task that has to wait for others has no predecessor left to wait for; 0: it has to wait for none. */
uint64_t ready_since(const struct ready *ready, uint32_t task);

/* When the task is complete; UINT64_MAX: no record tells. */
static inline uint64_t ready_end(const struct model *m, uint32_t task)
{
	return m->tasks[task].state & TASK_COMPLETED ? m->tasks[task].end_ticks : UINT64_MAX;
}

#endif
