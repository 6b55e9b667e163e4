/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The scope stacks of the replay, one a task: made when a task first has something to keep, gone when it ends. Only tasks that
 * are running or suspended have one, so that there are few at any time.
 */
#ifndef OTTER_BUILDER_REPLAY_FRAMES_H
#define OTTER_BUILDER_REPLAY_FRAMES_H

#include "builder/support/map.h"
#include "builder/replay/replay.h"

struct frame {
	uint32_t task;   /* 0 unknown */
	uint32_t stream; /* row: where it got its latest scope */
	uint32_t n_scopes;
	uint32_t scopes_capacity;
	uint32_t n_barriers;  /* implicit tasks: barriers begun so far, the closing one not counted */
	uint64_t last_work;   /* return address of the latest worksharing or taskloop region, 0 unknown */
	struct scope *scopes; /* innermost last; a place keeps its number, whichever scopes it holds one after the other */
};

struct frames {
	struct map by_key;
	struct frame **all; /* [0] unused, so that 0 in by_key is a new key */
	uint32_t n_all;
	size_t all_capacity;
	uint32_t *free_rows; /* has room for all */
	size_t free_rows_capacity;
	uint32_t n_free;
	uint32_t n_numbers; /* that scopes have so far */
};

/* What a frame is found by: its task, or the stream where no task is known. */
static inline uint64_t frames_key(uint32_t task, uint32_t stream)
{
	return task != 0 ? task : UINT64_C(1) << 32 | stream;
}

/* The frame of a task, made where it has none. Valid until frames_drop. */
struct frame *frames_get(struct frames *frames, uint32_t task, uint32_t stream);

/* The frame of a task, or NULL. */
struct frame *frames_find(const struct frames *frames, uint32_t task, uint32_t stream);

/* The task is over. */
void frames_drop(struct frames *frames, uint32_t task, uint32_t stream);

void frames_free(struct frames *frames);

/* A new innermost scope. Valid until the next push on the same frame. */
struct scope *frame_push(struct frames *frames, struct frame *frame, const struct scope *scope);

#endif
