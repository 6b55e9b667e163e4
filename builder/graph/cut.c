/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cuts the graph of a process to a part of it: leaves out nodes that are outside of the part, and all edges that lead to or
 * from them. Nodes keep their numbers, so that graphs of several parts can be compared. A task with its descendants is cut
 * out before the critical path is sought, which is theirs. A part of the time is cut out after it, and nodes that are in it
 * only partly are counted: what executed outside of it has no length, but orders what is inside. One thread.
 */
#include "builder/graph/path.h"
#include "builder/graph/shared.h"
#include "builder/graph/subtree.h"

#include <string.h>

/* When the node began, and when it or the process was over; if it never began, when it was created and discarded. */
static void life_of(const struct model *m, const struct node_view *view, uint64_t *begin, uint64_t *end)
{
	bool is_open = view->end_ticks == 0 && view->id == view->task;
	*begin = view->begin_ticks != 0 ? view->begin_ticks : view->create_ticks;
	*end = is_open ? m->last_ticks + 1 : view->end_ticks > *begin ? view->end_ticks : *begin;
}

static void leave_out(struct graph *graph, uint32_t id)
{
	struct node *node = graph_inner_node(graph, id);
	graph->n_outside++;
	if (node != NULL)
		node->is_placed = false;
	else
		graph->outside[id / 8] |= (unsigned char)(1u << id % 8);
}

static int look_at_time(void *self, const struct node_view *view)
{
	struct graph *graph = self;
	const struct window *window = &graph->model->window;
	uint64_t begin, end;
	life_of(graph->model, view, &begin, &end);
	if (window_meets(window, begin, end))
		graph->n_cut += begin < window->from || (end > window->to && end != begin);
	else
		leave_out(graph, view->id);
	return 0;
}

struct family_search {
	struct graph *graph;
	struct subtree tree;
};

static int look_at_family(void *self, const struct node_view *view)
{
	struct family_search *s = self;
	if (!subtree_has(&s->tree, view))
		leave_out(s->graph, view->id);
	else if (view->kind == NODE_JOIN && !subtree_has_team(&s->tree, view->region)) {
		struct node *join = graph_inner_node(s->graph, view->id);
		join->previous = s->graph->region_node[view->region]; /* without the members nothing else leads to it */
		join->previous_kind = EDGE_SEQUENCE;
	}
	return 0;
}

/* Edges are left out by their places, which stay what they are. */
static void cut_edges(struct graph *graph)
{
	size_t n_places = graph_n_edge_places(graph);
	struct edge_view edge;
	if (graph->left_out == NULL)
		graph->left_out = memory_zeroed(n_places / 8 + 1, 1, "the graph");
	for (size_t place = 0; place < n_places; place++)
		if (graph_edge_at(graph, place, &edge) &&
		    !(graph_has_node(graph, edge.source) && graph_has_node(graph, edge.target)))
			graph->left_out[place / 8] |= (unsigned char)(1u << place % 8);
}

/* The part of the path within the part is one stretch of it: nodes before and after have no time in it. */
static void cut_path(struct graph *graph, struct path *path)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < path->n_nodes; i++) {
		uint32_t id = path->nodes[i];
		bool is_in = graph_has_node(graph, id);
		path->places[id] = is_in ? n + 1 : 0;
		if (is_in)
			path->nodes[n++] = id;
	}
	path->n_nodes = n;
}

/* Leaves out the nodes that the function leaves out, and their edges and sets. */
static void cut(struct graph *graph, int (*look_at)(void *self, const struct node_view *view), void *self)
{
	if (graph->outside == NULL)
		graph->outside = memory_zeroed(graph->model->n_tasks / 8 + 1, 1, "the graph");
	graph_each_node(graph, look_at, self);
	cut_edges(graph);
	graph_cut_exclusive(graph);
}

int graph_cut_to_family(struct graph *graph)
{
	struct family_search s = {.graph = graph};
	if (graph->family.task == 0)
		return 0;
	int rc = subtree_find(&s.tree, graph, &graph->family);
	if (rc == 0)
		cut(graph, look_at_family, &s);
	subtree_free(&s.tree);
	return rc;
}

void graph_cut_to_time(struct graph *graph)
{
	if (!graph->model->window.is_part)
		return;
	cut(graph, look_at_time, graph);
	if (graph->path != NULL && graph->path->n_nodes != 0)
		cut_path(graph, graph->path);
}
