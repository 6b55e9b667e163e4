/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the path of each task and unit, and adds up what they executed: see tree.h. Linear in the tables, whatever the
 * depth of recursion. Called by process.c, on one thread.
 */
#include "builder/spawn/shares.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT    "the spawn tree"
#define PENDING UINT32_MAX /* in node_of_task: the path is being looked for */

/* ---- The tree ---- */

static uint32_t add_node(struct spawn_tree *tree, uint32_t parent, uint32_t construct)
{
	uint32_t depth = parent != SPAWN_NONE ? tree->nodes[parent].depth + 1 : 0;
	array_reserve((void **)&tree->nodes, tree->n_nodes + (size_t)1, &tree->capacity, sizeof *tree->nodes);
	tree->nodes[tree->n_nodes] = (struct spawn_node){.parent = parent, .construct = construct, .depth = depth};
	tree->n_frames += depth;
	return tree->n_nodes++;
}

/* The node of this construct above, or the node itself; SPAWN_NONE: there is none. */
static uint32_t find_above(const struct spawn_tree *tree, uint32_t node, uint32_t construct)
{
	while (node != SPAWN_NONE && tree->nodes[node].construct != construct)
		node = tree->nodes[node].parent;
	return node;
}

/* Paths below the process always have room: there are no more of them than constructs. */
static bool has_room(const struct spawn_tree *tree, uint32_t node)
{
	return node == SPAWN_ROOT || tree->n_frames + tree->nodes[node].depth + 1 <= tree->max_frames ||
	       tree->nodes[node].construct == SPAWN_OTHERS;
}

static uint32_t find_step(struct spawn_tree *tree, uint32_t node, uint32_t construct)
{
	uint32_t *known = map_put(&tree->steps, (uint64_t)node << 32 | construct), to;
	if (*known != SPAWN_NONE)
		return *known;
	to = find_above(tree, node, construct);
	if (to == SPAWN_NONE && has_room(tree, node)) {
		to = *known = add_node(tree, node, construct);
		return to;
	}
	if (to == SPAWN_NONE) {
		to = find_step(tree, find_step(tree, SPAWN_ROOT, SPAWN_OTHERS), construct);
		known = map_put(&tree->steps, (uint64_t)node << 32 | construct);
	}
	*known = to;
	return to;
}

uint32_t spawn_step(struct spawn_tree *tree, uint32_t node, uint32_t construct)
{
	struct latest_step *latest = &tree->latest[(3 * node + construct) % SPAWN_LATEST]; /* siblings come one after the other */
	if (latest->node != node || latest->construct != construct)
		*latest = (struct latest_step){node, construct, find_step(tree, node, construct)};
	return latest->to;
}

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

/* Goes up to what has a node, and down again. Records that contradict each other may make a circle: then who began it is unknown. */
static uint32_t find_task(struct spawn_tree *tree, struct chain *chain, uint32_t task)
{
	const struct model *m = tree->model;
	uint32_t *node_of = tree->node_of_task, above = task;
	if (task != 0 && node_of[task] != SPAWN_NONE)
		return node_of[task];
	for (chain->n = 0; above != 0 && node_of[above] == SPAWN_NONE; above = m->tasks[above].parent) {
		array_reserve((void **)&chain->tasks, chain->n + 1, &chain->capacity, sizeof *chain->tasks);
		chain->tasks[chain->n++] = above;
		node_of[above] = PENDING;
	}
	bool is_known = above != 0 && node_of[above] != PENDING,
	     has_begin = chain->n > 0 && is_first(m, chain->tasks[chain->n - 1]);
	uint32_t node = is_known                  ? node_of[above]
			: above == 0 && has_begin ? SPAWN_ROOT
						  : spawn_step(tree, SPAWN_ROOT, SPAWN_UNKNOWN);
	while (chain->n > 0) {
		task = chain->tasks[--chain->n];
		node = node_of[task] = spawn_step(tree, node, tree->same[m->tasks[task].construct]);
	}
	return node;
}

/* Most tasks have their rows after that of who created them. */
static void find_tasks(struct spawn_tree *tree)
{
	const struct model *m = tree->model;
	uint32_t *node_of = tree->node_of_task;
	struct chain chain = {0};
	for (uint32_t task = 1; task < m->n_tasks; task++) {
		if (!is_task(m, task) || node_of[task] != SPAWN_NONE)
			continue;
		uint32_t above = node_of[m->tasks[task].parent];
		if (above != SPAWN_NONE)
			node_of[task] = spawn_step(tree, above, tree->same[m->tasks[task].construct]);
		else
			find_task(tree, &chain, task);
	}
	free(chain.tasks);
}

