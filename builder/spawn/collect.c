/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From the tree of a process to rows: see spawn.h. Called by process.c on one thread.
 */
#include "builder/spawn/spawn.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"

#include <stdlib.h>
#include <string.h>

#define WHAT "the paths of creation"

/* ---- Frames ---- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text != '\0'; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
	return (hash ^ 0xff) * UINT64_C(1099511628211);
}

/* The row of a frame, of which the strings are copied. */
static uint32_t put_frame(struct spawn *spawn, const char *name, const char *file, unsigned line)
{
	uint64_t hash = hash_text(hash_text(UINT64_C(1469598103934665603) + line, name), file);
	for (;; hash++) {
		uint32_t *row = map_put(&spawn->frame_of, hash);
		if (*row == 0) {
			array_reserve((void **)&spawn->frames, spawn->n_frames + 1, &spawn->frames_capacity, sizeof *spawn->frames);
			spawn->frames[spawn->n_frames++] = (struct spawn_frame){text_copy(name), text_copy(file), line};
			*row = (uint32_t)spawn->n_frames;
			return *row - 1;
		}
		const struct spawn_frame *frame = &spawn->frames[*row - 1];
		if (frame->line == line && strcmp(frame->name, name) == 0 && strcmp(frame->file, file) == 0)
			return *row - 1;
	}
}

/* Of a construct without a line, and of a unit, the label names the function. */
uint32_t spawn_put_construct(struct spawn *spawn, const struct construct *construct)
{
	bool has_function = construct->line != 0 && construct->function[0] != '\0' &&
			    (construct->kind < CONSTRUCT_UNIT || construct->kind > CONSTRUCT_EXTERNAL);
	char *raw = has_function ? text_format("%s (%s)", construct->label, construct->function) : text_copy(construct->label);
	char *name = text_utf8(raw), *file = text_utf8(construct->file);
	uint32_t frame = put_frame(spawn, name, file, construct->line);
	free(raw);
	free(name);
	free(file);
	return frame;
}

static uint32_t put_node_frame(struct spawn *spawn, const struct trace *trace, uint32_t construct)
{
	char name[32];
	switch (construct) {
	case SPAWN_UNKNOWN: return put_frame(spawn, "unknown creator", "", 0);
	case SPAWN_OTHERS: return put_frame(spawn, "other paths", "", 0);
	case SPAWN_PROCESS:
		snprintf(name, sizeof name, "process %u", (unsigned)trace->process);
		return put_frame(spawn, name, "", 0);
	default: return spawn_put_construct(spawn, &trace->model.constructs[construct]);
	}
}

/* ---- Rows ---- */

/* A node on its way to a row. */
struct item {
	uint32_t node, parent;
	uint32_t frame;
	const char *name; /* of the frame */
	uint64_t own_ns, total_ns, path_ns;
};

/* Sums of a construct, of the nodes so far. */
struct sum {
	uint64_t own_ticks, path_ticks;
};

/*
 * Times in ns. Of each construct's nodes the sums so far are rounded, and a node has what it adds: so they add up to the
 * rounded time of the construct.
 */
static void measure(struct item *items, const struct trace *trace, const struct spawn_tree *tree)
{
	const struct dump *dump = &trace->dump;
	struct sum *sums = memory_zeroed(trace->model.n_constructs, sizeof *sums, WHAT);
	for (uint32_t i = SPAWN_ROOT; i < tree->n_nodes; i++) {
		const struct spawn_node *node = &tree->nodes[i];
		if (node->construct >= trace->model.n_constructs) /* it stands for none, and nothing is its own */
			continue;
		struct sum *sum = &sums[node->construct];
		items[i].own_ns = dump_duration_ns(dump, sum->own_ticks + node->own_ticks) - dump_duration_ns(dump, sum->own_ticks);
		items[i].path_ns =
			dump_duration_ns(dump, sum->path_ticks + node->path_ticks) - dump_duration_ns(dump, sum->path_ticks);
		sum->own_ticks += node->own_ticks;
		sum->path_ticks += node->path_ticks;
		items[i].total_ns = items[i].own_ns;
	}
	free(sums);
	for (uint32_t i = tree->n_nodes; --i > SPAWN_ROOT;)
		items[tree->nodes[i].parent].total_ns += items[i].total_ns;
}

