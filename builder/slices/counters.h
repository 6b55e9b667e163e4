/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counters over time for timelines: how many threads run, how many wait, and how many tasks are ready that no thread has
 * begun; averages of as many windows as parallelism.csv has rows. Used by the outputs that other tools show as timelines
 * (perfetto/, chrome/), on one thread but for the sweep of the windows.
 */
#ifndef OTTER_BUILDER_SLICES_COUNTERS_H
#define OTTER_BUILDER_SLICES_COUNTERS_H

#include "builder/replay/sink.h"

enum counter { COUNTER_RUNNING, COUNTER_READY, COUNTER_WAITING, COUNTERS };

/* Of the process in turn. */
struct counters {
	uint64_t *bounds;         /* of the windows, in ticks */
	double *values[COUNTERS]; /* by window: on average */
	size_t n_windows;
};

/* Fills in the sink, which is to stand beside the slices. `counters`, all 0, lives as long. 0, or -1 with the error printed. */
int counters_open(struct counters *counters, struct sink *sink, const char *dir, size_t n_bins);

/* Forgets the process. */
void counters_end(struct counters *counters);

#endif
