/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Dependence edges, from the lists alone (OpenMP 5.1 section 2.19.11): for every parent and address the siblings' dependences
 * form sets in the order of creation. Consecutive `in`s are one set, so are consecutive `mutexinoutset`s and `inoutset`s; an `out` or
 * `inout` is a set of its own. The tasks of a set depend on those of the set before it: that orders them behind all earlier ones too.
 * omp_all_memory stands for every address of the parent. The tasks of a `mutexinoutset` set exclude each other besides.
 */
#include "builder/graph.h"
#include "builder/array.h"

#include <stdlib.h>

struct member {
	uint32_t task;
	uint32_t next;
};

/* One address of one parent. */
struct address {
	uint32_t parent;
	uint32_t next_of_parent; /* the next address of the same parent */
	uint64_t variable;
	uint32_t before, current; /* lists of members */
	uint8_t type;             /* of `current`: in, inout, mutexinoutset or inoutset; 0 empty */
};

struct dependence_tables {
	struct map rows;    /* hash of (parent, variable) -> address; collisions go to the next hash */
	struct map parents; /* parent -> its first address */
	struct map all;     /* parent -> its latest omp_all_memory task */
	struct address *addresses;
	size_t n_addresses, addresses_capacity;
	struct member *members; /* row 0 unused */
	size_t n_members, members_capacity;
	uint32_t *sources; /* of the task at hand */
	size_t n_sources, sources_capacity;
	uint32_t *exclusive; /* lists of members: mutexinoutset's sets of two and more that nobody can join any more */
	size_t n_exclusive, exclusive_capacity;
};

static int grow(void **array, size_t n, size_t *capacity, size_t element_bytes)
{
	return array_reserve(array, n + 1, capacity, element_bytes) ? 0 : error("out of memory for dependences");
}

static struct address *find(struct dependence_tables *t, uint32_t parent, uint64_t variable)
{
	uint64_t hash = (variable ^ (uint64_t)parent << 40) * UINT64_C(0x9e3779b97f4a7c15);
	for (;; hash += 2) {
		uint32_t *row = map_put(&t->rows, hash | 1);
		if (row == NULL)
			return NULL;
		if (*row != 0) {
			struct address *address = &t->addresses[*row];
			if (address->parent == parent && address->variable == variable)
				return address;
			continue;
		}
		if (t->n_addresses == 0)
			t->n_addresses = 1; /* row 0 unused */
		if (grow((void **)&t->addresses, t->n_addresses, &t->addresses_capacity, sizeof *t->addresses) != 0)
			return NULL;
		*row = (uint32_t)t->n_addresses++;
		uint32_t *first = map_put(&t->parents, parent);
		uint32_t *all = map_get(&t->all, parent);
		if (first == NULL)
			return NULL;
		struct address *address = &t->addresses[*row];
		*address = (struct address){.parent = parent, .next_of_parent = *first, .variable = variable};
		*first = *row;
		if (all != NULL) { /* whatever comes to a new address comes behind it */
			address->current = *all;
			address->type = dependence_type_inout;
		}
		return address;
	}
}

static int add_sources(struct dependence_tables *t, uint32_t list)
{
	for (; list != 0; list = t->members[list].next) {
		if (grow((void **)&t->sources, t->n_sources, &t->sources_capacity, sizeof *t->sources) != 0)
			return -1;
		t->sources[t->n_sources++] = t->members[list].task;
	}
	return 0;
}

static uint32_t add_member(struct dependence_tables *t, uint32_t task, uint32_t next)
{
	if (t->n_members == 0)
		t->n_members = 1;
	if (grow((void **)&t->members, t->n_members, &t->members_capacity, sizeof *t->members) != 0)
		return 0;
	t->members[t->n_members] = (struct member){task, next};
	return (uint32_t)t->n_members++;
}

/* The current set of an address is complete, and becomes the one before. */
static int close_set(struct dependence_tables *t, struct address *address)
{
	uint32_t list = address->current;
	address->current = 0;
	if (list == 0)
		return 0;
	address->before = list;
	if (address->type != dependence_type_mutexinoutset || t->members[list].next == 0)
		return 0;
	if (grow((void **)&t->exclusive, t->n_exclusive, &t->exclusive_capacity, sizeof *t->exclusive) != 0)
		return -1;
	t->exclusive[t->n_exclusive++] = list;
	return 0;
}

