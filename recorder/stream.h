/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A stream: one ring, one file, one number, one set of counters. A thread takes a free stream, or a new one, when it first reports
 * anything, and gives it back at its end.
 *
 * Memory, one contiguous area, so that the ring lies at constant offsets from the one pointer in TLS:
 *
 *   struct stream (private) | struct ring_control | segment 0 | ... | segment RING_SEGMENTS-1      (the ring file, MAP_SHARED)
 *
 * What is sampled of its thread has a stream beside it, with a ring of fewer segments: it goes where that one goes.
 *
 * Threads: `owner` says whose the stream is. Everything but owner, the two hand-over rings and `written` is the owner's alone; a stream
 * passes from one owner to the next through `owner` (release, acquire). What a record needs shares no cache line with what another thread
 * touches for a segment.
 */
#ifndef OTTER_RECORDER_STREAM_H
#define OTTER_RECORDER_STREAM_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/event.h"
#include "common/format.h"
#include "recorder/compiler.h"
#include "recorder/handover.h"
#include "recorder/output.h"

struct session;

#define STREAM_BYTES      4096
#define STREAM_TEAM_DEPTH 32 /* implicit tasks in implicit tasks whose context is kept */
#define SEGMENT_NONE      UINT32_MAX
#define SAMPLE_TIMERS     2
#define SAMPLE_SEGMENTS   2 /* of a ring of samples: one is filled while the drain thread writes the other */

/* `owner`: this, the owner's stream_self(), or the second for ever. */
#define STREAM_FREE   ((uintptr_t)0)
#define STREAM_SEALED ((uintptr_t)1)

struct stream_context {
	uint64_t task;
	uint64_t region;
};

struct stream {
	/* For every record: one cache line, which others write only where recording is turned on or off. */
	bool is_busy; /* an append is going on: a signal handler may find that */
	uint32_t number;
	uint64_t limit;            /* the position where plain appends end: `end`, or 0 while there is something to look at first */
	uintptr_t base;            /* of the open segment: base + position is the slot */
	uint64_t last_task;        /* the last id given, without the stream's number */
	uint64_t last_region;      /* the same */
	struct stream_context now; /* what the runtime has told */
	uint64_t epoch;            /* record_epoch when recording was last seen to be on */

	/* For implicit tasks: the owner's alone. */
	struct stream_context team[STREAM_TEAM_DEPTH]; /* around the current implicit task */
	uint32_t team_depth;

	uint64_t last_operation; /* as last_task: of target regions and their operations */

	/* For work units: what the owner's thread is in Argobots, as last recorded. */
	void *xstream;
	void *unit;       /* that began to run last, as it was recorded; NULL: none, or not here */
	uint64_t depth;   /* its depth, as in FLAGS_HI8 */
	uint64_t n_units; /* creations recorded */

	/* For a segment's end: the drain thread looks at it too. */
	alignas(CACHE_LINE_BYTES) uint64_t end; /* of the open segment, as a position: that has reached it where none is open */
	uint32_t shift;                         /* log2(segment_bytes) */
	struct session *session;
	uint32_t current;    /* index of the segment that is appended to, or SEGMENT_NONE */
	uint32_t n_used;     /* segments that have been opened at least once */
	uint32_t n_segments; /* that there may be: fewer than RING_SEGMENTS where the disk was full */
	bool has_all_room;   /* the ring's file has no holes */
	bool is_samples;     /* what a timer's handler appends to, beside the stream of the thread's events */
	bool was_blocked;    /* of samples: the thread had the timers' signal blocked */
	uint32_t n_timers;
	int timers[SAMPLE_TIMERS]; /* the kernel's numbers */
	uint64_t n_records;        /* in the segments before the current one */
	uint64_t tid;              /* of the thread that has the stream */
	uint64_t n_flushes;        /* of the session, when last looked at */
	uint64_t flush_begin;      /* a buffer_flush record that is still to be written: bytes != 0 */
	uint64_t flush_end;
	uint64_t flush_bytes;
	uint64_t lost_said[LOSS_CAUSES]; /* losses that a records_lost record has told */
	bool is_off;                     /* a recording_off record has been written, a recording_on record not yet */
	struct output_file file;         /* NNNNN.seg */
	struct output_file drain_file;   /* NNNNN.dseg: the drain thread's */

