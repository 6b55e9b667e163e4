/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds canonical families: parents and children of tasks, where all implicit tasks of a region count as one, and so do the
 * regions that each of them encounters at the same place. (How many there are depends on the number of threads.) Called
 * by canonical_number.c on one thread; sorts children on all threads of OpenMP.
 */
#include "builder/graph/canonical.h"
#include "builder/graph/shared.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"
#include "builder/support/array.h"

#include <stdlib.h>
#include <string.h>

/* The deepest nesting of regions that is searched; deeper ones are families of their own. */
#define DEPTH_MAX 1000

/* qsort_r's comparison of rows of tasks by the order of their creation. */
static int by_creation(const void *left, const void *right, void *graph)
{
	return graph_compare_siblings(graph, *(const uint32_t *)left, *(const uint32_t *)right);
}

/* The runtime's own tasks are not the program's: how many there are depends on the number of threads (Q44). */
static bool is_of_program(const struct canon *c, uint32_t task)
{
	return task_is_explicit(&c->m->tasks[task]) && graph_task_is_node(c->graph, task) && !task_is_split(&c->m->tasks[task]);
}

/*
 * Which implicit task stands for those of a region. Of regions that members of one team encounter at the same place
 * (phase, construct, number in the task) one stands for all; what one thread executes for the team is a region of its
 * own.
 */
static uint32_t find_of_region(struct canon *c, struct map *places, uint32_t region, unsigned depth)
{
	uint32_t own = c->of_region[region], id = c->graph->region_node[region], outer = c->m->regions[region].task;
	const struct node *node = id != 0 ? graph_inner_node(c->graph, id) : NULL;
	if (c->is_settled[region] || node == NULL || node->is_in_work || !canonical_is_merged(c, outer) || depth > DEPTH_MAX)
		return own;
	c->is_settled[region] = true;
	uint64_t key = canonical_hash(11, find_of_region(c, places, c->m->tasks[outer].region, depth + 1));
	key = hash_mix(hash_mix(key, node->phase), canonical_label_hash(c, node->construct, node->task));
	uint32_t *found = map_put(places, hash_mix(key, c->node_ordinal[id - c->m->n_tasks]) | 1);
	if (*found == 0)
		*found = own;
	return c->of_region[region] = *found;
}

static void find_families(struct canon *c)
{
	const struct model *m = c->m;
	struct map places = {0};
	for (uint32_t i = 1; i < m->n_tasks; i++)
		if (!task_is_explicit(&m->tasks[i]) && c->of_region[m->tasks[i].region] == 0)
			c->of_region[m->tasks[i].region] = i;
	c->of_region[0] = 0;
	for (uint32_t region = 1; region < m->n_regions; region++)
		find_of_region(c, &places, region, 0);
	map_free(&places);
	for (uint32_t i = 0; i < m->n_tasks; i++) {
		uint32_t region = m->tasks[i].region;
		c->family[i] = task_is_explicit(&m->tasks[i]) || region == 0 ? i : c->of_region[region];
	}
}

/*
 * The children of every task in the order of creation; those of implicit tasks gathered at the one that stands for
 * them.
 */
static void find_children(struct canon *c)
{
	const struct model *m = c->m;
	for (uint32_t i = 1; i < m->n_tasks; i++)
		if (is_of_program(c, i))
			c->first_child[c->family[m->tasks[i].parent] + 1]++;
	for (uint32_t i = 0; i < m->n_tasks; i++)
		c->first_child[i + 1] += c->first_child[i];
	uint32_t *end = c->order; /* scratch until walk_families fills it */
	memcpy(end, c->first_child, m->n_tasks * sizeof *end);
	for (uint32_t i = 1; i < m->n_tasks; i++)
		if (is_of_program(c, i))
			c->children[end[c->family[m->tasks[i].parent]]++] = i;
#pragma omp parallel for schedule(dynamic, 4096) if (m->n_tasks > FEW_ROWS)
	for (uint32_t i = 0; i < m->n_tasks; i++)
		sort_rows_r(c->children + c->first_child[i], c->first_child[i + 1] - c->first_child[i], by_creation,
			    (void *)(uintptr_t)c->graph); /* rows of tasks that one thread created are in this order already */
}

