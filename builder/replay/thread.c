/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns the events of a thread's state machine into events for the visitors: regions, implicit tasks, explicit tasks. The state
 * machine (current/thread.h) knows which task is current. This file leaves the scopes of tasks that end, and counts what was
 * closed without a record. It also has the loop over frequent records, which inlines the state machine's step. Runs on the
 * thread that replays the stream. Quirk numbers are those of docs/runtimes.md.
 */
#include "builder/replay/state.h"
#include "builder/current/step.h"

#include <string.h>

static bool is_counted(const char *repair)
{
	return repair != NULL && *repair != '\0';
}

/* ---- Regions and implicit tasks ---- */

static bool is_hidden(const struct replay *r, uint32_t region)
{
	return r->model->regions[region].state & REGION_HIDDEN; /* only the runtime knows it (Q31) */
}

static int region_end(struct replay *r, struct stream_state *s, const struct thread_event *e)
{
	const struct point *at = replay_point(s, e->ticks);
	if (e->record == NULL && is_counted(e->repair))
		replay_repair(s, "region_without_end");
	else if (e->record == NULL && e->repair == NULL && !is_hidden(r, e->region))
		replay_repair(s, "region_end_missing"); /* no runtime leaves that out: its task ends within the region */
	return is_hidden(r, e->region) ? 0 : VISIT(r, region_end, at, e->region);
}

static int implicit_end(struct replay *r, struct stream_state *s, const struct thread_event *e)
{
	if (e->record != NULL && e->ticks != e->record->time)
		replay_quirk(s, "late_worker_end"); /* Q3 */
	if (e->record == NULL && is_counted(e->repair))
		replay_repair(s, "implicit_task_without_end");
	const struct point *at = replay_point(s, e->ticks);
	if (VISIT(r, implicit_end, at, e->task) != 0)
		return -1;
	s->are_flushes_due = s->n_late_flushes > 0;
	replay_drop_task(s, e->task);
	return 0;
}

/* ---- Explicit tasks ---- */

/* Does the task begin now? Otherwise it resumes, and has a frame already. */
static bool begins(const struct replay *r, const struct thread_event *e)
{
	return !e->is_back && e->record != NULL && e->record->time == r->model->tasks[e->other].start_ticks &&
	       task_is_explicit(&r->model->tasks[e->other]);
}

STEP_INLINE int switch_tasks(struct replay *r, struct stream_state *s, const struct thread_event *e)
{
	const struct task *prior = &r->model->tasks[e->task];
	unsigned status = e->status;
	if (e->record == NULL && is_counted(e->repair) && e->task != 0)
		replay_repair(s, "task_without_end");
	bool is_part = (prior->state & TASK_PART_CANCELLED) == TASK_PART_CANCELLED && prior->flags & task_flags_untied;
	if (is_part && status == task_status_cancel) {
		replay_quirk(s, "part_cancelled"); /* Q42 */
		status = task_status_switch;
	}
	bool is_cut = e->record == NULL;
	bool is_over = is_cut || status == task_status_complete || status == task_status_cancel || status == task_status_detach;
	const struct frame *top = frames_top(&s->frames, e->task);
	bool has_scopes = top == NULL || top->n_scopes != 0;
	if (is_over && has_scopes && replay_leave_scopes(r, s, e->task, 0, e->ticks, is_cut ? e->repair : "scope_without_end") != 0)
		return -1;
	const struct point *at = replay_point(s, e->ticks);
	if (VISIT(r, task_switch, at, e->task, e->other, status) != 0)
		return -1;
	if (is_cut || (is_over && task_is_explicit(prior)))
		replay_drop_task(s, e->task);
	if (e->other != 0 && begins(r, e))
		replay_start_task(s, e->other);
	return 0;
}

/*
 * The last part of an untied task ended without a record (Q33). But if no thread reported that the task completed, a
 * record is missing or wrong.
 */
