/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds tasks of several constructs that are alike: the same nodes lead to them, and they lead to the same nodes, by edges
 * of the same kinds. Many of them would only make the picture wide, so they are a table. One thread.
 */
#include "builder/draw/dot.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#include <stdlib.h>
#include <string.h>

#define WHAT "graph.dot"
#define MANY 7 /* from this number of them on they are drawn as a table */

/* One end of an edge. */
struct end {
	uint32_t node, other;
	uint32_t kind; /* of the edge, twice; 1 more at its source */
};

/* A node, and its ends. */
struct alike_node {
	const struct end *ends;
	uint32_t n, node;
};

static int by_end(const void *left, const void *right)
{
	const struct end *l = left, *r = right;
	return cmp(l->node, r->node) ?: cmp(l->other, r->other) ?: cmp(l->kind, r->kind);
}

static int compare_ends(const struct alike_node *l, const struct alike_node *r)
{
	if (l->n != r->n)
		return l->n < r->n ? -1 : 1;
	for (uint32_t i = 0; i < l->n; i++) {
		if (l->ends[i].other != r->ends[i].other)
			return l->ends[i].other < r->ends[i].other ? -1 : 1;
		if (l->ends[i].kind != r->ends[i].kind)
			return l->ends[i].kind < r->ends[i].kind ? -1 : 1;
	}
	return 0;
}

static int by_likeness(const void *left, const void *right)
{
	const struct alike_node *l = left, *r = right;
	return compare_ends(l, r) ?: cmp(l->node, r->node);
}

/* The ends of all edges, in the order of nodes, each kind once. Returns how many. */
static uint32_t find_ends(const struct dot_view *shown, struct end *ends)
{
	const struct fold *fold = shown->fold;
	uint32_t n = 0, n_kept = 0;
	for (uint32_t i = 0; i < fold->n_edges; i++) {
		uint32_t from = shown->as[fold->edges[i].from], to = shown->as[fold->edges[i].to], kind = fold->edges[i].kind * 2;
		ends[n++] = (struct end){from, to, kind + 1};
		ends[n++] = (struct end){to, from, kind};
	}
	sort_array(ends, n, by_end);
	for (uint32_t i = 0; i < n; i++)
		if (n_kept == 0 || by_end(&ends[n_kept - 1], &ends[i]) != 0)
			ends[n_kept++] = ends[i];
	return n_kept;
}

static bool may_be_alike(const struct dot_view *shown, uint32_t node)
{
	enum node_kind kind = shown->fold->classes[node].kind;
	return shown->as[node] == node && (kind == NODE_TASK || kind == NODE_UNIT || kind == NODE_TASKLET);
}

/* Those from `first` on, if they are many, are drawn at its node. */
static void take_group(struct dot_view *shown, const struct alike_node *members, uint32_t n)
{
	for (uint32_t i = 0; i < n && n >= MANY; i++)
		shown->as[members[i].node] = members[0].node;
	if (n >= MANY)
		shown->is_table[members[0].node] = true;
}

void dot_find_alike(struct dot_view *shown)
{
	const struct fold *fold = shown->fold;
	struct end *ends = memory_get((size_t)fold->n_edges * 2 + 1, sizeof *ends, WHAT);
	struct alike_node *members = memory_get(fold->n_classes + (size_t)1, sizeof *members, WHAT);
	uint32_t n_ends = find_ends(shown, ends), n = 0;
	for (uint32_t i = 0, next; i < n_ends; i = next) {
		bool is_own = false; /* an edge to itself: it says more than a row could */
		for (next = i; next < n_ends && ends[next].node == ends[i].node; next++)
			is_own |= ends[next].other == ends[i].node;
		if (!is_own && may_be_alike(shown, ends[i].node))
			members[n++] = (struct alike_node){&ends[i], next - i, ends[i].node};
	}
	sort_array(members, n, by_likeness);
	for (uint32_t i = 0, next; i < n; i = next) {
		for (next = i + 1; next < n && compare_ends(&members[i], &members[next]) == 0;)
			next++;
		take_group(shown, &members[i], next - i);
	}
	free(ends);
	free(members);
}
