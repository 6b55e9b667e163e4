/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An output that is written during the replay of each process: the archive, and the thread states one by one.
 */
#ifndef OTTER_BUILDER_REPLAY_SINK_H
#define OTTER_BUILDER_REPLAY_SINK_H

#include "builder/model/state.h"
#include "builder/model/tables.h"
#include "builder/replay/replay.h"

/*
 * Opened by a function of its own (builder/run/outputs.def), which fills this in. Then for each process in turn: begin, its
 * replay through `ops` and its thread states through pass_state (struct state_listener), and end; then close, also after
 * an error, which frees everything. All are called on one thread, except those of the replay and the states: several threads
 * call them at the same time, but only one for each stream (replay_ops.is_by_stream). Constructs have their labels from `end`
 * on. Everything but self and close may be NULL. Each returns 0, or -1 after it printed the error.
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
