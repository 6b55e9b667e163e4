/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The session: what a process records into. A process has one; a forked child begins its own. It holds the settings,
 * the dump's directory, the table of streams, and what all threads share of recording.
 *
 * session_life.c makes it when a runtime starts (or at a forked child's first event) and ends it at finalize or in the
 * library's destructor. After that it still takes events, as other threads may live on. It is never freed. Any thread
 * may read it.
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
#include "recorder/file.h"
#include "recorder/output.h"
#include "recorder/packer.h"
#include "recorder/room.h"

struct devices;
struct stream;

#define SESSION_NOTES_MAX 8

struct session {
	struct config config;
	char dir[PATH_MAX];      /* the dump's directory */
	char ring_dir[PATH_MAX]; /* the directory of its rings: `dir`, or one of their own */
	struct directory_id dir_id, ring_dir_id;
	struct clock_triple start;
	uint32_t shift;        /* log2(config.segment_bytes) */
	uint32_t n_processors; /* at least 1; read once, as that takes 1 KiB of stack */
	bool has_drain_thread; /* there is one, or will be when the first segment is full */
	int sample_signal;     /* the signal of the timers; 0: nothing is sampled */
	int pid;
	/* switches_look(), for threads that write segments. NULL: there is nothing to look at. */
	void (*look)(struct session *session, struct stream *own_stream);
	bool is_of_parent; /* set in a forked child: the parent's work goes on, but nothing leaves this memory */

	/* Any thread may write the following. Words that are written often have a cache line each. */
	alignas(CACHE_LINE_BYTES) uint32_t n_streams;
	alignas(CACHE_LINE_BYTES) uint32_t n_free_streams; /* a hint: how many streams have no owner */
	uint32_t spare_number;                             /* of a stream that could not be made, plus 1; 0: none */
	uint64_t refuses_until_ns;                         /* a ring could not be made: none is tried before that time */
	uint32_t noted_refusals;                           /* a bit for each loss_cause that meta has a note of */
	uint32_t refuses_timers;                           /* 1: a thread could not be sampled, and meta has a note of it */
	uint32_t refuses_switches;                         /* 1: meta has a note that a thread's switches are not recorded */
	bool has_no_switches;                              /* the kernel refuses to record them */
	bool has_switches;                                 /* it records those of one thread at least */
	uint64_t looked_ns;                                /* when `look` last looked, */
	uint64_t look_interval_ns;                         /* and how long it waits until it looks again */
	uint64_t soon_until_ns;                            /* until then it waits LOOK_SOON_NS at most */
	void *kept_event;                                  /* the drain thread's own, from the first pause on */
	const char *unwritten_notes[SESSION_NOTES_MAX];    /* meta could not be written: meta_end() tries again */
	bool is_awaiting_finalize;                  /* OpenMP's; it may come after the destructor if this library was preloaded */
	uint32_t is_ended;                          /* 1: finalize or the destructor has been called */
	uint32_t stop_cause;                        /* a loss_cause; 0: recording was not stopped */
	uint64_t stop_ticks;                        /* when that was; 0: not yet noted */
	uint64_t n_flushes;                         /* how often omp_control_tool asked for a flush */
	alignas(CACHE_LINE_BYTES) uint64_t n_bytes; /* written, or about to be written */
	struct room room;                           /* what it may take of the disk */
	alignas(CACHE_LINE_BYTES) uint64_t n_overwritten; /* records overwritten, with OTTER_KEEP=newest */
	alignas(CACHE_LINE_BYTES) uint32_t drain_sleeps;  /* a futex: 1 while the drain thread sleeps or is about to */
	uint32_t is_drain_started;
	uint32_t is_drain_running; /* 1: the thread exists, and drain_thread is its handle */
	uint32_t must_drain_end;
	bool drain_stays;             /* it never goes away: only it writes, or a test acts in its place */
	uint32_t drain_is_away;       /* 1: no processor is idle, threads write their own segments (drain_idle.h) */
	uint64_t drain_away_until_ns; /* it is not woken for their segments before that time */
	uint64_t drain_woken_ns;      /* when it was woken last; 0: it has run since */
	uint64_t drain_away_ns;       /* the drain thread's: how long it stays away, */
	uint64_t drain_preemptions;   /* and how often it was preempted when it last looked */
	pthread_t drain_thread;
	bool has_watch;          /* set before the drain thread exists: so does the watch, and watch_thread is its handle */
	uint32_t must_watch_end; /* a futex, on which the watch sleeps */
	pthread_t watch_thread;
	struct output_file drain_file; /* drain.seg; the drain thread's, */
	bool direct_is_off;            /* which does not write it past the page cache (direct.h), */
	bool direct_is_paused;         /* or not until direct_resume_ns, a pause of direct_pause_ns, */
	uint64_t direct_resume_ns;
	uint64_t direct_pause_ns;
	uint64_t direct_piece_bytes;  /* or so much at once; 0: it has not written yet */
	struct packer packer;         /* what the drain thread packs; one thread at a time has it, */
	uint32_t is_packer_taken;     /* with this being 1, */
	struct output_file pack_file; /* and may write drain.pseg */
	uint32_t refuses_packing;     /* 1: a packing buffer could not be made, and meta has a note of it */
	uint32_t packs;               /* 1: segments are packed before they are written (pack_when.h), */
	uint64_t pack_until_ns;       /* with OTTER_PACK=auto until then, */
	uint64_t pack_ns;             /* which is so long */
	uint64_t maps_hash;
	uint64_t maps_checked_ns;
	uint32_t n_streams_at_end;
	struct devices *devices; /* device.c; NULL until a device comes that can be traced */

	alignas(CACHE_LINE_BYTES) struct stream *streams[ID_STREAM_MAX + 1]; /* by number; only pages that are touched exist */
};

/* How many numbers have been given, without those of sample streams. A stream may be missing: it is not there yet, or
 * could not be made. */
static inline uint32_t session_n_streams(struct session *session)
{
	uint32_t n = __atomic_load_n(&session->n_streams, __ATOMIC_RELAXED);
	return n > ID_STREAM_SAMPLES ? ID_STREAM_SAMPLES : n;
}

static inline struct stream *session_stream(struct session *session, uint32_t number)
{
	/* S2: The stream is there before its pointer. Pairs with S1 in publish in stream_make.c. */
	return __atomic_load_n(&session->streams[number], __ATOMIC_ACQUIRE);
}

/* Returns NULL before the first event that counts; in a forked child too. */
struct session *session_get(void);

/* Makes this the process's session. NULL: the process has none any more. */
void session_set(struct session *session);

/* Losses that no stream can count. They belong to the process, as they also happen when there is no session. */
extern HIDDEN uint64_t session_lost_no_stream;
extern HIDDEN uint64_t session_lost_reentry;

#endif
