/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The task graph of one process, at one of three levels. Edges are logical: from the order of the program, dependence lists and
 * binding rules, never from who happened to run when (docs/design.md, "The graph").
 *
 * Every task is a node, numbered by its row in the model; synchronisation points, regions, scopes and fragments are further nodes.
 * A task has a position: its latest node. What it creates hangs on the position, what it synchronises with becomes the next one.
 */
#ifndef OTTER_BUILDER_GRAPH_GRAPH_H
#define OTTER_BUILDER_GRAPH_GRAPH_H

#include "builder/support/map.h"
#include "builder/replay/replay.h"

enum graph_level { GRAPH_SCOPE, GRAPH_TASK, GRAPH_FRAGMENT };

enum node_kind {
	NODE_NONE, /* a row that no task of the program has */
	NODE_INITIAL,
	NODE_IMPLICIT,
	NODE_TASK,
	NODE_TARGET,
	NODE_TASKWAIT,
	NODE_TASKGROUP,
	NODE_BARRIER,
	NODE_REGION,
	NODE_JOIN,
	NODE_FRAGMENT,
	NODE_SCOPE_BEGIN,
	NODE_SCOPE_END,
	NODE_TARGET_REGION, /* of a target construct, on the host */
	NODE_DATA_OP,
	NODE_SUBMIT,
	NODE_KERNEL, /* on a device that told of it */
	NODE_UNIT,   /* a run of one of Argobots' work units */
	NODE_TASKLET,
	NODE_SCHEDULER,
	NODE_PRIMARY_UNIT,
	NODE_EXTERNAL,  /* an OS thread that is no execution stream */
	NODE_UNIT_JOIN, /* of the joiner */
	NODE_UNIT_WAIT, /* a suspension, or polling */
	NODE_KINDS
};

enum edge_kind {
	EDGE_CREATE,
	EDGE_SEQUENCE,
	EDGE_DEPEND,
	EDGE_TASKWAIT,
	EDGE_TASKGROUP,
	EDGE_BARRIER,
	EDGE_JOIN,
	EDGE_SUBMIT,
	EDGE_COMPLETE,
	EDGE_REVIVE,
	EDGE_RESUME,
	EDGE_KINDS
};

/* A node that is not a task. */
struct node {
	uint8_t kind;
	uint8_t is_placed;     /* in its task's sequence (or, barrier and join: reached by an edge) */
	uint8_t previous_kind; /* edge_kind of the edge from `previous` */
	uint8_t is_in_work;    /* of an implicit task, inside a construct that one thread of the team executes */
	uint8_t is_of_unit;    /* of Argobots */
	uint32_t task;         /* that it belongs to; the encountering one of a region; 0 for barriers */
	union {
		uint32_t region;    /* barrier, region, join */
		uint32_t operation; /* target region, data operation, submit: row of model.operations */
		uint32_t activity;  /* kernel: row of model.activities */
		uint32_t unit;      /* of Argobots: row of model.units */
	};
	uint32_t construct;
	uint32_t previous; /* the position before it; 0 none */
	uint32_t phase;    /* nodes of implicit tasks: barriers of the team begun before; barriers: their own number from 0 */
	uint32_t wait;     /* joins and waits of units: row of graph_units.waits */
	uint64_t begin_ticks;
	uint64_t end_ticks;
	uint64_t busy_ticks; /* fragments */
};

/* An edge that the tables do not imply. */
struct edge {
	uint32_t source;
	uint32_t target;
	uint8_t kind;
	uint8_t from_end;   /* source is a task: the edge begins at its last node */
	uint8_t dependence; /* EDGE_DEPEND: dependence_type of the target */
};

/* Children of a task that the same synchronisation waits for. */
struct interval {
	uint32_t node;  /* that waits for them, 0: none did */
	uint32_t group; /* node of the innermost taskgroup of the same task around it, 0 none */
	uint32_t phase; /* implicit parents: barriers begun before */
};

