/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The fragment level: what a task executes between two scheduling points is a node, with the time that it took. Time in
 * which the task waits belongs to no node: at a synchronisation, for a mutex, and where records are missing. So the
 * times of all fragments add up to the work of the program, and those on the longest way through the graph to its span
 * (path.c). Called by the other files of this folder during the replay; one thread.
 */
#include "builder/graph/graph.h"

static void add_time(struct graph *graph, const struct point *at, uint64_t ticks)
{
	uint32_t id = graph->tasks[at->task].last;
	struct node *node = graph_inner_node(graph, id);
	if (node == NULL) {
		graph->first_fragments[id].busy_ticks += ticks;
		graph->first_fragments[id].end_ticks = at->ticks;
	} else if (node->kind == NODE_FRAGMENT) {
		node->busy_ticks += ticks;
		node->end_ticks = at->ticks;
	}
}

void graph_stop_fragment(struct graph *graph, const struct point *at)
{
	if (graph->level != GRAPH_FRAGMENT)
		return;
	struct stretch *stretch = &graph->stretches[at->stream];
	uint64_t until_ticks = stretch->paused_ticks != 0 ? stretch->paused_ticks : at->ticks;
	if (until_ticks >= stretch->since_ticks && map_get(&graph->waiting, at->task) == NULL)
		add_time(graph, at, until_ticks - stretch->since_ticks);
	*stretch = (struct stretch){at->ticks, 0};
}

void graph_start_fragment(struct graph *graph, const struct point *at, uint32_t task)
{
	if (graph->level != GRAPH_FRAGMENT || task == 0 || graph->model->tasks[task].state & TASK_HELPER)
		return;
	graph->stretches[at->stream] = (struct stretch){at->ticks, 0};
	graph_add_placed(graph, NODE_FRAGMENT, task, graph->model->tasks[task].construct, at->ticks);
}

/*
 * In a taskgroup the task may be at the group's end already, and wait. Where that is not reported (sync_region_wait is
 * not recorded by default), the time after its last other event does not count.
 */
static bool may_wait(const struct graph *graph, uint32_t task)
{
	return graph->model->n_events[EVENT_sync_region_wait_begin] == 0 && graph_is_in_group(graph, task);
}

void graph_leave_fragment(struct graph *graph, const struct point *at)
{
	if (graph->level == GRAPH_FRAGMENT && may_wait(graph, at->task)) {
		graph->has_unknown_waits = true;
		graph_start_stretch(graph, at);
	} else
		graph_stop_fragment(graph, at);
}

void graph_start_stretch(struct graph *graph, const struct point *at)
{
	graph->stretches[at->stream] = (struct stretch){at->ticks, 0};
}

void graph_begin_wait(struct graph *graph, const struct point *at)
{
	graph_stop_fragment(graph, at);
	if (graph->level == GRAPH_FRAGMENT)
		map_put(&graph->waiting, at->task);
}

void graph_end_wait(struct graph *graph, const struct point *at)
{
	map_remove(&graph->waiting, at->task);
	graph_start_stretch(graph, at);
}

void graph_pause_fragment(struct graph *graph, const struct point *at)
{
	struct stretch *stretch = &graph->stretches[at->stream];
	stretch->paused_ticks = at->ticks;
}

void graph_resume_fragment(struct graph *graph, const struct point *at)
{
	struct stretch *stretch = &graph->stretches[at->stream];
	if (stretch->paused_ticks != 0)
		stretch->since_ticks += at->ticks - stretch->paused_ticks;
	stretch->paused_ticks = 0;
}
