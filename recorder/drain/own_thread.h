/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The recorder's own threads in the program's process: they take none of its signals, keep none of its descriptors, and
 * run on all processors that the process may use.
 */
#ifndef OTTER_RECORDER_OWN_THREAD_H
#define OTTER_RECORDER_OWN_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Notes on which processors the process may run. To be called before a runtime binds the thread that will start ours. */
void own_thread_prepare(void);

/* Returns the number of these processors; 0: not known. */
uint32_t own_thread_processors(void);

/* Starts a thread with a small stack that takes none of the program's signals. False: it could not be started. */
bool own_thread_start(pthread_t *thread, void *(*main)(void *), void *argument);

/* To be called first by each such thread. Gives it its name, the processors of the process, and an empty table of
 * descriptors. */
void own_thread_begin(const char *name);

/* The processor time that a thread of the process has taken so far; 0: it has ended. */
uint64_t own_thread_processor_ns(uint32_t tid);

/* Sleeps on a futex as long as it has this value, for `ns` at most. False: that time has passed. */
bool own_thread_sleep(uint32_t *futex, uint32_t value, uint64_t ns);

/* Wakes the thread that sleeps there. */
void own_thread_wake(uint32_t *futex);

#endif
