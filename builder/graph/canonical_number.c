/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Gives each node its number among its siblings. Children of an explicit task, and nodes inside of it, are numbered in the
 * order of the program. What the threads of a team do has no such order: there siblings are distinguished by barriers before,
 * construct and kind, and those that are still alike by classes (canonical_refine.c). Only these, and what is below them,
 * are refined.
 */
#include "builder/graph/canonical.h"
#include "builder/graph/shared.h"
#include "builder/support/array.h"
#include "builder/support/sort.h"

#include <stdlib.h>
#include <string.h>

static const char what[] = "the canonical graph";

enum { LABEL_AFTER = EDGE_KINDS, LABEL_EXCLUSIVE }; /* labels of edges that are not the graph's, for canonical_refine() */

static uint64_t mix_text(uint64_t hash, const char *text)
{
	while (*text != '\0')
		hash = hash_mix(hash, (unsigned char)*text++);
	return hash_mix(hash, 0);
}

/* ---- The parts of nodes' names ---- */

/* The node where the path of a team begins: its region, or the initial task. 0: not known. */
static uint32_t team_place(const struct canon *c, uint32_t region)
{
	if (c->m->regions[region].state & REGION_INITIAL && c->of_region[region] != 0)
		return c->of_region[region];
	return c->same[c->graph->region_node[region]];
}

static uint64_t task_step(const struct canon *c, uint32_t row, uint32_t *after)
{
	const struct task *task = &c->m->tasks[row];
	if (task_is_explicit(task)) {
		*after = task->parent != 0 ? c->same[task->parent] : 0;
		uint64_t label = canonical_label_hash(c, task->construct, task->parent);
		bool is_of_team = task->parent != 0 && canonical_is_merged(c, task->parent);
		return hash_mix(canonical_hash(21, is_of_team ? canonical_phase(c, row) : c->ordinal[row]), label);
	}
	*after = canonical_is_merged(c, row) ? team_place(c, task->region) : 0;
	return canonical_hash(22, row == c->first_root);
}

/*
 * `after`: the node that comes before this one in its path, 0: the path begins with it. Returns a hash of its own part of the
 * path, without its class.
 */
static uint64_t step_of(const struct canon *c, uint32_t id, uint32_t *after)
{
	if (id < c->m->n_tasks)
		return task_step(c, id, after);
	const struct node *node = graph_inner_node(c->graph, id);
	if (node->is_of_unit)
		return c->m->tasking->canonical->step(c, id, after);
	uint64_t step = hash_mix(hash_mix(canonical_hash(23, node->is_in_work), node->kind),
				 canonical_label_hash(c, node->construct, node->task));
	if (node->kind == NODE_BARRIER || node->kind == NODE_JOIN) {
		*after = team_place(c, node->region);
		return hash_mix(canonical_hash(25, node->kind), node->phase);
	}
	*after = c->same[node->task];
	if (canonical_is_merged(c, node->task))
		step = hash_mix(step, node->phase);
	return hash_mix(step, c->node_ordinal[id - c->m->n_tasks]); /* 0 yet, if it depends on the class */
}

/* Has the node no number yet, as the order of the program does not give it one? */
static bool needs_class(const struct canon *c, uint32_t id)
{
	if (c->same[id] != id || id == 0)
		return false;
	if (id < c->m->n_tasks) {
		const struct task *task = &c->m->tasks[id];
		if (!graph_task_is_node(c->graph, id))
			return false;
		if (task_is_explicit(task))
			return task->parent != 0 && canonical_is_merged(c, task->parent);
		return !canonical_is_merged(c, id) && id != c->first_root;
	}
	const struct node *node = graph_inner_node(c->graph, id);
	if (node->is_of_unit)
		return c->m->tasking->canonical->needs_class(c, id);
	return canonical_is_inner(node) && node->is_in_work && canonical_is_merged(c, node->task);
}

/* ---- Classes ---- */

/* The state of the search for classes. */
struct classing {
	struct canon *c;
	struct map n_alike;      /* (node before it in the path, step) -> how many nodes need a class */
	uint64_t *colour;        /* by node: hash of its path without classes */
	unsigned char *progress; /* by node */
	uint32_t *index;         /* by node: number in the refinement */
	uint32_t n_open;         /* number of nodes of the refinement */
	uint64_t *open_colour;   /* their colours */
	struct refine_edge *edges;
	size_t n_edges, edges_capacity; /* of the refinement */
};

