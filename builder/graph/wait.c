/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds which synchronisation waits for a task first. The children of a task that the same synchronisation waits
 * for are an interval: those created between two taskwaits or barriers of the task, and those created in one taskgroup.
 * What nothing nearer waits for is left to a taskgroup around an ancestor, or to the team's barrier (docs/design.md,
 * "The graph").
 */
#include "builder/graph/shared.h"

static struct open_children *open_row(const struct graph *graph, uint32_t row)
{
	return rows_get(&graph->open_rows, row);
}

/* The row of a new place for children of a task. */
static uint32_t new_open(struct graph *graph, const struct point *at, uint32_t node, uint32_t outer)
{
	struct graph_stream *s = graph_stream(graph, at);
	uint32_t row = s->free_open;
	if (row != 0)
		s->free_open = open_row(graph, row)->outer;
	else
		row = rows_add(&graph->open_rows, &s->open_end, graph_stream_row(graph, at));
	*open_row(graph, row) = (struct open_children){node, 0, outer};
	return row;
}

static void free_open(struct graph *graph, const struct point *at, uint32_t row)
{
	struct graph_stream *s = graph_stream(graph, at);
	open_row(graph, row)->outer = s->free_open;
	s->free_open = row;
}

bool graph_is_in_group(const struct graph *graph, uint32_t task)
{
	uint32_t row = graph->tasks[task].open;
	return row != 0 && open_row(graph, row)->node != 0;
}

static uint32_t new_interval(struct graph *graph, const struct point *at, uint32_t parent, uint32_t group)
{
	uint32_t row = rows_add(&graph->interval_rows, &graph_stream(graph, at)->interval_end, graph_stream_row(graph, at));
	bool is_explicit = task_is_explicit(&graph->model->tasks[parent]);
	*graph_interval_row(graph, row) = (struct interval){
		.group = group,
		.phase = is_explicit ? 0 : graph->tasks[parent].n_barriers,
	};
	return row;
}

uint32_t graph_interval(struct graph *graph, const struct point *at, uint32_t parent, uint32_t child)
{
	uint32_t *row = &graph->tasks[parent].open;
	if (parent == 0) /* not known: it may be several */
		return 0;
	if (graph->is_counted)
		return graph_count_child(graph, at, parent, child);
	if (*row == 0)
		*row = new_open(graph, at, 0, 0);
	struct open_children *open = open_row(graph, *row);
	if (open->interval == 0)
		open->interval = new_interval(graph, at, parent, open->node);
	return open->interval;
}

/* The node waits for the children of this interval. */
static void close_interval(struct graph *graph, const struct point *at, struct open_children *open, uint32_t node)
{
	if (graph->is_counted)
		graph_count_children(graph, at, node, open->interval);
	else if (open->interval != 0)
		graph_interval_row(graph, open->interval)->node = node;
	open->interval = 0;
}

void graph_close_intervals(struct graph *graph, const struct point *at, uint32_t task, uint32_t node)
{
	if (graph->is_counted) {
		graph_count_wait(graph, at, task, node);
		return;
	}
	for (uint32_t row = graph->tasks[task].open; row != 0; row = open_row(graph, row)->outer)
		close_interval(graph, at, open_row(graph, row), node);
	graph_forget_children(graph, at, task);
}

void graph_forget_children(struct graph *graph, const struct point *at, uint32_t task)
{
	uint32_t *row = &graph->tasks[task].open;
	if (graph->is_counted) {
		graph_count_end(graph, task);
		return;
	}
	if (*row == 0 || open_row(graph, *row)->node != 0)
		return;
	free_open(graph, at, *row);
	*row = 0;
}

void graph_open_group(struct graph *graph, const struct point *at, const struct scope *scope)
{
	uint32_t node = graph_add_node(graph, at, NODE_TASKGROUP, at->task, scope->construct);
	uint32_t row = new_open(graph, at, node, graph->tasks[at->task].open);
	graph->tasks[at->task].open = graph->is_counted ? row | COUNTED_IN_GROUP : row;
}

uint32_t graph_close_group(struct graph *graph, const struct point *at)
{
	uint32_t row = graph->tasks[at->task].open; /* the scope's own: taskgroups of a task nest */
	if (graph->is_counted)
		row = row & COUNTED_IN_GROUP ? row & ~COUNTED_IN_GROUP : 0;
	if (row == 0)
		return 0;
	struct open_children *group = open_row(graph, row);
	uint32_t node = group->node;
	close_interval(graph, at, group, node);
	graph->tasks[at->task].open = group->outer;
	free_open(graph, at, row);
	return node;
}

#define NOBODY UINT32_MAX

/*
 * What waits first for the descendants of an implicit task's child: a taskgroup around its creation, or the team's next
 * barrier, which comes first if the group was still open when its task came there. Program order decides that, as the group's
 * node has the number of barriers before its end. A group that has no end in the records was open until there.
 */
static uint32_t first_of_team(const struct graph *graph, uint32_t parent, const struct interval *interval)
{
	uint32_t barrier = graph_barrier(graph, parent, interval->phase);
	const struct node *group = interval->group != 0 ? graph_inner_node(graph, interval->group) : NULL;
	if (group != NULL && (barrier == 0 || (group->is_placed && group->phase <= interval->phase)))
		return interval->group;
	uint32_t join = graph->join_node[graph->model->tasks[parent].region];
	return barrier != 0 ? barrier : join != 0 ? join : NOBODY;
}

/*
 * Finds what waits for descendants of `task` that nothing nearer waits for: a taskgroup around it, else its team's
 * barrier. Until all tasks are settled, graph.joiners has that by task; 0 is not looked up yet.
 */
static void inherit_joiner(struct graph *graph, uint32_t task)
{
	const struct model *m = graph->model;
	uint32_t up = task, found = graph->joiners[up]; /* not 0, too, if damage leads back to a task on the way */
	for (; found == 0; found = graph->joiners[up]) {
		const struct interval *interval = graph_interval_row(graph, graph->tasks[up].interval);
		uint32_t parent = m->tasks[up].parent;
		if (!task_is_explicit(&m->tasks[up]) || parent == 0)
			graph->joiners[up] = NOBODY;
		else if (!task_is_explicit(&m->tasks[parent]))
			graph->joiners[up] = first_of_team(graph, parent, interval);
		else if (interval->group != 0)
			graph->joiners[up] = interval->group;
		else {
			graph->joiners[up] = NOBODY; /* unless a taskgroup or team around the parent waits for it */
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
	for (uint32_t row = 1; row < m->n_tasks; row++)
		if (task_is_explicit(&m->tasks[row]) && graph_interval_row(graph, graph->tasks[row].interval)->node == 0)
			inherit_joiner(graph, row);
#pragma omp parallel for if (m->n_tasks > FEW_ROWS)
	for (uint32_t row = 1; row < m->n_tasks; row++) {
		bool is_explicit = task_is_explicit(&m->tasks[row]);
		uint32_t nearest = is_explicit ? graph_interval_row(graph, graph->tasks[row].interval)->node : 0;
		uint32_t inherited = is_explicit && graph->joiners[row] != NOBODY ? graph->joiners[row] : 0;
		graph->joiners[row] = nearest != 0 ? nearest : inherited;
	}
}

uint32_t graph_joiner(const struct graph *graph, uint32_t task, enum edge_kind *kind)
{
	uint32_t joiner = graph->joiners[task];
	if (joiner == 0)
		return 0;
	*kind = edge_of_joiner(graph_inner_node(graph, joiner)->kind);
	return joiner;
}
