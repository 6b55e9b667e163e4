/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is entered and left on a location, by its current task: every Enter and Leave of OpenMP goes through here, so
 * that regions nest in every task and on every location, whatever the records say. On one thread at a time for each
 * location.
 *
 * Each function returns 0 or -1.
 */
#ifndef OTTER_BUILDER_OTF2_ENTER_H
#define OTTER_BUILDER_OTF2_ENTER_H

#include "builder/otf2/current.h"
#include "builder/otf2/location.h"

static inline int location_enter_with(struct archive *a, struct location *l, uint64_t time, uint32_t construct,
				      enum region_kind kind, uint32_t task, enum open_type type, OTF2_AttributeList *attributes)
{
	if (current_require(a, l, time, task) != 0)
		return -1;
	l->has_holes |= l->running != task;
	return location_push(
		a, l, time,
		(struct open_region){.construct = construct, .kind = kind, .task = task, .owner = l->running, .type = type},
		attributes);
}

static inline int location_enter(struct archive *a, struct location *l, uint64_t time, uint32_t construct, enum region_kind kind,
				 uint32_t task, enum open_type type)
{
	return location_enter_with(a, l, time, construct, kind, task, type, NULL);
}

/* Leaves the innermost region. */
static inline int location_leave_with(struct archive *a, struct location *l, uint64_t time, OTF2_AttributeList *attributes)
{
	uint32_t owner = l->open[l->n_open - 1].owner; /* what was entered by task 0, an unknown one, is left by it as well */
	if (owner != 0 ? current_require(a, l, time, owner) != 0 : l->running != 0 && current_any(a, l, time) != 0)
		return -1;
	return location_pop(a, l, time, attributes);
}

static inline int location_leave(struct archive *a, struct location *l, uint64_t time)
{
	return location_leave_with(a, l, time, NULL);
}

/* Leaves the task's innermost scope of this kind, and what is inside of it, if there is one here. */
int location_leave_kind(struct archive *a, struct location *l, uint64_t time, enum region_kind kind, uint32_t task);

/* Enters and leaves a region that takes no time. */
int location_pass(struct archive *a, struct location *l, uint64_t time, uint32_t region, uint32_t task);

#endif