	alignas(CACHE_LINE_BYTES) uintptr_t owner;
	alignas(CACHE_LINE_BYTES) struct handover full;  /* to the drain thread, or back to the owner */
	alignas(CACHE_LINE_BYTES) struct handover empty; /* from the drain thread */
	/* The sequence that each segment had when it was last written to a file in full. */
	alignas(CACHE_LINE_BYTES) uint64_t written[RING_SEGMENTS];
};

_Static_assert(offsetof(struct stream, epoch) + sizeof(uint64_t) == CACHE_LINE_BYTES, "what every record needs is one line");
_Static_assert(sizeof(struct stream) <= STREAM_BYTES, "the ring follows at a constant offset");

static inline struct ring_control *stream_control(struct stream *stream)
{
	return (struct ring_control *)((unsigned char *)stream + STREAM_BYTES);
}

static inline struct segment_header *stream_segment(struct stream *stream, uint32_t index)
{
	return (struct segment_header *)((unsigned char *)stream + STREAM_BYTES + RING_CONTROL_BYTES +
					 ((size_t)index << stream->shift));
}

/* Bytes used in a closed segment, header included. */
static inline uint32_t stream_segment_used(struct stream *stream, uint32_t index)
{
	/* Relaxed: only the seal may come meanwhile (stream_seal). */
	return (uint32_t)__atomic_load_n(&stream_segment(stream, index)->closed, __ATOMIC_RELAXED) & ~SEGMENT_SEALED;
}

/* Bytes that positions below `position` have in its segment. */
static inline uint32_t stream_offset(const struct stream *stream, uint64_t position)
{
	return (uint32_t)(position & ((UINT64_C(1) << stream->shift) - 1));
}

/* Ids of tasks and regions that the stream has given. */
static inline uint64_t stream_n_tasks(const struct stream *stream)
{
	return id_counter(stream->last_task);
}

static inline uint64_t stream_n_regions(const struct stream *stream)
{
	return id_counter(stream->last_region);
}

/* Publishes how many ids the stream has given, for who reads its ring. The owner's. */
static inline void stream_put_counts(struct stream *stream)
{
	struct ring_control *control = stream_control(stream);
	__atomic_store_n(&control->n_tasks, stream_n_tasks(stream), __ATOMIC_RELAXED);
	__atomic_store_n(&control->n_regions, stream_n_regions(stream), __ATOMIC_RELAXED);
}

/* Of this thread. The one word of TLS that the recorder has. Never NULL, so that whoever appends need not ask: a thread that has no stream has
 * one of two that are always busy. */
extern HIDDEN __thread struct stream *tls_stream;
extern HIDDEN const struct stream stream_none;   /* never had one, or gave it back */
extern HIDDEN const struct stream stream_coming; /* takes one, or gives it back: nobody may append meanwhile */
#define STREAM_NONE   ((struct stream *)(uintptr_t)&stream_none)
#define STREAM_COMING ((struct stream *)(uintptr_t)&stream_coming)

/* Names the calling thread among the living ones, and the same one in a forked child. */
static inline uintptr_t stream_self(void)
{
	return (uintptr_t)&tls_stream;
}

/* Tries to get a free stream into the caller's hands. */
bool stream_claim(struct stream *stream, uintptr_t owner);

/* ---- stream_make.c ---- */

/* Makes a stream that belongs to `owner`, or returns NULL. */
struct stream *stream_create(struct session *session, uintptr_t owner);

/* Could no ring be made a moment ago? Then none is tried yet. */
bool stream_is_refused(struct session *session);

/* Makes the stream for what is sampled of that one's thread, or returns NULL. Nobody owns it. */
struct stream *stream_create_samples(struct stream *of);

/* ---- stream_thread.c ---- */

/* Once a process, before the first stream. 0, or an error number. */
int stream_setup(void);

/* A stream for the calling thread, a free one or a new one, with its thread_attach record at `ticks`. NULL: there is none to be had
 * (counted where this is called). The caller has set tls_stream to STREAM_COMING. */
struct stream *stream_take(struct session *session, uint64_t ticks);

/* Gives the calling thread's stream back, with its thread_detach record at `ticks`; tls_stream becomes STREAM_NONE. */
void stream_release(struct stream *stream, uint64_t ticks);

/* ---- stream_seal.c ---- */

/* Writes everything that is not yet in a file, of the stream and of its samples, marks the last segment and removes the ring. The caller owns the stream; afterwards
 * nobody does. What cannot be written stays in the ring, which then stays too. */
void stream_seal(struct stream *stream);

#endif
