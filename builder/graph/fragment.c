/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The fragment level: what a task executes between two scheduling points is a node, with the time that it took. How much a
 * task has executed comes from graph.busy, which leaves out all waiting: at synchronisations, for a mutex, and
 * where records are missing. So the times of all fragments add up to the work of the program, which is also the sum of its
 * thread states, and those on the longest path through the graph to its span (path.c).
 */
#include "builder/graph/shared.h"

uint64_t graph_take_time(struct graph *graph, const struct point *at)
{
	if (graph->level != GRAPH_FRAGMENT || graph->busy == NULL)
		return 0;
	return busy_grown(&graph->given_ticks[at->task],
			  busy_until(graph->busy, at->stream, at->task, window_clip(&graph->model->window, at->ticks)));
}

/* A task may execute after a node that is no fragment, such as a reduction in a barrier: its next fragment gets that time. */
void fragment_stop(struct graph *graph, const struct point *at)
{
	uint32_t id = graph->tasks[at->task].last;
	struct node *node = graph_inner_node(graph, id);
	if (at->task == 0) /* an unknown task, perhaps several */
		return;
	if (node != NULL && node->kind != NODE_FRAGMENT)
		return;
	uint64_t *busy_ticks = node == NULL ? &graph->first_fragments[id].busy_ticks : &node->busy_ticks;
	uint64_t *end_ticks = node == NULL ? &graph->first_fragments[id].end_ticks : &node->end_ticks;
	uint64_t ticks = graph_take_time(graph, at);
	graph_take_blocked(graph, at, id);
	*busy_ticks += ticks;
	if (ticks != 0 || *end_ticks == 0)
		*end_ticks = at->ticks;
}

void fragment_start(struct graph *graph, const struct point *at, uint32_t task)
{
	if (task == 0 || graph->model->tasks[task].state & TASK_HELPER)
		return;
	graph_add_placed(graph, at, NODE_FRAGMENT, task, graph->model->tasks[task].construct);
}

/*
 * In a taskgroup the task may be at the group's end already, and wait. Where that is not reported (a trace of version
 * 0.1.0, whose recorder did not record it by default), the time after its last other event does not count.
 */
static bool may_wait(const struct graph *graph, uint32_t task)
{
	return graph->model->n_events[EVENT_sync_region_wait_begin] == 0 && graph_is_in_group(graph, task);
}

void fragment_leave(struct graph *graph, const struct point *at)
{
	if (may_wait(graph, at->task)) {
		graph_stream(graph, at)->has_unknown_waits = true;
		(void)graph_take_time(graph, at);
		graph_take_blocked(graph, at, 0);
	} else
		fragment_stop(graph, at);
}
