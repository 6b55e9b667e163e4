/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of this folder share, by the file that has it; not to be used outside of it. Functions that change the graph
 * are called by the replay, for several streams at the same time; those that only read it also by the exports.
 */
#ifndef OTTER_BUILDER_GRAPH_SHARED_H
#define OTTER_BUILDER_GRAPH_SHARED_H

#include "builder/graph/view.h"
#include "builder/graph/path.h"

#define FEW_ROWS 2048 /* of nodes or tasks: they are not worth a second thread */

/* The stream that new nodes go to. A process with units of Argobots is replayed on one thread, in the order of time. */
static inline uint32_t graph_stream_row(const struct graph *graph, const struct point *at)
{
	return graph->units == NULL ? at->stream : 0;
}

static inline struct graph_stream *graph_stream(const struct graph *graph, const struct point *at)
{
	return &graph->streams[graph_stream_row(graph, at)];
}

/*
 * graph.c. A new node, not yet in the graph, of which a point is known. In a graph that is only counted it may be a
 * stand-in. Until the replay is over its number is not the one that it has in the end (streams.c).
 */
uint32_t graph_add_node(struct graph *graph, const struct point *at, enum node_kind kind, uint32_t task, uint32_t construct);

/* The same, but it is kept in any case: it has to be distinguished from other nodes of its kind. */
uint32_t graph_keep_node(struct graph *graph, const struct point *at, enum node_kind kind, uint32_t task, uint32_t construct);

static inline struct node *graph_inner_node(const struct graph *graph, uint32_t id) /* NULL for tasks */
{
	uint32_t row = id - graph->model->n_tasks;
	if (id < graph->model->n_tasks)
		return NULL;
	return graph->nodes != NULL ? &graph->nodes[row] : rows_get(&graph->node_rows, row);
}

/* Does the number stand for all nodes of a kind, none of which is kept? */
static inline bool graph_is_stand_in(const struct graph *graph, uint32_t id)
{
	return graph->is_counted && id - graph->model->n_tasks < NODE_KINDS;
}

void graph_add_edge(struct graph *graph, const struct point *at, const struct edge *edge);

/* The source of the edge to a task's begin, as far as it follows from the task's own row; 0 none. */
static inline uint32_t graph_task_source(const struct graph *graph, uint32_t id)
{
	const struct task *task = &graph->model->tasks[id];
	if (!graph_is_task(graph, id))
		return 0;
	if (!task_is_explicit(task))
		return graph->region_node[task->region];
	return task->state & TASK_CREATED ? graph->tasks[id].origin : 0;
}