static int part_end(struct replay *r, struct stream_state *s, const struct thread_event *e)
{
	bool is_known = r->model->tasks[e->task].state & TASK_ENDED_ELSEWHERE;
	if (replay_leave_scopes(r, s, e->task, 0, e->ticks, "scope_without_end") != 0)
		return -1;
	const struct point *at = replay_point(s, e->ticks);
	if (is_known)
		replay_quirk(s, "untied_part_without_end");
	struct task_handover *handover = handovers_find(&r->handovers, e->task);
	if (is_known && handover != NULL)
		handover->is_ended = true;
	if (VISIT(r, task_switch, at, e->task, e->other, is_known ? task_status_complete : TASK_STATUS_CUT) != 0)
		return -1;
	replay_drop_task(s, e->task);
	return 0;
}

/* The suspended task will not resume. */
static int forget_suspended(struct replay *r, struct stream_state *s, uint32_t task, uint64_t ticks)
{
	suspended_remove(&s->thread.suspended, task);
	if (replay_leave_scopes(r, s, task, 0, ticks, "scope_without_end") != 0)
		return -1;
	replay_drop_task(s, task);
	return 0;
}

/*
 * A thread reports that a task completed whose last part another thread ran. Nothing changes on the thread that
 * reports. The last part has ended by then, as this record is a stop; only where streams are merged it ends now. If it
 * was not ended by that rule (Q33), the record with which it resumed is missing or wrong.
 */
static int end_elsewhere(struct replay *r, struct stream_state *s, uint32_t task, uint64_t ticks)
{
	const struct point *at = replay_point(s, ticks);
	for (size_t i = 0; r->is_merged && i < r->model->dump->n_streams; i++)
		if (r->streams[i].thread.task == task)
			return thread_end_part(&r->streams[i].thread, ticks);
	const struct task_handover *handover = handovers_find(&r->handovers, task);
	if (handover != NULL && handover->is_ended)
		return 0;
	replay_repair(s, "switch_from_another_task");
	if (forget_suspended(r, s, task, ticks) != 0)
		return -1;
	return VISIT(r, task_switch, at, task, 0, task_status_complete);
}

static int status(struct replay *r, struct stream_state *s, const struct thread_event *e)
{
	const struct task *task = &r->model->tasks[e->task];
	bool is_elsewhere = e->record->b != 0 && e->task != s->thread.task;
	if (is_elsewhere && e->status == task_status_complete && task->state & TASK_ENDED_ELSEWHERE)
		return end_elsewhere(r, s, e->task, e->ticks);
	/* Cancelled between its parts (Q14). */
	bool has_parts_left = is_elsewhere && task->state & TASK_STARTED &&
			      (e->status == task_status_cancel || e->status == task_status_complete);
	if (has_parts_left && forget_suspended(r, s, e->task, e->ticks) != 0)
		return -1;
	const struct point *at = replay_point(s, e->ticks);
	return VISIT(r, task_switch, at, e->task, 0, e->status);
}

/* ---- The state machine's listener ---- */

STEP_INLINE int emit(void *self, const struct thread_event *e)
{
	struct stream_state *s = self;
	struct replay *r = s->replay;
	const struct point *at;
	switch (e->kind) {
	case THREAD_REGION_BEGIN:
		at = replay_point(s, e->ticks);
		return is_hidden(r, e->region) ? 0 : VISIT(r, region_begin, at, e->region);
	case THREAD_REGION_END: return region_end(r, s, e);
	case THREAD_IMPLICIT_BEGIN:
		at = replay_point(s, e->ticks);
		replay_start_task(s, e->task);
		return VISIT(r, implicit_begin, at, e->task);
	case THREAD_IMPLICIT_END: return implicit_end(r, s, e);
	case THREAD_CREATE: at = replay_point(s, e->ticks); return VISIT(r, task_create, at, e->task);
	case THREAD_SWITCH: return switch_tasks(r, s, e);
	case THREAD_PART_END: return part_end(r, s, e);
	case THREAD_WAIT_END: at = replay_point(s, e->ticks); return VISIT(r, task_switch, at, e->task, 0, e->status);
	case THREAD_STATUS: return status(r, s, e);
	case THREAD_LEAVE:
		if (e->task == 0) { /* no task of the thread is known any more */
			lockset_clear(&s->held);
			frames_empty(&s->frames);
		}
		return replay_leave_scopes(r, s, e->task, 0, e->ticks, e->repair);
	case THREAD_ALIAS:
	case THREAD_OUT_OF_ORDER:
	case THREAD_REDUCTION:
	case THREAD_QUIRK: /* gather counted it */
	case THREAD_REPAIR: return 0;
	}
	return 0;
}

