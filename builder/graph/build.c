/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes nodes and edges of the replay's events: begins and frees the graph, and handles regions and tasks. The rules are
 * those of docs/design.md, "The graph". Streams come in any order, and may come at the same time: each has rows of its own.
 */
#include "builder/graph/shared.h"
#include "builder/support/array.h"

#include <stdlib.h>

#define WHAT "the graph"

/* ---- The graph as a whole ---- */

/* Can the graph be counted without being kept? */
static bool can_count(const struct graph *graph)
{
	const struct model *m = graph->model;
	bool has_kernels = false;
	for (uint32_t i = 1; i < m->n_activities; i++)
		has_kernels = has_kernels || m->activities[i].type == ACTIVITY_KERNEL;
	return graph->level != GRAPH_FRAGMENT && !has_kernels && graph->splits == NULL && !graph_may_be_unsound(graph);
}

static void begin_tasks(struct graph *graph)
{
	uint32_t n = graph->model->n_tasks;
	graph->tasks = memory_zeroed(n, sizeof *graph->tasks, WHAT);
#pragma omp parallel for if (n > FEW_ROWS)
	for (uint32_t i = 1; i < n; i++)
		graph->tasks[i].last = i;
}

/* Tables that only some programs need. */
static void begin_rare(struct graph *graph)
{
	const struct model *m = graph->model;
	unsigned flags = m->task_flags;
	graph->has_waits = flags & task_flags_taskwait;
	if (flags & task_flags_undeferred)
		graph->order.tasks = memory_zeroed(m->n_tasks, sizeof *graph->order.tasks, WHAT);
	if (flags & TASK_SPLIT)
		graph->splits = memory_zeroed(m->n_tasks, sizeof *graph->splits, WHAT);
	if (m->n_operations != 0)
		graph->operation_node = memory_zeroed(m->n_operations, sizeof *graph->operation_node, WHAT);
	if (graph->level == GRAPH_FRAGMENT && m->switches.are_recorded)
		graph->given_blocked_ticks = memory_zeroed(m->n_tasks, sizeof *graph->given_blocked_ticks, WHAT);
}

/*
 * In a graph that is only counted the first nodes stand for all nodes of a kind, and are not in the graph themselves. A
 * record makes three nodes at most, and what it leaves open as many when that is closed.
 */
static void begin_rows(struct graph *graph)
{
	struct graph_stream *first = &graph->streams[0];
	uint64_t n = 8 * graph->model->dump->n_records;
	rows_begin(&graph->node_rows, sizeof *graph->nodes, n, graph->n_streams, &first->node_end, NODE_KINDS);
	rows_begin(&graph->interval_rows, sizeof(struct interval), n, graph->n_streams, &first->interval_end, 1);
	rows_begin(&graph->open_rows, sizeof(struct open_children), n, graph->n_streams, &first->open_end, 1);
}

void graph_begin(struct graph *graph, const struct model *model, enum graph_level level, enum graph_keep keep)
{
	*graph = (struct graph){.model = model, .level = level, .n_streams = model->dump->n_streams};
	graph->n_streams += graph->n_streams == 0;
	graph->streams = memory_zeroed(graph->n_streams, sizeof *graph->streams, WHAT);
	graph->region_node = memory_zeroed(model->n_regions, sizeof *graph->region_node, WHAT);
	graph->join_node = memory_zeroed(model->n_regions, sizeof *graph->join_node, WHAT);
	if (level == GRAPH_FRAGMENT) {
		graph->first_fragments = memory_zeroed(model->n_tasks, sizeof *graph->first_fragments, WHAT);
		graph->given_ticks = memory_zeroed(model->n_tasks, sizeof *graph->given_ticks, WHAT);
	}
	begin_tasks(graph);
	begin_rare(graph);
	begin_rows(graph);
	graph_depend_begin(graph);
	doacross_begin(graph);
	graph->is_counted = keep == GRAPH_COUNTED && can_count(graph);
	graph->unit_hooks = model->tasking != NULL ? model->tasking->graph : NULL;
	if (graph->unit_hooks != NULL)
		graph->unit_hooks->begin(graph);
	mutexes_begin(&graph->mutexes, graph->n_streams, &graph->model->window);
}

static void free_streams(struct graph *graph)
{
	for (size_t i = 0; i < graph->n_streams; i++) {
		struct graph_stream *s = &graph->streams[i];
		free(s->edges);
		free(s->own);
		free(s->unproven);
		free(s->fulfilments);
		free(s->blocked);
	}
	free(graph->streams);
}

