/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of this folder share, by the file that has it; not to be used outside of it. What changes the graph is
 * called on the one thread of the replay, what only reads it also by the exports, on several.
 */
#ifndef OTTER_BUILDER_GRAPH_SHARED_H
#define OTTER_BUILDER_GRAPH_SHARED_H

#include "builder/graph/graph.h"

/* graph.c. A new node, not yet in the graph. In a graph that is only counted it may be a stand-in. */
uint32_t graph_add_node(struct graph *graph, enum node_kind kind, uint32_t task, uint32_t construct, uint64_t ticks);

/* The same, but it is kept in any case: others tell it from other nodes of its kind. */
uint32_t graph_keep_node(struct graph *graph, enum node_kind kind, uint32_t task, uint32_t construct, uint64_t ticks);

static inline struct node *graph_inner_node(const struct graph *graph, uint32_t id) /* NULL for tasks */
{
	return id >= graph->model->n_tasks ? &graph->nodes[id - graph->model->n_tasks] : NULL;
}

/* Does the number stand for all nodes of a kind, none of which is kept? */
static inline bool graph_is_stand_in(const struct graph *graph, uint32_t id)
{
	return graph->is_counted && id - graph->model->n_tasks < NODE_KINDS;
}

void graph_add_edge(struct graph *graph, const struct edge *edge);

/* The source of the edge to a node that follows from its own row, 0 none: where a task begins, and what came before. */
static inline uint32_t graph_own_source(const struct graph *graph, uint32_t id)
{
	const struct node *node = graph_inner_node(graph, id);
	if (node != NULL)
		return node->is_placed ? node->previous : 0;
	const struct task *task = &graph->model->tasks[id];
	if (!graph_task_is_node(graph, id))
		return 0;
	if (!task_is_explicit(task))
		return graph->region_node[task->region];
	return task->state & TASK_CREATED ? graph->tasks[id].origin : 0;
}

/* The source of an edge that the tables do not imply. */
static inline uint32_t graph_edge_source(const struct graph *graph, const struct edge *edge)
{
	return edge->from_end ? graph->tasks[edge->source].last : edge->source;
}

/* Does a node of this kind have an operation, and no region? */
static inline bool graph_is_operation(unsigned kind)
{
	return kind == NODE_TARGET_REGION || kind == NODE_DATA_OP || kind == NODE_SUBMIT;
}

/* graph.c. The node comes next in the task's sequence. */
void graph_place(struct graph *graph, uint32_t task, uint32_t id);

/* graph.c. A new node next in the task's sequence. */
uint32_t graph_add_placed(struct graph *graph, enum node_kind kind, uint32_t task, uint32_t construct, uint64_t ticks);

/* A task of the runtime's own team for target tasks, which is not the program's: the graph has nothing of it. */
static inline bool graph_is_helper(const struct graph *graph, uint32_t task)
{
	return graph->model->tasks[task].state & TASK_HELPER;
}

/*
 * graph.c. An edge from a task's position to a node that many tasks reach. Members of a team that come from the same
 * barrier would give the same edge each: there is one, from the node's `previous`. Where records end, or are missing,
 * others may come from a later barrier.
 */
void graph_reach(struct graph *graph, uint32_t task, uint32_t id, enum edge_kind kind);

/* scope.c. Of replay_ops. */
int graph_scope_enter(void *self, const struct point *at, struct scope *scope);
int graph_scope_leave(void *self, const struct point *at, struct scope *scope);

/*
 * fragment.c, where all functions do nothing at other levels than GRAPH_FRAGMENT. The current task of a stream stops,
 * or comes to a scheduling point: its fragment has executed until now. The task goes on with a new fragment.
 */
void graph_stop_fragment(struct graph *graph, const struct point *at);
void graph_start_fragment(struct graph *graph, const struct point *at, uint32_t task);

/* The current task stops for another one, or at the end of a taskgroup: it may have waited since its latest event. */
void graph_leave_fragment(struct graph *graph, const struct point *at);

/* ---- blocked.c ---- */

