/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes nodes and edges of the replay's events: positions, regions, tasks, and what is left to do after the replay. The
 * rules are those of docs/design.md, "The graph". Streams come in any order: what concerns several of them (barriers,
 * joins) is found by number, never by time. Called by the replay through graph_ops, and by run.c; one thread.
 */
#include "builder/graph/graph.h"

#include <stdlib.h>

/* ---- Positions ---- */

void graph_place(struct graph *graph, uint32_t task, uint32_t id)
{
	struct node *node = graph_inner_node(graph, id);
	if (graph_is_stand_in(graph, id)) {
		graph->counted.nodes[node->kind]++;
		graph->counted.edges[EDGE_SEQUENCE] += task != 0;
		if (task != 0)
			graph->tasks[task].last = id;
		return;
	}
	node->is_placed = true;
	if (task == 0) /* not known: it may be several, and so has no sequence */
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
		graph_place(graph, task, id);
	return id;
}

int graph_reach(struct graph *graph, uint32_t task, uint32_t id, enum edge_kind kind)
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
	if (graph_is_helper(graph, at->task))
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
	if (graph_is_helper(graph, task))
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
	if (implicit->region == 0 || graph->model->regions[implicit->region].state & REGION_INITIAL ||
	    graph_is_helper(graph, task)) {
		graph_forget_children(graph, task); /* nobody waits for what a root's initial task left running */
		return 0;
	}
	uint32_t join = join_node(graph, implicit->region, at->ticks);
	if (join == 0)
		return -1;
	graph_close_intervals(graph, task, join);
	return graph_reach(graph, task, join, EDGE_JOIN);
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
		uint32_t id = graph_keep_node(graph, NODE_TASKWAIT, task->parent, task->construct, at->ticks);
		if (id == 0)
			return -1;
		graph_place(graph, task->parent, id);
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
	if (status == task_status_complete || status == task_status_cancel || status == task_status_detach ||
	    status == TASK_STATUS_CUT)
		graph_forget_children(graph, prior);
	return 0;
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
	.scope_enter = graph_scope_enter,
	.scope_leave = graph_scope_leave,
	.unit_create = graph_unit_create,
	.unit_revive = graph_unit_revive,
	.unit_switch = graph_unit_switch,
	.unit_resume = graph_unit_resume,
	.unit_join = graph_unit_join,
	.mutex = mutex,
	.measurement = measurement,
	.records_missing = records_missing,
};

/* Whether joins are in the graph, and who waits for whom, is known only now; exports then only read. 0, or -1. */
static int settle(struct graph *graph)
{
	const struct model *m = graph->model;
	graph->inherited = calloc(m->n_tasks, sizeof *graph->inherited);
	if (graph->inherited == NULL)
		return error("out of memory for the graph");
	/* A region none of whose members was recorded: its end follows on its begin. */
	for (uint32_t region = 1; region < m->n_regions; region++) {
		struct node *join = graph->join_node[region] != 0 ? graph_inner_node(graph, graph->join_node[region]) : NULL;
		if (join == NULL || join->is_placed)
			continue;
		join->is_placed = true;
		join->previous = graph->region_node[region];
		join->previous_kind = EDGE_SEQUENCE;
	}
	if (graph_finish_check(graph) != 0)
		return -1;
	enum edge_kind kind;
	for (uint32_t row = 1; row < m->n_tasks; row++) {
		const struct task *task = &m->tasks[row];
		graph_joiner(graph, row, &kind);                               /* fills graph.inherited */
		if (task->flags & task_flags_taskwait && task->waits_for != 0) /* its successors depend on that task */
			graph->tasks[row].last = graph->tasks[task->waits_for].last;
	}
	return graph_depend_finish(graph) == 0 ? graph_add_devices(graph) : -1;
}

/*
 * Replays the process once more for a graph that keeps everything. The replay's quirks and repairs are counted already.
 * 0, or -1.
 */
static int begin_again(struct graph *graph)
{
	const struct model *model = graph->model;
	const struct notes notes = *model->notes;
	const struct visitor visitor = {&graph_ops, graph};
	enum graph_level level = graph->level;
	struct progress progress = {0};
	graph_free(graph);
	if (graph_begin(graph, model, level, GRAPH_KEPT) != 0 || replay_run(model, &visitor, 1, &progress) != 0)
		return -1;
	*model->notes = notes;
	return settle(graph);
}

int graph_finish(struct graph *graph)
{
	if (settle(graph) != 0)
		return -1;
	if (graph->is_counted && graph_may_be_unsound(graph) && begin_again(graph) != 0)
		return -1;
	return graph_make_sound(graph) == 0 ? graph_find_path(graph) : -1;
}
