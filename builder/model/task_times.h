/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each task's times in the tables of nodes, beside how long it executed (busy.h): how long it waited and was preempted,
 * what it cost its creator, since when it was ready. builder/states/ fills them during the replay (states/task_times.h);
 * they are constant afterwards, and any thread reads them.
 */
#ifndef OTTER_BUILDER_MODEL_TASK_TIMES_H
#define OTTER_BUILDER_MODEL_TASK_TIMES_H

#include "builder/model/tables.h"
#include "builder/support/lower_bound.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The tasks that had to wait for others: those that the runtime reported to do so, those that were created while a task ran
 * that they exclude (mutexinoutset), and the dummies of waits; ordered by row.
 */
struct ready_delays {
	struct ready_delay {
		uint32_t task;
		uint64_t
			ticks; /* since when it is ready: when the last task that it waited for was complete; UINT64_MAX: unknown */
	} * delays;
	size_t n;
};

/* The index of the first delay of this task or a later one. */
static inline size_t ready_find_delay(const struct ready_delays *delays, uint32_t task)
{
	return lower_bound(i, 0, delays->n, delays->delays[i].task < task);
}

/* When a task that has to wait for others has no predecessor left; 0: it does not have to wait. */
static inline uint64_t ready_since(const struct ready_delays *delays, uint32_t task)
{
	size_t i = ready_find_delay(delays, task);
	return i < delays->n && delays->delays[i].task == task ? delays->delays[i].ticks : 0;
}

/* Does the runtime report which tasks have to wait for others? LLVM's does; one with lists of dependences, but no delay, may not. */
static inline bool ready_delays_are_known(const struct model *m)
{
	return m->is_libomp || m->n_delays != 0 || m->n_events[EVENT_dependences] == 0;
}

/*
 * For how long a task that a construct created was ready before it began, where ready_delays_are_known(). UINT64_MAX: it never
 * began, or waited for a task whose end is not recorded.
 */
static inline uint64_t ready_before(const struct model *m, const struct ready_delays *delays, uint32_t row)
{
	const struct task *task = &m->tasks[row];
	const unsigned both = TASK_CREATED | TASK_STARTED;
	uint64_t delay_ticks = ready_since(delays, row);
	if (!task_is_explicit(task) || (task->state & both) != both || delay_ticks == UINT64_MAX)
		return UINT64_MAX;
	uint64_t since_ticks = delay_ticks > task->create_ticks ? delay_ticks : task->create_ticks;
	return task->start_ticks > since_ticks ? task->start_ticks - since_ticks : 0;
}

/* By row of model.tasks. Rows are written only where they are not 0, so that the others take no memory. */
struct task_times {
	uint64_t *wait_ticks;      /* how long threads that were in the task waited */
	uint64_t *preempted_ticks; /* NULL: switches were not recorded */
	uint64_t *creation_ticks;  /* what its creator executed to create it, plus 1; 0: not known */
	const struct ready_delays *delays;
	bool has_delays; /* the runtime reports which tasks have to wait for others */
};

#endif