/* What the graph knows of a task, beside the model. */
struct graph_task {
	uint32_t last; /* its position: its latest node */
	union {
		uint32_t origin;     /* explicit: node that it was created from, 0 none */
		uint32_t n_barriers; /* implicit, initial: barriers that it has begun, the closing one not counted */
	};
	uint32_t interval; /* explicit: row of intervals, 0 none */
};

struct graph {
	const struct model *model;
	enum graph_level level;
	struct graph_task *tasks; /* by row of model.tasks */
	struct node *nodes;       /* node number n_tasks + i */
	uint32_t n_nodes, nodes_capacity;
	struct edge *edges;
	size_t n_edges, edges_capacity;
	struct interval *intervals; /* row 0 unused */
	uint32_t n_intervals, intervals_capacity;
	uint32_t *
		open_interval; /* by task, until graph_finish: the interval of a child created now outside any taskgroup; 0 none yet */
	uint32_t *scope_node; /* by number of an open scope: its node, 0 none */
	size_t scopes_capacity;
	uint32_t *region_node; /* by region: where it begins */
	uint32_t *join_node;   /* by region: where it ends */
	struct map barriers;   /* graph_barrier_key -> node */
	struct map
		from_barriers; /* (barrier, node reached) that have an edge: where members of a team come from several barriers */
	struct map in_work;    /* implicit task -> worksharing and masked scopes open in it */
	struct map groups;     /* task -> innermost open group, row of `open_groups` */
	struct open_group {
		uint32_t node, interval, outer;
	} * open_groups;
	uint32_t n_open_groups, open_groups_capacity, free_group;
	struct graph_units *units; /* NULL: none */
	struct dependence_tables *dependences;
	struct exclusive_sets *exclusive;
	struct latest_list {
		uint32_t task;
		size_t first_edge, n_edges;
	} * latest_lists; /* by stream: the last dependence list, and its edges */
	struct unproven {
		uint32_t source, sink;
	} * unproven; /* dependences that the runtime found, and the sink's list does not show */
	size_t n_unproven, unproven_capacity;
	uint32_t *
		inherited; /* by task, from graph_finish on: what waits for its descendants where nothing nearer does; 0 not looked up yet, UINT32_MAX nothing does */
	struct first_fragment {
		uint64_t end_ticks, busy_ticks;
	} * first_fragments; /* GRAPH_FRAGMENT: of the task nodes, which are their tasks' first fragments */
	struct stretch {
		uint64_t since_ticks;  /* its current task executes, and that is not yet in its fragment */
		uint64_t paused_ticks; /* since when it does not, 0: it does */
	} * stretches;                 /* GRAPH_FRAGMENT, by stream */
	struct map waiting;            /* GRAPH_FRAGMENT: tasks that wait where they have no node of it */
	bool has_unknown_waits;        /* GRAPH_FRAGMENT: times are left out that may have been waiting */
	unsigned char *left_out;       /* a bit for each edge, in the order of graph_each_edge; NULL: all are there */
	struct path *path;             /* GRAPH_FRAGMENT: graph_path.h */
	struct tally repairs;          /* of the graph alone; complete after graph_finish */
};

/* The graph's visitor: attach it to the replay of `model`, then graph_finish. 0, or -1 with the error said. */
int graph_begin(struct graph *graph, const struct model *model, enum graph_level level);
extern const struct replay_ops graph_ops; /* graph_build.c */
int graph_finish(struct graph *graph);
void graph_free(struct graph *graph);

/* A node as exports show it. */
struct node_view {
	uint32_t id; /* within the process, from 1 */
	enum node_kind kind;
	uint32_t task;   /* 0 none */
	uint32_t region; /* 0 none */
	uint32_t construct;
	uint32_t stream;                                           /* row; UINT32_MAX where it belongs to none */
	uint64_t create_ticks, begin_ticks, end_ticks, busy_ticks; /* 0 unknown */
	unsigned flags;                                            /* task_flags of a task, else 0 */
	unsigned state;                                            /* task.state of a task, else 0 */
	const struct operation *operation; /* of a target region, data operation or submit, that of a kernel's submit, else NULL */
	const struct activity *activity;   /* of a kernel, and of a data operation that its device told of, else NULL */
	const struct work_unit *unit;      /* of Argobots' nodes, else NULL */
	uint32_t unit_node;                /* the node of that unit, else 0 */
	unsigned sync;                     /* of unit_join and unit_wait: unit_sync, and ... */
	uint64_t object;                   /* ... what for, a handle; 0 none */
};

