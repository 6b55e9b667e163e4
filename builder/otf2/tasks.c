/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The visitor's tasks. A task is (comm of its binding team, rank of the creating thread in it, that thread's counter); implicit
 * tasks have generation 0.
 *
 * Regions nest on every location and in every task (the dual-stack rule): of a marked task, one that went on elsewhere or out of
 * order, all regions are left when it is suspended and entered again when it goes on.
 */
#include "builder/otf2/archive.h"

#include <stdlib.h>
#include <string.h>

/* Everything that is open because of the task, or that the task is around of, is left. */
static int leave_all_of(struct archive *a, struct location *l, uint64_t time, uint32_t task)
{
	uint32_t i = 0;
	while (i < l->n_open && l->open[i].owner != task && !(l->open[i].type == OPEN_IMPLICIT && l->open[i].around == task))
		i++;
	return i < l->n_open ? location_unwind(a, l, time, i) : 0;
}

/* `status`: a string that says how, where it is not an ordinary completion; else UNSET. */
int event_task_complete(struct archive *a, struct location *l, uint64_t time, uint32_t task, uint32_t status)
{
	struct key k;
	if (task_bit(&a->now, task, TASK_BIT_COMPLETED))
		return 0;
	if (leave_all_of(a, l, time, task) != 0 || event_run(a, l, time, task) != 0 || current_key(a, task, &k) != 0)
		return -1;
	if (l->running != task || task_bit(&a->now, task, TASK_BIT_COMPLETED)) { /* contradictory records */
		a->has_holes = true;
		return 0;
	}
	task_bit_set(&a->now, task, TASK_BIT_COMPLETED);
	if (current_note(a, l, time, task, false) != 0)
		return -1;
	l->running = UNSET;
	if (status != UNSET && archive_check(a, OTF2_AttributeList_AddStringRef(a->attributes, ATTRIBUTE_PRIOR_TASK_STATUS, status),
					     "adding an attribute") != 0)
		return -1;
	return archive_check(a,
			     OTF2_EvtWriter_ThreadTaskComplete(l->writer, status != UNSET ? a->attributes : NULL, time, k.comm,
							       k.rank, k.generation),
			     "writing ThreadTaskComplete");
}

int event_team_end(struct archive *a, struct location *l, uint64_t time, const struct open_region *implicit)
{
	uint32_t comm = event_team_comm(a, implicit->task);
	l->running = implicit->around;
	return comm == UNSET ? -1
			     : archive_check(a, OTF2_EvtWriter_ThreadTeamEnd(l->writer, NULL, time, comm), "writing ThreadTeamEnd");
}

static uint32_t task_region(struct archive *a, uint32_t task)
{
	const struct task *t = &a->now.model->tasks[task];
	enum region_kind kind = t->flags & task_flags_target   ? REGION_TARGET_TASK
				: t->flags & task_flags_untied ? REGION_TASK_UNTIED
							       : REGION_TASK;
	return archive_region(a, t->construct, kind);
}

/* A marked task stops: its regions are left and remembered. */
static int suspend(struct archive *a, struct location *l, uint64_t time, uint32_t task)
{
	uint32_t first = location_find_open(l, task);
	uint32_t n = l->n_open;
	while (n > first && l->open[n - 1].task != task) /* of others, whose ends are missing */
		n--;
	if (first == l->n_open)
		return 0;
	if (location_unwind(a, l, time, n) != 0)
		return -1;
	struct suspended *s = current_keep(a, task);
	struct open_region *open = s != NULL ? realloc(s->open, (n - first) * sizeof *open) : NULL;
	if (open == NULL)
		return archive_out_of_memory(a);
	memcpy(open, l->open + first, (n - first) * sizeof *open);
	s->open = open;
	s->n_open = n - first;
	s->n_fragments++;
	int rc = 0;
	while (rc == 0 && l->n_open > first)
		rc = location_leave(a, l, time);
	return rc;
}

/* It goes on: the same regions again, each with the number of its fragment. */
static int resume(struct archive *a, struct location *l, uint64_t time, uint32_t task)
{
	struct process *p = &a->now;
	uint32_t *row = map_get(&p->suspended_rows, task);
	struct suspended *s = row != NULL && *row != 0 ? &p->suspended[*row - 1] : NULL;
	int rc = 0;
	for (uint32_t i = 0; rc == 0 && s != NULL && i < s->n_open; i++) {
		s->open[i].owner = l->running;
		rc = archive_add_u64(a, ATTRIBUTE_TASK_FRAGMENT, s->n_fragments);
		if (rc == 0)
			rc = location_push(a, l, time, &s->open[i], a->attributes);
	}
	if (s != NULL)
		s->n_open = 0;
	return rc;
}

/* The task's body has ended: its regions are left. One that never began (discarded by a cancel) begins and ends here. */
static int end_body(struct archive *a, struct location *l, uint64_t time, uint32_t task)
{
	uint32_t i = location_find_open(l, task);
	if (i < l->n_open)
		return location_unwind(a, l, time, i + 1) != 0 ? -1 : location_leave(a, l, time);
	if (task_bit(&a->now, task, TASK_BIT_STARTED))
		return 0;
	task_bit_set(&a->now, task, TASK_BIT_STARTED);
	return location_pass(a, l, time, task_region(a, task), task);
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
		return event_task_complete(a, l, time, task, status == task_status_cancel ? a->string_cancel : UNSET);
	case task_status_detach:
		if (end_body(a, l, time, task) != 0)
			return -1;
		/* Fulfilled by a thread that is in no team and can switch to no task: it completes here, and says so. */
		return a->now.model->tasks[task].state & TASK_FULFILLED_OUTSIDE
			       ? event_task_complete(a, l, time, task, a->string_detach)
			       : 0;
	case TASK_STATUS_CUT: /* its end is missing; where it is suspended there is nothing to end */
		if (location_find_open(l, task) == l->n_open)
			return 0;
		return end_body(a, l, time, task) != 0 ? -1 : event_task_complete(a, l, time, task, a->string_unfinished);
	default: return a->now.model->tasks[task].state & TASK_MARKED ? suspend(a, l, time, task) : 0;
	}
}

