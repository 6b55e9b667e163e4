/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the replay calls: each of its events as events of OTF2. The functions' `self` is a struct archive. Runs on one
 * thread at a time for each location.
 */
#ifndef OTTER_BUILDER_OTF2_EVENTS_H
#define OTTER_BUILDER_OTF2_EVENTS_H

#include "builder/model/state.h"
#include "builder/replay/replay.h"
#include "builder/otf2/archive.h"

extern const struct replay_ops event_ops;

/* A thread's state changes at `ticks`. 0 or -1. */
int event_state(void *self, uint32_t stream, enum state from, uint64_t since_ticks, enum state to, uint64_t ticks);

/* ---- Locks ---- */

/*
 * Mutexes: what the table of events (events.c) calls for them. Runs on one thread at a time for each location.
 */

int event_mutex(void *self, const struct point *at, const struct mutex *mutex);

/* ---- States ---- */

/*
 * The metric "thread state" of a location. One thread.
 */

/* Writes the location's state at this time, if the metric does not say so already. 0 or -1. */
int state_metric_write(struct archive *a, struct location *l, uint64_t time);

/* The description of the metric, a string: which number is which state. */
uint32_t state_metric_names(struct archive *a);

/* ---- Tasks ---- */

/*
 * OpenMP's tasks: what the table of events (events.c) calls for them, and what other files call first in an event that
 * belongs to a task. Runs on one thread at a time for each location.
 */

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

/* ---- Samples ---- */

/*
 * The metric "thread state sampled" of a location. One thread.
 */

/* Finds the first sample of the stream's thread. */
void sample_metric_begin(struct archive *a, struct location *l, uint32_t stream);

/* Writes the samples up to this time stamp. 0 or -1. */
int sample_metric_write(struct archive *a, struct location *l, uint64_t until);

/* The description of the metric, a string: which number is which state. */
uint32_t sample_metric_names(struct archive *a);

#endif