static uint32_t missing_root(void *self, uint32_t n)
{
	const struct stream_state *s = self;
	return model_missing_root(s->replay->model, s->row, n);
}

/*
 * Does only libomp's missing end of an initial task leave the stream open (Q10)? libomp reports none if the thread
 * lives when the process finalizes, or if the thread is the hidden helpers' root. Nothing else may be open in the
 * stream.
 */
static bool is_quiet_root(struct stream_state *s)
{
	const struct model *m = s->replay->model;
	struct thread *t = &s->thread;
	if (s->is_off || t->n_implicits != 1 || suspended_above(&t->suspended, 0) || t->n_regions > 0)
		return false;
	uint32_t root = t->implicits[0].task;
	const struct frame *frame = replay_frame_of(s, root, false);
	bool is_empty = t->task == root && (frame == NULL || frame->n_scopes == 0);
	return is_empty && m->regions[m->tasks[root].region].state & REGION_INITIAL && replay_is_finalized(s->replay);
}

static const char *closing(void *self, const char *repair)
{
	struct stream_state *s = self;
	if (!is_counted(repair) || !is_quiet_root(s))
		return repair;
	replay_quirk(s, "root_without_end"); /* Q10 */
	return REPAIR_NONE;
}

/* If the task has a stop at this record, or at the next record that has stops, the stop says whether it is the first one. */
static bool may_be_back(void *self, uint32_t task)
{
	const struct stream_state *s = self;
	for (const struct stop *stop = s->stop; stop != s->stop_end && stop->place == s->stop->place; stop++)
		if (stop->task == task)
			return !stop->is_first;
	return true;
}

const struct thread_ops replay_thread_ops = {
	.emit = emit, .missing_root = missing_root, .may_be_back = may_be_back, .closing = closing};

STEP_INLINE int step_task(struct thread *t, const struct record *record)
{
	return thread_step_task(t, emit, record);
}

__attribute__((noinline)) static int step_other(struct thread *t, const struct record *record)
{
	return thread_step_other(t, emit, record);
}

/* Passes a record to the thread's state machine, then visits the flushes that waited for the end of its implicit task. */
STEP_INLINE int step(struct replay *r, struct stream_state *s, const struct record *record)
{
	if (thread_step(&s->thread, step_task, step_other, record) != 0)
		return -1;
	return s->are_flushes_due ? replay_late_flushes(r, s) : 0;
}

int replay_step(struct replay *r, struct stream_state *s, const struct record *record)
{
	return step(r, s, record);
}

int replay_frequent(struct replay *r, struct stream_state *s, uint32_t end)
{
	struct timeline *t = &s->timeline;
	uint32_t begin = t->cursor.index;
	for (const struct record *record; t->cursor.index < end && (record = timeline_plain(t)) != NULL;) {
		unsigned kind = record_kind(record);
		if (!replay_is_frequent(kind))
			break;
		if (replay_processor(r, s, record->time) != 0)
			return -1;
		timeline_take_plain(t, record);
		bool is_for_thread = kind <= EVENT_task_schedule || !thread_skips(&s->thread, record);
		if (is_for_thread && step(r, s, record) != 0)
			return -1;
		if (kind > EVENT_task_schedule && replay_rest(r, s, record) != 0)
			return -1;
	}
	s->n_since_progress += t->cursor.index - begin;
	return 0;
}
