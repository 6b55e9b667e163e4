/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the canonical edge list: makes the name of each node, a line for each edge, and sorts the lines. canonical.h
 * describes the form. Called by run.c after the last process is replayed; one thread.
 */
#include "builder/graph/canonical.h"
#include "builder/support/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * A path is written out for so many tasks; what is before them is replaced by its hash, which is as canonical. Without
 * a limit the names of a deep recursion would together be as long as the square of its depth.
 */
#define STEPS_MAX 200

/* ---- Names ---- */

/*
 * The task before this one on its path, 0 at the beginning of the path; *step is set to what the step from there adds
 * to the hash.
 */
static uint32_t path_step(const struct canon *c, uint32_t row, uint64_t *step)
{
	const struct task *task = &c->m->tasks[row];
	bool is_root = task->flags & task_flags_initial && c->m->regions[task->region].state & REGION_INITIAL;
	uint32_t id = task_is_explicit(task) ? 0 : c->graph->region_node[task->region];
	*step = canonical_mix(21, c->ordinal[row]);
	if (is_root || task_is_explicit(task))
		return is_root ? 0 : task->parent;
	if (id == 0)
		return 0;
	const struct node *node = graph_inner_node(c->graph, id);
	*step = canonical_mix(canonical_mix(22, node->is_in_work), c->node_ordinal[id - c->m->n_tasks]);
	if (canonical_is_merged(c, node->task))
		*step = canonical_mix(*step, node->phase);
	return node->task;
}

/*
 * Each task is looked up once: hashes are made from the first task on the way whose hash is known, or, in a damaged
 * dump, that is on the way already.
 */
static uint64_t path_hash(const struct canon *c, uint32_t row)
{
	const uint64_t pending = 1;
	uint32_t n = 0;
	uint64_t step;
	while (row != 0 && c->path[row] == 0) {
		c->path[row] = pending;
		c->path_todo[n++] = row;
		row = path_step(c, row, &step);
	}
	uint64_t hash = c->path[row];
	while (n > 0) {
		uint32_t task = c->path_todo[--n];
		path_step(c, task, &step);
		c->path[task] = hash = canonical_mix(canonical_mix(23, hash), step) | 2;
	}
	return hash;
}

static void put_region_path(const struct canon *c, FILE *out, uint32_t region, unsigned depth);