struct edge_view {
	uint32_t source, target;
	enum edge_kind kind;
	unsigned dependence; /* dependence_type, 0 for other kinds */
	unsigned sync;       /* EDGE_RESUME: unit_sync, what the target waited for, and ... */
	uint64_t object;     /* ... the object's handle; 0 none */
};

/* Calls for every node in ascending order, for every edge in a fixed order. Stops where the function does not return 0. */
int graph_each_node(const struct graph *graph, int (*function)(void *self, const struct node_view *node), void *self);
int graph_each_edge(const struct graph *graph, int (*function)(void *self, const struct edge_view *edge), void *self);

/*
 * Calls for every set of at least two tasks that exclude each other (mutexinoutset): their nodes, ascending, the sets ascending too. Stops
 * where the function does not return 0.
 */
int graph_each_exclusive(const struct graph *graph, int (*function)(void *self, const uint32_t *nodes, uint32_t n), void *self);

/* One node by number. */
struct node_view graph_node(const struct graph *graph, uint32_t id);

/* Who created a task, encountered its region, or created or revived a unit's run: that task's or unit's node. 0 for other nodes, and where nobody is known. */
uint32_t graph_parent(const struct graph *graph, const struct node_view *node);

/* Which node waits for a task's end first, 0 none; `kind` is set to that of the edge. */
uint32_t graph_joiner(const struct graph *graph, uint32_t task, enum edge_kind *kind);

/* Is the row a node of its own? The dummies of taskwait with dependences are not: their taskwait is. */
bool graph_task_is_node(const struct graph *graph, uint32_t task);

const char *node_kind_name(enum node_kind kind);
const char *edge_kind_name(enum edge_kind kind);
/* Of an edge's dependence: "" for 0. */
const char *edge_dependence_name(unsigned dependence);

/*
 * The key of an implicit task's barrier, by its number from 0: the same for all members of its team. Each initial task of a league is a
 * team of its own.
 */
static inline uint64_t graph_barrier_key(const struct model *m, uint32_t task, uint32_t ordinal)
{
	bool is_alone = m->tasks[task].flags & task_flags_initial;
	return ((uint64_t)is_alone << 63 | (uint64_t)(is_alone ? task : m->tasks[task].region) << 31) + ordinal + 1;
}

/* Its node, 0 none. */
static inline uint32_t graph_barrier(const struct graph *graph, uint32_t task, uint32_t ordinal)
{
	const uint32_t *node = map_get(&graph->barriers, graph_barrier_key(graph->model, task, ordinal));
	return node != NULL ? *node : 0;
}

/* ---- between the files graph*.c ---- */

/* A new node, not yet anywhere; 0 when memory is out (said). */
uint32_t graph_add_node(struct graph *graph, enum node_kind kind, uint32_t task, uint32_t construct, uint64_t ticks);
static inline struct node *graph_inner_node(const struct graph *graph, uint32_t id) /* NULL for tasks */
{
	return id >= graph->model->n_tasks ? &graph->nodes[id - graph->model->n_tasks] : NULL;
}

int graph_add_edge(struct graph *graph, const struct edge *edge);

/* Is what the node has an operation and no region? */
static inline bool graph_is_operation(unsigned kind)
{
	return kind == NODE_TARGET_REGION || kind == NODE_DATA_OP || kind == NODE_SUBMIT;
}

/* graph_build.c. A new node next in the task's sequence; 0 when memory is out (said). */
uint32_t graph_add_placed(struct graph *graph, enum node_kind kind, uint32_t task, uint32_t construct, uint64_t ticks);

/*
 * graph_fragment.c. The current task of a stream stops, or comes to a scheduling point: its fragment has executed until now. It goes on with
 * a fragment of its own.
 */
