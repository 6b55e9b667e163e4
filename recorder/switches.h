/* SPDX-License-Identifier: BSD-3-Clause
 *
 * When each thread had no processor, and why: the kernel records the context switches of a thread (one software event
 * of perf) into memory that it shares with this process, and the thread that drains copies them from there into the stream of
 * switches, which all threads share. Nothing is added to what a callback does.
 *
 * That is the drain thread, or, without one, a thread that writes a segment itself; and each thread drains its own at
 * its end. One of them at a time owns the stream of switches. A thread that finds it owned by another does not wait: what
 * it would have copied stays where it is, also after the thread's end, for the next one that copies.
 *
 * Each switch costs the thread about a microsecond more than without the event. So for a thread with very many the
 * recording is paused, and resumed after a while, for longer each time: what it does meanwhile is told as unknown.
 *
 * Where the kernel refuses the event or its memory, it is asked at the same times how long the thread has run and has
 * waited for a processor (processor_time.h). session_life.c and stream_thread.c call these functions, and, through the
 * session's `look`, drain.c and segment.c.
 */
#ifndef OTTER_RECORDER_SWITCHES_H
#define OTTER_RECORDER_SWITCHES_H

#include <stdbool.h>

struct session;
struct stream;

/* Makes the stream of switches, if OTTER_EVENTS selects them. Called for each session, before its first stream. */
void switches_setup(struct session *session);

/* The calling thread has just taken the stream: from here on its switches are recorded. */
void switches_begin(struct stream *stream);

/* The calling thread gives the stream back, or ends the session: copies what is left of the stream's thread, and ends
 * its recording. */
void switches_end(struct stream *stream);

/* Copies what the kernel has recorded of all threads, if the last look is long enough ago. The drain thread calls it
 * whenever it wakes, with NULL. A thread whose segment is full calls it with its own stream and its signals held: it looks
 * only if the drain thread is late, or if there is none. Before that, the recording of its own switches is resumed if its
 * pause is over. */
void switches_look(struct session *session, struct stream *own_stream);

/* Looks for the last time, and seals the stream of switches. */
void switches_seal(struct session *session);

#endif
