/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the other files of a thread's story call: which task a record names as the thread's own, and who is told of a
 * task that another one passed over. Quirk numbers are those of docs/runtimes.md.
 */
#include "builder/story/thread_state.h"

void thread_pass(void *self, uint32_t task)
{
	(void)thread_tell(self, &(struct thread_event){.kind = THREAD_OUT_OF_ORDER, .task = task});
}

/*
 * Did the task begin one of the regions of one thread that this thread is in? An explicit task cannot be told from
 * others by its row, but while it is in a region, it neither goes on nor creates anything.
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
