/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The canonical edge list: the same for every run of a program whose text does not ask for the number of threads. A node is named
 * by its path of creation. The children of an explicit task are numbered in the order of the program; all implicit tasks of a
 * region are one node, and what they create is numbered by (barriers before, construct, shape of the subtree), so that it does not
 * matter which of them created it. What this cannot tell apart is in docs/design.md.
 */
#include "builder/graph_files.h"

#include <stdlib.h>
#include <string.h>

/* Paths are written by recursion: deeper tasks are named by their row, which is not canonical. */
#define DEPTH_MAX 20000

struct canon {
	const struct graph *graph;
	const struct model *m;
	uint32_t process;
	bool has_many_processes;
	uint32_t *ordinal;      /* by task: number among its siblings, from 1; 0: not reached from a root */
	uint64_t *shape;        /* by task: hash of its subtree */
	uint32_t *order;        /* tasks, parents before children */
	uint32_t n_ordered;
	uint32_t *first_child;  /* by task: index into children; n_tasks + 1 entries */
	uint32_t *children;
	uint32_t *node_ordinal; /* by inner node */
	/* The lines, to be sorted. */
	char **lines;
	size_t n_lines, lines_capacity;
};

static bool is_explicit(const struct task *task)
{
	return !(task->flags & (task_flags_implicit | task_flags_initial));
}

static const char *label_of(const struct canon *c, uint32_t construct)
{
	return c->m->constructs[construct].label;
}

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
		if (is_explicit(&m->tasks[i]) && graph_task_is_node(c->graph, i))
			c->first_child[family[m->tasks[i].parent] + 1]++;
	for (uint32_t i = 0; i < m->n_tasks; i++)
		c->first_child[i + 1] += c->first_child[i];
	uint32_t *end = c->order; /* scratch until walk_families fills it */
	memcpy(end, c->first_child, m->n_tasks * sizeof *end);
	for (uint32_t i = 1; i < m->n_tasks; i++)
		if (is_explicit(&m->tasks[i]) && graph_task_is_node(c->graph, i))
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
		if (is_explicit(task) || task->region == 0)
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
		if (graph_task_is_node(c->graph, i) && (!is_explicit(&c->m->tasks[i]) || c->m->tasks[i].parent == 0))
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

static int compare_shapes(const void *left, const void *right, void *canon)
{
	const struct canon *c = canon;
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
	const struct task *a = &c->m->tasks[l], *b = &c->m->tasks[r];
	uint32_t phase_a = c->graph->intervals[a->interval].phase, phase_b = c->graph->intervals[b->interval].phase;
	if (phase_a != phase_b)
		return phase_a < phase_b ? -1 : 1;
	int by_label = strcmp(label_of(c, a->construct), label_of(c, b->construct));
	if (by_label != 0)
		return by_label;
	if (c->shape[l] != c->shape[r])
		return c->shape[l] < c->shape[r] ? -1 : 1;
	return by_creation(left, right, (void *)(uintptr_t)c->m);
}

static void number_tasks(struct canon *c)
{
	/* Shapes first, children before parents. */
	graph_each_edge(c->graph, count_dependence, c);
	for (uint32_t i = 0; i < c->graph->n_nodes; i++) {
		const struct node *node = &c->graph->nodes[i];
		if (node->task != 0 && node->is_placed)
			c->shape[node->task] = mix_text(mix(c->shape[node->task], node->kind), label_of(c, node->construct));
	}
	for (uint32_t i = c->n_ordered; i > 0; i--) {
		uint32_t task = c->order[i - 1];
		uint64_t hash = mix_text(c->shape[task], label_of(c, c->m->tasks[task].construct));
		for (uint32_t j = c->first_child[task]; j < c->first_child[task + 1]; j++)
			hash = mix(hash, c->shape[c->children[j]]);
		c->shape[task] = hash;
	}
	uint32_t n_initial = 0;
	for (uint32_t i = 0; i < c->n_ordered; i++) {
		uint32_t task = c->order[i], first = c->first_child[task], n = c->first_child[task + 1] - first;
		if (c->ordinal[task] == 0) /* a root */
			c->ordinal[task] = c->m->tasks[task].flags & task_flags_initial ? ++n_initial : 1;
		if (!is_explicit(&c->m->tasks[task]) && n > 0)
			qsort_r(c->children + first, n, sizeof *c->children, compare_shapes, c);
		for (uint32_t j = 0; j < n; j++)
			c->ordinal[c->children[first + j]] = j + 1;
	}
}

