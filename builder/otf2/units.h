/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What otf2_units.c and otf2_fragments.c share: of units of Argobots, in the process that is being written.
 */
#ifndef OTTER_BUILDER_OTF2_UNITS_H
#define OTTER_BUILDER_OTF2_UNITS_H

#include "builder/otf2/archive.h"

enum { UNIT_BIT_CREATED = 1, UNIT_BIT_STARTED = 2, UNIT_BIT_COMPLETED = 4, UNIT_BIT_THREAD = 8 };

/* Has the archive nothing of it: nobody, somebody outside of Argobots, or one about whom records contradict each other? */
bool unit_is_left_out(const struct process *p, uint32_t unit);
/* Is it the main scheduler of a thread that Argobots makes? */
bool unit_is_thread(const struct process *p, uint32_t unit);
/* By whom the archive has it created: who did, or, where that was before the recording, the thread that it runs on. */
uint32_t unit_creating_stream(const struct work_unit *u);
/* Of its own region. */
enum region_kind unit_region_kind(const struct process *p, uint32_t unit);
/* The unit is the current one from here on; 0: the thread's implicit task. */
int unit_run(struct archive *a, struct location *l, uint64_t time, uint32_t unit);
/* Before the first event of units on the thread. */
int unit_join_team(struct archive *a, struct location *l, uint64_t time);
/* The location is that of a thread that Argobots made, from here on. Another thread may have had it before, outside of Argobots. */
int unit_begin_thread(struct archive *a, struct location *l, uint64_t time, uint32_t scheduler);
/* The location's time, and of a unit that comes from elsewhere not before what it did there. Two processors' clocks may say otherwise. */
uint64_t unit_time(struct archive *a, struct location *l, uint64_t ticks, uint32_t unit);
/* It has done something at this time. */
void unit_note(struct archive *a, struct location *l, uint64_t time, uint32_t unit);
/* Writes its creation, if that is not there yet. */
int unit_create(struct archive *a, struct location *l, uint64_t time, uint32_t unit);
/* An attribute for the next event; none where it would say nothing. */
int archive_add_nonzero(struct archive *a, uint32_t attribute, uint64_t value);

#endif
