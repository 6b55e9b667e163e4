/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Work, span and the critical path of one process, from its graph at the fragment level (docs/graph.md, "The critical
 * path").
 */
#ifndef OTTER_BUILDER_GRAPH_PATH_H
#define OTTER_BUILDER_GRAPH_PATH_H

#include "builder/graph/graph.h"

enum path_bound {
	PATH_UNKNOWN, /* nothing is known */
	PATH_LOWER,   /* work and span are at least that */
	PATH_EXACT
};

/* Why it is not exact; bits of path.reasons. */
enum path_reason {
	PATH_RUNNING = 1,         /* the process went on after the snapshot */
	PATH_RECORDS_MISSING = 2, /* lost, overwritten, damaged, or of a process that was killed */
	PATH_REPAIRED = 4,        /* the replay closed or left out what other records are missing for */
	PATH_PAUSED = 8,          /* the program did not have all of itself recorded */
	PATH_GROUP_WAITS = 16,    /* since when tasks waited at the end of a taskgroup was not recorded */
	PATH_EVENTS = 32,         /* unknown: OTTER_EVENTS left out what it takes */
	PATH_CONTRADICTORY = 64,  /* unknown: records contradict each other */
	PATH_OUTSIDE = 128,       /* what threads did before they were Argobots' primary unit or external thread is not recorded */
	PATH_MUTED = 256,         /* units may have run inside of ABT_finalize */
	PATH_POLLS = 512,         /* between polls, or before they joined, units may have worked or waited */
	PATH_WAITS = 1024,        /* whether an undeferred task has the dependences of a wait is not known (Q45) */
	PATH_UNDEFERRED = 2048,   /* whether the program suspended a task until the end of one that it created */
	PATH_FULFILLERS = 4096,   /* what comes before the end of detached tasks */
	PATH_ROOTS = 8192,        /* what orders threads of the program's own, each with an initial task, is not recorded */
	PATH_OPENMP_IN_UNITS = 16384, /* what orders OpenMP's tasks and Argobots' units is not recorded */
	PATH_EXCLUSION = 32768,       /* set by the summary: tasks excluded each other, which the span leaves out */
	PATH_REASONS = 16             /* so many bits */
};

struct path {
	enum path_bound bound;
	unsigned reasons;
	uint64_t work_ns, span_ns;
	uint32_t *nodes; /* in order */
	uint32_t n_nodes;
	uint32_t *places; /* by node: its number on the path from 1, 0 it is not on it */
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
