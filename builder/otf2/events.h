/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the replay calls: each of its events as events of OTF2. The functions' `self` is a struct archive. On one
 * thread at a time for each location.
 */
#ifndef OTTER_BUILDER_OTF2_EVENTS_H
#define OTTER_BUILDER_OTF2_EVENTS_H

#include "builder/model/state.h"
#include "builder/replay/replay.h"

extern const struct replay_ops event_ops;

/* A thread's state changes at `ticks`. 0 or -1. */
int event_state(void *self, uint32_t stream, enum state from, uint64_t since_ticks, enum state to, uint64_t ticks);

#endif
