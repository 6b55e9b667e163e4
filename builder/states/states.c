/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Derives thread states. A thread is in the state of its current task: work, unless the task waits in a scope, for a
 * mutex or for its predecessors. While another task runs on the thread, the state is kept with the suspended task. A
 * thread without a current task is between two tasks: its state follows from what it did last. Called by the replay
 * through states_ops; one thread.
 */
#include "builder/states/thread.h"
#include "builder/support/memory.h"

#include <stdlib.h>

/* ---- What a task is when it does not wait ---- */

/* The runtime's own threads for target tasks: they wait for target tasks, whatever construct they are in. */
static bool is_helper(const struct states *states, uint32_t task)
{
	return states->model->tasks[task].state & TASK_HELPER;
}

static enum state work_state(const struct states *states, uint32_t task)
{
	const struct model *m = states->model;
	if (task == 0 || !(m->tasks[task].state & TASK_SEEN)) /* only the recorder names it, where it was paused */
		return STATE_UNDEFINED;
	if (is_helper(states, task))
		return STATE_IDLE;
	const struct region *region = &m->regions[m->tasks[task].region];
	bool is_serial = region->state & REGION_INITIAL || region->flags & parallel_flags_league;
	return is_serial ? STATE_WORK_SERIAL : STATE_WORK_PARALLEL;
}

/* The thread before an event. The record of the current task's beginning may be missing. */
static inline struct thread_state *thread_in_task(struct states *states, const struct point *at)
{
	struct thread_state *t = &states->threads[at->stream];
	if (t->task != at->task) {
		t->task = at->task;
		t->state = work_state(states, at->task);
	}
	/* A test of a lock that fails is not reported: the next event shows that it is over. */
	if (t->is_in_lock) {
		t->is_in_lock = false;
		t->state = t->around;
	}
	return t;
}

/* ---- Threads ---- */

static int stream_begin(void *self, const struct point *at)
{
	struct states *states = self;
	struct thread_state *t = thread_in_task(states, at);
	t->is_attached = t->is_recording = true;
	return pass(states, at);
}

static int stream_end(void *self, const struct point *at)
{
	struct states *states = self;
	struct thread_state *t = &states->threads[at->stream];
	uint64_t last_ticks = states->model->last_ticks; /* a thread that lives then has lived all the time */
	uint64_t ticks = last_ticks > at->ticks ? last_ticks : at->ticks;
	states_account(states, at->stream, 0, STATE_NONE, ticks);
	if (states_advance_gap(states, at->stream, ticks) != 0)
		return -1;
	if (t->shown == STATE_NONE)
		return 0;
	if (states_decide(states, at->stream, false) != 0)
		return -1;
	return states_pass(states, at->stream, STATE_NONE, ticks);
}

static int thread_attach(void *self, const struct point *at, uint64_t tid)
{
	struct states *states = self;
	struct thread_state *t = &states->threads[at->stream];
	if (states_decide(states, at->stream, false) != 0)
		return -1;
	if (t->tid != tid) { /* else the same thread has the stream again, and what it had open is still open */
		t->tid = tid;
		t->task = at->task;
		t->state = work_state(states, at->task);
		t->in_units = NOT_IN_UNITS;
		sweep_forget(&t->sweep);
	}
	t->is_attached = true;
	return pass(states, at);
}

static int thread_detach(void *self, const struct point *at)
{
	struct states *states = self;
	states->threads[at->stream].is_attached = false;
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
 * A worker that has nothing to report since its team joined (Q3) finds out late that recording is paused: it was idle
 * since then.
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
	return pass(states, at);
}

static int processor(void *self, const struct point *at, unsigned why, bool is_off)
{
	struct states *states = self;
	struct thread_state *t = &states->threads[at->stream];
	if (why == off_why_unknown)
		states_know(states, at->stream, !is_off, at->ticks);
	else
		t->off_why = is_off ? why : 0;
	return t->undecided != 0 ? states_undecided_change(states, at) : pass(states, at);
}

static int records_missing(void *self, const struct point *at, bool is_begin)
{
	struct states *states = self;
	struct thread_state *t = &states->threads[at->stream];
	t->is_in_gap = is_begin;
	if (!is_begin) {
		t->task = at->task;
		t->state = work_state(states, at->task);
		t->is_in_lock = false;
		t->tasks.n = t->implicits.n = t->regions.n = 0;
		sweep_forget(&t->sweep);
	}
	return pass(states, at);
}

/* ---- Which tasks are tied to the thread ---- */

static inline bool is_tied(const struct states *states, uint32_t task)
{
	return !states->ready.is_empty && task != 0 && !(states->model->tasks[task].flags & task_flags_untied);
}