void graph_free(struct graph *graph)
{
	graph_depend_free(graph);
	doacross_free(graph);
	variables_free(&graph->variables);
	graph_free_exclusive(graph);
	if (graph->unit_hooks != NULL)
		graph->unit_hooks->free(graph);
	graph_free_path(graph);
	free_streams(graph);
	rows_free(&graph->node_rows);
	rows_free(&graph->interval_rows);
	rows_free(&graph->open_rows);
	free(graph->order.tasks);
	free(graph->splits);
	free(graph->barriers);
	free(graph->operation_node);
	free(graph->nodes);
	free(graph->edges);
	free(graph->tasks);
	free(graph->region_node);
	free(graph->join_node);
	free(graph->joiners);
	free(graph->first_fragments);
	free(graph->given_ticks);
	graph_free_blocked(graph);
	free(graph->left_out);
	free(graph->outside);
	mutexes_free(&graph->mutexes);
	*graph = (struct graph){0};
}

/* ---- Regions ---- */

/* The stream's part of the join of a region. */
static uint32_t add_join(struct graph *graph, const struct point *at, uint32_t region)
{
	const struct region *r = &graph->model->regions[region];
	uint32_t id = graph_add_node(graph, at, NODE_JOIN, r->task, r->construct);
	if (!graph->is_counted) {
		graph_inner_node(graph, id)->region = region;
		graph_inner_node(graph, id)->wait = (uint32_t)graph_stream(graph, at)->n_edges;
	}
	graph_stream(graph, at)->join = id;
	return id;
}

static int stream_end(void *self, const struct point *at)
{
	graph_stop_fragment(self, at);
	return 0;
}

static int region_begin(void *self, const struct point *at, uint32_t region)
{
	struct graph *graph = self;
	graph_stop_fragment(graph, at);
	graph_stream(graph, at)->undeferred = 0;
	if (graph_is_helper(graph, at->task))
		return 0;
	uint32_t id = graph_add_placed(graph, at, NODE_REGION, at->task, graph->model->regions[region].construct);
	graph->region_node[region] = id;
	if (!graph->is_counted)
		graph_inner_node(graph, id)->region = region;
	return 0;
}

static int region_end(void *self, const struct point *at, uint32_t region)
{
	struct graph *graph = self;
	uint32_t task = graph->model->regions[region].task;
	if (graph_is_helper(graph, task))
		return 0;
	uint32_t join = graph_stream(graph, at)->join; /* where the stream's implicit task of the region has just ended */
	if (graph->is_counted)
		graph->join_node[region] |= JOIN_OF_REGION;
	if (join == 0 || graph->is_counted || graph_inner_node(graph, join)->region != region)
		join = add_join(graph, at, region);
	if (task != 0)
		graph->tasks[task].last = join;
	if (!graph->is_counted) {
		graph_inner_node(graph, join)->end_ticks = at->ticks;
		graph_inner_node(graph, join)->is_region_end = true;
	}
	graph_start_fragment(graph, at, task);
	return 0;
}

static int implicit_begin(void *self, const struct point *at, uint32_t task)
{
	struct graph *graph = self;
	(void)task;
	graph_stop_fragment(graph, at);
	return 0;
}

static int implicit_end(void *self, const struct point *at, uint32_t task)
{
	struct graph *graph = self;
	graph_stop_fragment(graph, at);
	doacross_end(graph, at, task);
	if (!graph_has_join(graph, task)) {
		graph_forget_children(graph, at, task); /* nothing waits for what a root's initial task left running */
		order_settle(graph, at, task, 0);
		return 0;
	}
	uint32_t join = add_join(graph, at, graph->model->tasks[task].region);
	graph_close_intervals(graph, at, task, join);
	if (graph->is_counted)
		graph_count_join(graph, at, task);
	else
		graph_reach(graph, at, task, join, EDGE_JOIN);
	return 0;
}

/* ---- Tasks ---- */

static int task_create(void *self, const struct point *at, uint32_t row)
{
	struct graph *graph = self;
	const struct task *task = &graph->model->tasks[row];
	graph_stop_fragment(graph, at);
	if (task->flags & task_flags_taskwait) {
		/*
		 * A taskwait with dependences, or the wait of an undeferred task with dependences: a point in its
		 * parent.
		 */
		uint32_t id = graph_keep_node(graph, at, NODE_TASKWAIT, task->parent, task->construct);
		graph_place(graph, at, task->parent, id);
		graph->tasks[row].last = id;
		if (task->waits_for != 0)
			order_await(graph, task->waits_for);
		return 0; /* the parent resumes when the wait is over */
	}
	struct graph_task *created = &graph->tasks[row];
	uint32_t in_place = task_in_place(task), creator = in_place != 0 ? in_place : task->parent;
	if (!graph->is_counted)
		created->origin = graph->tasks[creator].last;
	if (in_place == 0)
		created->interval = graph_interval(graph, at, task->parent, row);
	if (graph->splits != NULL)
		graph_note_split(graph, row);
	graph_stream(graph, at)->undeferred = 0;
	if (graph->order.tasks != NULL)
		order_create(graph, at, row);
	graph_start_fragment(graph, at, creator);
	return 0;
}

