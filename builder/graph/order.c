/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What undeferred and detached tasks order.
 *
 * Undeferred tasks: the task that creates one is suspended until its body has ended (OpenMP 5.1 section 2.12.1), so
 * that comes before anything the creating task does next. A task that is created next still hangs on its creator's
 * position, as any other does (docs/graph.md); the end of the undeferred task has an edge to it in addition, and so to
 * each task that the creator creates until it has a new position, to which there is one, too. So there is at most one
 * such edge for each task and each node. model_suspends() says which tasks are meant.
 */
#include "builder/graph/shared.h"
#include "builder/support/array.h"

void order_await(struct graph *graph, uint32_t row)
{
	if (graph->order.tasks != NULL)
		graph->order.tasks[row].is_awaited = true;
}

void order_create(struct graph *graph, const struct point *at, uint32_t row)
{
	const struct model *m = graph->model;
	struct graph_stream *s = graph_stream(graph, at);
	if (m->tasks[row].flags & task_flags_undeferred) {
		enum suspension suspension = model_suspends(m, row);
		if (graph->order.tasks[row].is_awaited)
			suspension = SUSPENDS; /* no runtime waits for a task's dependences otherwise */
		graph->order.tasks[row].is_awaited = false;
		s->undeferred = suspension == SUSPENDS ? row : 0;
		s->has_unknown_orders |= suspension == SUSPENDS_MAYBE;
	}
	if (at->task == m->tasks[row].parent)
		order_follow(graph, at, at->task, row);
}

/*
 * LLVM's runtime begins an undeferred task at once. If other things happen first, it is not what its creator is
 * suspended for: an included task whose predecessors are not done waits for them as any other does (Q51).
 */
void order_begin(struct graph *graph, const struct point *at, uint32_t row)
{
	uint32_t *created = &graph_stream(graph, at)->undeferred;
	uint32_t parent = graph->model->tasks[row].parent;
	if (*created == row && row != 0 && parent != 0 && at->task == parent) {
		graph->order.tasks[row].is_suspending = true;
		/* It begins where its parent stops: at the fragment level that is a fragment after its creation. */
		if (!graph->is_counted)
			graph->tasks[row].origin = graph->tasks[parent].last;
	}
	*created = 0;
}

void order_end(struct graph *graph, const struct point *at, uint32_t row, uint32_t next)
{
	const struct task *task = &graph->model->tasks[row];
	struct order_task *order = graph->order.tasks;
	if (order[row].resumption != 0)
		graph_add_placed(graph, at, NODE_TASK_END, row, task->construct);
	if (!order[row].is_suspending)
		return;
	order[row].is_suspending = false;
	order[task->parent].resumption = graph->tasks[row].last;
	if (next == task->parent)
		graph_start_fragment(graph, at, next);
}

/* ---- Detached tasks ---- */

/*
 * Detached tasks: the task that fulfils the event of one comes before all that waits for that one (OpenMP 5.1 section 2.12.1),
 * whether the task's body has ended by then, or has not begun. Such a task has a node for its end, which comes after
 * its own last position and after that of the task that fulfilled the event. Where a detached task fulfils its event
 * itself, its own position is enough.
 */

void order_fulfill(struct graph *graph, const struct point *at, uint32_t detached)
{
	struct graph_stream *s = graph_stream(graph, at);
	if (at->task == 0 || graph_is_helper(graph, at->task)) {
		s->has_unknown_fulfills = true;
		return;
	}
	if (detached == at->task || !graph_is_task(graph, detached))
		return;
	graph_stop_fragment(graph, at);
	uint32_t resumption = graph->order.tasks != NULL ? graph->order.tasks[at->task].resumption : 0;
	array_push(s->fulfilments, s->n_fulfilments, s->fulfilments_capacity,
		   (struct fulfilment){detached, graph->tasks[at->task].last, resumption});
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
