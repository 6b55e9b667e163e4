/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes graph.dot for graphviz. A graph that is too large to be read is drawn by source construct instead
 * (dot_groups.c). A sink that draws each process when it is built; what a whole graph has a line for is formatted on
 * several threads.
 */
#include "builder/graph/dot.h"
#include "builder/graph/path.h"
#include "builder/graph/shared.h"
#include "builder/support/blocks.h"
#include "builder/support/file.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* graph.dot in the making. */
struct drawing {
	FILE *out;
	const char *dir;
	const struct graphs *graphs;
	uint64_t n_nodes, max_nodes; /* of the processes so far; beyond which the run is drawn by source construct */
	FILE *groups;                /* all processes drawn by source construct, in memory, as the next one may be one too many */
	char *group_text;
	size_t n_group_bytes;
};

static bool is_aggregate(const struct drawing *d)
{
	return d->n_nodes > d->max_nodes;
}

static void put_head(const struct drawing *d)
{
	fputs("digraph otter {\n  graph [rankdir=TB,fontname=\"Helvetica\",labelloc=t,label=\"", d->out);
	put_name(d->out, d->graphs->traces[0].dump.name);
	if (is_aggregate(d))
		fprintf(d->out, "\\n%" PRIu64 " nodes, more than %" PRIu64 ": drawn by source construct, counts on nodes and edges",
			d->n_nodes, d->max_nodes);
	fputs("\"];\n  node [style=filled,fontname=\"Helvetica\",fontsize=10];\n  edge [fontname=\"Helvetica\",fontsize=8];\n",
	      d->out);
}

static void put_process(const struct drawing *d, FILE *out, size_t i, void (*draw)(struct dot *dot))
{
	struct dot dot = {.out = out,
			  .graph = &d->graphs->graphs[i],
			  .trace = &d->graphs->traces[i],
			  .offset = d->graphs->graphs[i].before.n_nodes};
	if (d->graphs->n > 1) {
		fprintf(out, " subgraph cluster_%zu {\n  label=\"", i);
		put_name(out, d->graphs->traces[i].dump.name);
		fputs("\";\n", out);
	}
	draw(&dot);
	if (d->graphs->n > 1)
		fputs(" }\n", out);
}

/* What was drawn whole is dropped when there are too many nodes. */
static int add_process(void *self, const struct trace *trace)
{
	struct drawing *d = self;
	size_t i = (size_t)(trace - d->graphs->traces);
	bool was_aggregate = is_aggregate(d);
	graph_each_node(&d->graphs->graphs[i], count_one, &d->n_nodes);
	if (!was_aggregate && is_aggregate(d)) {
		rewind(d->out);
		if (ftruncate(fileno(d->out), 0) != 0)
			return error("%s/graph.dot: %s", d->dir, strerror(errno));
	}
	if (!is_aggregate(d))
		put_process(d, d->out, i, draw_whole);
	if (is_aggregate(d) || i + 1 < d->graphs->n)
		put_process(d, d->groups, i, dot_draw_groups);
	return 0;
}

static int close_drawing(void *self)
{
	struct drawing *d = self;
	memory_close_stream(d->groups, "graph.dot");
	if (is_aggregate(d)) {
		put_head(d);
		fwrite(d->group_text, 1, d->n_group_bytes, d->out);
	}
	fputs("}\n", d->out);
	int rc = file_close(d->out, d->dir, "graph.dot");
	free(d->group_text);
	free(d);
	return rc;
}

int sink_dot_open(struct sink *sink, const struct graphs *graphs, const char *dir, uint64_t max_nodes)
{
	FILE *out = file_open(dir, "graph.dot");
	if (out == NULL)
		return -1;
	struct drawing *d = memory_zeroed(1, sizeof *d, "graph.dot");
	*d = (struct drawing){.out = out, .dir = dir, .graphs = graphs, .max_nodes = max_nodes};
	d->groups = memory_open_stream(&d->group_text, &d->n_group_bytes, "graph.dot");
	put_head(d);
	*sink = (struct sink){.name = "dot", .end = add_process, .close = close_drawing, .self = d};
	return 0;
}