static int start_task(struct archive *a, struct location *l, uint64_t time, uint32_t task)
{
	if (task_bit(&a->now, task, TASK_BIT_STARTED))
		return a->now.model->tasks[task].state & TASK_MARKED ? resume(a, l, time, task) : 0;
	task_bit_set(&a->now, task, TASK_BIT_STARTED);
	return location_enter(a, l, time, task_region(a, task), task, OPEN_TASK);
}

/*
 * The current task is one whose start is not in the records (they begin, or go on, in the middle of it): it starts here. Called
 * wherever a task's first event may be. *time may become later.
 */
int event_follow(struct archive *a, struct location *l, const struct point *at, uint64_t *time)
{
	if (l->task == at->task)
		return 0;
	l->task = at->task;
	if (task_is_left_out(&a->now, at->task))
		return 0;
	if (at->task == 0 || !task_is_explicit(&a->now.model->tasks[at->task]) || location_find_open(l, at->task) < l->n_open ||
	    !current_can_be(&a->now, l, at->task))
		return event_run(a, l, *time, at->task);
	*time = current_time(&a->now, l, *time, at->task);
	return event_task_switch(a, l, *time, at->task) != 0 ? -1 : start_task(a, l, *time, at->task);
}

/*
 * May the archive have the task's creation? Where it runs on another location that one's clock is ahead of the model's creation, and
 * only of that one; where it has run already the records contradict each other.
 */
static bool can_create(const struct process *p, const struct point *at, uint64_t time, uint32_t task)
{
	const struct task *t = &p->model->tasks[task];
	uint64_t created = process_time(p, t->create_ticks);
	bool is_here =
		t->state & TASK_STARTED ? t->run_stream == at->stream && !(t->state & TASK_MIGRATED) : !(t->state & TASK_COMPLETED);
	if (t->state & TASK_DOUBTFUL || task_bit(p, task, TASK_BIT_CREATED))
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
	if (event_follow(a, l, at, &time) != 0)
		return -1;
	if (t->flags & task_flags_taskwait) /* a dummy: it never runs, its creator waits until it is complete */
		return location_enter(a, l, time, archive_region(a, t->construct, REGION_TASKWAIT_DEPEND), at->task, OPEN_SCOPE);
	if (task == 0 || !task_is_explicit(t) || !can_create(&a->now, at, time, task)) { /* contradictory records */
		a->has_holes = true;
		return 0;
	}
	task_bit_set(&a->now, task, TASK_BIT_CREATED);
	struct key k;
	uint32_t region = archive_region(a, t->construct, REGION_TASK_CREATE);
	if (region == UNSET || event_run(a, l, time, at->task) != 0 || current_key(a, task, &k) != 0 ||
	    archive_check(a, OTF2_EvtWriter_Enter(l->writer, NULL, time, region), "writing Enter") != 0 ||
	    archive_check(a, OTF2_EvtWriter_ThreadTaskCreate(l->writer, NULL, time, k.comm, k.rank, k.generation),
			  "writing ThreadTaskCreate") != 0)
		return -1;
	return archive_check(a, OTF2_EvtWriter_Leave(l->writer, NULL, time, region), "writing Leave");
}

static int task_fulfil(struct archive *a, struct location *l, uint64_t time, uint32_t task, uint32_t current)
{
	const struct task *t = &a->now.model->tasks[task];
	if (task_bit(&a->now, task, TASK_BIT_COMPLETED) || t->state & TASK_FULFILLED_OUTSIDE)
		return 0;
	if (!task_is_explicit(t) || !(t->state & TASK_DETACHED) || t->state & TASK_DOUBTFUL) { /* contradictory records */
		a->has_holes = true;
		return 0;
	}
	const struct suspended *s = current_find(&a->now, task);
	if (s != NULL && s->runs_on != 0 && &a->now.locations[s->runs_on - 1] != l) {
		a->has_holes = true;
		return 0;
	}
	time = current_time(&a->now, l, time, task);
	if (event_task_switch(a, l, time, task) != 0 || event_task_complete(a, l, time, task, UNSET) != 0)
		return -1;
	return event_run(a, l, time, current);
}

/* The task goes on here, or, where it cannot, whatever else: `prior` has stopped. */
static int go_on(struct archive *a, struct location *l, uint64_t time, uint32_t prior, uint32_t next)
{
	const struct process *p = &a->now;
	if (current_can_be(p, l, next)) {
		time = current_time(p, l, time, next);
		if (event_task_switch(a, l, time, next) != 0)
			return -1;
		return task_is_explicit(&p->model->tasks[next]) ? start_task(a, l, time, next) : 0;
	}
	a->has_holes = true;
	/* A detached one, whose body is over, or one that moves: it may be wherever next. */
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
	if (status != TASK_STATUS_CUT && event_follow(a, l, at, &time) != 0)
		return -1;
	bool is_left = prior != 0 && task_is_explicit(&p->model->tasks[prior]) && !task_is_left_out(p, prior);
	if (is_left && leave_task(a, l, l->last_time, prior, status) != 0)
		return -1;
	time = l->last_time;
	if (next == 0) /* cancelled before it began: the current task stays */
		return at->task != prior ? event_run(a, l, time, at->task) : 0;
	l->task = next;
	if (status == TASK_STATUS_CUT && location_find_open(l, next) == l->n_open)
		return 0; /* suspended for good, its regions are left */
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
