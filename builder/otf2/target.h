/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the host does for devices: target constructs, operations on data, launches. Called by events.c. On one thread
 * at a time for each location.
 */
#ifndef OTTER_BUILDER_OTF2_TARGET_H
#define OTTER_BUILDER_OTF2_TARGET_H

#include "builder/otf2/archive.h"
#include "builder/replay/replay.h"

/* Is the scope one of these? Then it is entered and left by the functions below; each returns 0 or -1. */
bool target_is_operation(const struct scope *scope);
int event_operation_enter(struct archive *a, const struct point *at, const struct scope *scope);
int event_operation_leave(struct archive *a, const struct point *at, const struct scope *scope);

#endif
