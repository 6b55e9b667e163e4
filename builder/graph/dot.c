/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes graph.dot for graphviz. A graph that is too large to be read is drawn by source construct instead: one node for
 * each kind and construct, with how many nodes it stands for. The colours are a palette for colour-blind readers (Okabe
 * and Ito); kinds differ in shape, too. Called by run.c after the last process is replayed; one thread.
 */
#include "builder/graph/files.h"
#include "builder/graph/path.h"
#include "builder/graph/shared.h"
#include "builder/support/array.h"
#include "builder/support/file.h"
#include "builder/support/text.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct {
	const char *shape, *colour;
} node_styles[NODE_KINDS] = {
	[NODE_INITIAL] = {"doubleoctagon", "#f0e442"},
	[NODE_IMPLICIT] = {"box", "#f0e442"},
	[NODE_TASK] = {"ellipse", "#56b4e9"},
	[NODE_TARGET] = {"ellipse", "#cc79a7"},
	[NODE_TASKLOOP_SPLIT] = {"ellipse", "#dddddd"},
	[NODE_TASKWAIT] = {"diamond", "#e69f00"},
	[NODE_TASKGROUP] = {"hexagon", "#e69f00"},
	[NODE_BARRIER] = {"box", "#d55e00"},
	[NODE_REGION] = {"triangle", "#009e73"},
	[NODE_JOIN] = {"invtriangle", "#009e73"},
	[NODE_FRAGMENT] = {"ellipse", "#b0d8f0"},
	[NODE_TARGET_REGION] = {"component", "#cc79a7"},
	[NODE_DATA_OP] = {"cds", "#ffffff"},
	[NODE_SUBMIT] = {"rarrow", "#cc79a7"},
	[NODE_KERNEL] = {"box3d", "#cc79a7"},
	[NODE_TASK_END] = {"circle", "#56b4e9"},
	[NODE_UNIT] = {"ellipse", "#56b4e9"},
	[NODE_TASKLET] = {"ellipse", "#ffffff"},
	[NODE_SCHEDULER] = {"octagon", "#dddddd"},
	[NODE_PRIMARY_UNIT] = {"doubleoctagon", "#f0e442"},
	[NODE_EXTERNAL] = {"doubleoctagon", "#ffffff"},
	[NODE_UNIT_JOIN] = {"invtriangle", "#009e73"},
	[NODE_UNIT_WAIT] = {"diamond", "#e69f00"},
	[NODE_SCOPE_BEGIN] = {"house", "#dddddd"},
	[NODE_SCOPE_END] = {"invhouse", "#dddddd"},
};

/* Drawn like an edge: two tasks that exclude each other. */
#define PAIR_EXCLUSIVE EDGE_KINDS

static const char *const edge_styles[EDGE_KINDS + 1] = {
	[EDGE_CREATE] = "color=\"#000000\"",
	[EDGE_SEQUENCE] = "color=\"#999999\",style=dashed",
	[EDGE_DEPEND] = "color=\"#d55e00\",penwidth=1.5",
	[EDGE_TASKWAIT] = "color=\"#0072b2\"",
	[EDGE_TASKGROUP] = "color=\"#0072b2\",style=dotted",
	[EDGE_BARRIER] = "color=\"#cc79a7\"",
	[EDGE_JOIN] = "color=\"#009e73\"",
	[EDGE_UNDEFERRED] = "color=\"#000000\",style=dotted",
	[EDGE_FULFILL] = "color=\"#d55e00\",style=dotted",
	[EDGE_SUBMIT] = "color=\"#cc79a7\",penwidth=1.5",
	[EDGE_COMPLETE] = "color=\"#cc79a7\",style=dashed",
	[EDGE_REVIVE] = "color=\"#000000\",style=dashed",
	[EDGE_RESUME] = "color=\"#d55e00\",penwidth=1.5",
	[PAIR_EXCLUSIVE] = "color=\"#e69f00\",style=dashed,dir=none,constraint=false",
};