/* A node is open if others have the same path without classes. It is closed if its path is its own. */
enum { NOT_YET, ON_THE_WAY, CLOSED, OPEN };

static bool count_alike(struct classing *k)
{
	bool is_needed = false;
	uint32_t after;
	for (uint32_t id = 1; id < k->c->n_ids; id++)
		if (needs_class(k->c, id)) {
			uint64_t step = step_of(k->c, id, &after);
			is_needed = ++*map_put(&k->n_alike, hash_mix(step, after)) > 1 || is_needed;
		}
	return is_needed;
}

/* Visits each node once. Only damage leads back to a node that is being visited. */
static void find_colours(struct classing *k)
{
	struct canon *c = k->c;
	uint32_t *todo = memory_get(c->n_ids, sizeof *todo, what);
	for (uint32_t first = 1; first < c->n_ids; first++) {
		uint32_t n = 0, id = c->same[first], after;
		for (; id != 0 && k->progress[id] == NOT_YET; id = after) {
			todo[n++] = id;
			k->progress[id] = ON_THE_WAY;
			step_of(c, id, &after);
		}
		while (n > 0) {
			id = todo[--n];
			uint64_t step = step_of(c, id, &after);
			bool is_alike = needs_class(c, id) && *map_get(&k->n_alike, hash_mix(step, after)) > 1;
			k->colour[id] = hash_mix(canonical_hash(20, k->colour[after]), step);
			k->progress[id] = is_alike || k->progress[after] == OPEN ? OPEN : CLOSED;
		}
	}
	free(todo);
}

/* Adds an edge if one of its ends is open. A closed end is a colour, and needs no edge. */
static void add_refined(struct classing *k, uint32_t source, uint32_t target, uint32_t label)
{
	bool has_source = k->progress[source] == OPEN, has_target = k->progress[target] == OPEN;
	if (has_source && has_target) {
		array_push(k->edges, k->n_edges, k->edges_capacity,
			   (struct refine_edge){k->index[source], k->index[target], label});
	} else if (has_source) {
		k->open_colour[k->index[source]] += hash_mix(canonical_hash(30, label), k->colour[target]);
	} else if (has_target) {
		k->open_colour[k->index[target]] += hash_mix(canonical_hash(31, label), k->colour[source]);
	}
}

/* A set is a node of the refinement, with an edge to each of its members. */
static void add_sets(struct classing *k)
{
	const struct canon *c = k->c;
	for (size_t i = 0; i < c->n_sets; i++) {
		uint32_t of_set = k->n_open++;
		k->open_colour[of_set] = canonical_hash(32, c->sets[i].n);
		for (uint32_t j = 0; j < c->sets[i].n; j++) {
			uint32_t id = c->members[c->sets[i].first + j];
			if (k->progress[id] != OPEN) {
				k->open_colour[of_set] += canonical_hash(33, k->colour[id]);
				continue;
			}
			array_push(k->edges, k->n_edges, k->edges_capacity,
				   (struct refine_edge){of_set, k->index[id], LABEL_EXCLUSIVE});
		}
	}
}

static void refine(struct classing *k)
{
	struct canon *c = k->c;
	uint32_t after;
	for (uint32_t id = 1; id < c->n_ids; id++)
		if (c->same[id] == id && k->progress[id] == OPEN)
			k->index[id] = k->n_open++;
	size_t n_all = k->n_open + c->n_sets;
	k->open_colour = memory_zeroed(n_all, sizeof *k->open_colour, what);
	for (uint32_t id = 1; id < c->n_ids; id++) {
		if (c->same[id] != id || k->progress[id] != OPEN)
			continue;
		k->open_colour[k->index[id]] += k->colour[id];
		step_of(c, id, &after);
		if (k->progress[after] == OPEN) /* if names are equal, those before them in the path are, too */
			add_refined(k, after, id, LABEL_AFTER);
	}
	for (uint32_t id = 0; id < c->n_ids; id++)
		for (size_t i = c->first_edge[id]; i < c->first_edge[id + 1]; i++)
			add_refined(k, id, canonical_target(c->edges[i]), canonical_edge_label(c->edges[i]));
	add_sets(k);
	uint32_t *classes = memory_zeroed(n_all, sizeof *classes, what);
	canonical_refine((uint32_t)n_all, k->open_colour, k->edges, k->n_edges, classes);
	for (uint32_t id = 1; id < c->n_ids; id++)
		if (c->same[id] == id && k->progress[id] == OPEN)
			c->class[id] = classes[k->index[id]];
	free(classes);
	free(k->open_colour);
	free(k->edges);
}

