/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A task and its descendants, of a graph that is built: see subtree.c. Used by cut.c to look up which nodes belong to them.
 */
#ifndef OTTER_BUILDER_GRAPH_SUBTREE_H
#define OTTER_BUILDER_GRAPH_SUBTREE_H

#include "builder/graph/view.h"

struct subtree {
	const struct graph *graph;
	uint64_t n_generations; /* how many of them below the task */
	uint32_t *depths;       /* by node */
	uint32_t team;          /* region of the team that the task itself is a member of, 0 none */
};

/* 0; or -1 after it printed that there is no such task. To be freed in either case. */
int subtree_find(struct subtree *tree, const struct graph *graph, const struct family *family);

/* Is a member of the region's team among the tasks? */
bool subtree_has_team(const struct subtree *tree, uint32_t region);

/* Does the node belong to them? */
bool subtree_has(const struct subtree *tree, const struct node_view *view);
void subtree_free(struct subtree *tree);

#endif
