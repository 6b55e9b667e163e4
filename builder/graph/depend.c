/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes dependence edges from the lists alone (OpenMP 5.1 section 2.19.11): for every parent and address the siblings'
 * dependences form sets in the order of creation. Consecutive `in`s are one set, and so are consecutive
 * `mutexinoutset`s and `inoutset`s; each `out` or `inout` is a set with one task. The tasks of a set depend on those of
 * the set before it, which orders them after all earlier ones, too. omp_all_memory stands for every address of the
 * parent. The tasks of a `mutexinoutset` set also exclude each other. Called by build.c during the replay, for several
 * streams at the same time, and after it.
 *
 * Siblings are created by their parent, which is current on one stream: so there is a table for each stream. A parent that
 * moves between streams takes one of its own along.
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

struct dependence_table {
	struct map rows;    /* hash of (parent, variable) -> address; collisions go to the next hash */
	struct map parents; /* parent -> its first listed address */
	struct map all;     /* parent -> its latest omp_all_memory task */
	struct address *addresses;
	size_t n_addresses, addresses_capacity;
	struct member *members; /* row 0 unused */
	size_t n_members, members_capacity;
	struct source {
		uint32_t task;
		unsigned type;     /* dependence_type by which the task at hand depends on this one, ... */
		uint64_t variable; /* ... and where; 0: in all memory */
	} * sources;               /* of the task at hand */
	size_t n_sources, sources_capacity;
	uint64_t n_listed; /* dependences so far */
	uint64_t n_sources_all;
	uint64_t n_left_out;     /* sources beyond the limit */
	struct dependence *list; /* of the task at hand, each location once */
	size_t list_capacity;
	struct exclusive_list {
		uint32_t list; /* of members: a mutexinoutset's set of two and more that nobody can join any more */
		uint64_t variable;
	} * exclusive;
	size_t n_exclusive, exclusive_capacity;
	char apart[64]; /* from the next stream's table, which another thread may write: no cache line has both */
};

struct dependences {
	struct dependence_table *tables; /* by row of dump.streams */
	size_t n_tables;
	struct moved_parent {
		uint32_t task;
		struct dependence_table *table; /* NULL: none of its children has a list yet */
	} * moved;                              /* tasks that move between streams, by row */
	size_t n_moved;
};

void graph_depend_begin(struct graph *graph)
{
	const struct model *m = graph->model;
	if (m->n_events[EVENT_dependences] == 0)
		return;
	struct dependences *d = graph->dependences = memory_zeroed(1, sizeof *d, "dependences");
	size_t capacity = 0;
	d->n_tables = graph->n_streams;
	d->tables = memory_zeroed(d->n_tables, sizeof *d->tables, "dependences");
	for (uint32_t row = 1; row < m->n_tasks && m->n_migrated > 0; row++) {
		if (!(m->tasks[row].state & TASK_MIGRATED))
			continue;
		array_reserve((void **)&d->moved, d->n_moved + 1, &capacity, sizeof *d->moved);
		d->moved[d->n_moved++] = (struct moved_parent){row, NULL};
	}
}

static struct dependence_table *find_table(const struct graph *graph, const struct point *at, uint32_t parent)
{
	struct dependences *d = graph->dependences;
	size_t low = 0, high = d->n_moved;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (d->moved[middle].task < parent)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == d->n_moved || d->moved[low].task != parent)
		return &d->tables[graph_stream_row(graph, at)];
	if (d->moved[low].table == NULL)
		d->moved[low].table = memory_zeroed(1, sizeof *d->moved[low].table, "dependences");
	return d->moved[low].table;
}

/* Calls the function for the tables of all streams, and then of the tasks that move. */
static void each_table(struct graph *graph, void (*function)(struct graph *graph, struct dependence_table *t))
{
	const struct dependences *d = graph->dependences;
	for (size_t i = 0; i < d->n_tables; i++)
		function(graph, &d->tables[i]);
	for (size_t i = 0; i < d->n_moved; i++)
		if (d->moved[i].table != NULL)
			function(graph, d->moved[i].table);
}

/* Puts the address into its parent's list, in the state that the latest omp_all_memory left it in. */
static struct address *list_address(struct dependence_table *t, struct address *address)
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

static struct address *find(struct dependence_table *t, uint32_t parent, uint64_t variable)
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

static void add_sources(struct dependence_table *t, uint32_t list, unsigned type, uint64_t variable)
{
	if (t->n_sources_all > SOURCES_FREE + SOURCES_PER_DEPENDENCE * t->n_listed) {
		t->n_left_out += list != 0;
		return;
	}
	for (; list != 0; list = t->members[list].next) {
		array_reserve((void **)&t->sources, t->n_sources + 1, &t->sources_capacity, sizeof *t->sources);
		t->sources[t->n_sources++] = (struct source){t->members[list].task, type, variable};
		t->n_sources_all++;
	}
}

static uint32_t add_member(struct dependence_table *t, uint32_t task, uint32_t next)
{
	if (t->n_members == 0)
		t->n_members = 1;
	array_reserve((void **)&t->members, t->n_members + 1, &t->members_capacity, sizeof *t->members);
	t->members[t->n_members] = (struct member){task, next};
	return (uint32_t)t->n_members++;
}

