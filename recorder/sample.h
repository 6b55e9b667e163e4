/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Samples (OTTER_SAMPLE): what the runtime says each thread is doing, at intervals. Each thread has timers, whose
 * signal goes to that thread alone; the handler asks the runtime for the thread's state and appends a record to the
 * thread's sample stream, which has a ring of its own beside that of the thread's events.
 *
 * The handler makes a system call only at a segment's end (signal masks, a futex), calls nothing of the runtime but
 * ompt_get_state, takes no lock, and keeps errno. It never writes a file: the drain thread writes the segments, and
 * while that is late samples are dropped and counted. Without OTTER_SAMPLE nothing here does anything. session_life.c
 * and stream_thread.c call these functions.
 */
#ifndef OTTER_RECORDER_SAMPLE_H
#define OTTER_RECORDER_SAMPLE_H

struct session;
struct stream;

/* Finds a signal, installs the handler, and writes to meta how samples are taken, or why they are not. Called for each
 * session, before its first stream. */
void sample_setup(struct session *session);

/* Starts the timers of the calling thread, which has just taken the stream. Makes the sample stream if there is none;
 * so it is called only where a thread's first event is recorded. */
void sample_begin(struct stream *stream);

/* Stops the timers of the calling thread, which gives the stream back: no sample comes after that. */
void sample_end(struct stream *stream);

#endif
