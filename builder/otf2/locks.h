/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Mutexes: what the table of events (events.c) calls for them. On one thread at a time for each location.
 */
#ifndef OTTER_BUILDER_OTF2_LOCKS_H
#define OTTER_BUILDER_OTF2_LOCKS_H

#include "builder/replay/replay.h"

int event_mutex(void *self, const struct point *at, const struct mutex *mutex);

#endif
