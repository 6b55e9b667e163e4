/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The scope stacks of the replay, one for each task. A frame is made when a task first has something to keep, and
 * dropped when the task ends. So only tasks that run or are suspended have one, and there are few at any time. Used by
 * the files of replay/, on the thread that replays.
 */
#ifndef OTTER_BUILDER_REPLAY_FRAMES_H
#define OTTER_BUILDER_REPLAY_FRAMES_H

#include "builder/support/map.h"
#include "builder/replay/replay.h"

struct frame {
	uint32_t task;   /* 0 unknown */
	uint32_t stream; /* row of the stream in which it got its latest scope */
	uint32_t n_scopes;
	uint32_t scopes_capacity;
	uint32_t n_barriers;  /* of an implicit task: barriers that began so far, without the closing one */
	uint64_t last_work;   /* return address of the worksharing or taskloop region that began last, 0 unknown */
	struct scope *scopes; /* innermost last; an element keeps its `number` for the next scope in its place */
};

struct frames {
	struct map by_key;
	struct frame **all; /* [0] unused, so that 0 in by_key is a new key */
	uint32_t n_all;
	size_t all_capacity;
	uint32_t *free_rows; /* of dropped frames; with room for all rows */
	size_t free_rows_capacity;
	uint32_t n_free;
	uint32_t n_numbers; /* of scopes, given out so far */
};

/* The key of a frame: its task, or its stream if the task is not known. */
static inline uint64_t frames_key(uint32_t task, uint32_t stream)
{
	return task != 0 ? task : UINT64_C(1) << 32 | stream;
}

/* The frame of a task, which is made if there is none. Valid until frames_drop(). */
struct frame *frames_get(struct frames *frames, uint32_t task, uint32_t stream);

/* The frame of a task; NULL if there is none. Valid until frames_drop(). */
struct frame *frames_find(const struct frames *frames, uint32_t task, uint32_t stream);

/* The task has ended: its frame is free for another one. */
void frames_drop(struct frames *frames, uint32_t task, uint32_t stream);

void frames_free(struct frames *frames);

/* Adds a scope as the innermost one. The result is valid until the next push on the same frame. */
struct scope *frame_push(struct frames *frames, struct frame *frame, const struct scope *scope);

#endif
