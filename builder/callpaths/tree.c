/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The nodes of the tree, and where a path continues from one: see tree.h.
 */
#include "builder/callpaths/tree.h"
#include "builder/support/array.h"

static uint32_t add_node(struct callpath_tree *tree, uint32_t parent, uint32_t construct)
{
	uint32_t depth = parent != CALLPATH_NONE ? tree->nodes[parent].depth + 1 : 0;
	array_push(tree->nodes, tree->n_nodes, tree->capacity,
		   (struct callpath_node){.parent = parent, .construct = construct, .depth = depth});
	tree->n_frames += depth;
	return tree->n_nodes - 1;
}

/* The nearest node of this construct on the path up from the node, itself included; CALLPATH_NONE: none. */
static uint32_t find_above(const struct callpath_tree *tree, uint32_t node, uint32_t construct)
{
	while (node != CALLPATH_NONE && tree->nodes[node].construct != construct)
		node = tree->nodes[node].parent;
	return node;
}

/* Paths below the process always have room: there are no more of them than constructs. */
static bool has_room(const struct callpath_tree *tree, uint32_t node)
{
	return node == CALLPATH_ROOT || tree->n_frames + tree->nodes[node].depth + 1 <= tree->max_frames ||
	       tree->nodes[node].construct == CALLPATH_OTHERS;
}

static uint32_t find_step(struct callpath_tree *tree, uint32_t node, uint32_t construct)
{
	uint32_t *known = map_put(&tree->steps, (uint64_t)node << 32 | construct), to;
	if (*known != CALLPATH_NONE)
		return *known;
	to = find_above(tree, node, construct);
	if (to == CALLPATH_NONE && has_room(tree, node)) {
		to = *known = add_node(tree, node, construct);
		return to;
	}
	if (to == CALLPATH_NONE) {
		to = find_step(tree, find_step(tree, CALLPATH_ROOT, CALLPATH_OTHERS), construct);
		known = map_put(&tree->steps, (uint64_t)node << 32 | construct);
	}
	*known = to;
	return to;
}

uint32_t callpath_step(struct callpath_tree *tree, uint32_t node, uint32_t construct)
{
	struct latest_step *latest =
		&tree->latest[(3 * node + construct) % CALLPATH_LATEST]; /* siblings come one after the other */
	if (latest->node != node || latest->construct != construct)
		*latest = (struct latest_step){node, construct, find_step(tree, node, construct)};
	return latest->to;
}

void callpath_plant(struct callpath_tree *tree)
{
	add_node(tree, CALLPATH_NONE, CALLPATH_UNKNOWN);
	add_node(tree, CALLPATH_NONE, CALLPATH_PROCESS);
}
