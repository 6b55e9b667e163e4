/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes graph.dot for graphviz. A graph that is too large to be read is drawn by source construct instead
 * (dot_groups.c). Called by run.c after the last process is replayed; what a whole graph has a line for is formatted on
 * several threads.
 */
#include "builder/graph/dot.h"
#include "builder/graph/path.h"
#include "builder/graph/shared.h"
#include "builder/support/blocks.h"
#include "builder/support/file.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"

#include <inttypes.h>
#include <stdlib.h>

static void put_edge_begin(struct buffer *text, uint64_t source, uint64_t target, unsigned kind)
{
	buffer_put_text(text, "  n");
	buffer_put_decimal(text, source);
	buffer_put_text(text, " -> n");
	buffer_put_decimal(text, target);
	buffer_put_text(text, " [");
	buffer_put_text(text, dot_edge_style(kind));
}

/* Where a kernel ran, and how long by the device's own clock, where that can be told. */
static void put_device(struct buffer *text, const struct dump *dump, const struct activity *activity)
{
	buffer_put_text(text, activity->device < 0 ? "\\ndevice -" : "\\ndevice ");
	buffer_put_decimal(text, (uint64_t)llabs(activity->device));
	if (activity->begin_ticks == 0)
		return;
	buffer_put_text(text, ", ");
	buffer_put_us(text, dump_duration_ns(dump, activity->end_ticks - activity->begin_ticks));
}

/* Lines of a whole graph, on one thread. */
struct lines {
	const struct dot *dot;
	struct buffer *text;
};

static int put_node(void *self, const struct node_view *node)
{
	const struct lines *lines = self;
	const struct dot *dot = lines->dot;
	const struct dump *dump = &dot->trace->dump;
	struct buffer *text = lines->text;
	size_t label = dot->first_label[node->construct];
	buffer_put_text(text, "  n");
	buffer_put_decimal(text, dot->offset + node->id);
	buffer_put_text(text, " [label=\"");
	dot_put_label(text, node->kind, dot->labels.bytes + label, dot->first_label[node->construct + 1] - label);
	if (node->kind == NODE_UNIT_WAIT) {
		buffer_put_text(text, "\\n");
		buffer_put_text(text, unit_sync_name(node->sync));
	}
	if (node->kind <= NODE_TARGET || node->kind == NODE_TASKLOOP_SPLIT || node->kind == NODE_FRAGMENT ||
	    dot_is_work_unit(node->kind)) {
		buffer_put_text(text, "\\n#");
		buffer_put_decimal(text, dot->offset + node->id);
		buffer_put_text(text, "  ");
		buffer_put_us(text, dump_duration_ns(dump, node->busy_ticks));
	}
	if (node->kind == NODE_DATA_OP) {
		buffer_put_text(text, "\\n");
		buffer_put_decimal(text, node->operation->n_bytes);
		buffer_put_text(text, " bytes, ");
		buffer_put_decimal(text, dump_duration_ns(dump, node->end_ticks - node->begin_ticks) / 1000);
		buffer_put_text(text, " us");
	}
	if (node->kind == NODE_KERNEL)
		put_device(text, dump, node->activity);
	dot_put_node_end(text, node->kind, path_place(dot->graph, node->id) != 0);
	return 0;
}

static void put_edge(const struct dot *dot, struct buffer *text, const struct edge_view *edge)
{
	put_edge_begin(text, dot->offset + edge->source, dot->offset + edge->target, edge->kind);
	if (edge->dependence != 0) {
		buffer_put_text(text, ",label=\"");
		buffer_put_text(text, edge_dependence_name(edge->dependence));
		buffer_put_text(text, "\"");
	}
	if (edge->kind == EDGE_RESUME) {
		buffer_put_text(text, ",label=\"");
		buffer_put_text(text, unit_sync_name(edge->sync));
		buffer_put_text(text, " 0x");
		buffer_put_hex(text, edge->object);
		buffer_put_text(text, "\"");
	}
	bool is_on_path = path_has_edge(dot->graph, edge->source, edge->target);
	buffer_put_text(text, is_on_path ? ",penwidth=4,arrowsize=1.2];\n" : "];\n");
}

#define BLOCK_ITEMS ((size_t)4096)

static size_t n_blocks(size_t n_items)
{
	return (n_items + BLOCK_ITEMS - 1) / BLOCK_ITEMS;
}

