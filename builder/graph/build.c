/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From replayed events to nodes and edges. Streams come in any order: what concerns several of them (barriers, joins) is found by
 * number, never by time. The rules are those of docs/design.md, "The graph".
 */
#include "builder/graph/graph.h"
#include "builder/support/array.h"

#include <stdlib.h>

/* ---- Positions ---- */

/* The node comes next in the task's sequence. */
static void place(struct graph *graph, uint32_t task, uint32_t id)
{
	struct node *node = graph_inner_node(graph, id);
	node->is_placed = true;
	if (task == 0) /* not known: it has no sequence, as it may be several */
		return;
	node->previous = graph->tasks[task].last;
	node->previous_kind = EDGE_SEQUENCE;
	if (!task_is_explicit(&graph->model->tasks[task])) {
		const uint32_t *in_work = map_get(&graph->in_work, task);
		node->phase = graph->tasks[task].n_barriers;
		node->is_in_work = in_work != NULL && *in_work > 0;
	}
	graph->tasks[task].last = id;
}

uint32_t graph_add_placed(struct graph *graph, enum node_kind kind, uint32_t task, uint32_t construct, uint64_t ticks)
{
	uint32_t id = graph_add_node(graph, kind, task, construct, ticks);
	if (id != 0)
		place(graph, task, id);
	return id;
}

/*
 * An edge from a task's position to a node that many tasks reach. Members of a team that come from the same barrier would give the
 * same edge each: the node keeps that one as its `previous`. Where records end, or are missing, others may come from a barrier further on.
 */
static int reach(struct graph *graph, uint32_t task, uint32_t id, enum edge_kind kind)
{
	uint32_t source = graph->tasks[task].last;
	const struct node *from = graph_inner_node(graph, source);
	struct node *node = graph_inner_node(graph, id);
	bool is_shared = from != NULL && from->kind == NODE_BARRIER;
	node->is_placed = true;
	if (is_shared && node->previous == source)
		return 0;
	if (is_shared && node->previous == 0) {
		node->previous = source;
		node->previous_kind = (uint8_t)kind;
		return 0;
	}
	if (is_shared) {
		uint32_t *has_edge = map_put(&graph->from_barriers, (uint64_t)source << 32 | id);
		if (has_edge == NULL)
			return error("out of memory for the graph");
		if (*has_edge)
			return 0;
		*has_edge = 1;
	}
	struct edge edge = {source, id, (uint8_t)kind, false, 0};
	return graph_add_edge(graph, &edge);
}

/* The runtime's own team for target tasks is not the program's: of its members the graph has nothing. */
static bool is_helper(const struct graph *graph, uint32_t task)
{
	return graph->model->tasks[task].state & TASK_HELPER;
}

/* ---- Regions ---- */

static uint32_t join_node(struct graph *graph, uint32_t region, uint64_t ticks)
{
	if (graph->join_node[region] == 0) {
		const struct region *r = &graph->model->regions[region];
		uint32_t id = graph_add_node(graph, NODE_JOIN, r->task, r->construct, ticks);
		graph->join_node[region] = id;
		if (id != 0)
			graph_inner_node(graph, id)->region = region;
	}
	return graph->join_node[region];
}

static int stream_begin(void *self, const struct point *at)
{
	graph_start_stretch(self, at);
	return 0;
}

static int region_begin(void *self, const struct point *at, uint32_t region)
{
	struct graph *graph = self;
	graph_stop_fragment(graph, at);
	if (is_helper(graph, at->task))
		return 0;
	uint32_t id = graph_add_placed(graph, NODE_REGION, at->task, graph->model->regions[region].construct, at->ticks);
	graph->region_node[region] = id;
	if (id == 0)
		return -1;
	graph_inner_node(graph, id)->region = region;
	return 0;
}

static int region_end(void *self, const struct point *at, uint32_t region)
{
	struct graph *graph = self;
	uint32_t task = graph->model->regions[region].task;
	if (is_helper(graph, task))
		return 0;
	uint32_t join = join_node(graph, region, at->ticks);
	if (join == 0)
		return -1;
	if (task != 0)
		graph->tasks[task].last = join;
	graph_inner_node(graph, join)->end_ticks = at->ticks;
	return graph_start_fragment(graph, at, task);
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
	const struct task *implicit = &graph->model->tasks[task];
	graph_stop_fragment(graph, at);
	graph_end_wait(graph, at); /* of its closing barrier */
	if (implicit->region == 0 || graph->model->regions[implicit->region].state & REGION_INITIAL || is_helper(graph, task))
		return 0; /* what a root's initial task left running nobody waits for */
	uint32_t join = join_node(graph, implicit->region, at->ticks);
	if (join == 0)
		return -1;
	graph_close_intervals(graph, task, join);
	return reach(graph, task, join, EDGE_JOIN);
}

/* ---- Tasks ---- */

