/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Target regions, operations on data and launches as nodes: points in the task that does them, one behind the other as the host does them. What is inside
 * of a region or a launch (a host that is a device itself runs the kernel there) follows on its node.
 *
 * A target region is one node; the scope level has a pair around what is inside as well, as of any construct that nests.
 */
#include "builder/graph/graph.h"

static enum node_kind operation_node(enum scope_type type)
{
	return type == SCOPE_TARGET ? NODE_TARGET_REGION : type == SCOPE_DATA_OP ? NODE_DATA_OP : NODE_SUBMIT;
}

static bool is_pair(const struct graph *graph, const struct scope *scope)
{
	return graph->level == GRAPH_SCOPE && scope->type == SCOPE_TARGET;
}

int graph_enter_operation(struct graph *graph, const struct point *at, const struct scope *scope)
{
	graph_stop_fragment(graph, at);
	if (is_pair(graph, scope) && graph_add_placed(graph, NODE_SCOPE_BEGIN, at->task, scope->construct, at->ticks) == 0)
		return -1;
	uint32_t node = graph_add_placed(graph, operation_node(scope->type), at->task, scope->construct, at->ticks);
	if (node == 0)
		return -1;
	graph->scope_node[scope->number] = node;
	graph_inner_node(graph, node)->operation = scope->operation;
	/* The time of an operation on data is its node's own; in a region or a launch the task runs on. */
	return scope->type == SCOPE_DATA_OP ? 0 : graph_start_fragment(graph, at, at->task);
}

int graph_leave_operation(struct graph *graph, const struct point *at, const struct scope *scope)
{
	struct node *node = graph_inner_node(graph, graph->scope_node[scope->number]);
	node->end_ticks = at->ticks;
	if (is_pair(graph, scope) && graph_add_placed(graph, NODE_SCOPE_END, at->task, scope->construct, at->ticks) == 0)
		return -1;
	if (scope->type != SCOPE_DATA_OP)
		return 0;
	if (graph->level == GRAPH_FRAGMENT) /* at other levels the task's own time has it */
		node->busy_ticks = at->ticks - node->begin_ticks;
	return graph_start_fragment(graph, at, at->task);
}
