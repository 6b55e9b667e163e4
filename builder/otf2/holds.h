/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The mutexes that tasks hold on a location. Called by locks.c, and where a task ends or records are missing. On one
 * thread at a time for each location.
 */
#ifndef OTTER_BUILDER_OTF2_HOLDS_H
#define OTTER_BUILDER_OTF2_HOLDS_H

#include "builder/otf2/archive.h"

/* The hold that this acquisition began, or NULL. */
struct lock_hold *holds_find(struct location *l, uint32_t lock, uint32_t order);

/* Does the current task hold this lock by another acquisition, whose release is not in the records? */
bool holds_otherwise(const struct location *l, uint32_t lock, uint32_t order);

/* A new one, of the current task. Its depth is 0. */
struct lock_hold *holds_add(struct location *l, uint32_t lock, uint32_t order);

/* Takes it off the list. */
void holds_remove(struct location *l, struct lock_hold *hold);

/*
 * The task ends, and holds mutexes whose releases are not recorded. Where records are missing, it releases them now:
 * others may acquire them later. In a complete dump the program has left them locked. UNSET: all tasks' on the location,
 * before a gap. 0 or -1.
 */
int holds_release(struct archive *a, struct location *l, uint64_t time, uint32_t task);

#endif
