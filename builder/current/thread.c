/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One step of a thread's state machine: checks what any record may show, and calls the function that knows the rules for the
 * record's kind. gather/ and replay/ call thread_step() for every record of a stream. Quirk numbers are those of
 * docs/runtimes.md.
 */
#include "builder/current/step.h"

void thread_start(struct thread *t, const struct model *model, uint32_t stream, uint64_t task, const struct thread_ops *ops,
		  void *self)
{
	*t = (struct thread){
		.model = model, .ops = ops, .self = self, .stream = stream, .latest_row = model->task_rows.base[stream]};
	thread_set_current(t, model_task(model, task), 0);
}

void thread_free(struct thread *t)
{
	free(t->implicits);
	free(t->regions);
	free(t->waits);
	suspended_free(&t->suspended);
	*t = (struct thread){0};
}

static int attach(struct thread *t, const struct record *record)
{
	/* A thread may give its stream back early and take it again: then its state machine continues. */
	if (t->tid != record->a && thread_close(t, 0, "thread_left_scope_open") != 0)
		return -1;
	t->tid = record->a;
	t->is_whole = true;
	return 0;
}

static int recording_on(struct thread *t, const struct record *record)
{
	uint32_t task = model_task(t->model, record->a);
	if (task == t->task)
		return 0;
	/* What ended during the pause, and when, is not known: the program requested the pause, so nothing counts as a repair. */
	if (thread_quirk(t, "paused_elsewhere") != 0 || thread_close(t, 0, REPAIR_NONE) != 0)
		return -1;
	thread_set_current(t, task, 0);
	return 0;
}

int thread_gap(struct thread *t, uint64_t task)
{
	if (thread_close(t, 0, "scope_open_at_gap") != 0)
		return -1;
	thread_set_current(t, model_task(t->model, task), 0);
	return 0;
}

static int step_by_kind(struct thread *t, const struct record *record, unsigned kind)
{
	switch (kind) {
	case EVENT_parallel_begin:
	case EVENT_parallel_end:
	case EVENT_implicit_task_begin:
	case EVENT_implicit_task_end: return thread_step_region(t, t->ops->emit, record);
	case EVENT_task_create: return thread_create(t, record);
	case EVENT_task_schedule: return thread_schedule(t, record);
	case EVENT_thread_attach: return attach(t, record);
	case EVENT_recording_off: t->is_whole = false; return 0;
	case EVENT_recording_on: return recording_on(t, record);
	case EVENT_sync_region_begin:
	case EVENT_sync_region_end:
	case EVENT_reduction_begin:
	case EVENT_work_begin: return thread_barrier(t, record);
	default: return 0;
	}
}

int thread_step_any(struct thread *t, const struct record *record)
{
	unsigned kind = record_kind(record);
	if (t->is_explicit && record->a != t->task_id && t->model->is_libomp && thread_end_silent_part(t, record) != 0)
		return -1;
	if (t->task == 0 && t->is_whole && thread_missing_root(t, record) != 0)
		return -1;
	if (step_by_kind(t, record, kind) != 0)
		return -1;
	t->is_region_new = kind == EVENT_parallel_begin || (t->is_region_new && event_is_recorders_own(kind));
	return 0;
}
