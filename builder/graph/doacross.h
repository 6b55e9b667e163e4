/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What streams have met of doacross loops: filled by doacross.c during the replay, on the thread of each stream, and read by
 * doacross_edges.c after it, on one thread.
 */
#ifndef OTTER_BUILDER_GRAPH_DOACROSS_H
#define OTTER_BUILDER_GRAPH_DOACROSS_H

#include "builder/graph/shared.h"

/* A source or sink. */
struct doacross_point {
	uint32_t region, phase, loop; /* of which loop: its number among those of this phase, from 1 */
	uint32_t n;                   /* dimensions */
	size_t first;                 /* of its iteration's numbers, in `numbers` of its stream */
	uint32_t stream, task;
	uint32_t before, after; /* the fragments that it is between */
	uint64_t ticks;
};

struct doacross_stream {
	struct met_loops {
		uint32_t task, phase, n;
	} * loops; /* by implicit task: how many loops it has met in this phase */
	size_t n_loops, loops_capacity;
	struct doacross_point *sources, *sinks;
	size_t n_sources, n_sinks, sources_capacity, sinks_capacity;
	uint64_t *numbers;
	size_t n_numbers, numbers_capacity;
	char apart[64]; /* padding: another thread may write the next stream's, so they share no cache line */
};

struct doacross {
	struct doacross_stream *streams; /* by row of dump.streams */
	struct sink_wait *waits;
	size_t n_waits, waits_capacity;
	bool has_unmatched;
};

#endif