static void put_nodes(void *self, size_t block, struct buffer *text)
{
	struct lines lines = {self, text};
	size_t first = block * BLOCK_ITEMS, end = first + BLOCK_ITEMS, n = graph_n_ids(lines.dot->graph);
	graph_each_node_in(lines.dot->graph, (uint32_t)first, (uint32_t)(end < n ? end : n), put_node, &lines);
}

static void put_edges(void *self, size_t block, struct buffer *text)
{
	const struct dot *dot = self;
	struct edge_view edge;
	size_t first = block * BLOCK_ITEMS, n = graph_n_edge_places(dot->graph);
	for (size_t place = first; place < n && place < first + BLOCK_ITEMS; place++)
		if (graph_edge_at(dot->graph, place, &edge))
			put_edge(dot, text, &edge);
}

/* A line through all members, and not one for each of the many pairs. */
static int put_exclusive(void *self, const uint32_t *nodes, uint32_t n)
{
	struct dot *dot = self;
	struct buffer text = {NULL, 0, 0};
	for (uint32_t i = 1; i < n; i++) {
		put_edge_begin(&text, dot->offset + nodes[i - 1], dot->offset + nodes[i], PAIR_EXCLUSIVE);
		buffer_put_text(&text, "];\n");
	}
	fwrite(text.bytes, 1, text.n, dot->out);
	buffer_free(&text);
	return 0;
}

static void draw_whole(struct dot *dot)
{
	const struct model *m = dot->graph->model;
	dot->first_label = memory_get(m->n_constructs + (size_t)1, sizeof *dot->first_label, "graph.dot");
	for (uint32_t i = 0; i < m->n_constructs; i++) {
		dot->first_label[i] = dot->labels.n;
		text_dot(&dot->labels, m->constructs[i].label);
	}
	dot->first_label[m->n_constructs] = dot->labels.n;
	buffer_room(&dot->labels, 1); /* there are bytes, also of no label */
	blocks_write(dot->out, n_blocks(graph_n_ids(dot->graph)), put_nodes, dot);
	blocks_write(dot->out, n_blocks(graph_n_edge_places(dot->graph)), put_edges, dot);
	graph_each_exclusive(dot->graph, put_exclusive, dot);
	buffer_free(&dot->labels);
	free(dot->first_label);
}

static int count_one(void *self, const struct node_view *node)
{
	(void)node;
	++*(uint64_t *)self;
	return 0;
}

static void put_name(FILE *out, const char *name)
{
	struct buffer text = {NULL, 0, 0};
	text_dot(&text, name);
	fwrite(text.bytes, 1, text.n, out);
	buffer_free(&text);
}

int graph_dot(const struct graphs *graphs, const char *dir, uint64_t max_nodes)
{
	uint64_t n_nodes = 0;
	for (size_t i = 0; i < graphs->n; i++)
		graph_each_node(&graphs->graphs[i], count_one, &n_nodes);
	bool is_aggregate = n_nodes > max_nodes;
	FILE *out = file_open(dir, "graph.dot");
	if (out == NULL)
		return -1;
	fputs("digraph otter {\n  graph [rankdir=TB,fontname=\"Helvetica\",labelloc=t,label=\"", out);
	put_name(out, graphs->n > 0 ? graphs->traces[0].dump.name : "");
	if (is_aggregate)
		fprintf(out, "\\n%" PRIu64 " nodes, more than %" PRIu64 ": drawn by source construct, counts on nodes and edges",
			n_nodes, max_nodes);
	fputs("\"];\n  node [style=filled,fontname=\"Helvetica\",fontsize=10];\n  edge [fontname=\"Helvetica\",fontsize=8];\n",
	      out);
	for (size_t i = 0; i < graphs->n; i++) {
		struct dot dot = {.out = out,
				  .graph = &graphs->graphs[i],
				  .trace = &graphs->traces[i],
				  .offset = graphs->graphs[i].before.n_nodes};
		if (graphs->n > 1) {
			fprintf(out, " subgraph cluster_%zu {\n  label=\"", i);
			put_name(out, graphs->traces[i].dump.name);
			fputs("\";\n", out);
		}
		if (is_aggregate)
			dot_draw_groups(&dot);
		else
			draw_whole(&dot);
		if (graphs->n > 1)
			fputs(" }\n", out);
	}
	fputs("}\n", out);
	return file_close(out, dir, "graph.dot");
}
