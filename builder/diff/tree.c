/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Puts the paths of a side's runs together, see tree.h.
 */
#include "builder/diff/tree.h"
#include "builder/support/array.h"

#include <string.h>

static uint32_t add_node(struct diff_tree *tree, uint32_t parent, uint32_t step)
{
	size_t n = PATH_FIGURES * tree->n_runs, first = tree->n_nodes * n;
	array_reserve((void **)&tree->nodes, tree->n_nodes + (size_t)1, &tree->nodes_capacity, sizeof *tree->nodes);
	array_reserve((void **)&tree->values, first + n, &tree->values_capacity, sizeof *tree->values);
	memset(tree->values + first, 0, n * sizeof *tree->values);
	tree->nodes[tree->n_nodes] = (struct diff_node){parent, step};
	return tree->n_nodes++;
}

static uint32_t put_node(struct diff_tree *tree, uint32_t parent, uint32_t step)
{
	uint32_t node = diff_tree_child(tree, parent, step);
	if (node == NO_NODE) {
		node = add_node(tree, parent, step);
		*map_put(&tree->children, (uint64_t)parent << 32 | step) = node;
	}
	return node;
}

static void add_run(struct diff_tree *tree, const struct diff_run *run, size_t r)
{
	uint32_t *node_of = memory_get(run->n_steps, sizeof *node_of, "the paths of creation");
	for (size_t i = 0; i < run->n_steps; i++) {
		const struct diff_step *step = &run->steps[i];
		bool is_construct = step->construct < STEP_OTHERS;
		uint32_t what = is_construct ? (uint32_t)run->constructs[step->construct].row : step->construct;
		node_of[i] = what == STEP_PROCESS ? TREE_ROOT : put_node(tree, node_of[step->above], what);
		uint64_t *values = tree->values + node_of[i] * PATH_FIGURES * tree->n_runs;
		values[PATH_COUNT * tree->n_runs + r] += step->count;
		values[PATH_OWN * tree->n_runs + r] += step->own_ns;
	}
	free(node_of);
}

void diff_tree_make(struct diff_tree *tree, const struct diff_run *runs, size_t n_runs)
{
	*tree = (struct diff_tree){.n_runs = n_runs};
	for (size_t r = 0; r < n_runs; r++)
		if (runs[r].steps == NULL)
			return;
	add_node(tree, TREE_ROOT, STEP_PROCESS);
	for (size_t r = 0; r < n_runs; r++)
		add_run(tree, &runs[r], r);
}

void diff_tree_free(struct diff_tree *tree)
{
	free(tree->nodes);
	free(tree->values);
	map_free(&tree->children);
}
