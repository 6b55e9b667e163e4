/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Closes what is open on a location: regions, and with them the tasks, teams and units that they belong to. Called
 * where something ends, and where its end is missing in the records. On one thread at a time for each location.
 *
 * Each function returns 0 or -1.
 */
#ifndef OTTER_BUILDER_OTF2_CLOSE_H
#define OTTER_BUILDER_OTF2_CLOSE_H

#include "builder/otf2/archive.h"

/*
 * Leaves the innermost regions until `n_open` are left, and completes the tasks, teams and fragments of units whose own
 * regions these are.
 */
int close_down_to(struct archive *a, struct location *l, uint64_t time, uint32_t n_open);

/*
 * Leaves a task's own region, which is at place `i`, and what is inside of it. *is_left is not set where a task inside of it
 * has taken it along when it was closed, which only contradictory records bring about.
 */
int close_own(struct archive *a, struct location *l, uint64_t time, uint32_t i, bool *is_left);

/* The task completes. `status`: a string that says how, where that is not the ordinary way; else UNSET. */
int close_task(struct archive *a, struct location *l, uint64_t time, uint32_t task, uint32_t status);

/* The thread is no longer in the team of this implicit task, whose region has been left. */
int close_team(struct archive *a, struct location *l, uint64_t time, const struct open_region *implicit);

/* Joins the team that was forked last. */
int close_fork(struct archive *a, struct location *l, uint64_t time);

/* Leaves the region of the current unit, the innermost one; a->attributes says why. */
int close_fragment(struct archive *a, struct location *l, uint64_t time, uint32_t unit);

/* Leaves the innermost region, a unit's whose own stop is missing or comes later: it goes on elsewhere, if at all. */
int close_cut_fragment(struct archive *a, struct location *l, uint64_t time);

/* The thread is no longer in the units' team. */
int close_units(struct archive *a, struct location *l, uint64_t time);

/* Closes whatever is open on the location, and the location. Does nothing the second time. */
int close_location(struct archive *a, uint32_t stream);

#endif
