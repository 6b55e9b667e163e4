/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares the dependences that the runtime reports one by one (task_dependence) with those that follow from the lists.
 * What is reported depends on timing, as finished predecessors are left out, so it makes no edge; but the lists must order
 * those tasks.
 */
#include "builder/graph/shared.h"
#include "builder/support/array.h"
#include "builder/support/lower_bound.h"

#include <stdlib.h>

static uint32_t first_node(const struct graph *graph, uint32_t task)
{
	const struct task *t = &graph->model->tasks[task];
	return t->flags & task_flags_taskwait ? graph->tasks[task].last : task;
}

/* Is it an edge of the list itself? Those are sorted by source. */
static bool is_direct(const struct graph_stream *s, uint32_t source)
{
	const struct latest_list *list = &s->latest_list;
	size_t low = lower_bound(i, list->first_edge, list->first_edge + list->n_edges, s->edges[i].source < source);
	return low < list->first_edge + list->n_edges && s->edges[low].source == source;
}

void graph_check_dependence(struct graph *graph, const struct point *at, uint32_t source, uint32_t sink)
{
	struct graph_stream *s = graph_stream(graph, at);
	if (source == 0 || s->latest_list.task != sink || is_direct(s, source))
		return; /* a task without a list cannot be checked */
	array_push(s->unproven, s->n_unproven, s->unproven_capacity, (struct unproven){source, sink});
}

/* Dependence edges by target: the search goes back from the sink. */
struct incoming {
	const struct graph *graph;
	size_t *first; /* by node */
	uint32_t *sources;
	uint32_t *seen; /* by node: the number of the search that reached it */
	uint32_t *todo;
	uint64_t n_steps_left; /* of all searches together */
};

/* How many steps all searches may take together: sources are usually near. */
#define STEPS_PER_EDGE 1000
#define STEPS_FREE     10000000

static void find_incoming(struct incoming *in)
{
	const struct graph *graph = in->graph;
	size_t n_nodes = (size_t)graph->model->n_tasks + graph->n_nodes;
	in->first = memory_zeroed(n_nodes + 2, sizeof *in->first, "dependences");
	in->sources = memory_get(graph->n_edges, sizeof *in->sources, "dependences");
	in->seen = memory_zeroed(n_nodes, sizeof *in->seen, "dependences");
	in->todo = memory_get(n_nodes, sizeof *in->todo, "dependences");
	for (size_t i = 0; i < graph->n_edges; i++)
		if (graph->edges[i].kind == EDGE_DEPEND)
			in->first[graph->edges[i].target + 2]++;
	for (size_t i = 2; i < n_nodes + 2; i++)
		in->first[i] += in->first[i - 1];
	for (size_t i = 0; i < graph->n_edges; i++)
		if (graph->edges[i].kind == EDGE_DEPEND)
			in->sources[in->first[graph->edges[i].target + 1]++] = graph->edges[i].source;
}

/* Do edges lead from the source to the sink? True also where the steps are used up. */
static bool follows(struct incoming *in, const struct unproven *pair, uint32_t search)
{
	const struct model *m = in->graph->model;
	uint32_t n_todo = 0;
	in->todo[n_todo++] = first_node(in->graph, pair->sink);
	while (n_todo > 0) {
		uint32_t node = in->todo[--n_todo];
		for (size_t i = in->first[node]; i < in->first[node + 1]; i++) {
			uint32_t source = in->sources[i], next = first_node(in->graph, source);
			if (source == pair->source || in->n_steps_left == 0)
				return true;
			in->n_steps_left--;
			if (in->seen[next] == search || m->tasks[source].create_ticks < m->tasks[pair->source].create_ticks)
				continue;
			in->seen[next] = search;
			in->todo[n_todo++] = next;
		}
	}
	return false;
}

/* Is the node among the members, which are sorted by number? */
static bool is_among(const uint32_t *nodes, uint32_t n, uint32_t node)
{
	size_t low = lower_bound(i, 0, n, nodes[i] < node);
	return low < n && nodes[low] == node;
}

struct in_set {
	struct incoming *in;
	uint32_t source, sink;
	bool excludes;
};

static int see_set(void *self, const uint32_t *nodes, uint32_t n)
{
	struct in_set *pair = self;
	if (pair->in->n_steps_left == 0 || (is_among(nodes, n, pair->source) && is_among(nodes, n, pair->sink)))
		pair->excludes = true;
	else
		pair->in->n_steps_left--;
	return pair->excludes;
}

/*
 * Do the two exclude each other? A runtime may order those, too: LLVM's takes all but four `mutexinoutset`s of a task for
 * `inout`s (docs/runtimes.md, Q62). True also where the steps are used up.
 */
static bool excludes(struct incoming *in, const struct unproven *pair)
{
	struct in_set both = {in, first_node(in->graph, pair->source), first_node(in->graph, pair->sink), false};
	graph_each_exclusive(in->graph, see_set, &both);
	return both.excludes;
}

void graph_finish_check(struct graph *graph)
{
	size_t n_unproven = 0;
	for (size_t i = 0; i < graph->n_streams; i++)
		n_unproven += graph->streams[i].n_unproven;
	if (n_unproven == 0)
		return;
	struct incoming in = {.graph = graph};
	find_incoming(&in);
	in.n_steps_left = STEPS_PER_EDGE * (uint64_t)graph->n_edges + STEPS_FREE;
	uint64_t n_missing = 0;
	uint32_t n_searches = 0;
	for (size_t i = 0; i < graph->n_streams; i++)
		for (size_t j = 0; j < graph->streams[i].n_unproven; j++) {
			const struct unproven *pair = &graph->streams[i].unproven[j];
			n_missing += !follows(&in, pair, ++n_searches) && !excludes(&in, pair);
		}
	if (in.n_steps_left == 0)
		tally_add(&graph->repairs, "dependences_not_checked", 1);
	if (n_missing > 0)
		tally_add(&graph->repairs, "dependence_not_in_list", n_missing);
	free(in.first);
	free(in.sources);
	free(in.seen);
	free(in.todo);
}
