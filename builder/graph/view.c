/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Nodes and edges as exports see them, and how many there are: see view.h.
 */
#include "builder/graph/files.h"
#include "builder/graph/shared.h"

static const char *const node_names[NODE_KINDS] = {
	[NODE_NONE] = "none",           [NODE_INITIAL] = "initial",
	[NODE_IMPLICIT] = "implicit",   [NODE_TASK] = "task",
	[NODE_TARGET] = "target",       [NODE_TASKWAIT] = "taskwait",
	[NODE_TASKGROUP] = "taskgroup", [NODE_BARRIER] = "barrier",
	[NODE_REGION] = "region",       [NODE_JOIN] = "join",
	[NODE_FRAGMENT] = "fragment",   [NODE_SCOPE_BEGIN] = "scope_begin",
	[NODE_SCOPE_END] = "scope_end", [NODE_TARGET_REGION] = "target_region",
	[NODE_DATA_OP] = "data_op",     [NODE_SUBMIT] = "submit",
	[NODE_KERNEL] = "kernel",       [NODE_TASK_END] = "task_end",
	[NODE_UNIT] = "unit",           [NODE_TASKLET] = "tasklet",
	[NODE_SCHEDULER] = "scheduler", [NODE_PRIMARY_UNIT] = "primary_unit",
	[NODE_EXTERNAL] = "external",   [NODE_UNIT_JOIN] = "unit_join",
	[NODE_UNIT_WAIT] = "unit_wait", [NODE_TASKLOOP_SPLIT] = "taskloop_split",
};

static const char *const edge_names[EDGE_KINDS] = {
	[EDGE_CREATE] = "create",     [EDGE_SEQUENCE] = "sequence",     [EDGE_DEPEND] = "depend",
	[EDGE_TASKWAIT] = "taskwait", [EDGE_TASKGROUP] = "taskgroup",   [EDGE_BARRIER] = "barrier",
	[EDGE_JOIN] = "join",         [EDGE_UNDEFERRED] = "undeferred", [EDGE_FULFILL] = "fulfill",
	[EDGE_SUBMIT] = "submit",     [EDGE_COMPLETE] = "complete",     [EDGE_REVIVE] = "revive",
	[EDGE_RESUME] = "resume",     [EDGE_DOACROSS] = "doacross",
};

const char *node_kind_name(enum node_kind kind)
{
	return node_names[kind];
}

const char *edge_kind_name(enum edge_kind kind)
{
	return edge_names[kind];
}

const char *edge_dependence_name(unsigned dependence)
{
	const char *name = event_enum_name("dependence_type", dependence);
	return dependence == 0 ? "" : name != NULL ? name : "unknown";
}

struct graph_numbers graph_numbers_after(const struct graph *graph)
{
	const struct graph_numbers *before = &graph->before;
	return (struct graph_numbers){.n_nodes = before->n_nodes + graph->model->n_tasks - 1 + graph->n_nodes,
				      .n_constructs = before->n_constructs + graph->model->n_constructs - 1, /* row 0 is unknown */
				      .n_sets = before->n_sets + graph_n_exclusive(graph)};
}

/* The operation of a node; of a kernel that of its submit. NULL: none. */
static const struct operation *node_operation(const struct graph *graph, const struct node *node)
{
	const struct model *m = graph->model;
	if (node->kind == NODE_KERNEL)
		return &m->operations[m->activities[node->activity].operation];
	return graph_is_operation(node->kind) ? &m->operations[node->operation] : NULL;
}

static const struct activity *node_activity(const struct graph *graph, const struct node *node)
{
	const struct model *m = graph->model;
	uint32_t row = node->kind == NODE_KERNEL    ? node->activity
		       : node->kind == NODE_DATA_OP ? m->operations[node->operation].activity
						    : 0;
	return row != 0 ? &m->activities[row] : NULL;
}

/* Clips the begin and end of a node to the part of the time that is shown; its creation time stays as it is. */
static void clip(const struct window *window, struct node_view *view)
{
	view->begin_ticks = view->begin_ticks != 0 ? window_clip(window, view->begin_ticks) : 0;
	view->end_ticks = view->end_ticks != 0 ? window_clip(window, view->end_ticks) : 0;
}

