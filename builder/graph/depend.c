/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes dependence edges from the lists alone (OpenMP 5.1 section 2.19.11): for every parent and address the siblings'
 * dependences form sets in the order of creation. Consecutive `in`s are one set, and so are consecutive
 * `mutexinoutset`s and `inoutset`s; each `out` or `inout` is a set with one task. The tasks of a set depend on those of
 * the set before it, which orders them after all earlier ones, too. omp_all_memory stands for every address of the
 * parent. The tasks of a `mutexinoutset` set also exclude each other. Called by build.c during and after the replay;
 * one thread.
 */
#include "builder/graph/shared.h"
#include "builder/support/array.h"

#include <stdlib.h>

struct member {
	uint32_t task;
	uint32_t next;
};

/* One address of one parent. */
struct address {
	uint32_t parent;
	uint32_t next_of_parent; /* next address of the parent named since its latest omp_all_memory */
	bool is_listed;          /* is it one of those? else its state is that which omp_all_memory left */
	uint64_t variable;
	uint32_t before, current; /* lists of members */
	uint8_t type;             /* of `current`: in, inout, mutexinoutset or inoutset; 0 empty */
};

struct dependence_tables {
	struct map rows;    /* hash of (parent, variable) -> address; collisions go to the next hash */
	struct map parents; /* parent -> its first listed address */
	struct map all;     /* parent -> its latest omp_all_memory task */
	struct address *addresses;
	size_t n_addresses, addresses_capacity;
	struct member *members; /* row 0 unused */
	size_t n_members, members_capacity;
	struct source {
		uint32_t task;
		unsigned type; /* dependence_type by which the task at hand depends on this one */
	} * sources;           /* of the task at hand */
	size_t n_sources, sources_capacity;
	uint64_t n_listed; /* dependences so far */
	uint64_t n_sources_all;
	uint64_t n_left_out;     /* sources beyond the limit */
	struct dependence *list; /* of the task at hand, each location once */
	size_t list_capacity;
	uint32_t *exclusive; /* lists of members: mutexinoutset's sets of two and more that nobody can join any more */
	size_t n_exclusive, exclusive_capacity;
};

/* Puts the address into its parent's list, in the state that the latest omp_all_memory left it in. */
static struct address *list_address(struct dependence_tables *t, struct address *address)
{
	uint32_t *first = map_put(&t->parents, address->parent);
	const uint32_t *all = map_get(&t->all, address->parent);
	address->next_of_parent = *first;
	address->is_listed = true;
	*first = (uint32_t)(address - t->addresses);
	if (all != NULL) { /* whoever names it next depends on that task */
		address->current = *all;
		address->type = dependence_type_inout;
	}
	return address;
}

static struct address *find(struct dependence_tables *t, uint32_t parent, uint64_t variable)
{
	uint64_t hash = (variable ^ (uint64_t)parent << 40) * UINT64_C(0x9e3779b97f4a7c15);
	for (;; hash += 2) {
		uint32_t *row = map_put(&t->rows, hash | 1);
		if (*row != 0) {
			struct address *address = &t->addresses[*row];
			if (address->parent == parent && address->variable == variable)
				return address->is_listed ? address : list_address(t, address);
			continue;
		}
		if (t->n_addresses == 0)
			t->n_addresses = 1; /* row 0 unused */
		array_reserve((void **)&t->addresses, t->n_addresses + 1, &t->addresses_capacity, sizeof *t->addresses);
		*row = (uint32_t)t->n_addresses++;
		t->addresses[*row] = (struct address){.parent = parent, .variable = variable};
		return list_address(t, &t->addresses[*row]);
	}
}

/*
 * Sets of thousands of tasks that follow each other have millions of edges. Beyond this limit edges are left out, and
 * counted as a repair.
 */
#define SOURCES_FREE           10000000
#define SOURCES_PER_DEPENDENCE 100

static void add_sources(struct dependence_tables *t, uint32_t list, unsigned type)
{
	if (t->n_sources_all > SOURCES_FREE + SOURCES_PER_DEPENDENCE * t->n_listed) {
		t->n_left_out += list != 0;
		return;
	}
	for (; list != 0; list = t->members[list].next) {
		array_reserve((void **)&t->sources, t->n_sources + 1, &t->sources_capacity, sizeof *t->sources);
		t->sources[t->n_sources++] = (struct source){t->members[list].task, type};
		t->n_sources_all++;
	}
}

static uint32_t add_member(struct dependence_tables *t, uint32_t task, uint32_t next)
{
	if (t->n_members == 0)
		t->n_members = 1;
	array_reserve((void **)&t->members, t->n_members + 1, &t->members_capacity, sizeof *t->members);
	t->members[t->n_members] = (struct member){task, next};
	return (uint32_t)t->n_members++;
}

/* The current set of an address is complete, and becomes the one before. */
static void close_set(struct dependence_tables *t, struct address *address)
{
	uint32_t list = address->current;
	address->current = 0;
	if (list == 0)
		return;
	address->before = list;
	if (address->type != dependence_type_mutexinoutset || t->members[list].next == 0)
		return;
	array_reserve((void **)&t->exclusive, t->n_exclusive + 1, &t->exclusive_capacity, sizeof *t->exclusive);
	t->exclusive[t->n_exclusive++] = list;
}

/* The task names an address: adds what it waits for there, and puts it into the address's current set or a new one. */
static void touch(struct dependence_tables *t, struct address *address, uint32_t task, unsigned named_type)
{
	unsigned type = named_type == dependence_type_in || named_type == dependence_type_mutexinoutset ||
					named_type == dependence_type_inoutset
				? named_type
				: dependence_type_inout;
	bool joins = type == address->type && type != dependence_type_inout;
	if (!joins)
		close_set(t, address);
	address->type = (uint8_t)type;
	add_sources(t, address->before, named_type);
	address->current = add_member(t, task, address->current);
}

