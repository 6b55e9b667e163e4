/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tables of nodes say of each task's time beside what it executed (busy.h): how long it waited and was preempted,
 * what it cost its creator, since when it was ready. builder/states/ fills it during the replay (states/task_times.h), and
 * it is constant afterwards; any thread reads it.
 */
#ifndef OTTER_BUILDER_MODEL_TASK_TIMES_H
#define OTTER_BUILDER_MODEL_TASK_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The tasks that the runtime reported to wait for others, those that came when one ran that they exclude (mutexinoutset), and
 * the dummies of waits that had to, by row.
 */
struct ready_delays {
	struct ready_delay {
		uint32_t task;
		uint64_t ticks; /* since when it is ready: the last of those it waited for was complete; UINT64_MAX: not known */
	} * delays;
	size_t n;
};

/* The first of the delays that is not of an earlier task. */
static inline size_t ready_find_delay(const struct ready_delays *delays, uint32_t task)
{
	size_t low = 0, high = delays->n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (delays->delays[middle].task < task)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* When a task that has to wait for others has no predecessor left to wait for; 0: it has to wait for none. */
static inline uint64_t ready_since(const struct ready_delays *delays, uint32_t task)
{
	size_t i = ready_find_delay(delays, task);
	return i < delays->n && delays->delays[i].task == task ? delays->delays[i].ticks : 0;
}

/* By row of model.tasks. Rows are only touched where there is something to say, so that the others take no memory. */
struct task_times {
	uint64_t *wait_ticks;      /* how long threads that were in the task waited */
	uint64_t *preempted_ticks; /* NULL: switches were not recorded */
	uint64_t *creation_ticks;  /* what its creator executed to create it, plus 1; 0: not known */
	const struct ready_delays *delays;
	bool has_delays; /* the runtime reports which tasks have to wait for others */
};

#endif
