/* SPDX-License-Identifier: BSD-3-Clause
 *
 * edges.csv and exclusive.csv: a row for each edge, and for each member of a set of tasks that exclude each other.
 * docs/tables.md describes the columns. Called by run.c after the last process is replayed; one thread a table.
 */
#include "builder/graph/files.h"
#include "builder/graph/path.h"
#include "builder/support/csv.h"

struct edges {
	struct csv csv;
	const struct graph *graph;
	uint32_t process;
	uint64_t node_offset; /* what this process adds to its nodes' numbers */
	uint64_t n_sets;      /* exclusive sets so far, of all processes */
};

static int put_edge(void *self, const struct edge_view *edge)
{
	struct edges *e = self;
	struct csv *csv = &e->csv;
	bool is_resume = edge->kind == EDGE_RESUME;
	csv_number(csv, e->node_offset + edge->source);
	csv_number(csv, e->node_offset + edge->target);
	csv_word(csv, edge_kind_name(edge->kind));
	csv_word(csv, edge_dependence_name(edge->dependence));
	csv_word(csv, is_resume ? unit_sync_name(edge->sync) : "");
	csv_handle(csv, is_resume ? edge->object : 0);
	csv_number_if(csv, path_has_edge(e->graph, edge->source, edge->target), path_place(e->graph, edge->source));
	csv_end_row(csv);
	return 0;
}

int graph_edges_csv(const struct graphs *graphs, const char *dir)
{
	struct edges e;
	if (csv_open(&e.csv, dir, "edges.csv", "source,target,kind,dependence,sync,object,path") != 0)
		return -1;
	for (size_t i = 0; i < graphs->n; i++) {
		e.graph = &graphs->graphs[i];
		e.node_offset = graphs_offset(graphs, i);
		graph_each_edge(e.graph, put_edge, &e);
	}
	return csv_close(&e.csv);
}

static int put_set(void *self, const uint32_t *nodes, uint32_t n)
{
	struct edges *e = self;
	e->n_sets++;
	for (uint32_t i = 0; i < n; i++) {
		csv_number(&e->csv, e->process);
		csv_number(&e->csv, e->n_sets);
		csv_number(&e->csv, e->node_offset + nodes[i]);
		csv_end_row(&e->csv);
	}
	return 0;
}

int graph_exclusive_csv(const struct graphs *graphs, const char *dir)
{
	struct edges e = {.n_sets = 0};
	if (csv_open(&e.csv, dir, "exclusive.csv", "process,set,node") != 0)
		return -1;
	for (size_t i = 0; i < graphs->n; i++) {
		e.process = graphs->traces[i].process;
		e.node_offset = graphs_offset(graphs, i);
		graph_each_exclusive(&graphs->graphs[i], put_set, &e);
	}
	return csv_close(&e.csv);
}
