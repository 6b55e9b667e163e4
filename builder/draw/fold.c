/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folds the graph of a process: each node into its class, then edges between classes, the critical path, and worksharing
 * constructs. See fold.h.
 */
#include "builder/draw/fold.h"
#include "builder/graph/path.h"
#include "builder/callpaths/tree.h"
#include "builder/support/memory.h"
#include "builder/support/array.h"

#include <stdlib.h>
#include <string.h>

/* What the node itself executed, in ticks. A task's fragments are not distinguished: the task has the time of all. */
static uint64_t own_ticks(const struct graph_folding *f, const struct node_view *node)
{
	const struct busy *busy = f->source->graph->busy;
	switch (node->kind) {
	case NODE_INITIAL:
	case NODE_IMPLICIT:
	case NODE_TASK:
	case NODE_TARGET:
	case NODE_TASKLOOP_SPLIT: return busy != NULL ? busy->ticks[node->task] : 0;
	case NODE_FRAGMENT: return node->task == 0 ? node->busy_ticks : 0;
	case NODE_SCHEDULER: return 0; /* looking for work is no work */
	case NODE_UNIT:
	case NODE_TASKLET:
	case NODE_PRIMARY_UNIT:
	case NODE_EXTERNAL: return node->busy_ticks;
	default: return 0;
	}
}

static bool is_task(enum node_kind kind)
{
	return kind == NODE_TASK || kind == NODE_TARGET || kind == NODE_TASKLOOP_SPLIT || kind == NODE_UNIT || kind == NODE_TASKLET;
}

/* Does a class have a node of this kind instead of its own? A task's class has its fragments, a region's its implicit tasks. */
static bool is_counted(const struct fold_class *class, enum node_kind kind)
{
	return (enum node_kind) class->kind == kind;
}

static void add_device_time(const struct graph_folding *f, struct fold_class *class, const struct node_view *node)
{
	uint64_t ns = path_node_ns(&f->source->trace->dump, node);
	class->own_ns += ns;
	class->least_ns = ns < class->least_ns ? ns : class->least_ns;
	class->most_ns = ns > class->most_ns ? ns : class->most_ns;
	if (node->kind == NODE_DATA_OP)
		class->n_bytes += node->operation->has_failed ? 0 : node->operation->n_bytes;
	else if (class->n == 0)
		class->device = node->activity->device;
}

static int add_node(void *self, const struct node_view *node)
{
	struct graph_folding *f = self;
	uint32_t row = f->class_of[node->id] = folding_class(f, node);
	f->fold->n_nodes++;
	if (row == 0)
		return 0;
	struct fold_class *class = &f->fold->classes[row];
	uint64_t ticks = own_ticks(f, node);
	class->own_ticks += ticks;
	if (node->id < f->model->n_tasks && f->source->wait_ticks != NULL)
		class->wait_ticks += f->source->wait_ticks[node->id];
	if (node->kind == NODE_DATA_OP || node->kind == NODE_KERNEL)
		add_device_time(f, class, node);
	if (is_task(node->kind)) {
		class->least_ticks = ticks < class->least_ticks ? ticks : class->least_ticks;
		class->most_ticks = ticks > class->most_ticks ? ticks : class->most_ticks;
	}
	class->n_members += node->kind == NODE_IMPLICIT;
	class->n += is_counted(class, node->kind);
	return 0;
}

/* The class of what creates the task; 0: none, the edge begins at its own source. */
static uint32_t creator_class(const struct graph_folding *f, uint32_t id)
{
	struct node_view node = graph_node(f->source->graph, id);
	bool is_created = is_task(node.kind) || node.kind == NODE_INITIAL || node.unit != NULL;
	uint32_t creator = is_created ? graph_parent(f->source->graph, &node) : 0;
	return creator != 0 ? f->class_of[creator] : 0;
}

/* The class of the task or unit that the node belongs to, and not of what it synchronised with last. */
static uint32_t owner_class(const struct graph_folding *f, uint32_t id)
{
	struct node_view node = graph_node(f->source->graph, id);
	uint32_t owner = node.unit_node != 0 ? node.unit_node : node.task;
	bool is_of_device = node.kind == NODE_SUBMIT || node.kind == NODE_KERNEL || node.kind == NODE_JOIN;
	return owner != 0 && !is_of_device ? f->class_of[owner] : 0;
}

static int add_edge(void *self, const struct edge_view *edge)
{
	const struct graph_folding *f = self;
	uint32_t from = f->class_of[edge->source], to = f->class_of[edge->target], other = 0;
	if (edge->kind == EDGE_CREATE || edge->kind == EDGE_REVIVE)
		other = creator_class(f, edge->target);
	else if (edge->kind != EDGE_SEQUENCE)
		other = owner_class(f, edge->source);
	from = other != 0 ? other : from;
	if (from != 0 && to != 0)
		fold_edge_row(f->fold, from, to, edge->kind)->n++;
	return 0;
}

