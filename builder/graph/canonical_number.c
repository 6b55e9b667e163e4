/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the shape of every subtree, and from it each node's number among its siblings. Called by canonical.c.
 */
#include "builder/graph/canonical.h"
#include "builder/support/memory.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix_text(uint64_t hash, const char *text)
{
	while (*text != '\0')
		hash = canonical_mix(hash, (unsigned char)*text++);
	return canonical_mix(hash, 0);
}

static int count_dependence(void *self, const struct edge_view *edge)
{
	struct canon *c = self;
	if (edge->kind != EDGE_DEPEND)
		return 0;
	struct node_view source = graph_node(c->graph, edge->source), target = graph_node(c->graph, edge->target);
	c->shape[source.task] += UINT64_C(1) << 32;
	c->shape[target.task] += 1;
	return 0;
}

static int count_exclusive(void *self, const uint32_t *nodes, uint32_t n)
{
	struct canon *c = self;
	for (uint32_t i = 0; i < n; i++)
		c->shape[graph_node(c->graph, nodes[i]).task] += canonical_mix(3, n);
	return 0;
}

static uint64_t joiner_shape(const struct canon *c, uint32_t task)
{
	enum edge_kind kind;
	uint32_t joiner = graph_joiner(c->graph, task, &kind);
	return joiner != 0 ? c->node_shape[joiner - c->m->n_tasks] : 0;
}

static int compare_shapes(const void *left, const void *right, void *canon)
{
	const struct canon *c = canon;
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
	const struct task *a = &c->m->tasks[l], *b = &c->m->tasks[r];
	const struct graph_task *tasks = c->graph->tasks;
	uint32_t phase_a = c->graph->intervals[tasks[l].interval].phase, phase_b = c->graph->intervals[tasks[r].interval].phase;
	if (phase_a != phase_b)
		return phase_a < phase_b ? -1 : 1;
	int by_label = strcmp(canonical_label(c, a->construct), canonical_label(c, b->construct));
	if (by_label != 0)
		return by_label;
	if (c->shape[l] != c->shape[r])
		return c->shape[l] < c->shape[r] ? -1 : 1;
	uint64_t joiner_l = joiner_shape(c, l), joiner_r = joiner_shape(c, r);
	if (joiner_l != joiner_r)
		return joiner_l < joiner_r ? -1 : 1;
	/*
	 * Alike: by who created them, then in the order of the program, and so are the nodes below. Of pairs the n-th
	 * belongs to the n-th.
	 */
	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	return canonical_by_creation(left, right, (void *)(uintptr_t)c->graph);
}

/*
 * Adds the nodes inside of tasks to the tasks' shapes: in order where the task is one thread's; where it stands for a
 * team, what every member comes to counts once, and in no order.
 */
static void shape_nodes(struct canon *c)
{
	for (uint32_t i = 0; i < c->graph->n_nodes; i++) {
		const struct node *node = &c->graph->nodes[i];
		uint64_t label = c->label_hash[node->construct];
		if (node->task == 0 || !node->is_placed || node->kind == NODE_JOIN || canonical_leaves_out(node->kind))
			continue; /* a join counts as part of its region */
		uint32_t family = c->family[node->task];
		if (!canonical_is_merged(c, node->task))
			c->shape[node->task] = canonical_mix(canonical_mix(c->shape[node->task], node->kind), label);
		else if (node->is_in_work || family == node->task)
			c->shape[family] += canonical_mix(canonical_mix(node->phase, node->kind), label);
	}
}

/* Makes the shape of everything inside of each task, children before parents. */
static void shape_tasks(struct canon *c)
{
	graph_each_edge(c->graph, count_dependence, c);
	graph_each_exclusive(c->graph, count_exclusive, c);
	shape_nodes(c);
	for (uint32_t i = c->n_ordered; i > 0; i--) {
		uint32_t task = c->order[i - 1];
		bool is_merged = canonical_is_merged(c, task);
		uint64_t hash = canonical_mix(c->shape[task], c->label_hash[c->m->tasks[task].construct]);
		for (uint32_t j = c->first_child[task]; j < c->first_child[task + 1]; j++) {
			uint64_t child = c->shape[c->children[j]];
			hash = is_merged ? hash + canonical_mix(1, child) : canonical_mix(hash, child);
		}
		for (uint32_t nested = c->first_nested[task]; nested != 0; nested = c->next_nested[nested])
			hash += canonical_mix(5, c->shape[nested]);
		c->shape[task] = hash;
	}
	/*
	 * The shape of an inner node is what waits there, or, for a region, what is in it. Sums do not depend on the
	 * order.
	 */
	for (uint32_t i = 0; i < c->n_ordered; i++) {
		enum edge_kind kind;
		uint32_t task = c->order[i], joiner = graph_joiner(c->graph, task, &kind);
		if (joiner != 0)
			c->node_shape[joiner - c->m->n_tasks] += canonical_mix(1, c->shape[task]);
	}
	for (uint32_t region = 1; region < c->m->n_regions; region++)
		if (c->graph->region_node[region] != 0)
			c->node_shape[c->graph->region_node[region] - c->m->n_tasks] +=
				canonical_mix(2, c->shape[c->of_region[region]]);
}

static int compare_roots(const void *left, const void *right, void *canon)
{
	const struct canon *c = canon;
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
	if (c->shape[l] != c->shape[r])
		return c->shape[l] < c->shape[r] ? -1 : 1;
	return canonical_by_creation(left, right, (void *)(uintptr_t)c->graph);
}

