/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How exports see the graph: nodes and edges by number or one after the other, and their names. For exports, which may run on
 * several threads at the same time and only read, and for the files of this folder that pass over the whole graph after the
 * replay.
 */
#ifndef OTTER_BUILDER_GRAPH_VIEW_H
#define OTTER_BUILDER_GRAPH_VIEW_H

#include "builder/graph/graph.h"

/* A node as exports show it. */
struct node_view {
	uint32_t id; /* within the process, from 1 */
	enum node_kind kind;
	uint32_t task;   /* 0 none */
	uint32_t region; /* 0 none */
	uint32_t construct;
	uint32_t stream;                                           /* row; UINT32_MAX where it belongs to none */
	uint64_t create_ticks, begin_ticks, end_ticks, busy_ticks; /* 0 unknown */
	uint64_t blocked_ticks;            /* without a processor, waiting for what the runtime does not know */
	unsigned flags;                    /* task_flags of a task, else 0 */
	unsigned state;                    /* task.state of a task, else 0 */
	const struct operation *operation; /* target region, data operation, submit; of a kernel its submit's; else NULL */
	const struct activity *activity;   /* kernel, and data operation that its device reported; else NULL */
	const struct work_unit *unit;      /* Argobots' nodes, else NULL */
	uint32_t unit_node;                /* the node of that unit, else 0 */
	unsigned sync;                     /* unit_join, unit_wait: the kind of object that it waits for (unit_sync) */
	uint64_t object;                   /* the object's handle, 0 none */
};

struct edge_view {
	uint32_t source, target;
	enum edge_kind kind;
	unsigned dependence; /* dependence_type, 0 for other kinds */
	unsigned sync;       /* EDGE_RESUME: unit_sync, what the target waited for */
	uint64_t object;     /* EDGE_RESUME: the object's handle, 0 none. EDGE_DEPEND: the variable's address, 0: all memory */
};

/* An edge without its object. The kind of an edge from a task's end is not looked up: EDGE_OF_JOINER. */
struct edge_ends {
	uint32_t source, target;
	uint8_t kind, dependence; /* enum edge_kind, dependence_type */
};

#define EDGES_AT_ONCE 512 /* a good number of places for a call of graph_edges_in() */

/*
 * Calls the function for every node in ascending order, for every edge in a fixed order. Stops where the function does
 * not return 0. A graph that is only counted does not have them all.
 */
int graph_each_node(const struct graph *graph, int (*function)(void *self, const struct node_view *node), void *self);
int graph_each_edge(const struct graph *graph, int (*function)(void *self, const struct edge_view *edge), void *self);

/*
 * Parts of the same, for exports that run on several threads: nodes from the number `first` to before `end`; and the edge
 * at a place, of which there are more than edges, as some have none: false.
 */
int graph_each_node_in(const struct graph *graph, uint32_t first, uint32_t end,
		       int (*function)(void *self, const struct node_view *node), void *self);
size_t graph_n_edge_places(const struct graph *graph);
bool graph_edge_at(const struct graph *graph, size_t place, struct edge_view *edge);

/* For passes over all edges: those at places from `place` to before `end`, in their order. Returns how many there are. */
size_t graph_edges_in(const struct graph *graph, size_t place, size_t end, struct edge_ends *edges);

/* One node by number. */
struct node_view graph_node(const struct graph *graph, uint32_t id);

/*
 * The node of the task or unit that created the task, encountered its region, or created or revived the unit's run. 0 for
 * other nodes, and if it is not known.
 */
uint32_t graph_parent(const struct graph *graph, const struct node_view *node);

/*
 * Calls the function for every set of at least two tasks that exclude each other (mutexinoutset), with their nodes in
 * ascending order. Stops where the function does not return 0.
 */
int graph_each_exclusive(const struct graph *graph, int (*function)(void *self, const uint32_t *nodes, uint32_t n), void *self);

/* The number of such sets, and the address that all tasks of the i-th one name: the lowest, if there are several. */
size_t graph_n_exclusive(const struct graph *graph);
uint64_t graph_exclusive_variable(const struct graph *graph, size_t i);

const char *node_kind_name(enum node_kind kind);
const char *edge_kind_name(enum edge_kind kind);
/* The dependence_type of an edge by name, "" for 0. */
const char *edge_dependence_name(unsigned dependence);

#endif
