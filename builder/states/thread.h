/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is known of a thread while its states are derived, and how it passes into another one (thread.c). Shared by the
 * files of states/ and the hooks for states of paradigms. One thread a stream.
 */
#ifndef OTTER_BUILDER_STATES_THREAD_H
#define OTTER_BUILDER_STATES_THREAD_H

#include "builder/states/sweep.h"
#include "builder/support/array.h"
#include "builder/states/states.h"

/* ---- Stack ---- */

/*
 * The tasks to which a thread returns: a stack, with the state that each task was in. Used by states.c.
 */

/* A task that was suspended for another one; or, for regions, the task that continues after the region. */
struct suspended_state {
	uint32_t task;
	enum state state;
	struct awaited_group *group; /* the innermost taskgroup that the task has open, NULL none */
};

struct stack {
	struct suspended_state *kept; /* the latest last */
	size_t n, capacity;
};

/* Room for one more. */
static inline struct suspended_state *keep(struct stack *stack)
{
	return array_add(stack->kept, stack->n, stack->capacity);
}

/* Takes the latest one off the stack; task 0 where the stack is empty. */
static inline struct suspended_state take(struct stack *stack)
{
	return stack->n > 0 ? stack->kept[--stack->n] : (struct suspended_state){0, STATE_UNDEFINED, NULL};
}

/* Takes a task out of the stack, from wherever it is; false: it is not there. Usually it is the latest one. */
static inline bool take_task(struct stack *stack, uint32_t task, struct suspended_state *taken)
{
	for (size_t i = stack->n; i > 0; i--) {
		if (stack->kept[i - 1].task != task)
			continue;
		*taken = stack->kept[i - 1];
		for (size_t j = i; j < stack->n; j++)
			stack->kept[j - 1] = stack->kept[j];
		stack->n--;
		return true;
	}
	return false;
}

/* The time in which a thread is in a wait and runs no task: it waits, or the runtime is at work (wait.c). */
struct gap {
	bool is_open;
	bool is_waiting;
	uint32_t task;         /* the task that waits */
	uint32_t ancestor;     /* the thread may begin only descendants of this task; 0: it may begin any task */
	enum state state;      /* the thread's state if it waits */
	uint64_t change_ticks; /* when is_waiting has to be decided anew */
};

/* A taskgroup that a task has open. */
struct awaited_group {
	uint64_t until;               /* when the last member ends that was created so far */
	uint64_t outer;               /* during its wait: the task's `awaited` without the taskgroup */
	struct awaited_group *around; /* the taskgroup around it, NULL none; in the free list: the next one */
};

struct thread_state {
	struct state_times *times; /* of the stream */
	uint32_t task;             /* current, 0 none */
	enum state state;          /* of its current task, or, without one, of the thread between two tasks */
	enum state shown;          /* the state in the tables and for the listeners; STATE_NONE: no thread has the stream */
	/*
	 * The thread is attached and recording, it runs no units, no records are missing, and it has a processor:
	 * thread_note_plain().
	 */
	bool is_plain;
	bool is_part;         /* only a part of the time counts: never plain */
	bool is_attached;     /* an OS thread has the stream */
	bool is_recording;    /* the program has not paused it */
	bool is_in_gap;       /* records are missing */
	bool is_in_lock;      /* it waits for a lock, or for a mutex of unknown kind, without a scope */
	uint32_t work_region; /* cache of states_work(): the region of the task looked up last */
	enum state work;      /* the state of a task of that region that does not wait */
	uint64_t since_ticks;
	struct awaited_group *group; /* the innermost taskgroup that the current task has open, NULL none */
	enum state around;           /* the state to which it returns after the mutex that it waits for */
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
	/* Units: in a scheduler the thread looks for work, whatever OpenMP's current task is. */
	enum { NOT_IN_UNITS, IN_SCHEDULER, IN_UNIT } in_units;
	uint64_t tid;
	/*
	 * A unit that stopped to wait and runs again: only its next event shows whether it still waits. 0: none.
	 */
	uint32_t undecided;
	uint64_t undecided_ticks;
	enum state undecided_state; /* its state if it does not wait */
	struct undecided_change {   /* the changes since then, as its thread lost its processor and got one again */
		uint64_t ticks;
		enum state state;
	} * undecided_changes;
	size_t n_undecided_changes, undecided_capacity;
	uint64_t given_busy_ticks, given_blocked_ticks; /* of the current unit, at the last event of units */
	unsigned off_why;                               /* off_why: it has no processor, or may have none; 0: it has one */
	bool is_unknown;                                /* it is not known whether it has a processor */
	uint64_t known_work_ticks;                      /* how long it had worked when is_unknown was set */
	char apart[64];                                 /* so that no two streams share a cache line */
};

