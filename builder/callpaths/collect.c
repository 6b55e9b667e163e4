/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From the tree of a process to rows: see callpaths.h. Runs on one thread.
 */
#include "builder/callpaths/callpaths.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"
#include "builder/tables/row.h"
#include "builder/support/sort.h"

#include <stdlib.h>
#include <string.h>

#define WHAT "the paths of creation"

/* ---- Frames ---- */

/* The row of a frame, whose strings are copied. */
static uint32_t put_frame(struct callpaths *callpaths, const char *name, const char *file, unsigned line)
{
	uint64_t hash = hash_text(hash_on(hash_text(HASH_BEGIN + line, name), 0xff), file);
	for (;; hash++) {
		uint32_t *row = map_put(&callpaths->frame_of, hash);
		if (*row == 0) {
			array_push(callpaths->frames, callpaths->n_frames, callpaths->frames_capacity,
				   (struct callpath_frame){text_copy(name), text_copy(file), line});
			*row = (uint32_t)callpaths->n_frames;
			return *row - 1;
		}
		const struct callpath_frame *frame = &callpaths->frames[*row - 1];
		if (frame->line == line && strcmp(frame->name, name) == 0 && strcmp(frame->file, file) == 0)
			return *row - 1;
	}
}

/* The label of a construct without a line, and of a unit, names the function already. */
uint32_t callpath_put_construct(struct callpaths *callpaths, const struct construct *construct)
{
	bool has_function = construct->line != 0 && construct->function[0] != '\0' && !construct_is_of_units(construct->kind);
	char *raw = has_function ? text_format("%s (%s)", construct->label, construct->function) : text_copy(construct->label);
	char *name = text_utf8(raw), *file = text_utf8(construct->file);
	uint32_t frame = put_frame(callpaths, name, file, construct->line);
	free(raw);
	free(name);
	free(file);
	return frame;
}

static uint32_t put_node_frame(struct callpaths *callpaths, const struct trace *trace, uint32_t construct)
{
	char name[32];
	switch (construct) {
	case CALLPATH_UNKNOWN: return put_frame(callpaths, "unknown creator", "", 0);
	case CALLPATH_OTHERS: return put_frame(callpaths, "other paths", "", 0);
	case CALLPATH_PROCESS:
		snprintf(name, sizeof name, "process %u", (unsigned)trace->process);
		return put_frame(callpaths, name, "", 0);
	default: return callpath_put_construct(callpaths, &trace->model.constructs[construct]);
	}
}

/* ---- Rows ---- */

