/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The task graph of one process, at one of three levels. Edges are logical: they follow from the order of the program,
 * dependence lists and binding rules, never from the schedule of one run (docs/design.md, "The graph").
 *
 * Every task is a node, numbered by its row in the model; synchronisation points, regions, scopes and fragments are
 * further nodes. A task has a position: its latest node. What the task creates hangs on its position; what it
 * synchronises with becomes its next position.
 *
 * The replay calls it on several threads, but for one stream on one thread at a time; exports only read, on several: view.h
 * has what they see.
 */
#ifndef OTTER_BUILDER_GRAPH_GRAPH_H
#define OTTER_BUILDER_GRAPH_GRAPH_H

#include "builder/graph/mutexes.h"
#include "builder/graph/order.h"
#include "builder/model/busy.h"
#include "builder/model/task_times.h"
#include "builder/symbols/variables.h"
#include "builder/graph/rows.h"
#include "builder/replay/replay.h"
#include "builder/support/map.h"

enum graph_level { GRAPH_SCOPE, GRAPH_TASK, GRAPH_FRAGMENT };

/*
 * What a graph is needed for: only the numbers of its nodes and edges of each kind, and its sets of exclusive tasks; or all
 * of it. A graph that is only counted keeps what the counts need (graph_begin), which is much less.
 */
enum graph_keep { GRAPH_COUNTED, GRAPH_KEPT };

enum node_kind {
	NODE_NONE, /* of a row that no task of the program has */
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
	NODE_TARGET_REGION, /* a target construct, on the host */
	NODE_DATA_OP,
	NODE_SUBMIT,
	NODE_KERNEL,   /* on a device that reports its own activities */
	NODE_TASK_END, /* the end of a task, if more than the task's own position comes before it */
	NODE_UNIT,     /* from here on Argobots: a run of a work unit */
	NODE_TASKLET,
	NODE_SCHEDULER,
	NODE_PRIMARY_UNIT,
	NODE_EXTERNAL,  /* an OS thread that is no execution stream */
	NODE_UNIT_JOIN, /* belongs to the unit that joins */
	NODE_UNIT_WAIT, /* a suspension, or polling */
	/* A task of the runtime's own, which creates tasks of a taskloop (Q44 of docs/runtimes.md). */
	NODE_TASKLOOP_SPLIT,
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
	EDGE_UNDEFERRED, /* from the end of an undeferred task to what the task that created it does next */
	EDGE_FULFILL,    /* from the task that fulfilled an event to the end of the detached task */
	EDGE_SUBMIT,
	EDGE_COMPLETE,
	EDGE_REVIVE,
	EDGE_RESUME,
	EDGE_DOACROSS, /* GRAPH_FRAGMENT: from before an iteration's source to after another one's sink */
	EDGE_KINDS,
	EDGE_OF_JOINER = EDGE_KINDS /* edge_ends.kind: edge_of_joiner() of the target */
};

/* A node that is not a task. */
struct node {
	uint8_t kind;
	uint8_t previous_kind;  /* edge_kind of the edge from `previous` */
	bool is_placed : 1;     /* it has its place in the graph: in its task's sequence, or an edge leads to it */
	bool is_in_work : 1;    /* of an implicit task, in a construct that one thread of the team executes */
	bool is_of_unit : 1;    /* it belongs to a unit of Argobots */
	bool is_region_end : 1; /* of a join, during the replay: the region's end was seen there */
	uint32_t task;          /* the task that it belongs to; of a region the encountering task; 0 for barriers and units */
	union {
		uint32_t region;    /* barrier, region, join */
		uint32_t operation; /* target region, data operation, submit: row of model.operations */
		uint32_t activity;  /* kernel: row of model.activities */
		uint32_t unit;      /* Argobots: row of model.units */
	};
	uint32_t construct;
	uint32_t previous; /* the position before it, 0 none */
	union {
		uint32_t phase; /* barriers and nodes of implicit tasks: how many barriers of the team came before it */
		uint32_t wait;  /* joins and waits of units: row of graph_units.waits; joins, during the replay: edges before it */
	};
	uint64_t begin_ticks;
	uint64_t end_ticks;
	uint64_t busy_ticks; /* time executed in it: fragments, data operations at the fragment level, units */
};
_Static_assert(sizeof(struct node) == 48, "the largest graphs have a thousand million nodes");

