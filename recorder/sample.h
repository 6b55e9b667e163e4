/* SPDX-License-Identifier: BSD-3-Clause
 *
 * OTTER_SAMPLE: what the runtime says each thread is doing, at intervals. Timers of each thread, whose signal goes to that thread alone; the handler
 * asks the runtime for the thread's state and appends a record to the thread's sample stream, a ring of its own beside that of its events.
 *
 * The handler makes no system call but at a segment's end (signal masks, a futex), calls nothing of the runtime but ompt_get_state, takes nothing from
 * anybody, and keeps errno. It never writes to a file: segments are the drain thread's to write, and where that is behind samples are dropped
 * and counted. Without OTTER_SAMPLE nothing here does anything.
 */
#ifndef OTTER_RECORDER_SAMPLE_H
#define OTTER_RECORDER_SAMPLE_H

struct session;
struct stream;

/* Finds a signal and installs the handler, and says in meta how sampling is done, or why it is not. For each session, before its first stream. */
void sample_setup(struct session *session);

/* The calling thread has taken the stream: its timers start. Makes what it needs, so only where a thread's first event is recorded. */
void sample_begin(struct stream *stream);

/* The calling thread gives the stream back: no sample of it comes any more. */
void sample_end(struct stream *stream);

#endif
