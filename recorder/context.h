/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the runtime says the calling thread is doing: for the slow paths, where the stream's own records do not tell.
 */
#ifndef OTTER_RECORDER_CONTEXT_H
#define OTTER_RECORDER_CONTEXT_H

#include "recorder/stream.h"

/* An ompt_function_lookup_t, for those that do not see omp-tools.h. */
typedef void (*context_lookup(const char *name))(void);

/* Finds the runtime's entry points. Before the first callback is registered; again where a runtime starts again. */
void context_find(context_lookup *lookup);

/* The current task and region, 0 where the runtime does not know or no id was given. Signal-safe, as the runtime's entry point is. */
struct stream_context context_ask(void);

/* What the runtime says the calling thread's state is (thread_state of events.def, or one of its own), and what it waits for. Signal-safe, as the
 * runtime's entry point is. thread_state_undefined where there is none. */
unsigned state_ask(uint64_t *wait_id);

#endif
