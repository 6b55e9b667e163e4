/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Undeferred tasks: the task that creates one is suspended until its body has ended (OpenMP 5.1 section 2.12.1), so
 * that comes before whatever the creating task does next. A task that is created next still hangs on its creator's
 * position, as any other does (docs/graph.md); the end of the undeferred task has an edge to it in addition, and so to
 * each task that the creator creates until it has a new position, to which there is one, too. So there is at most one
 * such edge for each task and each node. model_suspends() says which tasks are meant.
 */
#include "builder/graph/shared.h"
#include "builder/support/memory.h"

void order_begin_graph(struct graph *graph)
{
	graph->order.created = memory_zeroed(graph->model->dump->n_streams, sizeof *graph->order.created, "the graph");
}

void order_await(struct graph *graph, uint32_t row)
{
	map_put(&graph->order.awaited, row);
}

void order_create(struct graph *graph, const struct point *at, uint32_t row)
{
	const struct model *m = graph->model;
	enum suspension suspension = model_suspends(m, row);
	if (graph->order.awaited.n_used != 0 && map_get(&graph->order.awaited, row) != NULL) {
		map_remove(&graph->order.awaited, row);
		suspension = SUSPENDS; /* no runtime waits for a task's dependences otherwise */
	}
	graph->order.created[at->stream] = suspension == SUSPENDS ? row : 0;
	graph->order.has_unknown_orders |= suspension == SUSPENDS_MAYBE;
	if (at->task == m->tasks[row].parent)
		order_follow(graph, at->task, row);
}

/*
 * LLVM's runtime begins an undeferred task at once. If other things happen first, it is not what its creator is
 * suspended for: an included task whose predecessors are not done waits for them as any other does (Q51).
 */
void order_begin(struct graph *graph, const struct point *at, uint32_t row)
{
	uint32_t *created = &graph->order.created[at->stream];
	uint32_t parent = graph->model->tasks[row].parent;
	if (*created == row && row != 0 && parent != 0 && at->task == parent) {
		map_put(&graph->order.suspending, row);
		/* It begins where its parent stops: at the fragment level that is a fragment after its creation. */
		graph->tasks[row].origin = graph->tasks[parent].last;
	}
	*created = 0;
}

void order_end(struct graph *graph, const struct point *at, uint32_t row, uint32_t next)
{
	struct order *order = &graph->order;
	const struct task *task = &graph->model->tasks[row];
	if (order->resumptions.n_used != 0 && map_get(&order->resumptions, row) != NULL)
		graph_add_placed(graph, NODE_TASK_END, row, task->construct, at->ticks);
	if (order->suspending.n_used == 0 || map_get(&order->suspending, row) == NULL)
		return;
	map_remove(&order->suspending, row);
	*map_put(&order->resumptions, task->parent) = graph->tasks[row].last;
	if (next == task->parent)
		graph_start_fragment(graph, at, next);
}

void order_free(struct graph *graph)
{
	struct order *order = &graph->order;
	free(order->created);
	free(order->fulfilments);
	map_free(&order->awaited);
	map_free(&order->suspending);
	map_free(&order->resumptions);
	map_free(&order->fulfilled);
}