/* An edge that the tables do not imply. */
struct edge {
	uint32_t source;
	uint32_t target;
	uint8_t kind;
	uint8_t from_end;                     /* source is a task: the edge begins at its last node */
	uint8_t dependence;                   /* EDGE_DEPEND: dependence_type of the target */
	uint32_t variable_low, variable_high; /* EDGE_DEPEND: the address that both ends name; 0: all memory */
};
_Static_assert(sizeof(struct edge) == 20, "programs with dependences have several edges a task");

static inline uint64_t edge_variable(const struct edge *edge)
{
	return (uint64_t)edge->variable_high << 32 | edge->variable_low;
}

/* Children of a task that the same synchronisation waits for. */
struct interval {
	uint32_t node;  /* the node that waits for them, 0 none */
	uint32_t group; /* node of the innermost taskgroup of the same task around it, 0 none */
	uint32_t phase; /* of an implicit parent: how many barriers it had begun */
};

/* Where a task's next child belongs: to the task itself, or to a taskgroup that it has open. Taskgroups nest. */
struct open_children {
	uint32_t node;     /* of the taskgroup, 0: the task itself */
	uint32_t interval; /* of children created since the latest synchronisation, 0 none; if only counted, how many */
	uint32_t outer;    /* what is around it, in the form of graph_task.open; of a free row the next free one */
};

#define COUNTED_IN_GROUP (1u << 31)

/* What the graph has about a task, in addition to the model. */
struct graph_task {
	uint32_t last; /* its position: its latest node */
	union {
		uint32_t origin;     /* explicit: node that it was created from, 0 none */
		uint32_t n_left;     /* explicit, if only counted: children that nothing had waited for when it ended */
		uint32_t n_barriers; /* implicit, initial: barriers that it has begun, the closing one not counted */
	};
	union {
		uint32_t interval;      /* explicit: row of intervals, 0 none; if only counted enum heir */
		uint32_t n_work;        /* implicit, initial: open constructs that one thread of the team executes */
		uint32_t first_barrier; /* the same, after the replay: place of its team in graph.barriers */
	};
	/*
	 * Row of open_children, 0: it has no children that wait for a synchronisation, and no taskgroup. If only counted: the
	 * number of those children itself, or, with the bit COUNTED_IN_GROUP, the row of its innermost taskgroup.
	 */
	uint32_t open;
};

struct graph_counts {
	uint64_t nodes[NODE_KINDS], edges[EDGE_KINDS];
};

/* What a stream adds to the graph. The replay may run several streams at the same time, so none writes another one's. */
struct graph_stream {
	struct rows_end node_end, interval_end, open_end;
	uint32_t first_node, end_node; /* after the replay, in graph.nodes: its nodes, from first_node to before end_node */
	uint32_t free_open;            /* row of open_children that is free, 0 none */
	uint32_t join;                 /* the latest join of this stream */
	uint32_t undeferred;           /* the undeferred task that it created last, if it did nothing else since; 0 none */
	bool has_unknown_waits;        /* GRAPH_FRAGMENT: times are left out that may have been waiting */
	bool has_unknown_orders, has_unknown_fulfills; /* struct order */
	bool has_waits;                                /* there are dummies of waits with dependences */
	bool is_irregular;                             /* counts.c */
	struct edge *edges;
	size_t n_edges, edges_capacity;
	struct graph_counts counted; /* what is not in the tables */
	struct barrier_of_one {
		uint32_t task, ordinal;
	} * own; /* counts.c */
	size_t n_own, own_capacity;
	struct latest_list {
		uint32_t task;
		size_t first_edge, n_edges;
	} latest_list; /* the last dependence list, and its edges */
	struct unproven {
		uint32_t source, sink;
	} * unproven; /* dependences that the runtime reported, and that the sink's list does not show */
	size_t n_unproven, unproven_capacity;
	struct fulfilment {
		uint32_t task;       /* the detached task */
		uint32_t source;     /* the position of the task that fulfilled its event */
		uint32_t resumption; /* order_task.resumption of that task, 0 none */
	} * fulfilments;
	size_t n_fulfilments, fulfilments_capacity;
	struct node_blocked {
		uint32_t node;
		uint64_t ticks;
	} * blocked; /* GRAPH_FRAGMENT: nodes whose tasks were blocked in them */
	size_t n_blocked, blocked_capacity;
	uint64_t n_transparent; /* number of tasks that may depend on tasks that are no siblings */
	char apart[64];         /* padding: another thread may write the next stream, so they share no cache line */
};

