/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Work, span and the critical path of one process, from its graph at the fragment level (docs/graph.md, "The critical
 * path").
 */
#ifndef OTTER_BUILDER_GRAPH_PATH_H
#define OTTER_BUILDER_GRAPH_PATH_H

#include "builder/graph/view.h"

enum path_bound {
	PATH_UNKNOWN, /* nothing is known */
	PATH_LOWER,   /* work and span are lower bounds */
	PATH_EXACT
};

/* Why the path is not exact; bits of path.reasons. */
enum path_reason {
	PATH_RUNNING = 1,         /* the process continued after the snapshot */
	PATH_RECORDS_MISSING = 2, /* lost, overwritten, damaged, or of a process that was killed */
	PATH_REPAIRED = 4,        /* the replay closed or left out what other records are missing for */
	PATH_PAUSED = 8,          /* the program paused its recording */
	PATH_GROUP_WAITS = 16,    /* when tasks began to wait at the end of a taskgroup is not recorded */
	PATH_EVENTS = 32,         /* unknown: OTTER_EVENTS left out events that the path needs */
	PATH_CONTRADICTORY = 64,  /* unknown: records contradict each other */
	PATH_OUTSIDE = 128,       /* what threads did before they were Argobots' primary unit or external thread is not recorded */
	PATH_MUTED = 256,         /* units may have run inside of ABT_finalize */
	PATH_POLLS = 512,         /* between polls, or before they joined, units may have worked or waited */
	PATH_WAITS = 1024,        /* it is not known whether an undeferred task has the dependences of a wait (Q45) */
	PATH_UNDEFERRED = 2048,   /* it is not known whether tasks were suspended until the end of ones that they created */
	PATH_FULFILLERS = 4096,   /* it is not known what comes before the end of detached tasks */
	PATH_ROOTS = 8192,        /* the order of the program's own threads, each with an initial task, is not recorded */
	PATH_OPENMP_IN_UNITS = 16384, /* the order of OpenMP's tasks and Argobots' units is not recorded */
	PATH_EXCLUSION = 32768,       /* set by the summary: tasks excluded each other, which the span leaves out */
	PATH_SINK_WAITS = 65536,      /* when iterations of doacross loops began to wait for others is not recorded */
	PATH_SOURCES = 131072,        /* the sources that some of them waited for are not among the records */
	PATH_OTHER_RUNTIME = 262144,  /* set by the summary: another runtime in the process was not recorded */
	PATH_REASONS = 19             /* number of bits */
};

struct path {
	enum path_bound bound;
	unsigned reasons;
	uint64_t work_ns, span_ns;
	uint32_t *nodes; /* nodes on the path, in order */
	uint32_t n_nodes;
	uint32_t *places; /* by node: its number on the path from 1, 0: it is not on it */
};

/*
 * How long the node itself executed, in ns, and how long its task was blocked in it: what it adds to a chain's length. A
 * fragment executes for its time, a kernel or an operation on data for its time on the device where the device reported
 * it, else an operation for its time on the host. Synchronisations execute nothing: 0.
 */
uint64_t path_node_ns(const struct dump *dump, const struct node_view *node);

/* The node's number on the path, from 1; 0: it is not on it, or there is no path. */
uint32_t path_place(const struct graph *graph, uint32_t node);

/* Is it an edge from one node of the path to the next one? */
bool path_has_edge(const struct graph *graph, uint32_t source, uint32_t target);

/* For people; one bit of path.reasons, by its number. */
const char *path_reason_text(unsigned bit);
/* For programs. */
const char *path_reason_name(unsigned bit);

#endif
