/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Draws a graph node by node; lines are formatted on several threads. The critical path, which is one of fragments, is
 * marked on the nodes and edges that it goes through.
 */
#include "builder/graph/path.h"
#include "builder/draw/dot.h"
#include "builder/support/blocks.h"
#include "builder/support/text.h"

#include <stdlib.h>

#define WHAT "graph.dot"

struct whole {
	const struct fold_source *source;
	uint64_t offset;
	struct buffer labels; /* of all constructs, quoted */
	size_t *first_label;  /* by construct, and where the last one ends */
	bool *is_on_path;     /* by node; NULL: as the graph itself has it */
	struct map path_edges;
	unsigned char *ranks; /* by node: how far below its creator it is, at least */
};

/* Lines of it, on one thread. */
struct lines {
	const struct whole *whole;
	struct buffer *text;
};

/* ---- The critical path ---- */

/* What two graphs of the same process have in common of a node that is no task's. */
static uint64_t likeness(const struct node_view *node)
{
	const uint64_t parts[] = {node->kind, node->task, node->region, node->construct, node->begin_ticks, node->end_ticks};
	uint64_t hash = 0;
	for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
		hash = hash_mix(hash, parts[i]);
	return hash;
}

static int add_likeness(void *self, const struct node_view *node)
{
	*map_put(self, likeness(node)) = node->id;
	return 0;
}

/* The node of the drawn graph at which the path is; a task that continues after a synchronisation is still there. */
static uint32_t place_of(const struct whole *whole, const struct map *alike, const struct node_view *node, uint32_t before)
{
	const struct graph *graph = whole->source->graph;
	if (node->kind == NODE_FRAGMENT && before != 0) {
		struct node_view at = graph_node(graph, before);
		if (at.kind == NODE_BARRIER || (at.task == node->task && node->task != 0))
			return before;
	}
	if (node->kind == NODE_FRAGMENT)
		return graph_task_is_node(graph, node->task) ? node->task : 0;
	if (node->id < graph->model->n_tasks)
		return graph_task_is_node(graph, node->id) ? node->id : 0;
	const uint32_t *found = map_get(alike, likeness(node));
	return found != NULL ? *found : 0;
}

static void find_path(struct whole *whole)
{
	const struct graph *graph = whole->source->graph, *fine = whole->source->path_graph;
	if (fine == NULL || fine == graph || fine->path == NULL || fine->path->places == NULL)
		return;
	struct map alike = {0};
	whole->is_on_path = memory_zeroed(graph_n_ids(graph) + (size_t)1, sizeof *whole->is_on_path, WHAT);
	graph_each_node_in(graph, graph->model->n_tasks, graph_n_ids(graph), add_likeness, &alike);
	for (uint32_t i = 0, before = 0; i < fine->path->n_nodes; i++) {
		struct node_view node = graph_node(fine, fine->path->nodes[i]);
		uint32_t here = place_of(whole, &alike, &node, before);
		if (here == 0)
			continue;
		whole->is_on_path[here] = true;
		if (before != 0 && here != before)
			map_put(&whole->path_edges, (uint64_t)before << 32 | here);
		before = here;
	}
	map_free(&alike);
}

static bool has_node_on_path(const struct whole *whole, uint32_t id)
{
	return whole->is_on_path != NULL ? whole->is_on_path[id] : path_place(whole->source->graph, id) != 0;
}

static bool has_edge_on_path(const struct whole *whole, const struct edge_view *edge)
{
	if (whole->is_on_path == NULL)
		return path_has_edge(whole->source->graph, edge->source, edge->target);
	return map_get(&whole->path_edges, (uint64_t)edge->source << 32 | edge->target) != NULL;
}

/* ---- Many that are created at one place ---- */

#define WRAP        8    /* nodes side by side */
#define WRAPPED_MAX 2000 /* graphs with more nodes are not wrapped: people do not look at such a picture */

