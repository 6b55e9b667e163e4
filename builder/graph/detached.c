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
	struct graph_stream *s = graph_stream(graph, at);
	if (at->task == 0 || graph_is_helper(graph, at->task)) {
		s->has_unknown_fulfills = true;
		return;
	}
	if (detached == at->task || !graph_is_task(graph, detached))
		return;
	array_reserve((void **)&s->fulfilments, s->n_fulfilments + 1, &s->fulfilments_capacity, sizeof *s->fulfilments);
	graph_stop_fragment(graph, at);
	uint32_t resumption = graph->order.tasks != NULL ? graph->order.tasks[at->task].resumption : 0;
	s->fulfilments[s->n_fulfilments++] = (struct fulfilment){detached, graph->tasks[at->task].last, resumption};
	graph_start_fragment(graph, at, at->task);
}

static void add_fulfilment(struct graph *graph, const struct fulfilment *f)
{
	const struct model *m = graph->model;
	const struct point at = {.ticks = m->tasks[f->task].end_ticks};
	uint32_t end = graph->tasks[f->task].last;
	const struct node *last = graph_inner_node(graph, end);
	if (last == NULL || last->kind != NODE_TASK_END)
		end = graph_add_placed(graph, &at, NODE_TASK_END, f->task, m->tasks[f->task].construct);
	if (!graph_is_stand_in(graph, end))
		graph_inner_node(graph, end)->begin_ticks = graph_inner_node(graph, end)->end_ticks = at.ticks;
	struct edge fulfil = {f->source, end, EDGE_FULFILL, false, 0, 0, 0};
	graph_add_edge(graph, &at, &fulfil);
	if (f->resumption == 0)
		return;
	struct edge before = {f->resumption, end, EDGE_UNDEFERRED, false, 0, 0, 0};
	graph_add_edge(graph, &at, &before);
}

/* Streams are replayed in any order, so only now are the last positions of all tasks known. */
void order_add_fulfilments(struct graph *graph)
{
	struct map fulfilled = {0}; /* an event is fulfilled once; more than that is in damaged dumps only */
	for (size_t i = 0; i < graph->n_streams; i++)
		for (size_t j = 0; j < graph->streams[i].n_fulfilments; j++) {
			const struct fulfilment *f = &graph->streams[i].fulfilments[j];
			uint32_t *is_again = map_put(&fulfilled, f->task);
			if (*is_again == 0)
				add_fulfilment(graph, f);
			*is_again = 1;
		}
	map_free(&fulfilled);
}
