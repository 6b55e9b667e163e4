/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds what is around a task, for a page about it (--task with --report), while there is room: its creator and further
 * ancestors; what it waited for, what waited for it; the chain of dependences that led to it; its descendants down to
 * --depth, and what these wait at. All are found by passes over the edges, which need no more memory than two tables by
 * node. Runs on one thread.
 */
#include "builder/callpaths/callpaths.h"
#include "builder/graph/subtree.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT        "the tasks around one"
#define CHAIN_STEPS 8   /* of dependences that lead to the task */
#define SIBLINGS    500 /* that it waited for, at most */

enum {
	NEAR = 1,
	IN_CHAIN = 2,  /* the task, or something that it depends on */
	WAITS_AT = 4,  /* a synchronisation of the task's own */
	WAITED_AT = 8, /* one that waits for the task */
	DESCENDANT = 16
};

struct near {
	const struct graph *graph;
	uint32_t root;
	uint8_t *marks; /* by node */
	size_t n, n_max;
	uint64_t n_generations;
};

uint32_t callpath_whole_of(const struct graph *graph, uint32_t id)
{
	struct node_view view = graph_node(graph, id);
	if (view.unit != NULL && view.kind != NODE_UNIT_JOIN && view.kind != NODE_UNIT_WAIT)
		return view.unit_node;
	return callpath_is_task_kind(view.kind) && view.task != 0 ? view.task : id;
}

/* Returns false if there is no room. */
static bool mark(struct near *near, uint32_t id, uint8_t marks)
{
	if (near->marks[id] == 0 && near->n == near->n_max)
		return false;
	near->n += near->marks[id] == 0;
	near->marks[id] |= NEAR | marks;
	return true;
}

static void mark_creators(struct near *near, uint32_t id)
{
	for (size_t i = 0; id != 0 && i < near->n_max && mark(near, id, 0); i++) {
		struct node_view view = graph_node(near->graph, id);
		uint32_t region = view.unit == NULL && view.id < near->graph->model->n_tasks &&
						  !task_is_explicit(&near->graph->model->tasks[id])
					  ? near->graph->region_node[view.region]
					  : 0;
		if (region != 0) /* through which its creator has created it */
			mark(near, region, 0);
		id = graph_parent(near->graph, &view);
	}
}

static void each_edge(struct near *near, void (*look_at)(struct near *, uint32_t source, uint32_t target, enum edge_kind kind))
{
	struct edge_view edge;
	for (size_t place = 0, n = graph_n_edge_places(near->graph); place < n; place++) {
		if (!graph_edge_at(near->graph, place, &edge))
			continue;
		uint32_t source = callpath_whole_of(near->graph, edge.source), target = callpath_whole_of(near->graph, edge.target);
		if (source != target)
			look_at(near, source, target, edge.kind);
	}
}

/* Marks what the task's own edges lead to and come from, except its children. */
static void mark_next(struct near *near, uint32_t source, uint32_t target, enum edge_kind kind)
{
	if (kind == EDGE_CREATE)
		return;
	if (source == near->root)
		mark(near, target, kind == EDGE_SEQUENCE ? WAITS_AT : kind == EDGE_DEPEND ? 0 : WAITED_AT);
	if (target == near->root)
		mark(near, source, kind == EDGE_DEPEND ? IN_CHAIN : 0);
}

/* Marks the nodes that the task waits for at a synchronisation, and those that wait there for it. */
static void mark_waits(struct near *near, uint32_t source, uint32_t target, enum edge_kind kind)
{
	(void)kind;
	if (near->marks[target] & WAITS_AT && near->n < SIBLINGS)
		mark(near, source, 0);
	if (near->marks[source] & WAITED_AT)
		mark(near, target, 0);
}

static void mark_before(struct near *near, uint32_t source, uint32_t target, enum edge_kind kind)
{
	if (kind == EDGE_DEPEND && near->marks[target] & IN_CHAIN && !(near->marks[source] & IN_CHAIN) &&
	    mark(near, source, IN_CHAIN))
		mark_creators(near, source);
}

static void mark_descendants(struct near *near, const struct subtree *tree)
{
	const struct graph *graph = near->graph;
	for (uint32_t id = 1; id < graph_n_ids(graph); id++) /* children before theirs */
		if (tree->depths[id] == 2 && near->n_generations > 0)
			mark(near, id, DESCENDANT);
	for (uint32_t id = 1; id < graph_n_ids(graph); id++)
		if (tree->depths[id] > 2 && tree->depths[id] != UINT32_MAX && tree->depths[id] - 1 <= near->n_generations)
			mark(near, id, DESCENDANT);
}

static int mark_own(void *self, const struct node_view *view)
{
	struct near *near = self;
	bool is_own = view->task != 0 && near->marks[view->task] & DESCENDANT;
	if (is_own && !callpath_is_task_kind(view->kind) && view->unit == NULL)
		mark(near, view->id, 0);
	return 0;
}

uint8_t *callpath_near(const struct graph *graph, const struct family *family, size_t n_max)
{
	struct near near = {.graph = graph, .n_max = n_max, .n_generations = family->depth};
	struct subtree tree;
	if (subtree_find(&tree, graph, family) == 0) {
		near.root = (uint32_t)family->task;
		near.marks = memory_zeroed(graph_n_ids(graph), sizeof *near.marks, WHAT);
		mark_creators(&near, near.root);
		mark(&near, near.root, IN_CHAIN);
		each_edge(&near, mark_next);
		each_edge(&near, mark_waits);
		size_t n = 0;
		for (unsigned i = 0; i < CHAIN_STEPS && n != near.n; i++) {
			n = near.n;
			each_edge(&near, mark_before);
		}
		mark_descendants(&near, &tree);
		graph_each_node(graph, mark_own, &near);
	}
	subtree_free(&tree);
	return near.marks;
}
