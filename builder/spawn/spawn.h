/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The paths of creation of all processes of a run, as rows that point into no table of a process: what the outputs of
 * this folder are written from, and the report. process.c adds each process when it is built; writers read it on one
 * thread.
 */
#ifndef OTTER_BUILDER_SPAWN_SPAWN_H
#define OTTER_BUILDER_SPAWN_SPAWN_H

#include "builder/model/trace.h"
#include "builder/spawn/tree.h"

/* What stands for a node in a stack. */
struct spawn_frame {
	char *name; /* the construct's label, and its function in parentheses where the label does not name it; valid UTF-8 */
	char *file; /* "" unknown */
	unsigned line;
};

/* A process, or a path. Rows come depth first: below a row are those with a greater depth, up to the next that has none. */
struct spawn_row {
	uint32_t process;   /* its number */
	uint32_t parent;    /* row; of a process the row itself */
	uint32_t depth;     /* 0: a process */
	uint32_t frame;     /* row of frames */
	uint64_t construct; /* number in constructs.csv, 0 none */
	uint32_t model_row; /* of model.constructs of its process, 0 none */
	uint64_t count;
	uint64_t own_ns;   /* those of a construct add up to its own_ns in constructs.csv */
	uint64_t total_ns; /* with all that is below */
	uint64_t path_ns;  /* on the critical path, if it is known */
	bool has_path;
};

/*
 * The graph of a process, in which nodes of the same kind, construct and path are one. Fragments are part of their task.
 * Where there are too many groups, paths are not told apart, and then the smallest groups are one (NODE_NONE).
 */
struct spawn_group {
	uint32_t process;
	enum node_kind kind;
	uint32_t row;   /* of spawn.rows, UINT32_MAX none: of its tasks; of a region, its barriers and its end the region's */
	uint32_t frame; /* row of frames: the construct */
	uint32_t model_row;
	uint64_t count; /* nodes, of which fragments are none */
	uint64_t n_on_path;
	uint64_t own_ns, path_ns; /* what its nodes executed, and on the critical path */
	float width, height;      /* of its box, in pixels */
	float x, y;               /* of the middle of the box, if has_place; y goes down */
	bool has_place;
};

/* All edges of a kind from one group to another. Those within a task are left out. */
struct spawn_link {
	uint32_t source, target; /* rows of groups */
	enum edge_kind kind;
	uint64_t count, n_on_path;
};

/* How the edges from one group to another run, of whatever kind: Bezier curves, each of which goes on from the one before. */
struct spawn_curve {
	uint32_t source, target;
	uint32_t first_point, n_points; /* 1 + 3 n: begin, and for each curve two controls and its end */
};

struct spawn_point {
	float x, y;
};

#define SPAWN_GROUPS_MAX  150  /* of a process */
#define SPAWN_SINGLES_MAX 3000 /* of a run; a process with more has none */

/* A task, a unit or a synchronisation, of a small process; and an edge between two, of which those of the same kind are one. */
struct spawn_single {
	uint32_t group;
	uint64_t task; /* id in nodes.csv of a task, 0: it is none */
	uint64_t begin_ns, end_ns, own_ns, create_ns;
	uint32_t stream; /* row of dump.streams of its task's first part; UINT32_MAX: none */
	bool is_created; /* it is known when */
	bool is_on_path;
};

struct spawn_single_link {
	uint32_t source, target; /* rows of singles */
	enum edge_kind kind;
	bool is_on_path;
};

struct spawn {
	struct spawn_row *rows;
	size_t n_rows, rows_capacity;
	struct spawn_frame *frames; /* each once */
	size_t n_frames, frames_capacity;
	struct map frame_of; /* hash of a frame -> row + 1 */
	struct spawn_group *groups;
	size_t n_groups, groups_capacity;
	struct spawn_link *links;
	size_t n_links, links_capacity;
	struct spawn_single *singles;
	size_t n_singles, singles_capacity;
	struct spawn_single_link *single_links;
	size_t n_single_links, single_links_capacity;
	struct spawn_curve *curves;
	size_t n_curves, curves_capacity;
	struct spawn_point *points;
	size_t n_points, points_capacity;
	uint64_t n_nodes_before; /* of the processes before the last one */
	uint32_t focus;          /* row of singles + 1: what the report is about, 0: the run */
	uint64_t n_constructs;   /* of the processes before */
	uint32_t n_processes;
};

/* Adds a process. Children come in the order of their total time, the largest first. */
void spawn_collect(struct spawn *spawn, const struct trace *trace, struct spawn_tree *tree);
/*
 * After that: adds the graph of the process. Of a family, single tasks are those around its task, else all of a small process. 0,
 * or -1 with the error printed.
 */
int spawn_collect_graph(struct spawn *spawn, const struct trace *trace, const struct spawn_tree *tree, const struct graph *graph,
			const struct family *family);
void spawn_free_rows(struct spawn *spawn);

/* ---- Between the files of this folder ---- */

/* layout.c: of the groups and links from these on, which are those of one process. */
void spawn_lay_out(struct spawn *spawn, size_t first_group, size_t first_link);

/* singles.c: of the n there are, if these are not too many, or of those around the family's task; `group_of`: by node. */
int spawn_put_singles(struct spawn *spawn, const struct trace *trace, const struct graph *graph, const uint32_t *group_of,
		      uint64_t n, const struct family *family);

/* A task, or a part of one? */
static inline bool spawn_is_task_kind(enum node_kind kind)
{
	return kind == NODE_INITIAL || kind == NODE_IMPLICIT || kind == NODE_TASK || kind == NODE_TARGET ||
	       kind == NODE_TASKLOOP_SPLIT || kind == NODE_FRAGMENT || kind == NODE_TASK_END;
}

/* collect.c: the row of the frame of a construct. */
uint32_t spawn_put_construct(struct spawn *spawn, const struct construct *construct);

#endif