struct node_view graph_node(const struct graph *graph, uint32_t id)
{
	const struct model *m = graph->model;
	if (id < m->n_tasks) {
		const struct task *task = &m->tasks[id];
		struct node_view view = {
			.id = id,
			.kind = graph_task_is_node(graph, id) ? graph_task_kind(task) : NODE_NONE,
			.task = id,
			.region = task->region,
			.construct = task->construct,
			.stream = task->state & TASK_STARTED ? task->run_stream : UINT32_MAX,
			.create_ticks = task->create_ticks,
			.begin_ticks = task->start_ticks,
			.end_ticks = task->end_ticks,
			.busy_ticks = graph->busy != NULL ? graph->busy->ticks[id] : 0,
			.blocked_ticks = graph_blocked_ticks(graph, id),
			.flags = task->flags,
			.state = task->state,
		};
		if (graph->first_fragments != NULL) {
			view.end_ticks = graph->first_fragments[id].end_ticks;
			view.busy_ticks = graph->first_fragments[id].busy_ticks;
		}
		if (graph->outside != NULL)
			clip(&m->window, &view);
		return view;
	}
	const struct node *node = graph_inner_node(graph, id);
	const struct operation *operation = node_operation(graph, node);
	struct node_view view = {
		.id = id,
		.kind = node->is_placed ? node->kind : NODE_NONE,
		.task = node->task,
		.region = operation == NULL && !node->is_of_unit && node->region != 0 ? node->region : m->tasks[node->task].region,
		.construct = node->construct,
		.stream = node->task != 0 ? m->tasks[node->task].run_stream : UINT32_MAX,
		.begin_ticks = node->begin_ticks,
		.end_ticks = node->end_ticks,
		.busy_ticks = node->busy_ticks,
		.blocked_ticks = graph_blocked_ticks(graph, id),
		.operation = operation,
		.activity = node_activity(graph, node),
	};
	if (node->is_of_unit)
		graph->unit_hooks->view(graph, node, &view);
	if (graph->outside != NULL)
		clip(&m->window, &view);
	return view;
}

uint32_t graph_parent(const struct graph *graph, const struct node_view *node)
{
	const struct model *m = graph->model;
	if (node->unit != NULL)
		return node->unit_node == node->id ? graph_unit_node(graph, node->unit->creator) : 0;
	uint32_t parent = node->id < m->n_tasks ? m->tasks[node->id].parent : 0;
	return graph_task_is_node(graph, parent) ? parent : 0;
}

int graph_each_node_in(const struct graph *graph, uint32_t first, uint32_t end,
		       int (*function)(void *self, const struct node_view *node), void *self)
{
	int rc = 0;
	for (uint32_t id = first; id < end && rc == 0; id++) {
		if (graph_is_stand_in(graph, id))
			continue;
		struct node_view view = graph_node(graph, id);
		if (view.kind != NODE_NONE)
			rc = function(self, &view);
	}
	return rc;
}

int graph_each_node(const struct graph *graph, int (*function)(void *self, const struct node_view *node), void *self)
{
	return graph_each_node_in(graph, 1, graph_n_ids(graph), function, self);
}

/* ---- Edges ---- */

/*
 * Each of these fills in the ends of one edge, or returns false where there is none. A task has two places: the first is for
 * the edge that leads to it from what created it, the second for the edge from its end to what waits for it.
 */
static inline bool creation_ends(const struct graph *graph, uint32_t task, struct edge_ends *ends)
{
	*ends = (struct edge_ends){graph_task_source(graph, task), task, EDGE_CREATE, 0};
	return ends->source != 0;
}

static inline bool joining_ends(const struct graph *graph, uint32_t task, struct edge_ends *ends)
{
	uint32_t joiner = graph->joiners[task];
	if (joiner == 0 || !graph_is_task(graph, task))
		return false;
	*ends = (struct edge_ends){graph->tasks[task].last, joiner, EDGE_OF_JOINER, 0};
	return true;
}

static inline bool node_ends(const struct node *node, uint32_t id, struct edge_ends *ends)
{
	*ends = (struct edge_ends){node->previous, id, node->previous_kind, 0};
	return node->is_placed && node->previous != 0;
}

static inline bool own_ends(const struct graph *graph, size_t row, struct edge_ends *ends)
{
	const struct edge *edge = &graph->edges[row];
	*ends = (struct edge_ends){graph_edge_source(graph, edge), edge->target, edge->kind, edge->dependence};
	return true;
}

static inline bool is_in(const unsigned char *left_out, size_t place)
{
	return left_out == NULL || !(left_out[place / 8] >> place % 8 & 1);
}

size_t graph_n_edge_places(const struct graph *graph)
{
	return 2 * (size_t)graph->model->n_tasks + graph->n_nodes + graph->n_edges;
}

size_t graph_edges_in(const struct graph *graph, size_t place, size_t end, struct edge_ends *edges)
{
	size_t n_of_tasks = 2 * (size_t)graph->model->n_tasks, n_implied = n_of_tasks + graph->n_nodes;
	const unsigned char *left_out = graph->left_out;
	const struct node *nodes = graph->nodes;
	struct edge_ends *at = edges;
	for (; place < end && place < n_of_tasks; place++) {
		uint32_t task = (uint32_t)(place / 2);
		bool is_edge = place % 2 == 0 ? creation_ends(graph, task, at) : joining_ends(graph, task, at);
		at += is_edge && is_in(left_out, place);
	}
	for (; place < end && place < n_implied; place++)
		at += node_ends(&nodes[place - n_of_tasks], (uint32_t)(place - graph->model->n_tasks), at) &&
		      is_in(left_out, place);
	for (; place < end; place++)
		at += own_ends(graph, place - n_implied, at) && is_in(left_out, place);
	return (size_t)(at - edges);
}

