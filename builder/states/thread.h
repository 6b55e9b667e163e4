/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is known of a thread while its states are derived, and how it passes into another one (thread.c). Shared by
 * the files of states/, and used by no other file. One thread a stream.
 */
#ifndef OTTER_BUILDER_STATES_THREAD_H
#define OTTER_BUILDER_STATES_THREAD_H

#include "builder/states/stack.h"
#include "builder/states/sweep.h"

/* The time in which a thread is in a wait and runs no task: it waits, or the runtime is at work (wait.c). */
struct gap {
	bool is_open;
	bool is_waiting;
	uint32_t task;         /* whose wait it is */
	uint32_t ancestor;     /* whose descendants alone the thread may begin; 0: it may begin any task */
	enum state state;      /* if it waits */
	uint64_t change_ticks; /* when that is to be decided anew */
};

/* A taskgroup that a task has open. */
struct awaited_group {
	uint64_t until;               /* when the last member ends that was created so far */
	uint64_t outer;               /* of its wait: `awaited` of the task without it */
	struct awaited_group *around; /* the taskgroup around it, NULL none; or the next one that is free */
};

struct thread_state {
	struct state_times *times; /* of the stream */
	uint32_t task;             /* current, 0 none */
	enum state state;          /* of its current task, or, without one, of the thread between two tasks */
	enum state shown;          /* in the tables and for the listeners; STATE_NONE: no thread has the stream */
	/* The thread is attached and recording, it runs no units, no records are missing, and it has a processor: thread_note_plain(). */
	bool is_plain;
	bool is_part;         /* only a part of the time counts: never plain */
	bool is_attached;     /* an OS thread has the stream */
	bool is_recording;    /* the program has not paused it */
	bool is_in_gap;       /* records are missing */
	bool is_in_lock;      /* it waits for a lock, or for a mutex of unknown kind, without a scope */
	uint32_t work_region; /* the region of the latest task that was asked for, */
	enum state work;      /* and what a task of that region is in that does not wait */
	uint64_t since_ticks;
	struct awaited_group *group; /* the innermost taskgroup that the current task has open, NULL none */
	enum state around;           /* the state that it comes back to after the mutex that it waits for */
	struct gap gap;
	struct sweep sweep;     /* over the tasks that it could run */
	struct stack tasks;     /* suspended on this thread */
	struct stack implicits; /* the tasks around the implicit tasks that it is in */
	struct stack regions;   /* encountered by it and open */
	struct awaited_group *free_groups;
	struct group_block {
		struct group_block *next;
		struct awaited_group groups[32];
	} * group_blocks; /* all that were made here */
	/* Argobots: in a scheduler the thread looks for work, whatever OpenMP's current task is. */
	enum { NOT_IN_UNITS, IN_SCHEDULER, IN_UNIT } in_units;
	uint64_t tid;
	/*
	 * A unit that stopped to wait and runs again: only its next event shows whether it still waits. 0: there is
	 * none.
	 */
	uint32_t undecided;
	uint64_t undecided_ticks;
	enum state undecided_state; /* if it does not wait */
	struct undecided_change {   /* and what it came to since then, as it lost its processor and got one again */
		uint64_t ticks;
		enum state state;
	} * undecided_changes;
	size_t n_undecided_changes, undecided_capacity;
	uint64_t given_busy_ticks, given_blocked_ticks; /* of the current unit, at the last event that was of units */
	unsigned off_why;                               /* off_why: it has no processor, or may have none; 0: it has one */
	bool is_unknown;                                /* it is not known whether it has one */
	uint64_t known_work_ticks;                      /* how long it had worked when that began */
	char apart[64];                                 /* so that no two streams share a cache line */
};

/* ---- tasks.c ---- */

/* What a task is in that does not wait. */
enum state states_work(const struct states *states, struct thread_state *t, uint32_t task);

/* The runtime's own threads for target tasks: they wait for target tasks, whatever construct they are in. */
static inline bool is_helper(const struct states *states, uint32_t task)
{
	return states->model->tasks[task].state & TASK_HELPER;
}

/* Begins anew with the task that is current for the replay. */
static inline void thread_be_in(struct states *states, struct thread_state *t, uint32_t task)
{
	t->task = task;
	t->state = states_work(states, t, task);
	t->group = NULL;
}

