/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Keeps the sets of tasks that exclude each other (mutexinoutset): they may run in any order, but not at the same time,
 * which is a property of every pair and no edge. depend.c finds the sets; here they are brought into an order that does
 * not depend on when each was complete. Called after the replay; one thread.
 */
#include "builder/graph/shared.h"
#include "builder/support/array.h"
#include "builder/support/sort.h"

#include <stdlib.h>

struct exclusive_sets {
	uint32_t *members; /* of all sets, one after the other */
	size_t n_members, members_capacity;
	struct set {
		size_t first;
		uint32_t n;
		uint64_t variable;
	} * sets;
	size_t n_sets, sets_capacity;
};

static int by_members(const void *left, const void *right, void *members)
{
	const struct set *l = left, *r = right;
	const uint32_t *of_l = (const uint32_t *)members + l->first, *of_r = (const uint32_t *)members + r->first;
	for (uint32_t i = 0; i < l->n && i < r->n; i++)
		if (of_l[i] != of_r[i])
			return cmp(of_l[i], of_r[i]);
	return cmp(l->n, r->n);
}

static int by_members_and_variable(const void *left, const void *right, void *members)
{
	const struct set *l = left, *r = right;
	int order = by_members(left, right, members);
	return order != 0 ? order : (l->variable > r->variable) - (l->variable < r->variable);
}

void graph_add_exclusive(struct graph *graph, uint64_t variable, const uint32_t *nodes, uint32_t n)
{
	if (graph->exclusive == NULL)
		graph->exclusive = memory_zeroed(1, sizeof *graph->exclusive, "exclusive tasks");
	struct exclusive_sets *e = graph->exclusive;
	array_reserve(e->members, e->n_members + n, e->members_capacity);
	uint32_t *members = e->members + e->n_members;
	for (uint32_t i = 0; i < n; i++)
		members[i] = nodes[i];
	sort_array(members, n, by_u32);
	array_push(e->sets, e->n_sets, e->sets_capacity, (struct set){e->n_members, n, variable});
	e->n_members += n;
}

void graph_finish_exclusive(struct graph *graph)
{
	struct exclusive_sets *e = graph->exclusive;
	if (e == NULL)
		return;
	sort_array_r(e->sets, e->n_sets, by_members_and_variable, e->members);
	size_t n_kept = 0;
	for (size_t i = 0; i < e->n_sets; i++) /* the same tasks may share several addresses */
		if (i == 0 || by_members(&e->sets[i], &e->sets[n_kept - 1], e->members) != 0)
			e->sets[n_kept++] = e->sets[i];
	e->n_sets = n_kept;
}

size_t graph_n_exclusive(const struct graph *graph)
{
	return graph->exclusive != NULL ? graph->exclusive->n_sets : 0;
}

uint64_t graph_exclusive_variable(const struct graph *graph, size_t i)
{
	return graph->exclusive->sets[i].variable;
}

void graph_cut_exclusive(struct graph *graph)
{
	struct exclusive_sets *e = graph->exclusive;
	size_t n_kept = 0;
	for (size_t i = 0; e != NULL && i < e->n_sets; i++) {
		struct set set = {e->sets[i].first, 0, e->sets[i].variable};
		uint32_t *members = e->members + set.first;
		for (uint32_t k = 0; k < e->sets[i].n; k++)
			if (graph_has_node(graph, members[k]))
				members[set.n++] = members[k];
		if (set.n > 1)
			e->sets[n_kept++] = set;
	}
	if (e != NULL)
		e->n_sets = n_kept;
}

int graph_each_exclusive(const struct graph *graph, int (*function)(void *self, const uint32_t *nodes, uint32_t n), void *self)
{
	const struct exclusive_sets *e = graph->exclusive;
	int rc = 0;
	for (size_t i = 0; e != NULL && i < e->n_sets && rc == 0; i++)
		rc = function(self, e->members + e->sets[i].first, e->sets[i].n);
	return rc;
}

void graph_free_exclusive(struct graph *graph)
{
	if (graph->exclusive == NULL)
		return;
	free(graph->exclusive->members);
	free(graph->exclusive->sets);
	free(graph->exclusive);
	graph->exclusive = NULL;
}
