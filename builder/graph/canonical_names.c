/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the name of each node of the canonical list from the numbers that canonical_number.c gave: label[path]. The path of
 * a task is taken from its name if it has one already. Runs on one thread; makes names on all threads of OpenMP.
 */
#include "builder/graph/canonical.h"
#include "builder/graph/shared.h"
#include "builder/support/array.h"

/*
 * The last STEPS_MAX tasks of a path are written out; the path before them is replaced by its hash, which is as canonical.
 * Without a limit the total length of the names of a deep recursion would be proportional to the square of its depth.
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
	*step = hash_mix(canonical_hash(22, node->is_in_work), c->node_ordinal[id - c->m->n_tasks]);
	if (canonical_is_merged(c, node->task))
		*step = hash_mix(*step, node->phase);
	return node->task;
}

/*
 * Each task is looked up once, before names are made on several threads: hashes are made from the first task on the way
 * whose hash is known, or, in a damaged dump, that is on the way already.
 */
static void find_hashes(struct canon *c)
{
	const uint64_t pending = 1;
	uint64_t step;
	for (uint32_t first = 1; first < c->m->n_tasks; first++) {
		uint32_t n = 0, row = first;
		while (row != 0 && c->path[row] == 0) {
			c->path[row] = pending;
			c->path_todo[n++] = row;
			row = path_step(c, row, &step);
		}
		uint64_t hash = c->path[row];
		while (n > 0) {
			uint32_t task = c->path_todo[--n];
			path_step(c, task, &step);
			c->path[task] = hash = hash_mix(canonical_hash(23, hash), step) | 2;
		}
	}
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
	/* P9: after put_name() has put the name where it is read here. */
	unsigned known_depth = __atomic_load_n(&c->known_depth[row], __ATOMIC_ACQUIRE);
	if (known_depth != 0 && depth + known_depth - 1 < STEPS_MAX) {
		const struct canonical_name *name = &c->names[row];
		buffer_put(text, name->text + name->n_label, name->n - name->n_label - 1);
		return depth + known_depth - 1;
	}
	if (row == 0 || c->ordinal[row] == 0) {
		put_step(text, "?", row);
		return depth;
	}
	if (depth == STEPS_MAX) {
		canonical_put_hash(text, c->path[row]);
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

/* Returns the path's depth, as above; *n_label is set to what comes before the path. */
static unsigned put_task_name(const struct canon *c, struct buffer *text, uint32_t row, size_t *n_label)
{
	const struct task *task = &c->m->tasks[row];
	buffer_put_text(text, task->flags & task_flags_initial    ? "initial"
			      : task->flags & task_flags_implicit ? "implicit"
								  : canonical_label(c, task->construct, task->parent));
	buffer_put(text, "[", 1);
	*n_label = text->n;
	unsigned depth = put_task_path(c, text, row, 0);
	buffer_put(text, "]", 1);
	return depth;
}

static void put_inner_name(const struct canon *c, struct buffer *text, uint32_t id)
{
	const struct node *node = graph_inner_node(c->graph, id);
	if (node->is_of_unit) {
		c->m->tasking->canonical->put_name(c, text, id);
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

#define CHUNK_BYTES     ((size_t)1 << 14) /* of a thread's first one; each is twice as large as the one before, up to */
#define CHUNK_BYTES_MAX ((size_t)4 << 20)

struct canonical_name canonical_put_name(struct canonical_text *text, size_t n_label)
{
	const struct buffer *name = &text->name;
	if (name->n > text->n_left) {
		struct canonical_list *list = text->list;
		if (text->n_chunk < CHUNK_BYTES_MAX)
			text->n_chunk = text->n_chunk == 0 ? CHUNK_BYTES : 2 * text->n_chunk;
		text->n_left = name->n > text->n_chunk ? name->n : text->n_chunk;
		text->next = memory_get(text->n_left, 1, "the canonical graph");
#pragma omp critical(canonical_chunks)
		{
			array_append(list->chunks, list->n_chunks, text->next);
		}
	}
	struct canonical_name put = {memcpy(text->next, name->bytes, name->n), (uint32_t)name->n, (uint32_t)n_label};
	text->next += name->n;
	text->n_left -= name->n;
	return put;
}

/* Rows are in about the order of creation, so that most parents have their names when those of their children are made. */
static void put_name(struct canon *c, struct canonical_text *text, struct canonical_name *names, uint32_t id)
{
	unsigned depth = STEPS_MAX;
	size_t n_label = 0;
	text->name.n = 0;
	if (id < c->m->n_tasks)
		depth = put_task_name(c, &text->name, id, &n_label);
	else
		put_inner_name(c, &text->name, id);
	names[id] = canonical_put_name(text, n_label);
	if (depth < STEPS_MAX) /* P9: before put_task_path() of any thread reads the name */
		__atomic_store_n(&c->known_depth[id], (uint8_t)(depth + 1), __ATOMIC_RELEASE);
}

/* A path taken from the name of a parent is equal to one that is made again, so threads need no order. */
void canonical_names(struct canon *c, struct canonical_list *list, struct canonical_name *names)
{
	c->names = names;
	find_hashes(c);
#pragma omp parallel if (c->n_ids > FEW_ROWS)
	{
		struct canonical_text text = {.list = list};
#pragma omp for schedule(dynamic, 1024)
		for (uint32_t id = 0; id < c->n_ids; id++) {
			names[id] = (struct canonical_name){0};
			if (c->is_named[id])
				put_name(c, &text, names, id);
		}
		buffer_free(&text.name);
	}
}
