/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The paths on which the tasks, regions and units of one process were created, as a tree of constructs: a task hangs on
 * the construct of the task that created it, the members of a team on the region, and the region on the task that
 * encountered it. A path that comes to a construct that is already on it goes back to there, so recursion takes no
 * room, and a node has each construct above it once. docs/analyses.md has the rules.
 *
 * process.c begins the tree when the process is gathered and its constructs have their lines, attaches spawn_ops to the
 * replay, and finishes the tree after it. During the replay a stream is used by its thread alone; all else is one
 * thread's.
 */
#ifndef OTTER_BUILDER_SPAWN_TREE_H
#define OTTER_BUILDER_SPAWN_TREE_H

#include "builder/graph/graph.h"
#include "builder/states/states.h"
#include "builder/support/series.h"

/* Paths are kept until their lengths add up to this; what comes later is below one node for all others, by construct. */
#define SPAWN_FRAMES_MAX (UINT64_C(1) << 20)
#define SPAWN_LATEST     16 /* steps that are known without a search */

enum { SPAWN_NONE, SPAWN_ROOT }; /* numbers of nodes: none, and that of the process */

/* What a node stands for that is no construct, in the place of its row. */
#define SPAWN_PROCESS UINT32_MAX
#define SPAWN_UNKNOWN (UINT32_MAX - 1) /* it is not known who created what is below */
#define SPAWN_OTHERS  (UINT32_MAX - 2) /* SPAWN_FRAMES_MAX */

struct spawn_node {
	uint32_t parent; /* with a lower number; SPAWN_NONE above the process */
	uint32_t construct;
	uint32_t depth;      /* frames of its path: 0 of the process */
	uint64_t count;      /* tasks, units; regions; times that threads took part in a worksharing construct */
	uint64_t own_ticks;  /* that its tasks and units executed, or what was executed in it */
	uint64_t path_ticks; /* of that on the critical path */
	uint64_t n_chunks;   /* of loops: what threads got to execute at once, so often; 0: it was not counted */
};

struct spawn_stream;

struct spawn_tree {
	const struct model *model;
	const struct states *states;
	uint32_t *same; /* model_same_constructs() */
	struct spawn_node *nodes;
	uint32_t n_nodes;
	size_t capacity;
	uint64_t max_frames;    /* SPAWN_FRAMES_MAX */
	uint64_t n_frames;      /* the nodes' depths, added up */
	struct map steps;       /* node << 32 | construct -> node to which the path goes on */
	uint32_t *node_of_task; /* SPAWN_NONE: it is no task of the program */
	uint32_t *node_of_unit; /* after spawn_finish() */
	uint32_t *row_of_node;  /* after spawn_collect(): row of spawn.rows */
	struct spawn_stream *streams;
	struct aside aside; /* for the streams, if has_order: when they were in which worksharing construct is kept */
	bool has_order;
	bool has_path; /* the critical path is known */
	struct latest_step {
		uint32_t node, construct, to;
	} latest[SPAWN_LATEST];
};

extern const struct replay_ops spawn_ops;

/*
 * `dir`: where there is room for files without a name; NULL: the critical path is not asked for. 0, or -1 with the error
 * printed; to be freed in either case.
 */
int spawn_begin(struct spawn_tree *tree, const struct model *model, const struct states *states, const char *dir);
/*
 * When the replay is over. `graph`: of the process, finished; the critical path is its. NULL: there is none. 0, or -1 with the
 * error printed.
 */
int spawn_finish(struct spawn_tree *tree, const struct graph *graph);
void spawn_free(struct spawn_tree *tree);

/* Where the path goes on from a node when it comes to a construct: a row of `same`, or SPAWN_UNKNOWN. */
uint32_t spawn_step(struct spawn_tree *tree, uint32_t node, uint32_t construct);

/*
 * Does the current task take part in the scope as a member of a team? Then the scope's time is that of its worksharing
 * construct, and not of the region.
 */
static inline bool spawn_is_shared(const struct model *m, const struct point *at, const struct scope *scope)
{
	bool is_part = (scope->type == SCOPE_WORK && scope->kind != work_kind_single_other) || scope->type == SCOPE_MASKED;
	return is_part && at->task != 0 && !task_is_explicit(&m->tasks[at->task]);
}

#endif
