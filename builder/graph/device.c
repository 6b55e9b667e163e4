/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adds a node for each kernel that a device reported, after the launch that asked for it. What comes next in the
 * launching task waits for the kernel: the transfer of its results, what follows on the target construct, or who waits
 * for the target task. Transfers have nodes already, from the host's records; the device's times are shown beside the
 * host's. Called by finish.c after the replay, when all that the host did is in the graph; one thread.
 */
#include "builder/graph/shared.h"
#include "builder/support/array.h"

#include <stdlib.h>

/* Kernels by their launch, which may have several. */
struct launched {
	struct map first; /* node of the launch, or of the fragment after it -> place in rows + 1 */
	struct launched_row {
		uint32_t kernel, next; /* place + 1, 0 none */
	} * rows;
	size_t n_rows, rows_capacity;
	struct edge *edges; /* found so far */
	size_t n_edges, edges_capacity;
};

/* Kernels have no place in the replay. */
static const struct point nowhere;

static void add_kernel(struct graph *graph, struct launched *l, uint32_t activity_row)
{
	const struct model *m = graph->model;
	const struct activity *a = &m->activities[activity_row];
	const struct operation *o = a->operation != 0 ? &m->operations[a->operation] : NULL;
	uint32_t launch = o != NULL && o->type == OPERATION_SUBMIT ? graph->operation_node[a->operation] : 0;
	if (launch == 0) {
		tally_add(&graph->repairs, "kernel_without_submit", 1);
		return;
	}
	uint32_t id = graph_add_node(graph, &nowhere, NODE_KERNEL, o->task, a->construct);
	struct node *node = graph_inner_node(graph, id);
	node->activity = activity_row;
	node->previous = launch;
	node->previous_kind = EDGE_SUBMIT;
	node->is_placed = true;
	uint32_t *first = map_put(&l->first, launch);
	array_reserve((void **)&l->rows, l->n_rows + 1, &l->rows_capacity, sizeof *l->rows);
	l->rows[l->n_rows++] = (struct launched_row){id, *first};
	*first = (uint32_t)l->n_rows;
}

/* A fragment that only goes on after a launch does not wait for the kernel: what comes after the fragment does. */
static void follow_fragments(struct graph *graph, struct launched *l)
{
	for (uint32_t i = 0; graph->level == GRAPH_FRAGMENT && i < graph->n_nodes; i++) {
		const struct node *node = &graph->nodes[i];
		const uint32_t *row = node->kind == NODE_FRAGMENT ? map_get(&l->first, node->previous) : NULL;
		if (row == NULL)
			continue;
		uint32_t first = *row; /* map_put may move it */
		*map_put(&l->first, graph->model->n_tasks + i) = first;
	}
}

struct search {
	const struct graph *graph;
	struct launched *launched;
};

static int see_edge(void *self, const struct edge_view *edge)
{
	const struct search *s = self;
	struct launched *l = s->launched;
	const uint32_t *row = edge->kind == EDGE_SUBMIT || edge->kind == EDGE_CREATE ? NULL : map_get(&l->first, edge->source);
	const struct node *target = graph_inner_node(s->graph, edge->target);
	if (row == NULL || (target != NULL && target->kind == NODE_FRAGMENT))
		return 0;
	for (uint32_t place = *row; place != 0; place = l->rows[place - 1].next) {
		struct edge found = {l->rows[place - 1].kernel, edge->target, EDGE_COMPLETE, false, 0, 0, 0};
		array_reserve((void **)&l->edges, l->n_edges + 1, &l->edges_capacity, sizeof *l->edges);
		l->edges[l->n_edges++] = found;
	}
	return 0;
}

void graph_add_devices(struct graph *graph)
{
	const struct model *m = graph->model;
	struct launched l = {0};
	if (m->n_activities <= 1)
		return;
	for (uint32_t i = 1; i < m->n_activities; i++)
		if (m->activities[i].type == ACTIVITY_KERNEL)
			add_kernel(graph, &l, i);
	if (l.n_rows > 0) {
		struct search search = {graph, &l};
		follow_fragments(graph, &l);
		graph_each_edge(graph, see_edge, &search);
	}
	for (size_t i = 0; i < l.n_edges; i++)
		graph_add_edge(graph, &nowhere, &l.edges[i]);
	map_free(&l.first);
	free(l.rows);
	free(l.edges);
}