/* Siblings together: the one with the largest total time first, then by name. */
static int by_time(const void *left, const void *right)
{
	const struct item *l = left, *r = right;
	if (l->parent != r->parent)
		return l->parent < r->parent ? -1 : 1;
	if (l->total_ns != r->total_ns)
		return l->total_ns > r->total_ns ? -1 : 1;
	int order = strcmp(l->name, r->name);
	return order != 0 ? order : l->node < r->node ? -1 : l->node > r->node;
}

/* parent: the row of the node above, whatever it is for a process. */
static void put_row(struct spawn *spawn, const struct trace *trace, const struct spawn_tree *tree, const struct item *item,
		    uint32_t parent)
{
	const struct spawn_node *node = &tree->nodes[item->node];
	array_reserve((void **)&spawn->rows, spawn->n_rows + 1, &spawn->rows_capacity, sizeof *spawn->rows);
	bool has_construct = node->construct != 0 && node->construct < trace->model.n_constructs;
	spawn->rows[spawn->n_rows] = (struct spawn_row){.process = trace->process,
							.parent = item->node == SPAWN_ROOT ? (uint32_t)spawn->n_rows : parent,
							.depth = node->depth,
							.frame = item->frame,
							.construct = has_construct ? spawn->n_constructs + node->construct : 0,
							.model_row = has_construct ? node->construct : 0,
							.count = node->count,
							.own_ns = item->own_ns,
							.total_ns = item->total_ns,
							.path_ns = item->path_ns,
							.has_path = tree->has_path};
	spawn->n_rows++;
}

/* The rows of all items, which are sorted, depth first. first: by node, of its children; the next node's ends them. */
static void put_rows(struct spawn *spawn, const struct trace *trace, struct spawn_tree *tree, const struct item *items,
		     const uint32_t *first)
{
	uint32_t *open = memory_get(tree->n_nodes, sizeof *open, WHAT), n_open = 0; /* by index of items */
	uint32_t *row_of = tree->row_of_node = memory_zeroed(tree->n_nodes, sizeof *row_of, WHAT);
	open[n_open++] = first[SPAWN_NONE];
	while (n_open > 0) {
		const struct item *item = &items[open[--n_open]];
		row_of[item->node] = (uint32_t)spawn->n_rows;
		put_row(spawn, trace, tree, item, row_of[item->parent]);
		for (uint32_t child = first[item->node + 1]; child-- > first[item->node];)
			open[n_open++] = child;
	}
	free(open);
}

void spawn_collect(struct spawn *spawn, const struct trace *trace, struct spawn_tree *tree)
{
	uint32_t n = tree->n_nodes;
	struct item *items = memory_zeroed(n, sizeof *items, WHAT);
	uint32_t *first = memory_zeroed((size_t)n + 1, sizeof *first, WHAT);
	for (uint32_t i = SPAWN_ROOT; i < n; i++) {
		items[i].node = i;
		items[i].parent = tree->nodes[i].parent;
		items[i].frame = put_node_frame(spawn, trace, tree->nodes[i].construct);
		items[i].name = spawn->frames[items[i].frame].name;
		first[items[i].parent + 1]++;
	}
	measure(items, trace, tree);
	qsort(items + SPAWN_ROOT, n - SPAWN_ROOT, sizeof *items, by_time);
	first[SPAWN_NONE] = SPAWN_ROOT; /* where the children of the first node begin */
	for (uint32_t i = 1; i <= n; i++)
		first[i] += first[i - 1];
	put_rows(spawn, trace, tree, items, first);
	free(items);
	free(first);
	spawn->n_constructs += trace->model.n_constructs - 1; /* row 0 is unknown */
	spawn->n_processes++;
}

void spawn_free_rows(struct spawn *spawn)
{
	for (size_t i = 0; i < spawn->n_frames; i++) {
		free(spawn->frames[i].name);
		free(spawn->frames[i].file);
	}
	free(spawn->frames);
	free(spawn->groups);
	free(spawn->links);
	free(spawn->singles);
	free(spawn->single_links);
	free(spawn->curves);
	free(spawn->points);
	free(spawn->rows);
	map_free(&spawn->frame_of);
	*spawn = (struct spawn){0};
}
