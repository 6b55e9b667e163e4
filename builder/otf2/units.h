/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Argobots' work units: what the table of events (events.c) calls for them, but for where they run (fragments.h). One
 * thread.
 */
#ifndef OTTER_BUILDER_OTF2_UNITS_H
#define OTTER_BUILDER_OTF2_UNITS_H

#include "builder/otf2/archive.h"
#include "builder/replay/replay.h"

int event_unit_xstream(void *self, const struct point *at, uint64_t xstream, uint64_t rank);
int event_unit_create(void *self, const struct point *at, uint32_t unit, uint32_t creator);
int event_unit_poll(void *self, const struct point *at, uint32_t unit, const struct unit_wait *wait, uint64_t count, bool was_look);
int event_unit_resume(void *self, const struct point *at, uint32_t unit, uint32_t waker, const struct unit_wait *wait);
int event_unit_join(void *self, const struct point *at, uint32_t unit, uint32_t joiner, bool is_first, bool was_look);

/* Before the first event of units on the thread: it joins their team. 0 or -1. */
int unit_join_team(struct archive *a, struct location *l, uint64_t time);

/*
 * From here on the location is the thread that Argobots made for this main scheduler. It may have been another thread's
 * before. 0 or -1.
 */
int unit_begin_thread(struct archive *a, struct location *l, uint64_t time, uint32_t scheduler);

/* As location_stamp; and never before what the unit did elsewhere, which two processors' clocks may say. */
uint64_t unit_time(struct archive *a, struct location *l, uint64_t ticks, uint32_t unit);

/* Writes its creation, if that is not there yet. 0 or -1. */
int unit_create(struct archive *a, struct location *l, uint64_t time, uint32_t unit);

#endif
