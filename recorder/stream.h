/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A stream: one ring, one file, one number, one set of counters. A thread takes a free stream, or a new one, when it first reports
 * anything, and gives it back at its end.
 *
 * Memory, one contiguous area, so that the ring lies at constant offsets from the one pointer in TLS:
 *
 *   struct stream (private) | struct ring_control | segment 0 | ... | segment RING_SEGMENTS-1      (the ring file, MAP_SHARED)
 *
 * Threads: `owner` says whose the stream is. Everything but owner, the two hand-over rings and `written` is the owner's alone; a stream
 * passes from one owner to the next through `owner` (release, acquire).
 */
#ifndef OTTER_RECORDER_STREAM_H
#define OTTER_RECORDER_STREAM_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/format.h"
#include "recorder/compiler.h"
#include "recorder/handover.h"

struct session;

#define STREAM_BYTES      4096
#define STREAM_TEAM_DEPTH 32 /* implicit tasks in implicit tasks whose context is kept */
#define SEGMENT_NONE      UINT32_MAX

/* `owner`: this, the owner's stream_self(), or the second for ever. */
#define STREAM_FREE   ((uintptr_t)0)
#define STREAM_SEALED ((uintptr_t)1)

struct stream_context {
	uint64_t task;
	uint64_t region;
};

struct stream {
	/* For every record. */
	unsigned char *segment; /* the current one's memory */
	uint64_t mask;          /* segment_bytes - 1 */
	uint64_t epoch;         /* of record.h, when recording was last seen to be on */
	uint64_t n_tasks;       /* ids given */
	uint64_t n_regions;
	struct stream_context now; /* what the runtime has told */
	uint32_t number;
	uint32_t shift; /* log2(segment_bytes) */

	/* For a segment's end. */
	struct session *session;
	uint32_t current;     /* index of the segment that is appended to, or SEGMENT_NONE */
	uint32_t n_used;      /* segments that have been opened at least once */
	uint64_t n_records;   /* in the segments before the current one */
	uint64_t tid;         /* of the thread that has the stream */
	uint64_t n_flushes;   /* of the session, when last looked at */
	uint64_t lost_said;   /* losses for a full ring that a records_lost record has told */
	uint64_t flush_begin; /* a buffer_flush record that is still to be written: bytes != 0 */
	uint64_t flush_end;
	uint64_t flush_bytes;
	bool is_off;           /* a recording_off record has been written, a recording_on record not yet */
	uint64_t n_own_places; /* segments in NNNNN.seg */
	bool has_file;         /* NNNNN.seg exists */
	bool has_drain_file;   /* NNNNN.dseg exists (the drain thread's, no other looks) */
	uint32_t n_populated;  /* segments whose memory is there (owner and drain thread, relaxed: twice does no harm) */
	uint32_t team_depth;
	struct stream_context team[STREAM_TEAM_DEPTH]; /* around the current implicit task */

	alignas(CACHE_LINE_BYTES) uintptr_t owner;
	alignas(CACHE_LINE_BYTES) struct handover full;  /* to the drain thread, or back to the owner */
	alignas(CACHE_LINE_BYTES) struct handover empty; /* from the drain thread */
	/* The sequence that each segment had when it was last written to a file in full. */
	alignas(CACHE_LINE_BYTES) uint64_t written[RING_SEGMENTS];
};

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

/* Of this thread: NULL none, STREAM_BUSY while it is inside an append (a signal handler may find that), else its stream. The one word
 * of TLS that the recorder has. */
extern HIDDEN __thread struct stream *tls_stream;
#define STREAM_BUSY ((struct stream *)1)

/* Names the calling thread among the living ones, and the same one in a forked child. */
static inline uintptr_t stream_self(void)
{
	return (uintptr_t)&tls_stream;
}

/* Once a process, before the first stream. 0, or an error number. */
int stream_setup(void);

/* A stream for the calling thread, a free one or a new one, with its thread_attach record at `ticks`. NULL: there is none to be had
 * (counted where this is called). The caller has set tls_stream to STREAM_BUSY. */
struct stream *stream_take(struct session *session, uint64_t ticks);

/* Gives the calling thread's stream back, with its thread_detach record at `ticks`; tls_stream becomes NULL. */
void stream_release(struct stream *stream, uint64_t ticks);

/* Makes a stream that belongs to `owner`, or returns NULL. */
struct stream *stream_create(struct session *session, uintptr_t owner);

/* Writes everything that is not yet in a file, marks the last segment and removes the ring. The caller owns the stream; afterwards
 * nobody does. What cannot be written stays in the ring, which then stays too. */
void stream_seal(struct stream *stream);

/* Tries to get a free stream into the caller's hands. */
bool stream_claim(struct stream *stream, uintptr_t owner);

#endif
