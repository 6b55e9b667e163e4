/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Derives thread states. A thread is in the state of its current task: work, unless the task waits in a scope, for a mutex
 * or for its predecessors. While another task runs on the thread, the state is kept with the suspended task. A thread
 * without a current task is between two tasks: its state follows from what it did last. Runs on the thread of each stream.
 */
#include "builder/states/states.h"
#include "builder/states/thread.h"
#include "builder/support/memory.h"
#include "builder/model/state.h"
#include "builder/replay/replay.h"

#include <stdlib.h>

/* ---- Kinds of waits ---- */

/*
 * Which thread state belongs to a kind of synchronisation, mutex or target construct. Any thread.
 */

/* Numbers after the last kind, or between two, are unknown kinds. */
static inline enum state state_of_sync(unsigned kind)
{
	static const uint8_t states[] = {[sync_kind_barrier_implicit] = STATE_WAIT_BARRIER_IMPLICIT,
					 [sync_kind_barrier_explicit] = STATE_WAIT_BARRIER_EXPLICIT,
					 [sync_kind_barrier_implementation] = STATE_WAIT_BARRIER_IMPLEMENTATION,
					 [sync_kind_barrier_implicit_workshare] = STATE_WAIT_BARRIER_IMPLICIT_WORKSHARE,
					 [sync_kind_barrier_implicit_parallel] = STATE_WAIT_BARRIER_IMPLICIT_PARALLEL,
					 [sync_kind_barrier_teams] = STATE_WAIT_BARRIER_TEAMS,
					 [sync_kind_taskwait] = STATE_WAIT_TASKWAIT,
					 [sync_kind_taskgroup] = STATE_WAIT_TASKGROUP};
	return kind < sizeof states && states[kind] != 0 ? states[kind] : STATE_WAIT_BARRIER;
}

/* The state of a thread that waits for a mutex of this kind (mutex_kind). */
static inline enum state state_of_mutex(unsigned kind)
{
	static const uint8_t states[] = {[mutex_kind_lock] = STATE_WAIT_LOCK,         [mutex_kind_test_lock] = STATE_WAIT_LOCK,
					 [mutex_kind_nest_lock] = STATE_WAIT_LOCK,    [mutex_kind_test_nest_lock] = STATE_WAIT_LOCK,
					 [mutex_kind_critical] = STATE_WAIT_CRITICAL, [mutex_kind_atomic] = STATE_WAIT_ATOMIC,
					 [mutex_kind_ordered] = STATE_WAIT_ORDERED};
	return kind < sizeof states && states[kind] != 0 ? states[kind] : STATE_WAIT_MUTEX;
}

static inline enum state state_of_target(unsigned kind)
{
	switch (kind) {
	case target_kind_enter_data:
	case target_kind_enter_data_nowait:
	case target_kind_exit_data:
	case target_kind_exit_data_nowait: return STATE_WAIT_TARGET_MAP;
	case target_kind_update:
	case target_kind_update_nowait: return STATE_WAIT_TARGET_UPDATE;
	default: return STATE_WAIT_TARGET;
	}
}

/*
 * The state of a task in a scope; STATE_NONE: the scope does not change it. A taskgroup waits only at its end, where it has
 * a scope for that (SCOPE_SYNC_WAIT).
 */
static inline enum state state_of_scope(const struct scope *scope)
{
	switch (scope->type) {
	case SCOPE_SYNC: return scope->kind != sync_kind_taskgroup ? state_of_sync(scope->kind) : STATE_NONE;
	case SCOPE_SYNC_WAIT: return state_of_sync(scope->kind);
	case SCOPE_REDUCTION: return STATE_WORK_REDUCTION;
	case SCOPE_MUTEX: return state_of_mutex(scope->kind);
	case SCOPE_TARGET: return state_of_target(scope->kind);
	case SCOPE_DATA_OP: return STATE_WAIT_TARGET_MAP;
	default: return STATE_NONE;
	}
}

/* ---- Threads ---- */

