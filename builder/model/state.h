/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The names and numbers of thread states. builder/states/ determines which one a thread is in; outputs name it. One
 * thread.
 */
#ifndef OTTER_BUILDER_MODEL_STATE_H
#define OTTER_BUILDER_MODEL_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* OpenMP 5.1, section 4.4.4 (ompt_state_t), in the order of their numbers there. */
enum state {
	STATE_WORK_SERIAL,
	STATE_WORK_PARALLEL,
	STATE_WORK_REDUCTION,
	STATE_WAIT_BARRIER,
	STATE_WAIT_BARRIER_IMPLICIT_PARALLEL,
	STATE_WAIT_BARRIER_IMPLICIT_WORKSHARE,
	STATE_WAIT_BARRIER_IMPLICIT,
	STATE_WAIT_BARRIER_EXPLICIT,
	STATE_WAIT_BARRIER_IMPLEMENTATION,
	STATE_WAIT_BARRIER_TEAMS,
	STATE_WAIT_TASKWAIT,
	STATE_WAIT_TASKGROUP,
	STATE_WAIT_MUTEX,
	STATE_WAIT_LOCK,
	STATE_WAIT_CRITICAL,
	STATE_WAIT_ATOMIC,
	STATE_WAIT_ORDERED,
	STATE_WAIT_TARGET,
	STATE_WAIT_TARGET_MAP,
	STATE_WAIT_TARGET_UPDATE,
	STATE_IDLE,
	STATE_OVERHEAD,
	STATE_UNDEFINED,
	STATE_PREEMPTED, /* not OMPT's: the thread could run, in a task or the runtime, but another thread has its processor */
	STATE_BLOCKED,   /* not OMPT's: the thread is in a task and waits for something that the runtime does not know */
	STATES,
	STATE_NONE = STATES /* the stream has no thread at that time */
};

/* Does the thread need a processor in this state? A thread that waits may have none, and still waits. */
static inline bool state_is_work(enum state state)
{
	return state <= STATE_WORK_REDUCTION;
}

/* Does a thread in this state wait for a mutex, for a target construct? */
static inline bool state_is_mutex(enum state state)
{
	return state >= STATE_WAIT_MUTEX && state <= STATE_WAIT_ORDERED;
}

static inline bool state_is_target(enum state state)
{
	return state >= STATE_WAIT_TARGET && state <= STATE_WAIT_TARGET_UPDATE;
}

/* Does a thread in this state wait in a synchronisation? */
static inline bool state_is_sync(enum state state)
{
	return state >= STATE_WAIT_BARRIER && state <= STATE_WAIT_TASKGROUP;
}

/* OMPT's number, and its name without "ompt_state_". STATE_NONE counts as undefined. */
unsigned state_number(enum state state);
const char *state_name(enum state state);

/*
 * Should this interval be left out? A thread is in the undefined state from its beginning to its first event in OpenMP;
 * most often both have the same time.
 */
static inline bool state_is_nothing(enum state state, uint64_t since_ticks, uint64_t ticks)
{
	return state == STATE_UNDEFINED && since_ticks == ticks;
}

#endif