static void find_classes(struct canon *c)
{
	struct classing k = {.c = c};
	if (count_alike(&k)) {
		k.colour = memory_zeroed(c->n_ids, sizeof *k.colour, what);
		k.progress = memory_zeroed(c->n_ids, sizeof *k.progress, what);
		k.index = memory_zeroed(c->n_ids, sizeof *k.index, what);
		find_colours(&k);
		refine(&k);
		free(k.colour);
		free(k.progress);
		free(k.index);
	}
	map_free(&k.n_alike);
}

/* ---- Numbers ---- */

/* Numbers children of tasks that are not merged, in the order of creation, which is the program's; needs no classes. */
static void number_by_creation(struct canon *c)
{
	for (uint32_t i = 1; i < c->m->n_tasks; i++)
		if (!task_is_explicit(&c->m->tasks[i]) || c->m->tasks[i].parent == 0)
			c->ordinal[i] = 1;
	for (uint32_t i = 0; i < c->n_ordered; i++) {
		uint32_t task = c->order[i], first = c->first_child[task], n = c->first_child[task + 1] - first;
		for (uint32_t j = 0; j < n && !canonical_is_merged(c, task); j++)
			c->ordinal[c->children[first + j]] = j + 1;
	}
}

static int compare_children(const void *left, const void *right, void *canon)
{
	const struct canon *c = canon;
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
	uint32_t phase_l = canonical_phase(c, l), phase_r = canonical_phase(c, r);
	if (phase_l != phase_r)
		return phase_l < phase_r ? -1 : 1;
	const struct task *left_task = &c->m->tasks[l], *right_task = &c->m->tasks[r];
	const char *left_label = canonical_label(c, left_task->construct, left_task->parent);
	const char *right_label = canonical_label(c, right_task->construct, right_task->parent);
	int by_label = left_label != right_label ? strcmp(left_label, right_label) : 0;
	if (by_label != 0)
		return by_label;
	return cmp(c->class[l], c -> class[r]);
}

static int compare_roots(const void *left, const void *right, void *canon)
{
	const struct canon *c = canon;
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
	return cmp(c->class[l], c -> class[r]);
}

/* Numbers tasks from `number` on; equal ones get equal numbers. */
static void number_sorted(struct canon *c, uint32_t *tasks, uint32_t n, uint32_t number,
			  int (*compare)(const void *, const void *, void *))
{
	sort_rows_r(tasks, n, compare, c); /* often all of them are equal */
	for (uint32_t i = 0; i < n; i++) {
		number += i > 0 && compare(&tasks[i], &tasks[i - 1], c) != 0;
		c->ordinal[tasks[i]] = number;
	}
}

/* The process's first initial task is 1; other threads of the program begin to use OpenMP in any order. */
static void number_roots(struct canon *c)
{
	uint32_t n_roots = 0, *roots = memory_get(c->n_ordered, sizeof *roots, what);
	for (uint32_t i = 0; i < c->n_ordered; i++) {
		uint32_t task = c->order[i];
		if (c->m->tasks[task].flags & task_flags_initial && !canonical_is_merged(c, task) && task != c->first_root)
			roots[n_roots++] = task;
	}
	number_sorted(c, roots, n_roots, 2, compare_roots);
	free(roots);
}

static void number_tasks(struct canon *c)
{
	for (uint32_t i = 0; i < c->n_ordered; i++) {
		uint32_t task = c->order[i], first = c->first_child[task];
		if (canonical_is_merged(c, task))
			number_sorted(c, c->children + first, c->first_child[task + 1] - first, 1, compare_children);
	}
	number_roots(c);
}

