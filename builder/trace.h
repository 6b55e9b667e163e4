/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One process's way through the builder, and the sinks that take it. A run has one trace a dump.
 */
#ifndef OTTER_BUILDER_TRACE_H
#define OTTER_BUILDER_TRACE_H

#include "builder/states.h"

struct trace {
	struct dump dump;
	struct model model;
	uint32_t process; /* number in the run, from 0 */
};

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