/* How many numbers processes use in files, where nodes, constructs and exclusive sets of all processes are numbered. */
struct graph_numbers {
	uint64_t n_nodes, n_constructs, n_sets;
};

/* A task and its descendants down to some depth; depth 0: only the task. Task 0: the whole graph. */
struct family {
	uint64_t task, depth;
};

struct graph {
	const struct model *model;
	enum graph_level level;
	unsigned slot; /* set by the caller after graph_begin(): its number among graphs of the same replay, below GRAPHS_AT_ONCE */
	const struct busy *busy;      /* set by the caller, which visits states_ops before; NULL: no node of a task has a time */
	bool is_counted;              /* edges, and nodes that are not looked up again, are only in `counted` of the streams */
	bool has_waits;               /* there are dummies of waits with dependences */
	bool is_irregular;            /* what was counted does not follow from the records alone: the graph has to be kept */
	struct graph_task *tasks;     /* by row of model.tasks */
	struct graph_stream *streams; /* by row of dump.streams; those of Argobots' units all add to the first one */
	size_t n_streams;
	struct stream_rows node_rows;     /* during the replay: node number n_tasks + row; marked: blocks with barriers or joins */
	struct stream_rows interval_rows; /* struct interval; row 0 none */
	struct stream_rows open_rows;     /* struct open_children; row 0 none */
	struct node *nodes;               /* after the replay, in the order of streams: node number n_tasks + i; NULL before */
	uint32_t n_nodes;
	size_t nodes_capacity;
	struct edge *edges; /* after the replay, in the order of streams */
	size_t n_edges, edges_capacity;
	uint32_t *joiners;     /* by task, from graph_finish on: the node that waits for its end first, 0 none */
	uint32_t *region_node; /* by region: where it begins, 0 not yet */
	uint32_t *join_node;   /* by region, after the replay: where it ends, 0 none; if only counted enum join_seen */
	/* After the replay: for each team how many barriers it has, then their nodes. First 0, for teams without any. */
	uint32_t *barriers;
	uint32_t *operation_node;             /* by row of model.operations: its node, 0 none; NULL: the run has no operations */
	struct order order;                   /* of undeferred and detached tasks */
	struct graph_units *units;            /* of the paradigm that has units; NULL: the process has none */
	const struct graph_hooks *unit_hooks; /* set with units */
	struct split_task *splits;            /* by task: split.c; NULL: no taskloop was split */
	struct dependences *dependences;      /* NULL: the run has no dependences */
	struct exclusive_sets *exclusive;
	struct doacross *doacross; /* GRAPH_FRAGMENT: doacross.c; NULL: the run has no dependences */
	struct first_fragment {
		uint64_t end_ticks, busy_ticks;
	} * first_fragments;   /* GRAPH_FRAGMENT, by task: its node is its first fragment */
	uint64_t *given_ticks; /* GRAPH_FRAGMENT, by task: the part of its busy time that its fragments have */
	/* NULL: switches were not recorded. Set with busy: how long each task was blocked. */
	const struct busy *blocked;
	const struct unit_busy *unit_busy; /* set with busy: both of Argobots' units */
	const struct task_times *times;    /* set by the caller after the replay, for nodes.csv; NULL elsewhere */
	uint64_t *given_blocked_ticks;     /* GRAPH_FRAGMENT, by task: as given_ticks; NULL: switches were not recorded */
	struct map blocked_rows; /* GRAPH_FRAGMENT, after the replay: node -> index into blocked_ticks, from 1 (blocked.c) */
	uint64_t *blocked_ticks;
	uint32_t n_blocked;
	size_t blocked_capacity;
	bool has_unknown_waits;  /* GRAPH_FRAGMENT, after the replay: times are left out that may have been waiting */
	unsigned char *left_out; /* a bit for each place of an edge (graph_edge_at); NULL: none is left out */
	struct family family;    /* set by the caller after graph_begin(): what is left in the graph by graph_finish() */
	/* In a part of the process (cut.c): a bit for each task outside of it; NULL: no task is outside, or it is no part. */
	unsigned char *outside;
	uint32_t n_outside, n_cut;       /* nodes outside of the part, and those that are in it only partly */
	struct path *path;               /* GRAPH_FRAGMENT: path.h */
	struct graph_numbers before;     /* set by the caller, for files: of the run's processes before this one */
	struct mutexes mutexes;          /* what was acquired, where, and for how long */
	struct variable_names variables; /* that dependences and mutexes are about; graph_name_variables() */
	struct tally repairs;            /* that the graph itself made; complete after graph_finish */
};

