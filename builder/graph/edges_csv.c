/* SPDX-License-Identifier: BSD-3-Clause
 *
 * edges.csv and exclusive.csv: a row for each edge, and for each member of a set of tasks that exclude each other.
 * docs/tables.md describes the columns. Called by run.c after the last process is replayed; edges on several threads.
 */
#include "builder/graph/files.h"
#include "builder/graph/path.h"
#include "builder/support/csv.h"

/* What the edges of a process have in common. */
struct edges {
	const struct graph *graph;
	uint64_t node_offset; /* what this process adds to its nodes' numbers */
	struct csv_word kinds[EDGE_KINDS];
};

/* What the edge is about: the variable of a dependence, what a unit of Argobots waited for. */
static void put_object(const struct graph *graph, struct csv *csv, const struct edge_view *edge)
{
	if (edge->kind == EDGE_DEPEND && edge->object == 0)
		csv_word(csv, "omp_all_memory");
	else if (edge->kind == EDGE_DEPEND)
		variables_put(&graph->variables, csv, edge->object);
	else
		csv_empty(csv, 1);
	if (edge->kind == EDGE_RESUME)
		csv_word(csv, unit_sync_name(edge->sync));
	else
		csv_empty(csv, 1);
	csv_handle(csv, edge->object);
}

static void put_edges(const void *self, struct csv *csv, size_t first, size_t end)
{
	const struct edges *e = self;
	struct edge_view edge;
	for (size_t place = first; place < end; place++) {
		if (!graph_edge_at(e->graph, place, &edge))
			continue;
		csv_number(csv, e->node_offset + edge.source);
		csv_number(csv, e->node_offset + edge.target);
		csv_ready_word(csv, &e->kinds[edge.kind]);
		if (edge.dependence != 0)
			csv_word(csv, edge_dependence_name(edge.dependence));
		else
			csv_empty(csv, 1);
		put_object(e->graph, csv, &edge);
		csv_number_if(csv, path_has_edge(e->graph, edge.source, edge.target), path_place(e->graph, edge.source));
		csv_end_row(csv);
	}
}

static struct edges edges_of(const struct graph *graph)
{
	struct edges e = {graph, graph->before.n_nodes, {{{0}, 0}}};
	for (unsigned kind = 0; kind < EDGE_KINDS; kind++)
		e.kinds[kind] = csv_make_word(edge_kind_name(kind));
	return e;
}

int graph_edges_csv(const struct graphs *graphs, const struct csv_place *place)
{
	struct csv csv;
	if (csv_open(&csv, place, "edges.csv", "source,target,kind,dependence,variable,sync,object,path") != 0)
		return -1;
	for (size_t i = 0; i < graphs->n; i++) {
		struct edges e = edges_of(&graphs->graphs[i]);
		csv_rows(&csv, graph_n_edge_places(e.graph), put_edges, &e);
	}
	return csv_close(&csv);
}

uint64_t graph_edges_csv_bytes(const struct graphs *graphs)
{
	uint64_t n_bytes = 0;
	for (size_t i = 0; i < graphs->n; i++) {
		struct edges e = edges_of(&graphs->graphs[i]);
		n_bytes += csv_measure(graph_n_edge_places(e.graph), put_edges, &e);
	}
	return n_bytes;
}

struct sets {
	struct csv csv;
	uint32_t process;
	uint64_t node_offset;
	uint64_t n; /* sets so far, of all processes */
	const struct graph *graph;
};

static int put_set(void *self, const uint32_t *nodes, uint32_t n)
{
	struct sets *s = self;
	uint64_t address = graph_exclusive_variable(s->graph, s->n++ - s->graph->before.n_sets);
	for (uint32_t i = 0; i < n; i++) {
		csv_number(&s->csv, s->process);
		csv_number(&s->csv, s->n);
		csv_number(&s->csv, s->node_offset + nodes[i]);
		variables_put(&s->graph->variables, &s->csv, address);
		csv_handle(&s->csv, address);
		csv_end_row(&s->csv);
	}
	return 0;
}

int graph_exclusive_csv(const struct graphs *graphs, const struct csv_place *place)
{
	struct sets s = {.n = 0};
	if (csv_open(&s.csv, place, "exclusive.csv", "process,set,node,variable,object") != 0)
		return -1;
	for (size_t i = 0; i < graphs->n; i++) {
		s.process = graphs->traces[i].process;
		s.graph = &graphs->graphs[i];
		s.n = graphs->graphs[i].before.n_sets;
		s.node_offset = graphs->graphs[i].before.n_nodes;
		graph_each_exclusive(&graphs->graphs[i], put_set, &s);
	}
	return csv_close(&s.csv);
}
