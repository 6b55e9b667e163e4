/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes dependence edges from the lists alone (OpenMP 5.1 section 2.19.11): for every parent and address the siblings'
 * dependences form sets in the order of creation. Consecutive `in`s are one set, and so are consecutive `mutexinoutset`s
 * and `inoutset`s; each `out` or `inout` is a set with one task. The tasks of a set depend on those of the set before it,
 * which orders them after all earlier ones, too. omp_all_memory stands for every address of the parent. The tasks of a
 * `mutexinoutset` set also exclude each other.
 *
 * Siblings are created by their parent, which is current on one stream: so there is a table for each stream. A parent that
 * moves between streams has a table of its own.
 */
#include "builder/graph/shared.h"
#include "builder/support/array.h"
#include "builder/support/lower_bound.h"
#include "builder/support/sort.h"

#include <stdlib.h>

struct set_member {
	uint32_t task;
	uint32_t next;
};

/* The sets of one address of one parent. */
struct address {
	struct address_key {
		uint64_t variable, parent;
	} key;
	uint32_t next_of_parent;  /* number of the next address of the parent named since its latest omp_all_memory */
	uint32_t before, current; /* lists of members */
	bool is_listed;           /* it is in the parent's list; else its state is that which omp_all_memory left */
	uint8_t type;             /* of `current`: in, inout, mutexinoutset or inoutset; 0 empty */
};

struct dependence_table {
	struct map numbers; /* of addresses, from 1 on: by map_put_row */
	struct map parents; /* parent -> its first listed address */
	struct map all;     /* parent -> its latest omp_all_memory task */
	struct address *addresses;
	size_t n_addresses, addresses_capacity;
	struct set_member *members; /* row 0 unused */
	size_t n_members, members_capacity;
	struct source {
		uint32_t task;
		unsigned type;     /* dependence_type by which the present task depends on this one */
		uint64_t variable; /* address of the dependence; 0: all memory */
	} * sources;               /* of the present task */
	size_t n_sources, sources_capacity;
	uint64_t n_listed; /* number of dependences so far */
	uint64_t n_sources_all;
	uint64_t n_left_out;     /* sources beyond the limit */
	struct dependence *list; /* of the present task, each location once */
	size_t list_capacity;
	struct exclusive_list {
		uint32_t list; /* of members: a complete set of two or more tasks with mutexinoutset */
		uint64_t variable;
	} * exclusive;
	size_t n_exclusive, exclusive_capacity;
	char apart[64]; /* padding: another thread may write the next stream's table, so they share no cache line */
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
		array_push(d->moved, d->n_moved, capacity, (struct moved_parent){row, NULL});
	}
}

static struct dependence_table *find_table(const struct graph *graph, const struct point *at, uint32_t parent)
{
	struct dependences *d = graph->dependences;
	size_t low = lower_bound(i, 0, d->n_moved, d->moved[i].task < parent);
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
	uint32_t *first = map_put(&t->parents, address->key.parent);
	const uint32_t *all = map_get(&t->all, address->key.parent);
	address->next_of_parent = *first;
	address->is_listed = true;
	*first = (uint32_t)(address - t->addresses) + 1;
	if (all != NULL) { /* the next task that names it depends on that task */
		address->current = *all;
		address->type = dependence_type_inout;
	}
	return address;
}

static struct address *find(struct dependence_table *t, uint32_t parent, uint64_t variable)
{
	const struct address_key key = {variable, parent};
	uint32_t *number = map_put_row(&t->numbers, t->addresses, key);
	array_push_new(t->addresses, t->n_addresses, t->addresses_capacity, number, (struct address){.key = key});
	struct address *address = &t->addresses[*number - 1];
	return address->is_listed ? address : list_address(t, address);
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
		array_push(t->sources, t->n_sources, t->sources_capacity, (struct source){t->members[list].task, type, variable});
		t->n_sources_all++;
	}
}

