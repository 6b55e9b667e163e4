/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What mutual exclusion alone costs: for each mutex the time that tasks executed or were blocked while they held it. No
 * two of them can hold it at once, so no schedule takes less than the largest of these sums (docs/graph.md, "The critical
 * path").
 */
#ifndef OTTER_BUILDER_STATES_EXCLUSION_H
#define OTTER_BUILDER_STATES_EXCLUSION_H

#include "builder/replay/replay.h"

/* A mutex: a lock, the critical constructs of one name, an ordered loop, an atomic that the runtime reports. */
struct exclusion {
	uint64_t wait_id;
	uint32_t construct; /* row: that of the first acquisition with a label, in the order of streams */
	unsigned kind;      /* mutex_kind of the first acquisition */
	uint64_t n, ticks;  /* how often it was held, and how long its holders executed or were blocked meanwhile */
};

struct exclusion_rows {
	struct exclusion *rows;
	size_t n_rows, rows_capacity;
	struct map row_of; /* wait id -> row + 1 */
	size_t latest;     /* the row that was asked for last */
};

struct exclusions {
	struct exclusion_rows all; /* of all streams, once the replay is over */
	struct exclusion_stream {  /* of one stream; by row of dump.streams */
		struct exclusion_rows mutexes;
		struct exclusion_hold {
			uint32_t task;      /* that holds the mutex, 0 none */
			uint64_t own_ticks; /* how long it had executed and been blocked when it got it */
		} * holds;                  /* by row of `mutexes` */
		size_t holds_capacity;
		struct exclusion_change {
			uint64_t wait_id, ticks, own_ticks;
			uint32_t task, n;
			bool is_release;
		} * changes; /* of tasks that move between streams: whoever has them all finds out how long each holds what */
		size_t n_changes, changes_capacity;
		char apart[64]; /* so that no two streams share a cache line */
	} * streams;            /* given back when the replay is over */
};

/* Visits a replay after states_ops; `self` is the same struct states. Streams may be replayed at the same time. */
extern const struct replay_ops exclusion_ops;

/* Adds up what the streams found, in their order: when the replay is over. */
void exclusions_finish(struct exclusions *exclusions, size_t n_streams, const struct model *model);

void exclusions_free(struct exclusions *exclusions, size_t n_streams);

/* The mutex whose time is the longest, or NULL: none was held twice, and one that was held once excludes nobody. */
const struct exclusion *exclusions_longest(const struct exclusions *exclusions);

#endif
