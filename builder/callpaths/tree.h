/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The paths on which the tasks, regions and units of one process were created, as a tree of constructs: a task hangs on
 * the construct of the task that created it, the members of a team on the region, and the region on the task that
 * encountered it. A path that reaches a construct that is already on it returns to that node, so recursion takes no
 * room, and a node has each construct above it once. docs/analyses.md has the rules.
 *
 * process.c begins the tree when the process is gathered and its constructs have their lines, attaches callpath_ops to the
 * replay, and finishes the tree after it. During the replay only a stream's own thread uses the stream; the rest runs on
 * one thread.
 */
#ifndef OTTER_BUILDER_CALLPATHS_TREE_H
#define OTTER_BUILDER_CALLPATHS_TREE_H

#include "builder/graph/graph.h"
#include "builder/states/states.h"
#include "builder/support/series.h"

/* Paths are kept until their lengths add up to this; what comes later is below one node for all others, by construct. */
#define CALLPATH_FRAMES_MAX (UINT64_C(1) << 20)
#define CALLPATH_LATEST     16 /* steps that are known without a search */

enum { CALLPATH_NONE, CALLPATH_ROOT }; /* numbers of nodes: none, and that of the process */

/* What a node stands for that is no construct, in the place of its row. */
#define CALLPATH_PROCESS UINT32_MAX
#define CALLPATH_UNKNOWN (UINT32_MAX - 1) /* the creator of what is below is not known */
#define CALLPATH_OTHERS  (UINT32_MAX - 2) /* CALLPATH_FRAMES_MAX */

struct callpath_node {
	uint32_t parent; /* with a lower number; CALLPATH_NONE above the process */
	uint32_t construct;
	uint32_t depth;      /* number of frames of its path; 0 for the process */
	uint64_t count;      /* tasks, units; regions; times that threads took part in a worksharing construct */
	uint64_t own_ticks;  /* executed by its tasks and units, or executed in it */
	uint64_t path_ticks; /* of that on the critical path */
	uint64_t n_chunks;   /* of loops: number of chunks that threads got; 0: not counted */
};

struct callpath_stream;

struct callpath_tree {
	const struct model *model;
	const struct states *states;
	uint32_t *same; /* model_same_constructs() */
	struct callpath_node *nodes;
	uint32_t n_nodes;
	size_t capacity;
	uint64_t max_frames;    /* CALLPATH_FRAMES_MAX */
	uint64_t n_frames;      /* the nodes' depths, added up */
	struct map steps;       /* node << 32 | construct -> node to which the path continues */
	uint32_t *node_of_task; /* CALLPATH_NONE: it is no task of the program */
	uint32_t *node_of_unit; /* after callpath_finish() */
	uint32_t *row_of_node;  /* after callpath_collect(): row of callpaths.rows */
	struct callpath_stream *streams;
	struct spill spill; /* for the streams, if has_order: when they were in which worksharing construct is kept */
	bool has_order;
	bool has_path; /* the critical path is known */
	struct latest_step {
		uint32_t node, construct, to;
	} latest[CALLPATH_LATEST];
};

extern const struct replay_ops callpath_ops;

/*
 * `dir`: a directory with room for files without a name; NULL: the critical path is not requested. Returns 0, or -1 with
 * the error printed; to be freed in either case.
 */
int callpath_begin(struct callpath_tree *tree, const struct model *model, const struct states *states, const char *dir);
/*
 * When the replay is over. `graph`: of the process, finished; the critical path is its. NULL: none. 0, or -1 with the
 * error printed.
 */
int callpath_finish(struct callpath_tree *tree, const struct graph *graph);
void callpath_free(struct callpath_tree *tree);

/* Adds the nodes of all trees: that of no path, and that of the process. */
void callpath_plant(struct callpath_tree *tree);

/* The node to which the path continues from a node at a construct: a row of `same`, or CALLPATH_UNKNOWN. */
uint32_t callpath_step(struct callpath_tree *tree, uint32_t node, uint32_t construct);

/*
 * Does the current task take part in the scope as a member of a team? Then the scope's time is that of its worksharing
 * construct, and not of the region.
 */
static inline bool callpath_is_shared(const struct model *m, const struct point *at, const struct scope *scope)
{
	bool is_part = (scope->type == SCOPE_WORK && scope->kind != work_kind_single_other) || scope->type == SCOPE_MASKED;
	return is_part && at->task != 0 && !task_is_explicit(&m->tasks[at->task]);
}

/* ---- Shares ---- */

/*
 * What a stream adds to the paths of creation: what its implicit tasks executed in worksharing constructs, and when they were
 * in which one. Filled during the replay by shares.c, on the stream's thread; read by the other files of this folder after
 * it.
 */

struct callpath_stream {
	struct share {
		uint32_t node, construct; /* of the member */
		uint64_t count, ticks;
		uint64_t n_chunks; /* of loops; not of a part of the run */
	} * shares;
	size_t n_shares, capacity;
	struct map row_of; /* node << 32 | construct -> row + 1 */
	struct open_share {
		uint32_t task, construct, row;
		uint64_t busy_ticks;  /* of the task, when it began */
		uint64_t inner_ticks; /* executed in constructs inside of it */
	} * open;                     /* the innermost last */
	size_t n_open, open_capacity;
	struct series order; /* of the time: row of the share that is open, the innermost, + 1; 0 none */
	char apart[64];      /* so that no two streams share a cache line */
};

int callpath_begin_shares(struct callpath_tree *tree, const char *dir);
void callpath_add_shares(struct callpath_tree *tree);
void callpath_free_shares(struct callpath_tree *tree);

/* path.c: after the shares. 0, or -1 with the error printed. */
int callpath_add_path(struct callpath_tree *tree, const struct graph *graph);

#endif
