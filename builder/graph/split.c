/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Taskloops that LLVM's runtime splits (Q44 of docs/runtimes.md): tasks of its own create the rest of the taskloop's tasks,
 * on any thread. What the encountering task and its taskgroups wait for, and the order of the program, is as if the
 * encountering task had created all of them.
 */
#include "builder/graph/shared.h"
#include "builder/support/sort.h"

/* The runtime's own tasks split a taskloop into halves: no chain of them is longer (gather/split.c checks that). */
#define DEPTH_MAX 64

/* The task of the same taskloop that the encountering task created itself: this one, or an ancestor of it. */
static uint32_t find_first(const struct graph *graph, uint32_t task)
{
	for (uint32_t up; (up = task_in_place(&graph->model->tasks[task])) != 0;)
		task = up;
	return task;
}

void graph_note_split(struct graph *graph, uint32_t task)
{
	const struct task *t = &graph->model->tasks[task];
	/* If the records do not show when a taskloop ends, tasks after it would count as its own. */
	if (task_in_place(t) != 0 || graph->model->n_events[EVENT_work_end] == 0)
		return;
	uint32_t *now = &graph->splits[t->parent].now;
	if (task_is_split(t) && *now == 0)
		*now = task;
	graph->splits[task].first = *now;
}

void graph_end_split(struct graph *graph, uint32_t task, const struct scope *scope)
{
	if (graph->splits != NULL && scope->type == SCOPE_WORK && scope->kind == work_kind_taskloop)
		graph->splits[task].now = 0;
}

void graph_settle_splits(struct graph *graph)
{
	const struct model *m = graph->model;
	for (uint32_t task = 1; task < m->n_task_ids; task++)
		if (task_in_place(&m->tasks[task]) != 0)
			graph->tasks[task].interval = graph->tasks[find_first(graph, task)].interval;
}

uint32_t graph_origin(const struct graph *graph, uint32_t task)
{
	return graph->tasks[find_first(graph, task)].origin;
}

/* ---- The order of the program ---- */

static int by_creation(const struct model *m, uint32_t left, uint32_t right)
{
	return cmp(m->tasks[left].create_ticks, m->tasks[right].create_ticks) ?: cmp(left, right);
}

/*
 * Two tasks of a split taskloop that the same task created. It hands out the upper half first, then the upper half of
 * what is left, and so on; what remains at last, the lowest part, it creates itself.
 */
static int by_half(const struct model *m, uint32_t left, uint32_t right)
{
	bool is_left_split = task_is_split(&m->tasks[left]), is_right_split = task_is_split(&m->tasks[right]);
	if (is_left_split != is_right_split)
		return is_left_split ? 1 : -1;
	return is_left_split ? by_creation(m, right, left) : by_creation(m, left, right);
}

/* Collects a task and its ancestors up to the one that the encountering task created; returns their number. */
static unsigned trace(const struct model *m, uint32_t task, uint32_t trace[DEPTH_MAX + 1])
{
	unsigned n = 0;
	do
		trace[n++] = task;
	while ((task = task_in_place(&m->tasks[task])) != 0 && n <= DEPTH_MAX);
	return n;
}

int graph_compare_siblings(const struct graph *graph, uint32_t left, uint32_t right)
{
	const struct model *m = graph->model;
	if (graph->splits == NULL || left == right)
		return by_creation(m, left, right);
	uint32_t left_trace[DEPTH_MAX + 1], right_trace[DEPTH_MAX + 1];
	unsigned n_left = trace(m, left, left_trace), n_right = trace(m, right, right_trace);
	uint32_t left_loop = graph->splits[left_trace[n_left - 1]].first,
		 right_loop = graph->splits[right_trace[n_right - 1]].first;
	uint32_t left_first = left_loop != 0 ? left_loop : left_trace[n_left - 1];
	uint32_t right_first = right_loop != 0 ? right_loop : right_trace[n_right - 1];
	if (left_first != right_first)
		return by_creation(m, left_first, right_first);
	while (n_left > 1 && n_right > 1 && left_trace[n_left - 1] == right_trace[n_right - 1]) {
		n_left--;
		n_right--;
	}
	return by_half(m, left_trace[n_left - 1], right_trace[n_right - 1]);
}
