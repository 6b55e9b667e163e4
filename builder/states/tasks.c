/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which task a thread is in, and in which state that task was when it was suspended: regions, implicit and explicit tasks.
 * Runs on the thread of each stream.
 */
#include "builder/states/thread.h"
#include "builder/support/memory.h"

enum state states_work(const struct states *states, struct thread_state *t, uint32_t task)
{
	const struct model *m = states->model;
	if (task == 0 || !(m->tasks[task].state & TASK_SEEN)) /* only the recorder names it, where it was paused */
		return STATE_UNDEFINED;
	if (is_helper(states, task))
		return STATE_IDLE;
	uint32_t row = m->tasks[task].region;
	if (row == t->work_region && row != 0)
		return t->work;
	const struct region *region = &m->regions[row];
	bool is_serial = region->state & REGION_INITIAL || region->flags & parallel_flags_league;
	t->work_region = row;
	return t->work = is_serial ? STATE_WORK_SERIAL : STATE_WORK_PARALLEL;
}

/* ---- Which tasks are tied to the thread ---- */

static inline bool is_tied(const struct states *states, uint32_t task)
{
	return !states->ready.is_empty && task != 0 && !(states->model->tasks[task].flags & task_flags_untied);
}

static inline void tie(struct states *states, struct thread_state *t, uint32_t task)
{
	if (is_tied(states, task))
		sweep_task_begins(&t->sweep, task, states->model->tasks[task].start_ticks);
}

static inline void untie(struct states *states, const struct point *at, uint32_t task)
{
	if (is_tied(states, task))
		sweep_task_ends(&states->threads[at->stream].sweep, &states->ready, at->stream, task, at->ticks);
}

/* ---- Regions and implicit tasks ---- */

/* Keeps the state to which the current task returns. */
static inline void keep_current(struct thread_state *t, struct stack *stack)
{
	*keep(stack) = (struct suspended_state){t->task, t->state, t->group};
}

int states_region_begin(void *self, const struct point *at, uint32_t region)
{
	struct states *states = self;
	struct thread_state *t = thread_in_task(states, at);
	(void)region;
	keep_current(t, &t->regions);
	t->state = STATE_OVERHEAD; /* until its implicit task begins */
	return pass(states, at);
}

int states_region_end(void *self, const struct point *at, uint32_t region)
{
	struct states *states = self;
	struct thread_state *t = thread_in_task(states, at);
	(void)region;
	struct suspended_state around = take(&t->regions);
	t->state = around.task == t->task ? around.state : states_work(states, t, t->task);
	return pass(states, at);
}

int states_implicit_begin(void *self, const struct point *at, uint32_t task)
{
	struct states *states = self;
	struct thread_state *t = thread_in_task(states, at);
	keep_current(t, &t->implicits);
	tie(states, t, task);
	thread_be_in(states, t, task);
	return pass(states, at);
}

/* The primary thread is in the runtime until the region ends, and so is an initial thread; a worker is idle. */
enum state states_after(const struct states *states, const struct thread_state *t, uint32_t implicit, uint32_t around)
{
	const struct model *m = states->model;
	bool is_root = m->regions[m->tasks[implicit].region].state & REGION_INITIAL;
	return around != 0 || t->regions.n > 0 || is_root ? STATE_OVERHEAD : STATE_IDLE;
}

int states_implicit_end(void *self, const struct point *at, uint32_t task)
{
	struct states *states = self;
	struct thread_state *t = thread_in_task(states, at);
	struct suspended_state around = take(&t->implicits);
	t->task = around.task;
	t->group = around.group;
	untie(states, at, task);
	sweep_region_ends(&t->sweep, states->model->tasks[task].region);
	t->state = states_after(states, t, task, t->task);
	return pass(states, at);
}

/* ---- Explicit tasks ---- */

