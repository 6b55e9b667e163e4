/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the name of each node of the canonical list from the numbers that canonical_number.c gave: label[path]. The path
 * of a task is kept where names are made of it: of parents before those of their children. Called by canonical.c.
 */
#include "builder/graph/canonical.h"
#include "builder/graph/shared.h"

/*
 * A path is written out for so many tasks; what is before them is replaced by its hash, which is as canonical. Without
 * a limit the names of a deep recursion would together be as long as the square of its depth.
 */
#define STEPS_MAX 200

static void put_step(struct buffer *text, const char *word, uint64_t number)
{
	buffer_put_text(text, word);
	buffer_put_decimal(text, number);
}

/* ---- Hashes of long paths ---- */

/*
 * The task before this one on its path, 0 at the beginning of the path; *step is set to what the step from there adds
 * to the hash.
 */
static uint32_t path_step(const struct canon *c, uint32_t row, uint64_t *step)
{
	const struct task *task = &c->m->tasks[row];
	bool is_root = task->flags & task_flags_initial && c->m->regions[task->region].state & REGION_INITIAL;
	uint32_t id = task_is_explicit(task) ? 0 : c->graph->region_node[task->region];
	*step = canonical_hash(21, c->ordinal[row]);
	if (is_root || task_is_explicit(task))
		return is_root ? 0 : task->parent;
	if (id == 0)
		return 0;
	const struct node *node = graph_inner_node(c->graph, id);
	*step = canonical_mix(canonical_hash(22, node->is_in_work), c->node_ordinal[id - c->m->n_tasks]);
	if (canonical_is_merged(c, node->task))
		*step = canonical_mix(*step, node->phase);
	return node->task;
}

/*
 * Each task is looked up once: hashes are made from the first task on the way whose hash is known, or, in a damaged
 * dump, that is on the way already.
 */
static uint64_t path_hash(const struct canon *c, uint32_t row)
{
	const uint64_t pending = 1;
	uint32_t n = 0;
	uint64_t step;
	while (row != 0 && c->path[row] == 0) {
		c->path[row] = pending;
		c->path_todo[n++] = row;
		row = path_step(c, row, &step);
	}
	uint64_t hash = c->path[row];
	while (n > 0) {
		uint32_t task = c->path_todo[--n];
		path_step(c, task, &step);
		c->path[task] = hash = canonical_mix(canonical_hash(23, hash), step) | 2;
	}
	return hash;
}

/* ---- Names ---- */

/*
 * These return how deep the path's first task is, counted from the node that is named; STEPS_MAX and above: there is more
 * before it.
 */
static unsigned put_region_path(const struct canon *c, struct buffer *text, uint32_t region, unsigned depth);

static unsigned put_task_path(const struct canon *c, struct buffer *text, uint32_t row, unsigned depth)
{
	const struct task *task = &c->m->tasks[row];
	const struct canonical_path *known = &c->known_paths[row];
	if (known->text != NULL && depth + known->depth < STEPS_MAX) {
		buffer_put(text, known->text, known->n);
		return depth + known->depth;
	}
	if (row == 0 || c->ordinal[row] == 0) {
		put_step(text, "?", row);
		return depth;
	}
	if (depth == STEPS_MAX) {
		canonical_put_hash(text, path_hash(c, row));
		return depth;
	}
	if (task->flags & task_flags_initial && c->m->regions[task->region].state & REGION_INITIAL) {
		canonical_put_process(c, text);
		buffer_put_decimal(text, c->ordinal[row]);
	} else if (!task_is_explicit(task)) {
		depth = put_region_path(c, text, task->region, depth);
		buffer_put(text, ".i", 2);
	} else {
		depth = put_task_path(c, text, task->parent, depth + 1);
		put_step(text, ".", c->ordinal[row]);
	}
	return depth;
}

static unsigned put_inner_path(const struct canon *c, struct buffer *text, uint32_t id, unsigned depth)
{
	const struct node *node = graph_inner_node(c->graph, id);
	depth = put_task_path(c, text, node->task, depth + 1);
	if (canonical_is_merged(c, node->task)) {
		put_step(text, ".p", node->phase);
		buffer_put_text(text, node->is_in_work ? ".s" : "");
	}
	buffer_put(text, (char[]){'.', canonical_letter(node->kind)}, 2);
	buffer_put_decimal(text, c->node_ordinal[id - c->m->n_tasks]);
	return depth;
}

static unsigned put_region_path(const struct canon *c, struct buffer *text, uint32_t region, unsigned depth)
{
	uint32_t id = c->graph->region_node[region];
	uint32_t initial = c->m->regions[region].state & REGION_INITIAL ? c->of_region[region] : 0;
	if (initial != 0)
		return put_task_path(c, text, initial, depth + 1);
	if (id != 0)
		return put_inner_path(c, text, id, depth);
	put_step(text, "?r", region);
	return depth;
}

/* Returns the path's depth, as above; *begin is set to where the path begins. */
static unsigned put_task_name(const struct canon *c, struct buffer *text, uint32_t row, size_t *begin)
{
	const struct task *task = &c->m->tasks[row];
	buffer_put_text(text, task->flags & task_flags_initial    ? "initial"
			      : task->flags & task_flags_implicit ? "implicit"
								  : canonical_label(c, task->construct, task->parent));
	buffer_put(text, "[", 1);
	*begin = text->n;
	unsigned depth = put_task_path(c, text, row, 0);
	buffer_put(text, "]", 1);
	return depth;
}

static void put_inner_name(const struct canon *c, struct buffer *text, uint32_t id)
{
	const struct node *node = graph_inner_node(c->graph, id);
	if (node->is_of_unit) {
		canonical_put_unit(c, text, id);
		return;
	}
	bool is_of_team = node->kind == NODE_BARRIER || node->kind == NODE_JOIN;
	buffer_put_text(text, is_of_team ? node_kind_name(node->kind) : canonical_label(c, node->construct, node->task));
	buffer_put(text, "[", 1);
	if (!is_of_team)
		put_inner_path(c, text, id, 0);
	else
		put_region_path(c, text, node->region, 0);
	if (node->kind == NODE_BARRIER)
		put_step(text, ".b", node->phase);
	else if (node->kind == NODE_JOIN)
		buffer_put(text, ".j", 2);
	buffer_put(text, "]", 1);
}

uint32_t canonical_name(struct canon *c, struct canonical_list *list, uint32_t id)
{
	uint32_t *name = &c->names[id];
	unsigned depth = STEPS_MAX;
	size_t begin = 0;
	if (*name != 0)
		return *name - 1;
	c->text.n = 0;
	if (id < c->m->n_tasks)
		depth = put_task_name(c, &c->text, id, &begin);
	else
		put_inner_name(c, &c->text, id);
	*name = canonical_add_name(list, &c->text) + 1;
	if (depth < STEPS_MAX)
		c->known_paths[id] =
			(struct canonical_path){list->names[*name - 1].text + begin, (uint32_t)(c->text.n - begin - 1), depth};
	return *name - 1;
}
