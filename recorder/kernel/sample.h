/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Samples (OTTER_SAMPLE): each thread's state, by the runtime, at intervals. Each thread has timers, whose signal goes
 * to that thread alone; the handler queries the runtime for the thread's state and appends a record to the thread's
 * sample stream, which has a ring of its own beside that of the thread's events.
 *
 * The handler makes a system call only at a segment's end (signal masks, a futex), calls nothing of the runtime but
 * ompt_get_state, takes no lock, and keeps errno. It never writes a file: the drain thread writes the segments, and
 * while that thread is late samples are dropped and counted. Without OTTER_SAMPLE these functions do nothing.
 */
#ifndef OTTER_RECORDER_SAMPLE_H
#define OTTER_RECORDER_SAMPLE_H

struct session;
struct stream;

/* Part of struct session. */
struct sampling {
	int signal; /* of the timers; 0: nothing is sampled */
};

/* Finds a signal, installs the handler, and writes to meta how samples are taken, or why they are not. To be called for
 * each session, before its first stream. */
void sample_setup(struct session *session);

/* Starts the timers of the calling thread, which has just taken the stream. It may make the sample stream, so only the
 * path of a thread's first event may call it. */
void sample_begin(struct stream *stream);

/* Stops the timers of the calling thread, which is about to release the stream: after that no sample is taken. */
void sample_end(struct stream *stream);

#endif
