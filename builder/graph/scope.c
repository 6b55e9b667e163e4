/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Nodes and edges that come from scopes: barriers, taskwaits, taskgroups, and at the scope level every construct that
 * nests. Called by the replay through graph_ops, on one thread. Streams come in any order: what concerns several of
 * them (barriers) is found by number, never by time.
 */
#include "builder/graph/shared.h"
#include "builder/graph/split.h"
#include "builder/support/array.h"

static bool is_closing(const struct scope *scope)
{
	return scope->kind == sync_kind_barrier_implicit_parallel || scope->kind == sync_kind_barrier_teams;
}

static void barrier(struct graph *graph, const struct point *at, const struct scope *scope)
{
	const struct task *task = &graph->model->tasks[at->task];
	if (task_is_explicit(task) || scope->is_reduction || is_closing(scope))
		return; /* a closing barrier is the join */
	uint32_t *found = map_put(&graph->barriers, graph_barrier_key(graph->model, at->task, scope->ordinal));
	if (*found == 0) {
		*found = graph_add_node(graph, NODE_BARRIER, 0, scope->construct, at->ticks);
		graph_inner_node(graph, *found)->region = task->region;
		graph_inner_node(graph, *found)->phase = scope->ordinal;
	}
	struct node *node = graph_inner_node(graph, *found);
	if (at->ticks < node->begin_ticks)
		node->begin_ticks = at->ticks;
	if (graph->model->constructs[node->construct].codeptr == 0)
		node->construct = scope->construct;
	graph->scope_node[scope->number] = *found;
	graph->tasks[at->task].n_barriers = scope->ordinal + 1;
	graph_close_intervals(graph, at->task, *found);
	graph_reach(graph, at->task, *found, EDGE_BARRIER);
	graph->tasks[at->task].last = *found;
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
	if (!is_work || task_is_explicit(&graph->model->tasks[task]))
		return;
	uint32_t *in_work = map_put(&graph->in_work, task);
	*in_work += change;
	if (*in_work == 0)
		map_remove(&graph->in_work, task);
}

static void enter_sync(struct graph *graph, const struct point *at, const struct scope *scope)
{
	uint32_t *node = &graph->scope_node[scope->number];
	graph_stop_fragment(graph, at);
	switch (scope->kind) {
	case sync_kind_taskgroup: graph_open_group(graph, at, scope); break;
	case sync_kind_taskwait:
		*node = graph_add_placed(graph, NODE_TASKWAIT, at->task, scope->construct, at->ticks);
		graph_close_intervals(graph, at->task, *node);
		break;
	default: barrier(graph, at, scope);
	}
}

static void leave_sync(struct graph *graph, const struct point *at, const struct scope *scope)
{
	uint32_t id = graph->scope_node[scope->number];
	if (scope->kind == sync_kind_taskgroup) {
		graph_leave_fragment(graph, at);
		graph_close_group(graph, at, scope);
		graph_place(graph, at->task, id);
		graph_inner_node(graph, id)->end_ticks = at->ticks;
	} else if (id != 0) {
		struct node *node = graph_inner_node(graph, id);
		if (at->ticks > node->end_ticks)
			node->end_ticks = at->ticks;
	} else
		return; /* no node: the task's fragment goes on, if anything of the program comes after it */
	graph_start_fragment(graph, at, at->task);
}

static bool is_operation(const struct scope *scope)
{
	return scope->type == SCOPE_TARGET || scope->type == SCOPE_DATA_OP || scope->type == SCOPE_SUBMIT;
}

int graph_scope_enter(void *self, const struct point *at, struct scope *scope)
{
	struct graph *graph = self;
	if (at->task == 0 || graph_is_helper(graph, at->task))
		return 0;
	array_reserve((void **)&graph->scope_node, scope->number + (size_t)1, &graph->scopes_capacity, sizeof *graph->scope_node);
	graph->scope_node[scope->number] = 0;
	graph->order.created[at->stream] = 0;
	if (is_operation(scope)) {
		graph_enter_operation(graph, at, scope);
		return 0;
	}
	if (is_pair(graph, scope))
		graph_add_placed(graph, NODE_SCOPE_BEGIN, at->task, scope->construct, at->ticks);
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
	if (is_operation(scope)) {
		graph_leave_operation(graph, at, scope);
		return 0;
	}
	if (scope->type == SCOPE_SYNC) {
		leave_sync(graph, at, scope);
		return 0;
	}
	if (is_pair(graph, scope))
		graph_add_placed(graph, NODE_SCOPE_END, at->task, scope->construct, at->ticks);
	count_work(graph, at->task, scope, UINT32_MAX); /* minus one */
	graph_end_split(graph, at->task, scope);
	return 0;
}
