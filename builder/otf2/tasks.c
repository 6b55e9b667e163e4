/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the events of OpenMP's tasks: creation, start, suspension, completion. Regions nest on every location and in
 * every task. So a marked task, which resumes elsewhere or not in the order of a stack, leaves all of its regions when
 * it is suspended and enters them again when it resumes; other tasks keep theirs open.
 *
 * Called through the table in events.c, and by all functions that write an event of a task (task_follow). Runs on one
 * thread at a time for each location.
 */
#include "builder/otf2/archive.h"
#include "builder/otf2/current.h"
#include "builder/otf2/location.h"
#include "builder/otf2/intern.h"
#include "builder/otf2/events.h"
#include "builder/otf2/mapping.h"
#include "builder/support/memory.h"

#include <string.h>

static enum region_kind task_kind(const struct task *t)
{
	return t->flags & task_flags_target   ? REGION_TARGET_TASK
	       : t->flags & task_flags_untied ? REGION_TASK_UNTIED
	       : task_is_split(t)             ? REGION_TASKLOOP_SPLIT
					      : REGION_TASK;
}

/* A marked task stops: its regions are left, and kept to be entered again. */
static int suspend(struct archive *a, struct location *l, uint64_t time, uint32_t task)
{
	uint32_t first = location_find_open(l, task);
	uint32_t n = l->n_open;
	while (n > first && l->open[n - 1].task != task) /* other tasks' regions, whose ends are missing */
		n--;
	if (first == l->n_open)
		return 0;
	if (close_down_to(a, l, time, n) != 0)
		return -1;
	n = l->n_open < n ? l->n_open : n; /* as in close_own() */
	if (n <= first)
		return 0;
	struct suspended *s = current_find(&a->now, task);
	s->open = memory_grow(s->open, n - first, sizeof *s->open, "the open regions");
	memcpy(s->open, l->open + first, (n - first) * sizeof *s->open);
	s->n_open = n - first;
	s->n_fragments++;
	int rc = 0;
	while (rc == 0 && l->n_open > first)
		rc = location_leave(a, l, time);
	return rc;
}

/* A marked task resumes: enters the same regions, each with the number of the fragment that begins. */
static int resume(struct archive *a, struct location *l, uint64_t time, uint32_t task)
{
	struct suspended *s = current_find(&a->now, task);
	int rc = 0;
	for (uint32_t i = 0; rc == 0 && s != NULL && i < s->n_open; i++) {
		s->open[i].owner = l->running;
		rc = archive_add_u64(a, l->attributes, ATTRIBUTE_TASK_FRAGMENT, s->n_fragments);
		if (rc == 0)
			rc = location_push(a, l, time, s->open[i], l->attributes);
	}
	if (s != NULL)
		s->n_open = 0;
	return rc;
}

/*
 * The task's body has ended: leaves its regions. One that never began, because it was discarded by a cancel, begins and
 * ends here.
 */
static int end_body(struct archive *a, struct location *l, uint64_t time, uint32_t task)
{
	uint32_t i = location_find_open(l, task);
	bool is_left;
	if (i < l->n_open)
		return close_own(a, l, time, i, &is_left);
	if (task_bit(&a->now, task, TASK_BIT_STARTED))
		return 0;
	task_bit_set(&a->now, task, TASK_BIT_STARTED);
	const struct task *t = &a->now.model->tasks[task];
	return location_pass(a, l, time, region_of(a, l, t->construct, task_kind(t)), task);
}