/* The thread before an event. The record of the current task's beginning may be missing. */
static inline struct thread_state *thread_in_task(struct states *states, const struct point *at)
{
	struct thread_state *t = &states->threads[at->stream];
	if (t->task != at->task)
		thread_be_in(states, t, at->task);
	/* A test of a lock that fails is not reported: the next event shows that it is over. */
	if (t->is_in_lock) {
		t->is_in_lock = false;
		t->state = t->around;
	}
	return t;
}

/* A team has joined: the state of a thread that was in it with this implicit task, in the task `around`. */
enum state states_after(const struct states *states, const struct thread_state *t, uint32_t implicit, uint32_t around);

/* Of replay_ops. */
int states_region_begin(void *self, const struct point *at, uint32_t region);
int states_region_end(void *self, const struct point *at, uint32_t region);
int states_implicit_begin(void *self, const struct point *at, uint32_t task);
int states_implicit_end(void *self, const struct point *at, uint32_t task);
int states_task_create(void *self, const struct point *at, uint32_t task);
int states_task_switch(void *self, const struct point *at, uint32_t prior, uint32_t next, unsigned status);

/* ---- thread.c ---- */

/* As states_pass(), for any thread. */
int states_pass_any(struct states *states, uint32_t stream, enum state to, uint64_t ticks);

/* The stream's thread was in `from` since then, and has passed into the state that is shown: tells the listeners. 0, or -1. */
int states_tell(struct states *states, uint32_t stream, enum state from, uint64_t since_ticks, uint64_t ticks);

/* From now on it is known, or not known any more, whether the stream's thread has a processor. */
void states_know(struct states *states, uint32_t stream, bool is_known, uint64_t ticks);

/* ---- wait.c ---- */

void states_wait_begin(struct states *states);
void states_wait_free(struct states *states);

/* The task was created: its parent's next wait is for it, too. A dummy (task_flags_taskwait) is a wait itself. */
void states_await_child(struct states *states, const struct point *at, uint32_t task);
/* The wait whose dummy this is is over. */
void states_await_no_predecessor(struct states *states, uint32_t task, uint32_t dummy);

/* The task enters, and leaves, a scope in which it may wait. */
void states_enter_wait(struct states *states, const struct point *at, const struct scope *scope);
void states_leave_wait(struct states *states, const struct point *at, const struct scope *scope);

/* As pass(), for any thread, and any state. */
int states_pass_gap(struct states *states, const struct point *at);

/* Shows all changes between waiting and overhead before then. 0, or -1. */
int states_advance_gap(struct states *states, uint32_t stream, uint64_t ticks);

/* Of replay_ops: what changes no state. */
int states_cancel(void *self, const struct point *at, uint32_t task, unsigned flags);
int states_flush(void *self, const struct point *at, uint32_t construct);
int states_control_tool(void *self, const struct point *at, uint64_t command, uint64_t modifier);
int states_dispatch(void *self, const struct point *at, unsigned kind, uint64_t start, uint64_t iterations);
int states_buffer_flush(void *self, const struct point *at, uint64_t end_ticks);

/* ---- units.c ---- */

/* The state of a thread that runs units, or their scheduler. */
enum state states_of_units(const struct thread_state *thread);

/* If a unit is undecided, decides: it has waited until now, or it has worked since it ran again. 0, or -1. */
int states_decide(struct states *states, uint32_t stream, bool has_waited);

/* The thread of an undecided unit lost its processor, or has one again: shown when the unit is decided. 0 */
int states_undecided_change(struct states *states, const struct point *at);

/* ---- unit_busy.c ---- */

void states_unit_busy_begin(struct states *states);
void states_unit_busy_free(struct states *states);

/* From now on the stream's thread is in this state; `unit` is current on it, 0 none. Keeps all accounts of who executes. */
void states_account(struct states *states, uint32_t stream, uint32_t unit, enum state now, uint64_t ticks);

/* An event of units, at which this unit is current: has it only looked whether it still has to wait, since the last one? */
void states_close_look(struct states *states, const struct point *at, uint32_t unit, bool was_look);

