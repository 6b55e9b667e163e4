/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The graph that is only counted: how many nodes and edges of each kind the records make, without keeping them. Nodes are
 * counted where they are placed (graph.c); here are the edges of tasks, and barriers and joins, which members of a team
 * share. What cannot be counted without the graph is irregular, and makes finish.c keep it.
 */
#include "builder/graph/shared.h"
#include "builder/support/array.h"

#include <stdlib.h>

bool graph_has_join(const struct graph *graph, uint32_t task)
{
	uint32_t region = graph->model->tasks[task].region;
	return region != 0 && !(graph->model->regions[region].state & REGION_INITIAL) && !graph_is_helper(graph, task);
}

/* Does the task come from a barrier of its team, with nothing in between? */
static bool is_at_barrier(const struct graph *graph, uint32_t task)
{
	return graph->tasks[task].last == graph->model->n_tasks + NODE_BARRIER;
}

void graph_count_barrier(struct graph *graph, const struct point *at, uint32_t ordinal)
{
	struct graph_stream *s = graph_stream(graph, at);
	struct graph_task *task = &graph->tasks[at->task];
	uint32_t barrier = graph->model->n_tasks + NODE_BARRIER;
	s->is_irregular |= ordinal != task->n_barriers || !graph_has_join(graph, at->task);
	if (!is_at_barrier(graph, at->task)) {
		array_push(s->own, s->n_own, s->own_capacity, (struct barrier_of_one){at->task, ordinal});
		s->counted.edges[EDGE_BARRIER]++;
	}
	order_settle(graph, at, at->task, barrier);
	task->n_barriers = ordinal + 1;
	task->last = barrier;
}

/* Positions of an implicit task after its end: its last position was a barrier, or another node. */
static uint32_t end_at_barrier(const struct graph *graph)
{
	return graph->model->n_tasks + NODE_NONE;
}

static uint32_t end_elsewhere(const struct graph *graph)
{
	return graph->model->n_tasks + NODE_IMPLICIT;
}

void graph_count_join(struct graph *graph, const struct point *at, uint32_t task)
{
	struct graph_stream *s = graph_stream(graph, at);
	uint32_t *last = &graph->tasks[task].last;
	s->is_irregular |= *last == end_at_barrier(graph) || *last == end_elsewhere(graph);
	s->counted.edges[EDGE_JOIN] += !is_at_barrier(graph, task);
	order_settle(graph, at, task, graph->model->n_tasks + NODE_JOIN);
	*last = is_at_barrier(graph, task) ? end_at_barrier(graph) : end_elsewhere(graph);
}

void graph_count_children(struct graph *graph, const struct point *at, uint32_t node, uint32_t n)
{
	unsigned kind = node - graph->model->n_tasks;
	graph_stream(graph, at)->counted.edges[kind == NODE_TASKWAIT    ? EDGE_TASKWAIT
					       : kind == NODE_TASKGROUP ? EDGE_TASKGROUP
									: EDGE_BARRIER] += n;
}

/* ---- Children ---- */

static struct open_children *group_row(const struct graph *graph, uint32_t open)
{
	return rows_get(&graph->open_rows, open & ~COUNTED_IN_GROUP);
}

enum heir graph_count_child(struct graph *graph, const struct point *at, uint32_t parent, uint32_t child)
{
	struct graph_stream *s = graph_stream(graph, at);
	uint32_t *open = &graph->tasks[parent].open;
	bool is_in_group = *open & COUNTED_IN_GROUP, is_node = graph_is_task(graph, child);
	uint32_t *n = is_in_group ? &group_row(graph, *open)->interval : open;
	s->counted.edges[EDGE_CREATE] += is_node;
	if (*n == COUNTED_IN_GROUP - 1)
		s->is_irregular = true;
	else
		*n += is_node;
	if (is_in_group)
		return HEIR_GROUP;
	if (task_is_explicit(&graph->model->tasks[parent]))
		return HEIR_PARENT;
	return graph_has_join(graph, parent) ? HEIR_TEAM : HEIR_NONE;
}

void graph_count_wait(struct graph *graph, const struct point *at, uint32_t task, uint32_t node)
{
	uint32_t n = 0, *open = &graph->tasks[task].open;
	/* Does the barrier or the taskgroup around it wait for descendants? See first_of_team() in wait.c. */
	if (*open & COUNTED_IN_GROUP && node == graph->model->n_tasks + NODE_BARRIER)
		graph_stream(graph, at)->is_irregular = true;
	while (*open & COUNTED_IN_GROUP) {
		struct open_children *group = group_row(graph, *open);
		n += group->interval;
		group->interval = 0;
		open = &group->outer;
	}
	graph_count_children(graph, at, node, n + *open);
	*open = 0;
}

/* What waits for the remaining children is known only after the replay: the task itself may be created later in it. */
void graph_count_end(struct graph *graph, uint32_t task)
{
	struct graph_task *t = &graph->tasks[task];
	if (t->open == 0 || t->open & COUNTED_IN_GROUP || !task_is_explicit(&graph->model->tasks[task]))
		return;
	t->n_left += t->open;
	t->open = 0;
}

