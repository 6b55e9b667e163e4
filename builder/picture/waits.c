/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adds up how long each task waited: see waits.h, which names the callers.
 */
#include "builder/picture/waits.h"
#include "builder/support/memory.h"

#include <stdlib.h>

void waits_begin(struct waits *waits, const struct trace *trace, const struct states *states)
{
	*waits = (struct waits){trace, states, memory_zeroed(trace->model.n_tasks + (size_t)1, sizeof *waits->ticks, "pictures"),
				memory_zeroed(trace->dump.n_streams + (size_t)1, sizeof *waits->streams, "pictures")};
}

int waits_pass_state(struct waits *waits, uint32_t stream, enum state from, uint64_t since_ticks, uint64_t ticks)
{
	const struct window *window = &waits->trace->model.window;
	struct waits_stream *s = &waits->streams[stream];
	if (from >= STATE_WAIT_BARRIER && from <= STATE_WAIT_TARGET_UPDATE && window_meets(window, since_ticks, ticks))
		waits->ticks[s->task] += window_clip(window, ticks) - window_clip(window, since_ticks);
	s->task = states_current(waits->states, stream);
	return 0;
}

void waits_free(struct waits *waits)
{
	free(waits->ticks);
	free(waits->streams);
	*waits = (struct waits){0};
}
