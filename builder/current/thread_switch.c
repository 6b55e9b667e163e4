/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The explicit tasks of a thread's state machine: which one is current after a task_create or task_schedule record. Quirk numbers
 * are those of docs/runtimes.md.
 */
#include "builder/current/step.h"
#include "builder/support/array.h"

int thread_create(struct thread *t, const struct record *record)
{
	bool is_outer = false;
	uint32_t creator = record->a == t->task_id && record->a != 0 ? t->task : thread_own(t, record->a, &is_outer);
	return thread_create_by(t, t->ops->emit, record, creator);
}

void thread_wait_begin(struct thread *t, uint32_t dummy)
{
	array_push(t->waits, t->n_waits, t->waits_capacity, dummy);
}

/* ---- Parts of untied tasks that end without a record (Q33) ---- */

/* The task that a record names as the current one of its thread; 0 if it names none. */
static uint32_t named_current(const struct thread *t, const struct record *record)
{
	const struct model *m = t->model;
	switch (record_kind(record)) {
	case EVENT_task_schedule: {
		unsigned status = record_flags(record);
		/* It may be about a task that is not current: see thread_schedule(). */
		bool may_be_elsewhere = record->b == 0 || record->b == record->a || status == task_status_cancel ||
					(status == task_status_complete && model_task(m, record->b) == t->task);
		return may_be_elsewhere ? 0 : model_task(m, record->a);
	}
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

/* Is the current task untied, as far as the pass knows? */
static bool is_untied(const struct thread *t)
{
	const struct task *task = &t->model->tasks[t->task];
	if (t->is_first_pass)
		return thread_made(t, t->task) && task->flags & task_flags_untied;
	return task->state & TASK_CREATED && task->flags & task_flags_untied;
}

/*
 * The record creates a task in the name of another task than the current one. A task by which LLVM's runtime splits a
 * taskloop does so (Q44): it stays the current one. Such a task is tied, so an untied one has ended (Q33). The
 * properties of a task that another stream created are not known in the first pass: then it stays current, too, and if a later
 * record shows that it had ended, its part ended here.
 */
static bool creates_in_place(struct thread *t, const struct record *record)
{
	if (record_kind(record) != EVENT_task_create || is_untied(t))
		return false;
	if (t->in_place != t->task) {
		t->in_place = t->task;
		t->in_place_ticks = record->time;
	}
	return true;
}

static int end_part(struct thread *t, const struct record *record, uint64_t ticks, uint32_t next)
{
	struct thread_event event = {.kind = THREAD_PART_END,
				     .record = record,
				     .ticks = ticks,
				     .task = t->task,
				     .other = next,
				     .status = task_status_complete};
	if (thread_emit(t, &event) != 0)
		return -1;
	thread_set_current(t, next, 0);
	return 0;
}

/*
 * The record names as current a task that the thread left for the current one: an explicit task that is suspended here,
 * or the innermost implicit task. So the current task's last part has ended. Only another stream's records show whether this
 * is the known quirk: gather/ checks whether a thread reported that the task completed, and counts the record as
 * contradictory if none did.
 */
int thread_end_silent_part(struct thread *t, const struct record *record)
{
	uint32_t named = named_current(t, record);
	if (named == 0 || named == t->task || creates_in_place(t, record))
		return 0;
	const struct thread_implicit *inner = thread_innermost(t);
	size_t bottom = inner != NULL ? inner->n_suspended : 0, index = suspended_find(&t->suspended, named);
	bool is_suspended = index != SIZE_MAX && index >= bottom;
	if (!is_suspended && (inner == NULL || named != inner->task))
		return 0;
	if (is_suspended)
		suspended_take(&t->suspended, index, thread_pass, t);
	else
		suspended_pass(&t->suspended, bottom, thread_pass, t);
	return end_part(t, record, t->in_place == t->task ? t->in_place_ticks : record->time, named);
}

int thread_end_part(struct thread *t, uint64_t ticks)
{
	const struct thread_implicit *inner = thread_innermost(t);
	uint32_t next = inner != NULL ? inner->task : 0;
	if (suspended_above(&t->suspended, inner != NULL ? inner->n_suspended : 0))
		next = suspended_pop(&t->suspended);
	return end_part(t, NULL, ticks, next);
}

/* ---- task_schedule ---- */

static bool is_fulfilment(unsigned status)
{
	return status == task_status_early_fulfill || status == task_status_late_fulfill || status == task_status_taskwait_complete;
}

static int emit_status(struct thread *t, const struct record *record, uint32_t task)
{
	return thread_emit(t, &(struct thread_event){.kind = THREAD_STATUS,
						     .record = record,
						     .ticks = record->time,
						     .task = task,
						     .status = record_flags(record)});
}

/*
 * A record about one task only. libomp names the dummy task of a wait with dependences only when it creates it (Q16).
 */
static int about_one(struct thread *t, const struct record *record, uint32_t task)
{
	if (record_flags(record) != task_status_taskwait_complete)
		return emit_status(t, record, task);
	uint32_t innermost = t->n_waits > 0 ? t->waits[--t->n_waits] : 0;
	return thread_emit(t, &(struct thread_event){.kind = THREAD_WAIT_END,
						     .record = record,
						     .ticks = record->time,
						     .task = task != 0 ? task : innermost,
						     .other = innermost,
						     .status = task_status_taskwait_complete});
}

/* The implicit task resumes. It is below all tasks that were suspended in it. */
static void pass_all_above(struct thread *t, uint32_t implicit)
{
	for (size_t i = t->n_implicits; i > 0 && i + NESTING_MAX > t->n_implicits; i--)
		if (t->implicits[i - 1].task == implicit) {
			suspended_pass(&t->suspended, t->implicits[i - 1].n_suspended, thread_pass, t);
			return;
		}
}

bool thread_take_back(struct thread *t, uint32_t task, bool is_implicit)
{
	size_t index = suspended_find(&t->suspended, task);
	if (index != SIZE_MAX)
		return suspended_take(&t->suspended, index, thread_pass, t);
	if (is_implicit)
		pass_all_above(t, task);
	return false;
}

/*
 * The task that resumes, where a record may name one around it (Q38): the one that was suspended last in the innermost
 * implicit task, or that implicit task itself.
 */
static uint32_t next_named(struct thread *t, uint32_t task, bool *is_outer)
{
	if (thread_is_sure(t, task))
		return task;
	bool is_around = false;
	uint32_t next = thread_own_other(t, task, &is_around);
	if (!is_around)
		return next;
	*is_outer = true;
	size_t bottom = t->implicits[t->n_implicits - 1].n_suspended;
	return suspended_above(&t->suspended, bottom) ? t->suspended.tasks[t->suspended.n - 1].task
						      : t->implicits[t->n_implicits - 1].task;
}

/* A record that does not simply switch from the current task to another one. */
static int look_closer(struct thread *t, const struct record *record, uint32_t prior, uint32_t next)
{
	unsigned status = record_flags(record);
	bool is_outer = false;
	if (record->b == 0 && is_fulfilment(status))
		return about_one(t, record, prior);
	prior = thread_own(t, record->a, &is_outer);
	next = next_named(t, next, &is_outer);
	if (is_outer && thread_quirk(t, "outer_task_named") != 0) /* Q38 */
		return -1;
	if (next == 0)
		return emit_status(t, record, prior);
	/* Cancelled before it started, or, if it is untied, between its parts (Q14). */
	if (prior != t->task && status == task_status_cancel)
		return emit_status(t, record, prior);
	/* It completed on another thread, which did not report that (Q33), or it never ran (Q14). */
	if (prior != t->task && next == t->task && status == task_status_complete)
		return emit_status(t, record, prior);
	if (prior == next) { /* an untied task of a serial team resumes (Q15): it replaces the current task */
		if (thread_habit(t, record, "switch_to_itself") != 0)
			return -1;
		if (t->task == next)
			return 0;
		prior = t->task;
	} else if (prior != t->task) {
		bool is_known = t->task != 0 || t->n_implicits > 0;
		if (is_known && thread_repair(t, record, "switch_from_another_task", prior, t->task) != 0)
			return -1;
		thread_set_current(t, prior, 0);
	}
	return thread_switch_to(t, t->ops->emit, record, prior, next, 0);
}

int thread_schedule(struct thread *t, const struct record *record)
{
	bool is_current = record->a == t->task_id && record->a != 0;
	uint32_t prior = is_current ? t->task : model_task(t->model, record->a), next = model_task(t->model, record->b);
	bool is_outer = false;
	if (prior != t->task || prior == next || next == 0)
		return look_closer(t, record, prior, next);
	next = next_named(t, next, &is_outer);
	if (is_outer && thread_quirk(t, "outer_task_named") != 0) /* Q38 */
		return -1;
	return thread_switch_to(t, t->ops->emit, record, prior, next, is_outer ? 0 : record->b);
}