/* Of replay_ops. */
int states_unit_switch(void *self, const struct point *at, const struct unit_switch *change);
int states_unit_poll(void *self, const struct point *at, uint32_t unit, const struct unit_wait *wait, uint64_t count,
		     bool was_look);
int states_unit_join(void *self, const struct point *at, uint32_t unit, uint32_t joiner, bool is_first, bool was_look);
int states_unit_acts(void *self, const struct point *at, uint32_t unit, uint32_t by);
int states_unit_resumes(void *self, const struct point *at, uint32_t unit, uint32_t waker, const struct unit_wait *wait);

/* The state that the thread is in now, if it has a processor. */
static inline enum state state_on_processor(const struct thread_state *t)
{
	return !t->is_attached                    ? STATE_NONE
	       : !t->is_recording || t->is_in_gap ? STATE_UNDEFINED
	       : t->in_units != NOT_IN_UNITS      ? states_of_units(t)
						  : t->state;
}

/* It has no processor, and is not ready for one: its task waits, or the recorder's store does. */
static inline bool thread_is_blocked(const struct thread_state *t)
{
	return t->off_why == off_why_blocked || t->off_why == off_why_stalled;
}

/* The state that the thread is in now. What waits in the runtime waits there without a processor, too; but a thread whose
 * store is stalled does not wait for a mutex. */
static inline enum state state_now(const struct thread_state *t)
{
	enum state state = state_on_processor(t);
	if (t->off_why == off_why_preempted && (state_is_work(state) || state == STATE_OVERHEAD))
		return STATE_PREEMPTED;
	/* The recorder's store that tells of a mutex: nobody has to have that mutex. */
	bool is_for_mutex = t->off_why == off_why_stalled && state >= STATE_WAIT_MUTEX && state <= STATE_WAIT_ORDERED;
	return is_for_mutex || (thread_is_blocked(t) && state_is_work(state)) ? STATE_BLOCKED : state;
}

/* To be called when any of what it reads has changed. */
static inline void thread_note_plain(struct thread_state *t)
{
	t->is_plain = t->is_attached && t->is_recording && !t->is_in_gap && t->in_units == NOT_IN_UNITS && t->off_why == 0 &&
		      t->undecided == 0 && !t->is_part;
}

/* Is it a state that can turn out to be overhead? */
static inline bool state_has_gap(enum state state)
{
	return state >= STATE_WAIT_BARRIER && state <= STATE_WAIT_TASKGROUP;
}

/* Adds up the state that is shown; then the other one is. */
static inline void thread_show(struct thread_state *t, enum state to, uint64_t ticks)
{
	struct state_times *times = t->times;
	times->ticks[t->shown] += ticks - t->since_ticks;
	times->count[t->shown] -= state_is_nothing(t->shown, t->since_ticks, ticks);
	times->count[to]++;
	t->shown = to;
	t->since_ticks = ticks;
}

/* The thread passes into the state now, if it is not the one that is shown. 0, or -1 with the error printed. */
static inline int states_pass(struct states *states, uint32_t stream, enum state to, uint64_t ticks)
{
	struct thread_state *t = &states->threads[stream];
	enum state from = t->shown;
	uint64_t since_ticks = t->since_ticks;
	if (ticks < since_ticks || ticks >= states->last_ticks || t->is_part)
		return states_pass_any(states, stream, to, ticks);
	thread_show(t, to, ticks);
	return states->n_listeners != 0 ? states_tell(states, stream, from, since_ticks, ticks) : 0;
}

/* The thread is in its state from now on. 0, or -1 with the error printed. Inline, as nearly every event ends with it. */
static inline __attribute__((always_inline)) int pass(struct states *states, const struct point *at)
{
	struct thread_state *t = &states->threads[at->stream];
	enum state now = t->state;
	bool has_changed = t->gap.is_open && t->gap.change_ticks < at->ticks;
	if (!t->is_plain || at->unit != 0 || has_changed || state_has_gap(now))
		return states_pass_gap(states, at);
	t->gap.is_open = false;
	busy_change(&states->busy, at->stream, state_is_executing(now) ? t->task : 0, at->ticks);
	return now == t->shown ? 0 : states_pass(states, at->stream, now, at->ticks);
}

#endif