/* Inner nodes: of an explicit task in its order; of an implicit one within (barriers before, construct, kind). */
static int number_nodes(struct canon *c)
{
	struct map counts = {0};
	for (uint32_t i = 0; i < c->graph->n_nodes; i++) {
		const struct node *node = &c->graph->nodes[i];
		uint64_t key = node->task;
		if (node->task == 0 || !node->is_placed || node->kind == NODE_JOIN)
			continue;
		if (!is_explicit(&c->m->tasks[node->task]))
			key = mix(mix(mix(mix(7, node->task), node->phase), node->construct), node->kind) | UINT64_C(1) << 63;
		uint32_t *count = map_put(&counts, key);
		if (count == NULL) {
			map_free(&counts);
			return error("out of memory for the canonical graph");
		}
		c->node_ordinal[i] = ++*count;
	}
	map_free(&counts);
	return 0;
}

/* ---- Names ---- */

static void put_region_path(const struct canon *c, FILE *out, uint32_t region, unsigned depth);

static void put_task_path(const struct canon *c, FILE *out, uint32_t row, unsigned depth)
{
	const struct task *task = &c->m->tasks[row];
	if (row == 0 || c->ordinal[row] == 0 || depth > DEPTH_MAX) {
		fprintf(out, "?%u", row);
	} else if (task->flags & task_flags_initial && c->m->regions[task->region].state & REGION_INITIAL) {
		if (c->has_many_processes)
			fprintf(out, "%u:", c->process);
		fprintf(out, "%u", c->ordinal[row]);
	} else if (!is_explicit(task)) {
		put_region_path(c, out, task->region, depth + 1);
		fputs(".i", out);
	} else {
		put_task_path(c, out, task->parent, depth + 1);
		fprintf(out, ".%u", c->ordinal[row]);
	}
}

static void put_inner_path(const struct canon *c, FILE *out, uint32_t id, char letter, unsigned depth)
{
	const struct node *node = graph_inner_node(c->graph, id);
	put_task_path(c, out, node->task, depth + 1);
	if (!is_explicit(&c->m->tasks[node->task]))
		fprintf(out, ".p%u", node->phase);
	fprintf(out, ".%c%u", letter, c->node_ordinal[id - c->m->n_tasks]);
}

static void put_region_path(const struct canon *c, FILE *out, uint32_t region, unsigned depth)
{
	uint32_t id = c->graph->region_node[region];
	if (c->m->regions[region].state & REGION_INITIAL) {
		for (uint32_t i = 0; i < c->n_ordered; i++)
			if (c->m->tasks[c->order[i]].region == region) {
				put_task_path(c, out, c->order[i], depth + 1);
				return;
			}
	}
	if (id == 0 || depth > DEPTH_MAX)
		fprintf(out, "?r%u", region);
	else
		put_inner_path(c, out, id, 'r', depth + 1);
}