/*
 * Numbers initial tasks: the process's first one is 1; other threads of the program come to OpenMP in any order, and
 * are numbered by their shapes.
 */
static void number_roots(struct canon *c)
{
	uint32_t n_roots = 0, *roots = memory_get(c->n_ordered, sizeof *roots, "the canonical graph");
	for (uint32_t i = 0; i < c->n_ordered; i++)
		if (c->m->tasks[c->order[i]].flags & task_flags_initial && !canonical_is_merged(c, c->order[i]))
			roots[n_roots++] = c->order[i];
	for (uint32_t i = 1; i < n_roots; i++)
		if (canonical_by_creation(&roots[i], &roots[0], (void *)(uintptr_t)c->graph) < 0) {
			uint32_t first = roots[i];
			roots[i] = roots[0];
			roots[0] = first;
		}
	if (n_roots > 2)
		qsort_r(roots + 1, n_roots - 1, sizeof *roots, compare_roots, c);
	for (uint32_t i = 0; i < n_roots; i++)
		c->ordinal[roots[i]] = i + 1;
	free(roots);
}

static void number_tasks(struct canon *c)
{
	for (uint32_t i = 1; i < c->m->n_tasks; i++)
		if (!task_is_explicit(&c->m->tasks[i]) || c->m->tasks[i].parent == 0)
			c->ordinal[i] = 1;
	for (uint32_t i = 0; i < c->n_ordered; i++) {
		uint32_t task = c->order[i], first = c->first_child[task], n = c->first_child[task + 1] - first;
		if (!task_is_explicit(&c->m->tasks[task]) && n > 0)
			qsort_r(c->children + first, n, sizeof *c->children, compare_shapes, c);
		for (uint32_t j = 0; j < n; j++)
			c->ordinal[c->children[first + j]] = j + 1;
	}
	number_roots(c);
}

static int compare_nodes(const void *left, const void *right, void *canon)
{
	const struct canon *c = canon;
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
	if (c->node_shape[l] != c->node_shape[r])
		return c->node_shape[l] < c->node_shape[r] ? -1 : 1;
	if (c->graph->nodes[l].task != c->graph->nodes[r].task)
		return c->graph->nodes[l].task < c->graph->nodes[r].task ? -1 : 1;
	return l < r ? -1 : l > r;
}

/*
 * Inner nodes: of a task in its order. Those of a merged task within (barriers before, construct, kind): what every
 * thread of the team comes to is numbered by thread, and so is one node; what one thread executes is numbered through,
 * in order of shape.
 */
static void number_nodes(struct canon *c, bool is_in_work)
{
	struct map counts = {0};
	uint32_t n_nodes = c->graph->n_nodes, *sorted = memory_get(n_nodes, sizeof *sorted, "the canonical graph");
	for (uint32_t i = 0; i < n_nodes; i++)
		sorted[i] = i;
	if (is_in_work && n_nodes > 1)
		qsort_r(sorted, n_nodes, sizeof *sorted, compare_nodes, c);
	for (uint32_t n = 0; n < n_nodes; n++) {
		const struct node *node = &c->graph->nodes[sorted[n]];
		if (node->task == 0 || !node->is_placed || node->kind == NODE_JOIN || canonical_leaves_out(node->kind) ||
		    node->is_in_work != is_in_work)
			continue;
		uint64_t key = node->task;
		if (canonical_is_merged(c, node->task)) {
			key = canonical_mix(7 + is_in_work, is_in_work ? c->family[node->task] : node->task);
			key = canonical_mix(canonical_mix(canonical_mix(key, node->phase), c->label_hash[node->construct]),
					    node->kind) |
			      UINT64_C(1) << 63;
		}
		c->node_ordinal[sorted[n]] = ++*map_put(&counts, key);
	}
	map_free(&counts);
	free(sorted);
}

void canonical_number(struct canon *c)
{
	c->label_hash = memory_zeroed(c->m->n_constructs, sizeof *c->label_hash, "the canonical graph");
	c->ordinal = memory_zeroed(c->m->n_tasks, sizeof *c->ordinal, "the canonical graph");
	c->shape = memory_zeroed(c->m->n_tasks, sizeof *c->shape, "the canonical graph");
	c->node_ordinal = memory_zeroed(c->graph->n_nodes, sizeof *c->node_ordinal, "the canonical graph");
	c->node_shape = memory_zeroed(c->graph->n_nodes, sizeof *c->node_shape, "the canonical graph");
	c->path = memory_zeroed(c->m->n_tasks, sizeof *c->path, "the canonical graph");
	c->path_todo = memory_zeroed(c->m->n_tasks, sizeof *c->path_todo, "the canonical graph");
	for (uint32_t i = 0; i < c->m->n_constructs; i++)
		c->label_hash[i] = mix_text(0, canonical_label(c, i));
	/*
	 * What is in no worksharing construct is numbered in the task's own order; from that follows which regions are
	 * the same.
	 */
	number_nodes(c, false);
	canonical_families(c);
	canonical_units_begin(c);
	shape_tasks(c);
	number_tasks(c);
	number_nodes(c, true);
}

void canonical_free(struct canon *c)
{
	free(c->label_hash);
	free(c->family);
	free(c->of_region);
	free(c->is_settled);
	free(c->first_nested);
	free(c->next_nested);
	free(c->ordinal);
	free(c->shape);
	free(c->order);
	free(c->first_child);
	free(c->children);
	free(c->node_ordinal);
	free(c->node_shape);
	free(c->path);
	free(c->path_todo);
	canonical_units_free(c);
}
