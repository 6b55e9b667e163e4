/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Merges the streams of a dump by time: finds the stream with the next record. Records with equal times come in the
 * order of their streams, so every pass has the records in the same order. The caller takes a record together with its
 * continuation records; any others are skipped. Runs on the builder's one thread.
 *
 * Clocks of processors may differ. `is_early` reports that a record cannot have happened yet, because something that must
 * come before it has not come. Then its stream waits until that comes in another stream, and continues from that time
 * (timeline_raise). It waits no longer than clocks may differ (merge.c), and not if all other streams wait as well.
 */
#ifndef OTTER_BUILDER_DUMP_MERGE_H
#define OTTER_BUILDER_DUMP_MERGE_H

#include "builder/dump/timeline.h"

struct merge {
	/* A heap with the stream whose next record is the earliest on top. */
	struct merge_stream {
		struct timeline *timeline;
		uint32_t row; /* in dump.streams */
	} * streams;
	size_t n;
	struct merge_stream *waiting; /* streams that wait, in any order; most often none */
	size_t n_waiting;
	bool (*is_early)(void *self, uint32_t row, const struct record *record); /* NULL: no record is early */
	void *self;                                                              /* for is_early */
	uint64_t now_ticks;                                                      /* time of the latest record so far */
	uint64_t n_raised; /* how often a stream waited, and what it waited for came */
};

/* Makes room for n_streams. Always 0. merge_end() frees it. */
void merge_begin(struct merge *merge, size_t n_streams);
void merge_end(struct merge *merge);

/*
 * Adds a stream. The timelines remain the caller's. The caller adds all streams, and sets is_early and self where it
 * wants them, before the first merge_next().
 */
void merge_add(struct merge *merge, struct timeline *timeline, uint32_t row);

/*
 * Sets *row to the stream whose record is next. Returns false when there are no more records. The caller takes that record
 * from its timeline before it calls again.
 */
bool merge_next(struct merge *merge, uint32_t *row);

#endif