/* Until now, the current task's blocked time that no node has is this node's; 0: no node's. */
void graph_take_blocked(struct graph *graph, const struct point *at, uint32_t node);
/* The node's task, or unit, was blocked in it for so many ticks more. */
void graph_add_blocked(struct graph *graph, uint32_t node, uint64_t ticks);
/* How long the task was blocked in this node. */
uint64_t graph_blocked_ticks(const struct graph *graph, uint32_t node);
void graph_free_blocked(struct graph *graph);

/* What it has executed since then, and no fragment has: now it is somebody else's. 0 at other levels. */
uint64_t graph_take_time(struct graph *graph, const struct point *at);

/* units.c: Argobots' work units. */
void graph_units_begin(struct graph *graph);
void graph_units_free(struct graph *graph);
int graph_unit_create(void *self, const struct point *at, uint32_t unit, uint32_t creator);
int graph_unit_revive(void *self, const struct point *at, uint32_t unit, uint32_t creator);
int graph_unit_switch(void *self, const struct point *at, const struct unit_switch *change);
int graph_unit_poll(void *self, const struct point *at, uint32_t unit, const struct unit_wait *wait, uint64_t count, bool was_look);
int graph_unit_resume(void *self, const struct point *at, uint32_t unit, uint32_t waker, const struct unit_wait *wait);
int graph_unit_join(void *self, const struct point *at, uint32_t unit, uint32_t joiner, bool is_first, bool was_look);
void graph_view_unit(const struct graph *graph, const struct node *node, struct node_view *view);

/* The node of a row of model.units, 0 none. */
uint32_t graph_unit_node(const struct graph *graph, uint32_t row);

/* What a unit's join or wait waits for; nothing for other nodes. */
struct unit_wait graph_unit_wait(const struct graph *graph, const struct node *node);

/* device.c: adds the nodes of kernels; called when all that the host did is there. */
void graph_add_devices(struct graph *graph);

/* target.c: a target region, data operation or submit begins and ends. */
void graph_enter_operation(struct graph *graph, const struct point *at, const struct scope *scope);
void graph_leave_operation(struct graph *graph, const struct point *at, const struct scope *scope);

/* wait.c. The interval of a child that `parent` creates now. */
uint32_t graph_interval(struct graph *graph, uint32_t parent);

/* A synchronisation, `node`, waits for all children that the task has created so far. */
void graph_close_intervals(struct graph *graph, uint32_t task, uint32_t node);

/* The task has ended, and creates no more children. */
void graph_forget_children(struct graph *graph, uint32_t task);

/* A taskgroup begins, and ends: then it waits for its members. */
void graph_open_group(struct graph *graph, const struct point *at, const struct scope *scope);
void graph_close_group(struct graph *graph, const struct point *at, const struct scope *scope);

/* After the replay: finds what waits for each task. */
void graph_settle_joiners(struct graph *graph);

/* Has the task a taskgroup open? */
bool graph_is_in_group(const struct graph *graph, uint32_t task);

/* depend.c: adds the edges that follow from the dependence list of `task` to `node`, its first one. */
void graph_depend(struct graph *graph, uint32_t task, uint32_t node, const struct dependence *list, size_t n);
void graph_depend_finish(struct graph *graph); /* after the last list */
void graph_depend_free(struct graph *graph);

/*
 * check.c: is a dependence that the runtime reports among the edges of the list, or does it follow from them? After the
 * last list, those that do not are counted.
 */
void graph_check_dependence(struct graph *graph, uint32_t stream, uint32_t source, uint32_t sink);
void graph_finish_check(struct graph *graph);

/* sound.c: do repairs or damage so far tell that the graph may have edges that make no sense? */
bool graph_may_be_unsound(const struct graph *graph);

/* Leaves those edges out; the last step for the graph itself. */
void graph_make_sound(struct graph *graph);

/* path.c: GRAPH_FRAGMENT: finds the critical path of the sound graph. */
void graph_find_path(struct graph *graph);
void graph_free_path(struct graph *graph);

/*
 * exclusive.c: adds a set of n nodes in any order; puts all sets into an order that depends on their members alone,
 * each once.
 */
void graph_add_exclusive(struct graph *graph, const uint32_t *nodes, uint32_t n);
void graph_finish_exclusive(struct graph *graph);
void graph_free_exclusive(struct graph *graph);

#endif
