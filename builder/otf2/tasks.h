/* SPDX-License-Identifier: BSD-3-Clause
 *
 * OpenMP's tasks: what the table of events (events.c) calls for them, and what others call first in an event that
 * belongs to a task. On one thread at a time for each location.
 */
#ifndef OTTER_BUILDER_OTF2_TASKS_H
#define OTTER_BUILDER_OTF2_TASKS_H

#include "builder/otf2/archive.h"
#include "builder/replay/replay.h"

int event_task_create(void *self, const struct point *at, uint32_t task);
int event_task_schedule(void *self, const struct point *at, uint32_t prior, uint32_t next, unsigned status);

/*
 * Before an event that belongs to the current task: starts it, if the record of that is missing. *time may become
 * later. 0 or -1.
 */
int task_follow_slow(struct archive *a, struct location *l, const struct point *at, uint64_t *time);
static inline int task_follow(struct archive *a, struct location *l, const struct point *at, uint64_t *time)
{
	return __builtin_expect(l->task == at->task, 1) ? 0 : task_follow_slow(a, l, at, time);
}

#endif
