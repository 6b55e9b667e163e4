/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Who waits for whom first: children of a task are gathered in intervals between its synchronisations, and in its taskgroups; what
 * nothing nearer waits for is left to a taskgroup around an ancestor, or to the team's barrier (docs/design.md, "The graph").
 */
#include "builder/graph/graph.h"

#include <stdlib.h>

static struct open_group *innermost_group(const struct graph *graph, uint32_t task)
{
	const uint32_t *row = map_get(&graph->groups, task);
	return row != NULL && *row != 0 ? &graph->open_groups[*row] : NULL;
}

uint32_t graph_interval(struct graph *graph, uint32_t parent)
{
	struct open_group *group = innermost_group(graph, parent);
	uint32_t *interval = group != NULL ? &group->interval : &graph->open_interval[parent];
	if (*interval != 0)
		return *interval;
	if (graph->n_intervals >= graph->intervals_capacity) {
		uint32_t capacity = graph->intervals_capacity ? graph->intervals_capacity * 2 : 1024;
		struct interval *intervals = realloc(graph->intervals, capacity * sizeof *intervals);
		if (intervals == NULL) {
			error("out of memory for the graph");
			return 0;
		}
		intervals[0] = (struct interval){0};
		graph->intervals = intervals;
		graph->intervals_capacity = capacity;
	}
	bool is_explicit = task_is_explicit(&graph->model->tasks[parent]);
	graph->intervals[graph->n_intervals] = (struct interval){
		.group = group != NULL ? group->node : 0,
		.phase = is_explicit ? 0 : graph->tasks[parent].n_barriers,
	};
	*interval = graph->n_intervals++;
	return *interval;
}

void graph_close_intervals(struct graph *graph, uint32_t task, uint32_t node)
{
	uint32_t base = graph->open_interval[task];
	if (base != 0)
		graph->intervals[base].node = node;
	graph->open_interval[task] = 0;
	const uint32_t *first = map_get(&graph->groups, task);
	for (uint32_t row = first ? *first : 0; row != 0; row = graph->open_groups[row].outer) {
		if (graph->open_groups[row].interval != 0)
			graph->intervals[graph->open_groups[row].interval].node = node;
		graph->open_groups[row].interval = 0;
	}
}

int graph_open_group(struct graph *graph, const struct point *at, const struct scope *scope)
{
	uint32_t row = graph->free_group;
	if (row != 0)
		graph->free_group = graph->open_groups[row].outer;
	else {
		if (graph->n_open_groups + 1 >= graph->open_groups_capacity) {
			uint32_t capacity = graph->open_groups_capacity ? graph->open_groups_capacity * 2 : 64;
			struct open_group *grown = realloc(graph->open_groups, capacity * sizeof *grown);
			if (grown == NULL)
				return error("out of memory for the graph");
			graph->open_groups = grown;
			graph->open_groups_capacity = capacity;
		}
		row = ++graph->n_open_groups;
	}
	uint32_t *innermost = map_put(&graph->groups, at->task);
	uint32_t node = graph_add_node(graph, NODE_TASKGROUP, at->task, scope->construct, at->ticks);
	if (innermost == NULL || node == 0)
		return -1;
	graph->scope_node[scope->number] = node;
	graph->open_groups[row] = (struct open_group){node, 0, *innermost};
	*innermost = row;
	return 0;
}

void graph_close_group(struct graph *graph, const struct point *at, const struct scope *scope)
{
	uint32_t *innermost = map_get(&graph->groups, at->task); /* the scope's own: taskgroups of a task nest */
	if (innermost == NULL)
		return;
	uint32_t row = *innermost;
	struct open_group *group = &graph->open_groups[row];
	if (group->interval != 0)
		graph->intervals[group->interval].node = graph->scope_node[scope->number];
	if (group->outer != 0)
		*innermost = group->outer;
	else
		map_remove(&graph->groups, at->task);
	group->outer = graph->free_group;
	graph->free_group = row;
}

/* What waits for descendants of `task` that nothing nearer waits for: a taskgroup around it, else its team's barrier. */
static uint32_t inherited_joiner(const struct graph *graph, uint32_t task)
{
	const struct model *m = graph->model;
	const uint32_t none = UINT32_MAX;
	uint32_t up = task, found = 0;
	while (found == 0) {
		const struct interval *interval = &graph->intervals[graph->tasks[up].interval];
		uint32_t parent = m->tasks[up].parent;
		if (graph->inherited[up] != 0) { /* also where damage leads back to a task on the way */
			found = graph->inherited[up];
			break;
		}
		if (!task_is_explicit(&m->tasks[up]) || parent == 0)
			found = none;
		else if (interval->group != 0)
			found = interval->group;
		else if (!task_is_explicit(&m->tasks[parent])) {
			uint32_t barrier = graph_barrier(graph, parent, interval->phase);
			found = barrier != 0 ? barrier : graph->join_node[m->tasks[parent].region];
			found = found != 0 ? found : none;
		}
		graph->inherited[up] = found != 0 ? found : none;
		if (found == 0)
			up = parent;
	}
	for (uint32_t on = task; on != up; on = m->tasks[on].parent)
		graph->inherited[on] = found;
	return found != none ? found : 0;
}

uint32_t graph_joiner(const struct graph *graph, uint32_t row, enum edge_kind *kind)
{
	const struct task *task = &graph->model->tasks[row];
	if (!task_is_explicit(task) || graph->intervals == NULL)
		return 0;
	const struct interval *interval = &graph->intervals[graph->tasks[row].interval];
	uint32_t joiner = interval->node != 0 ? interval->node : inherited_joiner(graph, row);
	const struct node *node = joiner != 0 ? graph_inner_node(graph, joiner) : NULL;
	if (node == NULL)
		return 0;
	*kind = node->kind == NODE_TASKWAIT ? EDGE_TASKWAIT : node->kind == NODE_TASKGROUP ? EDGE_TASKGROUP : EDGE_BARRIER;
	return joiner;
}
