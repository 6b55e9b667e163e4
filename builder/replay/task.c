/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The replay of explicit tasks: which one is current on a stream. Quirk numbers are those of docs/runtimes.md.
 */
#include "builder/replay/state.h"

static int task_create(struct replay *r, struct stream_state *s, const struct record *record)
{
	struct model *m = r->model;
	uint32_t row = model_own_task(m, s->row, record_value(record));
	/* The tasks of a taskloop are created inside the runtime (Q9): they come from the taskloop. */
	const struct construct *construct = &m->constructs[m->tasks[row].construct];
	const struct frame *frame = construct->codeptr == 0 && record->b != 0 ? frames_find(&r->frames, s->task, s->row) : NULL;
	if (frame != NULL)
		m->tasks[row].construct = model_construct(m, construct->kind, frame->last_work);
	if (m->tasks[row].flags & task_flags_taskwait) {
		if (replay_grow((void **)&s->waits, s->n_waits, &s->waits_capacity, sizeof *s->waits) != 0)
			return -1;
		s->waits[s->n_waits++] = row;
	}
	struct point at = replay_point(s, record->time);
	return VISIT(r, task_create, &at, row);
}

uint32_t replay_dependent(const struct replay *r, const struct stream_state *s, uint64_t id)
{
	return id == 0 && s->n_waits > 0 ? s->waits[s->n_waits - 1] : model_task(r->model, id);
}

static uint32_t other_task(struct replay *r, const struct stream_state *s, uint32_t task)
{
	const struct implicit *inner = s->n_implicits > 0 ? &s->implicits[s->n_implicits - 1] : NULL;
	if (inner != NULL && task == inner->task)
		return task;
	if (task == 0)
		return inner != NULL && inner->task >= r->model->n_task_ids ? inner->task : 0;
	for (size_t i = s->n_implicits > NESTING_MAX ? s->n_implicits - NESTING_MAX : 0;
	     i + 1 < s->n_implicits && r->model->is_libomp; i++)
		if (s->implicits[i].task == task) {
			replay_quirk(r, "outer_task_named"); /* Q38 */
			return inner->task;
		}
	return task;
}

/* The task that a record names as the thread's own; as gather_own. */
static inline uint32_t own_task(struct replay *r, const struct stream_state *s, uint64_t id)
{
	uint32_t task = model_task(r->model, id);
	bool is_sure = task == s->task || (task != 0 && task_is_explicit(&r->model->tasks[task]));
	return is_sure ? task : other_task(r, s, task);
}

/* The task runs now. One that has run before may be among the suspended; most often it is the last one. */
static int resume(struct replay *r, struct stream_state *s, uint32_t task)
{
	bool may_be_suspended = r->model->tasks[task].state & TASK_HAS_PARTS || !task_is_explicit(&r->model->tasks[task]);
	if (may_be_suspended)
		suspended_remove(&s->suspended, task);
	s->task = task;
	return 0;
}

/* The last part of an untied task, whose end the runtime did not report, ends on its stream. */
static int end_part(struct replay *r, struct stream_state *s, uint64_t ticks)
{
	const struct implicit *inner = replay_innermost(s);
	uint32_t prior = s->task, next = inner != NULL ? inner->task : 0;
	if (suspended_above(&s->suspended, inner != NULL ? inner->n_suspended : 0))
		next = suspended_pop(&s->suspended);
	if (replay_leave_scopes(r, s, prior, 0, ticks, "scope_without_end") != 0)
		return -1;
	struct point at = replay_point(s, ticks);
	r->model->tasks[prior].end_ticks = at.ticks;
	if (map_put(&r->ended_parts, prior) == NULL)
		return error("out of memory in the replay");
	replay_quirk(r, "untied_part_without_end"); /* Q33 */
	if (VISIT(r, task_switch, &at, prior, next, task_status_complete) != 0)
		return -1;
	frames_drop(&r->frames, prior, s->row);
	s->task = next;
	return 0;
}

/* A suspended task will not go on. */
static int forget_suspended(struct replay *r, struct stream_state *s, uint32_t task, uint64_t ticks)
{
	suspended_remove(&s->suspended, task);
	if (replay_leave_scopes(r, s, task, 0, ticks, "scope_without_end") != 0)
		return -1;
	frames_drop(&r->frames, task, s->row);
	return 0;
}

/*
 * Another thread than that of its last part reports a task's completion: nothing is switched here. That part ends now if it has not. Where the task
 * runs nowhere, and did not end so either, the record that it went on is missing or wrong.
 */
static int end_elsewhere(struct replay *r, struct stream_state *s, uint32_t task, uint64_t ticks)
{
	struct point at = replay_point(s, ticks);
	for (size_t i = 0; i < r->model->dump->n_streams; i++)
		if (r->streams[i].task == task)
			return end_part(r, &r->streams[i], ticks);
	if (map_get(&r->ended_parts, task) != NULL)
		return 0;
	replay_repair(r, "switch_from_another_task");
	if (forget_suspended(r, s, task, ticks) != 0)
		return -1;
	return VISIT(r, task_switch, &at, task, 0, task_status_complete);
}

