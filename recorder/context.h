/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Asks the runtime what the calling thread is doing. Only slow paths and the handler of samples ask: elsewhere the
 * stream knows it from its own records. tool.c finds the entry points when the runtime initialises the tool; all else
 * is called on any thread.
 */
#ifndef OTTER_RECORDER_CONTEXT_H
#define OTTER_RECORDER_CONTEXT_H

#include "recorder/stream.h"

/* The type ompt_function_lookup_t, for files that do not include omp-tools.h. */
typedef void (*context_lookup(const char *name))(void);

/* Finds the runtime's entry points. Called before the first callback is registered, and again when a runtime starts
 * again. */
void context_find(context_lookup *lookup);

/* Returns the current task and region; 0 where the runtime does not know one or where it has no id. Safe in signal
 * handlers, as the runtime's entry point is. */
struct stream_context context_ask(void);

/* Returns the calling thread's state (thread_state of events.def, or one of the runtime's own), and in `wait_id` what
 * it waits for. Returns thread_state_undefined where the runtime has no such entry point. Safe in signal handlers, as
 * the runtime's entry point is. */
unsigned state_ask(uint64_t *wait_id);

#endif