static int task_create(void *self, const struct point *at, uint32_t row)
{
	struct graph *graph = self;
	const struct task *task = &graph->model->tasks[row];
	graph_stop_fragment(graph, at);
	if (task->flags & task_flags_taskwait) {
		/* A taskwait with dependences, or the wait of an undeferred task with dependences: a point in its parent. */
		uint32_t id = graph_add_placed(graph, NODE_TASKWAIT, task->parent, task->construct, at->ticks);
		if (id == 0)
			return -1;
		graph->tasks[row].last = id;
		return 0; /* the parent goes on when the wait is over */
	} else {
		struct graph_task *created = &graph->tasks[row];
		created->origin = graph->tasks[task->parent].last;
		created->interval = graph_interval(graph, task->parent);
		if (created->interval == 0)
			return -1;
	}
	return graph_start_fragment(graph, at, task->parent);
}

static int dependences(void *self, const struct point *at, uint32_t row, const struct dependence *list, size_t n)
{
	struct graph *graph = self;
	const struct task *task = &graph->model->tasks[row];
	if (row == 0 || !task_is_explicit(task))
		return 0; /* doacross */
	/* A taskwait with dependences waits at its own node, which is before the fragment that follows it. */
	uint32_t node = task->flags & task_flags_taskwait ? graph->tasks[row].last : row;
	size_t first_edge = graph->n_edges;
	int rc = graph_depend(graph, row, node, list, n);
	graph->latest_lists[at->stream] = (struct latest_list){row, first_edge, graph->n_edges - first_edge};
	return rc;
}

static int task_dependence(void *self, const struct point *at, uint32_t source, uint32_t sink)
{
	return graph_check_dependence(self, at->stream, source, sink);
}

static int task_switch(void *self, const struct point *at, uint32_t prior, uint32_t next, unsigned status)
{
	struct graph *graph = self;
	uint32_t dummy = graph->tasks[prior].last;
	if (status == task_status_taskwait_complete) {
		if (dummy >= graph->model->n_tasks)
			graph_inner_node(graph, dummy)->end_ticks = at->ticks;
		return graph_start_fragment(graph, at, at->task);
	}
	if (next != 0 || status == TASK_STATUS_CUT)
		graph_leave_fragment(graph, at);
	return 0;
}

/* ---- Scopes ---- */

static bool is_closing(const struct scope *scope)
{
	return scope->kind == sync_kind_barrier_implicit_parallel || scope->kind == sync_kind_barrier_teams;
}

