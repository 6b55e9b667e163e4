/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The streams of a dump merged by time: which record comes next. Equal times come in the order of streams, so that every pass over the records
 * has them in one order. Continuation records belong to the record before them, which whoever takes that one takes as well: others are skipped.
 *
 * Processors' clocks may differ: `is_early` knows of a record that cannot have happened yet, as what must have come before it has not come. Its stream waits
 * until that comes, in another one, and goes on from that time (timeline_raise). It waits no longer than clocks may differ, and not for streams that wait themselves.
 */
#ifndef OTTER_BUILDER_DUMP_MERGE_H
#define OTTER_BUILDER_DUMP_MERGE_H

#include "builder/dump/timeline.h"

struct merge {
	/* A heap, the stream with the earliest next record on top. */
	struct merge_stream {
		struct timeline *timeline;
		uint32_t row; /* of dump.streams */
	} * streams;
	size_t n;
	struct merge_stream *waiting; /* in any order; few, most often none */
	size_t n_waiting;
	bool (*is_early)(void *self, uint32_t row, const struct record *record); /* NULL: none is */
	void *self;
	uint64_t now_ticks; /* of the record that came last */
	uint64_t n_raised;  /* how often a stream waited for what came */
};

/* With room for so many streams. 0, or -1 with the error said; merge_end in any case. */
int merge_begin(struct merge *merge, size_t n_streams);
void merge_end(struct merge *merge);

/* Set is_early and self behind it, if at all. The timelines stay the caller's; all of them before the first merge_next. */
void merge_add(struct merge *merge, struct timeline *timeline, uint32_t row);

/* The row of the stream whose record is next; false: there is none. It is taken from its timeline before the next call. */
bool merge_next(struct merge *merge, uint32_t *row);

#endif
