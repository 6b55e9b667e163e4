/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How long each task, and each unit of Argobots, has executed: the only account of it. builder/states/ keeps it during the
 * replay, as it knows which threads work and which wait; the graph takes the times of tasks, units and fragments from it, and
 * the summary those of mutual exclusion, so that no two outputs can differ. A task's row is used on the thread of the stream
 * in which the task is current.
 *
 * A task executes while its thread is in one of the states that state_is_executing() names, and it is the current task.
 */
#ifndef OTTER_BUILDER_MODEL_BUSY_H
#define OTTER_BUILDER_MODEL_BUSY_H

#include "builder/model/state.h"

struct busy {
	uint64_t *ticks; /* by row of model.tasks, or of model.units, without what `streams` will add */
	struct busy_stream {
		uint32_t task; /* the task or unit that executes, 0 none */
		uint64_t since_ticks;
		char apart[48]; /* so that no two streams share a cache line */
	} * streams;            /* by row of dump.streams */
};

/* How long units executed outside of OpenMP's regions, and how long they were blocked there; neither while they polled. */
struct unit_busy {
	struct busy busy, blocked; /* by row of model.units; ticks of `blocked` is NULL where switches were not recorded */
};

/*
 * Does the current task execute something in this state? A target construct counts: no record of the host shows how much
 * of it is waiting for the device.
 */
static inline bool state_is_executing(enum state state)
{
	const unsigned executing = 1u << STATE_WORK_SERIAL | 1u << STATE_WORK_PARALLEL | 1u << STATE_WORK_REDUCTION |
				   1u << STATE_WAIT_TARGET | 1u << STATE_WAIT_TARGET_MAP | 1u << STATE_WAIT_TARGET_UPDATE;
	return executing >> state & 1;
}

/* How long the task, which is the current one of this stream or of none, has executed until now. */
static inline uint64_t busy_until(const struct busy *busy, uint32_t stream, uint32_t task, uint64_t ticks)
{
	const struct busy_stream *s = &busy->streams[stream];
	return busy->ticks[task] + (s->task == task && task != 0 && ticks > s->since_ticks ? ticks - s->since_ticks : 0);
}

/*
 * How much more a task has executed by `now` than at `*then`, both in ticks that it has executed; sets `*then` to `now`. Where
 * records contradict each other, as where two streams execute one task at once, `now` may be less: returns 0, `*then` stays.
 */
static inline uint64_t busy_grown(uint64_t *then, uint64_t now)
{
	uint64_t ticks = now > *then ? now - *then : 0;
	*then += ticks;
	return ticks;
}

/* From now on this task executes on the stream; 0: none does. */
static inline void busy_change(struct busy *busy, uint32_t stream, uint32_t task, uint64_t ticks)
{
	struct busy_stream *s = &busy->streams[stream];
	if (s->task == task)
		return;
	if (s->task != 0)
		busy->ticks[s->task] = busy_until(busy, stream, s->task, ticks);
	s->task = task;
	s->since_ticks = ticks;
}

#endif