/* A node that depends on others is below these anyway. */
static void wrap(struct whole *whole, uint64_t n_nodes)
{
	const struct graph *graph = whole->source->graph;
	struct edge_view edge;
	if (n_nodes > WRAPPED_MAX)
		return;
	uint32_t *n_created = memory_zeroed(graph_n_ids(graph) + (size_t)1, sizeof *n_created, WHAT);
	bool *has_order = memory_zeroed(graph_n_ids(graph) + (size_t)1, sizeof *has_order, WHAT);
	whole->ranks = memory_zeroed(graph_n_ids(graph) + (size_t)1, sizeof *whole->ranks, WHAT);
	for (size_t place = 0, n = graph_n_edge_places(graph); place < n; place++)
		if (graph_edge_at(graph, place, &edge))
			has_order[edge.target] |= edge.kind == EDGE_DEPEND;
	for (size_t place = 0, n = graph_n_edge_places(graph); place < n; place++)
		if (graph_edge_at(graph, place, &edge) && edge.kind == EDGE_CREATE && !has_order[edge.target])
			whole->ranks[edge.target] = (unsigned char)(1 + n_created[edge.source]++ / WRAP % 200);
	free(n_created);
	free(has_order);
}

/* ---- Lines ---- */

static void put_edge_begin(struct buffer *text, uint64_t source, uint64_t target, unsigned kind)
{
	buffer_put_text(text, "  n");
	buffer_put_decimal(text, source);
	buffer_put_text(text, " -> n");
	buffer_put_decimal(text, target);
	buffer_put_text(text, " [");
	buffer_put_text(text, dot_edge_style(kind));
}

/* Where a kernel ran, and for how long by the device's own clock, where that is known. */
static void put_device(struct buffer *text, const struct dump *dump, const struct activity *activity)
{
	buffer_put_text(text, activity->device < 0 ? "\\ndevice -" : "\\ndevice ");
	buffer_put_decimal(text, (uint64_t)llabs(activity->device));
	if (activity->begin_ticks == 0)
		return;
	buffer_put_text(text, ", ");
	dot_put_time(text, dump_duration_ns(dump, activity->end_ticks - activity->begin_ticks));
}

/* How long the node executed, and, for a task, how long it waited. */
static void put_times(const struct whole *whole, struct buffer *text, const struct node_view *node)
{
	const struct dump *dump = &whole->source->trace->dump;
	bool is_task = node->id < whole->source->graph->model->n_tasks;
	uint64_t waits = is_task && whole->source->wait_ticks != NULL ? whole->source->wait_ticks[node->id] : 0;
	buffer_put_text(text, "\\n#");
	buffer_put_decimal(text, whole->offset + node->id);
	buffer_put_text(text, "  ");
	dot_put_time(text, dump_duration_ns(dump, node->busy_ticks));
	if (waits != 0) {
		buffer_put_text(text, "\\nwaits ");
		dot_put_time(text, dump_duration_ns(dump, waits));
	}
}

static int put_node(void *self, const struct node_view *node)
{
	const struct lines *lines = self;
	const struct whole *whole = lines->whole;
	const struct dump *dump = &whole->source->trace->dump;
	struct buffer *text = lines->text;
	size_t label = whole->first_label[node->construct];
	buffer_put_text(text, "  n");
	buffer_put_decimal(text, whole->offset + node->id);
	buffer_put_text(text, " [label=\"");
	dot_put_label(text, node->kind, whole->labels.bytes + label, whole->first_label[node->construct + 1] - label);
	if (node->kind == NODE_UNIT_WAIT) {
		buffer_put_text(text, "\\n");
		buffer_put_text(text, unit_sync_name(node->sync));
	}
	if (node->kind <= NODE_TARGET || node->kind == NODE_TASKLOOP_SPLIT || node->kind == NODE_FRAGMENT ||
	    dot_is_work_unit(node->kind))
		put_times(whole, text, node);
	if (node->kind == NODE_DATA_OP) {
		buffer_put_text(text, "\\n");
		buffer_put_decimal(text, node->operation->n_bytes);
		buffer_put_text(text, " bytes, ");
		buffer_put_decimal(text, dump_duration_ns(dump, node->end_ticks - node->begin_ticks) / 1000);
		buffer_put_text(text, " us");
	}
	if (node->kind == NODE_KERNEL)
		put_device(text, dump, node->activity);
	buffer_put_text(text, "\"");
	dot_put_style(text, node->kind, false, has_node_on_path(whole, node->id));
	buffer_put_text(text, "];\n");
	return 0;
}

