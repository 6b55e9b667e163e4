/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An output that follows the replay, process by process.
 */
#ifndef OTTER_BUILDER_REPLAY_SINK_H
#define OTTER_BUILDER_REPLAY_SINK_H

#include "builder/model/state.h"
#include "builder/model/trace.h"
#include "builder/replay/replay.h"

/*
 * An output format. The order of calls: open; for each process begin, its replay through `ops`, end; close. Output goes into the
 * directory given to open. Each returns 0, or -1 with the error said. `ops` may be NULL, and so may pass_state, which listens to the thread
 * states of the replay (struct state_listener).
 */
struct sink {
	const char *name;
	const struct replay_ops *ops;
	int (*pass_state)(void *self, uint32_t stream, enum state from, uint64_t since_ticks, enum state to, uint64_t ticks);
	int (*begin)(void *self, const struct trace *trace);
	int (*end)(void *self, const struct trace *trace);
	int (*close)(void *self);
	void *self;
};

#endif
