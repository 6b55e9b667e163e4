/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One step of a thread's state machine. The step of the most frequent records is inline: a pass that gives its listener as a
 * constant has it compiled into the step, so that the event needs no memory. gather/ and replay/ call thread_step() for every
 * record of a stream, once in each pass; the files of the state machine use the rest. Quirk numbers are those of docs/runtimes.md.
 */
#ifndef OTTER_BUILDER_CURRENT_STEP_H
#define OTTER_BUILDER_CURRENT_STEP_H

#include "builder/current/step_region.h"

/* For thread_step(): takes any record, or records of one kind. 0, or -1. */
int thread_step_any(struct thread *t, const struct record *record);
int thread_create(struct thread *t, const struct record *record);
int thread_schedule(struct thread *t, const struct record *record);
int thread_barrier(struct thread *t, const struct record *record); /* also takes records about reductions */

/* For the functions below: a dummy was created, so the thread is in its wait; and see thread_take_back_fast(). */
void thread_wait_begin(struct thread *t, uint32_t dummy);
bool thread_take_back(struct thread *t, uint32_t task, bool is_implicit);

/* May the task have had a part here before, as far as the pass knows? Then it may be among the suspended ones. */
static inline bool thread_may_have_parts(const struct thread *t, uint32_t task)
{
	const struct task *row = &t->model->tasks[task];
	if (t->is_first_pass) { /* relaxed: it does not matter which stream has claimed it first */
		uint32_t owner = __atomic_load_n(&row->run_stream, __ATOMIC_RELAXED);
		return owner == t->stream + 1 || (owner != 0 && t->ops->may_be_back(t->self, task));
	}
	return row->state & TASK_HAS_PARTS && (!(row->state & TASK_MIGRATED) || t->ops->may_be_back(t->self, task));
}

/* If the task is suspended here, it resumes. True: it is, and no task below it has resumed since it was suspended. */
static inline bool thread_take_back_fast(struct thread *t, uint32_t task, bool is_implicit)
{
	if (!is_implicit && !thread_may_have_parts(t, task))
		return false;
	return suspended_take_last(&t->suspended, task) || thread_take_back(t, task, is_implicit);
}

/* The task `creator`, most often the current one, creates a task. */
STEP_INLINE int thread_create_by(struct thread *t, thread_listener *emit, const struct record *record, uint32_t creator)
{
	uint32_t row = model_own_task(t->model, t->stream, record_value(record));
	struct thread_event event = {.kind = THREAD_CREATE, .record = record, .ticks = record->time, .task = row, .other = creator};
	if (emit(t->self, &event) != 0)
		return -1;
	if (row > t->latest_row)
		t->latest_row = row;
	if (record_flags(record) & task_flags_taskwait)
		thread_wait_begin(t, row);
	return 0;
}

/* The current task `prior` stops, and `next` runs. id: by which the record names `next`; 0: the record names another task. */
STEP_INLINE int thread_switch_to(struct thread *t, thread_listener *emit, const struct record *record, uint32_t prior,
				 uint32_t next, uint64_t id)
{
	unsigned status = record_flags(record);
	bool is_over = status == task_status_complete || status == task_status_cancel || status == task_status_detach;
	if (!is_over)
		suspended_push(&t->suspended, prior);
	bool is_implicit = thread_is_implicit(t, next), is_back = thread_take_back_fast(t, next, is_implicit);
	struct thread_event event = {.kind = THREAD_SWITCH,
				     .record = record,
				     .ticks = record->time,
				     .task = prior,
				     .other = next,
				     .status = status,
				     .is_back = is_back};
	if (emit(t->self, &event) != 0)
		return -1;
	t->task = next;
	t->task_id = id;
	t->is_explicit = !is_implicit && next != 0;
	return 0;
}

/* Is the next record no concern of the state machine's, so that a pass need not call thread_step() for it? */
static inline bool thread_skips(struct thread *t, const struct record *record)
{
	unsigned kind = record_kind(record), flags = record_flags(record);
	bool is_none = false;
	if (kind == EVENT_work_begin)
		is_none = t->task != 0 && t->reduction_barrier == 0;
	else if (kind == EVENT_sync_region_begin || kind == EVENT_sync_region_end) /* taskwait, taskgroup: nothing changes */
		is_none = (flags == sync_kind_taskwait || flags == sync_kind_taskgroup) && t->reduction_barrier == 0 &&
			  record->a == t->task_id && record->a != 0;
	else
		is_none = kind == EVENT_work_end || (kind >= EVENT_mutex_acquire && kind <= EVENT_nest_lock_end);
	t->is_region_new &= !is_none;
	return is_none;
}

/* For thread_step(): a record about explicit tasks that names the current one by the id by which it is known. 0, or -1. */
STEP_INLINE int thread_step_task(struct thread *t, thread_listener *emit, const struct record *record)
{
	t->is_region_new = false;
	if (record_kind(record) == EVENT_task_create)
		return thread_create_by(t, emit, record, t->task);
	uint32_t next = model_task(t->model, record->b);
	if (next == 0 || next == t->task || !thread_is_sure(t, next))
		return thread_schedule(t, record);
	return thread_switch_to(t, emit, record, t->task, next, record->b);
}

/* The same for any other record. */
STEP_INLINE int thread_step_other(struct thread *t, thread_listener *emit, const struct record *record)
{
	unsigned kind = record_kind(record);
	if ((kind == EVENT_sync_region_begin || kind == EVENT_sync_region_end) && record->a == t->task_id && record->a != 0) {
		t->is_region_new = false;
		return thread_barrier(t, record);
	}
	bool is_region = kind >= EVENT_parallel_begin && kind <= EVENT_implicit_task_end;
	/* thread_step_any() has nothing to do before such a record. */
	if (is_region && (kind == EVENT_implicit_task_begin || (t->task != 0 && !t->is_explicit))) {
		if (thread_step_region(t, emit, record) != 0)
			return -1;
		t->is_region_new = kind == EVENT_parallel_begin;
		return 0;
	}
	return thread_step_any(t, record);
}

typedef int thread_stepper(struct thread *t, const struct record *record);

/*
 * Takes the next record, which is no continuation: by thread_step_task() or thread_step_other(), each in a function of the
 * pass, which gives it the listener as a constant. They are separate functions so that the most frequent records save fewer
 * registers. 0, or -1.
 */
STEP_INLINE int thread_step(struct thread *t, thread_stepper *task, thread_stepper *other, const struct record *record)
{
	unsigned kind = record_kind(record);
	bool is_of_tasks = kind == EVENT_task_schedule || kind == EVENT_task_create;
	bool names_current = record->a == t->task_id && record->a != 0;
	return is_of_tasks && names_current ? task(t, record) : other(t, record);
}

#endif