static uint32_t add_member(struct dependence_table *t, uint32_t task, uint32_t next)
{
	if (t->n_members == 0)
		t->n_members = 1;
	array_push(t->members, t->n_members, t->members_capacity, (struct set_member){task, next});
	return (uint32_t)t->n_members - 1;
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
	array_push(t->exclusive, t->n_exclusive, t->exclusive_capacity, (struct exclusive_list){list, address->key.variable});
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
	add_sources(t, address->before, named_type, address->key.variable);
	address->current = add_member(t, task, address->current);
}

static void touch_all(struct dependence_table *t, uint32_t parent, uint32_t task, unsigned type)
{
	uint32_t *all = map_put(&t->all, parent);
	add_sources(t, *all, type, 0);
	uint32_t *first = map_get(&t->parents, parent);
	for (uint32_t row = first ? *first : 0; row != 0; row = t->addresses[row - 1].next_of_parent) {
		struct address *address = &t->addresses[row - 1];
		close_set(t, address);
		add_sources(t, address->before, type, address->key.variable);
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
	return cmp(l->variable, r->variable) ?: cmp(l->type, r->type);
}

/*
 * The list without doacross, which is between iterations and not tasks (doacross.c), and with each location once: two types of one
 * location, in whatever order, together are an inout. Returns its length.
 */
static size_t settle_list(struct dependence_table *t, const struct dependence *list, size_t n)
{
	size_t n_left = 0, n_settled = 0;
	array_reserve(t->list, n, t->list_capacity);
	for (size_t i = 0; i < n; i++)
		if (list[i].type != dependence_type_source && list[i].type != dependence_type_sink)
			t->list[n_left++] = list[i];
	sort_array(t->list, n_left, by_location);
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
	return cmp(l->variable, r->variable);
}

/* Collects the tasks that the task of the settled list waits for in t->sources. */
static void find_sources(struct dependence_table *t, uint32_t parent, uint32_t task, size_t n)
{
	t->n_sources = 0;
	for (size_t i = 0; i < n; i++)
		if (is_all_memory(t->list[i].type)) { /* it includes the rest of the list */
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
	sort_array(t->sources, t->n_sources, by_task);
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

/* Adds the members of a list to the graph as a set of exclusive tasks. */
static void add_exclusive(struct graph *graph, const struct dependence_table *t, uint32_t list, uint64_t variable)
{
	size_t n = 0, capacity = 0;
	uint32_t *nodes = NULL;
	for (; list != 0; list = t->members[list].next) {
		uint32_t task = t->members[list].task;
		const struct task *wait = graph->model->tasks[task].flags & task_flags_taskwait ? &graph->model->tasks[task] : NULL;
		uint32_t last = graph->tasks[task].last;
		array_push(nodes, n, capacity, wait == NULL ? task : wait->waits_for != 0 ? wait->waits_for : last);
	}
	graph_add_exclusive(graph, variable, nodes, (uint32_t)n);
	free(nodes);
}

static void finish_table(struct graph *graph, struct dependence_table *t)
{
	for (size_t i = 0; i < t->n_addresses; i++)
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
	map_free(&t->numbers);
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

/* ---- Variables ---- */

/*
 * Looks up the names of variables in dependences and mutexes, for tables. Called by process.c when the graph is complete; on
 * one thread.
 */

void graph_name_variables(struct graph *graph, struct symbols *symbols)
{
	variables_begin(&graph->variables, graph->model);
	for (size_t i = 0; i < graph->n_edges; i++)
		if (graph->edges[i].kind == EDGE_DEPEND && edge_variable(&graph->edges[i]) != 0)
			variables_note(&graph->variables, symbols, edge_variable(&graph->edges[i]));
	for (size_t i = 0; i < graph_n_exclusive(graph); i++)
		variables_note(&graph->variables, symbols, graph_exclusive_variable(graph, i));
	for (uint32_t i = 0; i < graph->mutexes.n_rows; i++)
		if (graph->mutexes.rows[i].wait_id != 0)
			variables_note(&graph->variables, symbols, graph->mutexes.rows[i].wait_id);
}
