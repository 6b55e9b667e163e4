/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Canonical numbers: families, the shape of every subtree, and from them each node's number among its siblings.
 */
#include "builder/canonical.h"

#include <stdlib.h>
#include <string.h>

/* ---- Families: who is whose child ---- */

static int by_creation(const void *left, const void *right, void *model)
{
	const struct model *m = model;
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
	if (m->tasks[l].create_ticks != m->tasks[r].create_ticks)
		return m->tasks[l].create_ticks < m->tasks[r].create_ticks ? -1 : 1;
	return l < r ? -1 : l > r;
}

/* The children of every task in the order of creation; those of implicit tasks gathered at the first one of the region. */
static void find_children(struct canon *c, const uint32_t *family)
{
	const struct model *m = c->m;
	for (uint32_t i = 1; i < m->n_tasks; i++)
		if (task_is_explicit(&m->tasks[i]) && graph_task_is_node(c->graph, i))
			c->first_child[family[m->tasks[i].parent] + 1]++;
	for (uint32_t i = 0; i < m->n_tasks; i++)
		c->first_child[i + 1] += c->first_child[i];
	uint32_t *end = c->order; /* scratch until walk_families fills it */
	memcpy(end, c->first_child, m->n_tasks * sizeof *end);
	for (uint32_t i = 1; i < m->n_tasks; i++)
		if (task_is_explicit(&m->tasks[i]) && graph_task_is_node(c->graph, i))
			c->children[end[family[m->tasks[i].parent]]++] = i;
	for (uint32_t i = 0; i < m->n_tasks; i++)
		qsort_r(c->children + c->first_child[i], c->first_child[i + 1] - c->first_child[i], sizeof *c->children,
			by_creation, (void *)(uintptr_t)m);
}

/* Which task stands for each one: itself, or for implicit tasks the first one of their region. */
static uint32_t *find_families(const struct model *m)
{
	uint32_t *family = malloc(m->n_tasks * sizeof *family);
	uint32_t *of_region = calloc(m->n_regions, sizeof *of_region);
	for (uint32_t i = 0; family != NULL && of_region != NULL && i < m->n_tasks; i++) {
		const struct task *task = &m->tasks[i];
		family[i] = i;
		if (task_is_explicit(task) || task->region == 0)
			continue;
		if (of_region[task->region] == 0)
			of_region[task->region] = i;
		family[i] = of_region[task->region];
	}
	if (of_region == NULL) {
		free(family);
		family = NULL;
	}
	free(of_region);
	return family;
}

/* Breadth first from the tasks that nobody created explicitly: a cycle, which only damage makes, is never reached. */
static void walk_families(struct canon *c)
{
	for (uint32_t i = 1; i < c->m->n_tasks; i++)
		if (graph_task_is_node(c->graph, i) && (!task_is_explicit(&c->m->tasks[i]) || c->m->tasks[i].parent == 0))
			c->order[c->n_ordered++] = i;
	for (uint32_t i = 0; i < c->n_ordered; i++) {
		uint32_t task = c->order[i];
		for (uint32_t j = c->first_child[task]; j < c->first_child[task + 1]; j++)
			c->order[c->n_ordered++] = c->children[j];
	}
}

/* ---- Shapes and numbers ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
	while (*text != '\0')
		hash = mix(hash, (unsigned char)*text++);
	return mix(hash, 0);
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
		c->shape[graph_node(c->graph, nodes[i]).task] += mix(3, n);
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
	uint32_t phase_a = c->graph->intervals[a->interval].phase, phase_b = c->graph->intervals[b->interval].phase;
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
	return by_creation(left, right, (void *)(uintptr_t)c->m);
}

static void number_tasks(struct canon *c)
{
	/* Shapes first, children before parents. */
	graph_each_edge(c->graph, count_dependence, c);
	graph_each_exclusive(c->graph, count_exclusive, c);
	for (uint32_t i = 0; i < c->graph->n_nodes; i++) {
		const struct node *node = &c->graph->nodes[i];
		if (node->task != 0 && node->is_placed)
			c->shape[node->task] = mix_text(mix(c->shape[node->task], node->kind), canonical_label(c, node->construct));
	}
	for (uint32_t i = c->n_ordered; i > 0; i--) {
		uint32_t task = c->order[i - 1];
		uint64_t hash = mix_text(c->shape[task], canonical_label(c, c->m->tasks[task].construct));
		for (uint32_t j = c->first_child[task]; j < c->first_child[task + 1]; j++)
			hash = mix(hash, c->shape[c->children[j]]);
		c->shape[task] = hash;
	}
	for (uint32_t i = 0; i < c->n_ordered; i++) {
		enum edge_kind kind;
		uint32_t joiner = graph_joiner(c->graph, c->order[i], &kind);
		if (joiner != 0)
			c->node_shape[joiner - c->m->n_tasks] += mix(1, c->shape[c->order[i]]); /* a sum: in any order */
	}
	uint32_t n_initial = 0;
	for (uint32_t i = 0; i < c->n_ordered; i++) {
		uint32_t task = c->order[i], first = c->first_child[task], n = c->first_child[task + 1] - first;
		if (c->ordinal[task] == 0) /* a root */
			c->ordinal[task] = c->m->tasks[task].flags & task_flags_initial ? ++n_initial : 1;
		if (!task_is_explicit(&c->m->tasks[task]) && n > 0)
			qsort_r(c->children + first, n, sizeof *c->children, compare_shapes, c);
		for (uint32_t j = 0; j < n; j++)
			c->ordinal[c->children[first + j]] = j + 1;
	}
}

