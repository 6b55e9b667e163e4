/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the longest chain through the graph, where each node counts as long as what it executed itself, in time linear in
 * nodes and edges. Of several chains that are equally long, the one over the lower-numbered nodes is taken, from the end.
 * Runs on one thread.
 */
#include "builder/graph/chain.h"
#include "builder/support/array.h"

#include <stdlib.h>

#define WHAT "the critical path"

static void add_edge(struct chain_walk *w, uint32_t source, uint32_t target)
{
	if (source == 0)
		return;
	if (w->first_edge == NULL)
		w->first_edge = memory_zeroed(w->n, sizeof *w->first_edge, WHAT);
	array_push(w->edges, w->n_edges, w->edges_capacity, (struct walk_edge){source, w->first_edge[target]});
	w->first_edge[target] = (uint32_t)w->n_edges;
}

static int keep_edge(void *self, const struct edge_view *edge)
{
	add_edge(self, edge->source, edge->target);
	return 0;
}

static void make_walk(struct chain_walk *w)
{
	const struct graph *graph = w->graph;
	uint32_t n_tasks = graph->model->n_tasks;
	w->marks = memory_zeroed(w->n, sizeof *w->marks, WHAT);
	w->ns = memory_zeroed(w->n, sizeof *w->ns, WHAT);
	w->joined = memory_zeroed(graph->n_nodes, sizeof *w->joined, WHAT);
	w->next = memory_zeroed(n_tasks, sizeof *w->next, WHAT);
	for (size_t i = 0; i < graph->blocked_rows.n_slots; i++)
		if (graph->blocked_rows.slots[i].is_used)
			w->marks[graph->blocked_rows.slots[i].key] = MARK_BLOCKED;
	if (graph->left_out != NULL) { /* only graph_each_edge leaves these out */
		graph_each_edge(graph, keep_edge, w);
		return;
	}
#pragma omp parallel for if (n_tasks > FEW_ROWS)
	for (uint32_t task = 1; task < n_tasks; task++) {
		uint32_t joiner = graph->joiners[task];
		if (joiner != 0 && graph_is_task(graph, task)) /* relaxed: the lists are read after the loop, in any order */
			w->next[task] = __atomic_exchange_n(&w->joined[joiner - n_tasks], task, __ATOMIC_RELAXED);
	}
	for (size_t i = 0; i < graph->n_edges; i++)
		add_edge(w, graph_edge_source(graph, &graph->edges[i]), graph->edges[i].target);
}

/* ---- The longest chain ---- */

/* Marks nodes before nodes whose chain has at least this length. */
static void mark_nexts(struct chain_walk *w, uint64_t least_ns)
{
	for (uint32_t id = 1; id < w->n; id++) {
		struct open_node open;
		if (ns_to(w, id) < least_ns)
			continue;
		begin_sources(&open, id);
		for (uint32_t source; (source = next_source(w, &open)) != 0;)
			w->marks[source] |= MARK_HAS_NEXT;
	}
}

/* The last node of the longest chain, with the lowest number; 0: no chain has at least this length. Sets the span. */
static uint32_t find_end(struct chain_walk *w, struct path *path, uint64_t least_ns)
{
	uint32_t last = 0;
	mark_nexts(w, least_ns);
	for (uint32_t id = 1; id < w->n; id++) {
		uint64_t ns = ns_to(w, id);
		if (ns < least_ns || (w->marks[id] & (MARK_IS_NODE | MARK_HAS_NEXT)) != MARK_IS_NODE)
			continue;
		if (last == 0 || ns > path->span_ns) {
			path->span_ns = ns;
			last = id;
		}
	}
	return last;
}

/* Chains do not get shorter from a node to the next: nearly always the end is among the nodes with the longest ones. */
static uint32_t take_end(struct chain_walk *w, struct path *path)
{
	uint32_t last = find_end(w, path, w->longest_ns);
	return last != 0 ? last : find_end(w, path, 0);
}

/* The node before it on the longest chain, 0 none. */
static uint32_t find_before(const struct chain_walk *w, uint32_t id)
{
	struct open_node open;
	uint32_t before = 0;
	begin_sources(&open, id);
	for (uint32_t source; (source = next_source(w, &open)) != 0;)
		if (before == 0 || ns_to(w, source) > ns_to(w, before) || (ns_to(w, source) == ns_to(w, before) && source < before))
			before = source;
	return before;
}

static void trace_back(const struct chain_walk *w, struct path *path, uint32_t last)
{
	size_t capacity = 0;
	for (uint32_t id = last; id != 0; id = find_before(w, id)) {
		array_push(path->nodes, path->n_nodes, capacity, id);
	}
	path->places = memory_zeroed(w->n, sizeof *path->places, WHAT);
	for (uint32_t i = 0, k = path->n_nodes - 1; i < k; i++, k--) {
		uint32_t id = path->nodes[i];
		path->nodes[i] = path->nodes[k];
		path->nodes[k] = id;
	}
	for (uint32_t i = 0; i < path->n_nodes; i++)
		path->places[path->nodes[i]] = i + 1;
}

bool chain_find_longest(const struct graph *graph, struct path *path)
{
	struct chain_walk w = {.graph = graph, .n = (size_t)graph->model->n_tasks + graph->n_nodes};
	make_walk(&w);
	w.is_plain = graph->left_out == NULL && graph->model->n_activities == 0 && graph->model->n_units == 0;
	walk_all(&w, path);
	path->reasons |= w.has_cycle ? PATH_CONTRADICTORY : 0;
	uint32_t last = w.has_cycle ? 0 : take_end(&w, path);
	if (last != 0)
		trace_back(&w, path, last);
	free(w.marks);
	free(w.ns);
	free(w.joined);
	free(w.next);
	free(w.edges);
	free(w.first_edge);
	return last != 0;
}
