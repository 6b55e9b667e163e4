/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the path of each task and unit, and adds up what they executed: see tree.h. Linear in the tables, whatever the
 * depth of recursion.
 */
#include "builder/callpaths/tree.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT    "the call paths"
#define PENDING UINT32_MAX /* in node_of_task: the path is being looked for */

/* ---- Tasks ---- */

/* Is it a task of the program, and no name for another one, or the runtime's own? */
static bool is_task(const struct model *m, uint32_t task)
{
	const struct task *t = &m->tasks[task];
	return task != 0 && (t->state & (TASK_SEEN | TASK_HELPER)) == TASK_SEEN && !(t->flags & task_flags_taskwait);
}

static bool is_first(const struct model *m, uint32_t task)
{
	return task != 0 && m->tasks[task].flags & task_flags_initial && m->regions[m->tasks[task].region].state & REGION_INITIAL;
}

struct chain {
	uint32_t *tasks; /* each created by the next one */
	size_t n, capacity;
};

/*
 * Goes up to an ancestor that has a node, and down again. Contradictory records may make a cycle: then its first creator
 * is unknown.
 */
static uint32_t find_task(struct callpath_tree *tree, struct chain *chain, uint32_t task)
{
	const struct model *m = tree->model;
	uint32_t *node_of = tree->node_of_task, above = task;
	if (task != 0 && node_of[task] != CALLPATH_NONE)
		return node_of[task];
	for (chain->n = 0; above != 0 && node_of[above] == CALLPATH_NONE; above = m->tasks[above].parent) {
		array_push(chain->tasks, chain->n, chain->capacity, above);
		node_of[above] = PENDING;
	}
	bool is_known = above != 0 && node_of[above] != PENDING,
	     has_begin = chain->n > 0 && is_first(m, chain->tasks[chain->n - 1]);
	uint32_t node = is_known                  ? node_of[above]
			: above == 0 && has_begin ? CALLPATH_ROOT
						  : callpath_step(tree, CALLPATH_ROOT, CALLPATH_UNKNOWN);
	while (chain->n > 0) {
		task = chain->tasks[--chain->n];
		node = node_of[task] = callpath_step(tree, node, tree->same[m->tasks[task].construct]);
	}
	return node;
}

/* Most tasks have their rows after that of their creator. */
static void find_tasks(struct callpath_tree *tree)
{
	const struct model *m = tree->model;
	uint32_t *node_of = tree->node_of_task;
	struct chain chain = {0};
	for (uint32_t task = 1; task < m->n_tasks; task++) {
		if (!is_task(m, task) || node_of[task] != CALLPATH_NONE)
			continue;
		uint32_t above = node_of[m->tasks[task].parent];
		if (above != CALLPATH_NONE)
			node_of[task] = callpath_step(tree, above, tree->same[m->tasks[task].construct]);
		else
			find_task(tree, &chain, task);
	}
	free(chain.tasks);
}

/* Adds the counts of regions. The time that their members executed is added with the tasks. */
static void add_regions(struct callpath_tree *tree)
{
	const struct model *m = tree->model;
	struct chain chain = {0};
	for (uint32_t row = 1; row < m->n_regions; row++) {
		const struct region *region = &m->regions[row];
		uint64_t end_ticks = region_end_ticks(region);
		if (!(region->state & REGION_ANNOUNCED) || region->state & (REGION_HELPER | REGION_HIDDEN) ||
		    !window_meets(&m->window, region->begin_ticks, end_ticks))
			continue;
		uint32_t node = callpath_step(tree, find_task(tree, &chain, region->task), tree->same[region->construct]);
		tree->nodes[node].count++;
	}
	free(chain.tasks);
}