static void put_task_path(const struct canon *c, FILE *out, uint32_t row, unsigned depth)
{
	const struct task *task = &c->m->tasks[row];
	if (row == 0 || c->ordinal[row] == 0) {
		fprintf(out, "?%u", row);
	} else if (depth == STEPS_MAX) {
		fprintf(out, "~%016llx", (unsigned long long)path_hash(c, row));
	} else if (task->flags & task_flags_initial && c->m->regions[task->region].state & REGION_INITIAL) {
		if (c->has_many_processes)
			fprintf(out, "%u:", c->process);
		fprintf(out, "%u", c->ordinal[row]);
	} else if (!task_is_explicit(task)) {
		put_region_path(c, out, task->region, depth);
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
	if (canonical_is_merged(c, node->task))
		fprintf(out, ".p%u%s", node->phase, node->is_in_work ? ".s" : "");
	fprintf(out, ".%c%u", letter, c->node_ordinal[id - c->m->n_tasks]);
}

static void put_region_path(const struct canon *c, FILE *out, uint32_t region, unsigned depth)
{
	uint32_t id = c->graph->region_node[region];
	uint32_t initial = c->m->regions[region].state & REGION_INITIAL ? c->of_region[region] : 0;
	if (initial != 0)
		put_task_path(c, out, initial, depth + 1);
	else if (id == 0)
		fprintf(out, "?r%u", region);
	else
		put_inner_path(c, out, id, 'r', depth);
}

static char inner_letter(unsigned kind)
{
	return kind == NODE_REGION ? 'r' : kind == NODE_TASKGROUP ? 'g' : kind == NODE_TARGET_REGION ? 't' : 'w';
}

static void put_name(const struct canon *c, FILE *out, uint32_t id)
{
	const struct node *node = graph_inner_node(c->graph, id);
	if (node == NULL) {
		const struct task *task = &c->m->tasks[id];
		fputs(task->flags & task_flags_initial    ? "initial"
		      : task->flags & task_flags_implicit ? "implicit"
							  : canonical_label(c, task->construct),
		      out);
		fputc('[', out);
		put_task_path(c, out, id, 0);
	} else if (node->is_of_unit) {
		canonical_put_unit(c, out, id);
		return;
	} else if (node->kind == NODE_BARRIER || node->kind == NODE_JOIN) {
		fprintf(out, "%s[", node_kind_name(node->kind));
		put_region_path(c, out, node->region, 0);
		if (node->kind == NODE_BARRIER)
			fprintf(out, ".b%u", node->phase);
		else
			fputs(".j", out);
	} else {
		fputs(canonical_label(c, node->construct), out);
		fputc('[', out);
		put_inner_path(c, out, id, inner_letter(node->kind), 0);
	}
	fputc(']', out);
}

/* ---- The list ---- */

static int by_text(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Takes over the line. */
static void keep_line(struct canon *c, char *line)
{
	array_reserve((void **)&c->lines, c->n_lines + 1, &c->lines_capacity, sizeof *c->lines);
	c->lines[c->n_lines++] = line;
}

static void add_line(struct canon *c, const struct edge_view *edge)
{
	char *line = NULL;
	size_t n_bytes = 0;
	FILE *out = memory_open_stream(&line, &n_bytes, "the canonical graph");
	put_name(c, out, edge->source);
	fputs(" -> ", out);
	put_name(c, out, edge->target);
	fprintf(out, " %s", edge_kind_name(edge->kind));
	if (edge->dependence != 0)
		fprintf(out, ":%s", edge_dependence_name(edge->dependence));
	memory_close_stream(out, "the canonical graph");
	keep_line(c, line);
}

/* Where a phase of an implicit task's team begins: at the barrier before it, else at the task. */
static uint32_t phase_begin(const struct canon *c, uint32_t implicit, uint32_t phase)
{
	uint32_t barrier = phase > 0 ? graph_barrier(c->graph, implicit, phase - 1) : 0;
	return barrier != 0 ? barrier : implicit;
}

/* Where the phase ends: the barrier after it, else the join. */
static uint32_t phase_end(const struct canon *c, uint32_t implicit, uint32_t phase, enum edge_kind *kind)
{
	uint32_t barrier = graph_barrier(c->graph, implicit, phase);
	*kind = barrier != 0 ? EDGE_BARRIER : EDGE_JOIN;
	return barrier != 0 ? barrier : c->graph->join_node[c->m->tasks[implicit].region];
}

static void add_edge(struct canon *c, uint32_t source, uint32_t target, enum edge_kind kind)
{
	struct edge_view edge = {source, target, kind, 0, 0, 0};
	if (source != 0 && target != 0)
		add_line(c, &edge);
}

/* The node itself; where it is left out, the node before it in its task. */
static uint32_t kept_node(const struct canon *c, uint32_t id)
{
	const struct node *node;
	while ((node = graph_inner_node(c->graph, id)) != NULL && canonical_leaves_out(node->kind))
		id = node->previous;
	return id;
}

/* Adds an edge of the graph; add_phases adds those inside a merged task. */
static void add_graph_edge(struct canon *c, const struct edge_view *graph_edge)
{
	struct edge_view kept = *graph_edge, *edge = &kept;
	edge->source = kept_node(c, edge->source);
	const struct node *of_unit = graph_inner_node(c->graph, edge->target);
	if (of_unit != NULL && of_unit->is_of_unit) {
		if (!canonical_leaves_out(of_unit->kind))
			add_line(c, edge);
		return;
	}
	struct node_view source = graph_node(c->graph, edge->source), target = graph_node(c->graph, edge->target);
	if (canonical_leaves_out(target.kind) || canonical_leaves_out_edge(edge->kind))
		return;
	bool is_from_merged = source.kind == NODE_BARRIER ? !(c->m->regions[source.region].state & REGION_INITIAL)
							  : source.task != 0 && canonical_is_merged(c, source.task);
	if (edge->kind == EDGE_CREATE && task_is_explicit(&c->m->tasks[edge->target]) && is_from_merged) {
		uint32_t parent = c->m->tasks[edge->target].parent;
		uint32_t phase = c->graph->intervals[c->graph->tasks[edge->target].interval].phase;
		if (canonical_is_merged(c, parent)) {
			add_edge(c, phase_begin(c, parent, phase), edge->target, EDGE_CREATE);
			return;
		}
	}
	if (edge->kind == EDGE_SEQUENCE && target.task != 0 && canonical_is_merged(c, target.task))
		return;
	if (edge->kind == EDGE_JOIN || (edge->kind == EDGE_BARRIER && is_from_merged))
		return;
	add_line(c, edge);
}

static int see_edge(void *self, const struct edge_view *edge)
{
	add_graph_edge(self, edge);
	return 0;
}

/*
 * Adds what is inside merged tasks: each of their nodes between the two ends of its phase, and each phase from end to
 * end.
 */
static void add_phases(struct canon *c)
{
	enum edge_kind kind;
	for (uint32_t i = 0; i < c->graph->n_nodes; i++) {
		const struct node *node = &c->graph->nodes[i];
		if (node->task == 0 || !node->is_placed || node->kind == NODE_JOIN || canonical_leaves_out(node->kind) ||
		    !canonical_is_merged(c, node->task))
			continue;
		uint32_t id = c->m->n_tasks + i, end = phase_end(c, node->task, node->phase, &kind);
		uint32_t last = node->kind == NODE_REGION ? c->graph->join_node[node->region] : id;
		add_edge(c, phase_begin(c, node->task, node->phase), id, EDGE_SEQUENCE);
		add_edge(c, last, end, kind);
	}
	memset(c->is_settled, 0, c->m->n_regions * sizeof *c->is_settled); /* used again, for phases */
	for (uint32_t task = 1; task < c->m->n_tasks; task++) {
		bool is_alone = c->m->tasks[task].flags & task_flags_initial; /* one of a league, whose barriers are its own */
		bool *is_settled = &c->is_settled[c->m->tasks[task].region];
		if (!graph_task_is_node(c->graph, task) || !canonical_is_merged(c, task) || (*is_settled && !is_alone))
			continue;
		*is_settled = *is_settled || !is_alone;
		for (uint32_t phase = 0, is_last = false; !is_last; phase++) {
			uint32_t end = phase_end(c, task, phase, &kind);
			is_last = kind == EDGE_JOIN;
			add_edge(c, phase_begin(c, task, phase), end, kind);
		}
	}
}

/* The name of a node, to be freed. */
static char *name_of(const struct canon *c, uint32_t id)
{
	char *name = NULL;
	size_t n_bytes = 0;
	FILE *out = memory_open_stream(&name, &n_bytes, "the canonical graph");
	put_name(c, out, id);
	memory_close_stream(out, "the canonical graph");
	return name;
}

/* Adds a line for each task of an exclusive set and the next one by name, and not for every pair. */
static int add_exclusive(void *self, const uint32_t *nodes, uint32_t n)
{
	struct canon *c = self;
	char **names = memory_get(n, sizeof *names, "the canonical graph");
	for (uint32_t i = 0; i < n; i++)
		names[i] = name_of(c, nodes[i]);
	qsort(names, n, sizeof *names, by_text);
	for (uint32_t i = 1; i < n; i++)
		keep_line(c, text_format("%s -- %s exclusive", names[i - 1], names[i]));
	for (uint32_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return 0;
}

static void collect(struct canon *c)
{
	canonical_number(c);
	graph_each_edge(c->graph, see_edge, c);
	graph_each_exclusive(c->graph, add_exclusive, c);
	add_phases(c);
	canonical_free(c);
}

int graph_canonical(const struct graphs *graphs, FILE *out)
{
	struct canon c = {.has_many_processes = graphs->n > 1};
	for (size_t i = 0; i < graphs->n; i++) {
		c.graph = &graphs->graphs[i];
		c.m = c.graph->model;
		c.process = graphs->traces[i].process;
		collect(&c);
	}
	if (c.n_lines > 0)
		qsort(c.lines, c.n_lines, sizeof *c.lines, by_text);
	for (size_t i = 0; i < c.n_lines; i++)
		if (i == 0 || strcmp(c.lines[i], c.lines[i - 1]) != 0)
			fprintf(out, "%s\n", c.lines[i]);
	for (size_t i = 0; i < c.n_lines; i++)
		free(c.lines[i]);
	free(c.lines);
	return ferror(out) ? error("the canonical graph could not be written: %s", strerror(errno)) : 0;
}