void graph_stop_fragment(struct graph *graph, const struct point *at);
int graph_start_fragment(struct graph *graph, const struct point *at, uint32_t task);

/* graph_units.c: Argobots' work units. */
int graph_units_begin(struct graph *graph); /* 0, or -1 with the error said */
void graph_units_free(struct graph *graph);
int graph_unit_create(void *self, const struct point *at, uint32_t unit, uint32_t creator);
int graph_unit_revive(void *self, const struct point *at, uint32_t unit, uint32_t creator);
int graph_unit_switch(void *self, const struct point *at, const struct unit_switch *change);
int graph_unit_resume(void *self, const struct point *at, uint32_t unit, uint32_t waker, const struct unit_wait *wait);
int graph_unit_join(void *self, const struct point *at, uint32_t unit, uint32_t joiner, bool is_first);
void graph_view_unit(const struct graph *graph, const struct node *node, struct node_view *view);
/* The node of a row of model.units, 0 none. */
uint32_t graph_unit_node(const struct graph *graph, uint32_t row);
/* What a join or wait of a unit is for; of other nodes nothing. */
struct unit_wait graph_unit_wait(const struct graph *graph, const struct node *node);

/* It stops for another task, or at the end of a taskgroup: it may have waited since it was last heard of. */
void graph_leave_fragment(struct graph *graph, const struct point *at);

/* It goes on with the fragment that it has. */
void graph_start_stretch(struct graph *graph, const struct point *at);

/* It waits where the graph has no node of it; other tasks may run meanwhile. Its fragment goes on behind. */
int graph_begin_wait(struct graph *graph, const struct point *at);
void graph_end_wait(struct graph *graph, const struct point *at);

/* It executes nothing for a while, and no other task does: a mutex is not free, nothing is recorded. */
void graph_pause_fragment(struct graph *graph, const struct point *at);
void graph_resume_fragment(struct graph *graph, const struct point *at);

/* graph_device.c: the nodes of kernels, behind everything else. 0, or -1. */
int graph_add_devices(struct graph *graph);

/* graph_target.c: a target region, data operation or submit begins and ends. 0, or -1. */
int graph_enter_operation(struct graph *graph, const struct point *at, const struct scope *scope);
int graph_leave_operation(struct graph *graph, const struct point *at, const struct scope *scope);

/* graph_wait.c. The interval of a child that `parent` creates now; 0 when memory is out (said). */
uint32_t graph_interval(struct graph *graph, uint32_t parent);

/* A synchronisation, `node`, waits for all children created so far. */
void graph_close_intervals(struct graph *graph, uint32_t task, uint32_t node);

/* A taskgroup begins, and ends: it waits for its members then. */
int graph_open_group(struct graph *graph, const struct point *at, const struct scope *scope);
void graph_close_group(struct graph *graph, const struct point *at, const struct scope *scope);

/* graph_depend.c: edges from the dependence list of `task` to `node`, its first one. 0, or -1. */
int graph_depend(struct graph *graph, uint32_t task, uint32_t node, const struct dependence *list, size_t n);
int graph_depend_finish(struct graph *graph); /* behind the last list */

void graph_depend_free(struct graph *graph);

/*
 * graph_check.c: is what the runtime found among the edges of the list, or does it follow from them? Counted behind the last list where
 * not. 0, or -1.
 */
int graph_check_dependence(struct graph *graph, uint32_t stream, uint32_t source, uint32_t sink);
int graph_finish_check(struct graph *graph);

/* graph_sound.c: leaves out what contradictory records made of it. The last step. 0, or -1. */
int graph_make_sound(struct graph *graph);

/* graph_path.c: GRAPH_FRAGMENT: the critical path of the sound graph. 0, or -1. */
int graph_find_path(struct graph *graph);
void graph_free_path(struct graph *graph);

/* graph_exclusive.c: a set of n nodes in any order; all sets in their order, each once. 0, or -1. */
int graph_add_exclusive(struct graph *graph, const uint32_t *nodes, uint32_t n);
void graph_finish_exclusive(struct graph *graph);
void graph_free_exclusive(struct graph *graph);

#endif