/* Colours show kinds; what is on the critical path is thick. */
static const char path_node_style[] = ",penwidth=4", path_edge_style[] = ",penwidth=4,arrowsize=1.2";

struct dot {
	FILE *out;
	const struct graph *graph;
	const struct trace *trace;
	uint64_t offset;
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

/* One of Argobots' units, whose label has its kind. */
static bool is_work_unit(enum node_kind kind)
{
	return kind >= NODE_UNIT && kind <= NODE_EXTERNAL;
}

static void put_label(const struct dot *dot, const struct node_view *node)
{
	const char *label = dot->graph->model->constructs[node->construct].label;
	const char *kind = node_kind_name(node->kind);
	bool is_own_kind = graph_is_operation(node->kind) || node->kind == NODE_KERNEL || node->kind == NODE_TASK ||
			   node->kind == NODE_TASKLOOP_SPLIT || node->kind == NODE_TASKWAIT || node->kind == NODE_TASKGROUP ||
			   node->kind == NODE_BARRIER || node->kind == NODE_INITIAL || node->kind == NODE_TARGET ||
			   is_work_unit(node->kind);
	if (!is_own_kind || label[0] == '\0')
		fprintf(dot->out, "%s%s", kind, label[0] != '\0' ? "\\n" : "");
	text_dot(dot->out, label);
}

static void put_style(FILE *out, enum node_kind kind)
{
	fprintf(out, "shape=%s,fillcolor=\"%s\"", node_styles[kind].shape, node_styles[kind].colour);
}

/* Where a kernel ran, and how long by the device's own clock, where that can be told. */
static void put_device(const struct dot *dot, const struct activity *activity)
{
	fprintf(dot->out, "\\ndevice %" PRId32, activity->device);
	if (activity->begin_ticks != 0)
		fprintf(dot->out, ", %.1f us",
			(double)dump_duration_ns(&dot->trace->dump, activity->end_ticks - activity->begin_ticks) / 1e3);
}

static int whole_node(void *self, const struct node_view *node)
{
	struct dot *dot = self;
	fprintf(dot->out, "  n%" PRIu64 " [label=\"", dot->offset + node->id);
	put_label(dot, node);
	if (node->kind == NODE_UNIT_WAIT)
		fprintf(dot->out, "\\n%s", unit_sync_name(node->sync));
	if (node->kind <= NODE_TARGET || node->kind == NODE_TASKLOOP_SPLIT || node->kind == NODE_FRAGMENT ||
	    is_work_unit(node->kind))
		fprintf(dot->out, "\\n#%" PRIu64 "  %.1f us", dot->offset + node->id,
			(double)dump_duration_ns(&dot->trace->dump, node->busy_ticks) / 1e3);
	if (node->kind == NODE_DATA_OP)
		fprintf(dot->out, "\\n%" PRIu64 " bytes, %" PRIu64 " us", node->operation->n_bytes,
			dump_duration_ns(&dot->trace->dump, node->end_ticks - node->begin_ticks) / 1000);
	if (node->kind == NODE_KERNEL)
		put_device(dot, node->activity);
	fputs("\",", dot->out);
	put_style(dot->out, node->kind);
	fprintf(dot->out, "%s];\n", path_place(dot->graph, node->id) != 0 ? path_node_style : "");
	return 0;
}

static int whole_edge(void *self, const struct edge_view *edge)
{
	struct dot *dot = self;
	fprintf(dot->out, "  n%" PRIu64 " -> n%" PRIu64 " [%s", dot->offset + edge->source, dot->offset + edge->target,
		edge_styles[edge->kind]);
	if (edge->dependence != 0)
		fprintf(dot->out, ",label=\"%s\"", edge_dependence_name(edge->dependence));
	if (edge->kind == EDGE_RESUME)
		fprintf(dot->out, ",label=\"%s 0x%" PRIx64 "\"", unit_sync_name(edge->sync), edge->object);
	fprintf(dot->out, "%s];\n", path_has_edge(dot->graph, edge->source, edge->target) ? path_edge_style : "");
	return 0;
}

/* A line through all members, and not one for each of the many pairs. */
static int whole_exclusive(void *self, const uint32_t *nodes, uint32_t n)
{
	struct dot *dot = self;
	for (uint32_t i = 1; i < n; i++)
		fprintf(dot->out, "  n%" PRIu64 " -> n%" PRIu64 " [%s];\n", dot->offset + nodes[i - 1], dot->offset + nodes[i],
			edge_styles[PAIR_EXCLUSIVE]);
	return 0;
}

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

static void draw_aggregate(struct dot *dot)
{
	size_t n_groups = (size_t)dot->graph->model->n_constructs * NODE_KINDS;
	dot->n_nodes = memory_zeroed(n_groups, sizeof *dot->n_nodes, "graph.dot");
	dot->n_on_path = memory_zeroed(n_groups, sizeof *dot->n_on_path, "graph.dot");
	dot->busy_ns = memory_zeroed(n_groups, sizeof *dot->busy_ns, "graph.dot");
	graph_each_node(dot->graph, count_node, dot);
	graph_each_edge(dot->graph, count_edge, dot);
	graph_each_exclusive(dot->graph, count_exclusive, dot);
	for (uint32_t i = 0; i < n_groups; i++) {
		if (dot->n_nodes[i] == 0)
			continue;
		struct node_view node = {.kind = i % NODE_KINDS, .construct = i / NODE_KINDS};
		fprintf(dot->out, "  p%ug%u [label=\"", dot->trace->process, i);
		put_label(dot, &node);
		fprintf(dot->out, "\\n%" PRIu64 " x  %.3f ms", dot->n_nodes[i], (double)dot->busy_ns[i] / 1e6);
		if (dot->n_on_path[i] != 0)
			fprintf(dot->out, "\\n%" PRIu64 " on the critical path", dot->n_on_path[i]);
		fputs("\",", dot->out);
		put_style(dot->out, node.kind);
		fprintf(dot->out, "%s];\n", dot->n_on_path[i] != 0 ? path_node_style : "");
	}
	for (uint32_t i = 0; i < dot->n_edges; i++)
		fprintf(dot->out, "  p%ug%u -> p%ug%u [%s,label=\"%" PRIu64 "\"%s];\n", dot->trace->process, dot->edges[i].from,
			dot->trace->process, dot->edges[i].to, edge_styles[dot->edges[i].kind], dot->edges[i].n,
			dot->edges[i].is_on_path ? path_edge_style : "");
	free(dot->n_nodes);
	free(dot->n_on_path);
	free(dot->busy_ns);
	free(dot->edges);
	map_free(&dot->pairs);
}

static int count_one(void *self, const struct node_view *node)
{
	(void)node;
	++*(uint64_t *)self;
	return 0;
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
	text_dot(out, graphs->n > 0 ? graphs->traces[0].dump.name : "");
	if (is_aggregate)
		fprintf(out, "\\n%" PRIu64 " nodes, more than %" PRIu64 ": drawn by source construct, counts on nodes and edges",
			n_nodes, max_nodes);
	fputs("\"];\n  node [style=filled,fontname=\"Helvetica\",fontsize=10];\n  edge [fontname=\"Helvetica\",fontsize=8];\n",
	      out);
	for (size_t i = 0; i < graphs->n; i++) {
		struct dot dot = {
			.out = out, .graph = &graphs->graphs[i], .trace = &graphs->traces[i], .offset = graphs_offset(graphs, i)};
		if (graphs->n > 1) {
			fprintf(out, " subgraph cluster_%zu {\n  label=\"", i);
			text_dot(out, graphs->traces[i].dump.name);
			fputs("\";\n", out);
		}
		if (is_aggregate)
			draw_aggregate(&dot);
		else {
			graph_each_node(dot.graph, whole_node, &dot);
			graph_each_edge(dot.graph, whole_edge, &dot);
			graph_each_exclusive(dot.graph, whole_exclusive, &dot);
		}
		if (graphs->n > 1)
			fputs(" }\n", out);
	}
	fputs("}\n", out);
	return file_close(out, dir, "graph.dot");
}