/* The task comes to an address: what it waits for there, and the set that it joins or opens. */
static int touch(struct dependence_tables *t, struct address *address, uint32_t task, unsigned type)
{
	if (type == dependence_type_out)
		type = dependence_type_inout;
	if (address->current != 0 && t->members[address->current].task == task) { /* the same address twice in one list */
		if (type == address->type || address->type == dependence_type_inout)
			return 0;
		/* Out of the set that it had joined: together the two types are an inout behind that set. */
		address->current = t->members[address->current].next;
		type = dependence_type_inout;
	}
	bool joins = type == address->type && type != dependence_type_inout;
	if (!joins && close_set(t, address) != 0)
		return -1;
	address->type = (uint8_t)type;
	if (add_sources(t, address->before) != 0)
		return -1;
	address->current = add_member(t, task, address->current);
	return address->current != 0 ? 0 : -1;
}

static int touch_all(struct dependence_tables *t, uint32_t parent, uint32_t task)
{
	uint32_t *all = map_put(&t->all, parent);
	if (all == NULL || add_sources(t, *all) != 0)
		return -1;
	uint32_t *first = map_get(&t->parents, parent);
	for (uint32_t row = first ? *first : 0; row != 0; row = t->addresses[row].next_of_parent)
		if (touch(t, &t->addresses[row], task, dependence_type_inout) != 0)
			return -1;
	*all = add_member(t, task, 0);
	return *all != 0 ? 0 : -1;
}

static int by_number(const void *left, const void *right)
{
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
	return l < r ? -1 : l > r;
}

int graph_depend(struct graph *graph, uint32_t task, uint32_t node, const struct dependence *list, size_t n)
{
	if (graph->dependences == NULL && (graph->dependences = calloc(1, sizeof *graph->dependences)) == NULL)
		return error("out of memory for dependences");
	struct dependence_tables *t = graph->dependences;
	uint32_t parent = graph->model->tasks[task].parent;
	unsigned strongest = 0; /* what the edges show: the first type of the list */
	t->n_sources = 0;
	for (size_t i = 0; i < n; i++) {
		int rc;
		if (list[i].type == dependence_type_source || list[i].type == dependence_type_sink)
			continue; /* doacross: between iterations, not tasks */
		if (strongest == 0)
			strongest = list[i].type;
		if (list[i].type == dependence_type_out_all_memory || list[i].type == dependence_type_inout_all_memory) {
			rc = touch_all(t, parent, task);
		} else {
			struct address *address = find(t, parent, list[i].variable);
			rc = address != NULL ? touch(t, address, task, list[i].type) : error("out of memory for dependences");
		}
		if (rc != 0)
			return -1;
	}
	if (t->n_sources > 1)
		qsort(t->sources, t->n_sources, sizeof *t->sources, by_number);
	for (size_t i = 0; i < t->n_sources; i++) {
		if (t->sources[i] == task || (i > 0 && t->sources[i] == t->sources[i - 1]))
			continue;
		struct edge edge = {t->sources[i], node, EDGE_DEPEND, true, (uint8_t)strongest};
		if (graph_add_edge(graph, &edge) != 0)
			return -1;
	}
	return 0;
}

/* Hands the members of a list over as a set of exclusive tasks. */
static int add_exclusive(struct graph *graph, uint32_t list)
{
	struct dependence_tables *t = graph->dependences;
	uint32_t n = 0;
	for (t->n_sources = 0; list != 0; list = t->members[list].next, n++) {
		uint32_t task = t->members[list].task;
		bool is_wait = graph->model->tasks[task].flags & task_flags_taskwait;
		if (grow((void **)&t->sources, n, &t->sources_capacity, sizeof *t->sources) != 0)
			return -1;
		t->sources[n] = is_wait ? graph->model->tasks[task].last : task;
	}
	return graph_add_exclusive(graph, t->sources, n);
}

int graph_depend_finish(struct graph *graph)
{
	struct dependence_tables *t = graph->dependences;
	int rc = 0;
	if (t == NULL)
		return 0;
	for (size_t i = 1; i < t->n_addresses && rc == 0; i++)
		rc = close_set(t, &t->addresses[i]);
	for (size_t i = 0; i < t->n_exclusive && rc == 0; i++)
		rc = add_exclusive(graph, t->exclusive[i]);
	graph_finish_exclusive(graph);
	return rc;
}

void graph_depend_free(struct graph *graph)
{
	struct dependence_tables *t = graph->dependences;
	if (t == NULL)
		return;
	map_free(&t->rows);
	map_free(&t->parents);
	map_free(&t->all);
	free(t->addresses);
	free(t->members);
	free(t->sources);
	free(t->exclusive);
	free(t);
	graph->dependences = NULL;
}