static void put_edge(const struct whole *whole, struct buffer *text, const struct edge_view *edge)
{
	put_edge_begin(text, whole->offset + edge->source, whole->offset + edge->target, edge->kind);
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
	if (edge->kind == EDGE_CREATE && whole->ranks != NULL && whole->ranks[edge->target] > 1) {
		buffer_put_text(text, ",minlen=");
		buffer_put_decimal(text, whole->ranks[edge->target]);
	}
	buffer_put_text(text, has_edge_on_path(whole, edge) ? ",penwidth=4,arrowsize=1.2];\n" : "];\n");
}

#define BLOCK_ITEMS ((size_t)4096)

static size_t n_blocks(size_t n_items)
{
	return (n_items + BLOCK_ITEMS - 1) / BLOCK_ITEMS;
}

static void put_nodes(void *self, size_t block, struct buffer *text)
{
	const struct whole *whole = self;
	struct lines lines = {whole, text};
	size_t first = block * BLOCK_ITEMS, end = first + BLOCK_ITEMS, n = graph_n_ids(whole->source->graph);
	graph_each_node_in(whole->source->graph, (uint32_t)first, (uint32_t)(end < n ? end : n), put_node, &lines);
}

static void put_edges(void *self, size_t block, struct buffer *text)
{
	const struct whole *whole = self;
	struct edge_view edge;
	size_t first = block * BLOCK_ITEMS, n = graph_n_edge_places(whole->source->graph);
	for (size_t place = first; place < n && place < first + BLOCK_ITEMS; place++)
		if (graph_edge_at(whole->source->graph, place, &edge))
			put_edge(whole, text, &edge);
}

/* A line through all members, and not one for each of the many pairs. */
static int put_exclusive(void *self, const uint32_t *nodes, uint32_t n)
{
	const struct lines *lines = self;
	for (uint32_t i = 1; i < n; i++) {
		put_edge_begin(lines->text, lines->whole->offset + nodes[i - 1], lines->whole->offset + nodes[i], PAIR_EXCLUSIVE);
		buffer_put_text(lines->text, "];\n");
	}
	return 0;
}

void dot_draw_whole(FILE *out, const struct fold_source *source, uint64_t offset, uint64_t n_nodes)
{
	const struct model *m = source->graph->model;
	struct whole whole = {.source = source, .offset = offset};
	struct buffer text = {NULL, 0, 0};
	whole.first_label = memory_get(m->n_constructs + (size_t)1, sizeof *whole.first_label, WHAT);
	for (uint32_t i = 0; i < m->n_constructs; i++) {
		whole.first_label[i] = whole.labels.n;
		text_dot(&whole.labels, m->constructs[i].label);
	}
	whole.first_label[m->n_constructs] = whole.labels.n;
	buffer_room(&whole.labels, 1); /* there are bytes, also of no label */
	find_path(&whole);
	wrap(&whole, n_nodes);
	blocks_write(out, n_blocks(graph_n_ids(source->graph)), put_nodes, &whole);
	blocks_write(out, n_blocks(graph_n_edge_places(source->graph)), put_edges, &whole);
	struct lines lines = {&whole, &text};
	graph_each_exclusive(source->graph, put_exclusive, &lines);
	if (text.n > 0)
		fwrite(text.bytes, 1, text.n, out);
	buffer_free(&text);
	buffer_free(&whole.labels);
	map_free(&whole.path_edges);
	free(whole.is_on_path);
	free(whole.ranks);
	free(whole.first_label);
}