static int dependences(void *self, const struct point *at, uint32_t row, const struct dependence *list, size_t n)
{
	struct graph *graph = self;
	const struct task *task = &graph->model->tasks[row];
	if (row == 0)
		return 0;
	if (!task_is_explicit(task)) {
		doacross_note(graph, at, row, list, n);
		return 0;
	}
	/* OpenMP 6.0: a dependence may be on a task that is no sibling, for which there is no rule here yet. */
	if (graph->model->tasks[task->parent].flags & (task_flags_importing | task_flags_exporting))
		graph_stream(graph, at)->n_transparent++;
	/* A taskwait with dependences waits at its own node, which comes before the fragment that follows it. */
	uint32_t node = task->flags & task_flags_taskwait ? graph->tasks[row].last : row;
	struct graph_stream *s = graph_stream(graph, at);
	size_t first_edge = s->n_edges;
	graph_depend(graph, at, row, node, list, n);
	s->latest_list = (struct latest_list){row, first_edge, s->n_edges - first_edge};
	return 0;
}

static int task_dependence(void *self, const struct point *at, uint32_t source, uint32_t sink)
{
	graph_check_dependence(self, at, source, sink);
	return 0;
}

static int task_switch(void *self, const struct point *at, uint32_t prior, uint32_t next, unsigned status)
{
	struct graph *graph = self;
	if (status == task_status_taskwait_complete) {
		uint32_t dummy = graph->tasks[prior].last;
		if (dummy >= graph->model->n_tasks && !graph_is_stand_in(graph, dummy))
			graph_inner_node(graph, dummy)->end_ticks = at->ticks;
		graph_start_fragment(graph, at, at->task);
		return 0;
	}
	if (status == task_status_early_fulfill || status == task_status_late_fulfill) {
		order_fulfill(graph, at, prior);
		return 0;
	}
	if (next != 0 || status == TASK_STATUS_CUT)
		graph_leave_fragment(graph, at);
	if (graph_stream(graph, at)->undeferred != 0)
		order_begin(graph, at, next);
	if (status == task_status_complete || status == task_status_cancel || status == task_status_detach ||
	    status == TASK_STATUS_CUT) {
		graph_forget_children(graph, at, prior);
		if (graph->order.tasks != NULL && task_is_explicit(&graph->model->tasks[prior]))
			order_end(graph, at, prior, next);
	}
	return 0;
}

/* ---- Mutexes ---- */

/* At the scope level a lock, too, is a pair of nodes. critical, ordered and atomic are scopes of the replay. */
static void add_lock_nodes(struct graph *graph, const struct point *at, const struct mutex *mutex, uint32_t construct)
{
	bool is_shown =
		graph->level == GRAPH_SCOPE && construct != MUTEXES_NONE && at->task != 0 && !graph_is_helper(graph, at->task);
	if (!is_shown || construct_of_mutex(mutex->kind) != CONSTRUCT_LOCK)
		return;
	enum node_kind kind = mutex->event == MUTEX_ACQUIRED ? NODE_SCOPE_BEGIN : NODE_SCOPE_END;
	graph_add_placed(graph, at, kind, at->task, construct);
}

static int mutex(void *self, const struct point *at, const struct mutex *mutex)
{
	struct graph *graph = self;
	add_lock_nodes(graph, at, mutex, mutexes_event(&graph->mutexes, graph->busy, at, mutex));
	return 0;
}

static int records_missing(void *self, const struct point *at, bool is_begin)
{
	if (is_begin)
		mutexes_forget(&((struct graph *)self)->mutexes, at->stream);
	return 0;
}

static int prepare(void *self, bool *has_made)
{
	struct graph *graph = self;
	*has_made = rows_prepare(&graph->node_rows) || rows_prepare(&graph->interval_rows) || *has_made;
	return 0;
}

const struct replay_ops graph_ops = {
	.stream_end = stream_end,
	.region_begin = region_begin,
	.region_end = region_end,
	.implicit_begin = implicit_begin,
	.implicit_end = implicit_end,
	.task_create = task_create,
	.dependences = dependences,
	.task_dependence = task_dependence,
	.task_switch = task_switch,
	.scope_enter = graph_scope_enter,
	.scope_leave = graph_scope_leave,
	.mutex = mutex,
	.records_missing = records_missing,
	.prepare = prepare,
	.is_by_stream = true,
};
