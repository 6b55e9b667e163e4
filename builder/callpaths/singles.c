/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Single tasks, units and synchronisations for the report: all of a small process, or, of any process, those around one
 * task (near.c). A task is one with all of its fragments. Runs on one thread.
 */
#include "builder/graph/path.h"
#include "builder/callpaths/callpaths.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT "the graph by construct"

struct collecting {
	struct callpaths *callpaths;
	const struct trace *trace;
	const struct graph *graph;
	const uint32_t *group_of; /* by node */
	const uint8_t *near;      /* by node; NULL: all */
	uint32_t *single_of;      /* by node: row of callpaths.singles + 1 */
	struct map links;         /* source << 32 | target << 4 | kind -> row of callpaths.single_links + 1 */
};

static int add_single(void *self, const struct node_view *view)
{
	struct collecting *c = self;
	struct callpaths *callpaths = c->callpaths;
	const struct dump *dump = &c->trace->dump;
	uint32_t whole = callpath_whole_of(c->graph, view->id), *row = &c->single_of[whole];
	if (c->near != NULL && !c->near[whole])
		return 0;
	array_push_new(callpaths->singles, callpaths->n_singles, callpaths->singles_capacity, row,
		       (struct callpath_single){.group = c->group_of[view->id],
						.task = view->id == view->task ? c->graph->before.n_nodes + view->id : 0,
						.begin_ns = view->begin_ticks != 0 ? dump_ns(dump, view->begin_ticks) : 0,
						.create_ns = view->create_ticks != 0 ? dump_ns(dump, view->create_ticks) : 0,
						.is_created = view->create_ticks != 0,
						.stream = view->stream});
	struct callpath_single *single = &callpaths->singles[*row - 1];
	uint64_t end_ns = view->end_ticks != 0 ? dump_ns(dump, view->end_ticks) : 0;
	single->end_ns = end_ns > single->end_ns ? end_ns : single->end_ns;
	single->own_ns += dump_duration_ns(dump, view->busy_ticks);
	single->is_on_path |= path_place(c->graph, view->id) != 0;
	return 0;
}

static void put_link(struct collecting *c, const struct edge_view *edge)
{
	struct callpaths *callpaths = c->callpaths;
	uint32_t source = c->single_of[callpath_whole_of(c->graph, edge->source)],
		 target = c->single_of[callpath_whole_of(c->graph, edge->target)];
	if (source == 0 || target == 0 || source == target)
		return;
	uint32_t *row = map_put(&c->links, (uint64_t)source << 32 | (uint64_t)target << 4 | (uint64_t)edge->kind);
	array_push_new(callpaths->single_links, callpaths->n_single_links, callpaths->single_links_capacity, row,
		       (struct callpath_single_link){source - 1, target - 1, edge->kind, false});
	callpaths->single_links[*row - 1].is_on_path |= path_has_edge(c->graph, edge->source, edge->target);
}

int callpath_put_singles(struct callpaths *callpaths, const struct trace *trace, const struct graph *graph,
			 const uint32_t *group_of, uint64_t n, const struct family *family)
{
	struct collecting c = {.callpaths = callpaths, .trace = trace, .graph = graph, .group_of = group_of};
	uint8_t *near = NULL;
	struct edge_view edge;
	if (family->task == 0 && n + callpaths->n_singles > CALLPATH_SINGLES_MAX)
		return 0;
	if (family->task != 0) {
		near = callpath_near(graph, family, CALLPATH_SINGLES_MAX);
		if (near == NULL)
			return -1;
	}
	c.near = near;
	c.single_of = memory_zeroed(graph_n_ids(graph), sizeof *c.single_of, WHAT);
	graph_each_node(graph, add_single, &c);
	for (size_t place = 0, n_places = graph_n_edge_places(graph); place < n_places; place++)
		if (graph_edge_at(graph, place, &edge))
			put_link(&c, &edge);
	if (family->task != 0)
		callpaths->focus = c.single_of[family->task];
	map_free(&c.links);
	free(c.single_of);
	free(near);
	return 0;
}
