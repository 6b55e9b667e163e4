/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Draws a graph by source construct: one node for each kind and construct, with how many nodes it stands for. Called by
 * dot.c; one thread.
 */
#include "builder/graph/dot.h"
#include "builder/graph/path.h"
#include "builder/support/array.h"
#include "builder/support/text.h"

#include <inttypes.h>
#include <stdlib.h>

static uint32_t group_of(const struct node_view *node)
{
	return node->construct * NODE_KINDS + (uint32_t)node->kind;
}

static int count_node(void *self, const struct node_view *node)
{
	struct dot *dot = self;
	dot->n_nodes[group_of(node)]++;
	dot->n_on_path[group_of(node)] += path_place(dot->graph, node->id) != 0;
	dot->busy_ns[group_of(node)] += dump_duration_ns(&dot->trace->dump, node->busy_ticks);
	return 0;
}

static void count_pair(struct dot *dot, uint32_t source_id, uint32_t target_id, unsigned kind)
{
	struct node_view source = graph_node(dot->graph, source_id), target = graph_node(dot->graph, target_id);
	uint32_t from = group_of(&source), to = group_of(&target);
	uint32_t *row = map_put(&dot->pairs, ((uint64_t)from << 32 | to) * (EDGE_KINDS + 1) + kind + 1);
	if (*row == 0) {
		array_reserve((void **)&dot->edges, dot->n_edges + (size_t)1, &dot->edges_capacity, sizeof *dot->edges);
		dot->edges[dot->n_edges++] = (struct pair){from, to, kind, false, 0};
		*row = dot->n_edges;
	}
	struct pair *pair = &dot->edges[*row - 1];
	pair->n++;
	pair->is_on_path |= kind != PAIR_EXCLUSIVE && path_has_edge(dot->graph, source_id, target_id);
}

static int count_edge(void *self, const struct edge_view *edge)
{
	count_pair(self, edge->source, edge->target, edge->kind);
	return 0;
}

static int count_exclusive(void *self, const uint32_t *nodes, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		count_pair(self, nodes[i - 1], nodes[i], PAIR_EXCLUSIVE);
	return 0;
}

static void put_group_name(const struct dot *dot, struct buffer *text, uint32_t group)
{
	buffer_put_text(text, "p");
	buffer_put_decimal(text, dot->trace->process);
	buffer_put_text(text, "g");
	buffer_put_decimal(text, group);
}

static void put_group(const struct dot *dot, struct buffer *text, uint32_t group)
{
	enum node_kind kind = group % NODE_KINDS;
	struct buffer label = {NULL, 0, 0};
	char counts[64];
	text_dot(&label, dot->graph->model->constructs[group / NODE_KINDS].label);
	buffer_put_text(text, "  ");
	put_group_name(dot, text, group);
	buffer_put_text(text, " [label=\"");
	dot_put_label(text, kind, label.n != 0 ? label.bytes : "", label.n);
	snprintf(counts, sizeof counts, "\\n%" PRIu64 " x  %.3f ms", dot->n_nodes[group], (double)dot->busy_ns[group] / 1e6);
	buffer_put_text(text, counts);
	if (dot->n_on_path[group] != 0) {
		buffer_put_text(text, "\\n");
		buffer_put_decimal(text, dot->n_on_path[group]);
		buffer_put_text(text, " on the critical path");
	}
	dot_put_node_end(text, kind, dot->n_on_path[group] != 0);
	buffer_free(&label);
}

static void put_pair(const struct dot *dot, struct buffer *text, const struct pair *pair)
{
	buffer_put_text(text, "  ");
	put_group_name(dot, text, pair->from);
	buffer_put_text(text, " -> ");
	put_group_name(dot, text, pair->to);
	buffer_put_text(text, " [");
	buffer_put_text(text, dot_edge_style(pair->kind));
	buffer_put_text(text, ",label=\"");
	buffer_put_decimal(text, pair->n);
	buffer_put_text(text, pair->is_on_path ? "\",penwidth=4,arrowsize=1.2];\n" : "\"];\n");
}

void dot_draw_groups(struct dot *dot)
{
	size_t n_groups = (size_t)dot->graph->model->n_constructs * NODE_KINDS;
	dot->n_nodes = memory_zeroed(n_groups, sizeof *dot->n_nodes, "graph.dot");
	dot->n_on_path = memory_zeroed(n_groups, sizeof *dot->n_on_path, "graph.dot");
	dot->busy_ns = memory_zeroed(n_groups, sizeof *dot->busy_ns, "graph.dot");
	graph_each_node(dot->graph, count_node, dot);
	graph_each_edge(dot->graph, count_edge, dot);
	graph_each_exclusive(dot->graph, count_exclusive, dot);
	struct buffer text = {NULL, 0, 0};
	for (uint32_t i = 0; i < n_groups; i++)
		if (dot->n_nodes[i] != 0)
			put_group(dot, &text, i);
	for (uint32_t i = 0; i < dot->n_edges; i++)
		put_pair(dot, &text, &dot->edges[i]);
	fwrite(text.bytes, 1, text.n, dot->out);
	buffer_free(&text);
	free(dot->n_nodes);
	free(dot->n_on_path);
	free(dot->busy_ns);
	free(dot->edges);
	map_free(&dot->pairs);
}