static void touch_all(struct dependence_tables *t, uint32_t parent, uint32_t task, unsigned type)
{
	uint32_t *all = map_put(&t->all, parent);
	add_sources(t, *all, type);
	uint32_t *first = map_get(&t->parents, parent);
	for (uint32_t row = first ? *first : 0; row != 0; row = t->addresses[row].next_of_parent) {
		struct address *address = &t->addresses[row];
		close_set(t, address);
		add_sources(t, address->before, type);
		address->is_listed = false;
	}
	if (first != NULL)
		*first = 0;
	*all = add_member(t, task, 0);
}

static bool is_all_memory(unsigned type)
{
	return type == dependence_type_out_all_memory || type == dependence_type_inout_all_memory;
}

/* Where two tasks share several locations, the edge shows the strongest of the types. */
static int strength(unsigned type)
{
	switch (type) {
	case dependence_type_in: return 1;
	case dependence_type_inoutset: return 2;
	case dependence_type_mutexinoutset: return 3;
	default: return 4;
	}
}

static int by_location(const void *left, const void *right)
{
	const struct dependence *l = left, *r = right;
	if (l->variable != r->variable)
		return l->variable < r->variable ? -1 : 1;
	return (l->type > r->type) - (l->type < r->type);
}

/*
 * The list without doacross, which is between iterations and not tasks, and with each location once: two types of one
 * location, in whatever order, together are an inout. Returns its length.
 */
static size_t settle_list(struct dependence_tables *t, const struct dependence *list, size_t n)
{
	size_t n_left = 0, n_settled = 0;
	array_reserve((void **)&t->list, n, &t->list_capacity, sizeof *t->list);
	for (size_t i = 0; i < n; i++)
		if (list[i].type != dependence_type_source && list[i].type != dependence_type_sink)
			t->list[n_left++] = list[i];
	if (n_left > 1)
		qsort(t->list, n_left, sizeof *t->list, by_location);
	for (size_t i = 0; i < n_left; i++) {
		struct dependence *last = n_settled > 0 ? &t->list[n_settled - 1] : NULL;
		if (last == NULL || last->variable != t->list[i].variable || is_all_memory(t->list[i].type))
			t->list[n_settled++] = t->list[i];
		else if (last->type != t->list[i].type)
			last->type = dependence_type_inout;
	}
	return n_settled;
}

/* By task, the strongest type first. */
static int by_task(const void *left, const void *right)
{
	const struct source *l = left, *r = right;
	if (l->task != r->task)
		return l->task < r->task ? -1 : 1;
	return strength(r->type) - strength(l->type);
}

/* What the task of the settled list waits for, into t->sources. */
static void find_sources(struct dependence_tables *t, uint32_t parent, uint32_t task, size_t n)
{
	t->n_sources = 0;
	for (size_t i = 0; i < n; i++)
		if (is_all_memory(t->list[i].type)) { /* stands for the rest of the list, too */
			touch_all(t, parent, task, t->list[i].type);
			return;
		}
	for (size_t i = 0; i < n; i++)
		touch(t, find(t, parent, t->list[i].variable), task, t->list[i].type);
}

void graph_depend(struct graph *graph, const struct point *at, uint32_t task, uint32_t node, const struct dependence *list,
		  size_t n)
{
	if (graph->dependences == NULL)
		graph->dependences = memory_zeroed(1, sizeof *graph->dependences, "dependences");
	struct dependence_tables *t = graph->dependences;
	size_t n_settled = settle_list(t, list, n);
	t->n_listed += n;
	find_sources(t, graph->model->tasks[task].parent, task, n_settled);
	if (t->n_sources > 1)
		qsort(t->sources, t->n_sources, sizeof *t->sources, by_task);
	for (size_t i = 0; i < t->n_sources; i++) {
		bool is_again = i > 0 && t->sources[i].task == t->sources[i - 1].task;
		if (is_again || t->sources[i].task == task) /* a second list, in a damaged dump */
			continue;
		struct edge edge = {t->sources[i].task, node, EDGE_DEPEND, true, (uint8_t)t->sources[i].type};
		graph_add_edge(graph, at, &edge);
	}
}

/* Hands the members of a list over as a set of exclusive tasks. */
static void add_exclusive(struct graph *graph, uint32_t list)
{
	struct dependence_tables *t = graph->dependences;
	size_t n = 0, capacity = 0;
	uint32_t *nodes = NULL;
	for (; list != 0; list = t->members[list].next) {
		uint32_t task = t->members[list].task;
		const struct task *wait = graph->model->tasks[task].flags & task_flags_taskwait ? &graph->model->tasks[task] : NULL;
		uint32_t last = graph->tasks[task].last;
		array_reserve((void **)&nodes, n + 1, &capacity, sizeof *nodes);
		nodes[n++] = wait == NULL ? task : wait->waits_for != 0 ? wait->waits_for : last;
	}
	graph_add_exclusive(graph, nodes, (uint32_t)n);
	free(nodes);
}

void graph_depend_finish(struct graph *graph)
{
	struct dependence_tables *t = graph->dependences;
	if (t == NULL)
		return;
	for (size_t i = 1; i < t->n_addresses; i++)
		close_set(t, &t->addresses[i]);
	for (size_t i = 0; i < t->n_exclusive; i++)
		add_exclusive(graph, t->exclusive[i]);
	graph_finish_exclusive(graph);
	if (t->n_left_out > 0)
		tally_add(&graph->repairs, "dependences_left_out", t->n_left_out);
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
	free(t->list);
	free(t->exclusive);
	free(t);
	graph->dependences = NULL;
}