/*
 * Begins the graph of a gathered process: attach graph_ops to its replay, then call graph_finish. With GRAPH_COUNTED,
 * all of the graph is kept nevertheless if a device reported kernels (their edges follow from the
 * others), at the fragment level (for the critical path), and if records are known to contradict each other (edges that
 * make no sense can only be found in the whole graph). Kept in any case are barriers, joins, waits with dependences,
 * the nodes of Argobots' units, and, where the runtime reports single dependences, dependence edges.
 */
void graph_begin(struct graph *graph, const struct model *model, enum graph_level level, enum graph_keep keep);

extern const struct replay_ops graph_ops; /* build.c */

/*
 * After the replay: adds what needs all of it. If the replay of a graph that was only counted found contradictory records,
 * its model is replayed again for the graph alone, which is then kept. 0, or -1 with the error printed.
 */
int graph_finish(struct graph *graph);

/*
 * The same in two steps: nodes and edges; then the critical path, and removing what is outside of the process's time. If the
 * whole graph is built, the second step changes no node and no edge, so other threads may read them at the same time.
 */
int graph_finish_nodes(struct graph *graph);
void graph_finish_path(struct graph *graph);
void graph_free(struct graph *graph);

/* depend.c: after graph_finish(), for tables: looks up the names of variables in dependences and mutexes. */
void graph_name_variables(struct graph *graph, struct symbols *symbols);

/* Adds the numbers of nodes and edges by kind to `counts`. */
void graph_count(const struct graph *graph, struct graph_counts *counts);

/* Numbers of nodes are below. */
static inline uint32_t graph_n_ids(const struct graph *graph)
{
	return graph->model->n_tasks + graph->n_nodes;
}

/*
 * GRAPH_FRAGMENT: where an iteration of a doacross loop may have waited at its `sink`, as another one came to its `source` only
 * in the meantime: from the begin of the fragment before the sink to the record of the source. The runtime does not report
 * when a wait begins, and that fragment has only what it executed after it.
 */
struct sink_wait {
	uint32_t source, target; /* nodes of the edge */
	uint32_t task;           /* the implicit task that waits */
	uint32_t stream;         /* its row in dump.streams */
	uint64_t begin_ticks, end_ticks;
};

/* doacross_edges.c: after graph_finish(): all of them, by stream, and in the order of each stream. */
const struct sink_wait *graph_sink_waits(const struct graph *graph, size_t *n);

/* ---- Units: tasks of another paradigm ---- */

/* GRAPH_FRAGMENT: a fragment of a unit, not its first one, and on which stream it was executed. */
struct unit_fragment {
	uint32_t node;
	uint32_t stream; /* row of dump.streams */
};

struct node_view; /* view.h */

