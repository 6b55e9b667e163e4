/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The drain thread: it takes full segments of all streams, writes them to its own file and gives them back. A session
 * has one, which uses idle processors only (drain_idle.h). No thread waits for it, with one exception: when only
 * recorder threads are left besides it, the last thread of the program that exits waits for the drain thread.
 */
#ifndef OTTER_RECORDER_DRAIN_H
#define OTTER_RECORDER_DRAIN_H

#include <pthread.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#include "recorder/compiler.h"
#include "recorder/drain/output.h"

struct session;
struct stream;

/* Part of struct session. */
struct drain {
	alignas(CACHE_LINE_BYTES) uint32_t sleeps; /* a futex: 1 while the drain thread sleeps or is about to */
	bool has_thread;                           /* there is one, or will be when the first segment is full */
	uint32_t is_started;
	uint32_t is_running; /* 1: the thread exists, and `thread` is its handle */
	uint32_t must_end;
	pthread_t thread;
	/* Its number while it runs, else 0, and then the processor time that it took. Relaxed: only a figure depends on them. */
	uint32_t tid;
	uint64_t took_ns;
	uint64_t writes_since_ns; /* when the write began that is timed; 0: none (hang.h) */
	uint32_t is_file_taken;   /* 1: a thread has drain.seg (output.h) */
	uintptr_t sealer;         /* stream_self() of the thread that seals all streams, and has the file; 0: none */
	uint32_t pauses;          /* 1: a thread ends the session, and writes what there is */
	struct output_file file;  /* drain.seg: the thread that has taken it uses it */
};

/* Wakes the drain thread if it sleeps. Any thread may call it, after it has published work. The first call starts the
 * thread: where the first thread's switches are recorded, or when the first segment is full. Where no thread can be
 * started, the program's threads write their segments themselves. */
void drain_wake(struct session *session);

/* The same for a full segment of events, which a thread of the program may write as well: the drain thread is not woken
 * while it is away, nor before the stream has as many full segments as it writes at once. */
void drain_offer(struct session *session, const struct stream *stream);

/* While a thread ends the session, and writes what there is of all streams, the drain thread begins no write. */
void drain_pause(struct session *session);
void drain_resume(struct session *session);

/* To be called by a thread that exits, as its last act. After main has called pthread_exit, a process lives until its
 * last thread ends. If only the recorder's own threads are left, this function ends the drain thread and waits for it,
 * so that the end of the process (exit handlers, finalize) happens on the calling thread, as it would without the
 * recorder. */
void drain_thread_exits(struct session *session);

/* Writes one segment of each stream, or as many as are written at once. Returns true if there were any. For the drain
 * thread, and for tests that act in its place. */
bool drain_round(struct session *session);

#endif
