/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The graph of a process by construct and path of creation: see callpaths.h. Two passes, one over the nodes and one over the
 * edges. Runs on one thread.
 */
#include "builder/graph/path.h"
#include "builder/callpaths/callpaths.h"
#include "builder/support/array.h"
#include "builder/support/sort.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT "the graph by construct"

/* A group that is not complete yet: its key (node, construct, kind), and its figures. */
struct bundle {
	uint32_t node; /* of the tree; CALLPATH_NONE: paths are not distinguished */
	uint32_t construct;
	enum node_kind kind;
	uint32_t row; /* of callpaths.groups, when it has one */
	uint64_t count, n_on_path, own_ticks, path_ticks, device_ns, path_device_ns;
};

struct bundling {
	struct callpaths *callpaths;
	const struct trace *trace;
	const struct callpath_tree *tree;
	const struct graph *graph;
	bool has_paths;
	struct bundle *bundles; /* row 0: all that are not distinguished */
	uint32_t n_bundles;
	size_t capacity;
	struct map rows;       /* node << 32 | construct * NODE_KINDS + kind -> row */
	uint32_t *bundle_of;   /* by node of the graph */
	uint32_t *region_node; /* by region: node of the tree of its members */
	struct latest {
		uint64_t key;
		uint32_t row;
	} latest;
	struct map links; /* source << 32 | target << 4 | kind -> row of callpaths.links + 1 */
};
_Static_assert(EDGE_KINDS <= 16 && CALLPATH_GROUPS_MAX < 1 << 16, "a link's key holds groups and kind");

static uint32_t row_of(struct bundling *b, uint32_t node, uint32_t construct, enum node_kind kind)
{
	uint64_t key = (uint64_t)(b->has_paths ? node : CALLPATH_NONE) << 32 | (construct * NODE_KINDS + (uint32_t)kind);
	if (b->latest.key == key && b->latest.row != 0)
		return b->latest.row;
	uint32_t *row = map_put(&b->rows, key);
	if (*row == 0) {
		*row = b->n_bundles;
		array_push(b->bundles, b->n_bundles, b->capacity,
			   (struct bundle){.node = b->has_paths ? node : CALLPATH_NONE, .construct = construct, .kind = kind});
	}
	b->latest = (struct latest){key, *row};
	return *row;
}

/* The group that a node belongs to: by its path, its construct and its kind. */
static uint32_t find_bundle(struct bundling *b, const struct node_view *view)
{
	const struct model *m = b->graph->model;
	const uint32_t *same = b->tree->same;
	if (view->unit != NULL) {
		uint32_t node = b->tree->node_of_unit[view->unit - m->units];
		bool is_wait = view->kind == NODE_UNIT_JOIN || view->kind == NODE_UNIT_WAIT;
		return row_of(b, node, same[view->unit->construct], is_wait ? view->kind : NODE_UNIT);
	}
	if (callpath_is_task_kind(view->kind)) {
		const struct task *task = &m->tasks[view->task];
		enum node_kind kind = view->task != 0 ? graph_task_kind(task) : NODE_TASK;
		return row_of(b, b->tree->node_of_task[view->task], same[task->construct], kind);
	}
	bool is_of_team = view->kind == NODE_BARRIER || view->kind == NODE_REGION || view->kind == NODE_JOIN;
	return row_of(b, is_of_team ? b->region_node[view->region] : b->tree->node_of_task[view->task], same[view->construct],
		      view->kind);
}

static int add_node(void *self, const struct node_view *view)
{
	struct bundling *b = self;
	uint32_t row = b->bundle_of[view->id] = find_bundle(b, view);
	struct bundle *bundle = &b->bundles[row];
	bool is_on_path = path_place(b->graph, view->id) != 0,
	     is_begin = view->kind != NODE_FRAGMENT && view->kind != NODE_TASK_END;
	bool is_scheduler = view->unit != NULL && view->unit->kind == UNIT_SCHEDULER;
	bundle->count += is_begin;
	bundle->n_on_path += is_on_path;
	if (view->activity != NULL && view->activity->begin_ticks != 0 && view->activity->end_ticks > view->activity->begin_ticks) {
		uint64_t ns = dump_duration_ns(&b->trace->dump, view->activity->end_ticks - view->activity->begin_ticks);
		bundle->device_ns += ns;
		bundle->path_device_ns += is_on_path ? ns : 0;
	} else if (!is_scheduler && view->kind != NODE_UNIT_JOIN && view->kind != NODE_UNIT_WAIT) {
		bundle->own_ticks += view->busy_ticks;
		bundle->path_ticks += is_on_path ? view->busy_ticks : 0;
	}
	return 0;
}

static void find_regions(struct bundling *b)
{
	const struct model *m = b->graph->model;
	b->region_node = memory_zeroed(m->n_regions, sizeof *b->region_node, WHAT);
	for (size_t i = 0; i < m->n_implicit; i++)
		b->region_node[m->tasks[m->implicit[i]].region] = b->tree->node_of_task[m->implicit[i]];
}

static void bundle_nodes(struct bundling *b, bool has_paths)
{
	map_free(&b->rows);
	b->n_bundles = 0;
	b->has_paths = has_paths;
	b->latest = (struct latest){0};
	array_push(b->bundles, b->n_bundles, b->capacity, (struct bundle){.kind = NODE_NONE});
	graph_each_node(b->graph, add_node, b);
}

