/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whose the time on the critical path is: that of explicit tasks is their construct's. What an implicit task executed in a
 * worksharing construct is that one's, and the rest is the region's. Called by figures.c, on one thread.
 */
#include "builder/answer/figures.h"
#include "builder/graph/path.h"
#include "builder/support/memory.h"

#include <stdlib.h>

/* Where the worksharing constructs of a stream are read. The nodes of the path follow each other in time. */
struct worksharing_cursor {
	struct series_reader reader;
	uint64_t ticks; /* up to there it was read */
	bool is_open;
};

static int open_cursor(struct worksharing_cursor *cursor, const struct track *track, uint32_t stream, uint64_t ticks)
{
	if (cursor->is_open && ticks >= cursor->ticks)
		return 0;
	if (cursor->is_open)
		series_close(&cursor->reader);
	cursor->is_open = series_open(&cursor->reader, &track->streams[stream].worksharing, &track->aside, ticks) == 0;
	return cursor->is_open ? 0 : -1;
}

/*
 * Shares `work` out, which was executed from `begin` to `end`, by how long the thread was in each construct. Returns what is
 * left, of none; UINT64_MAX if the file cannot be read, with the error printed.
 */
static uint64_t share_out(struct worksharing_cursor *cursor, struct figure *figures, const uint32_t *same, uint64_t begin,
			  uint64_t end, uint64_t work)
{
	uint64_t left = work;
	double rate = end > begin ? (double)work / (double)(end - begin) : 0;
	while (cursor->reader.next_ticks <= begin)
		if (series_next(&cursor->reader) != 0)
			return UINT64_MAX;
	for (uint64_t ticks = begin; ticks < end;) {
		uint64_t until = cursor->reader.next_ticks < end ? cursor->reader.next_ticks : end;
		uint64_t part = (uint64_t)((double)(until - ticks) * rate);
		part = part < left ? part : left;
		if (cursor->reader.value != 0) {
			figures[same[cursor->reader.value]].path_ticks += part;
			left -= part;
		}
		ticks = until;
		if (until < end && series_next(&cursor->reader) != 0)
			return UINT64_MAX;
	}
	cursor->ticks = end;
	return left;
}

static int add_node(struct figure *figures, const struct net *net, const struct track *track, struct worksharing_cursor *cursors,
		    uint32_t node)
{
	uint64_t work = net_work(net, node);
	const struct task *task = &net->graph->model->tasks[net_task(net, node)];
	if (!net_is_explicit(net, node) && (task->state & TASK_STARTED) && task->run_stream < track->n_streams) {
		struct worksharing_cursor *cursor = &cursors[task->run_stream];
		if (open_cursor(cursor, track, task->run_stream, net_begin(net, node)) != 0)
			return -1;
		work = share_out(cursor, figures, net->same, net_begin(net, node), net_end(net, node), work);
	}
	if (work == UINT64_MAX)
		return -1;
	figures[net_task_construct(net, node)].path_ticks += work;
	return 0;
}

int path_shares_add(struct figure *figures, const struct net *net, const struct track *track)
{
	const struct path *path = net->graph->path;
	struct worksharing_cursor *cursors = memory_zeroed(track->n_streams + 1, sizeof *cursors, "the critical path");
	int rc = 0;
	for (uint32_t i = 0; path != NULL && i < path->n_nodes && rc == 0; i++)
		if (net_executes(net, path->nodes[i]))
			rc = add_node(figures, net, track, cursors, path->nodes[i]);
	for (size_t i = 0; i < track->n_streams; i++)
		if (cursors[i].is_open)
			series_close(&cursors[i].reader);
	free(cursors);
	return rc;
}
