/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A part of the time (--from, --to): takes the place of event_ops (events.h), and lets the writer follow all events, but
 * write only what lies in the part. On one thread at a time for each location.
 */
#ifndef OTTER_BUILDER_OTF2_PART_H
#define OTTER_BUILDER_OTF2_PART_H

#include "builder/model/state.h"
#include "builder/replay/replay.h"

extern const struct replay_ops part_ops;

/* As event_state. */
int part_state(void *self, uint32_t stream, enum state from, uint64_t since_ticks, enum state to, uint64_t ticks);

#endif
