/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A graph by construct: a node for each kind of node and construct, with how many it stands for, and an edge for each kind
 * of edge between two of these. One thread.
 */
#include "builder/graphml/graphml.h"
#include "builder/support/array.h"

#include <inttypes.h>
#include <libxml/xmlwriter.h>
#include <stdlib.h>

struct fold_node {
	char *label, *function, *file;
	enum node_kind kind;
	unsigned line;
	uint32_t process;
	uint64_t n, busy_ns;
};

struct folded_edge {
	uint32_t from, to; /* rows of nodes */
	enum edge_kind kind;
	uint64_t n;
};

struct folds {
	struct fold_node *nodes;
	size_t n_nodes, nodes_capacity;
	struct folded_edge *edges;
	size_t n_edges, edges_capacity;
	/* For the current process. */
	const struct trace *trace;
	const struct graph *graph;
	uint32_t *rows;   /* by construct and kind: row of nodes + 1 */
	struct map pairs; /* (from, to, kind) -> row of edges + 1 */
};

struct folds *folds_make(void)
{
	return memory_zeroed(1, sizeof(struct folds), "graph.graphml");
}

static uint32_t row_of(struct folds *f, const struct node_view *node)
{
	uint32_t *row = &f->rows[node->construct * NODE_KINDS + (uint32_t)node->kind];
	if (*row == 0) {
		const struct construct *c = &f->graph->model->constructs[node->construct];
		array_push(f->nodes, f->n_nodes, f->nodes_capacity,
			   (struct fold_node){.label = text_copy(c->label),
					      .function = text_copy(c->function),
					      .file = text_copy(c->file),
					      .kind = node->kind,
					      .line = c->line,
					      .process = f->trace->process});
		*row = (uint32_t)f->n_nodes;
	}
	return *row - 1;
}

static int add_node(void *self, const struct node_view *node)
{
	struct folds *f = self;
	uint32_t number = row_of(f, node); /* which may move the rows */
	struct fold_node *row = &f->nodes[number];
	row->n++;
	row->busy_ns += dump_duration_ns(&f->trace->dump, node->busy_ticks);
	return 0;
}

static int add_edge(void *self, const struct edge_view *edge)
{
	struct folds *f = self;
	struct node_view source = graph_node(f->graph, edge->source), target = graph_node(f->graph, edge->target);
	uint32_t from = row_of(f, &source), to = row_of(f, &target);
	uint32_t *row = map_put(&f->pairs, (((uint64_t)from << 28 | to) * EDGE_KINDS + edge->kind) + 1);
	array_push_new(f->edges, f->n_edges, f->edges_capacity, row, (struct folded_edge){from, to, edge->kind, 0});
	f->edges[*row - 1].n++;
	return 0;
}

void folds_add(struct folds *f, const struct trace *trace, const struct graph *graph)
{
	f->trace = trace;
	f->graph = graph;
	f->rows = memory_zeroed((size_t)graph->model->n_constructs * NODE_KINDS, sizeof *f->rows, "graph.graphml");
	graph_each_node(graph, add_node, f);
	graph_each_edge(graph, add_edge, f);
	free(f->rows);
	map_free(&f->pairs);
	f->pairs = (struct map){0};
}

static void put_number(xmlTextWriterPtr out, bool is_node, const char *column, uint64_t number)
{
	char text[32];
	snprintf(text, sizeof text, "%" PRIu64, number);
	graphml_value(out, is_node, column, text);
}

static void put_id(xmlTextWriterPtr out, const char *name, uint32_t row)
{
	char text[32];
	snprintf(text, sizeof text, "c%" PRIu32, row + 1);
	graphml_attribute(out, name, text);
}

static void put_node(const struct fold_node *node, uint32_t row, xmlTextWriterPtr out)
{
	graphml_begin(out, "node", NULL, NULL);
	put_id(out, "id", row);
	graphml_value(out, true, "kind", node_kind_name(node->kind));
	graphml_value(out, true, "label", node->label);
	graphml_value(out, true, "function", node->function);
	graphml_value(out, true, "file", node->file);
	if (node->line != 0)
		put_number(out, true, "line", node->line);
	put_number(out, true, "process", node->process);
	put_number(out, true, "count", node->n);
	put_number(out, true, "busy_ns", node->busy_ns);
	graphml_end(out);
}

void folds_write(const struct folds *f, xmlTextWriterPtr out)
{
	static const char *const texts[] = {"kind", "label", "function", "file"};
	static const char *const numbers[] = {"line", "process", "count", "busy_ns"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		graphml_key(out, true, texts[i], false);
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		graphml_key(out, true, numbers[i], true);
	graphml_key(out, false, "kind", false);
	graphml_key(out, false, "count", true);
	graphml_begin(out, "graph", "edgedefault", "directed");
	for (uint32_t i = 0; i < f->n_nodes; i++)
		put_node(&f->nodes[i], i, out);
	for (size_t i = 0; i < f->n_edges; i++) {
		const struct folded_edge *edge = &f->edges[i];
		graphml_begin(out, "edge", NULL, NULL);
		put_id(out, "source", edge->from);
		put_id(out, "target", edge->to);
		graphml_value(out, false, "kind", edge_kind_name(edge->kind));
		put_number(out, false, "count", edge->n);
		graphml_end(out);
	}
}

void folds_free(struct folds *f)
{
	for (size_t i = 0; i < f->n_nodes; i++) {
		free(f->nodes[i].label);
		free(f->nodes[i].function);
		free(f->nodes[i].file);
	}
	free(f->nodes);
	free(f->edges);
	free(f);
}
