/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Scope stacks by task. Dropped frames are used again, with the memory of their scopes.
 */
#include "builder/replay/frames.h"

#include <stdlib.h>

struct frame *frames_find(const struct frames *frames, uint32_t task, uint32_t stream)
{
	const uint32_t *row = map_get(&frames->by_key, frames_key(task, stream));
	return row != NULL && *row != 0 ? frames->all[*row] : NULL;
}

static uint32_t new_row(struct frames *frames)
{
	if (frames->n_free > 0)
		return frames->free_rows[--frames->n_free];
	if (frames->n_all + 1 >= frames->all_capacity) {
		uint32_t capacity = frames->all_capacity ? frames->all_capacity * 2 : 64;
		struct frame **all = realloc(frames->all, capacity * sizeof *all);
		if (all != NULL)
			frames->all = all;
		uint32_t *free_rows = realloc(frames->free_rows, capacity * sizeof *free_rows);
		if (free_rows != NULL)
			frames->free_rows = free_rows;
		if (all == NULL || free_rows == NULL)
			return 0;
		frames->all_capacity = capacity;
	}
	struct frame *frame = calloc(1, sizeof *frame);
	if (frame == NULL)
		return 0;
	frames->all[++frames->n_all] = frame;
	return frames->n_all;
}

struct frame *frames_get(struct frames *frames, uint32_t task, uint32_t stream)
{
	uint32_t *row = map_put(&frames->by_key, frames_key(task, stream));
	if (row == NULL)
		return NULL;
	if (*row == 0) {
		*row = new_row(frames);
		if (*row == 0)
			return NULL;
		struct frame *frame = frames->all[*row];
		frame->task = task;
		frame->stream = stream;
		frame->n_scopes = frame->n_barriers = 0;
		frame->last_work = 0;
	}
	return frames->all[*row];
}

void frames_drop(struct frames *frames, uint32_t task, uint32_t stream)
{
	const uint32_t *row = map_get(&frames->by_key, frames_key(task, stream));
	if (row == NULL || *row == 0)
		return;
	frames->all[*row]->n_scopes = 0;
	frames->free_rows[frames->n_free++] = *row;
	map_remove(&frames->by_key, frames_key(task, stream));
}

void frames_free(struct frames *frames)
{
	for (uint32_t i = 1; i <= frames->n_all; i++) {
		free(frames->all[i]->scopes);
		free(frames->all[i]);
	}
	free(frames->all);
	free(frames->free_rows);
	map_free(&frames->by_key);
	*frames = (struct frames){0};
}

struct scope *frame_push(struct frames *frames, struct frame *frame, const struct scope *scope)
{
	if (frame->n_scopes == frame->scopes_capacity) {
		uint32_t capacity = frame->scopes_capacity ? frame->scopes_capacity * 2 : 8;
		struct scope *scopes = realloc(frame->scopes, capacity * sizeof *scopes);
		if (scopes == NULL)
			return NULL;
		frame->scopes = scopes;
		for (uint32_t i = frame->scopes_capacity; i < capacity; i++)
			scopes[i].number = frames->n_numbers++;
		frame->scopes_capacity = capacity;
	}
	struct scope *pushed = &frame->scopes[frame->n_scopes++];
	uint32_t number = pushed->number;
	*pushed = *scope;
	pushed->number = number;
	return pushed;
}
