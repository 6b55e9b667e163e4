/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Leaves out edges that make no sense. Records that contradict each other may lead to edges to what is no node, to the
 * same edge twice, and to cycles. Such edges are counted as repairs, so that the graph of any dump has no cycle, and
 * its tables refer to each other. An edge is known by its place in the fixed order of graph_each_edge. Called by
 * build.c after the replay; one thread.
 */
#include "builder/graph/shared.h"
#include "builder/support/array.h"

#include <stdlib.h>
#include <string.h>

struct arrow {
	uint32_t source, target;
	unsigned char kind;
	bool is_left_out;
};

struct sound {
	struct graph *graph;
	struct arrow *arrows; /* in the order of graph_each_edge */
	size_t n, capacity;
	size_t *order; /* of arrows, by source */
	size_t *first; /* by node: of its arrows in `order` */
	uint64_t n_left_out;
};

static int collect(void *self, const struct edge_view *edge)
{
	struct sound *s = self;
	array_reserve((void **)&s->arrows, s->n + 1, &s->capacity, sizeof *s->arrows);
	s->arrows[s->n++] = (struct arrow){edge->source, edge->target, (unsigned char)edge->kind, false};
	return 0;
}

static void leave_out(struct sound *s, struct arrow *arrow, const char *name)
{
	arrow->is_left_out = true;
	s->n_left_out++;
	tally_add(&s->graph->repairs, name, 1);
}

static bool is_node(const struct graph *graph, uint32_t id)
{
	return id != 0 && id < graph->model->n_tasks + graph->n_nodes && graph_node(graph, id).kind != NODE_NONE;
}

static size_t n_ids(const struct graph *graph)
{
	return (size_t)graph->model->n_tasks + graph->n_nodes;
}

/* Fills order and first with the arrows that are not left out: by source, of one source as they come. */
static void sort_arrows(struct sound *s)
{
	size_t n = n_ids(s->graph);
	s->order = memory_zeroed(s->n + 1, sizeof *s->order, "the graph");
	s->first = memory_zeroed(n + 2, sizeof *s->first, "the graph");
	for (size_t i = 0; i < s->n; i++)
		if (!s->arrows[i].is_left_out)
			s->first[s->arrows[i].source + 2]++;
	for (size_t i = 2; i < n + 2; i++)
		s->first[i] += s->first[i - 1];
	for (size_t i = 0; i < s->n; i++)
		if (!s->arrows[i].is_left_out)
			s->order[s->first[s->arrows[i].source + 1]++] = i;
}

/* `latest`: by target and kind, the source of the arrow that was seen last, + 1. */
static void leave_out_twins(struct sound *s, uint32_t *latest)
{
	for (size_t i = 0; i < s->first[n_ids(s->graph)]; i++) {
		struct arrow *arrow = &s->arrows[s->order[i]];
		uint32_t *seen = &latest[(size_t)arrow->target * EDGE_KINDS + arrow->kind];
		if (*seen == arrow->source + 1)
			leave_out(s, arrow, "edge_twice");
		*seen = arrow->source + 1;
	}
}

enum colour { UNSEEN, OPEN, DONE };

/* Depth first: an arrow to a node that is still open closes a cycle. */
static void leave_out_cycles(struct sound *s, unsigned char *colours, uint32_t *path, size_t *next)
{
	memcpy(next, s->first, n_ids(s->graph) * sizeof *next);
	for (uint32_t root = 1; root < n_ids(s->graph); root++) {
		size_t depth = 0;
		if (colours[root] != UNSEEN)
			continue;
		colours[root] = OPEN;
		path[depth++] = root;
		while (depth > 0) {
			uint32_t node = path[depth - 1];
			if (next[node] == s->first[node + 1]) {
				colours[node] = DONE;
				depth--;
				continue;
			}
			struct arrow *arrow = &s->arrows[s->order[next[node]++]];
			if (arrow->is_left_out)
				continue;
			if (colours[arrow->target] == OPEN) {
				leave_out(s, arrow, "edge_of_cycle");
			} else if (colours[arrow->target] == UNSEEN) {
				colours[arrow->target] = OPEN;
				path[depth++] = arrow->target;
			}
		}
	}
}

static void look_through(struct sound *s)
{
	size_t n = n_ids(s->graph);
	uint32_t *latest = memory_zeroed(n * EDGE_KINDS, sizeof *latest, "the graph");
	uint32_t *path = memory_get(n, sizeof *path, "the graph");
	unsigned char *colours = memory_zeroed(n, 1, "the graph");
	size_t *next = memory_get(n, sizeof *next, "the graph");
	sort_arrows(s);
	leave_out_twins(s, latest);
	leave_out_cycles(s, colours, path, next);
	free(latest);
	free(path);
	free(colours);
	free(next);
}

/*
 * Are there repairs other than those because a killed process did not make its last records? What is left in such a
 * dump fits together.
 */
static bool is_contradictory(const struct tally *repairs)
{
	static const char *const of_missing[] = {
		"implicit_task_without_end", "task_without_end", "scope_open_at_end", "scope_open_at_gap",
		"region_without_end",        "missing_segments", "lost_records"};
	size_t n_known = 0;
	for (unsigned i = 0; i < repairs->n_rows; i++)
		for (size_t k = 0; k < sizeof of_missing / sizeof *of_missing; k++)
			n_known += strcmp(repairs->rows[i].name, of_missing[k]) == 0;
	return n_known < repairs->n_rows;
}

bool graph_may_be_unsound(const struct graph *graph)
{
	return is_contradictory(&graph->model->notes->repairs) || is_contradictory(&graph->repairs) ||
	       tally_total(&graph->model->dump->damage) != 0;
}

void graph_make_sound(struct graph *graph)
{
	struct sound s = {.graph = graph};
	if (!graph_may_be_unsound(graph))
		return;
	graph_each_edge(graph, collect, &s);
	for (size_t i = 0; i < s.n; i++)
		if (!is_node(graph, s.arrows[i].source) || !is_node(graph, s.arrows[i].target))
			leave_out(&s, &s.arrows[i], "edge_to_nothing");
	look_through(&s);
	if (s.n_left_out > 0) {
		graph->left_out = memory_zeroed(s.n / 8 + 1, 1, "the graph");
		for (size_t i = 0; i < s.n; i++)
			graph->left_out[i / 8] |= (unsigned char)(s.arrows[i].is_left_out << i % 8);
	}
	free(s.arrows);
	free(s.order);
	free(s.first);
}