/* The same for any node: for nodes that are no tasks it is the node before. */
static inline uint32_t graph_own_source(const struct graph *graph, uint32_t id)
{
	const struct node *node = graph_inner_node(graph, id);
	if (node != NULL)
		return node->is_placed ? node->previous : 0;
	return graph_task_source(graph, id);
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
void graph_place(struct graph *graph, const struct point *at, uint32_t task, uint32_t id);

/* graph.c. A new node next in the task's sequence. */
uint32_t graph_add_placed(struct graph *graph, const struct point *at, enum node_kind kind, uint32_t task, uint32_t construct);

/* A task of the runtime's own team for target tasks, which is not the program's: the graph has nothing of it. */
static inline bool graph_is_helper(const struct graph *graph, uint32_t task)
{
	return graph->model->tasks[task].state & TASK_HELPER;
}

/*
 * graph.c. An edge from a task's position to a new node for its part of a barrier or join, which streams.c makes one node
 * with the parts of the other members of the team.
 */
void graph_reach(struct graph *graph, const struct point *at, uint32_t task, uint32_t id, enum edge_kind kind);

/*
 * streams.c: after the replay, gives nodes and edges their numbers in the order of streams, and makes one node of what the
 * members of a team added for a barrier or join. first_barrier of tasks, and graph.barriers without its nodes, come from
 * graph_lay_out_barriers; the result is the number of its elements.
 */
void graph_join_streams(struct graph *graph);
size_t graph_lay_out_barriers(struct graph *graph);

/* counts.c: what a graph that is only counted does instead. */
/* What waits for the descendants of a task that nothing nearer waits for. HEIR_PARENT: the same as for its parent's. */
enum heir { HEIR_NONE, HEIR_GROUP, HEIR_TEAM, HEIR_PARENT };
enum join_seen { JOIN_OF_REGION = 1, JOIN_OF_MEMBER = 2 }; /* bits: seen at the region's end, or at a member's */
void graph_count_barrier(struct graph *graph, const struct point *at, uint32_t ordinal);
void graph_count_join(struct graph *graph, const struct point *at, uint32_t task);
void graph_settle_counts(struct graph *graph);
/* The same as graph_interval(), graph_close_intervals(), graph_forget_children() and graph_close_group(). */
enum heir graph_count_child(struct graph *graph, const struct point *at, uint32_t parent, uint32_t child);
void graph_count_wait(struct graph *graph, const struct point *at, uint32_t task, uint32_t node);
void graph_count_end(struct graph *graph, uint32_t task);
/* `n` children wait for a stand-in. */
void graph_count_children(struct graph *graph, const struct point *at, uint32_t node, uint32_t n);
/* Is the implicit task one of a region with a join? Roots' initial tasks, and the runtime's own teams, have none. */
bool graph_has_join(const struct graph *graph, uint32_t task);

/* scope.c. Of replay_ops. */
int graph_scope_enter(void *self, const struct point *at, struct scope *scope);
int graph_scope_leave(void *self, const struct point *at, struct scope *scope);

/* fragment.c, at the level GRAPH_FRAGMENT only: what the functions below do there. */
void fragment_stop(struct graph *graph, const struct point *at);
void fragment_start(struct graph *graph, const struct point *at, uint32_t task);
void fragment_leave(struct graph *graph, const struct point *at);

/*
 * At other levels than GRAPH_FRAGMENT these do nothing. The current task of a stream stops, or reaches a scheduling point:
 * its fragment has executed until now. The task continues with a new fragment.
 */
static inline void graph_stop_fragment(struct graph *graph, const struct point *at)
{
	if (graph->level == GRAPH_FRAGMENT)
		fragment_stop(graph, at);
}

static inline void graph_start_fragment(struct graph *graph, const struct point *at, uint32_t task)
{
	if (graph->level == GRAPH_FRAGMENT)
		fragment_start(graph, at, task);
}

/* The current task stops for another one, or at the end of a taskgroup: it may have waited since its latest event. */
static inline void graph_leave_fragment(struct graph *graph, const struct point *at)
{
	if (graph->level == GRAPH_FRAGMENT)
		fragment_leave(graph, at);
}

/* ---- Doacross loops (doacross.c, doacross_edges.c), at the level GRAPH_FRAGMENT only ---- */

void doacross_begin(struct graph *graph);
void doacross_free(struct graph *graph);
/* During the replay: the current implicit task meets a loop; reports a source or sink; ends. */
void doacross_loop(struct graph *graph, const struct point *at);
void doacross_note(struct graph *graph, const struct point *at, uint32_t task, const struct dependence *list, size_t n);
void doacross_end(struct graph *graph, const struct point *at, uint32_t task);
/* After the replay: nodes have new numbers, by row; adds the edges. */
void doacross_renumber(struct graph *graph, const uint32_t *numbers);
void doacross_add_edges(struct graph *graph);
/* Bits of path.h: what is not known of these waits. */
unsigned doacross_reasons(const struct graph *graph);

/* ---- blocked.c ---- */

/* Gives the current task's blocked time until now that no node has yet to this node; 0: to no node. */
void graph_take_blocked(struct graph *graph, const struct point *at, uint32_t node);
/* Adds `ticks` to the time that the node's task, or unit, was blocked in it. */
void graph_add_blocked(struct graph *graph, const struct point *at, uint32_t node, uint64_t ticks);
/* After the replay: what all streams have added. `numbers` are those that the nodes have now, by row. */
void graph_join_blocked(struct graph *graph, const uint32_t *numbers);
/* How long the task was blocked in this node. */
uint64_t graph_blocked_ticks(const struct graph *graph, uint32_t node);
void graph_free_blocked(struct graph *graph);

/* The current task's executed time until now that no node has yet: from now on it is the caller's. 0 at other levels. */
uint64_t graph_take_time(struct graph *graph, const struct point *at);

/* wait.c. The interval of a child that `parent` creates now. */
uint32_t graph_interval(struct graph *graph, const struct point *at, uint32_t parent, uint32_t child);

/* A synchronisation, `node`, waits for all children that the task has created so far. */
void graph_close_intervals(struct graph *graph, const struct point *at, uint32_t task, uint32_t node);

/* The task has ended, and creates no more children. */
void graph_forget_children(struct graph *graph, const struct point *at, uint32_t task);

/* A taskgroup begins, and ends: then it waits for its members. The result is its node. */
void graph_open_group(struct graph *graph, const struct point *at, const struct scope *scope);
uint32_t graph_close_group(struct graph *graph, const struct point *at);

/* After the replay: finds what waits for each task. */
void graph_settle_joiners(struct graph *graph);

/* Does the task have an open taskgroup? */
bool graph_is_in_group(const struct graph *graph, uint32_t task);

/* depend.c: adds the edges that follow from the dependence list of `task` to `node`, its first one. */
void graph_depend(struct graph *graph, const struct point *at, uint32_t task, uint32_t node, const struct dependence *list,
		  size_t n);
void graph_depend_begin(struct graph *graph);
void graph_depend_finish(struct graph *graph); /* after the last list */
void graph_depend_free(struct graph *graph);

/*
 * check.c: is a dependence that the runtime reports among the edges of the list, or does it follow from them? After the
 * last list, those that do not are counted.
 */
void graph_check_dependence(struct graph *graph, const struct point *at, uint32_t source, uint32_t sink);
void graph_finish_check(struct graph *graph);

/* sound.c: do repairs or damage so far show that the graph may have edges that make no sense? */
bool graph_may_be_unsound(const struct graph *graph);

/* Leaves those edges out; the last step for the graph itself. */
void graph_make_sound(struct graph *graph);

/*
 * cut.c: leaves out what is outside of a part. The part is a task and its descendants (graph.family), before the path is found:
 * 0, or -1 after it printed that there is no such task. Or it is a part of the time (model.window), after the path was found.
 */
int graph_cut_to_family(struct graph *graph);
void graph_cut_to_time(struct graph *graph);

/* Is there a node of this number? */
static inline bool graph_has_node(const struct graph *graph, uint32_t id)
{
	const struct node *node = id < graph_n_ids(graph) ? graph_inner_node(graph, id) : NULL;
	return node != NULL ? node->is_placed && node->kind != NODE_NONE
			    : id < graph->model->n_tasks && graph_task_is_node(graph, id);
}

/* exclusive.c: the same for exclusive sets: only those with at least two tasks in the part stay. */
void graph_cut_exclusive(struct graph *graph);

/* path.c: GRAPH_FRAGMENT: finds the critical path of the sound graph. */
void graph_find_path(struct graph *graph);
void graph_free_path(struct graph *graph);
/* view.c: how much the node executed: what path_node_ns() says, without the time in which its task was blocked. */
uint64_t graph_node_work_ns(const struct dump *dump, const struct node_view *node);
/* chain.c: sets the path's nodes, places, span and work. False: the graph has no node, or a cycle, which is in `reasons`. */
bool chain_find_longest(const struct graph *graph, struct path *path);

/*
 * exclusive.c: adds a set of n nodes in any order, which all name this address; puts all sets into an order that depends on
 * their members alone, each once.
 */
void graph_add_exclusive(struct graph *graph, uint64_t variable, const uint32_t *nodes, uint32_t n);
void graph_finish_exclusive(struct graph *graph);
void graph_free_exclusive(struct graph *graph);

/* ---- Taskloops that the runtime splits (split.c) ---- */

struct split_task {
	uint32_t now;   /* of the encountering task: the first task that it created in its split taskloop, 0: it is in none */
	uint32_t first; /* of a task that the encountering task created itself: the first one of the same taskloop, 0 none */
};

/* During the replay: a task is created; a scope of the task `task` ends. */
void graph_note_split(struct graph *graph, uint32_t task);
void graph_end_split(struct graph *graph, uint32_t task, const struct scope *scope);

/* After the replay: finds what waits for the tasks that the runtime's own tasks created. */
void graph_settle_splits(struct graph *graph);

/*
 * The order in which the program creates two tasks with the same parent, as for qsort: by time, and in a split taskloop
 * by iterations. After graph_finish.
 */
int graph_compare_siblings(const struct graph *graph, uint32_t left, uint32_t right);

/* The node of the program from which a task was created: that of the encountering task, in a split taskloop, too. */
uint32_t graph_origin(const struct graph *graph, uint32_t task);

#endif
