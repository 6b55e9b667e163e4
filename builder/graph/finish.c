/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Completes the graph after the replay, with what needs all of it. If the counts do not follow from the records alone, the
 * process is replayed once more for a graph that is kept.
 */
#include "builder/graph/shared.h"

#include <stdlib.h>

/* Frees what only the replay needs before later steps take memory. */
static void free_replays(struct graph *graph)
{
	rows_free(&graph->node_rows);
	if (!graph->is_counted) /* else count_rest() reads taskgroups */
		rows_free(&graph->open_rows);
	free(graph->given_ticks);
	free(graph->given_blocked_ticks);
	graph->given_ticks = graph->given_blocked_ticks = NULL;
}

/* Only now it is known which joins are in the graph, and which node waits for which task; exports then only read. */
static void settle(struct graph *graph)
{
	const struct model *m = graph->model;
	graph_join_streams(graph);
	free_replays(graph);
	/* A region none of whose members was recorded: its end follows on its begin. */
	for (uint32_t region = 1; region < m->n_regions; region++) {
		struct node *join = !graph->is_counted && graph->join_node[region] != 0
					    ? graph_inner_node(graph, graph->join_node[region])
					    : NULL;
		if (join == NULL || join->is_placed)
			continue;
		join->is_placed = true;
		join->previous = graph->region_node[region];
		join->previous_kind = EDGE_SEQUENCE;
	}
	graph_depend_finish(graph);
	graph_finish_check(graph); /* needs the sets of exclusive tasks */
	if (graph->splits != NULL)
		graph_settle_splits(graph);
	order_add_fulfilments(graph);
	doacross_add_edges(graph);
	if (graph->is_counted)
		graph_settle_counts(graph);
	else
		graph_settle_joiners(graph);
	for (uint32_t row = 1; row < m->n_tasks && graph->has_waits; row++) {
		const struct task *task = &m->tasks[row];
		if (task->flags & task_flags_taskwait && task->waits_for != 0) /* its successors depend on that task */
			graph->tasks[row].last = graph->tasks[task->waits_for].last;
	}
	for (size_t i = 0; i < N_PARADIGMS; i++)
		if (paradigms[i]->graph != NULL && paradigms[i]->graph->finish != NULL)
			paradigms[i]->graph->finish(graph);
	mutexes_finish(&graph->mutexes);
}

/*
 * Replays the process once more for a graph that keeps everything. The replay's quirks and repairs are counted already.
 * 0, or -1.
 */
static int begin_again(struct graph *graph)
{
	const struct model *model = graph->model;
	const struct notes notes = *model->notes;
	const struct visitor visitor = {&graph_ops, graph};
	const struct busy *busy = graph->busy, *blocked = graph->blocked;
	const struct unit_busy *unit_busy = graph->unit_busy;
	enum graph_level level = graph->level;
	unsigned slot = graph->slot;
	struct progress progress = {0};
	graph_free(graph);
	graph_begin(graph, model, level, GRAPH_KEPT);
	graph->slot = slot;
	graph->busy = busy;
	graph->blocked = blocked;
	graph->unit_busy = unit_busy;
	if (replay_run(model, &visitor, 1, &progress) != 0)
		return -1;
	*model->notes = notes;
	settle(graph);
	return 0;
}

int graph_finish_nodes(struct graph *graph)
{
	settle(graph);
	if (graph->is_counted && (graph->is_irregular || graph_may_be_unsound(graph)) && begin_again(graph) != 0)
		return -1;
	graph_make_sound(graph);
	if (graph_cut_to_family(graph) != 0)
		return -1;
	if (graph->is_counted) { /* edges of a graph that is only counted are not read */
		free(graph->tasks);
		graph->tasks = NULL;
	}
	return 0;
}

void graph_finish_path(struct graph *graph)
{
	graph_find_path(graph);
	graph_cut_to_time(graph);
}

int graph_finish(struct graph *graph)
{
	if (graph_finish_nodes(graph) != 0)
		return -1;
	graph_finish_path(graph);
	return 0;
}
