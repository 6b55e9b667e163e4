/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What units of Argobots are called in the archive, and which of them it has. One thread.
 */
#ifndef OTTER_BUILDER_OTF2_UNIT_KEYS_H
#define OTTER_BUILDER_OTF2_UNIT_KEYS_H

#include "builder/otf2/archive.h"

/*
 * Does the archive have nothing of this unit: it is none, or outside of Argobots, or records contradict each other
 * about it?
 */
bool unit_is_left_out(const struct process *p, uint32_t unit);

/* Is it the main scheduler of a thread that Argobots makes? */
bool unit_is_thread(const struct process *p, uint32_t unit);

/*
 * The stream that creates it in the archive: its creator's, or, where it was created before the recording, the one that
 * it runs on.
 */
uint32_t unit_creating_stream(const struct work_unit *u);

/* The kind of its own region. */
enum region_kind unit_region_kind(const struct process *p, uint32_t unit);

/* Its latest event is on this location, at this time. */
void unit_note(struct process *p, const struct location *l, uint64_t time, uint32_t unit);

/* Numbers the units of the process that begins. */
void unit_keys_begin(struct archive *a);

/* After the process's last event: remembers in a->has_holes if something about a unit is missing. */
void unit_keys_end(struct archive *a);
void unit_keys_free(struct process *p);

#endif
