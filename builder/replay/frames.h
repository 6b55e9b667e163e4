/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The scopes that are open in the tasks of one stream: a contiguous stack with a frame for each task that runs or is
 * suspended there. The current task's frame is the last one, as suspended tasks resume in the order of a stack.
 * Tasks for which that is not so (TASK_MARKED), and those that move between streams, have a frame of their own: the former
 * in a map here, the latter in handover.c. Where records contradict each other, every frame becomes one of its own.
 */
#ifndef OTTER_BUILDER_REPLAY_FRAMES_H
#define OTTER_BUILDER_REPLAY_FRAMES_H

#include "builder/support/map.h"
#include "builder/replay/replay.h"

struct frame {
	uint32_t task; /* 0 unknown */
	uint32_t n_scopes;
	uint32_t n_barriers; /* of an implicit task: barriers that began so far, without the closing one */
	uint32_t first;      /* where its scopes begin in frames.scopes; 0 for a frame of its own */
	uint64_t last_work;  /* return address of the worksharing or taskloop region that began last, 0 unknown */
	/* Only for a task with a frame of its own: */
	struct scope *own; /* NULL: its scopes are in frames.scopes, innermost last, or it never had one */
	uint32_t own_capacity;
	uint32_t stream; /* row of the stream in which it got its latest scope */
	bool is_own;
	struct frame *next; /* in the list of free frames */
};

struct frames {
	struct frame *stack; /* [0]: of the unknown task */
	size_t n, capacity;
	struct scope *scopes;
	size_t scopes_capacity;
	struct map own_rows; /* task -> index in `own` + 1 */
	struct frame **own;
	size_t n_own, own_capacity;
	struct frame *free; /* dropped frames: their scopes keep their numbers */
	bool is_scattered;  /* the stack is not used any more: every task has a frame of its own */
	uint32_t stream, n_streams;
	uint32_t n_own_numbers; /* numbers given out so far to scopes in frames of their own */
};

/* Initializes the frames of stream `stream` of n_streams. frames_free() frees them. */
void frames_begin(struct frames *frames, uint32_t stream, uint32_t n_streams);
void frames_free(struct frames *frames);

/* The scopes of a frame. Valid until the next push in this stream. */
static inline struct scope *frame_scopes(const struct frames *frames, const struct frame *frame)
{
	return frame->is_own ? frame->own : frames->scopes + frame->first;
}

/* The innermost scope of a frame that has one. */
static inline struct scope *frame_innermost(const struct frames *frames, const struct frame *frame)
{
	return frame_scopes(frames, frame) + frame->n_scopes - 1;
}

/* A task that is not to get a frame of its own begins above the current one: it gets the last frame of the stack. */
void frames_start_more(struct frames *frames, uint32_t task); /* where there is no room */
static inline void frames_start(struct frames *frames, uint32_t task)
{
	if (frames->n == frames->capacity) {
		frames_start_more(frames, task);
		return;
	}
	const struct frame *top = &frames->stack[frames->n - 1];
	frames->stack[frames->n++] = (struct frame){.task = task, .first = top->first + top->n_scopes};
}

/*
 * For tasks whose frame is not the last one of the stack, and that do not move. is_own: the task is to have a frame of
 * its own. makes: if there is none, makes one; otherwise NULL. A frame is valid until the next frame is made.
 */
struct frame *frames_other(struct frames *frames, uint32_t task, bool is_own, bool makes);

/* The last frame of the stack, if it is the task's; or NULL. */
static inline struct frame *frames_top(const struct frames *frames, uint32_t task)
{
	struct frame *top = &frames->stack[frames->n - 1];
	return top->task == task && !frames->is_scattered ? top : NULL;
}

/* The task has ended: its frame, which was not the last one of the stack, is dropped. It need not be there. */
void frames_drop_other(struct frames *frames, uint32_t task, bool is_own);

/* The task whose frame is the last one of the stack has ended. */
static inline void frames_pop(struct frames *frames)
{
	if (frames->n > 1)
		frames->n--;
	else
		frames->stack[0] = (struct frame){0};
}

/* Nothing is open in any task of the stream: drops what is left of the stack. */
static inline void frames_empty(struct frames *frames)
{
	while (frames->n > 1 && frames->stack[frames->n - 1].n_scopes == 0)
		frames->n--;
}

/* A frame of its own, which is in no list; and its end. It may be dropped in another stream. */
struct frame *frame_make(struct frames *frames, uint32_t task);
void frame_drop(struct frames *frames, struct frame *frame);

/* Adds a scope as the innermost one of a frame. The result is valid until the next push in the stream. */
struct scope *frame_push(struct frames *frames, struct frame *frame, const struct scope *scope);

#endif
