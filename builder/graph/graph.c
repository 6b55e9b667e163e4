/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The graph's storage: adds nodes and edges, and puts nodes into the sequences of their tasks. The other files of this
 * folder call it, during the replay and after it, on the replay's thread.
 */
#include "builder/graph/shared.h"
#include "builder/support/array.h"

/* ---- Nodes and edges ---- */

uint32_t graph_add_node(struct graph *graph, const struct point *at, enum node_kind kind, uint32_t task, uint32_t construct)
{
	if (graph->is_counted && kind < NODE_UNIT) /* Argobots' nodes know their units */
		return graph->model->n_tasks + kind;
	return graph_keep_node(graph, at, kind, task, construct);
}

uint32_t graph_keep_node(struct graph *graph, const struct point *at, enum node_kind kind, uint32_t task, uint32_t construct)
{
	uint32_t row;
	if (graph->nodes != NULL) {
		array_reserve(graph->nodes, graph->n_nodes + (size_t)1, graph->nodes_capacity);
		row = graph->n_nodes++;
	} else {
		row = rows_add(&graph->node_rows, &graph_stream(graph, at)->node_end, graph_stream_row(graph, at));
		if (kind == NODE_BARRIER || kind == NODE_JOIN)
			graph->node_rows.marks[row >> ROWS_SHIFT] = true; /* streams.c looks for these */
	}
	*graph_inner_node(graph, graph->model->n_tasks + row) = (struct node){
		.kind = (uint8_t)kind, .task = task, .construct = construct, .begin_ticks = at->ticks, .end_ticks = at->ticks};
	return graph->model->n_tasks + row;
}

void graph_add_edge(struct graph *graph, const struct point *at, const struct edge *edge)
{
	struct graph_stream *s = graph_stream(graph, at);
	/* The dependences that the runtime reports are compared with these edges. */
	bool is_compared = edge->kind == EDGE_DEPEND && graph->model->n_events[EVENT_task_dependence] != 0;
	if (graph->is_counted && !is_compared) {
		s->counted.edges[edge->kind]++;
		return;
	}
	if (graph->nodes != NULL) {
		array_push(graph->edges, graph->n_edges, graph->edges_capacity, *edge);
		return;
	}
	array_push(s->edges, s->n_edges, s->edges_capacity, *edge);
}

/* ---- Positions ---- */

void order_follow(struct graph *graph, const struct point *at, uint32_t task, uint32_t node)
{
	uint32_t source = graph->order.tasks != NULL ? graph->order.tasks[task].resumption : 0;
	struct edge edge = {source, node, EDGE_UNDEFERRED, false, 0, 0, 0};
	if (source != 0)
		graph_add_edge(graph, at, &edge);
}

void order_settle(struct graph *graph, const struct point *at, uint32_t task, uint32_t node)
{
	if (graph->order.tasks == NULL)
		return;
	if (node != 0)
		order_follow(graph, at, task, node);
	graph->order.tasks[task].resumption = 0;
}

void graph_place(struct graph *graph, const struct point *at, uint32_t task, uint32_t id)
{
	struct graph_task *t = &graph->tasks[task];
	if (graph_is_stand_in(graph, id)) {
		struct graph_counts *counted = &graph_stream(graph, at)->counted;
		counted->nodes[id - graph->model->n_tasks]++;
		counted->edges[EDGE_SEQUENCE] += task != 0;
	} else {
		struct node *node = graph_inner_node(graph, id);
		bool has_phase = task != 0 && !task_is_explicit(&graph->model->tasks[task]);
		node->is_placed = true;
		node->previous = t->last; /* 0 for task 0: an unknown task, perhaps several, so it has no sequence */
		node->previous_kind = EDGE_SEQUENCE;
		node->phase = has_phase ? t->n_barriers : 0;
		node->is_in_work = has_phase && t->n_work > 0;
	}
	if (task == 0)
		return;
	if (graph->order.tasks != NULL)
		order_settle(graph, at, task, id);
	t->last = id;
}

uint32_t graph_add_placed(struct graph *graph, const struct point *at, enum node_kind kind, uint32_t task, uint32_t construct)
{
	uint32_t id = graph_add_node(graph, at, kind, task, construct);
	graph_place(graph, at, task, id);
	return id;
}

void graph_reach(struct graph *graph, const struct point *at, uint32_t task, uint32_t id, enum edge_kind kind)
{
	uint32_t source = graph->tasks[task].last;
	const struct node *from = graph_inner_node(graph, source);
	struct node *node = graph_inner_node(graph, id);
	node->is_placed = true;
	order_settle(graph, at, task, id);
	if (from != NULL && from->kind == NODE_BARRIER) {
		node->previous = source;
		node->previous_kind = (uint8_t)kind;
		return;
	}
	struct edge edge = {source, id, (uint8_t)kind, false, 0, 0, 0};
	graph_add_edge(graph, at, &edge);
}