/* Fills in the variable or object that an edge of the graph's own table is about. */
static void see_object(const struct graph *graph, const struct edge *edge, struct edge_view *view)
{
	view->object = edge_variable(edge);
	if (edge->kind == EDGE_RESUME) {
		struct unit_wait wait = graph_unit_wait(graph, graph_inner_node(graph, edge->target));
		view->sync = wait.sync;
		view->object = wait.object;
	}
}

bool graph_edge_at(const struct graph *graph, size_t place, struct edge_view *edge)
{
	size_t n_implied = 2 * (size_t)graph->model->n_tasks + graph->n_nodes;
	struct edge_ends ends;
	if (graph_edges_in(graph, place, place + 1, &ends) == 0)
		return false;
	if (ends.kind == EDGE_OF_JOINER)
		ends.kind = (uint8_t)edge_of_joiner(graph_inner_node(graph, ends.target)->kind);
	*edge = (struct edge_view){ends.source, ends.target, ends.kind, ends.dependence, 0, 0};
	if (place >= n_implied)
		see_object(graph, &graph->edges[place - n_implied], edge);
	return true;
}

int graph_each_edge(const struct graph *graph, int (*function)(void *self, const struct edge_view *edge), void *self)
{
	struct edge_view edge;
	int rc = 0;
	for (size_t place = 0, n = graph_n_edge_places(graph); place < n && rc == 0; place++)
		if (graph_edge_at(graph, place, &edge))
			rc = function(self, &edge);
	return rc;
}

static void count_tasks(const struct graph *graph, struct graph_counts *counts)
{
	uint64_t *nodes = counts->nodes, *edges = counts->edges;
	bool has_edges = !graph->is_counted && graph->left_out == NULL;
#pragma omp parallel for reduction(+ : nodes[:NODE_KINDS], edges[:EDGE_KINDS]) if (graph->model->n_tasks > FEW_ROWS)
	for (uint32_t row = 1; row < graph->model->n_tasks; row++) {
		enum edge_kind kind;
		if (!graph_task_is_node(graph, row))
			continue;
		nodes[graph_task_kind(&graph->model->tasks[row])]++;
		if (!has_edges)
			continue;
		edges[EDGE_CREATE] += graph_own_source(graph, row) != 0;
		if (graph_joiner(graph, row, &kind) != 0)
			edges[kind]++;
	}
}

static void count_nodes(const struct graph *graph, struct graph_counts *counts)
{
	uint64_t *nodes = counts->nodes, *edges = counts->edges;
	bool has_edges = graph->left_out == NULL;
#pragma omp parallel for reduction(+ : nodes[:NODE_KINDS], edges[:EDGE_KINDS]) if (graph->n_nodes > FEW_ROWS)
	for (uint32_t i = 0; i < graph->n_nodes; i++) {
		const struct node *node = &graph->nodes[i];
		nodes[node->kind] += node->is_placed; /* stand-ins are not placed */
		edges[node->previous_kind] += has_edges && node->is_placed && node->previous != 0;
	}
}

void graph_count(const struct graph *graph, struct graph_counts *counts)
{
	struct edge_view edge;
	for (size_t k = 0; k < graph->n_streams; k++) {
		for (size_t i = 0; i < NODE_KINDS; i++)
			counts->nodes[i] += graph->streams[k].counted.nodes[i];
		for (size_t i = 0; i < EDGE_KINDS; i++)
			counts->edges[i] += graph->streams[k].counted.edges[i];
	}
	count_tasks(graph, counts); /* where the graph is only counted, tasks' own edges are counted already */
	count_nodes(graph, counts);
	for (size_t i = 0; i < graph->n_edges && graph->left_out == NULL; i++)
		counts->edges[graph->edges[i].kind]++;
	for (size_t place = 0; place < graph_n_edge_places(graph) && graph->left_out != NULL; place++)
		if (graph_edge_at(graph, place, &edge))
			counts->edges[edge.kind]++;
}

uint64_t graph_node_work_ns(const struct dump *dump, const struct node_view *node)
{
	const struct activity *a = node->activity;
	if (node->unit != NULL && node->unit->kind == UNIT_SCHEDULER) /* looking for work is no work */
		return 0;
	if (a != NULL && a->begin_ticks != 0 && a->end_ticks != 0)
		return dump_ns(dump, a->end_ticks) - dump_ns(dump, a->begin_ticks);
	if (node->kind == NODE_UNIT_WAIT || node->kind == NODE_UNIT_JOIN)
		return 0; /* polling is no work */
	return dump_duration_ns(dump, node->busy_ticks);
}
