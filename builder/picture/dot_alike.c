/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds tasks of several constructs that are alike: the same nodes lead to them, and they lead to the same nodes, by edges of
 * the same kinds. Many of them would only make the picture wide, so they are a table. Called by dot_fold.c; one thread.
 */
#include "builder/picture/dot.h"
#include "builder/support/memory.h"

#include <stdlib.h>
#include <string.h>

#define WHAT "graph.dot"
#define MANY 7 /* so many of them are a table */

/* One end of an edge. */
struct end {
	uint32_t node, other;
	uint32_t kind; /* of the edge, twice; 1 more at its source */
};

/* A node, and its ends. */
struct member {
	const struct end *ends;
	uint32_t n, node;
};

static int by_end(const void *left, const void *right)
{
	const struct end *l = left, *r = right;
	if (l->node != r->node)
		return l->node < r->node ? -1 : 1;
	if (l->other != r->other)
		return l->other < r->other ? -1 : 1;
	return l->kind < r->kind ? -1 : l->kind > r->kind;
}

static int compare_ends(const struct member *l, const struct member *r)
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
	const struct member *l = left, *r = right;
	int order = compare_ends(l, r);
	return order != 0 ? order : l->node < r->node ? -1 : l->node > r->node;
}

/* The ends of all edges, in the order of nodes, each kind once. Returns how many. */
static uint32_t find_ends(const struct shown *shown, struct end *ends)
{
	const struct fold *fold = shown->fold;
	uint32_t n = 0, n_kept = 0;
	for (uint32_t i = 0; i < fold->n_edges; i++) {
		uint32_t from = shown->as[fold->edges[i].from], to = shown->as[fold->edges[i].to], kind = fold->edges[i].kind * 2;
		ends[n++] = (struct end){from, to, kind + 1};
		ends[n++] = (struct end){to, from, kind};
	}
	qsort(ends, n, sizeof *ends, by_end);
	for (uint32_t i = 0; i < n; i++)
		if (n_kept == 0 || by_end(&ends[n_kept - 1], &ends[i]) != 0)
			ends[n_kept++] = ends[i];
	return n_kept;
}

static bool may_be_alike(const struct shown *shown, uint32_t node)
{
	enum node_kind kind = shown->fold->classes[node].kind;
	return shown->as[node] == node && (kind == NODE_TASK || kind == NODE_UNIT || kind == NODE_TASKLET);
}

/* Those from `first` on, if they are many, are drawn at its node. */
static void take_group(struct shown *shown, const struct member *members, uint32_t n)
{
	for (uint32_t i = 0; i < n && n >= MANY; i++)
		shown->as[members[i].node] = members[0].node;
	if (n >= MANY)
		shown->is_table[members[0].node] = true;
}

void dot_find_alike(struct shown *shown)
{
	const struct fold *fold = shown->fold;
	struct end *ends = memory_get((size_t)fold->n_edges * 2 + 1, sizeof *ends, WHAT);
	struct member *members = memory_get(fold->n_classes + (size_t)1, sizeof *members, WHAT);
	uint32_t n_ends = find_ends(shown, ends), n = 0;
	for (uint32_t i = 0, next; i < n_ends; i = next) {
		bool is_own = false; /* an edge to itself: it says more than a row could */
		for (next = i; next < n_ends && ends[next].node == ends[i].node; next++)
			is_own |= ends[next].other == ends[i].node;
		if (!is_own && may_be_alike(shown, ends[i].node))
			members[n++] = (struct member){&ends[i], next - i, ends[i].node};
	}
	qsort(members, n, sizeof *members, by_likeness);
	for (uint32_t i = 0, next; i < n; i = next) {
		for (next = i + 1; next < n && compare_ends(&members[i], &members[next]) == 0;)
			next++;
		take_group(shown, &members[i], next - i);
	}
	free(ends);
	free(members);
}
