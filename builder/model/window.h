/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The part of a process's time that outputs are about (--from, --to): run.c sets it in the model before the replay.
 * Whatever shows times or adds them up asks here how much of them is in the part. Constant during the replay; any thread.
 */
#ifndef OTTER_BUILDER_MODEL_WINDOW_H
#define OTTER_BUILDER_MODEL_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From `from` on and before `to`, in ticks. Where it is no part, all of the time. */
struct window {
	bool is_part;
	uint64_t from, to;
};

/* Has the part none of the process's time? */
static inline bool window_is_empty(const struct window *window)
{
	return window->is_part && window->from == window->to;
}

/* The time of the part that is nearest. */
static inline uint64_t window_clip(const struct window *window, uint64_t ticks)
{
	if (!window->is_part)
		return ticks;
	return ticks < window->from ? window->from : ticks > window->to ? window->to : ticks;
}

/* How much of this time is in the part. */
static inline uint64_t window_ticks(const struct window *window, uint64_t since, uint64_t until)
{
	uint64_t begin = window_clip(window, since), end = window_clip(window, until);
	return end > begin ? end - begin : 0;
}

/* Is some of this time in the part? What takes no time is in it if it is not at its end. */
static inline bool window_meets(const struct window *window, uint64_t since, uint64_t until)
{
	return !window->is_part || (since < window->to && (until > window->from || since >= window->from));
}

#endif
