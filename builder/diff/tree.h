/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The paths of creation of a side's runs as one tree: a node is a path, and its last step a construct of the side. All
 * processes of a run are one root, as their constructs are one. Made by side.c, matched and compared by paths.c; one thread.
 */
#ifndef OTTER_BUILDER_DIFF_TREE_H
#define OTTER_BUILDER_DIFF_TREE_H

#include "builder/diff/run.h"
#include "builder/support/map.h"

#define NO_NODE   UINT32_MAX
#define TREE_ROOT 0 /* a process: nothing created what is below */

enum path_figure { PATH_COUNT, PATH_OWN, PATH_FIGURES };

struct diff_tree {
	struct diff_node {
		uint32_t parent; /* with a lower number; the root's is itself */
		uint32_t step;   /* row of the side, or a STEP_... */
	} * nodes;
	uint32_t n_nodes; /* 0: a run was built without paths */
	size_t nodes_capacity, n_runs;
	uint64_t *values; /* by node, figure and run; 0 where a run does not have the path */
	size_t values_capacity;
	struct map children; /* parent << 32 | step -> node */
};

/* When the constructs of the runs know their rows; to be freed. */
void diff_tree_make(struct diff_tree *tree, const struct diff_run *runs, size_t n_runs);
void diff_tree_free(struct diff_tree *tree);

/* By run. */
static inline const uint64_t *diff_tree_values(const struct diff_tree *tree, uint32_t node, enum path_figure figure)
{
	return tree->values + (node * (size_t)PATH_FIGURES + figure) * tree->n_runs;
}

/* The node to which a step leads from another one, or NO_NODE. */
static inline uint32_t diff_tree_child(const struct diff_tree *tree, uint32_t parent, uint32_t step)
{
	const uint32_t *child = map_get(&tree->children, (uint64_t)parent << 32 | step);
	return child != NULL ? *child : NO_NODE;
}

#endif