/* An inner node of a merged task. Nodes of one place are numbered from 1. */
struct of_team {
	uint64_t place; /* family, barriers before, and what is in the name */
	const char *label;
	uint32_t class, order; /* class: of nodes that one thread executes for the team; order: of those that each thread reaches */
	uint32_t node;
};

static int by_order(const void *left, const void *right)
{
	const struct of_team *l = left, *r = right;
	if (l->place != r->place)
		return l->place < r->place ? -1 : 1;
	int by_label = strcmp(l->label, r->label);
	if (by_label != 0)
		return by_label;
	return cmp(l->class, r->class) ?: cmp(l->order, r->order);
}

/* Sets the numbers in the names: no two nodes of one place have the same, unless they are equal. */
static void number_in_team(struct canon *c)
{
	struct of_team *all = NULL;
	size_t n = 0, capacity = 0;
	for (uint32_t i = 0; i < c->graph->n_nodes; i++) {
		const struct node *node = &c->graph->nodes[i];
		if (!canonical_is_inner(node) || !canonical_is_merged(c, node->task))
			continue;
		uint64_t place = hash_mix(canonical_hash(8, c->family[node->task]), node->phase);
		place = hash_mix(hash_mix(place, node->is_in_work), (uint64_t)canonical_letter(node->kind));
		array_push(all, n, capacity,
			   (struct of_team){place, canonical_label(c, node->construct, node->task), c->class[c->m->n_tasks + i],
					    c -> node_ordinal[i], i});
	}
	sort_array(all, n, by_order);
	for (size_t i = 0, number = 1; i < n; i++) {
		if (i > 0 && by_order(&all[i], &all[i - 1]) != 0)
			number = all[i].place == all[i - 1].place ? number + 1 : 1;
		c->node_ordinal[all[i].node] = (uint32_t)number;
	}
	free(all);
}

void canonical_number(struct canon *c)
{
	c->n_ids = c->m->n_tasks + c->graph->n_nodes;
	c->label_hash = memory_zeroed(c->m->n_constructs, sizeof *c->label_hash, what);
	c->ordinal = memory_zeroed(c->m->n_tasks, sizeof *c->ordinal, what);
	c->node_ordinal = memory_zeroed(c->graph->n_nodes, sizeof *c->node_ordinal, what);
	c->same = memory_zeroed(c->n_ids, sizeof *c->same, what);
	c->class = memory_zeroed(c->n_ids, sizeof *c->class, what);
	c->path = memory_zeroed(c->m->n_tasks, sizeof *c->path, what);
	c->path_todo = memory_zeroed(c->m->n_tasks, sizeof *c->path_todo, what);
	c->is_named = memory_zeroed(c->n_ids, sizeof *c->is_named, what);
	c->traits = memory_get(c->n_ids, sizeof *c->traits, what);
	c->first_edge = memory_get((size_t)c->n_ids + 1, sizeof *c->first_edge, what);
	c->known_depth = memory_zeroed(c->m->n_tasks, sizeof *c->known_depth, what);
	for (uint32_t i = 0; i < c->m->n_constructs; i++)
		c->label_hash[i] = mix_text(0, c->m->constructs[i].label);
	canonical_number_in_order(c); /* canonical_families() finds equal regions by these numbers */
	canonical_families(c);
	if (c->m->tasking != NULL)
		c->m->tasking->canonical->begin(c);
	number_by_creation(c);
	canonical_edges(c);
	find_classes(c);
	number_tasks(c);
	number_in_team(c);
	if (c->m->tasking != NULL)
		c->m->tasking->canonical->number(c);
}

void canonical_free(struct canon *c)
{
	void *const all[] = {c->label_hash,   c->family,       c->of_region,   c->is_settled, c->order,  c->first_child,
			     c->children,     c->first_nested, c->next_nested, c->same,       c->traits, c->first_edge,
			     c->edges,        c->is_named,     c->sets,        c->members,    c->class,  c->ordinal,
			     c->node_ordinal, c->path,         c->path_todo,   c->known_depth};
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		free(all[i]);
	if (c->units != NULL)
		c->m->tasking->canonical->free(c);
}
