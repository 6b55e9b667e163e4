/* SPDX-License-Identifier: BSD-3-Clause
 *
 * edges.csv and exclusive.csv: a row for each edge, and for each member of a set of tasks that exclude each other.
 * docs/tables.md describes the columns. Called by run.c after the last process is replayed; edges on several threads.
 */
#include "builder/graph/files.h"
#include "builder/graph/path.h"
#include "builder/tables/row.h"

/* Values that all edges of a process share. */
struct edges {
	const struct graph *graph;
	uint64_t node_offset; /* what this process adds to its nodes' numbers */
	struct row_word kinds[EDGE_KINDS];
};

/* Writes the variable of a dependence, or the object that a unit of Argobots waited for. */
static void put_object(const struct graph *graph, struct row_writer *to, const struct edge_view *edge)
{
	if (edge->kind == EDGE_DEPEND && edge->object == 0)
		row_put_word(to, "omp_all_memory");
	else if (edge->kind == EDGE_DEPEND)
		variables_put(&graph->variables, to, edge->object);
	else
		row_put_empty(to, 1);
	if (edge->kind == EDGE_RESUME)
		row_put_word(to, unit_sync_name(edge->sync));
	else
		row_put_empty(to, 1);
	row_put_hex(to, edge->object);
}

static void put_edges(const void *self, struct row_writer *to, size_t first, size_t end)
{
	const struct edges *e = self;
	struct edge_view edge;
	for (size_t place = first; place < end; place++) {
		if (!graph_edge_at(e->graph, place, &edge))
			continue;
		row_put_u64(to, e->node_offset + edge.source);
		row_put_u64(to, e->node_offset + edge.target);
		row_put_ready_word(to, &e->kinds[edge.kind]);
		if (edge.dependence != 0)
			row_put_word(to, edge_dependence_name(edge.dependence));
		else
			row_put_empty(to, 1);
		put_object(e->graph, to, &edge);
		row_put_u64_if(to, path_has_edge(e->graph, edge.source, edge.target), path_place(e->graph, edge.source));
		row_end(to);
	}
}

static struct edges edges_of(const struct graph *graph)
{
	struct edges e = {graph, graph->before.n_nodes, {{{0}, 0}}};
	for (unsigned kind = 0; kind < EDGE_KINDS; kind++)
		e.kinds[kind] = row_word_make(edge_kind_name(kind));
	return e;
}

int graph_edges_csv(const struct graphs *graphs, const struct table_place *place)
{
	struct row_writer to;
	if (row_writer_open(&to, place, TABLE_edges) != 0)
		return -1;
	for (size_t i = 0; i < graphs->n; i++) {
		struct edges e = edges_of(&graphs->graphs[i]);
		row_writer_fill(&to, graph_n_edge_places(e.graph), put_edges, &e);
	}
	return row_writer_close(&to);
}

uint64_t graph_edges_csv_bytes(const struct graphs *graphs)
{
	uint64_t n_bytes = 0;
	for (size_t i = 0; i < graphs->n; i++) {
		struct edges e = edges_of(&graphs->graphs[i]);
		n_bytes += row_measure(graph_n_edge_places(e.graph), put_edges, &e);
	}
	return n_bytes;
}

struct sets {
	struct row_writer to;
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
		row_put_u64(&s->to, s->process);
		row_put_u64(&s->to, s->n);
		row_put_u64(&s->to, s->node_offset + nodes[i]);
		variables_put(&s->graph->variables, &s->to, address);
		row_put_hex(&s->to, address);
		row_end(&s->to);
	}
	return 0;
}

int graph_exclusive_csv(const struct graphs *graphs, const struct table_place *place)
{
	struct sets s = {.n = 0};
	if (row_writer_open(&s.to, place, TABLE_exclusive) != 0)
		return -1;
	for (size_t i = 0; i < graphs->n; i++) {
		s.process = graphs->traces[i].process;
		s.graph = &graphs->graphs[i];
		s.n = graphs->graphs[i].before.n_sets;
		s.node_offset = graphs->graphs[i].before.n_nodes;
		graph_each_exclusive(&graphs->graphs[i], put_set, &s);
	}
	return row_writer_close(&s.to);
}
