/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to the files of a thread's state machine: the inline ones (step*.h), thread*.c and barrier.c.
 */
#ifndef OTTER_BUILDER_CURRENT_THREAD_STATE_H
#define OTTER_BUILDER_CURRENT_THREAD_STATE_H

#include "builder/current/thread.h"
#include "builder/support/diag.h"

/* A pass gives its listener as a constant to the inline functions; the other functions use the listener in thread.ops. */
#define STEP_INLINE static inline __attribute__((always_inline))

typedef int thread_listener(void *self, const struct thread_event *event);

/*
 * Is the task an implicit or initial one that this thread has begun? Both passes know that for the tasks that the stream
 * has created or begun so far.
 */
static inline bool thread_is_implicit(const struct thread *t, uint32_t task)
{
	return task != 0 && thread_made(t, task) && !task_is_explicit(&t->model->tasks[task]);
}

/*
 * Does a record that names this task clearly mean it? Then it is the current one, the innermost implicit one, or none of the
 * implicit tasks that the thread is in, nor around them (Q38).
 */
static inline bool thread_is_sure(const struct thread *t, uint32_t task)
{
	if (task == t->task || task == 0 || t->n_implicits <= 1)
		return task == t->task || task != 0;
	const struct thread_implicit *inner = &t->implicits[t->n_implicits - 1];
	return (task < inner->lowest || task > inner->highest || task == inner->task) && task != t->ended_serial;
}

static inline int thread_emit(struct thread *t, const struct thread_event *event)
{
	return t->ops->emit(t->self, event);
}

static inline int thread_quirk(struct thread *t, const char *name)
{
	return thread_emit(t, &(struct thread_event){.kind = THREAD_QUIRK, .name = name});
}

/* The record contradicts those before it: it names the task `named`, where `expected` was expected. */
static inline int thread_repair(struct thread *t, const struct record *record, const char *name, uint32_t named, uint32_t expected)
{
	return thread_emit(
		t, &(struct thread_event){.kind = THREAD_REPAIR, .record = record, .name = name, .task = named, .other = expected});
}

/* Counts something that is a quirk of LLVM's runtime, and contradicts the specification if another runtime does it. */
static inline int thread_habit(struct thread *t, const struct record *record, const char *name)
{
	return t->model->is_libomp ? thread_quirk(t, name) : thread_repair(t, record, name, 0, 0);
}

/* The address and the flags of a region's begin. */
static inline uint64_t thread_region_codeptr(const struct thread *t, uint32_t row, unsigned *flags)
{
	if (t->is_first_pass)
		return t->ops->region_codeptr(t->self, row, flags);
	const struct region *region = &t->model->regions[row];
	*flags = region->flags;
	return t->model->constructs[region->construct].codeptr;
}

/*
 * From here on this task is current. id: by which the current record names it; 0 if the record does not name it.
 */
static inline void thread_set_current(struct thread *t, uint32_t task, uint64_t id)
{
	t->task = task;
	t->task_id = id;
	t->is_explicit = task != 0 && !thread_is_implicit(t, task);
}

/* For suspended_take(): reports to the listener that a task stays suspended while one below it resumes. */
void thread_pass(void *self, uint32_t task);

/*
 * The task that a record names as the thread's own, if it is not clearly the current one or an explicit one. In regions
 * of one thread that are nested in regions of one thread, libomp may name a task around the innermost implicit one, be
 * it implicit or explicit, or the implicit task of the last such region that has ended: the current task is meant, or
 * the innermost implicit one (Q38), and *is_outer is set. An initial task that was made up has no id (Q40).
 */
uint32_t thread_own_other(const struct thread *t, uint32_t task, bool *is_outer);

static inline uint32_t thread_own(const struct thread *t, uint64_t id, bool *is_outer)
{
	uint32_t task = model_task(t->model, id);
	return thread_is_sure(t, task) ? task : thread_own_other(t, task, is_outer);
}

/* thread_switch.c: ends the current task's last part if the record shows that it has ended without a record (Q33). */
int thread_end_silent_part(struct thread *t, const struct record *record);

/* thread_region.c: begins the initial task of a root thread that no record begins (Q40), if the record needs a current task. */
int thread_missing_root(struct thread *t, const struct record *record);

/* thread_close.c: ends the regions that this thread encountered, until n_left of them are open. */
int thread_close_regions(struct thread *t, size_t n_left, uint64_t ticks, const char *repair);
/* Forgets tasks, suspended at index `bottom` or above, that resumed and completed on another thread. */
void thread_forget_moved(struct thread *t, size_t bottom);
/* Cuts explicit tasks until `bottom` suspended ones are left. Then the task below them is current. */
int thread_cut_tasks(struct thread *t, size_t bottom, uint64_t ticks, const char *repair);

/*
 * barrier.c: if a reduction has just ended, and its construct's own barrier does not come next, the barrier in which the runtime
 * reduced is not the program's (Q41): reports that to the listener.
 */
int thread_settle_reduction(struct thread *t);

#endif