static int leave_task(struct archive *a, struct location *l, uint64_t time, uint32_t task, unsigned status)
{
	time = current_time(&a->now, l, time, task);
	switch (status) {
	case task_status_complete:
	case task_status_cancel:
		if (task_bit(&a->now, task, TASK_BIT_COMPLETED))
			return 0;
		if (end_body(a, l, time, task) != 0)
			return -1;
		return close_task(a, l, time, task, status == task_status_cancel ? a->string_cancel : UNSET);
	case task_status_detach:
		if (end_body(a, l, time, task) != 0)
			return -1;
		/*
		 * A thread that is in no team, and can switch to no task, fulfils its event: it completes here, with
		 * this status.
		 */
		return a->now.model->tasks[task].state & TASK_FULFILLED_OUTSIDE ? close_task(a, l, time, task, a->string_detach)
										: 0;
	case TASK_STATUS_CUT: /* the record of its end is missing; where it is suspended nothing is open */
		if (location_find_open(l, task) == l->n_open)
			return 0;
		return end_body(a, l, time, task) != 0 ? -1 : close_task(a, l, time, task, a->string_unfinished);
	default: return a->now.model->tasks[task].state & TASK_MARKED ? suspend(a, l, time, task) : 0;
	}
}

__attribute__((always_inline)) static inline int start_task(struct archive *a, struct location *l, uint64_t time, uint32_t task)
{
	const struct task *t = &a->now.model->tasks[task];
	if (task_bit(&a->now, task, TASK_BIT_STARTED))
		return t->state & TASK_MARKED ? resume(a, l, time, task) : 0;
	task_bit_set(&a->now, task, TASK_BIT_STARTED);
	return location_enter(a, l, time, t->construct, task_kind(t), task, OPEN_TASK);
}

/* A task starts here, too, where records begin, or continue after a gap, in the middle of it. */
int task_follow_slow(struct archive *a, struct location *l, const struct point *at, uint64_t *time)
{
	l->task = at->task;
	if (task_is_left_out(&a->now, at->task))
		return 0;
	if (at->task == 0 || !task_is_explicit(&a->now.model->tasks[at->task]) || location_find_open(l, at->task) < l->n_open ||
	    !current_can_be(&a->now, l, at->task))
		return current_require(a, l, *time, at->task);
	*time = current_time(&a->now, l, *time, at->task);
	return current_switch(a, l, *time, at->task) != 0 ? -1 : start_task(a, l, *time, at->task);
}

/*
 * May the archive have the task's creation at this time? Where the task runs on another location, that one waits for
 * the time of creation that the model has, and for no later one. Where the task has run already, records contradict
 * each other.
 */
static bool can_create(const struct process *p, const struct point *at, uint64_t time, uint32_t task)
{
	const struct task *t = &p->model->tasks[task];
	uint64_t created = clock_stamp(p, t->create_ticks);
	bool is_here =
		t->state & TASK_STARTED ? t->run_stream == at->stream && !(t->state & TASK_MIGRATED) : !(t->state & TASK_COMPLETED);
	if (t->state & TASK_CONTRADICTORY || p->is_created[task])
		return false;
	if (is_here)
		return !task_bit(p, task, TASK_BIT_STARTED | TASK_BIT_COMPLETED);
	return time == created && created < p->last_time;
}

int event_task_create(void *self, const struct point *at, uint32_t task)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[at->stream];
	const struct task *t = &a->now.model->tasks[task];
	uint64_t time = location_stamp(a, l, at->ticks);
	if (task_follow(a, l, at, &time) != 0)
		return -1;
	if (t->flags & task_flags_taskwait) /* stands for a wait of its creator, and never runs */
		return location_enter(a, l, time, t->construct, REGION_TASKWAIT_DEPEND, at->task, OPEN_SCOPE);
	if (task == 0 || !task_is_explicit(t) || !can_create(&a->now, at, time, task)) { /* contradictory records */
		l->has_holes = true;
		return 0;
	}
	a->now.is_created[task] = true;
	uint32_t region = region_of(a, l, t->construct, task_is_split(t) ? REGION_TASKLOOP_SPLIT_CREATE : REGION_TASK_CREATE);
	if (current_require(a, l, time, at->task) != 0)
		return -1;
	struct key k = current_find_key(a, l, task);
	bool is_guest = helpers_have_guest(&a->now, task, at->stream);
	if (archive_check(a, WRITE_EVENT(l, Enter, NULL, time, region), "writing Enter") != 0 ||
	    (is_guest && archive_check(a, WRITE_EVENT(l, ThreadTeamBegin, NULL, time, k.comm), "writing ThreadTeamBegin") != 0) ||
	    archive_check(a, WRITE_EVENT(l, ThreadTaskCreate, NULL, time, k.comm, k.rank, k.generation),
			  "writing ThreadTaskCreate") != 0 ||
	    (is_guest && archive_check(a, WRITE_EVENT(l, ThreadTeamEnd, NULL, time, k.comm), "writing ThreadTeamEnd") != 0))
		return -1;
	return archive_check(a, WRITE_EVENT(l, Leave, NULL, time, region), "writing Leave");
}

