/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds how long each task waited and was preempted, and what it cost its creator: see task_times.h. A task's cost is known
 * where only the runtime runs between two records: for an undeferred task from its creation to its begin; for a task of a
 * taskloop since the loop's previous task, or since the loop's begin. Runs on the thread of each stream.
 */
#include "builder/states/task_times.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT "the tasks' times"

/* A task that only creates tasks: in a taskloop, or a task of the runtime's own that splits one (Q44). */
struct creator {
	uint32_t task;
	uint64_t busy_ticks;  /* how long it had executed when it created the last one, or began */
	uint64_t since_ticks; /* when it created the last one, or began */
};

struct times_stream {
	enum state state; /* of the thread */
	uint64_t since_ticks;
	uint32_t task;            /* the task in that state, 0 none */
	struct creator *creators; /* the innermost last */
	size_t n_creators, creators_capacity;
	struct creator undeferred; /* the task that has just created an undeferred task; task 0: none */
	uint32_t created;          /* that undeferred task */
	char apart[64];            /* so that no two streams share a cache line */
};

static inline bool is_waiting(enum state state)
{
	return state >= STATE_WAIT_BARRIER && state <= STATE_WAIT_ORDERED;
}

/*
 * With Argobots, initial tasks stand for whatever units their threads run: they get no times. A task that moves may be
 * current elsewhere while its last wait here is still to be added.
 */
static void add(const struct times_finder *finder, const struct times_stream *s, uint64_t ticks)
{
	const struct model *m = finder->states->model;
	uint64_t *of = is_waiting(s->state)          ? finder->times.wait_ticks
		       : s->state == STATE_PREEMPTED ? finder->times.preempted_ticks
						     : NULL;
	uint64_t length = of != NULL ? window_ticks(&m->window, s->since_ticks, ticks) : 0;
	if (length == 0 || s->task == 0 || (m->n_units != 0 && m->tasks[s->task].flags & task_flags_initial))
		return;
	__atomic_fetch_add(&of[s->task], length, __ATOMIC_RELAXED); /* a sum is the same in any order */
}

int times_pass_state(void *self, uint32_t stream, enum state from, uint64_t since_ticks, enum state to, uint64_t ticks)
{
	struct times_finder *finder = self;
	struct times_stream *s = &finder->streams[stream];
	(void)from;
	(void)since_ticks;
	add(finder, s, ticks);
	s->state = to;
	s->since_ticks = ticks;
	s->task = states_current(finder->states, stream);
	return 0;
}

/* The thread may have switched to another task that is in the same state. */
static struct times_stream *look(struct times_finder *finder, const struct point *at)
{
	struct times_stream *s = &finder->streams[at->stream];
	uint32_t task = states_current(finder->states, at->stream);
	if (task != s->task) {
		add(finder, s, at->ticks);
		s->since_ticks = at->ticks > s->since_ticks ? at->ticks : s->since_ticks;
		s->task = task;
	}
	return s;
}

static int implicit_begin(void *self, const struct point *at, uint32_t task)
{
	(void)task;
	look(self, at);
	return 0;
}

/* ---- What tasks cost ---- */

static struct creator creator_now(const struct times_finder *finder, const struct point *at, uint32_t task)
{
	const struct window *window = &finder->states->model->window;
	return (struct creator){task, busy_until(&finder->states->busy, at->stream, task, window_clip(window, at->ticks)),
				at->ticks};
}

/* Is all of the creation in the part of the time that outputs are about? How long a task executes is only known there. */
static bool is_in_part(const struct times_finder *finder, const struct point *at, const struct creator *creator)
{
	const struct window *window = &finder->states->model->window;
	return !window->is_part || (creator->since_ticks >= window->from && at->ticks <= window->to);
}

/* A creator that moves may have created tasks elsewhere in between. */
static void open_creator(struct times_finder *finder, const struct point *at, uint32_t task)
{
	struct times_stream *s = &finder->streams[at->stream];
	if (task == 0 || finder->states->model->tasks[task].state & TASK_MIGRATED)
		return;
	array_push(s->creators, s->n_creators, s->creators_capacity, creator_now(finder, at, task));
}

static void close_creator(struct times_stream *s, uint32_t task)
{
	size_t n = s->n_creators;
	while (n > 0 && s->creators[n - 1].task != task)
		n--;
	if (n > 0) /* the creators above it have no end record */
		s->n_creators = n - 1;
}

