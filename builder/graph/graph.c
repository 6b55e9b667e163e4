/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The graph's storage: adds nodes and edges, and puts nodes into the sequences of their tasks. The other files of this
 * folder call it, during the replay and after it, on the replay's thread.
 */
#include "builder/graph/shared.h"
#include "builder/support/array.h"

/* ---- Nodes and edges ---- */

/* Barriers and joins are found again by number, and Argobots' nodes know their units. */
static bool is_kept(enum node_kind kind)
{
	return kind == NODE_BARRIER || kind == NODE_JOIN || kind >= NODE_UNIT;
}

uint32_t graph_add_node(struct graph *graph, enum node_kind kind, uint32_t task, uint32_t construct, uint64_t ticks)
{
	if (graph->is_counted && !is_kept(kind))
		return graph->model->n_tasks + kind;
	return graph_keep_node(graph, kind, task, construct, ticks);
}

uint32_t graph_keep_node(struct graph *graph, enum node_kind kind, uint32_t task, uint32_t construct, uint64_t ticks)
{
	if (graph->n_nodes == graph->nodes_capacity) {
		graph->nodes_capacity = graph->nodes_capacity ? graph->nodes_capacity * 2 : 1024;
		graph->nodes = memory_grow(graph->nodes, graph->nodes_capacity, sizeof *graph->nodes, "the graph's nodes");
	}
	graph->nodes[graph->n_nodes] = (struct node){
		.kind = (uint8_t)kind, .task = task, .construct = construct, .begin_ticks = ticks, .end_ticks = ticks};
	return graph->model->n_tasks + graph->n_nodes++;
}

void graph_add_edge(struct graph *graph, const struct edge *edge)
{
	/* What the runtime reports of dependences is compared with the edges. */
	bool is_compared = edge->kind == EDGE_DEPEND && graph->model->n_events[EVENT_task_dependence] != 0;
	if (graph->is_counted && !is_compared) {
		graph->counted.edges[edge->kind]++;
		return;
	}
	array_reserve((void **)&graph->edges, graph->n_edges + 1, &graph->edges_capacity, sizeof *graph->edges);
	graph->edges[graph->n_edges++] = *edge;
}

/* ---- Positions ---- */

void order_follow(struct graph *graph, uint32_t task, uint32_t node)
{
	const struct map *resumptions = &graph->order.resumptions;
	const uint32_t *source = resumptions->n_used != 0 ? map_get(resumptions, task) : NULL;
	if (source == NULL)
		return;
	struct edge edge = {*source, node, EDGE_UNDEFERRED, false, 0};
	graph_add_edge(graph, &edge);
}

void order_settle(struct graph *graph, uint32_t task, uint32_t node)
{
	if (graph->order.resumptions.n_used == 0)
		return;
	if (node != 0)
		order_follow(graph, task, node);
	map_remove(&graph->order.resumptions, task);
}

void graph_place(struct graph *graph, uint32_t task, uint32_t id)
{
	struct node *node = graph_inner_node(graph, id);
	if (graph_is_stand_in(graph, id)) {
		graph->counted.nodes[node->kind]++;
		graph->counted.edges[EDGE_SEQUENCE] += task != 0;
		if (task == 0)
			return;
		order_settle(graph, task, id);
		graph->tasks[task].last = id;
		return;
	}
	node->is_placed = true;
	if (task == 0) /* not known: it may be several, and so has no sequence */
		return;
	order_settle(graph, task, id);
	node->previous = graph->tasks[task].last;
	node->previous_kind = EDGE_SEQUENCE;
	if (!task_is_explicit(&graph->model->tasks[task])) {
		const uint32_t *in_work = map_get(&graph->in_work, task);
		node->phase = graph->tasks[task].n_barriers;
		node->is_in_work = in_work != NULL && *in_work > 0;
	}
	graph->tasks[task].last = id;
}

uint32_t graph_add_placed(struct graph *graph, enum node_kind kind, uint32_t task, uint32_t construct, uint64_t ticks)
{
	uint32_t id = graph_add_node(graph, kind, task, construct, ticks);
	graph_place(graph, task, id);
	return id;
}

void graph_reach(struct graph *graph, uint32_t task, uint32_t id, enum edge_kind kind)
{
	uint32_t source = graph->tasks[task].last;
	const struct node *from = graph_inner_node(graph, source);
	struct node *node = graph_inner_node(graph, id);
	bool is_shared = from != NULL && from->kind == NODE_BARRIER;
	node->is_placed = true;
	order_settle(graph, task, id);
	if (is_shared && node->previous == source)
		return;
	if (is_shared && node->previous == 0) {
		node->previous = source;
		node->previous_kind = (uint8_t)kind;
		return;
	}
	if (is_shared) {
		uint32_t *has_edge = map_put(&graph->from_barriers, (uint64_t)source << 32 | id);
		if (*has_edge)
			return;
		*has_edge = 1;
	}
	struct edge edge = {source, id, (uint8_t)kind, false, 0};
	graph_add_edge(graph, &edge);
}