static int stream_begin(void *self, const struct point *at)
{
	struct states *states = self;
	struct thread_state *t = thread_in_task(states, at);
	t->is_attached = t->is_recording = true;
	t->is_plain = false;
	return pass(states, at);
}

static int stream_end(void *self, const struct point *at)
{
	struct states *states = self;
	struct thread_state *t = &states->threads[at->stream];
	uint64_t last_ticks = states->model->last_ticks; /* a thread that lives then has lived all the time */
	uint64_t ticks = last_ticks > at->ticks ? last_ticks : at->ticks;
	if (states->model->tasking != NULL)
		states->model->tasking->states->account(states, at->stream, 0, STATE_NONE, ticks);
	else
		states_account_task(states, at->stream, STATE_NONE, ticks);
	if (states_advance_gap(states, at->stream, ticks) != 0)
		return -1;
	if (t->shown != STATE_NONE && states_decide(states, at->stream, false) != 0)
		return -1;
	if (t->shown != STATE_NONE && states_pass(states, at->stream, STATE_NONE, ticks) != 0)
		return -1;
	states_know(states, at->stream, true, ticks);
	return 0;
}

static int thread_attach(void *self, const struct point *at, uint64_t tid)
{
	struct states *states = self;
	struct thread_state *t = &states->threads[at->stream];
	if (states_decide(states, at->stream, false) != 0)
		return -1;
	if (t->tid != tid) { /* otherwise the same thread has the stream again, and what it had open is still open */
		t->tid = tid;
		thread_be_in(states, t, at->task);
		t->in_units = NOT_IN_UNITS;
		sweep_forget(&t->sweep);
	}
	t->is_attached = true;
	t->is_plain = false;
	return pass(states, at);
}

static int thread_detach(void *self, const struct point *at)
{
	struct states *states = self;
	states->threads[at->stream].is_attached = states->threads[at->stream].is_plain = false;
	return pass(states, at);
}

/* A worker is there to join a team; an initial thread is about to begin its initial task. */
static int thread_begin(void *self, const struct point *at, unsigned type)
{
	struct states *states = self;
	struct thread_state *t = thread_in_task(states, at);
	if (t->task == 0)
		t->state = type == thread_type_worker ? STATE_IDLE : type == thread_type_initial ? STATE_OVERHEAD : STATE_UNDEFINED;
	return pass(states, at);
}

static int thread_end(void *self, const struct point *at)
{
	struct states *states = self;
	struct thread_state *t = thread_in_task(states, at);
	if (t->task == 0)
		t->state = STATE_UNDEFINED;
	return pass(states, at);
}

/*
 * A worker without a record since its team joined (Q3) notices late that recording is paused: it was idle since the join.
 */
static int leave_joined(struct states *states, const struct point *at)
{
	struct thread_state *t = &states->threads[at->stream];
	const struct task *task = &states->model->tasks[t->task];
	uint64_t join_ticks = states->model->regions[task->region].join_ticks;
	bool is_closing = t->state == STATE_WAIT_BARRIER_IMPLICIT_PARALLEL || t->state == STATE_WAIT_BARRIER_TEAMS;
	if (!is_closing || task_is_explicit(task) || task->thread == 0 || join_ticks >= at->ticks)
		return 0;
	struct point join = {at->stream, t->task, join_ticks > t->since_ticks ? join_ticks : t->since_ticks, at->unit};
	t->state = STATE_IDLE;
	return pass(states, &join);
}

static int measurement(void *self, const struct point *at, bool is_on)
{
	struct states *states = self;
	struct thread_state *t = thread_in_task(states, at);
	if (!is_on && leave_joined(states, at) != 0)
		return -1;
	t->is_recording = is_on;
	t->is_plain = false;
	return pass(states, at);
}

