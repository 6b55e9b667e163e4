/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The ends in a thread's story that no record reports. When an implicit task, a thread or the records end, what is open
 * inside is closed, innermost first. Called by the other files of the story, and by gather/ and replay/ when a stream
 * ends. Quirk numbers are those of docs/runtimes.md.
 */
#include "builder/story/step_region.h"

int thread_close_regions(struct thread *t, size_t n_left, uint64_t ticks, const char *repair)
{
	while (t->n_regions > n_left) {
		struct thread_event event = {.kind = THREAD_REGION_END,
					     .ticks = ticks,
					     .task = t->task,
					     .region = t->regions[t->n_regions - 1],
					     .repair = repair};
		t->n_regions--;
		if (thread_tell(t, &event) != 0)
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
		if (thread_tell(t, &event) != 0)
			return -1;
		thread_set_current(t, event.other, 0);
	}
	return 0;
}

int thread_close_implicit(struct thread *t, uint64_t ticks, const char *repair)
{
	return thread_end_implicit(t, t->ops->tell, NULL, ticks, repair);
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
	if ((t->task != 0 && thread_leave(t, t->ops->tell, t->task, ticks, repair) != 0) ||
	    thread_leave(t, t->ops->tell, 0, ticks, repair) != 0)
		return -1;
	thread_set_current(t, 0, 0);
	t->n_waits = 0;
	t->implementation_barrier = 0;
	t->is_whole = false;
	return thread_close_regions(t, 0, ticks, repair);
}