static void add_tasks(struct callpath_tree *tree, const struct graph *graph)
{
	const struct model *m = tree->model;
	for (uint32_t task = 1; task < m->n_tasks; task++) {
		if (!is_task(m, task) || (graph != NULL && !graph_task_is_node(graph, task)))
			continue;
		struct callpath_node *node = &tree->nodes[tree->node_of_task[task]];
		node->own_ticks += tree->states->busy.ticks[task];
		node->count += task_is_explicit(&m->tasks[task]) || is_first(m, task);
	}
}

/* ---- Units of Argobots ---- */

/* Is it a run of a unit, in the part of the process's time? */
static bool is_unit(const struct model *m, const struct work_unit *unit)
{
	uint64_t end_ticks = unit->state & UNIT_ENDED ? unit->end_ticks : UINT64_MAX;
	return unit->kind != UNIT_ROOT && unit->state & UNIT_SEEN && window_meets(&m->window, unit->start_ticks, end_ticks);
}

/* Those that act without having been created are the beginning; the library makes its schedulers. */
static bool is_first_unit(const struct work_unit *unit)
{
	return unit->kind == UNIT_PRIMARY || unit->kind == UNIT_EXTERNAL || unit->kind == UNIT_SCHEDULER;
}

static void find_unit(struct callpath_tree *tree, struct chain *chain, uint32_t row)
{
	const struct model *m = tree->model;
	uint32_t *node_of = tree->node_of_unit, above = row;
	for (chain->n = 0; above != 0 && node_of[above] == CALLPATH_NONE; above = m->units[above].creator) {
		array_push(chain->tasks, chain->n, chain->capacity, above);
		node_of[above] = PENDING;
	}
	bool is_known = above != 0 && node_of[above] != PENDING,
	     has_begin = chain->n > 0 && is_first_unit(&m->units[chain->tasks[chain->n - 1]]);
	uint32_t node = is_known                  ? node_of[above]
			: above == 0 && has_begin ? CALLPATH_ROOT
						  : callpath_step(tree, CALLPATH_ROOT, CALLPATH_UNKNOWN);
	while (chain->n > 0) {
		row = chain->tasks[--chain->n];
		node = node_of[row] = callpath_step(tree, node, tree->same[m->units[row].construct]);
	}
}

/* A scheduler that looks for work executes nothing. */
static void add_units(struct callpath_tree *tree)
{
	const struct model *m = tree->model;
	struct chain chain = {0};
	tree->node_of_unit = memory_zeroed((size_t)m->n_units + 1, sizeof *tree->node_of_unit, WHAT);
	for (uint32_t row = 1; row < m->n_units; row++) {
		const struct work_unit *unit = &m->units[row];
		if (!is_unit(m, unit))
			continue;
		find_unit(tree, &chain, row);
		struct callpath_node *node = &tree->nodes[tree->node_of_unit[row]];
		node->own_ticks += unit->kind != UNIT_SCHEDULER ? tree->states->units.busy.ticks[row] : 0;
		node->count++;
	}
	free(chain.tasks);
}

/* ---- The whole ---- */

int callpath_begin(struct callpath_tree *tree, const struct model *model, const struct states *states, const char *dir)
{
	*tree = (struct callpath_tree){.model = model, .states = states, .max_frames = CALLPATH_FRAMES_MAX};
	tree->same = model_same_constructs(model);
	tree->node_of_task = memory_zeroed(model->n_tasks, sizeof *tree->node_of_task, WHAT);
	callpath_plant(tree);
	find_tasks(tree);
	return callpath_begin_shares(tree, dir);
}

int callpath_finish(struct callpath_tree *tree, const struct graph *graph)
{
	add_regions(tree);
	add_tasks(tree, graph);
	add_units(tree);
	callpath_add_shares(tree);
	return callpath_add_path(tree, graph);
}

void callpath_free(struct callpath_tree *tree)
{
	callpath_free_shares(tree);
	free(tree->same);
	free(tree->nodes);
	map_free(&tree->steps);
	free(tree->node_of_task);
	free(tree->node_of_unit);
	free(tree->row_of_node);
	*tree = (struct callpath_tree){0};
}
