/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Nodes and edges that come from scopes: barriers, taskwaits, taskgroups, and at the scope level every construct that
 * nests. Streams come in any order: each adds its own part of a barrier.
 */
#include "builder/graph/shared.h"

static bool is_closing(const struct scope *scope)
{
	return scope->kind == sync_kind_barrier_implicit_parallel || scope->kind == sync_kind_barrier_teams;
}

/* Is it a barrier of the program's that is a node? A closing barrier is the join. */
static bool is_barrier(const struct graph *graph, const struct point *at, const struct scope *scope)
{
	return !task_is_explicit(&graph->model->tasks[at->task]) && !scope->is_reduction && !is_closing(scope);
}

static void barrier(struct graph *graph, const struct point *at, struct scope *scope)
{
	struct graph_task *task = &graph->tasks[at->task];
	uint32_t id = graph_add_node(graph, at, NODE_BARRIER, at->task, scope->construct);
	if (graph->is_counted) {
		graph_close_intervals(graph, at, at->task, id);
		graph_count_barrier(graph, at, scope->ordinal);
		return;
	}
	struct node *node = graph_inner_node(graph, id);
	node->region = graph->model->tasks[at->task].region;
	node->phase = scope->ordinal;
	task->n_barriers = scope->ordinal + 1;
	graph_close_intervals(graph, at, at->task, id);
	graph_reach(graph, at, at->task, id, EDGE_BARRIER);
	task->last = scope->nodes[graph->slot] = id;
}

/* Is it a scope that nests, and that the scope level shows as a pair of nodes? */
static bool is_pair(const struct graph *graph, const struct scope *scope)
{
	return graph->level == GRAPH_SCOPE && (scope->type == SCOPE_MASKED || scope->type == SCOPE_MUTEX ||
					       (scope->type == SCOPE_WORK && scope->kind != work_kind_single_other) ||
					       (scope->type == SCOPE_SYNC && scope->kind == sync_kind_taskgroup));
}

/* Counts the open constructs of an implicit task that one thread of the team executes. */
static void count_work(struct graph *graph, uint32_t task, const struct scope *scope, uint32_t change)
{
	bool is_work = (scope->type == SCOPE_WORK && scope->kind != work_kind_single_other) || scope->type == SCOPE_MASKED;
	if (is_work && !graph->is_counted && !task_is_explicit(&graph->model->tasks[task]))
		graph->tasks[task].n_work += change;
}

static void enter_sync(struct graph *graph, const struct point *at, struct scope *scope)
{
	graph_stop_fragment(graph, at);
	if (scope->kind == sync_kind_taskgroup)
		graph_open_group(graph, at, scope);
	else if (scope->kind == sync_kind_taskwait) {
		uint32_t id = graph_add_placed(graph, at, NODE_TASKWAIT, at->task, scope->construct);
		scope->nodes[graph->slot] = id;
		graph_close_intervals(graph, at, at->task, id);
	} else if (is_barrier(graph, at, scope))
		barrier(graph, at, scope);
}

/* It need not be the task's position any more: what combines a reduction in a barrier may acquire a lock. */
static void leave_wait(struct graph *graph, const struct point *at, const struct scope *scope)
{
	uint32_t id = scope->nodes[graph->slot];
	struct node *node = graph_is_stand_in(graph, id) ? NULL : graph_inner_node(graph, id);
	if (node != NULL && at->ticks > node->end_ticks)
		node->end_ticks = at->ticks;
}

static void leave_sync(struct graph *graph, const struct point *at, const struct scope *scope)
{
	if (scope->kind == sync_kind_taskgroup) {
		graph_leave_fragment(graph, at);
		uint32_t id = graph_close_group(graph, at);
		if (id != 0)
			graph_place(graph, at, at->task, id);
		if (id != 0 && !graph_is_stand_in(graph, id))
			graph_inner_node(graph, id)->end_ticks = at->ticks;
	} else if (scope->kind == sync_kind_taskwait || is_barrier(graph, at, scope))
		leave_wait(graph, at, scope);
	else
		return; /* no node: the task's fragment continues, if anything of the program comes after it */
	graph_start_fragment(graph, at, at->task);
}

int graph_scope_enter(void *self, const struct point *at, struct scope *scope)
{
	struct graph *graph = self;
	if (at->task == 0 || graph_is_helper(graph, at->task))
		return 0;
	graph_stream(graph, at)->undeferred = 0;
	if (scope->paradigm != NULL) {
		scope->paradigm->graph->scope_enter(graph, at, scope);
		return 0;
	}
	if (is_pair(graph, scope))
		graph_add_placed(graph, at, NODE_SCOPE_BEGIN, at->task, scope->construct);
	if (scope->type == SCOPE_WORK && construct_of_work(scope->kind) == CONSTRUCT_LOOP)
		doacross_loop(graph, at);
	if (scope->type == SCOPE_SYNC)
		enter_sync(graph, at, scope);
	else
		count_work(graph, at->task, scope, 1);
	return 0;
}

int graph_scope_leave(void *self, const struct point *at, struct scope *scope)
{
	struct graph *graph = self;
	if (at->task == 0 || graph_is_helper(graph, at->task))
		return 0;
	if (scope->paradigm != NULL) {
		scope->paradigm->graph->scope_leave(graph, at, scope);
		return 0;
	}
	if (scope->type == SCOPE_SYNC) {
		leave_sync(graph, at, scope);
		return 0;
	}
	if (is_pair(graph, scope))
		graph_add_placed(graph, at, NODE_SCOPE_END, at->task, scope->construct);
	count_work(graph, at->task, scope, UINT32_MAX); /* minus one */
	graph_end_split(graph, at->task, scope);
	return 0;
}