static int by_size(const void *left, const void *right)
{
	const struct bundle *const *l = left, *const *r = right;
	uint64_t of_l = (*l)->own_ticks + (*l)->device_ns, of_r = (*r)->own_ticks + (*r)->device_ns;
	return cmp(of_r, of_l) ?: cmp((*r)->n_on_path, (*l)->n_on_path) ?: cmp((*r)->count, (*l)->count) ?: cmp(*l, *r);
}

/* Adds the smallest groups to row 0, where there are too many. */
static void merge_smallest(struct bundling *b)
{
	struct bundle **sorted = memory_get(b->n_bundles, sizeof *sorted, WHAT), *rest = &b->bundles[0];
	for (uint32_t i = 1; i < b->n_bundles; i++)
		sorted[i - 1] = &b->bundles[i];
	sort_array(sorted, b->n_bundles - 1, by_size);
	for (uint32_t i = CALLPATH_GROUPS_MAX - 1; i < b->n_bundles - 1; i++) {
		struct bundle *small = sorted[i];
		rest->count += small->count;
		rest->n_on_path += small->n_on_path;
		rest->own_ticks += small->own_ticks;
		rest->path_ticks += small->path_ticks;
		rest->device_ns += small->device_ns;
		rest->path_device_ns += small->path_device_ns;
		small->kind = NODE_NONE;
	}
	free(sorted);
}

static void put_groups(struct bundling *b)
{
	const struct dump *dump = &b->trace->dump;
	struct callpaths *callpaths = b->callpaths;
	for (uint32_t i = 0; i < b->n_bundles; i++) {
		struct bundle *bundle = &b->bundles[i];
		bool is_told = bundle->kind != NODE_NONE || (i == 0 && bundle->count != 0);
		bundle->row = i != 0 && !is_told ? b->bundles[0].row : (uint32_t)callpaths->n_groups;
		if (!is_told)
			continue;
		array_push(callpaths->groups, callpaths->n_groups, callpaths->groups_capacity,
			   (struct callpath_group){
				   .process = b->trace->process,
				   .kind = bundle->kind,
				   .row = bundle->node != CALLPATH_NONE ? b->tree->row_of_node[bundle->node] : UINT32_MAX,
				   .frame = callpath_put_construct(callpaths, &b->trace->model.constructs[bundle->construct]),
				   .model_row = bundle->construct,
				   .count = bundle->count,
				   .n_on_path = bundle->n_on_path,
				   .own_ns = dump_duration_ns(dump, bundle->own_ticks) + bundle->device_ns,
				   .path_ns = dump_duration_ns(dump, bundle->path_ticks) + bundle->path_device_ns});
	}
}

/* Is it an edge from one group to another, and not from a task to a part of itself? */
static bool is_between(const struct bundling *b, const struct edge_view *edge)
{
	uint32_t source = b->bundle_of[edge->source], target = b->bundle_of[edge->target];
	return source != 0 && target != 0 && (edge->kind != EDGE_SEQUENCE || source != target);
}

static void put_link(struct bundling *b, const struct edge_view *edge)
{
	struct callpaths *callpaths = b->callpaths;
	uint32_t source = b->bundles[b->bundle_of[edge->source]].row, target = b->bundles[b->bundle_of[edge->target]].row;
	uint32_t *row = map_put(&b->links, (uint64_t)source << 32 | (uint64_t)target << 4 | (uint64_t)edge->kind);
	array_push_new(callpaths->links, callpaths->n_links, callpaths->links_capacity, row,
		       (struct callpath_link){source, target, edge->kind, 0, 0});
	struct callpath_link *link = &callpaths->links[*row - 1];
	link->count++;
	link->n_on_path += path_has_edge(b->graph, edge->source, edge->target);
}

/* How many single tasks and synchronisations there are. */
static uint64_t count_singles(const struct bundling *b)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < b->n_bundles; i++)
		n += b->bundles[i].kind != NODE_NONE || i == 0 ? b->bundles[i].count : 0;
	return n;
}

int callpath_collect_graph(struct callpaths *callpaths, const struct trace *trace, const struct callpath_tree *tree,
			   const struct graph *graph, const struct family *family)
{
	struct bundling b = {.callpaths = callpaths, .trace = trace, .tree = tree, .graph = graph};
	struct edge_view edge;
	size_t first_group = callpaths->n_groups, first_link = callpaths->n_links;
	b.bundle_of = memory_zeroed(graph_n_ids(graph), sizeof *b.bundle_of, WHAT);
	find_regions(&b);
	bundle_nodes(&b, true);
	if (b.n_bundles > CALLPATH_GROUPS_MAX)
		bundle_nodes(&b, false);
	if (b.n_bundles > CALLPATH_GROUPS_MAX)
		merge_smallest(&b);
	put_groups(&b);
	for (size_t place = 0, n = graph_n_edge_places(graph); place < n; place++)
		if (graph_edge_at(graph, place, &edge) && is_between(&b, &edge))
			put_link(&b, &edge);
	callpath_lay_out(callpaths, first_group, first_link);
	for (uint32_t id = 0; id < graph_n_ids(graph); id++)
		b.bundle_of[id] = b.bundles[b.bundle_of[id]].row;
	callpaths->n_nodes_before = graph->before.n_nodes;
	int rc = callpath_put_singles(callpaths, trace, graph, b.bundle_of, count_singles(&b), family);
	free(b.bundles);
	map_free(&b.rows);
	map_free(&b.links);
	free(b.bundle_of);
	free(b.region_node);
	return rc;
}
