/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Detached tasks: the task that fulfils the event of one comes before whatever waits for that one (OpenMP 5.1 section 2.12.1),
 * whether the task's body has ended by then, or has not begun. Such a task has a node for its end, which comes after
 * its own last position and after that of the task that fulfilled the event. Where a detached task fulfils its event
 * itself, its own position says everything.
 */
#include "builder/graph/shared.h"
#include "builder/support/array.h"

void order_fulfill(struct graph *graph, const struct point *at, uint32_t detached)
{
	struct order *order = &graph->order;
	if (at->task == 0 || graph_is_helper(graph, at->task)) {
		order->has_unknown_fulfills = true;
		return;
	}
	uint32_t *place = detached != at->task && graph_task_is_node(graph, detached) ? map_put(&order->fulfilled, detached) : NULL;
	if (place == NULL || *place != 0) /* an event is fulfilled once; more than that is in damaged dumps only */
		return;
	const uint32_t *resumption = map_get(&order->resumptions, at->task);
	array_reserve((void **)&order->fulfilments, order->n_fulfilments + 1, &order->fulfilments_capacity,
		      sizeof *order->fulfilments);
	graph_stop_fragment(graph, at);
	order->fulfilments[order->n_fulfilments++] =
		(struct fulfilment){detached, graph->tasks[at->task].last, resumption != NULL ? *resumption : 0};
	*place = (uint32_t)order->n_fulfilments;
	graph_start_fragment(graph, at, at->task);
}

/* The streams are replayed one after the other, so only now are the last positions of all tasks known. */
void order_add_fulfilments(struct graph *graph)
{
	const struct model *m = graph->model;
	for (size_t i = 0; i < graph->order.n_fulfilments; i++) {
		const struct fulfilment *f = &graph->order.fulfilments[i];
		uint32_t end = graph->tasks[f->task].last;
		const struct node *last = graph_inner_node(graph, end);
		if (last == NULL || last->kind != NODE_TASK_END)
			end = graph_add_placed(graph, NODE_TASK_END, f->task, m->tasks[f->task].construct, 0);
		graph_inner_node(graph, end)->begin_ticks = graph_inner_node(graph, end)->end_ticks = m->tasks[f->task].end_ticks;
		struct edge fulfil = {f->source, end, EDGE_FULFILL, false, 0};
		graph_add_edge(graph, &fulfil);
		if (f->resumption == 0)
			continue;
		struct edge before = {f->resumption, end, EDGE_UNDEFERRED, false, 0};
		graph_add_edge(graph, &before);
	}
}