/* The current set of an address is complete, and becomes the one before. */
static void close_set(struct dependence_table *t, struct address *address)
{
	uint32_t list = address->current;
	address->current = 0;
	if (list == 0)
		return;
	address->before = list;
	if (address->type != dependence_type_mutexinoutset || t->members[list].next == 0)
		return;
	array_reserve((void **)&t->exclusive, t->n_exclusive + 1, &t->exclusive_capacity, sizeof *t->exclusive);
	t->exclusive[t->n_exclusive++] = (struct exclusive_list){list, address->variable};
}

/* The task names an address: adds what it waits for there, and puts it into the address's current set or a new one. */
static void touch(struct dependence_table *t, struct address *address, uint32_t task, unsigned named_type)
{
	unsigned type = named_type == dependence_type_in || named_type == dependence_type_mutexinoutset ||
					named_type == dependence_type_inoutset
				? named_type
				: dependence_type_inout;
	bool joins = type == address->type && type != dependence_type_inout;
	if (!joins)
		close_set(t, address);
	address->type = (uint8_t)type;
	add_sources(t, address->before, named_type, address->variable);
	address->current = add_member(t, task, address->current);
}

static void touch_all(struct dependence_table *t, uint32_t parent, uint32_t task, unsigned type)
{
	uint32_t *all = map_put(&t->all, parent);
	add_sources(t, *all, type, 0);
	uint32_t *first = map_get(&t->parents, parent);
	for (uint32_t row = first ? *first : 0; row != 0; row = t->addresses[row].next_of_parent) {
		struct address *address = &t->addresses[row];
		close_set(t, address);
		add_sources(t, address->before, type, address->variable);
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
static size_t settle_list(struct dependence_table *t, const struct dependence *list, size_t n)
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

/* By task, the strongest type first, and of those the lowest address. */
static int by_task(const void *left, const void *right)
{
	const struct source *l = left, *r = right;
	if (l->task != r->task)
		return l->task < r->task ? -1 : 1;
	if (strength(l->type) != strength(r->type))
		return strength(r->type) - strength(l->type);
	return (l->variable > r->variable) - (l->variable < r->variable);
}

/* What the task of the settled list waits for, into t->sources. */
static void find_sources(struct dependence_table *t, uint32_t parent, uint32_t task, size_t n)
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
	uint32_t parent = graph->model->tasks[task].parent;
	struct dependence_table *t = find_table(graph, at, parent);
	size_t n_settled = settle_list(t, list, n);
	t->n_listed += n;
	find_sources(t, parent, task, n_settled);
	if (t->n_sources > 1)
		qsort(t->sources, t->n_sources, sizeof *t->sources, by_task);
	for (size_t i = 0; i < t->n_sources; i++) {
		bool is_again = i > 0 && t->sources[i].task == t->sources[i - 1].task;
		if (is_again || t->sources[i].task == task) /* a second list, in a damaged dump */
			continue;
		const struct source *source = &t->sources[i];
		struct edge edge = {.source = source->task,
				    .target = node,
				    .kind = EDGE_DEPEND,
				    .from_end = true,
				    .dependence = (uint8_t)source->type,
				    .variable_low = (uint32_t)source->variable,
				    .variable_high = (uint32_t)(source->variable >> 32)};
		graph_add_edge(graph, at, &edge);
	}
}

/* Hands the members of a list over as a set of exclusive tasks. */
static void add_exclusive(struct graph *graph, const struct dependence_table *t, uint32_t list, uint64_t variable)
{
	size_t n = 0, capacity = 0;
	uint32_t *nodes = NULL;
	for (; list != 0; list = t->members[list].next) {
		uint32_t task = t->members[list].task;
		const struct task *wait = graph->model->tasks[task].flags & task_flags_taskwait ? &graph->model->tasks[task] : NULL;
		uint32_t last = graph->tasks[task].last;
		array_reserve((void **)&nodes, n + 1, &capacity, sizeof *nodes);
		nodes[n++] = wait == NULL ? task : wait->waits_for != 0 ? wait->waits_for : last;
	}
	graph_add_exclusive(graph, variable, nodes, (uint32_t)n);
	free(nodes);
}

static void finish_table(struct graph *graph, struct dependence_table *t)
{
	for (size_t i = 1; i < t->n_addresses; i++)
		close_set(t, &t->addresses[i]);
	for (size_t i = 0; i < t->n_exclusive; i++)
		add_exclusive(graph, t, t->exclusive[i].list, t->exclusive[i].variable);
	if (t->n_left_out > 0)
		tally_add(&graph->repairs, "dependences_left_out", t->n_left_out);
}

void graph_depend_finish(struct graph *graph)
{
	if (graph->dependences == NULL)
		return;
	each_table(graph, finish_table);
	graph_finish_exclusive(graph);
}

static void free_table(struct graph *graph, struct dependence_table *t)
{
	(void)graph;
	map_free(&t->rows);
	map_free(&t->parents);
	map_free(&t->all);
	free(t->addresses);
	free(t->members);
	free(t->sources);
	free(t->list);
	free(t->exclusive);
}

void graph_depend_free(struct graph *graph)
{
	struct dependences *d = graph->dependences;
	if (d == NULL)
		return;
	each_table(graph, free_table);
	for (size_t i = 0; i < d->n_moved; i++)
		free(d->moved[i].table);
	free(d->moved);
	free(d->tables);
	free(d);
	graph->dependences = NULL;
}
