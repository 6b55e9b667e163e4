/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the canonical edge list: a line for each edge, sorted; equal lines, for edges between equal nodes, are one line
 * with their number. canonical.h describes the form. Each process adds its lines when its graph is built; they
 * are sorted and formatted on several threads.
 */
#include "builder/graph/canonical.h"
#include "builder/support/array.h"
#include "builder/support/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The lines of a process are its edges, and its names are numbered as its nodes. */
static void add_edges(struct canonical_list *list, struct canon *c)
{
	size_t first_name = list->n_names, n = c->first_edge[c->n_ids];
	for (size_t i = 0; i < n; i++)
		list->has_label[canonical_edge_label(c->edges[i])] = true;
	canonical_add_lines(list, c->n_ids, &c->first_edge, &c->edges);
	canonical_names(c, list, list->names + first_name);
}

static int by_text(const void *left, const void *right, void *list)
{
	const struct canonical_name *names = ((struct canonical_list *)list)->names;
	const struct canonical_name *l = &names[*(const uint32_t *)left], *r = &names[*(const uint32_t *)right];
	int order = memcmp(l->text, r->text, l->n < r->n ? l->n : r->n);
	return order ?: cmp(l->n, r->n);
}

/* Adds a line for each task of an exclusive set and the next one by name, and not for every pair. */
static void add_sets(struct canonical_list *list, struct canon *c)
{
	uint32_t first_name = (uint32_t)(list->n_names - c->n_ids);
	for (size_t i = 0; i < c->n_sets; i++) {
		const struct canonical_set *set = &c->sets[i];
		uint32_t *names = memory_get(set->n, sizeof *names, "the canonical graph");
		for (uint32_t j = 0; j < set->n; j++)
			names[j] = first_name + c->members[set->first + j];
		sort_array_r(names, set->n, by_text, list);
		array_reserve(list->pairs, list->n_pairs + set->n, list->pairs_capacity);
		for (uint32_t j = 1; j < set->n; j++)
			list->pairs[list->n_pairs++] = (struct canonical_pair){names[j - 1], names[j]};
		free(names);
	}
}

void canonical_collect(struct canonical_list **list, const struct trace *trace, const struct graph *graph, bool has_many_processes)
{
	struct canon c = {.graph = graph, .m = graph->model, .process = trace->process, .has_many_processes = has_many_processes};
	if (*list == NULL)
		*list = memory_zeroed(1, sizeof **list, "the canonical graph");
	canonical_number(&c);
	(*list)->is_too_long = (*list)->is_too_long || (*list)->n_names + c.n_ids > UINT32_MAX;
	if (!(*list)->is_too_long) {
		add_edges(*list, &c);
		add_sets(*list, &c);
	}
	canonical_free(&c);
}

int graph_canonical(const struct canonical_list *list, FILE *out)
{
	if (list->is_too_long)
		return error("the canonical graph has more than %u nodes", UINT32_MAX);
	return canonical_print(list, out) != 0 ? error("the canonical graph could not be written: %s", strerror(errno)) : 0;
}