static void set_cost(struct times_finder *finder, const struct point *at, uint32_t task, const struct creator *before)
{
	struct creator now = creator_now(finder, at, before->task);
	if (now.busy_ticks >= before->busy_ticks && is_in_part(finder, at, before))
		finder->times.creation_ticks[task] = now.busy_ticks - before->busy_ticks + 1;
}

static int task_create(void *self, const struct point *at, uint32_t task)
{
	struct times_finder *finder = self;
	struct times_stream *s = look(finder, at);
	struct creator *top = s->n_creators > 0 ? &s->creators[s->n_creators - 1] : NULL;
	const unsigned flags = finder->states->model->tasks[task].flags;
	s->undeferred.task = 0;
	if (flags & task_flags_taskwait) /* no task, but a wait */
		return 0;
	if (top != NULL && top->task == at->task) {
		set_cost(finder, at, task, top);
		*top = creator_now(finder, at, at->task);
	} else if (flags & task_flags_undeferred && at->task != 0) {
		s->undeferred = creator_now(finder, at, at->task);
		s->created = task;
	}
	return 0;
}

static int task_switch(void *self, const struct point *at, uint32_t prior, uint32_t next, unsigned status)
{
	struct times_finder *finder = self;
	const struct task *tasks = finder->states->model->tasks;
	struct times_stream *s = look(finder, at);
	bool is_over = status == task_status_complete || status == task_status_cancel || status == TASK_STATUS_CUT;
	if (s->undeferred.task != 0 && s->undeferred.task == prior && s->created == next)
		set_cost(finder, at, next, &s->undeferred);
	if (s->undeferred.task == prior)
		s->undeferred.task = 0;
	if (is_over && task_is_split(&tasks[prior]))
		close_creator(s, prior);
	if (next != 0 && task_is_split(&tasks[next]) && tasks[next].start_ticks == at->ticks)
		open_creator(finder, at, next);
	return 0;
}

static bool is_taskloop(const struct scope *scope)
{
	return scope->type == SCOPE_WORK && scope->kind == work_kind_taskloop;
}

static int scope_enter(void *self, const struct point *at, struct scope *scope)
{
	struct times_finder *finder = self;
	look(finder, at);
	if (is_taskloop(scope))
		open_creator(finder, at, at->task);
	return 0;
}

static int scope_leave(void *self, const struct point *at, struct scope *scope)
{
	struct times_finder *finder = self;
	struct times_stream *s = look(finder, at);
	if (is_taskloop(scope))
		close_creator(s, at->task);
	return 0;
}

static int records_missing(void *self, const struct point *at, bool is_begin)
{
	struct times_stream *s = look(self, at);
	(void)is_begin;
	s->n_creators = 0;
	s->undeferred.task = 0;
	return 0;
}

const struct replay_ops times_ops = {
	.implicit_begin = implicit_begin,
	.implicit_end = implicit_begin,
	.task_create = task_create,
	.task_switch = task_switch,
	.scope_enter = scope_enter,
	.scope_leave = scope_leave,
	.records_missing = records_missing,
	.is_by_stream = true,
};

void times_begin(struct times_finder *finder, const struct model *model, const struct states *states)
{
	*finder = (struct times_finder){.states = states, .n_streams = model->dump->n_streams};
	finder->streams = memory_zeroed(finder->n_streams + 1, sizeof *finder->streams, WHAT);
	for (size_t i = 0; i < finder->n_streams; i++)
		finder->streams[i].state = STATE_NONE;
	finder->times.wait_ticks = memory_zeroed(model->n_tasks, sizeof *finder->times.wait_ticks, WHAT);
	finder->times.creation_ticks = memory_zeroed(model->n_tasks, sizeof *finder->times.creation_ticks, WHAT);
	if (model->switches.are_recorded)
		finder->times.preempted_ticks = memory_zeroed(model->n_tasks, sizeof *finder->times.preempted_ticks, WHAT);
}

static void free_streams(struct times_finder *finder)
{
	for (size_t i = 0; finder->streams != NULL && i < finder->n_streams; i++)
		free(finder->streams[i].creators);
	free(finder->streams);
	finder->streams = NULL;
}

void times_finish(struct times_finder *finder)
{
	const struct model *m = finder->states->model;
	free_streams(finder);
	finder->delays = ready_delays_find(m);
	finder->times.delays = &finder->delays;
	finder->times.has_delays = ready_delays_are_known(m);
}

void times_free(struct times_finder *finder)
{
	free_streams(finder);
	free(finder->times.wait_ticks);
	free(finder->times.preempted_ticks);
	free(finder->times.creation_ticks);
	free(finder->delays.delays);
	*finder = (struct times_finder){0};
}