static int compare_nodes(const void *left, const void *right, void *canon)
{
	const struct canon *c = canon;
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
	if (c->node_shape[l] != c->node_shape[r])
		return c->node_shape[l] < c->node_shape[r] ? -1 : 1;
	return l < r ? -1 : l > r;
}

/*
 * Inner nodes: of a task in its order. Those of a merged task within (barriers before, construct, kind): what every thread of the team
 * comes to is numbered by thread, and so is one node; what one thread executes is numbered through, in order of shape.
 */
static int number_nodes(struct canon *c)
{
	struct map counts = {0};
	uint32_t *sorted = malloc((c->graph->n_nodes + (size_t)1) * sizeof *sorted);
	for (uint32_t i = 0; sorted != NULL && i < c->graph->n_nodes; i++)
		sorted[i] = i;
	if (sorted != NULL && c->graph->n_nodes > 1)
		qsort_r(sorted, c->graph->n_nodes, sizeof *sorted, compare_nodes, c);
	for (uint32_t pass = 0; pass < 2 && sorted != NULL; pass++) {
		for (uint32_t n = 0; n < c->graph->n_nodes; n++) {
			uint32_t i = pass == 0 ? n : sorted[n];
			const struct node *node = &c->graph->nodes[i];
			if (node->task == 0 || !node->is_placed || node->kind == NODE_JOIN || node->is_in_work != pass)
				continue;
			uint64_t key = node->task;
			if (canonical_is_merged(c, node->task)) {
				uint64_t owner = pass == 0 ? node->task : c->m->tasks[node->task].region;
				key = mix(mix(mix(mix(pass + 7, owner), node->phase), node->construct), node->kind) | UINT64_C(1)
															      << 63;
			}
			uint32_t *count = map_put(&counts, key);
			if (count == NULL) {
				free(sorted);
				sorted = NULL;
				break;
			}
			c->node_ordinal[i] = ++*count;
		}
	}
	map_free(&counts);
	if (sorted == NULL)
		return error("out of memory for the canonical graph");
	free(sorted);
	return 0;
}

int canonical_number(struct canon *c)
{
	uint32_t n = c->m->n_tasks;
	uint32_t *family = find_families(c->m);
	c->n_ordered = 0;
	c->ordinal = calloc(n, sizeof *c->ordinal);
	c->shape = calloc(n, sizeof *c->shape);
	c->order = calloc(n, sizeof *c->order);
	c->first_child = calloc((size_t)n + 1, sizeof *c->first_child);
	c->children = calloc(n, sizeof *c->children);
	c->node_ordinal = calloc((size_t)c->graph->n_nodes + 1, sizeof *c->node_ordinal);
	c->node_shape = calloc((size_t)c->graph->n_nodes + 1, sizeof *c->node_shape);
	bool has_memory = family != NULL && c->ordinal != NULL && c->shape != NULL && c->order != NULL && c->first_child != NULL &&
			  c->children != NULL && c->node_ordinal != NULL && c->node_shape != NULL;
	if (has_memory) {
		find_children(c, family);
		walk_families(c);
		number_tasks(c);
	}
	free(family);
	return has_memory ? number_nodes(c) : error("out of memory for the canonical graph");
}

void canonical_free(struct canon *c)
{
	free(c->ordinal);
	free(c->shape);
	free(c->order);
	free(c->first_child);
	free(c->children);
	free(c->node_ordinal);
	free(c->node_shape);
}