/* ---- tasks.c ---- */

/* The state of a task that does not wait. */
enum state states_work(const struct states *states, struct thread_state *t, uint32_t task);

/* Is this the task of one of the runtime's own threads for target tasks? These wait for target tasks in any construct. */
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

/* The thread's state before an event. The record of the current task's beginning may be missing. */
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

/* Functions of replay_ops. */
int states_region_begin(void *self, const struct point *at, uint32_t region);
int states_region_end(void *self, const struct point *at, uint32_t region);
int states_implicit_begin(void *self, const struct point *at, uint32_t task);
int states_implicit_end(void *self, const struct point *at, uint32_t task);
int states_task_create(void *self, const struct point *at, uint32_t task);
int states_task_switch(void *self, const struct point *at, uint32_t prior, uint32_t next, unsigned status);

/* ---- thread.c ---- */

/* As states_pass(), for any thread. */
int states_pass_any(struct states *states, uint32_t stream, enum state to, uint64_t ticks);

/* The stream's thread was in `from` since since_ticks, and has passed into the shown state: calls the listeners. 0, or -1. */
int states_emit(struct states *states, uint32_t stream, enum state from, uint64_t since_ticks, uint64_t ticks);

/* From now on it is known, or not known any more, whether the stream's thread has a processor. */
void states_know(struct states *states, uint32_t stream, bool is_known, uint64_t ticks);

/* ---- wait.c ---- */

void states_wait_begin(struct states *states);
void states_wait_free(struct states *states);

/* The task was created: its parent's next wait is for it, too. A dummy (task_flags_taskwait) is a wait itself. */
void states_await_child(struct states *states, const struct point *at, uint32_t task);
/* The wait that has this dummy task is over. */
void states_await_no_predecessor(struct states *states, uint32_t task, uint32_t dummy);

/* The task enters, and leaves, a scope in which it may wait. */
void states_enter_wait(struct states *states, const struct point *at, const struct scope *scope);
void states_leave_wait(struct states *states, const struct point *at, const struct scope *scope);

/* As pass(), for any thread, and any state. */
int states_pass_gap(struct states *states, const struct point *at);

/* Shows all changes between waiting and overhead before then. 0, or -1. */
int states_advance_gap(struct states *states, uint32_t stream, uint64_t ticks);

/* Functions of replay_ops for events that change no state. */
int states_cancel(void *self, const struct point *at, uint32_t task, unsigned flags);
int states_flush(void *self, const struct point *at, uint32_t construct);
int states_control_tool(void *self, const struct point *at, uint64_t command, uint64_t modifier);
int states_dispatch(void *self, const struct point *at, unsigned kind, uint64_t start, uint64_t iterations);
int states_buffer_flush(void *self, const struct point *at, uint64_t end_ticks);

/* ---- Units: tasks of another paradigm ---- */