static inline void tie(struct states *states, struct thread_state *t, uint32_t task)
{
	if (is_tied(states, task))
		sweep_task_begins(&t->sweep, &states->ready, task);
}

static inline void untie(struct states *states, const struct point *at, uint32_t task)
{
	if (is_tied(states, task))
		sweep_task_ends(&states->threads[at->stream].sweep, &states->ready, at->stream, task, at->ticks);
}

/* ---- Regions and implicit tasks ---- */

static int region_begin(void *self, const struct point *at, uint32_t region)
{
	struct states *states = self;
	struct thread_state *t = thread_in_task(states, at);
	(void)region;
	keep(&t->regions, t->task, t->state);
	t->state = STATE_OVERHEAD; /* until its implicit task begins */
	return pass(states, at);
}

static int region_end(void *self, const struct point *at, uint32_t region)
{
	struct states *states = self;
	struct thread_state *t = thread_in_task(states, at);
	(void)region;
	struct kept around = take(&t->regions);
	t->state = around.task == t->task ? around.state : work_state(states, t->task);
	return pass(states, at);
}

static int implicit_begin(void *self, const struct point *at, uint32_t task)
{
	struct states *states = self;
	struct thread_state *t = thread_in_task(states, at);
	keep(&t->implicits, t->task, t->state);
	tie(states, t, task);
	t->task = task;
	t->state = work_state(states, task);
	return pass(states, at);
}

/*
 * After a team has joined: its primary thread is in the runtime until the region ends, and so is an initial thread; a
 * worker waits.
 */
static enum state state_after(const struct states *states, const struct thread_state *t, uint32_t implicit, uint32_t around)
{
	const struct model *m = states->model;
	bool is_root = m->regions[m->tasks[implicit].region].state & REGION_INITIAL;
	return around != 0 || t->regions.n > 0 || is_root ? STATE_OVERHEAD : STATE_IDLE;
}

static int implicit_end(void *self, const struct point *at, uint32_t task)
{
	struct states *states = self;
	struct thread_state *t = thread_in_task(states, at);
	t->task = take(&t->implicits).task;
	untie(states, at, task);
	sweep_region_ends(&t->sweep, states->model->tasks[task].region);
	t->state = state_after(states, t, task, t->task);
	return pass(states, at);
}

/* ---- Explicit tasks ---- */

/* Has the task run before? Then it was suspended. */
static bool has_run(const struct states *states, uint32_t task, uint64_t ticks)
{
	const struct task *row = &states->model->tasks[task];
	return task != 0 && (!task_is_explicit(row) || (row->state & TASK_HAS_PARTS && ticks > row->start_ticks));
}

/* Where a suspended task was: on this thread, or on the one that it moved from. */
static enum state resume(struct states *states, uint32_t stream, uint32_t task)
{
	enum state state = work_state(states, task);
	if (take_task(&states->threads[stream].tasks, task, &state) || !(states->model->tasks[task].state & TASK_MIGRATED))
		return state;
	for (size_t i = 0; i < states->n_streams; i++)
		if (take_task(&states->threads[i].tasks, task, &state))
			break;
	return state;
}

static int task_switch(void *self, const struct point *at, uint32_t prior, uint32_t next, unsigned status)
{
	struct states *states = self;
	struct thread_state *t = thread_in_task(states, at);
	bool is_over = status == task_status_complete || status == task_status_cancel || status == task_status_detach ||
		       status == TASK_STATUS_CUT;
	if (next == 0 && status != TASK_STATUS_CUT) {
		if (states_advance_gap(states, at->stream, at->ticks) != 0)
			return -1;
		if (status == task_status_taskwait_complete) {
			t->state = work_state(states, t->task);
			states_await_no_predecessor(states, t->task, prior);
		} else if (status == task_status_cancel && states->model->tasks[prior].state & TASK_STARTED) {
			if (has_run(states, prior, at->ticks)) /* cancelled, and will not go on */
				(void)resume(states, at->stream, prior);
			untie(states, at, prior);
		}
		return pass(states, at);
	}
	if (is_over)
		untie(states, at, prior);
	else
		keep(&t->tasks, prior, t->state);
	t->task = next;
	if (has_run(states, next, at->ticks))
		t->state = resume(states, at->stream, next);
	else {
		t->state = work_state(states, next);
		tie(states, t, next);
	}
	return pass(states, at);
}

/*
 * The dummy of a wait with dependences: who creates it waits until it is complete, and may run other tasks meanwhile.
 */
static int task_create(void *self, const struct point *at, uint32_t task)
{
	struct states *states = self;
	struct thread_state *t = thread_in_task(states, at);
	states_await_child(states, task);
	if (states->model->tasks[task].flags & task_flags_taskwait)
		t->state = STATE_WAIT_TASKWAIT;
	return pass(states, at);
}

/* ---- Scopes ---- */

