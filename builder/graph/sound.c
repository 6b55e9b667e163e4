/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Leaves out edges that make no sense. Records that contradict each other may lead to edges to what is no node, to the same
 * edge twice, and to cycles. Such edges are counted as repairs, so that the graph of any dump has no cycle, and its tables
 * refer to each other. An edge is known by its place (graph_edge_at). One thread.
 *
 * A dump with a repair may be as large as any other, so the memory needed is small compared with the graph: 5 bytes an
 * edge and 14 a node.
 */
#include "builder/graph/shared.h"

#include <stdlib.h>
#include <string.h>

/* Edges are arrows here: those of one source lie together, in the order of their places. */
#define ARROW_KIND     0x0f
#define ARROW_LEFT_OUT 0x40
#define ARROW_LAST     0x80 /* of its source */
_Static_assert(EDGE_KINDS <= ARROW_KIND + 1, "an arrow's kind has four bits");

struct sound {
	struct graph *graph;
	size_t *first;        /* by node, of its arrows; SIZE_MAX: it has none */
	uint32_t *targets;    /* by arrow */
	unsigned char *marks; /* by arrow: its kind, and the bits above */
	uint32_t *scratch;    /* by node */
	uint64_t n_left_out;
};

static void leave_out(struct sound *s, const char *name)
{
	s->n_left_out++;
	tally_add(&s->graph->repairs, name, 1);
}

static bool is_between_nodes(const struct graph *graph, const struct edge_view *edge)
{
	return graph_has_node(graph, edge->source) && graph_has_node(graph, edge->target);
}

/* Finds the index of each node's first arrow; returns the number of arrows. */
static size_t find_first(const struct graph *graph, size_t *first)
{
	size_t n = graph_n_ids(graph), n_places = graph_n_edge_places(graph), n_arrows = 0;
	struct edge_view edge;
	memset(first, 0, n * sizeof *first);
	for (size_t place = 0; place < n_places; place++)
		if (graph_edge_at(graph, place, &edge) && is_between_nodes(graph, &edge))
			first[edge.source]++;
	for (size_t i = 0; i < n; i++) {
		size_t n_of_node = first[i];
		first[i] = n_arrows;
		n_arrows += n_of_node;
	}
	return n_arrows;
}

static void make_arrows(struct sound *s)
{
	const struct graph *graph = s->graph;
	size_t n = graph_n_ids(graph), n_places = graph_n_edge_places(graph);
	struct edge_view edge;
	s->first = memory_get(n, sizeof *s->first, "the graph");
	size_t n_arrows = find_first(graph, s->first);
	s->targets = memory_get(n_arrows, sizeof *s->targets, "the graph");
	s->marks = memory_get(n_arrows, sizeof *s->marks, "the graph");
	for (size_t place = 0; place < n_places; place++) {
		if (!graph_edge_at(graph, place, &edge))
			continue;
		if (!is_between_nodes(graph, &edge)) {
			leave_out(s, "edge_to_nothing");
			continue;
		}
		size_t arrow = s->first[edge.source]++;
		s->targets[arrow] = edge.target;
		s->marks[arrow] = (unsigned char)edge.kind;
	}
	/* Now each node has the end of its arrows, where those of the next one begin. */
	for (size_t i = n, end; i > 0; i--) {
		size_t begin = i > 1 ? s->first[i - 2] : 0;
		end = s->first[i - 1];
		s->first[i - 1] = begin < end ? begin : SIZE_MAX;
		if (begin < end)
			s->marks[end - 1] |= ARROW_LAST;
	}
}

/* scratch: by target, the last source + 1. */
static void leave_out_twins(struct sound *s)
{
	size_t n = graph_n_ids(s->graph);
	uint16_t *kinds = memory_get(n, sizeof *kinds, "the graph"); /* by target, of its arrows from that source */
	memset(s->scratch, 0, n * sizeof *s->scratch);
	for (uint32_t source = 1; source < n; source++) {
		size_t arrow = s->first[source];
		for (bool is_over = arrow == SIZE_MAX; !is_over; arrow++) {
			uint32_t target = s->targets[arrow];
			uint16_t kind = (uint16_t)(1u << (s->marks[arrow] & ARROW_KIND));
			is_over = s->marks[arrow] & ARROW_LAST;
			if (s->scratch[target] != source + 1)
				kinds[target] = 0;
			if (kinds[target] & kind) {
				s->marks[arrow] |= ARROW_LEFT_OUT;
				leave_out(s, "edge_twice");
			}
			kinds[target] |= kind;
			s->scratch[target] = source + 1;
		}
	}
	free(kinds);
}

enum colour { UNSEEN, OPEN, DONE };

/* Returns the node's next arrow, SIZE_MAX after its last one, and advances to the one after it. */
static size_t next_arrow(struct sound *s, uint32_t node)
{
	size_t arrow = s->first[node];
	if (arrow != SIZE_MAX)
		s->first[node] = s->marks[arrow] & ARROW_LAST ? SIZE_MAX : arrow + 1;
	return arrow;
}

/* Depth first: an arrow to a node that is still open closes a cycle. Uses up s->first; scratch: the path. */
static void leave_out_cycles(struct sound *s)
{
	unsigned char *colours = memory_zeroed(graph_n_ids(s->graph), 1, "the graph");
	for (uint32_t root = 1; root < graph_n_ids(s->graph); root++) {
		size_t depth = 0;
		if (colours[root] != UNSEEN)
			continue;
		colours[root] = OPEN;
		s->scratch[depth++] = root;
		while (depth > 0) {
			size_t arrow = next_arrow(s, s->scratch[depth - 1]);
			if (arrow == SIZE_MAX) {
				colours[s->scratch[--depth]] = DONE;
			} else if (s->marks[arrow] & ARROW_LEFT_OUT) {
				continue;
			} else if (colours[s->targets[arrow]] == OPEN) {
				s->marks[arrow] |= ARROW_LEFT_OUT;
				leave_out(s, "edge_of_cycle");
			} else if (colours[s->targets[arrow]] == UNSEEN) {
				colours[s->targets[arrow]] = OPEN;
				s->scratch[depth++] = s->targets[arrow];
			}
		}
	}
	free(colours);
}

/* Sets the graph's bits of edges that are left out. */
static void note(struct sound *s)
{
	struct graph *graph = s->graph;
	size_t n_places = graph_n_edge_places(graph);
	unsigned char *bits = memory_zeroed(n_places / 8 + 1, 1, "the graph");
	struct edge_view edge;
	find_first(graph, s->first);
	for (size_t place = 0; place < n_places; place++)
		if (graph_edge_at(graph, place, &edge)) {
			bool is_out = !is_between_nodes(graph, &edge) || s->marks[s->first[edge.source]++] & ARROW_LEFT_OUT;
			bits[place / 8] |= (unsigned char)(is_out << place % 8);
		}
	graph->left_out = bits;
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
	s.scratch = memory_get(graph_n_ids(graph), sizeof *s.scratch, "the graph");
	make_arrows(&s);
	leave_out_twins(&s);
	leave_out_cycles(&s);
	if (s.n_left_out > 0)
		note(&s);
	free(s.scratch);
	free(s.first);
	free(s.targets);
	free(s.marks);
}
