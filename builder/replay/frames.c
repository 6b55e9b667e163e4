/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Scope stacks by task: see frames.h. A dropped frame is used again, with the memory of its scopes.
 */
#include "builder/replay/frames.h"
#include "builder/support/array.h"

struct frame *frames_find(const struct frames *frames, uint32_t task, uint32_t stream)
{
	const uint32_t *row = map_get(&frames->by_key, frames_key(task, stream));
	return row != NULL ? frames->all[*row] : NULL;
}

static uint32_t new_row(struct frames *frames)
{
	if (frames->n_free > 0)
		return frames->free_rows[--frames->n_free];
	size_t n = (size_t)frames->n_all + 2;
	array_reserve((void **)&frames->all, n, &frames->all_capacity, sizeof *frames->all);
	array_reserve((void **)&frames->free_rows, n, &frames->free_rows_capacity, sizeof *frames->free_rows);
	frames->all[++frames->n_all] = memory_zeroed(1, sizeof(struct frame), "the scopes of a task");
	return frames->n_all;
}

struct frame *frames_get(struct frames *frames, uint32_t task, uint32_t stream)
{
	uint32_t *row = map_put(&frames->by_key, frames_key(task, stream));
	if (*row == 0) {
		*row = new_row(frames);
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
	if (row == NULL)
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
		frame->scopes = memory_grow(frame->scopes, capacity, sizeof *frame->scopes, "the scopes of a task");
		for (uint32_t i = frame->scopes_capacity; i < capacity; i++)
			frame->scopes[i].number = frames->n_numbers++;
		frame->scopes_capacity = capacity;
	}
	struct scope *pushed = &frame->scopes[frame->n_scopes++];
	uint32_t number = pushed->number;
	*pushed = *scope;
	pushed->number = number;
	return pushed;
}
