/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What members of teams executed in worksharing constructs, and how often they took part in one, by the path on which they
 * were created. It is taken from the region's own time. Runs on one thread at a time, and when it is over.
 */
#include "builder/callpaths/tree.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"

#include <stdlib.h>

static uint64_t busy_now(const struct callpath_tree *tree, const struct point *at)
{
	return busy_until(&tree->states->busy, at->stream, at->task, window_clip(&tree->model->window, at->ticks));
}

static uint32_t share_row(struct callpath_stream *s, uint32_t node, uint32_t construct)
{
	uint32_t *row = map_put(&s->row_of, (uint64_t)node << 32 | construct);
	array_push_new(s->shares, s->n_shares, s->capacity, row, (struct share){.node = node, .construct = construct});
	return *row - 1;
}

/* From now on the thread's implicit task is in this construct. The length of a step is limited, so there may be several. */
static int pass(struct callpath_tree *tree, struct callpath_stream *s, uint64_t ticks)
{
	int64_t to = s->n_open > 0 ? (int64_t)s->open[s->n_open - 1].row + 1 : 0;
	int rc = 0;
	ticks = ticks > s->order.ticks ? ticks : s->order.ticks;
	while (tree->has_order && rc == 0 && s->order.value != to) {
		int64_t far = to - s->order.value;
		int64_t step = far > SERIES_STEP_MAX ? SERIES_STEP_MAX : far < -SERIES_STEP_MAX ? -SERIES_STEP_MAX : far;
		rc = series_step(&s->order, &tree->spill, ticks, s->order.value + step);
	}
	return rc;
}

static int scope_enter(void *self, const struct point *at, struct scope *scope)
{
	struct callpath_tree *tree = self;
	struct callpath_stream *s = &tree->streams[at->stream];
	if (!callpath_is_shared(tree->model, at, scope))
		return 0;
	uint32_t row = share_row(s, tree->node_of_task[at->task], tree->same[scope->construct]);
	array_push(s->open, s->n_open, s->open_capacity,
		   (struct open_share){at->task, scope->construct, row, busy_now(tree, at), 0});
	return pass(tree, s, at->ticks);
}

static int scope_leave(void *self, const struct point *at, struct scope *scope)
{
	struct callpath_tree *tree = self;
	struct callpath_stream *s = &tree->streams[at->stream];
	if (!callpath_is_shared(tree->model, at, scope))
		return 0;
	while (s->n_open > 0 && (s->open[s->n_open - 1].construct != scope->construct || s->open[s->n_open - 1].task != at->task))
		s->n_open--; /* whose end is missing */
	if (s->n_open == 0)
		return pass(tree, s, at->ticks);
	struct open_share *open = &s->open[--s->n_open], *around = s->n_open > 0 ? open - 1 : NULL;
	uint64_t ticks = busy_grown(&open->busy_ticks, busy_now(tree, at));
	struct share *share = &s->shares[open->row];
	share->count += window_meets(&tree->model->window, scope->enter_ticks, at->ticks);
	share->n_chunks += scope->chunks;
	share->ticks += ticks > open->inner_ticks ? ticks - open->inner_ticks : 0;
	if (around != NULL && around->task == at->task)
		around->inner_ticks += ticks;
	return pass(tree, s, at->ticks);
}

const struct replay_ops callpath_ops = {.scope_enter = scope_enter, .scope_leave = scope_leave, .is_by_stream = true};

int callpath_begin_shares(struct callpath_tree *tree, const char *dir)
{
	tree->streams = memory_zeroed(tree->model->dump->n_streams + 1, sizeof *tree->streams, "the call paths");
	tree->has_order = dir != NULL;
	return tree->has_order ? spill_open(&tree->spill, dir, "the paths of creation") : 0;
}

void callpath_add_shares(struct callpath_tree *tree)
{
	for (size_t i = 0; i < tree->model->dump->n_streams; i++) {
		const struct callpath_stream *s = &tree->streams[i];
		for (size_t j = 0; j < s->n_shares; j++) {
			const struct share *share = &s->shares[j];
			uint32_t node = callpath_step(tree, share->node, share->construct);
			uint64_t *around = &tree->nodes[share->node].own_ticks;
			uint64_t ticks = share->ticks < *around ? share->ticks : *around;
			*around -= ticks;
			tree->nodes[node].own_ticks += ticks;
			tree->nodes[node].count += share->count;
			tree->nodes[node].n_chunks += share->n_chunks;
		}
	}
}

void callpath_free_shares(struct callpath_tree *tree)
{
	for (size_t i = 0; tree->streams != NULL && i < tree->model->dump->n_streams; i++) {
		free(tree->streams[i].shares);
		map_free(&tree->streams[i].row_of);
		free(tree->streams[i].open);
		series_free(&tree->streams[i].order);
	}
	free(tree->streams);
	spill_close(&tree->spill);
}
