/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A thread's sweep over the tasks that become ready (ready.h), in the order of time: what the thread could have run at the
 * time that the sweep has reached. Where a thread may run any task, a query takes a number of steps logarithmic in the
 * number of tasks since the last query. Where it may run only descendants of a task, the sweep examines each task of the
 * thread's region once, and steps over whole blocks of those that have begun by then. So all queries of a thread together
 * take time linear in the number of tasks, however long these stay ready and however many threads wait.
 *
 * The tasks that are ready at a time are not kept: the latest time at which one of those that became ready begins shows
 * whether one still is. There is such a time for the descendants of each task that is tied to the thread, as the thread
 * may run only these while it waits in that task (OpenMP 5.1 section 2.12.6); one for the untied tasks of the region;
 * and one for all of them. Called by states.c and wait.c during the replay: one sweep a stream, on its thread.
 */
#ifndef OTTER_BUILDER_STATES_SWEEP_H
#define OTTER_BUILDER_STATES_SWEEP_H

#include "builder/states/ready.h"

struct sweep {
	struct sweep_level { /* the tasks of a region in whose team the thread is */
		uint32_t region;
		struct sweep_cursor {
			size_t next, end;
			uint64_t next_ticks; /* UINT64_MAX: none left */
			size_t taken;        /* index: tasks before this one were examined for ties */
		} cursors[READY_LISTS];
		struct ready_latest so_far; /* of those that became ready so far */
	} * levels;                         /* of nested regions, the innermost last */
	size_t n_levels, levels_capacity;
	struct sweep_tie {
		uint64_t start_ticks;
		uint64_t ready_ticks; /* until when a descendant is ready that became ready so far, without those of inner ties */
		uint32_t task;
	} * ties; /* tasks that are tied to the thread, in the order in which they began */
	size_t n_ties, ties_capacity;
	size_t n_childless; /* number of ties, from the first on, that have created no task */
	struct sweep_memo {
		uint32_t task, tie; /* the tie found around a task far below it, 0 none */
	} * memos;                  /* cache; NULL: no task was far below its tie yet */
};

void sweep_free(struct sweep *sweep);

/* For the next ones: where a beginning task is not the latest tie; where an ending one is not, or has ready descendants. */
void sweep_task_begins_before(struct sweep *sweep, uint32_t task, uint64_t start_ticks);
void sweep_task_ends_before(struct sweep *sweep, const struct ready *ready, uint32_t stream, uint32_t task, uint64_t ticks);

/* A tied task begins on the thread. */
static inline void sweep_task_begins(struct sweep *sweep, uint32_t task, uint64_t start_ticks)
{
	size_t n = sweep->n_ties;
	if (n == sweep->ties_capacity || (n > 0 && sweep->ties[n - 1].start_ticks > start_ticks)) {
		sweep_task_begins_before(sweep, task, start_ticks);
		return;
	}
	sweep->ties[n] = (struct sweep_tie){start_ticks, 0, task};
	sweep->n_childless += sweep->n_childless == n;
	sweep->n_ties = n + 1;
}

/*
 * The current task `creator` creates the task `row`. A child that may be run at once is known to its tie from here on: most
 * queries before it begins need no sweep then.
 */
static inline void sweep_creates(struct sweep *sweep, const struct ready *ready, uint32_t creator, uint32_t row)
{
	size_t n = sweep->n_ties;
	if (n == 0)
		return;
	struct sweep_tie *tie = &sweep->ties[n - 1];
	if (sweep->n_childless == n)
		sweep->n_childless = tie->task == creator ? n - 1 : 0;
	const struct task *task = &ready->m->tasks[row];
	uint64_t begins = ready_begins(ready->m, row);
	if (begins > tie->ready_ticks && tie->task == creator && task->parent == creator && !(task->flags & task_flags_untied) &&
	    ready_is_for_others(ready->m, row) && !ready_is_for_helpers(ready, row) && ready_since(&ready->delays, row) == 0)
		tie->ready_ticks = begins;
}

/* A tied task ends on the thread, or will not resume. */
static inline void sweep_task_ends(struct sweep *sweep, const struct ready *ready, uint32_t stream, uint32_t task, uint64_t ticks)
{
	size_t n = sweep->n_ties;
	if (n == 0 || sweep->ties[n - 1].task != task || sweep->ties[n - 1].ready_ticks > ticks) {
		sweep_task_ends_before(sweep, ready, stream, task, ticks);
		return;
	}
	sweep->n_ties = n - 1;
	if (sweep->n_childless >= n)
		sweep->n_childless = n - 1;
}

/* The thread leaves the region's team. */
void sweep_region_ends(struct sweep *sweep, uint32_t region);

/* Nothing is known of the thread any more. */
void sweep_forget(struct sweep *sweep);

/* What the thread could run at a time. */
struct sweep_answer {
	uint64_t ready_ticks;      /* until when a task is ready that it might run, if that is later */
	uint64_t unfinished_ticks; /* until when a task of the region is not complete, if that is later */
	uint64_t next_ticks;       /* when to query again: no task becomes ready before; UINT64_MAX: never */
};

/*
 * A query at a time that is not before that of the last query. ancestor: new tied tasks have to be descendants of this
 * one, which is tied to the thread; 0: the thread may run any task of the region.
 */
struct sweep_answer sweep_to(struct sweep *sweep, const struct ready *ready, uint32_t stream, uint32_t region, uint32_t ancestor,
			     uint64_t ticks);

/* The same for the descendants of this task alone, if it is the tied task that began last on the thread. */
static inline uint64_t sweep_latest_until(const struct sweep *sweep, uint32_t task)
{
	const struct sweep_tie *latest = sweep->n_ties > 0 ? &sweep->ties[sweep->n_ties - 1] : NULL;
	return latest != NULL && latest->task == task ? latest->ready_ticks : 0;
}

/* Until when at least a task is ready that the thread might run, as far as earlier queries found; 0: not known. */
uint64_t sweep_known(const struct sweep *sweep, const struct ready *ready, uint32_t region, uint32_t ancestor);

#endif
