/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Queries the runtime for the calling thread's task, region and state. Only slow paths and the handler of samples do
 * so: elsewhere the stream knows them by its own records. The entry points are found when the runtime initialises the
 * tool; all other functions run on any thread.
 */
#ifndef OTTER_RECORDER_CONTEXT_H
#define OTTER_RECORDER_CONTEXT_H

#include "recorder/ring/stream.h"

/* The type ompt_function_lookup_t, for files that do not include omp-tools.h. */
typedef void (*context_lookup(const char *name))(void);

/* Finds the runtime's entry points. To be called before the first callback is registered, and again when a runtime
 * starts again. */
void context_find(context_lookup *lookup);

/* Returns the current task and region; 0 where the runtime knows none or where it has no id. Safe in signal handlers,
 * as the runtime's entry point is. */
struct stream_context context_query(void);

/* Returns the calling thread's state (thread_state of events.def, or one of the runtime's own), and its wait id.
 * Returns thread_state_undefined where the runtime has no such entry point. Safe in signal handlers, as the runtime's
 * entry point is. */
unsigned state_query(uint64_t *wait_id);

#endif