/* The task that a record names as the current one of its thread; 0: it names none. */
static uint32_t named_current(const struct model *m, const struct record *record)
{
	switch (record_kind(record)) {
	case EVENT_task_schedule: return record->b != 0 ? model_task(m, record->a) : 0;
	case EVENT_task_create:
	case EVENT_implicit_task_end:
	case EVENT_sync_region_begin:
	case EVENT_sync_region_end:
	case EVENT_sync_region_wait_begin:
	case EVENT_sync_region_wait_end:
	case EVENT_reduction_begin:
	case EVENT_reduction_end:
	case EVENT_masked_begin:
	case EVENT_masked_end: return model_task(m, record->a);
	default: return 0;
	}
}

int replay_end_silent_part(struct replay *r, struct stream_state *s, const struct record *record)
{
	if (!(r->model->tasks[s->task].state & TASK_ENDED_ELSEWHERE))
		return 0;
	uint32_t current = named_current(r->model, record);
	return current == 0 || current == s->task ? 0 : end_part(r, s, record->time);
}

/*
 * A record that does not simply switch from the current task to another one: what is meant. 1: a switch all the same, 0: that was all,
 * or -1.
 */
static int look_closer(struct replay *r, struct stream_state *s, const struct record *record, uint32_t *prior, uint32_t *next)
{
	struct model *m = r->model;
	unsigned status = record_flags(record);
	bool is_over = status == task_status_complete || status == task_status_cancel;
	bool is_fulfilment = record->b == 0 && model_is_fulfilment(status);
	if (!is_fulfilment) {
		*prior = own_task(r, s, record->a);
		*next = own_task(r, s, record->b);
	} else if (status == task_status_taskwait_complete && s->n_waits > 0) {
		uint32_t innermost = s->waits[--s->n_waits];
		*prior = *prior != 0 ? *prior : innermost;
	}
	if (*prior != s->task && *next == s->task && m->tasks[*prior].state & TASK_ENDED_ELSEWHERE &&
	    status == task_status_complete)
		return end_elsewhere(r, s, *prior, record->time);
	/* Cancelled before it started, or an untied one between its parts (Q14): nothing is switched. */
	bool is_waiting =
		*prior != s->task && (status == task_status_cancel || (is_over && !(m->tasks[*prior].state & TASK_STARTED)));
	if (is_waiting && m->tasks[*prior].state & TASK_STARTED && forget_suspended(r, s, *prior, record->time) != 0)
		return -1;
	if (is_waiting || *next == 0) {
		struct point at = replay_point(s, record->time);
		return VISIT(r, task_switch, &at, *prior, 0, status);
	}
	if (*prior == *next) { /* an untied task of a serial team goes on (Q15): from whatever is current */
		replay_deviation(r, "switch_to_itself");
		if (s->task == *next)
			return 0;
		*prior = s->task;
	} else if (*prior != s->task) {
		if (s->task != 0 || s->n_implicits > 0)
			replay_repair(r, "switch_from_another_task");
		s->task = *prior;
	}
	return 1;
}

static int task_schedule(struct replay *r, struct stream_state *s, const struct record *record)
{
	struct model *m = r->model;
	uint32_t prior = model_task(m, record->a), next = model_task(m, record->b);
	unsigned status = record_flags(record);
	if (prior != s->task || prior == next || next == 0) {
		int rc = look_closer(r, s, record, &prior, &next);
		if (rc != 1)
			return rc;
	} else if (!task_is_explicit(&m->tasks[next]))
		next = other_task(r, s, next);
	bool is_part =
		(m->tasks[prior].state & TASK_PART_CANCELLED) == TASK_PART_CANCELLED && m->tasks[prior].flags & task_flags_untied;
	if (is_part && status == task_status_cancel) {
		replay_quirk(r, "part_cancelled"); /* Q42 */
		status = task_status_switch;
	}
	bool is_over = status == task_status_complete || status == task_status_cancel || status == task_status_detach;
	if (is_over && replay_leave_scopes(r, s, prior, 0, record->time, "scope_without_end") != 0)
		return -1;
	struct point at = replay_point(s, record->time);
	if (VISIT(r, task_switch, &at, prior, next, status) != 0)
		return -1;
	if (is_over) {
		if (task_is_explicit(&m->tasks[prior]))
			frames_drop(&r->frames, prior, s->row);
	} else {
		if (!suspended_push(&s->suspended, prior))
			return error("out of memory in the replay");
	}
	return resume(r, s, next);
}

int replay_task_record(struct replay *r, struct stream_state *s, const struct record *record)
{
	struct point at;
	switch (record_kind(record)) {
	case EVENT_thread_begin: at = replay_point(s, record->time); return VISIT(r, thread_begin, &at, record_flags(record));
	case EVENT_thread_end: return replay_thread_end(r, s, record);
	case EVENT_thread_attach: return replay_thread_attach(r, s, record);
	case EVENT_thread_detach:
		at = replay_point(s, record->time);
		s->is_attached = false;
		return VISIT(r, thread_detach, &at);
	case EVENT_parallel_begin: return replay_parallel_begin(r, s, record);
	case EVENT_parallel_end: return replay_parallel_end(r, s, record);
	case EVENT_implicit_task_begin: return replay_implicit_begin(r, s, record);
	case EVENT_implicit_task_end: return replay_implicit_end(r, s, record);
	case EVENT_task_create: return task_create(r, s, record);
	case EVENT_task_schedule: return task_schedule(r, s, record);
	case EVENT_recording_on: return replay_recording_on(r, s, record);
	default: return 1;
	}
}