/* A node on its way to a row. */
struct sorted_node {
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
 * Times in ns. The running sum over each construct's nodes is rounded, and a node gets the difference that it makes: so the
 * nodes add up to the rounded time of the construct.
 */
static void measure(struct sorted_node *items, const struct trace *trace, const struct callpath_tree *tree)
{
	const struct dump *dump = &trace->dump;
	struct sum *sums = memory_zeroed(trace->model.n_constructs, sizeof *sums, WHAT);
	for (uint32_t i = CALLPATH_ROOT; i < tree->n_nodes; i++) {
		const struct callpath_node *node = &tree->nodes[i];
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
	for (uint32_t i = tree->n_nodes; --i > CALLPATH_ROOT;)
		items[tree->nodes[i].parent].total_ns += items[i].total_ns;
}

/* Siblings together: the one with the largest total time first, then by name. */
static int by_time(const void *left, const void *right)
{
	const struct sorted_node *l = left, *r = right;
	return cmp(l->parent, r->parent) ?: cmp(r->total_ns, l->total_ns) ?: strcmp(l->name, r->name) ?: cmp(l->node, r->node);
}

/* parent: the row of the node above, whatever it is for a process. */
static void put_row(struct callpaths *callpaths, const struct trace *trace, const struct callpath_tree *tree,
		    const struct sorted_node *item, uint32_t parent)
{
	const struct callpath_node *node = &tree->nodes[item->node];
	bool has_construct = node->construct != 0 && node->construct < trace->model.n_constructs;
	array_push(callpaths->rows, callpaths->n_rows, callpaths->rows_capacity,
		   (struct callpath_row){.process = trace->process,
					 .parent = item->node == CALLPATH_ROOT ? (uint32_t)callpaths->n_rows : parent,
					 .depth = node->depth,
					 .frame = item->frame,
					 .construct = has_construct ? callpaths->n_constructs + node->construct : 0,
					 .model_row = has_construct ? node->construct : 0,
					 .count = node->count,
					 .own_ns = item->own_ns,
					 .total_ns = item->total_ns,
					 .path_ns = item->path_ns,
					 .has_path = tree->has_path});
}

/* The rows of all items, which are sorted, depth first. first: by node, of its children; the next node's ends them. */
static void put_rows(struct callpaths *callpaths, const struct trace *trace, struct callpath_tree *tree,
		     const struct sorted_node *items, const uint32_t *first)
{
	uint32_t *open = memory_get(tree->n_nodes, sizeof *open, WHAT), n_open = 0; /* by index of items */
	uint32_t *row_of = tree->row_of_node = memory_zeroed(tree->n_nodes, sizeof *row_of, WHAT);
	open[n_open++] = first[CALLPATH_NONE];
	while (n_open > 0) {
		const struct sorted_node *item = &items[open[--n_open]];
		row_of[item->node] = (uint32_t)callpaths->n_rows;
		put_row(callpaths, trace, tree, item, row_of[item->parent]);
		for (uint32_t child = first[item->node + 1]; child-- > first[item->node];)
			open[n_open++] = child;
	}
	free(open);
}

void callpath_collect(struct callpaths *callpaths, const struct trace *trace, struct callpath_tree *tree)
{
	uint32_t n = tree->n_nodes;
	struct sorted_node *items = memory_zeroed(n, sizeof *items, WHAT);
	uint32_t *first = memory_zeroed((size_t)n + 1, sizeof *first, WHAT);
	for (uint32_t i = CALLPATH_ROOT; i < n; i++) {
		items[i].node = i;
		items[i].parent = tree->nodes[i].parent;
		items[i].frame = put_node_frame(callpaths, trace, tree->nodes[i].construct);
		items[i].name = callpaths->frames[items[i].frame].name;
		first[items[i].parent + 1]++;
	}
	measure(items, trace, tree);
	sort_array(items + CALLPATH_ROOT, n - CALLPATH_ROOT, by_time);
	first[CALLPATH_NONE] = CALLPATH_ROOT; /* where the children of the first node begin */
	for (uint32_t i = 1; i <= n; i++)
		first[i] += first[i - 1];
	put_rows(callpaths, trace, tree, items, first);
	free(items);
	free(first);
	callpaths->n_constructs += trace->model.n_constructs - 1; /* row 0 is unknown */
	callpaths->n_processes++;
}

void callpath_free_rows(struct callpaths *callpaths)
{
	for (size_t i = 0; i < callpaths->n_frames; i++) {
		free(callpaths->frames[i].name);
		free(callpaths->frames[i].file);
	}
	free(callpaths->frames);
	free(callpaths->groups);
	free(callpaths->links);
	free(callpaths->singles);
	free(callpaths->single_links);
	free(callpaths->curves);
	free(callpaths->points);
	free(callpaths->rows);
	map_free(&callpaths->frame_of);
	*callpaths = (struct callpaths){0};
}

/* ---- spawn.csv ---- */

int callpath_csv(const struct callpaths *callpaths, const struct table_place *place)
{
	struct row_writer to;
	if (row_writer_open(&to, place, TABLE_spawn) != 0)
		return -1;
	for (size_t i = 0; i < callpaths->n_rows; i++) {
		const struct callpath_row *row = &callpaths->rows[i];
		row_put_u64(&to, i + 1);
		row_put_u64(&to, row->process);
		row_put_u64_if(&to, row->depth != 0, row->parent + UINT64_C(1));
		row_put_u64(&to, row->depth);
		row_put_u64_if(&to, row->construct != 0, row->construct);
		row_put_text(&to, callpaths->frames[row->frame].name);
		row_put_u64(&to, row->count);
		row_put_u64(&to, row->own_ns);
		row_put_u64(&to, row->total_ns);
		row_put_u64_if(&to, row->has_path, row->path_ns);
		row_end(&to);
	}
	return row_writer_close(&to);
}
