/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How long each task waited: its thread was in a state of waiting while the task was current. Used by dot.c, which hears of
 * the states; each stream's on its thread, and what is by task on the thread on which the task is current.
 */
#ifndef OTTER_BUILDER_PICTURE_WAITS_H
#define OTTER_BUILDER_PICTURE_WAITS_H

#include "builder/model/trace.h"
#include "builder/states/states.h"

struct waits {
	const struct trace *trace;
	const struct states *states;
	uint64_t *ticks; /* by row of model.tasks */
	struct waits_stream {
		uint32_t task;  /* that is in the state that the thread is in */
		char apart[60]; /* so that no two streams share a cache line */
	} * streams;            /* by row of dump.streams */
};

void waits_begin(struct waits *waits, const struct trace *trace, const struct states *states);
/* As struct state_listener has it. */
int waits_pass_state(struct waits *waits, uint32_t stream, enum state from, uint64_t since_ticks, uint64_t ticks);
void waits_free(struct waits *waits);

#endif
