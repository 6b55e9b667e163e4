/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How long a node's task was blocked in it: without a processor, because it waited for something that the runtime does
 * not know, such as input, output or a sleep. That is no work, but whatever comes after it had to wait for it. Few
 * nodes have such a time, so they are in a map. Called by fragment.c during the replay, and by what reads the graph; one
 * thread.
 */
#include "builder/graph/shared.h"
#include "builder/support/array.h"

#include <stdlib.h>

/* What the task was blocked since it was last asked. */
static uint64_t take(struct graph *graph, const struct point *at)
{
	if (graph->given_blocked_ticks == NULL)
		graph->given_blocked_ticks = memory_zeroed(graph->model->n_tasks, sizeof *graph->given_blocked_ticks, "the graph");
	uint64_t given_ticks = graph->given_blocked_ticks[at->task];
	graph->given_blocked_ticks[at->task] = busy_until(graph->blocked, at->stream, at->task, at->ticks);
	return graph->given_blocked_ticks[at->task] - given_ticks;
}

void graph_take_blocked(struct graph *graph, const struct point *at, uint32_t node)
{
	graph_add_blocked(graph, node, graph->blocked != NULL ? take(graph, at) : 0);
}

void graph_add_blocked(struct graph *graph, uint32_t node, uint64_t ticks)
{
	if (ticks == 0 || node == 0)
		return;
	uint32_t *row = map_put(&graph->blocked_rows, node);
	if (*row == 0) {
		array_reserve((void **)&graph->blocked_ticks, graph->n_blocked + (size_t)1, &graph->blocked_capacity,
			      sizeof *graph->blocked_ticks);
		graph->blocked_ticks[graph->n_blocked++] = 0;
		*row = graph->n_blocked;
	}
	graph->blocked_ticks[*row - 1] += ticks;
}

uint64_t graph_blocked_ticks(const struct graph *graph, uint32_t node)
{
	if (graph->level == GRAPH_FRAGMENT) {
		const uint32_t *row = map_get(&graph->blocked_rows, node);
		return row != NULL ? graph->blocked_ticks[*row - 1] : 0;
	}
	return graph->blocked != NULL && node < graph->model->n_tasks ? graph->blocked->ticks[node] : 0;
}

void graph_free_blocked(struct graph *graph)
{
	map_free(&graph->blocked_rows);
	free(graph->blocked_ticks);
	free(graph->given_blocked_ticks);
}