/* Breadth first from the tasks without a parent: a cycle, which only damage makes, is never reached. */
static void walk_families(struct canon *c)
{
	const struct model *m = c->m;
	for (uint32_t i = 1; i < m->n_tasks; i++) {
		const struct task *task = &m->tasks[i];
		if (!graph_task_is_node(c->graph, i) || c->family[i] != i)
			continue;
		uint32_t outer = task_is_explicit(task) ? task->parent : m->regions[task->region].task;
		if (outer == 0)
			c->order[c->n_ordered++] = i;
		else if (!task_is_explicit(task)) {
			c->next_nested[i] = c->first_nested[c->family[outer]];
			c->first_nested[c->family[outer]] = i;
		}
	}
	for (uint32_t i = 0; i < c->n_ordered; i++) {
		uint32_t task = c->order[i];
		for (uint32_t j = c->first_child[task]; j < c->first_child[task + 1]; j++)
			c->order[c->n_ordered++] = c->children[j];
		for (uint32_t nested = c->first_nested[task]; nested != 0; nested = c->next_nested[nested])
			c->order[c->n_ordered++] = nested;
	}
}

static void find_first_root(struct canon *c)
{
	for (uint32_t i = 0; i < c->n_ordered; i++) {
		bool is_root = c->m->tasks[c->order[i]].flags & task_flags_initial && !canonical_is_merged(c, c->order[i]);
		if (is_root && (c->first_root == 0 || by_creation(&c->order[i], &c->first_root, (void *)(uintptr_t)c->graph) < 0))
			c->first_root = c->order[i];
	}
}

void canonical_families(struct canon *c)
{
	uint32_t n = c->m->n_tasks;
	c->n_ordered = 0;
	c->first_root = 0;
	c->family = memory_zeroed(n, sizeof *c->family, "the canonical graph");
	c->of_region = memory_zeroed(c->m->n_regions, sizeof *c->of_region, "the canonical graph");
	c->is_settled = memory_zeroed(c->m->n_regions, sizeof *c->is_settled, "the canonical graph");
	c->order = memory_zeroed(n, sizeof *c->order, "the canonical graph");
	c->first_child = memory_zeroed((size_t)n + 1, sizeof *c->first_child, "the canonical graph");
	c->children = memory_zeroed(n, sizeof *c->children, "the canonical graph");
	c->first_nested = memory_zeroed(n, sizeof *c->first_nested, "the canonical graph");
	c->next_nested = memory_zeroed(n, sizeof *c->next_nested, "the canonical graph");
	find_families(c);
	find_children(c);
	walk_families(c);
	find_first_root(c);
}

/* ---- Nodes of a task in the order of the program ---- */

/* A node of a task that ran on several streams: the graph numbers these by stream. */
struct of_mover {
	uint64_t begin_ticks;
	uint32_t node;
};

static int by_begin(const void *left, const void *right)
{
	const struct of_mover *l = left, *r = right;
	return cmp(l->begin_ticks, r->begin_ticks) ?: cmp(l->node, r->node);
}

/* The number of nodes that are numbered so far. */
struct counts {
	uint32_t *of_task;    /* by task that is not merged */
	struct map of_merged; /* by place in a merged one */
};

static void number_node(struct canon *c, struct counts *counts, uint32_t i)
{
	const struct node *node = &c->graph->nodes[i];
	if (!canonical_is_merged(c, node->task)) {
		c->node_ordinal[i] = ++counts->of_task[node->task];
		return;
	}
	uint64_t key = hash_mix(canonical_hash(7, node->task), node->phase);
	key = hash_mix(hash_mix(key, canonical_label_hash(c, node->construct, node->task)), node->kind);
	c->node_ordinal[i] = ++*map_put(&counts->of_merged, key);
}

/*
 * Inner nodes of a task in its order; of a merged task within (barriers before, construct, kind), thread by thread, as
 * what every thread of the team reaches is one node.
 */
void canonical_number_in_order(struct canon *c)
{
	struct counts counts = {.of_task = memory_zeroed(c->m->n_tasks, sizeof *counts.of_task, "the canonical graph")};
	struct of_mover *moved = NULL;
	size_t n_moved = 0, capacity = 0;
	for (uint32_t i = 0; i < c->graph->n_nodes; i++) {
		const struct node *node = &c->graph->nodes[i];
		if (!canonical_is_inner(node) || (node->is_in_work && canonical_is_merged(c, node->task)))
			continue;
		if (!(c->m->tasks[node->task].state & TASK_MIGRATED)) {
			number_node(c, &counts, i);
			continue;
		}
		array_push(moved, n_moved, capacity, (struct of_mover){node->begin_ticks, i});
	}
	sort_array(moved, n_moved, by_begin);
	for (size_t i = 0; i < n_moved; i++)
		number_node(c, &counts, moved[i].node);
	free(moved);
	free(counts.of_task);
	map_free(&counts.of_merged);
}