/* Of regions the count is here, and what their members executed is that of the tasks. */
static void add_regions(struct spawn_tree *tree)
{
	const struct model *m = tree->model;
	struct chain chain = {0};
	for (uint32_t row = 1; row < m->n_regions; row++) {
		const struct region *region = &m->regions[row];
		uint64_t end_ticks = region_end_ticks(region);
		if (!(region->state & REGION_ANNOUNCED) || region->state & (REGION_HELPER | REGION_HIDDEN) ||
		    !window_meets(&m->window, region->begin_ticks, end_ticks))
			continue;
		uint32_t node = spawn_step(tree, find_task(tree, &chain, region->task), tree->same[region->construct]);
		tree->nodes[node].count++;
	}
	free(chain.tasks);
}

static void add_tasks(struct spawn_tree *tree, const struct graph *graph)
{
	const struct model *m = tree->model;
	for (uint32_t task = 1; task < m->n_tasks; task++) {
		if (!is_task(m, task) || (graph != NULL && !graph_task_is_node(graph, task)))
			continue;
		struct spawn_node *node = &tree->nodes[tree->node_of_task[task]];
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

static void find_unit(struct spawn_tree *tree, struct chain *chain, uint32_t row)
{
	const struct model *m = tree->model;
	uint32_t *node_of = tree->node_of_unit, above = row;
	for (chain->n = 0; above != 0 && node_of[above] == SPAWN_NONE; above = m->units[above].creator) {
		array_reserve((void **)&chain->tasks, chain->n + 1, &chain->capacity, sizeof *chain->tasks);
		chain->tasks[chain->n++] = above;
		node_of[above] = PENDING;
	}
	bool is_known = above != 0 && node_of[above] != PENDING,
	     has_begin = chain->n > 0 && is_first_unit(&m->units[chain->tasks[chain->n - 1]]);
	uint32_t node = is_known                  ? node_of[above]
			: above == 0 && has_begin ? SPAWN_ROOT
						  : spawn_step(tree, SPAWN_ROOT, SPAWN_UNKNOWN);
	while (chain->n > 0) {
		row = chain->tasks[--chain->n];
		node = node_of[row] = spawn_step(tree, node, tree->same[m->units[row].construct]);
	}
}

/* A scheduler that looks for work executes nothing. */
static void add_units(struct spawn_tree *tree)
{
	const struct model *m = tree->model;
	struct chain chain = {0};
	tree->node_of_unit = memory_zeroed((size_t)m->n_units + 1, sizeof *tree->node_of_unit, WHAT);
	for (uint32_t row = 1; row < m->n_units; row++) {
		const struct work_unit *unit = &m->units[row];
		if (!is_unit(m, unit))
			continue;
		find_unit(tree, &chain, row);
		struct spawn_node *node = &tree->nodes[tree->node_of_unit[row]];
		node->own_ticks += unit->kind != UNIT_SCHEDULER ? tree->states->units.busy.ticks[row] : 0;
		node->count++;
	}
	free(chain.tasks);
}

/* ---- The whole ---- */

int spawn_begin(struct spawn_tree *tree, const struct model *model, const struct states *states, const char *dir)
{
	*tree = (struct spawn_tree){.model = model, .states = states, .max_frames = SPAWN_FRAMES_MAX};
	tree->same = model_same_constructs(model);
	tree->node_of_task = memory_zeroed(model->n_tasks, sizeof *tree->node_of_task, WHAT);
	add_node(tree, SPAWN_NONE, SPAWN_UNKNOWN);
	add_node(tree, SPAWN_NONE, SPAWN_PROCESS);
	find_tasks(tree);
	return spawn_begin_shares(tree, dir);
}

int spawn_finish(struct spawn_tree *tree, const struct graph *graph)
{
	add_regions(tree);
	add_tasks(tree, graph);
	add_units(tree);
	spawn_add_shares(tree);
	return spawn_add_path(tree, graph);
}

void spawn_free(struct spawn_tree *tree)
{
	spawn_free_shares(tree);
	free(tree->same);
	free(tree->nodes);
	map_free(&tree->steps);
	free(tree->node_of_task);
	free(tree->node_of_unit);
	free(tree->row_of_node);
	*tree = (struct spawn_tree){0};
}
