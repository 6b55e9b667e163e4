/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which nodes belong to a task and to its descendants down to some depth (--task, --depth): those of these tasks, and the
 * barriers that one of these tasks reaches. The members of a team are children of the task that encountered the region. A
 * run of a unit of Argobots is a task here, and a child of the unit that created or revived it. One thread.
 */
#include "builder/graph/subtree.h"
#include "builder/graph/shared.h"
#include "builder/support/diag.h"

#include <stdlib.h>

#define WHAT "the graph"

/* By task, in subtree.depths: 1 is the task itself, 2 are its children, and so on. */
#define UNKNOWN 0
#define OUTSIDE UINT32_MAX

struct subtree_search {
	struct subtree *tree;
	const struct graph *graph;
	uint32_t *parents;    /* by node, of tasks and units */
	uint32_t first, last; /* the smallest and largest number of these */
	uint64_t root;
	bool has_root;
};

static int take_parent(void *self, const struct node_view *view)
{
	struct subtree_search *s = self;
	if (view->id != view->task && view->id != view->unit_node)
		return 0;
	s->parents[view->id] = graph_parent(s->graph, view);
	s->first = s->first == 0 ? view->id : s->first;
	s->last = view->id;
	s->has_root = s->has_root || view->id == s->root;
	return 0;
}

/* Goes up to a known depth, and down again. Contradictory records may make a cycle, which is outside of the subtree. */
static void find_depth(const struct subtree_search *s, uint32_t id)
{
	uint32_t *depths = s->tree->depths, above = id, n = 0;
	for (; depths[above] == UNKNOWN; above = s->parents[above], n++)
		depths[above] = OUTSIDE;
	uint32_t depth = depths[above];
	for (above = id; depth != OUTSIDE && n > 0; above = s->parents[above])
		depths[above] = depth + n--;
}

int subtree_find(struct subtree *tree, const struct graph *graph, const struct family *family)
{
	const struct model *m = graph->model;
	size_t n = graph_n_ids(graph);
	struct subtree_search s = {
		.tree = tree, .graph = graph, .root = family->task, .parents = memory_zeroed(n, sizeof *s.parents, WHAT)};
	*tree = (struct subtree){
		.graph = graph, .n_generations = family->depth, .depths = memory_zeroed(n, sizeof *tree->depths, WHAT)};
	graph_each_node(graph, take_parent, &s);
	tree->depths[0] = OUTSIDE;
	if (s.has_root) {
		const struct task *root = &m->tasks[s.root < m->n_tasks ? s.root : 0];
		tree->depths[s.root] = 1;
		tree->team = s.root < m->n_tasks && !task_is_explicit(root) ? root->region : 0;
		for (uint32_t id = s.first; id <= s.last; id++)
			find_depth(&s, id);
	}
	free(s.parents);
	return s.has_root ? 0
			  : error("--task=%llu: this is no task of %s; its tasks have numbers from %u to %u, in nodes.csv",
				  (unsigned long long)family->task, m->dump->path, s.first, s.last);
}

bool subtree_has_team(const struct subtree *tree, uint32_t region)
{
	uint32_t depth = tree->depths[tree->graph->model->regions[region].task];
	return region != 0 && (region == tree->team || (depth != OUTSIDE && depth <= tree->n_generations));
}

bool subtree_has(const struct subtree *tree, const struct node_view *view)
{
	uint32_t depth = tree->depths[view->task != 0 ? view->task : view->unit_node];
	return view->kind == NODE_BARRIER ? subtree_has_team(tree, view->region)
					  : depth != OUTSIDE && depth - 1 <= tree->n_generations;
}

void subtree_free(struct subtree *tree)
{
	free(tree->depths);
}
