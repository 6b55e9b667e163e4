/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The drain thread: it takes full segments of all streams, writes them to its own file and gives them back. A session
 * has one, which uses idle processors only (drain_idle.h). No thread waits for it, with one exception: the last other
 * thread of a process, when that thread has exited.
 */
#ifndef OTTER_RECORDER_DRAIN_H
#define OTTER_RECORDER_DRAIN_H

#include <stdbool.h>

#include "recorder/compiler.h"

struct session;

/* Tells the drain thread that there may be work. Any thread calls it, after it has published that work. The first call
 * starts the thread: where the first thread's switches are recorded, or when the first segment is full. Where no thread
 * can be started, the program's threads write their segments themselves. */
void drain_wake(struct session *session);

/* The same for a full segment of events, which a thread of the program may write as well: the drain thread is not woken
 * while it is away, nor as long as it waits for more segments of this stream. */
struct stream;
void drain_offer(struct session *session, const struct stream *stream);

/* The drain thread may wait where other threads may not: what cannot be written for lack of a descriptor or of memory
 * is tried again until it can be written, or until recording ends; then the sealing of the stream writes it. Waits for a
 * moment; false: it is not tried again. */
bool drain_may_wait(struct session *session);

/* Called by a thread that exits, as its last act. After main has called pthread_exit, a process lives until its last
 * thread ends. If only the drain thread is left, it is told to end and this function waits for it, so that the end of
 * the process (exit handlers, finalize) happens on the calling thread, as it would without the recorder. */
void drain_thread_exits(struct session *session);

/* Looks once at every stream and writes one segment of each. Returns true if there was something to do. For the drain
 * thread, and for tests that act in its place. */
bool drain_round(struct session *session);

#endif
