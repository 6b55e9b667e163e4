/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One run of the builder, from its options to its outputs: what main.c hands over and run.c carries out.
 */
#ifndef OTTER_BUILDER_RUN_RUN_H
#define OTTER_BUILDER_RUN_RUN_H

#include "builder/graph/graph.h"
#include "builder/support/diag.h"
#include "builder/model/tables.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- Dumps of one run ---- */

/*
 * Which dumps are of one run (docs/otter-build.1, "Runs"): dumps of different runs are never built together by accident.
 * Also the order of the processes of a run. run.c calls it when all dumps are open; one thread.
 */

struct run_choice {
	const char *id; /* --run: an id, or "last"; NULL: there should be one run only */
	bool merges;    /* --merge: all dumps are built, whatever run they are of */
};

/*
 * Sorts the traces, whose dumps are open: first the *n that are to be built, in the order of rank (those without one
 * come last), start, pid; then the others. 0; or -1 after it listed the runs, if the choice does not lead to one.
 */
int runs_choose(struct trace *traces, size_t *n, const struct run_choice *choice);

/* ---- Parts of a run ---- */

/*
 * Which part of a run is built: some of its processes, and of each of them a part of its time. main.c calls it to read
 * the options. run.c calls it when the processes of the run are known and in order, and when each is gathered; one thread.
 */

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

struct options {
	const char **dumps; /* dumps, or directories that hold dumps */
	size_t n_dumps;
	const char *output; /* the output directory; NULL: beside the first dump */
	unsigned asked;     /* the selected options of outputs (BY_ constants of outputs.h) */
	bool is_asked;      /* the user selected them; otherwise they are the default */
	enum graph_level level;
	uint64_t max_nodes;
	uint32_t fold_nodes;     /* larger graphs are simulated with several nodes as one; 0: the default */
	size_t n_bins;           /* rows of a process in parallelism.csv, at most */
	uint64_t perfetto_bytes; /* of a file, at most */
	uint64_t width_mm;       /* of pictures for print */
	const char *sources;     /* where source files are, beside their recorded places; NULL: nowhere else */
	bool hides_sources;      /* no source line is in the report */
	bool has_states;         /* thread states are wanted one by one, in the archive and beside the tables */
	bool is_forced, is_quiet;
	struct run_choice run;   /* which of the dumps are built */
	const char *processes;   /* the numbers of those processes of the run that are built (parts.h); NULL: all */
	struct part_times times; /* the part of each process that is built */
	struct family family;    /* the task whose graph is built; task 0: the whole graph */
	unsigned server_seconds; /* for how long servers may be queried for debug information; 0: the network is not used */
	uint64_t memory_bytes;   /* limit of memory; beyond it tables are in files (memory_limit.h); UINT64_MAX: no limit */
	bool is_strict;          /* instead of ending with EXIT_INCOMPLETE, write nothing */
};

/* Returns the exit status (diag.h), after it printed the errors. */
int run(const struct options *options);

#endif