static void put_name(const struct canon *c, FILE *out, uint32_t id)
{
	const struct node *node = graph_inner_node(c->graph, id);
	if (node == NULL) {
		const struct task *task = &c->m->tasks[id];
		fputs(task->flags & task_flags_initial ? "initial" : task->flags & task_flags_implicit ? "implicit" : label_of(c, task->construct),
		      out);
		fputc('[', out);
		put_task_path(c, out, id, 0);
	} else if (node->kind == NODE_BARRIER || node->kind == NODE_JOIN) {
		fprintf(out, "%s[", node_kind_name(node->kind));
		put_region_path(c, out, node->region, 0);
		if (node->kind == NODE_BARRIER)
			fprintf(out, ".b%u", node->phase);
		else
			fputs(".j", out);
	} else {
		fputs(label_of(c, node->construct), out);
		fputc('[', out);
		put_inner_path(c, out, id, node->kind == NODE_REGION ? 'r' : node->kind == NODE_TASKGROUP ? 'g' : 'w', 0);
	}
	fputc(']', out);
}

/* ---- The list ---- */

static int add_line(void *self, const struct edge_view *edge)
{
	struct canon *c = self;
	char *line = NULL;
	size_t n_bytes = 0;
	FILE *out = open_memstream(&line, &n_bytes);
	if (out == NULL)
		return error("out of memory for the canonical graph");
	put_name(c, out, edge->source);
	fputs(" -> ", out);
	put_name(c, out, edge->target);
	fprintf(out, " %s", edge_kind_name(edge->kind));
	if (edge->dependence != 0)
		fprintf(out, ":%s", event_enum_name("dependence_type", edge->dependence));
	if (fclose(out) != 0)
		return error("out of memory for the canonical graph");
	if (c->n_lines == c->lines_capacity) {
		size_t capacity = c->lines_capacity ? c->lines_capacity * 2 : 1024;
		char **grown = realloc(c->lines, capacity * sizeof *grown);
		if (grown == NULL)
			return error("out of memory for the canonical graph");
		c->lines = grown;
		c->lines_capacity = capacity;
	}
	c->lines[c->n_lines++] = line;
	return 0;
}

static int by_text(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

static int collect(struct canon *c)
{
	uint32_t n = c->m->n_tasks;
	uint32_t *family = find_families(c->m);
	c->ordinal = calloc(n, sizeof *c->ordinal);
	c->shape = calloc(n, sizeof *c->shape);
	c->order = calloc(n, sizeof *c->order);
	c->first_child = calloc((size_t)n + 1, sizeof *c->first_child);
	c->children = calloc(n, sizeof *c->children);
	c->node_ordinal = calloc((size_t)c->graph->n_nodes + 1, sizeof *c->node_ordinal);
	int rc = -1;
	if (family == NULL || c->ordinal == NULL || c->shape == NULL || c->order == NULL || c->first_child == NULL ||
	    c->children == NULL || c->node_ordinal == NULL) {
		error("out of memory for the canonical graph");
	} else {
		c->n_ordered = 0;
		find_children(c, family);
		walk_families(c);
		number_tasks(c);
		rc = number_nodes(c) == 0 ? graph_each_edge(c->graph, add_line, c) : -1;
	}
	free(family);
	free(c->ordinal);
	free(c->shape);
	free(c->order);
	free(c->first_child);
	free(c->children);
	free(c->node_ordinal);
	return rc;
}

int graph_canonical(const struct graphs *graphs, FILE *out)
{
	struct canon c = {.has_many_processes = graphs->n > 1};
	int rc = 0;
	for (size_t i = 0; i < graphs->n && rc == 0; i++) {
		c.graph = &graphs->graphs[i];
		c.m = c.graph->model;
		c.process = graphs->traces[i].process;
		rc = collect(&c);
	}
	if (rc == 0 && c.n_lines > 0)
		qsort(c.lines, c.n_lines, sizeof *c.lines, by_text);
	for (size_t i = 0; i < c.n_lines; i++)
		if (rc == 0 && (i == 0 || strcmp(c.lines[i], c.lines[i - 1]) != 0))
			fprintf(out, "%s\n", c.lines[i]);
	for (size_t i = 0; i < c.n_lines; i++)
		free(c.lines[i]);
	free(c.lines);
	return rc == 0 && ferror(out) ? error("the canonical graph could not be written") : rc;
}
