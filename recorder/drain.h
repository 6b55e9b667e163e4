/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The drain thread: takes full segments of all streams, writes them to its own file, gives them back.
 * One a session, of idle priority: it takes idle processors and nothing else. Nobody waits for it, but a process's last other thread when
 * that has exited.
 */
#ifndef OTTER_RECORDER_DRAIN_H
#define OTTER_RECORDER_DRAIN_H

#include <stdbool.h>

#include "recorder/compiler.h"

struct session;

/* Remembers on which processors the process may run, before a runtime binds the thread that will start the drain thread. */
void drain_remember_affinity(void);

/* There may be work: any thread, after it has published that work. The first call starts the thread: a program that never fills a segment has
 * none, and need not wait at its end until one of idle priority has had its turn to die. Where it cannot be started, producers drain
 * themselves. */
void drain_wake(struct session *session);

/* The calling thread exits, and does nothing more. Where main has called pthread_exit, a process lives until its last thread ends: if only the
 * drain thread is left, that ends now, and this waits for it, so that the end of the process (exit handlers, finalize) is the calling
 * thread's, as it would be without us. */
void drain_thread_exits(struct session *session);

/* One look at every stream; true where there was something to do. The drain thread's, and that of tests in its place. */
bool drain_round(struct session *session);

#endif