static int processor(void *self, const struct point *at, unsigned why, bool is_off)
{
	struct states *states = self;
	struct thread_state *t = &states->threads[at->stream];
	if (states_advance_gap(states, at->stream, at->ticks) != 0) /* as it was until now */
		return -1;
	t->is_plain = false;
	if (why == off_why_unknown)
		states_know(states, at->stream, !is_off, at->ticks);
	else
		t->off_why = is_off ? why : 0;
	return t->undecided != 0 ? states->model->tasking->states->change_undecided(states, at) : pass(states, at);
}

static int records_missing(void *self, const struct point *at, bool is_begin)
{
	struct states *states = self;
	struct thread_state *t = &states->threads[at->stream];
	t->is_in_gap = is_begin;
	t->is_plain = false;
	if (!is_begin) {
		thread_be_in(states, t, at->task);
		t->is_in_lock = false;
		t->tasks.n = t->implicits.n = t->regions.n = 0;
		sweep_forget(&t->sweep);
	}
	return pass(states, at);
}

/* ---- Scopes ---- */

static int scope_enter(void *self, const struct point *at, struct scope *scope)
{
	struct states *states = self;
	struct thread_state *t = thread_in_task(states, at);
	enum state state = state_of_scope(scope);
	scope->around = (uint8_t)t->state;
	if (scope->type == SCOPE_SYNC || scope->type == SCOPE_SYNC_WAIT)
		states_enter_wait(states, at, scope);
	if (scope->type == SCOPE_DATA_OP && t->state == STATE_WAIT_TARGET_UPDATE)
		state = t->state; /* the data operations of an update are no mapping */
	if (state != STATE_NONE && !is_helper(states, at->task)) {
		t->around = t->state;
		t->state = state;
	}
	return pass(states, at);
}

static int scope_leave(void *self, const struct point *at, struct scope *scope)
{
	struct states *states = self;
	struct thread_state *t = &states->threads[at->stream];
	if (t->gap.is_open && states_advance_gap(states, at->stream, at->ticks) != 0)
		return -1;
	if (scope->type == SCOPE_SYNC || scope->type == SCOPE_SYNC_WAIT)
		states_leave_wait(states, at, scope);
	if (t->task != at->task) /* the scope of a task that will not resume */
		return 0;
	thread_in_task(states, at);
	bool is_over = scope->type == SCOPE_MUTEX && scope->is_acquired; /* its wait ended with the acquisition */
	bool is_closing = scope->type == SCOPE_SYNC &&
			  (scope->kind == sync_kind_barrier_implicit_parallel || scope->kind == sync_kind_barrier_teams);
	if (is_closing && t->implicits.n > 0 && !is_helper(states, at->task))
		t->state = states_after(states, t, at->task, t->implicits.kept[t->implicits.n - 1].task);
	else if (!is_over && state_of_scope(scope) != STATE_NONE)
		t->state = scope->around;
	return pass(states, at);
}

/* ---- Mutexes ---- */

static int mutex(void *self, const struct point *at, const struct mutex *m)
{
	struct states *states = self;
	bool is_test = m->kind == mutex_kind_test_lock || m->kind == mutex_kind_test_nest_lock; /* it does not wait */
	enum state state = state_of_mutex(m->kind);
	bool is_set = !is_test && (state == STATE_WAIT_LOCK || state == STATE_WAIT_MUTEX); /* other kinds have a scope */
	bool is_taken = m->event == MUTEX_ACQUIRED || m->event == MUTEX_NEST_BEGIN;
	struct thread_state *t = thread_in_task(states, at);
	if (m->event == MUTEX_ACQUIRE && is_set) {
		t->around = t->state;
		t->state = state;
		t->is_in_lock = true;
	} else if (is_taken && t->state == state)
		t->state = t->around;
	return pass(states, at);
}

const struct replay_ops states_ops = {
	.cancel = states_cancel,
	.flush = states_flush,
	.control_tool = states_control_tool,
	.dispatch = states_dispatch,
	.buffer_flush = states_buffer_flush,
	.stream_begin = stream_begin,
	.stream_end = stream_end,
	.region_begin = states_region_begin,
	.region_end = states_region_end,
	.implicit_begin = states_implicit_begin,
	.implicit_end = states_implicit_end,
	.task_create = states_task_create,
	.task_switch = states_task_switch,
	.scope_enter = scope_enter,
	.scope_leave = scope_leave,
	.mutex = mutex,
	.thread_begin = thread_begin,
	.thread_end = thread_end,
	.thread_attach = thread_attach,
	.thread_detach = thread_detach,
	.processor = processor,
	.measurement = measurement,
	.records_missing = records_missing,
	.is_by_stream = true,
};

