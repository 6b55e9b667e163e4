/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Attributes the time on the critical path: explicit tasks and units get their own. What an implicit task executed in a
 * worksharing construct is attributed to that construct, and the rest to the region.
 */
#include "builder/graph/path.h"
#include "builder/callpaths/tree.h"
#include "builder/support/memory.h"

#include <stdlib.h>

/* Where the worksharing constructs of a stream are read. The nodes of the path follow each other in time. */
struct worksharing_cursor {
	struct series_reader reader;
	uint64_t ticks; /* up to there it was read */
	bool is_open;
};

static int open_cursor(struct worksharing_cursor *cursor, const struct callpath_tree *tree, uint32_t stream, uint64_t ticks)
{
	if (cursor->is_open && ticks >= cursor->ticks)
		return 0;
	if (cursor->is_open)
		series_close(&cursor->reader);
	cursor->is_open = series_open(&cursor->reader, &tree->streams[stream].order, &tree->spill, ticks) == 0;
	return cursor->is_open ? 0 : -1;
}

/*
 * Shares the work of a node out by how long its task was in each construct, from the node's begin to its end. *left is what
 * was in no construct. Returns 0, or -1 with the error printed.
 */
static int share_out(struct callpath_tree *tree, struct worksharing_cursor *cursor, const struct node_view *view, uint64_t *left)
{
	const struct callpath_stream *s = &tree->streams[view->stream];
	uint64_t begin = view->begin_ticks, end = view->end_ticks;
	double rate = (double)*left / (double)(end - begin);
	while (cursor->reader.next_ticks <= begin)
		if (series_next(&cursor->reader) != 0)
			return -1;
	for (uint64_t ticks = begin; ticks < end;) {
		uint64_t until = cursor->reader.next_ticks < end ? cursor->reader.next_ticks : end;
		uint64_t part = (uint64_t)((double)(until - ticks) * rate);
		const struct share *share = cursor->reader.value != 0 ? &s->shares[cursor->reader.value - 1] : NULL;
		part = part < *left ? part : *left;
		if (share != NULL && share->node == tree->node_of_task[view->task]) {       /* else of a region around */
			uint32_t step = callpath_step(tree, share->node, share->construct); /* may move the nodes */
			tree->nodes[step].path_ticks += part;
			*left -= part;
		}
		ticks = until;
		if (until < end && series_next(&cursor->reader) != 0)
			return -1;
	}
	cursor->ticks = end;
	return 0;
}

static int add_task(struct callpath_tree *tree, struct worksharing_cursor *cursors, const struct node_view *view)
{
	const struct task *task = &tree->model->tasks[view->task];
	uint64_t left = view->busy_ticks;
	if (view->task == 0 || (view->id != view->task && view->kind != NODE_FRAGMENT))
		return 0;
	if (!task_is_explicit(task) && view->stream < tree->model->dump->n_streams && view->end_ticks > view->begin_ticks &&
	    left != 0) {
		struct worksharing_cursor *cursor = &cursors[view->stream];
		if (open_cursor(cursor, tree, view->stream, view->begin_ticks) != 0 || share_out(tree, cursor, view, &left) != 0)
			return -1;
	}
	tree->nodes[tree->node_of_task[view->task]].path_ticks += left;
	return 0;
}

static void add_unit(struct callpath_tree *tree, const struct node_view *view)
{
	bool is_wait = view->kind == NODE_UNIT_JOIN || view->kind == NODE_UNIT_WAIT;
	if (!is_wait && view->unit->kind != UNIT_SCHEDULER)
		tree->nodes[tree->node_of_unit[view->unit - tree->model->units]].path_ticks += view->busy_ticks;
}

int callpath_add_path(struct callpath_tree *tree, const struct graph *graph)
{
	const struct path *path = graph != NULL ? graph->path : NULL;
	tree->has_path = tree->has_order && path != NULL && path->bound != PATH_UNKNOWN;
	if (!tree->has_path)
		return 0;
	size_t n_streams = tree->model->dump->n_streams;
	struct worksharing_cursor *cursors = memory_zeroed(n_streams + 1, sizeof *cursors, "the critical path");
	int rc = 0;
	for (uint32_t i = 0; i < path->n_nodes && rc == 0; i++) {
		struct node_view view = graph_node(graph, path->nodes[i]);
		if (view.unit != NULL)
			add_unit(tree, &view);
		else
			rc = add_task(tree, cursors, &view);
	}
	for (size_t i = 0; i < n_streams; i++)
		if (cursors[i].is_open)
			series_close(&cursors[i].reader);
	free(cursors);
	return rc;
}