/* The row of a task that moves in states.moved, or NULL. Only the thread that has the task uses the row. */
static inline struct suspended_state *find_moved(const struct states *states, uint32_t task)
{
	bool moves = states->moved != NULL && states->model->tasks[task].state & TASK_MIGRATED;
	return moves ? &states->moved[task] : NULL;
}

static void suspend(struct states *states, struct thread_state *t, uint32_t task)
{
	struct suspended_state *moved = find_moved(states, task);
	struct awaited_group *group = task == t->task ? t->group : NULL;
	if (moved == NULL)
		moved = keep(&t->tasks);
	*moved = (struct suspended_state){task, t->state, group};
}

/* Has the task run before? Then it was suspended. A task that becomes current only as all tasks are cut has no second part. */
static bool has_run(const struct states *states, uint32_t task, uint64_t ticks)
{
	const struct task *row = &states->model->tasks[task];
	return task != 0 && (!task_is_explicit(row) || (row->state & TASK_HAS_PARTS && ticks > row->start_ticks));
}

/* The state in which a task was suspended, on this thread or on the one from which it moved. */
static struct suspended_state resume(struct states *states, struct thread_state *t, uint32_t task)
{
	struct suspended_state kept = {task, STATES, NULL};
	struct suspended_state *moved = find_moved(states, task);
	if (moved == NULL)
		take_task(&t->tasks, task, &kept);
	else if (moved->task != 0) {
		kept = *moved;
		moved->task = 0;
	}
	if (kept.state == STATES)
		kept.state = states_work(states, t, task);
	return kept;
}

/* No other task begins: an event is fulfilled, a wait is over, or a task was cancelled that is not current. */
static int end_other(struct states *states, const struct point *at, uint32_t prior, unsigned status)
{
	struct thread_state *t = &states->threads[at->stream];
	if (states_advance_gap(states, at->stream, at->ticks) != 0)
		return -1;
	if (status == task_status_taskwait_complete) {
		t->state = states_work(states, t, t->task);
		states_await_no_predecessor(states, t->task, prior);
	} else if (status == task_status_cancel && states->model->tasks[prior].state & TASK_STARTED) {
		if (has_run(states, prior, at->ticks)) /* cancelled, and will not resume */
			(void)resume(states, t, prior);
		t->gap.is_open = false; /* the thread may now be allowed to run more tasks */
		untie(states, at, prior);
	}
	return pass(states, at);
}

int states_task_switch(void *self, const struct point *at, uint32_t prior, uint32_t next, unsigned status)
{
	struct states *states = self;
	struct thread_state *t = thread_in_task(states, at);
	if (next == 0 && status != TASK_STATUS_CUT)
		return end_other(states, at, prior, status);
	if (status == task_status_complete || status == task_status_cancel || status == task_status_detach ||
	    status == TASK_STATUS_CUT)
		untie(states, at, prior);
	else
		suspend(states, t, prior);
	if (has_run(states, next, at->ticks) || (status == TASK_STATUS_CUT && next != 0)) {
		size_t n = t->tasks.n;
		bool is_latest = states->moved == NULL && n > 0 && t->tasks.kept[n - 1].task == next;
		struct suspended_state kept = is_latest ? take(&t->tasks) : resume(states, t, next);
		t->task = next;
		t->state = kept.state;
		t->group = kept.group;
	} else {
		tie(states, t, next);
		thread_be_in(states, t, next);
	}
	return pass(states, at);
}

/*
 * The dummy of a wait with dependences: its creator waits until it is complete, and may run other tasks meanwhile.
 */
int states_task_create(void *self, const struct point *at, uint32_t task)
{
	struct states *states = self;
	struct thread_state *t = thread_in_task(states, at);
	if (!states->ready.is_empty)
		sweep_creates(&t->sweep, &states->ready, at->task, task);
	states_await_child(states, at, task);
	if (states->model->tasks[task].flags & task_flags_taskwait)
		t->state = STATE_WAIT_TASKWAIT;
	return pass(states, at);
}