void states_begin(struct states *states, const struct model *model, const struct state_listener *listeners, size_t n_listeners)
{
	*states = (struct states){.model = model,
				  .n_streams = model->dump->n_streams,
				  .last_ticks = model->last_ticks,
				  .listeners = listeners,
				  .n_listeners = n_listeners};
	const char *what = "the thread states";
	states->times = memory_zeroed(states->n_streams, sizeof *states->times, what);
	states->threads = memory_get(states->n_streams, sizeof *states->threads, what);
	states->busy.ticks = memory_zeroed(model->n_tasks, sizeof *states->busy.ticks, what);
	if (model->switches.are_recorded) {
		states->blocked.ticks = memory_zeroed(model->n_tasks, sizeof *states->blocked.ticks, what);
		states->blocked.streams = memory_zeroed(states->n_streams, sizeof *states->blocked.streams, what);
	}
	if (model->tasking != NULL)
		model->tasking->states->begin(states);
	states->busy.streams = memory_zeroed(states->n_streams, sizeof *states->busy.streams, what);
	states->exclusions.streams = memory_zeroed(states->n_streams, sizeof *states->exclusions.streams, what);
	if (model->n_migrated != 0)
		states->moved = memory_zeroed(model->n_tasks, sizeof *states->moved, what);
	states_wait_begin(states);
	for (size_t i = 0; i < states->n_streams; i++)
		states->threads[i] = (struct thread_state){.times = &states->times[i],
							   .state = STATE_UNDEFINED,
							   .shown = STATE_NONE,
							   .is_part = model->window.is_part};
}

static void free_threads(struct states *states)
{
	for (size_t i = 0; states->threads != NULL && i < states->n_streams; i++) {
		struct thread_state *t = &states->threads[i];
		free(t->tasks.kept);
		free(t->implicits.kept);
		free(t->regions.kept);
		free(t->undecided_changes);
		sweep_free(&t->sweep);
		for (struct group_block *next; t->group_blocks != NULL; t->group_blocks = next) {
			next = t->group_blocks->next;
			free(t->group_blocks);
		}
	}
	free(states->threads);
	free(states->moved);
	free(states->unit_waits);
	states->threads = NULL;
	states->moved = NULL;
	states->unit_waits = NULL;
	if (states->model != NULL)
		states_wait_free(states);
}

void states_finish(struct states *states)
{
	exclusions_finish(&states->exclusions, states->n_streams, states->model);
	free_threads(states);
}

void states_free(struct states *states)
{
	free_threads(states);
	exclusions_free(&states->exclusions, states->n_streams);
	free(states->times);
	free(states->busy.ticks);
	free(states->busy.streams);
	free(states->blocked.ticks);
	free(states->blocked.streams);
	free(states->units.busy.ticks);
	free(states->units.busy.streams);
	free(states->units.blocked.ticks);
	free(states->units.blocked.streams);
	*states = (struct states){0};
}

/* ---- Sums of times in states ---- */

uint64_t state_times_total(const struct state_times *times)
{
	uint64_t total = 0;
	for (unsigned i = 0; i < STATES; i++)
		total += times->ticks[i];
	return total;
}

void state_times_ns(const struct dump *dump, const struct state_times *times, uint64_t ns[STATES])
{
	uint64_t ticks = 0, so_far_ns = 0;
	for (unsigned i = 0; i < STATES; i++) {
		ticks += times->ticks[i];
		uint64_t until_ns = dump_duration_ns(dump, ticks);
		ns[i] = until_ns - so_far_ns;
		so_far_ns = until_ns;
	}
}
