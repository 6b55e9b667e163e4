/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The paths of creation of all processes of a run, as rows that point into no table of a process. The outputs of this
 * folder and the report are written from them. process.c adds each process when it is built; writers read them on one
 * thread.
 */
#ifndef OTTER_BUILDER_CALLPATHS_CALLPATHS_H
#define OTTER_BUILDER_CALLPATHS_CALLPATHS_H

#include "builder/model/tables.h"
#include "builder/callpaths/tree.h"
#include "builder/tables/row.h"

/* What stands for a node in a stack. */
struct callpath_frame {
	char *name; /* the construct's label, and its function in parentheses where the label does not name it; valid UTF-8 */
	char *file; /* "" unknown */
	unsigned line;
};

/*
 * A process, or a path. Rows come depth first: the rows below a row are those after it with a greater depth, up to the
 * first without.
 */
struct callpath_row {
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
 * Where there are too many groups, paths are not distinguished; if that is not enough, the smallest groups become one
 * (NODE_NONE).
 */
struct callpath_group {
	uint32_t process;
	enum node_kind kind;
	uint32_t row;   /* of callpaths.rows, UINT32_MAX none: of its tasks; of a region, its barriers and its end the region's */
	uint32_t frame; /* row of frames: the construct */
	uint32_t model_row;
	uint64_t count; /* number of nodes, without fragments */
	uint64_t n_on_path;
	uint64_t own_ns, path_ns; /* what its nodes executed, and on the critical path */
	float width, height;      /* of its box, in pixels */
	float x, y;               /* of the middle of the box, if has_place; y goes down */
	bool has_place;
};

/* All edges of a kind from one group to another. Those within a task are left out. */
struct callpath_link {
	uint32_t source, target; /* rows of groups */
	enum edge_kind kind;
	uint64_t count, n_on_path;
};

/* How the edges from one group to another run, of any kind: Bezier curves, each of which begins where the previous one ends. */
struct callpath_curve {
	uint32_t source, target;
	uint32_t first_point, n_points; /* 1 + 3 n: begin, and for each curve two controls and its end */
};

struct callpath_point {
	float x, y;
};

#define CALLPATH_GROUPS_MAX  150  /* of a process */
#define CALLPATH_SINGLES_MAX 3000 /* of a run; a process with more has none */

/* A task, a unit or a synchronisation, of a small process; and an edge between two: those of the same kind are one. */
struct callpath_single {
	uint32_t group;
	uint64_t task; /* id of the task in nodes.csv; 0: not a task */
	uint64_t begin_ns, end_ns, own_ns, create_ns;
	uint32_t stream; /* row of dump.streams of its task's first part; UINT32_MAX: none */
	bool is_created; /* the time of its creation is known */
	bool is_on_path;
};

struct callpath_single_link {
	uint32_t source, target; /* rows of singles */
	enum edge_kind kind;
	bool is_on_path;
};

struct callpaths {
	struct callpath_row *rows;
	size_t n_rows, rows_capacity;
	struct callpath_frame *frames; /* each once */
	size_t n_frames, frames_capacity;
	struct map frame_of; /* hash of a frame -> row + 1 */
	struct callpath_group *groups;
	size_t n_groups, groups_capacity;
	struct callpath_link *links;
	size_t n_links, links_capacity;
	struct callpath_single *singles;
	size_t n_singles, singles_capacity;
	struct callpath_single_link *single_links;
	size_t n_single_links, single_links_capacity;
	struct callpath_curve *curves;
	size_t n_curves, curves_capacity;
	struct callpath_point *points;
	size_t n_points, points_capacity;
	uint64_t n_nodes_before; /* of the processes before the last one */
	uint32_t focus;          /* row of singles + 1: what the report is about, 0: the run */
	uint64_t n_constructs;   /* of the processes before */
	uint32_t n_processes;
};

/* Adds a process. Children come in the order of their total time, the largest first. */
void callpath_collect(struct callpaths *callpaths, const struct trace *trace, struct callpath_tree *tree);
/*
 * Adds the graph of the process, after callpath_collect(). Single tasks are those around the family's task, if there is one,
 * else all of a small process. Returns 0, or -1 with the error printed.
 */
int callpath_collect_graph(struct callpaths *callpaths, const struct trace *trace, const struct callpath_tree *tree,
			   const struct graph *graph, const struct family *family);
void callpath_free_rows(struct callpaths *callpaths);

/* ---- Between the files of this folder ---- */

/* layout.c: of the groups and links from these on, which are those of one process. */
void callpath_lay_out(struct callpaths *callpaths, size_t first_group, size_t first_link);

/* singles.c: of the n there are, if these are not too many, or of those around the family's task; `group_of`: by node. */
int callpath_put_singles(struct callpaths *callpaths, const struct trace *trace, const struct graph *graph,
			 const uint32_t *group_of, uint64_t n, const struct family *family);

/* Is it a task, or a part of one? */
static inline bool callpath_is_task_kind(enum node_kind kind)
{
	return kind == NODE_INITIAL || kind == NODE_IMPLICIT || kind == NODE_TASK || kind == NODE_TARGET ||
	       kind == NODE_TASKLOOP_SPLIT || kind == NODE_FRAGMENT || kind == NODE_TASK_END;
}

/* collect.c: the row of the frame of a construct. */
uint32_t callpath_put_construct(struct callpaths *callpaths, const struct construct *construct);

/* ---- Near ---- */

/*
 * Which nodes are around a task: see near.c. Used by singles.c.
 */

/*
 * By node of the fragment graph: not 0 if it is around the family's task. At most n_max nodes, the most relevant ones first.
 * To be freed; NULL after it printed that there is no such task.
 */
uint8_t *callpath_near(const struct graph *graph, const struct family *family, size_t n_max);

/* The node that stands for a node: for a fragment its task. */
uint32_t callpath_whole_of(const struct graph *graph, uint32_t id);

/* ---- Files that are made of the rows ---- */

/*
 * The files that are made of the paths of creation. Runs on one thread; each returns 0, or -1 with the error printed.
 */

/* DIR/spawn.csv: a row for each path. */
int callpath_csv(const struct callpaths *callpaths, const struct table_place *place);

/* DIR/spawn.folded: a line for each path on which something was executed, as flame graphs are made of. */
int callpath_folded(const struct callpaths *callpaths, const char *dir);

/* DIR/spawn.speedscope.json: the same as a profile. `program`: its name. */
int callpath_speedscope(const struct callpaths *callpaths, const char *program, const char *dir);

struct json_t;

/* Rows, groups and links for the report; to be freed by json_decref(). */
struct json_t *callpath_json(const struct callpaths *callpaths);

#endif
