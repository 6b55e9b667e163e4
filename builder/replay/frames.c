/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The scopes of a stream's tasks: see frames.h.
 */
#include "builder/replay/frames.h"
#include "builder/support/array.h"

/*
 * How many frames are searched for a task that resumes although its frame is not the last one. In programs these are tasks
 * that had no frame; a deeper stack is not worth the search.
 */
#define SEARCHED 64

void frames_begin(struct frames *frames, uint32_t stream, uint32_t n_streams)
{
	*frames = (struct frames){.stream = stream, .n_streams = n_streams};
	array_reserve(frames->scopes, 1, frames->scopes_capacity); /* frame_scopes() adds to it */
	array_push(frames->stack, frames->n, frames->capacity, (struct frame){0});
}

struct frame *frame_make(struct frames *frames, uint32_t task)
{
	struct frame *frame = frames->free;
	if (frame != NULL)
		frames->free = frame->next;
	else
		frame = memory_zeroed(1, sizeof *frame, "the scopes of a task");
	*frame = (struct frame){.task = task, .own = frame->own, .own_capacity = frame->own_capacity, .is_own = true};
	return frame;
}

void frame_drop(struct frames *frames, struct frame *frame)
{
	frame->next = frames->free;
	frames->free = frame;
}

void frames_free(struct frames *frames)
{
	for (size_t i = 0; i < frames->n_own; i++)
		frame_drop(frames, frames->own[i]);
	for (struct frame *frame = frames->free, *next; frame != NULL; frame = next) {
		next = frame->next;
		free(frame->own);
		free(frame);
	}
	free(frames->own);
	free(frames->stack);
	free(frames->scopes);
	map_free(&frames->own_rows);
	*frames = (struct frames){0};
}

void frames_start_more(struct frames *frames, uint32_t task)
{
	array_reserve(frames->stack, frames->n + 1, frames->capacity);
	frames_start(frames, task);
}

/* ---- Frames of their own ---- */

static struct frame *find_own(const struct frames *frames, uint32_t task)
{
	const uint32_t *row = map_get(&frames->own_rows, task);
	return row != NULL ? frames->own[*row - 1] : NULL;
}

static struct frame *get_own(struct frames *frames, uint32_t task)
{
	uint32_t *row = map_put(&frames->own_rows, task);
	array_push_new(frames->own, frames->n_own, frames->own_capacity, row, frame_make(frames, task));
	return frames->own[*row - 1];
}

/* The stack does not show the order in which tasks resume: from here on each has a frame of its own. */
static void scatter(struct frames *frames)
{
	for (size_t i = 0; i < frames->n; i++) {
		const struct frame *from = &frames->stack[i];
		if (i > 0 && from->n_scopes == 0 && from->n_barriers == 0 && from->last_work == 0)
			continue;
		struct frame *to = get_own(frames, from->task);
		for (uint32_t j = 0; j < from->n_scopes; j++)
			frame_push(frames, to, &frames->scopes[from->first + j])->number = frames->scopes[from->first + j].number;
		to->n_barriers = from->n_barriers;
		to->last_work = from->last_work;
	}
	frames->is_scattered = true;
	frames->n = 1;
	frames->stack[0].n_scopes = 0;
}

struct frame *frames_other(struct frames *frames, uint32_t task, bool is_own, bool makes)
{
	if (!is_own && !frames->is_scattered) {
		size_t n = frames->n;
		while (n > 0 && frames->n - n < SEARCHED && frames->stack[n - 1].task != task)
			n--;
		if (n == 0 && !makes)
			return NULL;
		if (n == 0) {
			frames_start(frames, task);
			return &frames->stack[frames->n - 1];
		}
		scatter(frames);
	}
	return makes ? get_own(frames, task) : find_own(frames, task);
}

void frames_drop_other(struct frames *frames, uint32_t task, bool is_own)
{
	const struct frame *frame = frames_other(frames, task, is_own, false);
	if (frame == NULL)
		return;
	uint32_t row = *map_get(&frames->own_rows, task), last = (uint32_t)frames->n_own--;
	map_remove(&frames->own_rows, task);
	frame_drop(frames, frames->own[row - 1]);
	if (row == last)
		return;
	frames->own[row - 1] = frames->own[last - 1];
	*map_put(&frames->own_rows, frames->own[row - 1]->task) = row;
}

/*
 * Makes room for one more scope, and returns its place. A place keeps its number: even ones are of the stack, odd ones of
 * frames of their own, and each stream has numbers that no other one has.
 */
static struct scope *push_own(struct frames *frames, struct frame *frame)
{
	if (frame->n_scopes == frame->own_capacity) {
		uint32_t capacity = frame->own_capacity != 0 ? frame->own_capacity * 2 : 4;
		frame->own = memory_grow(frame->own, capacity, sizeof *frame->own, "the scopes of a task");
		for (uint32_t i = frame->own_capacity; i < capacity; i++)
			frame->own[i].number = (2 * frames->n_own_numbers++ + 1) * frames->n_streams + frames->stream;
		frame->own_capacity = capacity;
	}
	return &frame->own[frame->n_scopes++];
}

static struct scope *push_stack(struct frames *frames, struct frame *frame)
{
	uint32_t place = frame->first + frame->n_scopes++;
	array_reserve(frames->scopes, place + (size_t)1, frames->scopes_capacity);
	frames->scopes[place].number = 2 * place * frames->n_streams + frames->stream;
	return &frames->scopes[place];
}

struct scope *frame_push(struct frames *frames, struct frame *frame, const struct scope *scope)
{
	struct scope *pushed = frame->is_own ? push_own(frames, frame) : push_stack(frames, frame);
	uint32_t number = pushed->number;
	*pushed = *scope;
	pushed->number = number;
	return pushed;
}
