/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which part of a run is built: some of its processes, and of each of them a part of its time. main.c has it read the
 * options. run.c calls it when the processes of the run are known and in order, and when each is gathered; one thread.
 */
#ifndef OTTER_BUILDER_PARTS_H
#define OTTER_BUILDER_PARTS_H

#include "builder/model/trace.h"

#include <stdbool.h>
#include <stddef.h>

/* Is it a list of numbers of processes and of ranges of them, such as "0,3-5"? */
bool parts_is_list(const char *list);

/*
 * Moves the traces whose numbers (trace.process) are in the list to the front, in order; NULL: all are. Returns how many
 * these are, or 0 after it printed that the run has no such process.
 */
size_t parts_choose(struct trace *traces, size_t n, const char *list);

/* A time since the process's first time stamp: in ns, or in millionths of how long the process lasted. */
struct part_time {
	bool is_given, is_share;
	uint64_t value;
};

/* --from and --to. */
struct part_times {
	struct part_time from, to;
};

/* Reads a time such as "1.5s", "200ms", "3us", "7ns" or "25%"; a number without a unit is in seconds. False: it is not a time. */
bool parts_read_time(struct part_time *time, const char *text);

/* Is the time that is given for the end certainly not after the one for the begin? */
bool parts_are_reversed(const struct part_times *times);

static inline bool parts_have_times(const struct part_times *times)
{
	return times->from.is_given || times->to.is_given;
}

/*
 * Sets the window of a gathered process: where it ended before the part begins, or the part has no time in it, one after its
 * end (window_is_empty). 0, or -1 after it printed that it cannot be cut.
 */
int parts_set_window(struct trace *trace, const struct part_times *times);

#endif
