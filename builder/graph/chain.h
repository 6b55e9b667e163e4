/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The longest chains to the nodes of a graph, while the critical path is searched: what the search
 * keeps, and what comes before each node. walk.c finds how long the chains are, chain.c which one is the longest.
 */
#ifndef OTTER_BUILDER_GRAPH_CHAIN_H
#define OTTER_BUILDER_GRAPH_CHAIN_H

#include "builder/graph/path.h"
#include "builder/graph/shared.h"

/* By node. MARK_BLOCKED: its task was blocked in it. */
enum { MARK_OPEN = 1, MARK_DONE = 2, MARK_HAS_NEXT = 4, MARK_IS_NODE = 8, MARK_BLOCKED = 16 };

/*
 * The chain to a node is known when those to all nodes before it are. Nearly every edge is one of two that the tables
 * imply: from what came before the node by itself (graph_own_source), and from the last node of a task to what waits for
 * the task. The rest is `edges`.
 */
struct chain_walk {
	const struct graph *graph;
	size_t n;             /* node numbers, 0 included */
	unsigned char *marks; /* by node: bits. Release with MARK_DONE, when `ns` is there; acquire in is_done() */
	uint64_t *ns;         /* by node: how long the longest chain to it is, with the node itself */
	uint32_t *joined;     /* by node that is no task: the first task that it waits for, 0 none */
	uint32_t *next;       /* by task: the next task that the same node waits for, 0 none */
	struct walk_edge {
		uint32_t source;
		uint32_t next; /* of the same target: place + 1, 0 none */
	} * edges;
	size_t n_edges, edges_capacity;
	uint32_t *first_edge; /* by node: place in `edges` + 1 of an edge to it, 0 none; NULL: there are no `edges` */
	uint64_t longest_ns;
	bool is_plain; /* no edge is left out, and no device and no unit has times of its own */
	bool has_cycle;
};

/* A node, and which of the nodes before it are not considered yet. */
struct open_node {
	uint32_t id, task, edge; /* task, edge: the next ones to consider; 0 none */
	bool is_begun, is_again; /* next_source() was called for it; it was opened before */
	uint64_t ns;             /* length of the longest chain so far */
};

static inline void begin_sources(struct open_node *open, uint32_t id)
{
	*open = (struct open_node){.id = id};
}

/* The source of the node's next edge, 0: there is no further edge. */
static inline uint32_t next_source(const struct chain_walk *w, struct open_node *open)
{
	const struct graph *graph = w->graph;
	if (!open->is_begun) {
		uint32_t own = graph->left_out == NULL ? graph_own_source(graph, open->id) : 0, n_tasks = graph->model->n_tasks;
		open->is_begun = true;
		open->task = open->id >= n_tasks ? __atomic_load_n(&w->joined[open->id - n_tasks], __ATOMIC_RELAXED) : 0;
		open->edge = w->first_edge != NULL ? w->first_edge[open->id] : 0;
		if (own != 0)
			return own;
	}
	uint32_t task = open->task, edge = open->edge;
	if (task != 0) {
		open->task = w->next[task];
		return graph->tasks[task].last;
	}
	if (edge == 0)
		return 0;
	open->edge = w->edges[edge - 1].next;
	return w->edges[edge - 1].source;
}

/* P4, for ns_to(). */
static inline bool is_done(const struct chain_walk *w, uint32_t id)
{
	return __atomic_load_n(&w->marks[id], __ATOMIC_ACQUIRE) & MARK_DONE;
}

static inline uint64_t ns_to(const struct chain_walk *w, uint32_t id)
{
	return __atomic_load_n(&w->ns[id], __ATOMIC_RELAXED);
}

/* walk.c: finds the chains to all nodes, on several threads, or that there is a cycle. Adds the nodes' work to path.work_ns. */
void walk_all(struct chain_walk *w, struct path *path);

#endif
