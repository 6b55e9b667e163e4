/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where Argobots' work units run: what the table of events (events.c) calls for that. One thread.
 */
#ifndef OTTER_BUILDER_OTF2_FRAGMENTS_H
#define OTTER_BUILDER_OTF2_FRAGMENTS_H

#include "builder/replay/replay.h"

int event_unit_switch(void *self, const struct point *at, const struct unit_switch *change);

#endif
