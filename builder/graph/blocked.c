/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How long a node's task was blocked in it: without a processor, because it waited for something that the runtime does not
 * know, such as input, output or a sleep. That is no work, but all that comes after it had to wait for it. Few nodes have
 * such a time, so they are in a map.
 */
#include "builder/graph/shared.h"
#include "builder/support/array.h"

#include <stdlib.h>

void graph_take_blocked(struct graph *graph, const struct point *at, uint32_t node)
{
	if (graph->blocked == NULL)
		return;
	uint64_t now = busy_until(graph->blocked, at->stream, at->task, window_clip(&graph->model->window, at->ticks));
	graph_add_blocked(graph, at, node, busy_grown(&graph->given_blocked_ticks[at->task], now));
}

void graph_add_blocked(struct graph *graph, const struct point *at, uint32_t node, uint64_t ticks)
{
	struct graph_stream *s = graph_stream(graph, at);
	if (ticks == 0 || node == 0)
		return;
	array_push(s->blocked, s->n_blocked, s->blocked_capacity, (struct node_blocked){node, ticks});
}

void graph_join_blocked(struct graph *graph, const uint32_t *numbers)
{
	uint32_t n_tasks = graph->model->n_tasks;
	for (size_t i = 0; i < graph->n_streams; i++) {
		struct graph_stream *s = &graph->streams[i];
		for (size_t j = 0; j < s->n_blocked; j++) {
			uint32_t id = s->blocked[j].node;
			uint32_t *row = map_put(&graph->blocked_rows, id < n_tasks ? id : numbers[id - n_tasks]);
			array_push_new(graph->blocked_ticks, graph->n_blocked, graph->blocked_capacity, row, 0);
			graph->blocked_ticks[*row - 1] += s->blocked[j].ticks;
		}
	}
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