/* What the paradigm that has units does for the states of their threads. On one thread. */
struct states_unit_hooks {
	/* In states_begin(): allocates states.units and states.unit_waits. */
	void (*begin)(struct states *states);
	/* A unit is undecided: it has waited until now, or it has worked since it ran again. 0, or -1. */
	int (*decide)(struct states *states, uint32_t stream, bool has_waited);
	/* The thread of an undecided unit lost its processor, or has one again: shown when the unit is decided. 0. */
	int (*change_undecided)(struct states *states, const struct point *at);
	/* From now on the stream's thread is in this state; `unit` is current on it, 0 none. Keeps all accounts of execution. */
	void (*account)(struct states *states, uint32_t stream, uint32_t unit, enum state now, uint64_t ticks);
};

/* If a unit is undecided, decides. 0, or -1. */
static inline int states_decide(struct states *states, uint32_t stream, bool has_waited)
{
	bool is_undecided = states->threads[stream].undecided != 0;
	return is_undecided ? states->model->tasking->states->decide(states, stream, has_waited) : 0;
}

/* From now on the stream's thread, which runs no unit, is in this state: keeps the accounts of tasks. */
static inline void states_account_task(struct states *states, uint32_t stream, enum state now, uint64_t ticks)
{
	uint32_t task = states->threads[stream].task;
	ticks = window_clip(&states->model->window, ticks);
	busy_change(&states->busy, stream, state_is_executing(now) ? task : 0, ticks);
	if (states->blocked.ticks != NULL)
		busy_change(&states->blocked, stream, now == STATE_BLOCKED ? task : 0, ticks);
}

/* The state of a thread that runs units, or looks for one. */
static inline enum state state_in_units(const struct thread_state *t)
{
	if (t->in_units == IN_SCHEDULER)
		return STATE_IDLE;
	/* A thread of an OpenMP team may run units as well; one that begins its initial task is in the runtime. */
	return t->task != 0 || t->state == STATE_OVERHEAD ? t->state : STATE_WORK_SERIAL;
}

/* The state that the thread is in now, if it has a processor. */
static inline enum state state_on_processor(const struct thread_state *t)
{
	return !t->is_attached                    ? STATE_NONE
	       : !t->is_recording || t->is_in_gap ? STATE_UNDEFINED
	       : t->in_units != NOT_IN_UNITS      ? state_in_units(t)
						  : t->state;
}

/* Does it have no processor, and is not ready for one, as its task waits, or the recorder's store does? */
static inline bool thread_is_blocked(const struct thread_state *t)
{
	return t->off_why == off_why_blocked || t->off_why == off_why_stalled;
}

/* The state that the thread is in now. A thread that waits in the runtime also waits there without a processor; but a thread
 * whose store is stalled does not wait for a mutex. */
static inline enum state state_now(const struct thread_state *t)
{
	enum state state = state_on_processor(t);
	if (t->off_why == off_why_preempted && (state_is_work(state) || state == STATE_OVERHEAD))
		return STATE_PREEMPTED;
	/* The recorder's store stalls at a record about a mutex: that mutex need not be held by any task. */
	bool is_for_mutex = t->off_why == off_why_stalled && state >= STATE_WAIT_MUTEX && state <= STATE_WAIT_ORDERED;
	return is_for_mutex || (thread_is_blocked(t) && state_is_work(state)) ? STATE_BLOCKED : state;
}

/* To be called when any of what it reads has changed. */
static inline void thread_note_plain(struct thread_state *t)
{
	t->is_plain = t->is_attached && t->is_recording && !t->is_in_gap && t->in_units == NOT_IN_UNITS && t->off_why == 0 &&
		      t->undecided == 0 && !t->is_part;
}

/* Can a wait in this state turn out to be overhead? */
static inline bool state_has_gap(enum state state)
{
	return state >= STATE_WAIT_BARRIER && state <= STATE_WAIT_TASKGROUP;
}

/* Adds the time in the shown state to the sums; from now on `to` is shown. */
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
	return states->n_listeners != 0 ? states_emit(states, stream, from, since_ticks, ticks) : 0;
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
