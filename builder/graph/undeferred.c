/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Undeferred tasks: the task that creates one is suspended until its body has ended (OpenMP 5.1 section 2.12.1), so
 * that comes before whatever the creating task does next. A task that is created next still hangs on its creator's
 * position, as any other does (docs/graph.md); the end of the undeferred task has an edge to it in addition, and so to
 * each task that the creator creates until it has a new position, to which there is one, too. So there is at most one
 * such edge for each task and each node. model_suspends() says which tasks are meant.
 */
#include "builder/graph/shared.h"

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
