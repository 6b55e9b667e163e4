/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads of the recorder's own in the program's process: how they are made, and how they keep out of the program's way.
 * Used by drain.c and watch.c.
 */
#ifndef OTTER_RECORDER_OWN_THREAD_H
#define OTTER_RECORDER_OWN_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Remembers, among others, on which processors the process may run. Called before a runtime binds the thread that will
 * start ours. */
void own_thread_prepare(void);

/* How many these are; 0: not known. */
uint32_t own_thread_processors(void);

/* Starts a thread with a small stack that takes none of the program's signals. False: it could not be started. */
bool own_thread_start(pthread_t *thread, void *(*main)(void *), void *argument);

/* Called first by each such thread. Gives it its name, the processors of the process, and no descriptors. */
void own_thread_begin(const char *name);

#endif
