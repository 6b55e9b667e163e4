/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds out which synchronisation waits for a task first. The children of a task that the same synchronisation waits
 * for are an interval: those created between two taskwaits or barriers of the task, and those created in one taskgroup.
 * What nothing nearer waits for is left to a taskgroup around an ancestor, or to the team's barrier (docs/design.md,
 * "The graph").
 *
 * Called by build.c during the replay and after it, one thread; graph_joiner also by exports, which run at the same time
 * and only read.
 */
#include "builder/graph/shared.h"
#include "builder/support/array.h"

/* The row of a new place for children of a task. */
static uint32_t new_open(struct graph *graph, uint32_t node, uint32_t outer)
{
	uint32_t row = graph->free_open;
	if (row != 0) {
		graph->free_open = graph->open[row].outer;
	} else {
		row = ++graph->n_open;
		array_reserve((void **)&graph->open, row + (size_t)1, &graph->open_capacity, sizeof *graph->open);
	}
	graph->open[row] = (struct open_children){node, 0, outer};
	return row;
}

static void free_open(struct graph *graph, uint32_t row)
{
	graph->open[row].outer = graph->free_open;
	graph->free_open = row;
}

static bool is_group(const struct open_children *open)
{
	return open->node != 0;
}

bool graph_is_in_group(const struct graph *graph, uint32_t task)
{
	const uint32_t *row = map_get(&graph->innermost, task);
	return row != NULL && is_group(&graph->open[*row]);
}

static uint32_t new_interval(struct graph *graph, uint32_t parent, uint32_t group)
{
	array_reserve((void **)&graph->intervals, graph->n_intervals + (size_t)1, &graph->intervals_capacity,
		      sizeof *graph->intervals);
	if (graph->n_intervals == 1)
		graph->intervals[0] = (struct interval){0};
	bool is_explicit = task_is_explicit(&graph->model->tasks[parent]);
	graph->intervals[graph->n_intervals] = (struct interval){
		.group = group,
		.phase = is_explicit ? 0 : graph->tasks[parent].n_barriers,
	};
	return graph->n_intervals++;
}

uint32_t graph_interval(struct graph *graph, uint32_t parent)
{
	uint32_t *row = map_put(&graph->innermost, parent);
	if (*row == 0)
		*row = new_open(graph, 0, 0);
	struct open_children *open = &graph->open[*row];
	if (open->interval == 0)
		open->interval = new_interval(graph, parent, open->node);
	return open->interval;
}

void graph_close_intervals(struct graph *graph, uint32_t task, uint32_t node)
{
	const uint32_t *innermost = map_get(&graph->innermost, task);
	if (innermost == NULL)
		return;
	for (uint32_t row = *innermost; row != 0; row = graph->open[row].outer) {
		if (graph->open[row].interval != 0)
			graph->intervals[graph->open[row].interval].node = node;
		graph->open[row].interval = 0;
	}
	graph_forget_children(graph, task);
}

void graph_forget_children(struct graph *graph, uint32_t task)
{
	const uint32_t *row = map_get(&graph->innermost, task);
	if (row == NULL || is_group(&graph->open[*row]))
		return;
	free_open(graph, *row);
	map_remove(&graph->innermost, task);
}

void graph_open_group(struct graph *graph, const struct point *at, const struct scope *scope)
{
	uint32_t *innermost = map_put(&graph->innermost, at->task);
	uint32_t node = graph_add_node(graph, NODE_TASKGROUP, at->task, scope->construct, at->ticks);
	graph->scope_node[scope->number] = node;
	*innermost = new_open(graph, node, *innermost);
}

void graph_close_group(struct graph *graph, const struct point *at, const struct scope *scope)
{
	uint32_t *innermost = map_get(&graph->innermost, at->task); /* the scope's own: taskgroups of a task nest */
	if (innermost == NULL)
		return;
	uint32_t row = *innermost;
	const struct open_children *group = &graph->open[row];
	if (group->interval != 0)
		graph->intervals[group->interval].node = graph->scope_node[scope->number];
	if (group->outer != 0)
		*innermost = group->outer;
	else
		map_remove(&graph->innermost, at->task);
	free_open(graph, row);
}

#define NOBODY UINT32_MAX

/*
 * Finds what waits for descendants of `task` that nothing nearer waits for: a taskgroup around it, else its team's
 * barrier. Until all tasks are settled, graph.joiners has that by task; 0 is not looked up yet.
 */
static void inherit_joiner(struct graph *graph, uint32_t task)
{
	const struct model *m = graph->model;
	uint32_t up = task, found = graph->joiners[up]; /* also where damage leads back to a task on the way */
	for (; found == 0; found = graph->joiners[up]) {
		const struct interval *interval = &graph->intervals[graph->tasks[up].interval];
		uint32_t parent = m->tasks[up].parent;
		if (!task_is_explicit(&m->tasks[up]) || parent == 0)
			graph->joiners[up] = NOBODY;
		else if (interval->group != 0)
			graph->joiners[up] = interval->group;
		else if (!task_is_explicit(&m->tasks[parent])) {
			uint32_t barrier = graph_barrier(graph, parent, interval->phase);
			uint32_t join = graph->join_node[m->tasks[parent].region];
			graph->joiners[up] = barrier != 0 ? barrier : join != 0 ? join : NOBODY;
		} else {
			graph->joiners[up] = NOBODY; /* unless what is around the parent says otherwise */
			up = parent;
		}
	}
	for (uint32_t on = task; on != up; on = m->tasks[on].parent)
		graph->joiners[on] = found;
}

void graph_settle_joiners(struct graph *graph)
{
	const struct model *m = graph->model;
	graph->joiners = memory_zeroed(m->n_tasks, sizeof *graph->joiners, "the graph");
	if (graph->intervals == NULL)
		return;
	for (uint32_t row = 1; row < m->n_tasks; row++)
		if (graph->intervals[graph->tasks[row].interval].node == 0 && task_is_explicit(&m->tasks[row]))
			inherit_joiner(graph, row);
	for (uint32_t row = 1; row < m->n_tasks; row++) {
		bool is_explicit = task_is_explicit(&m->tasks[row]);
		uint32_t nearest = is_explicit ? graph->intervals[graph->tasks[row].interval].node : 0;
		uint32_t inherited = is_explicit && graph->joiners[row] != NOBODY ? graph->joiners[row] : 0;
		graph->joiners[row] = nearest != 0 ? nearest : inherited;
	}
}

uint32_t graph_joiner(const struct graph *graph, uint32_t task, enum edge_kind *kind)
{
	uint32_t joiner = graph->joiners[task];
	if (joiner == 0)
		return 0;
	unsigned node = graph_inner_node(graph, joiner)->kind;
	*kind = node == NODE_TASKWAIT ? EDGE_TASKWAIT : node == NODE_TASKGROUP ? EDGE_TASKGROUP : EDGE_BARRIER;
	return joiner;
}
