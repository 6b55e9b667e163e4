/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The watch: a thread of the recorder's own that notes, twenty times a second, which threads of the program are inside
 * of the recorder. A thread that was inside while it had no processor, by the kernel's records, and was not ready,
 * waited for the file system: its store into the ring was a page fault on a page that was being written back, or that
 * must not change (fsfreeze). No other source distinguishes that wait from one of the program's own: the kernel's
 * record of a switch has no address, and the append itself reads no clock after its stores.
 *
 * It is a thread of its own because it must touch no file: the drain thread may wait for the same file system, for as
 * long. The drain thread's start and end are also those of the watch.
 */
#ifndef OTTER_RECORDER_WATCH_H
#define OTTER_RECORDER_WATCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct session;
struct stream;

/* Part of struct session. */
struct watch {
	bool has_thread;   /* the watch exists, and `thread` is its handle; set before the drain thread exists */
	uint32_t must_end; /* a futex, on which the watch sleeps */
	pthread_t thread;
};

/* Starts the watch where switches are recorded. To be called by the thread that starts the drain thread, before that.
 * False: it could not be started. */
bool watch_start(struct session *session);

/* Ends the watch, and waits for it. That is short, as the watch touches no file. To be called at the end of the drain
 * thread, or if that could not be started. */
void watch_end(struct session *session);

/* Was the stream's thread seen inside of the recorder between these times, in ns of CLOCK_MONOTONIC, in which it had no
 * processor? For the owner of the stream of switches. */
bool watch_has_seen(const struct stream *stream, uint64_t begin_ns, uint64_t end_ns);

#endif
