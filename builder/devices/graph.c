/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Nodes and edges of what the host does for devices, and of what devices did.
 *
 * Target regions, operations on data and launches are nodes: points in the task that does them, in the order in which the
 * host does them. What is inside of a region or a launch (a host that is a device itself runs the kernel there) follows on
 * its node. At the scope level a target region has a pair of nodes around what is inside, too, as any construct that nests.
 *
 * A kernel that a device reported is a node after the launch that requested it. What comes next in the launching task waits
 * for the kernel: the transfer of its results, what follows on the target construct, or what waits for the target task.
 * Transfers have nodes already, from the host's records; the device's times are shown beside the host's.
 */
#include "builder/devices/devices.h"
#include "builder/graph/shared.h"
#include "builder/support/array.h"

#include <stdlib.h>

/* ---- Operations: scopes of the replay ---- */

static enum node_kind operation_node(enum scope_type type)
{
	return type == SCOPE_TARGET ? NODE_TARGET_REGION : type == SCOPE_DATA_OP ? NODE_DATA_OP : NODE_SUBMIT;
}

static bool is_pair(const struct graph *graph, const struct scope *scope)
{
	return graph->level == GRAPH_SCOPE && scope->type == SCOPE_TARGET;
}

static void enter(struct graph *graph, const struct point *at, const struct scope *scope)
{
	graph_stop_fragment(graph, at);
	if (is_pair(graph, scope))
		graph_add_placed(graph, at, NODE_SCOPE_BEGIN, at->task, scope->construct);
	uint32_t node = graph_add_placed(graph, at, operation_node(scope->type), at->task, scope->construct);
	graph->operation_node[scope->operation] = node;
	if (!graph_is_stand_in(graph, node))
		graph_inner_node(graph, node)->operation = scope->operation;
	/* During an operation on data the time is the operation's; in a region or a launch the task continues. */
	if (scope->type != SCOPE_DATA_OP)
		graph_start_fragment(graph, at, at->task);
}

static void leave(struct graph *graph, const struct point *at, const struct scope *scope)
{
	uint32_t id = graph->operation_node[scope->operation];
	struct node *node = graph_is_stand_in(graph, id) ? NULL : graph_inner_node(graph, id);
	if (node != NULL)
		node->end_ticks = at->ticks;
	if (is_pair(graph, scope))
		graph_add_placed(graph, at, NODE_SCOPE_END, at->task, scope->construct);
	if (scope->type != SCOPE_DATA_OP)
		return;
	if (graph->level == GRAPH_FRAGMENT) /* at other levels it is part of the task's own time */
		node->busy_ticks = graph_take_time(graph, at);
	graph_start_fragment(graph, at, at->task);
}

/* ---- Kernels: after the replay, on one thread ---- */

/* Kernels by their launch, which may have several. */
struct launched {
	struct map first; /* node of the launch, or of the fragment after it -> place in rows + 1 */
	struct launched_row {
		uint32_t kernel, next; /* node; place + 1 of the launch's next kernel in rows, 0 none */
	} * rows;
	size_t n_rows, rows_capacity;
	struct edge *edges; /* found so far */
	size_t n_edges, edges_capacity;
};

/* Kernels are not events of the replay: they have no point. */
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
	array_push(l->rows, l->n_rows, l->rows_capacity, (struct launched_row){id, *first});
	*first = (uint32_t)l->n_rows;
}

/* A fragment that only continues after a launch does not wait for the kernel: what comes after the fragment does. */
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
		array_push(l->edges, l->n_edges, l->edges_capacity, found);
	}
	return 0;
}

static void add_kernels(struct graph *graph)
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

const struct graph_hooks devices_graph = {.scope_enter = enter, .scope_leave = leave, .finish = add_kernels};
