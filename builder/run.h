/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One run of the builder, from its options to its outputs: what main.c hands over and run.c carries out.
 */
#ifndef OTTER_BUILDER_RUN_H
#define OTTER_BUILDER_RUN_H

#include "builder/graph/graph.h"
#include "builder/parts.h"
#include "builder/runs.h"
#include "builder/support/diag.h"

struct options {
	const char **dumps; /* dumps, or directories that hold dumps */
	size_t n_dumps;
	const char *output; /* NULL: beside the first dump */
	uint64_t outputs;   /* the selected ones (outputs.h) */
	bool is_asked;      /* options have selected them; otherwise they are the default */
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
	unsigned server_seconds; /* for how long servers may be asked for debug information; 0: no network is asked */
	uint64_t memory_bytes;   /* beyond which tables go into files (memory_limit.h); UINT64_MAX: no limit */
	bool packs;              /* nothing is built: the dumps are packed (pack.h) */
	bool is_strict;          /* instead of ending with EXIT_INCOMPLETE, write nothing */
	bool is_diff;            /* the dumps are sides, which are compared (compare.h) */
	double threshold;        /* by which share the second side may take longer */
};

/* Returns the exit status (diag.h), after it printed the errors. */
int run(const struct options *options);

#endif