/* Each member with the next one, and not all pairs. */
static int add_exclusive(void *self, const uint32_t *nodes, uint32_t n)
{
	const struct graph_folding *f = self;
	for (uint32_t i = 1; i < n; i++) {
		uint32_t from = f->class_of[nodes[i - 1]], to = f->class_of[nodes[i]];
		if (from != 0 && to != 0)
			fold_edge_row(f->fold, from < to ? from : to, from < to ? to : from, PAIR_EXCLUSIVE)->n++;
	}
	return 0;
}

/* Adds the critical path to the classes and edges. A visit of a class counts once, until the path reaches another one. */
static void add_path(struct graph_folding *f)
{
	const struct graph *graph = f->source->path_graph;
	const struct path *path = graph != NULL ? graph->path : NULL;
	struct fold *fold = f->fold;
	uint32_t before = 0, task = 0;
	f->adds = false;
	for (uint32_t i = 0; path != NULL && path->places != NULL && i < path->n_nodes; i++) {
		struct node_view node = graph_node(graph, path->nodes[i]);
		uint32_t row = folding_class(f, &node);
		if (row == 0)
			continue;
		struct fold_class *class = &fold->classes[row];
		node.blocked_ticks = 0; /* what was executed, as everywhere here */
		class->path_ns += path_node_ns(&f->source->trace->dump, &node);
		class->n_on_path += row != before || node.task != task;
		for (unsigned kind = 0; kind < EDGE_KINDS && before != 0; kind++) {
			uint32_t *found = map_get(&fold->edge_rows, fold_edge_key(before, row, kind));
			if (found != NULL && (row != before || node.task != task))
				fold->edges[*found - 1].n_on_path++;
		}
		before = row;
		task = node.task;
	}
	f->adds = true;
}

/* By construct: the waits in the barriers that end it, which are not by path; to be freed. */
static uint64_t *find_waits_of_loops(const struct graph_folding *f)
{
	const struct answer *answer = f->source->answer;
	const struct track *track = &answer->track;
	const struct model *m = f->model;
	uint64_t *wait_ns = memory_zeroed(m->n_constructs, sizeof *wait_ns, "the drawing");
	for (uint32_t c = 1; c < m->n_constructs; c++)
		if (track->same[c] == c && m->constructs[c].codeptr != 0)
			wait_ns[track->loop_of[c]] += dump_duration_ns(&f->source->trace->dump, answer->figures[c].wait_ticks);
	return wait_ns;
}

/* What was executed in worksharing constructs, and the waits in the barriers that end them. */
static void add_loops(struct graph_folding *f)
{
	const struct answer *answer = f->source->answer;
	const struct dump *dump = &f->source->trace->dump;
	const struct model *m = f->model;
	if (answer == NULL)
		return;
	uint64_t *wait_ns = find_waits_of_loops(f); /* what is shown already is 0 */
	for (uint32_t i = 1; i < answer->tree->n_nodes; i++) {
		const struct callpath_node *node = &answer->tree->nodes[i], *region = &answer->tree->nodes[node->parent];
		if (node->construct >= m->n_constructs || region->construct >= m->n_constructs ||
		    m->constructs[node->construct].kind < CONSTRUCT_LOOP ||
		    m->constructs[node->construct].kind > CONSTRUCT_MASKED ||
		    m->constructs[region->construct].kind != CONSTRUCT_PARALLEL)
			continue;
		struct fold_loop *loop = fold_loop_row(f->fold, f->label_of[region->construct], f->label_of[node->construct]);
		loop->n += node->count;
		loop->own_ns += dump_duration_ns(dump, node->own_ticks);
		loop->wait_ns += wait_ns[node->construct];
		wait_ns[node->construct] = 0;
	}
	free(wait_ns);
}

static void convert(const struct dump *dump, struct fold *fold)
{
	for (uint32_t c = 1; c < fold->n_classes; c++) {
		struct fold_class *class = &fold->classes[c];
		class->own_ns += dump_duration_ns(dump, class->own_ticks);
		class->wait_ns += dump_duration_ns(dump, class->wait_ticks);
		if (class->least_ticks != UINT64_MAX) {
			class->least_ns = dump_duration_ns(dump, class->least_ticks);
			class->most_ns = dump_duration_ns(dump, class->most_ticks);
		}
	}
}

void fold_process(struct fold *fold, struct labels *labels, const struct fold_source *source)
{
	struct graph_folding f = {.fold = fold, .source = source, .model = &source->trace->model, .labels = labels, .adds = true};
	folding_begin(&f);
	graph_each_node(source->graph, add_node, &f);
	graph_each_edge(source->graph, add_edge, &f);
	graph_each_exclusive(source->graph, add_exclusive, &f);
	add_path(&f);
	add_loops(&f);
	convert(&source->trace->dump, fold);
	fold->n_processes = 1;
	folding_end(&f);
}