/* Ends even if damage makes a task a descendant of itself. */
static enum heir find_heir(struct graph *graph, uint32_t task)
{
	uint32_t up = task, next;
	for (; task_is_explicit(&graph->model->tasks[up]) && graph->tasks[up].interval == HEIR_PARENT; up = next) {
		next = graph->model->tasks[up].parent;
		graph->tasks[up].interval = HEIR_NONE;
	}
	enum heir heir = task_is_explicit(&graph->model->tasks[up]) ? graph->tasks[up].interval : HEIR_NONE;
	for (uint32_t on = task; on != up; on = graph->model->tasks[on].parent)
		graph->tasks[on].interval = heir;
	return heir;
}

static void count_left(struct graph *graph, uint32_t task, uint32_t n)
{
	enum heir heir = find_heir(graph, task);
	if (heir != HEIR_NONE)
		graph->streams[0].counted.edges[heir == HEIR_GROUP ? EDGE_TASKGROUP : EDGE_BARRIER] += n;
}

/* Counts the edges of children that nothing waited for before the task, or the records, ended. */
static void count_rest(struct graph *graph, uint32_t task)
{
	const struct graph_task *t = &graph->tasks[task];
	uint64_t *edges = graph->streams[0].counted.edges;
	uint32_t open = t->open;
	for (; open & COUNTED_IN_GROUP; open = group_row(graph, open)->outer)
		edges[EDGE_TASKGROUP] += group_row(graph, open)->interval;
	if (task_is_explicit(&graph->model->tasks[task]))
		count_left(graph, task, t->n_left + open);
	else if (graph_has_join(graph, task))
		edges[EDGE_BARRIER] += open;
}

/* ---- After the replay ---- */

/* By place in graph.barriers. */
struct barrier_places {
	uint32_t *n_ends;  /* members whose last barrier it is */
	uint32_t *n_own;   /* members whose position before it was not the barrier before */
	bool *has_joining; /* members went from it to the join, with nothing in between */
};

/* Adds what an implicit task contributed to its team's barriers and join. */
static void count_member(struct graph *graph, struct barrier_places *p, uint32_t row)
{
	const struct graph_task *t = &graph->tasks[row];
	uint32_t region = graph->model->tasks[row].region;
	struct graph_counts *counted = &graph->streams[0].counted;
	if (graph_is_task(graph, row))
		counted->edges[EDGE_CREATE] += graph->region_node[region] != 0;
	uint32_t last = t->n_barriers != 0 ? t->first_barrier + t->n_barriers : 0;
	p->n_ends[last]++;
	if (t->last == end_at_barrier(graph)) {
		counted->edges[EDGE_JOIN] += !p->has_joining[last];
		p->has_joining[last] = true;
	}
	if (t->last == end_at_barrier(graph) || t->last == end_elsewhere(graph))
		graph->join_node[region] |= JOIN_OF_MEMBER;
}

/* Barriers, and edges to them from the barriers before: one each, if any member came from there. */
static void count_barriers(struct graph *graph, const struct barrier_places *p, size_t n)
{
	struct graph_counts *counted = &graph->streams[0].counted;
	for (size_t first = 1; first < n; first += 1 + graph->barriers[first]) {
		uint32_t n_members = 0;
		counted->nodes[NODE_BARRIER] += graph->barriers[first];
		for (size_t place = first + graph->barriers[first]; place > first; place--) {
			n_members += p->n_ends[place];
			counted->edges[EDGE_BARRIER] += n_members > p->n_own[place];
		}
	}
}

static void count_joins(struct graph *graph)
{
	struct graph_counts *counted = &graph->streams[0].counted;
	for (uint32_t region = 1; region < graph->model->n_regions; region++) {
		uint32_t seen = graph->join_node[region];
		counted->nodes[NODE_JOIN] += seen != 0;
		/* A region none of whose members was recorded: its end follows on its begin. */
		counted->edges[EDGE_SEQUENCE] += seen == JOIN_OF_REGION && graph->region_node[region] != 0;
	}
}

void graph_settle_counts(struct graph *graph)
{
	const struct model *m = graph->model;
	size_t n = graph_lay_out_barriers(graph);
	struct barrier_places p = {memory_zeroed(n, sizeof *p.n_ends, "the graph"), memory_zeroed(n, sizeof *p.n_own, "the graph"),
				   memory_zeroed(n, sizeof *p.has_joining, "the graph")};
	for (size_t i = 0; i < graph->n_streams; i++) {
		const struct graph_stream *s = &graph->streams[i];
		for (size_t k = 0; k < s->n_own && !graph->is_irregular; k++)
			p.n_own[graph->tasks[s->own[k].task].first_barrier + 1 + s->own[k].ordinal]++;
	}
	for (size_t i = 0; i < m->n_implicit && !graph->is_irregular; i++)
		count_member(graph, &p, m->implicit[i]);
	for (uint32_t row = 1; row < m->n_tasks; row++)
		if ((graph->tasks[row].open | graph->tasks[row].n_left) != 0)
			count_rest(graph, row);
	count_barriers(graph, &p, n);
	count_joins(graph);
	free(p.n_ends);
	free(p.n_own);
	free(p.has_joining);
}
