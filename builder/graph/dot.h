/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of graph.dot share, and nobody else uses:
 *   dot.c         graphs that are drawn whole, and what frames every graph
 *   dot_groups.c  graphs that are drawn by source construct
 *   dot_style.c   what nodes and edges look like
 */
#ifndef OTTER_BUILDER_GRAPH_DOT_H
#define OTTER_BUILDER_GRAPH_DOT_H

#include "builder/graph/files.h"
#include "builder/support/buffer.h"

/* Drawn like an edge: two tasks that exclude each other. */
#define PAIR_EXCLUSIVE EDGE_KINDS

/* A process. */
struct dot {
	FILE *out;
	const struct graph *graph;
	const struct trace *trace;
	uint64_t offset;
	/* By construct, where the graph is drawn whole: its label, quoted; and where the last one ends. */
	struct buffer labels;
	size_t *first_label;
	/* By construct and kind, where the graph is drawn in aggregate. */
	uint64_t *n_nodes;
	uint64_t *n_on_path;
	uint64_t *busy_ns;
	struct map pairs; /* (from group, to group, kind) -> row + 1 of n_edges */
	struct pair {
		uint32_t from, to;
		unsigned kind; /* edge_kind, or PAIR_EXCLUSIVE */
		bool is_on_path;
		uint64_t n;
	} * edges;
	uint32_t n_edges;
	size_t edges_capacity;
};

/* The inside of a node's label; `label` is its construct's, quoted. What comes after the label. */
void dot_put_label(struct buffer *text, enum node_kind kind, const char *label, size_t n);
void dot_put_node_end(struct buffer *text, enum node_kind kind, bool is_on_path);

/* One of Argobots' units, whose label has its kind. */
bool dot_is_work_unit(enum node_kind kind);

const char *dot_edge_style(unsigned kind);

void dot_draw_groups(struct dot *dot);

#endif