/* What a paradigm does for the graph. */
struct graph_hooks {
	/* A scope of the paradigm is entered, or left; on the thread that replays the stream. */
	void (*scope_enter)(struct graph *graph, const struct point *at, const struct scope *scope);
	void (*scope_leave)(struct graph *graph, const struct point *at, const struct scope *scope);
	/* In graph_finish(), when all nodes and edges of OpenMP are there: adds what follows from them. May be NULL. */
	void (*finish)(struct graph *graph);
	/*
	 * Of the paradigm that has units, whose own graph->units is. Up to graph_finish() on one thread; what only reads the
	 * graph afterwards on several. In graph_begin() and graph_free():
	 */
	void (*begin)(struct graph *graph);
	void (*free)(struct graph *graph);
	/* After the replay: `numbers` are those that the nodes have from now on, by row. */
	void (*renumber)(struct graph *graph, const uint32_t *numbers);
	/* Completes what exports see of a unit's node. */
	void (*view)(const struct graph *graph, const struct node *node, struct node_view *view);
	/* See graph_unit_node(), graph_unit_wait(), graph_unit_fragments(). */
	uint32_t (*node)(const struct graph *graph, uint32_t row);
	struct unit_wait (*wait)(const struct graph *graph, const struct node *node);
	const struct unit_fragment *(*fragments)(const struct graph *graph, size_t *n);
	/* Bits of path.h: what is not known of the units, so that the critical path is a bound. */
	unsigned (*path_reasons)(const struct model *model);
};

/* The node with which a run of a unit, a row of model.units, begins; 0: it has none. */
static inline uint32_t graph_unit_node(const struct graph *graph, uint32_t row)
{
	return graph->unit_hooks != NULL ? graph->unit_hooks->node(graph, row) : 0;
}

/* What a NODE_UNIT_JOIN or NODE_UNIT_WAIT waits for; of other nodes nothing. */
static inline struct unit_wait graph_unit_wait(const struct graph *graph, const struct node *node)
{
	return graph->unit_hooks != NULL ? graph->unit_hooks->wait(graph, node) : (struct unit_wait){0, 0};
}

/* GRAPH_FRAGMENT: the fragments of units, without the first one of each. */
static inline const struct unit_fragment *graph_unit_fragments(const struct graph *graph, size_t *n)
{
	*n = 0;
	return graph->unit_hooks != NULL ? graph->unit_hooks->fragments(graph, n) : NULL;
}

/* The kind of the edge from a task's end to the node that waits for it, which is of this kind. */
static inline enum edge_kind edge_of_joiner(enum node_kind joiner)
{
	return joiner == NODE_TASKWAIT ? EDGE_TASKWAIT : joiner == NODE_TASKGROUP ? EDGE_TASKGROUP : EDGE_BARRIER;
}

/* Which node waits for a task's end first, 0 none; `kind` is set to the kind of the edge. After graph_finish. */
uint32_t graph_joiner(const struct graph *graph, uint32_t task, enum edge_kind *kind);

/*
 * Is the row a node of the whole process? The task that libomp makes for a taskwait with dependences is not: the taskwait
 * is a node of the encountering task.
 */
static inline bool graph_is_task(const struct graph *graph, uint32_t task)
{
	const struct task *t = &graph->model->tasks[task];
	return task != 0 && (t->state & (TASK_SEEN | TASK_HELPER)) == TASK_SEEN && !(t->flags & task_flags_taskwait);
}

/* Is the row a node? In a part of the process, tasks outside of it are none. */
static inline bool graph_task_is_node(const struct graph *graph, uint32_t task)
{
	return graph_is_task(graph, task) && (graph->outside == NULL || !(graph->outside[task / 8] >> task % 8 & 1));
}

/* The kind of a task's node. */
static inline enum node_kind graph_task_kind(const struct task *task)
{
	return task->flags & task_flags_initial    ? NODE_INITIAL
	       : task->flags & task_flags_implicit ? NODE_IMPLICIT
	       : task->flags & task_flags_target   ? NODE_TARGET
	       : task_is_split(task)               ? NODE_TASKLOOP_SPLIT
						   : NODE_TASK;
}

/* The node of an implicit task's barrier, by the barrier's number from 0: the same for all members of the team. 0 none. */
static inline uint32_t graph_barrier(const struct graph *graph, uint32_t task, uint32_t ordinal)
{
	const uint32_t *team = &graph->barriers[graph->tasks[task].first_barrier];
	return ordinal < team[0] ? team[1 + ordinal] : 0;
}

static inline struct interval *graph_interval_row(const struct graph *graph, uint32_t row)
{
	return rows_get(&graph->interval_rows, row);
}

#endif
