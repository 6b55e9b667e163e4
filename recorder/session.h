/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The session: what a process records into. One process has one; a forked child begins its own. It holds the settings, the dump's directory,
 * the registry of streams and whether recording is on.
 *
 * Created by the tool's start (or by a forked child's first event), ended by finalize or the library's destructor, after which it still
 * takes events: other threads may live on. Never freed.
 */
#ifndef OTTER_RECORDER_SESSION_H
#define OTTER_RECORDER_SESSION_H

#include <pthread.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/clock.h"
#include "common/event.h"
#include "common/format.h"
#include "recorder/compiler.h"
#include "recorder/config.h"
#include "recorder/output.h"

struct devices;
struct stream;

#define SESSION_NOTES_MAX 8

struct session {
	struct config config;
	char dir[PATH_MAX];      /* the dump */
	char ring_dir[PATH_MAX]; /* where its rings are: the dump, or a directory of its own */
	struct clock_triple start;
	uint32_t shift;        /* log2(config.segment_bytes) */
	uint32_t n_processors; /* 1 at least; asked once, as that takes a kilobyte of stack */
	bool has_drain_thread; /* or will have, from the first full segment on */
	int sample_signal;     /* the timers', 0: nothing is sampled */
	bool is_of_parent;     /* in a forked child: whoever was at it goes on, but nothing leaves this memory */

	/* Written by any thread, each alone on its line. */
	alignas(CACHE_LINE_BYTES) uint32_t n_streams;
	alignas(CACHE_LINE_BYTES) uint32_t n_free_streams; /* a hint: are there any? */
	uint32_t spare_number;                             /* of a stream that could not be made, plus 1; 0: none */
	uint64_t refuses_until_ns;                         /* a ring could not be made: nobody tries before */
	uint32_t noted_refusals;                           /* bits: loss_cause; meta says it once */
	uint32_t refuses_timers;                           /* a thread is not sampled, and meta says so */
	const char *unwritten_notes[SESSION_NOTES_MAX];    /* meta could not be written when they came: meta_end() tries again */
	bool is_awaiting_finalize; /* OpenMP's, which may come behind the destructor where this library was preloaded */
	uint32_t is_ended;         /* finalize or the destructor has been here */
	uint32_t stop_cause;       /* loss_cause; 0: not stopped */
	uint64_t n_flushes;        /* omp_control_tool(flush) */
	alignas(CACHE_LINE_BYTES) uint64_t n_bytes;       /* written or about to be */
	alignas(CACHE_LINE_BYTES) uint64_t n_overwritten; /* records, OTTER_KEEP=newest */
	alignas(CACHE_LINE_BYTES) uint32_t drain_sleeps;  /* futex: 1 while the drain thread sleeps or is about to */
	uint32_t is_drain_started;
	uint32_t is_drain_running; /* it is there, and drain_thread is it */
	uint32_t must_drain_end;
	pthread_t drain_thread;
	struct output_file drain_file; /* drain.seg: the drain thread's */
	uint64_t maps_hash;
	uint64_t maps_checked_ns;
	uint32_t n_streams_at_end;
	struct devices *devices; /* device.c: NULL until one comes that can be traced */

	alignas(CACHE_LINE_BYTES) struct stream *streams[ID_STREAM_MAX + 1]; /* by number; only touched pages exist */
};

/* Numbers given so far, but for those of samples; a stream may be missing (not there yet, or could not be made). */
static inline uint32_t session_n_streams(struct session *session)
{
	uint32_t n = __atomic_load_n(&session->n_streams, __ATOMIC_RELAXED);
	return n > ID_STREAM_SAMPLES ? ID_STREAM_SAMPLES : n;
}

static inline struct stream *session_stream(struct session *session, uint32_t number)
{
	return __atomic_load_n(&session->streams[number], __ATOMIC_ACQUIRE); /* S2: pairs with S1 in stream_create */
}

/* NULL before the first event that counts, in a forked child too. */
struct session *session_get(void);

/* From now on that is the process's session; NULL: it has none. */
void session_set(struct session *session);

/* Losses that no stream can count. Of the process, as they happen without a session too. */
extern HIDDEN uint64_t session_lost_no_stream;
extern HIDDEN uint64_t session_lost_reentry;

#endif
