/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses which classes of a folded graph are drawn, and which at the node of another one. Barriers and the join of a region
 * in which nothing else happens are drawn at the region; two or more such regions in the same region are a table; so are
 * many tasks that are alike (dot_alike.c). If there are still too many nodes, or edges, the nodes with the least time
 * become one. One thread.
 */
#include "builder/draw/dot.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#include <stdlib.h>
#include <string.h>

#define WHAT "graph.dot"
#define FEW  12 /* nodes that are not too many, whatever edges they have */

static bool is_of_region(const struct fold_class *class)
{
	return class->kind == NODE_BARRIER || class->kind == NODE_JOIN;
}

/* Regions without tasks and the like get their barriers and joins. */
static void take_barriers(struct dot_view *shown, bool *is_leaf)
{
	const struct fold *fold = shown->fold;
	for (uint32_t c = 1; c < fold->n_classes; c++)
		is_leaf[c] = fold->classes[c].kind == NODE_REGION;
	for (uint32_t c = 1; c < fold->n_classes; c++)
		if (!is_of_region(&fold->classes[c]))
			is_leaf[fold->classes[c].team] = false;
	for (uint32_t c = 1; c < fold->n_classes; c++)
		shown->as[c] = is_of_region(&fold->classes[c]) && is_leaf[fold->classes[c].team] ? fold->classes[c].team : c;
}

/* Regions without tasks in the same region are drawn at the first one of them. */
static void make_tables(struct dot_view *shown, const bool *is_leaf)
{
	const struct fold *fold = shown->fold;
	uint32_t *first = memory_zeroed(fold->n_classes + (size_t)1, sizeof *first, WHAT);
	for (uint32_t c = 1; c < fold->n_classes; c++) {
		uint32_t *table = &first[fold->classes[c].team];
		if (!is_leaf[c])
			continue;
		if (*table == 0)
			*table = c;
		else
			shown->is_table[*table] = true;
		shown->as[c] = *table;
	}
	for (uint32_t c = 1; c < fold->n_classes; c++)
		if (shown->as[c] != c) /* barriers of regions that are drawn elsewhere */
			shown->as[c] = shown->as[shown->as[c]];
	free(first);
}

struct node_weight {
	uint64_t ns;
	uint32_t node;
};

/* Sorts the largest first. */
static int by_weight(const void *left, const void *right)
{
	const struct node_weight *l = left, *r = right;
	return cmp(r->ns, l->ns) ?: cmp(l->node, r->node);
}

static void drop_least(struct dot_view *shown, uint64_t max_nodes)
{
	const struct fold *fold = shown->fold;
	struct node_weight *weights = memory_zeroed(fold->n_classes + (size_t)1, sizeof *weights, WHAT);
	for (uint32_t c = 0; c < fold->n_classes; c++)
		weights[c].node = c;
	for (uint32_t c = 1; c < fold->n_classes; c++) {
		const struct fold_class *class = &fold->classes[c];
		struct node_weight *weight = &weights[shown->as[c]];
		weight->ns +=
			class->own_ns + class->wait_ns + class->path_ns + (shown->as[c] == c); /* those that are drawn first */
		if (class->kind == NODE_INITIAL || class->kind == NODE_PRIMARY_UNIT)
			weight->ns = UINT64_MAX / 2;
	}
	if (fold->n_classes > 1)
		sort_array(weights + 1, fold->n_classes - (size_t)1, by_weight);
	uint32_t *as = memory_zeroed(fold->n_classes + (size_t)1, sizeof *as, WHAT);
	shown->others = fold->n_classes;
	for (uint64_t i = 1; i < fold->n_classes; i++)
		as[weights[i].node] = i < max_nodes ? weights[i].node : shown->others;
	for (uint32_t c = 1; c < fold->n_classes; c++)
		shown->as[c] = as[shown->as[c]];
	free(as);
	free(weights);
}

static uint32_t count_nodes(const struct dot_view *shown)
{
	uint32_t n = shown->others != 0;
	for (uint32_t c = 1; c < shown->fold->n_classes; c++)
		n += shown->as[c] == c;
	return n;
}

/* Between how many pairs of nodes there are edges. */
static size_t count_links(const struct dot_view *shown)
{
	struct map pairs = {0};
	for (uint32_t i = 0; i < shown->fold->n_edges; i++) {
		uint32_t from = shown->as[shown->fold->edges[i].from], to = shown->as[shown->fold->edges[i].to];
		if (from != to)
			map_put(&pairs, (uint64_t)from << 32 | to);
	}
	size_t n = pairs.n_used;
	map_free(&pairs);
	return n;
}

static void choose(struct dot_view *shown, uint64_t max_nodes)
{
	const struct fold *fold = shown->fold;
	bool *is_leaf = memory_zeroed(fold->n_classes + (size_t)1, sizeof *is_leaf, WHAT);
	memset(shown->is_table, 0, (fold->n_classes + (size_t)1) * sizeof *shown->is_table);
	shown->others = 0;
	take_barriers(shown, is_leaf);
	make_tables(shown, is_leaf);
	dot_find_alike(shown);
	free(is_leaf);
	if (count_nodes(shown) > max_nodes)
		drop_least(shown, max_nodes);
	shown->n_nodes = count_nodes(shown);
}

void shown_make(struct dot_view *shown, const struct fold *fold, const struct labels *labels, uint64_t max_nodes)
{
	*shown = (struct dot_view){.fold = fold, .labels = labels, .prefix = ""};
	shown->as = memory_zeroed(fold->n_classes + (size_t)1, sizeof *shown->as, WHAT);
	shown->is_table = memory_zeroed(fold->n_classes + (size_t)1, sizeof *shown->is_table, WHAT);
	max_nodes = max_nodes != 0 ? max_nodes : 1;
	choose(shown, max_nodes);
	/* Where nearly every node leads to every other, graphviz takes long, and a reader could not follow the edges. */
	while (shown->n_nodes > FEW && count_links(shown) > 2 * max_nodes)
		choose(shown, shown->n_nodes - shown->n_nodes / 4);
	for (uint32_t c = 1; c < fold->n_classes; c++) {
		shown->total_own_ns += fold->classes[c].own_ns;
		shown->path_ns += fold->classes[c].path_ns;
	}
	for (uint32_t i = 0; i < fold->n_edges; i++)
		shown->n_path_steps += fold->edges[i].n_on_path;
}

void shown_free(struct dot_view *shown)
{
	free(shown->as);
	free(shown->is_table);
	*shown = (struct dot_view){0};
}
