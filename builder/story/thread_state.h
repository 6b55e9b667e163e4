/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files thread*.c and barrier.c share, and no other file uses.
 */
#ifndef OTTER_BUILDER_STORY_THREAD_STATE_H
#define OTTER_BUILDER_STORY_THREAD_STATE_H

#include "builder/story/thread.h"
#include "builder/support/diag.h"

static inline int thread_tell(struct thread *t, const struct thread_event *event)
{
	return t->ops->tell(t->self, event);
}

static inline int thread_quirk(struct thread *t, const char *name)
{
	return thread_tell(t, &(struct thread_event){.kind = THREAD_QUIRK, .name = name});
}

/* The record contradicts those before it: `expected` is the task that should stand where it names `named`. */
static inline int thread_repair(struct thread *t, const struct record *record, const char *name, uint32_t named, uint32_t expected)
{
	return thread_tell(
		t, &(struct thread_event){.kind = THREAD_REPAIR, .record = record, .name = name, .task = named, .other = expected});
}

/* What LLVM's runtime is known to do is a quirk there, and contradicts the specification anywhere else. */
static inline int thread_habit(struct thread *t, const struct record *record, const char *name)
{
	return t->model->is_libomp ? thread_quirk(t, name) : thread_repair(t, record, name, 0, 0);
}

/* Is the task an implicit or initial one that this thread has begun? Both passes know that of tasks that the stream has made so far. */
static inline bool thread_is_implicit(const struct thread *t, uint32_t task)
{
	const struct model *m = t->model;
	bool is_made_here = task > m->task_rows.base[t->stream] && task <= t->latest_row;
	return task != 0 && (is_made_here || task >= m->n_task_ids) && !task_is_explicit(&m->tasks[task]);
}

/* From here on this task is current; id: by which the record at hand names it, 0 if it names another one or none. */
static inline void thread_set_current(struct thread *t, uint32_t task, uint64_t id)
{
	t->task = task;
	t->task_id = id;
	t->is_explicit = task != 0 && !thread_is_implicit(t, task);
}

/* Makes room for one more element. 0, or -1 with the error said. */
int thread_grow(void **array, size_t n, size_t *capacity, size_t element_bytes);

/* Tells the listener of a task that another one passed over: for suspended_take(). */
void thread_pass(void *self, uint32_t task);

/*
 * The task that a record names as the thread's own, where that is not plainly the current one or an explicit one. After regions of one thread
 * inside of regions of one thread libomp may name a task around the innermost implicit one: the innermost is meant (Q38), and *is_outer is set. An
 * initial task that was made up has no id (Q40).
 */
uint32_t thread_own_other(const struct thread *t, uint32_t task, bool *is_outer);

static inline uint32_t thread_own(const struct thread *t, uint64_t id, bool *is_outer)
{
	uint32_t task = model_task(t->model, id);
	bool is_sure = task == t->task || (task != 0 && !thread_is_implicit(t, task));
	return is_sure ? task : thread_own_other(t, task, is_outer);
}

/* thread_switch.c: if the record shows that the current task's last part has ended without a record (Q33): ends it. */
int thread_end_silent_part(struct thread *t, const struct record *record);

/* thread_region.c: likewise. */
int thread_parallel_begin(struct thread *t, const struct record *record);
int thread_parallel_end(struct thread *t, const struct record *record);
int thread_implicit_begin(struct thread *t, const struct record *record);
int thread_implicit_end(struct thread *t, const struct record *record);
/* Begins the initial task of a root thread that no record begins (Q40), if the record needs a current task. */
int thread_missing_root(struct thread *t, const struct record *record);

/* thread_close.c: ends the regions that the thread encountered since n_left of them were open. */
int thread_close_regions(struct thread *t, size_t n_left, uint64_t ticks, const char *repair);
/* Forgets tasks suspended since `bottom` that went on, and completed, on another thread. */
void thread_forget_moved(struct thread *t, size_t bottom);
/* Ends the innermost implicit task at the end that `record` says (NULL: none does); ticks as recorded. */
int thread_end_implicit(struct thread *t, const struct record *record, uint64_t ticks, const char *repair);

/* barrier.c: any record that may be about barriers or reductions. 0, or -1. */
int thread_barrier(struct thread *t, const struct record *record);
/* Something comes after a reduction that is not its construct's barrier: the reduction's own barrier is not the program's (Q41). */
int thread_settle_reduction(struct thread *t);

#endif
