/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Argobots' work units in the archive: what archive.c and archive_fragments.c share. One thread.
 */
#ifndef OTTER_BUILDER_ARGOBOTS_ARCHIVE_H
#define OTTER_BUILDER_ARGOBOTS_ARCHIVE_H

#include "builder/argobots/events.h"
#include "builder/otf2/archive.h"

/* Before the first event of units on the thread: the thread joins their team. 0 or -1. */
int unit_join_team(struct archive *a, struct location *l, uint64_t time);

/*
 * From here on the location is the thread that Argobots made for this main scheduler. It may have been another thread
 * before. 0 or -1.
 */
int unit_begin_thread(struct archive *a, struct location *l, uint64_t time, uint32_t scheduler);

/* As location_stamp; and never before what the unit did elsewhere, even where two processors' clocks differ. */
uint64_t unit_time(struct archive *a, struct location *l, uint64_t ticks, uint32_t unit);

/* Writes its creation, if that is not there yet. 0 or -1. */
int unit_create(struct archive *a, struct location *l, uint64_t time, uint32_t unit);

/*
 * Does the archive leave out this unit: row 0, one outside of Argobots, or one about which records contradict each other?
 */
bool unit_is_left_out(const struct process *p, uint32_t unit);

/* Is it the main scheduler of a thread that Argobots makes? */
bool unit_is_thread(const struct process *p, uint32_t unit);

/* The kind of its own region. */
enum region_kind unit_region_kind(const struct process *p, uint32_t unit);

/* Functions of struct unit_ops, for archive_fragments.c, which has the others. */
int unit_create_event(void *self, const struct point *at, uint32_t unit, uint32_t creator);
int unit_poll_event(void *self, const struct point *at, uint32_t unit, const struct unit_wait *wait, uint64_t count, bool was_look);
int unit_resume_event(void *self, const struct point *at, uint32_t unit, uint32_t waker, const struct unit_wait *wait);
int unit_join_event(void *self, const struct point *at, uint32_t unit, uint32_t joiner, bool is_first, bool was_look);
int unit_xstream_event(void *self, const struct point *at, uint64_t xstream, uint64_t rank);

#endif