static int scope_enter(void *self, const struct point *at, struct scope *scope)
{
	struct states *states = self;
	struct thread_state *t = thread_in_task(states, at);
	enum state state = state_of_scope(scope);
	array_reserve((void **)&states->around, scope->number + (size_t)1, &states->scopes_capacity, sizeof *states->around);
	states->around[scope->number] = (uint8_t)t->state;
	states_enter_wait(states, at->task, scope);
	if (scope->type == SCOPE_DATA_OP && t->state == STATE_WAIT_TARGET_UPDATE)
		state = t->state; /* what an update moves is no mapping */
	if (state != STATE_NONE && !is_helper(states, at->task)) {
		t->around = t->state;
		t->state = state;
	}
	return pass(states, at);
}

static int scope_leave(void *self, const struct point *at, struct scope *scope)
{
	struct states *states = self;
	if (states_advance_gap(states, at->stream, at->ticks) != 0)
		return -1;
	states_leave_wait(states, at->task, scope);
	if (states->threads[at->stream].task != at->task) /* of a task that will not go on */
		return 0;
	struct thread_state *t = thread_in_task(states, at);
	bool is_over = scope->type == SCOPE_MUTEX && scope->is_acquired; /* it waits no more since then */
	bool is_closing = scope->type == SCOPE_SYNC &&
			  (scope->kind == sync_kind_barrier_implicit_parallel || scope->kind == sync_kind_barrier_teams);
	if (is_closing && t->implicits.n > 0 && !is_helper(states, at->task))
		t->state = state_after(states, t, at->task, t->implicits.kept[t->implicits.n - 1].task);
	else if (state_of_scope(scope) != STATE_NONE && !is_over)
		t->state = states->around[scope->number];
	return pass(states, at);
}

/* ---- Mutexes ---- */

static int mutex(void *self, const struct point *at, const struct mutex *m)
{
	struct states *states = self;
	bool is_test = m->kind == mutex_kind_test_lock || m->kind == mutex_kind_test_nest_lock; /* it does not wait */
	enum state state = state_of_mutex(m->kind);
	bool is_set = !is_test && (state == STATE_WAIT_LOCK || state == STATE_WAIT_MUTEX); /* others have a scope */
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
	.region_begin = region_begin,
	.region_end = region_end,
	.implicit_begin = implicit_begin,
	.implicit_end = implicit_end,
	.task_create = task_create,
	.task_switch = task_switch,
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
	.unit_switch = states_unit_switch,
	.unit_poll = states_unit_poll,
	.unit_join = states_unit_join,
	.unit_create = states_unit_acts,
	.unit_revive = states_unit_acts,
	.unit_free = states_unit_acts,
	.unit_resume = states_unit_resumes,
};

void states_begin(struct states *states, const struct model *model, const struct state_listener *listeners, size_t n_listeners)
{
	*states = (struct states){
		.model = model, .n_streams = model->dump->n_streams, .listeners = listeners, .n_listeners = n_listeners};
	states->times = memory_zeroed(states->n_streams, sizeof *states->times, "the thread states");
	states->threads = memory_get(states->n_streams, sizeof *states->threads, "the thread states");
	states->unit_waits = memory_zeroed(model->n_units, sizeof *states->unit_waits, "the thread states");
	states->busy.ticks = memory_zeroed(model->n_tasks, sizeof *states->busy.ticks, "the thread states");
	if (model->switches.are_recorded) {
		states->blocked.ticks = memory_zeroed(model->n_tasks, sizeof *states->blocked.ticks, "the thread states");
		states->blocked.streams = memory_zeroed(states->n_streams, sizeof *states->blocked.streams, "the thread states");
	}
	states_unit_busy_begin(states);
	states->busy.streams = memory_zeroed(states->n_streams, sizeof *states->busy.streams, "the thread states");
	states_wait_begin(states);
	for (size_t i = 0; i < states->n_streams; i++)
		states->threads[i] = (struct thread_state){.state = STATE_UNDEFINED, .shown = STATE_NONE};
}

void states_free(struct states *states)
{
	for (size_t i = 0; states->threads != NULL && i < states->n_streams; i++) {
		free(states->threads[i].tasks.kept);
		free(states->threads[i].implicits.kept);
		free(states->threads[i].regions.kept);
		free(states->threads[i].undecided_changes);
		sweep_free(&states->threads[i].sweep);
	}
	free(states->threads);
	free(states->times);
	free(states->unit_waits);
	exclusions_free(&states->exclusions);
	free(states->busy.ticks);
	free(states->busy.streams);
	free(states->blocked.ticks);
	free(states->blocked.streams);
	states_unit_busy_free(states);
	free(states->around);
	if (states->model != NULL)
		states_wait_free(states);
	*states = (struct states){0};
}
