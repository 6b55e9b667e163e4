/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The ends in a thread's state machine that no record reports. When an implicit task, a thread or the records end, what is open
 * inside is closed, innermost first. Quirk numbers are those of docs/runtimes.md.
 */
#include "builder/current/step_region.h"
#include "builder/current/thread_state.h"

int thread_close_regions(struct thread *t, size_t n_left, uint64_t ticks, const char *repair)
{
	while (t->n_regions > n_left) {
		struct thread_event event = {.kind = THREAD_REGION_END,
					     .ticks = ticks,
					     .task = t->task,
					     .region = t->regions[t->n_regions - 1],
					     .repair = repair};
		t->n_regions--;
		if (thread_emit(t, &event) != 0)
			return -1;
	}
	return 0;
}

void thread_forget_moved(struct thread *t, size_t bottom)
{
	for (size_t i = bottom; i < t->suspended.n && !t->is_first_pass; i++) {
		uint32_t task = t->suspended.tasks[i].task;
		unsigned state = task != SUSPENDED_GONE ? t->model->tasks[task].state : 0;
		if (state & TASK_MIGRATED && state & TASK_COMPLETED)
			suspended_remove_at(&t->suspended, i);
	}
}

int thread_cut_tasks(struct thread *t, size_t bottom, uint64_t ticks, const char *repair)
{
	thread_forget_moved(t, bottom);
	while (suspended_above(&t->suspended, bottom)) {
		struct thread_event event = {.kind = THREAD_SWITCH,
					     .ticks = ticks,
					     .task = t->task,
					     .other = suspended_pop(&t->suspended),
					     .status = TASK_STATUS_CUT,
					     .repair = repair};
		if (thread_emit(t, &event) != 0)
			return -1;
		thread_set_current(t, event.other, 0);
	}
	return 0;
}

int thread_close_implicit(struct thread *t, uint64_t ticks, const char *repair)
{
	return thread_end_implicit(t, t->ops->emit, NULL, ticks, repair);
}

int thread_close(struct thread *t, uint64_t ticks, const char *repair)
{
	if (t->ops->closing != NULL)
		repair = t->ops->closing(t->self, repair);
	while (thread_innermost(t) != NULL)
		if (thread_close_implicit(t, ticks, repair) != 0)
			return -1;
	t->n_implicits = 0;
	if (thread_settle_reduction(t) != 0 || thread_cut_tasks(t, 0, ticks, repair) != 0)
		return -1;
	if ((t->task != 0 && thread_leave(t, t->ops->emit, t->task, ticks, repair) != 0) ||
	    thread_leave(t, t->ops->emit, 0, ticks, repair) != 0)
		return -1;
	thread_set_current(t, 0, 0);
	t->n_waits = 0;
	t->implementation_barrier = 0;
	t->is_whole = false;
	return thread_close_regions(t, 0, ticks, repair);
}

/* ---- Tasks that stay suspended while one below them resumes ---- */

void thread_pass(void *self, uint32_t task)
{
	(void)thread_emit(self, &(struct thread_event){.kind = THREAD_OUT_OF_ORDER, .task = task});
}

/*
 * Did the task begin one of the regions of one thread that this thread is in? An explicit task's row does not distinguish it
 * from others, but while it is in a region, it neither resumes nor creates anything.
 */
static bool is_in_serialized(const struct thread *t, uint32_t task, size_t i)
{
	return i > 0 && t->implicits[i].outer == task && t->implicits[i].n_threads == 1;
}

uint32_t thread_own_other(const struct thread *t, uint32_t task, bool *is_outer)
{
	const struct model *m = t->model;
	uint32_t innermost = t->n_implicits > 0 ? t->implicits[t->n_implicits - 1].task : 0;
	if (task == innermost)
		return task;
	if (task == 0)
		return innermost >= m->n_task_ids ? innermost : 0;
	for (size_t i = t->n_implicits > NESTING_MAX ? t->n_implicits - NESTING_MAX : 0; i < t->n_implicits && m->is_libomp; i++)
		if (t->implicits[i].task == task || is_in_serialized(t, task, i)) {
			*is_outer = true;
			return t->is_explicit && t->task != task ? t->task : innermost;
		}
	if (m->is_libomp && task == t->ended_serial) {
		*is_outer = true;
		return t->is_explicit ? t->task : innermost;
	}
	return task;
}
