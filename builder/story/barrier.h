/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which barriers close a region. A runtime of an older version has one kind for all implicit barriers (Q32 of docs/runtimes.md): only the end of the
 * implicit task tells which one was the closing one, so that gather/ keeps its number in the model, and replay/ asks for it.
 */
#ifndef OTTER_BUILDER_STORY_BARRIER_H
#define OTTER_BUILDER_STORY_BARRIER_H

#include "builder/story/thread.h"

/* Barriers of this kind close a region wherever they come. */
static inline bool barrier_closes(unsigned sync_kind)
{
	return sync_kind == sync_kind_barrier_implicit_parallel || sync_kind == sync_kind_barrier_teams;
}

/* Barriers of this kind close a region, or may. */
static inline bool barrier_may_close(unsigned sync_kind)
{
	return barrier_closes(sync_kind) || sync_kind == sync_kind_barrier_implicit;
}

/*
 * The number, from 1, of the closing barrier among an implicit task's barriers of the one kind; 0: none closes it. Asked when the task is over;
 * has_end: its end was recorded, so that the last one is the closing one.
 */
uint32_t barrier_closing(const struct model *m, const struct thread_implicit *implicit, bool has_end);

/* Is the barrier of the one kind that began last the closing one of the innermost implicit task? Asked after the step, once gather/ is done. */
bool barrier_is_closing(const struct thread *t);

#endif
