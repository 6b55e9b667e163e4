/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which barriers close a region. Older runtimes have one kind for all implicit barriers (Q32 of docs/runtimes.md). Then
 * only the end of the implicit task shows which of its barriers was the closing one: gather/ keeps the number of that
 * barrier in the model, and replay/ looks it up.
 */
#ifndef OTTER_BUILDER_CURRENT_BARRIER_H
#define OTTER_BUILDER_CURRENT_BARRIER_H

#include "builder/current/thread.h"

/* Does a barrier of this kind always close a region? */
static inline bool barrier_closes(unsigned sync_kind)
{
	return sync_kind == sync_kind_barrier_implicit_parallel || sync_kind == sync_kind_barrier_teams;
}

/* Does a barrier of this kind close a region, or may it (Q32)? */
static inline bool barrier_may_close(unsigned sync_kind)
{
	return barrier_closes(sync_kind) || sync_kind == sync_kind_barrier_implicit;
}

/*
 * The number of the closing barrier among an implicit task's barriers of the one kind, from 1; 0 if none of them closes
 * a region. Call it when the task is over. has_end: the task's end was recorded, so that the last barrier is the
 * closing one.
 */
uint32_t barrier_closing(const struct thread *t, const struct thread_implicit *implicit, bool has_end);

/*
 * Is the barrier of the one kind that began last the closing one of the innermost implicit task? Call it after the step
 * with the barrier's begin, when gather/ has finished.
 */
bool barrier_is_closing(const struct thread *t);

#endif
