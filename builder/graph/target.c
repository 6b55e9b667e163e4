/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Target regions, operations on data and launches are nodes: points in the task that does them, in the order in which
 * the host does them. What is inside of a region or a launch (a host that is a device itself runs the kernel there)
 * follows on its node. At the scope level a target region has a pair of nodes around what is inside, too, as any
 * construct that nests. Called by scope.c during the replay.
 */
#include "builder/graph/shared.h"

static enum node_kind operation_node(enum scope_type type)
{
	return type == SCOPE_TARGET ? NODE_TARGET_REGION : type == SCOPE_DATA_OP ? NODE_DATA_OP : NODE_SUBMIT;
}

static bool is_pair(const struct graph *graph, const struct scope *scope)
{
	return graph->level == GRAPH_SCOPE && scope->type == SCOPE_TARGET;
}

void graph_enter_operation(struct graph *graph, const struct point *at, const struct scope *scope)
{
	graph_stop_fragment(graph, at);
	if (is_pair(graph, scope))
		graph_add_placed(graph, at, NODE_SCOPE_BEGIN, at->task, scope->construct);
	uint32_t node = graph_add_placed(graph, at, operation_node(scope->type), at->task, scope->construct);
	graph->operation_node[scope->operation] = node;
	if (!graph_is_stand_in(graph, node))
		graph_inner_node(graph, node)->operation = scope->operation;
	/* During an operation on data the time is the operation's; in a region or a launch the task goes on. */
	if (scope->type != SCOPE_DATA_OP)
		graph_start_fragment(graph, at, at->task);
}

void graph_leave_operation(struct graph *graph, const struct point *at, const struct scope *scope)
{
	uint32_t id = graph->operation_node[scope->operation];
	struct node *node = graph_is_stand_in(graph, id) ? NULL : graph_inner_node(graph, id);
	if (node != NULL)
		node->end_ticks = at->ticks;
	if (is_pair(graph, scope))
		graph_add_placed(graph, at, NODE_SCOPE_END, at->task, scope->construct);
	if (scope->type != SCOPE_DATA_OP)
		return;
	if (graph->level == GRAPH_FRAGMENT) /* at other levels it is part of the task's own time */
		node->busy_ticks = graph_take_time(graph, at);
	graph_start_fragment(graph, at, at->task);
}
