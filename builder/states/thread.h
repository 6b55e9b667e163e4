/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is known of a thread while its states are derived, and how it passes into another one (thread.c). Shared by
 * states.c (OpenMP) and units.c (Argobots), and used by no other file.
 */
#ifndef OTTER_BUILDER_STATES_THREAD_H
#define OTTER_BUILDER_STATES_THREAD_H

#include "builder/states/stack.h"

struct thread_state {
	enum state state; /* of its current task, or, without one, of the thread between two tasks */
	enum state shown; /* in the tables and for the listeners; STATE_NONE: no thread has the stream */
	/* Argobots: in a scheduler the thread looks for work, whatever OpenMP's current task is. */
	enum { NOT_IN_UNITS, IN_SCHEDULER, IN_UNIT } in_units;
	uint64_t since_ticks;
	uint64_t tid;
	/*
	 * A unit that stopped to wait and runs again: only its next event shows whether it still waits. 0: there is
	 * none.
	 */
	uint32_t undecided;
	uint64_t undecided_ticks;
	enum state undecided_state; /* if it does not wait */
	uint32_t task;              /* current, 0 none */
	enum state around;          /* the state that it comes back to after the mutex that it waits for */
	bool is_attached;           /* an OS thread has the stream */
	bool is_recording;          /* the program has not paused it */
	bool is_in_gap;             /* records are missing */
	bool is_in_lock;            /* it waits for a lock, or for a mutex of unknown kind, without a scope */
	struct stack tasks;         /* suspended on this thread */
	struct stack implicits;     /* the tasks around the implicit tasks that it is in */
	struct stack regions;       /* encountered by it and open */
};

/* The thread passes into the state now, if it is not the one that is shown. 0, or -1 with the error printed. */
int states_pass(struct states *states, uint32_t stream, enum state to, uint64_t ticks);

/* ---- units.c ---- */

/* The state of a thread that runs units, or their scheduler. */
enum state states_of_units(const struct thread_state *thread);

/* If a unit is undecided, decides: it has waited until now, or it has worked since it ran again. 0, or -1. */
int states_decide(struct states *states, uint32_t stream, bool has_waited);

/* Of replay_ops. */
int states_unit_switch(void *self, const struct point *at, const struct unit_switch *change);
int states_unit_poll(void *self, const struct point *at, uint32_t unit, const struct unit_wait *wait, uint64_t count);
int states_unit_join(void *self, const struct point *at, uint32_t unit, uint32_t joiner, bool is_first);
int states_unit_acts(void *self, const struct point *at, uint32_t unit, uint32_t by);
int states_unit_resumes(void *self, const struct point *at, uint32_t unit, uint32_t waker, const struct unit_wait *wait);

/* The state that the thread is in now. */
static inline enum state state_now(const struct thread_state *t)
{
	return !t->is_attached                    ? STATE_NONE
	       : !t->is_recording || t->is_in_gap ? STATE_UNDEFINED
	       : t->in_units != NOT_IN_UNITS      ? states_of_units(t)
						  : t->state;
}

static inline int pass(struct states *states, const struct point *at)
{
	struct thread_state *t = &states->threads[at->stream];
	if (t->undecided != 0 && states_decide(states, at->stream, false) != 0)
		return -1;
	enum state now = state_now(t);
	busy_change(&states->busy, at->stream, state_is_executing(now) ? t->task : 0, at->ticks);
	return now == t->shown ? 0 : states_pass(states, at->stream, now, at->ticks);
}

#endif