static int task_fulfil(struct archive *a, struct location *l, uint64_t time, uint32_t task, uint32_t current)
{
	const struct task *t = &a->now.model->tasks[task];
	if (task_bit(&a->now, task, TASK_BIT_COMPLETED) || t->state & TASK_FULFILLED_OUTSIDE)
		return 0;
	if (!task_is_explicit(t) || !(t->state & TASK_DETACHED) || t->state & TASK_CONTRADICTORY) { /* contradictory records */
		l->has_holes = true;
		return 0;
	}
	const struct suspended *s = current_find(&a->now, task);
	if (s != NULL && s->runs_on != 0 && &a->now.locations[s->runs_on - 1] != l) {
		l->has_holes = true;
		return 0;
	}
	time = current_time(&a->now, l, time, task);
	if (current_switch(a, l, time, task) != 0 || close_task(a, l, time, task, UNSET) != 0)
		return -1;
	return current_require(a, l, time, current);
}

/* `prior` has stopped. `next` resumes here, or, where it cannot, a task that can. */
static int go_on(struct archive *a, struct location *l, uint64_t time, uint32_t prior, uint32_t next)
{
	const struct process *p = &a->now;
	if (current_can_be(p, l, next)) {
		if (p->has_movers) /* it may have done something elsewhere meanwhile; schedule() has handled all other cases */
			time = current_time(p, l, time, next);
		if (current_switch(a, l, time, next) != 0)
			return -1;
		return task_is_explicit(&p->model->tasks[next]) ? start_task(a, l, time, next) : 0;
	}
	l->has_holes = true;
	/*
	 * `prior` is detached and its body is over, or it moves: it must not stay current here, as it may be on another
	 * location next.
	 */
	bool has_left = l->running == prior && prior != 0 && task_is_explicit(&p->model->tasks[prior]) &&
			location_find_open(l, prior) == l->n_open;
	return has_left ? current_any(a, l, time) : 0;
}

static int schedule(struct archive *a, struct location *l, const struct point *at, uint32_t prior, uint32_t next, unsigned status)
{
	const struct process *p = &a->now;
	uint64_t time = location_stamp(a, l, at->ticks);
	if (next != 0 && !task_is_left_out(p, next))
		time = current_time(p, l, time, next);
	if (status == task_status_taskwait_complete)
		return location_leave_kind(a, l, time, REGION_TASKWAIT_DEPEND, at->task);
	if (status == task_status_late_fulfill)
		return prior != 0 ? task_fulfil(a, l, time, prior, at->task) : 0;
	if (status != TASK_STATUS_CUT && task_follow(a, l, at, &time) != 0)
		return -1;
	bool is_left = prior != 0 && task_is_explicit(&p->model->tasks[prior]) && !task_is_left_out(p, prior);
	if (is_left && leave_task(a, l, l->last_time, prior, status) != 0)
		return -1;
	time = l->last_time;
	if (next == 0) /* `prior` was cancelled before it began: the current task stays */
		return at->task != prior ? current_require(a, l, time, at->task) : 0;
	l->task = next;
	if (status == TASK_STATUS_CUT && location_find_open(l, next) == l->n_open)
		return 0; /* `next` was suspended for good, and its regions have been left */
	return go_on(a, l, time, prior, next);
}

int event_task_schedule(void *self, const struct point *at, uint32_t prior, uint32_t next, unsigned status)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[at->stream];
	if (status == task_status_early_fulfill || (prior == next && prior != 0))
		return 0;
	if (schedule(a, l, at, prior, next, status) != 0)
		return -1;
	return l->running == UNSET ? current_any(a, l, l->last_time) : 0;
}