static int barrier(struct graph *graph, const struct point *at, const struct scope *scope)
{
	const struct task *task = &graph->model->tasks[at->task];
	if (task_is_explicit(task) || scope->is_reduction || is_closing(scope))
		return 0; /* the closing one is the join */
	uint32_t *found = map_put(&graph->barriers, graph_barrier_key(graph->model, at->task, scope->ordinal));
	if (found == NULL)
		return error("out of memory for the graph");
	if (*found == 0) {
		*found = graph_add_node(graph, NODE_BARRIER, 0, scope->construct, at->ticks);
		if (*found == 0)
			return -1;
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
	if (reach(graph, at->task, *found, EDGE_BARRIER) != 0)
		return -1;
	graph->tasks[at->task].last = *found;
	return 0;
}

/* Scopes that nest and that the scope level shows as a pair of nodes. */
static bool is_pair(const struct graph *graph, const struct scope *scope)
{
	return graph->level == GRAPH_SCOPE && (scope->type == SCOPE_MASKED || scope->type == SCOPE_MUTEX ||
					       (scope->type == SCOPE_WORK && scope->kind != work_kind_single_other) ||
					       (scope->type == SCOPE_SYNC && scope->kind == sync_kind_taskgroup));
}

/* Keeps count of the open constructs that one thread of a team executes. */
static int count_work(struct graph *graph, uint32_t task, const struct scope *scope, uint32_t change)
{
	bool is_work = (scope->type == SCOPE_WORK && scope->kind != work_kind_single_other) || scope->type == SCOPE_MASKED;
	if (!is_work || task_is_explicit(&graph->model->tasks[task]))
		return 0;
	uint32_t *in_work = map_put(&graph->in_work, task);
	if (in_work == NULL)
		return error("out of memory for the graph");
	*in_work += change;
	if (*in_work == 0)
		map_remove(&graph->in_work, task);
	return 0;
}

static bool is_operation(const struct scope *scope)
{
	return scope->type == SCOPE_TARGET || scope->type == SCOPE_DATA_OP || scope->type == SCOPE_SUBMIT;
}

static int scope_enter(void *self, const struct point *at, struct scope *scope)
{
	struct graph *graph = self;
	if (at->task == 0 || is_helper(graph, at->task))
		return 0;
	if (!array_reserve((void **)&graph->scope_node, scope->number + (size_t)1, &graph->scopes_capacity,
			   sizeof *graph->scope_node))
		return error("out of memory for the graph");
	uint32_t *node = &graph->scope_node[scope->number];
	*node = 0;
	if (is_operation(scope))
		return graph_enter_operation(graph, at, scope);
	if (is_pair(graph, scope) && graph_add_placed(graph, NODE_SCOPE_BEGIN, at->task, scope->construct, at->ticks) == 0)
		return -1;
	if (scope->type == SCOPE_SYNC_WAIT && scope->kind == sync_kind_taskgroup)
		return graph_begin_wait(graph, at);
	if (scope->type != SCOPE_SYNC)
		return count_work(graph, at->task, scope, 1);
	graph_stop_fragment(graph, at);
	switch (scope->kind) {
	case sync_kind_taskgroup: return graph_open_group(graph, at, scope);
	case sync_kind_taskwait:
		*node = graph_add_placed(graph, NODE_TASKWAIT, at->task, scope->construct, at->ticks);
		if (*node == 0)
			return -1;
		graph_close_intervals(graph, at->task, *node);
		return 0;
	default:
		if (barrier(graph, at, scope) != 0)
			return -1;
		return *node == 0 ? graph_begin_wait(graph, at) : 0;
	}
}

static int scope_leave(void *self, const struct point *at, struct scope *scope)
{
	struct graph *graph = self;
	if (at->task == 0 || is_helper(graph, at->task))
		return 0;
	if (is_operation(scope))
		return graph_leave_operation(graph, at, scope);
	if (scope->type == SCOPE_SYNC) {
		uint32_t id = graph->scope_node[scope->number];
		if (scope->kind == sync_kind_taskgroup) {
			graph_leave_fragment(graph, at);
			graph_close_group(graph, at, scope);
			place(graph, at->task, id);
			graph_inner_node(graph, id)->end_ticks = at->ticks;
		} else if (id != 0) {
			struct node *node = graph_inner_node(graph, id);
			if (at->ticks > node->end_ticks)
				node->end_ticks = at->ticks;
		} else {
			if (!is_closing(scope) || task_is_explicit(&graph->model->tasks[at->task]))
				graph_end_wait(graph, at);
			return 0; /* behind the closing one nothing of the program is executed */
		}
		return graph_start_fragment(graph, at, at->task);
	}
	if (scope->type == SCOPE_SYNC_WAIT && scope->kind == sync_kind_taskgroup)
		graph_end_wait(graph, at);
	if (is_pair(graph, scope) && graph_add_placed(graph, NODE_SCOPE_END, at->task, scope->construct, at->ticks) == 0)
		return -1;
	return count_work(graph, at->task, scope, UINT32_MAX); /* minus one */
}

/* ---- Time that nothing is executed in ---- */

static int mutex(void *self, const struct point *at, const struct mutex *mutex)
{
	bool is_test = mutex->kind == mutex_kind_test_lock || mutex->kind == mutex_kind_test_nest_lock;
	if (mutex->event == MUTEX_ACQUIRE && !is_test)
		graph_pause_fragment(self, at);
	else if (mutex->event == MUTEX_ACQUIRED || mutex->event == MUTEX_NEST_BEGIN)
		graph_resume_fragment(self, at);
	return 0;
}

static int measurement(void *self, const struct point *at, bool is_on)
{
	if (is_on) {
		graph_start_stretch(self, at);
		return 0;
	}
	graph_stop_fragment(self, at);
	graph_pause_fragment(self, at);
	return 0;
}

static int records_missing(void *self, const struct point *at, bool is_begin)
{
	return measurement(self, at, !is_begin);
}

const struct replay_ops graph_ops = {
	.stream_begin = stream_begin,
	.region_begin = region_begin,
	.region_end = region_end,
	.implicit_begin = implicit_begin,
	.implicit_end = implicit_end,
	.task_create = task_create,
	.dependences = dependences,
	.task_dependence = task_dependence,
	.task_switch = task_switch,
	.scope_enter = scope_enter,
	.scope_leave = scope_leave,
	.unit_create = graph_unit_create,
	.unit_revive = graph_unit_revive,
	.unit_switch = graph_unit_switch,
	.unit_resume = graph_unit_resume,
	.unit_join = graph_unit_join,
	.mutex = mutex,
	.measurement = measurement,
	.records_missing = records_missing,
};

int graph_finish(struct graph *graph)
{
	/* A region that none of its members were recorded of: its end follows on its begin. */
	for (uint32_t region = 1; region < graph->model->n_regions; region++) {
		struct node *join = graph->join_node[region] != 0 ? graph_inner_node(graph, graph->join_node[region]) : NULL;
		if (join == NULL || join->is_placed)
			continue;
		join->is_placed = true;
		join->previous = graph->region_node[region];
		join->previous_kind = EDGE_SEQUENCE;
	}
	if (graph_finish_check(graph) != 0)
		return -1;
	free(graph->open_interval);
	graph->open_interval = NULL;
	graph->inherited = calloc(graph->model->n_tasks, sizeof *graph->inherited);
	if (graph->inherited == NULL)
		return error("out of memory for the graph");
	/* Looked up once here, so that exports only read. */
	enum edge_kind kind;
	for (uint32_t row = 1; row < graph->model->n_tasks; row++) {
		const struct task *task = &graph->model->tasks[row];
		graph_joiner(graph, row, &kind);
		if (task->flags & task_flags_taskwait && task->waits_for != 0) /* who depends on it depends on that task */
			graph->tasks[row].last = graph->tasks[task->waits_for].last;
	}
	if (graph_depend_finish(graph) != 0 || graph_add_devices(graph) != 0 || graph_make_sound(graph) != 0)
		return -1;
	return graph_find_path(graph);
}
