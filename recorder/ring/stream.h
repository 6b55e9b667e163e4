/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A stream: one ring, one file, one number, one set of counters. A thread takes a free stream, or a new one, at its
 * first event, and gives it back at its end.
 *
 * The memory of a stream is one contiguous area, so that the ring lies at constant offsets from the one pointer in TLS:
 *
 *   struct stream (private) | struct ring_control | segment 0 | ... | segment RING_SEGMENTS-1      (the ring file, MAP_SHARED)
 *     | the packing buffer (its file, MAP_SHARED) | private memory that packing needs         (packer.h)
 *
 * If its thread is sampled, a stream for the samples belongs to it, with a ring of fewer segments. A thread takes and
 * releases both together.
 *
 * Threads: `owner` names the thread that has the stream. The owner alone uses all members but `owner`, the two
 * hand-over rings and `written`. A stream passes from one owner to the next through `owner` (T2 and T1). What a record
 * needs shares no cache line with what another thread touches when a segment ends.
 */
#ifndef OTTER_RECORDER_STREAM_H
#define OTTER_RECORDER_STREAM_H

#include <signal.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/event.h"
#include "common/format.h"
#include "recorder/compiler.h"
#include "recorder/drain/output.h"
#include "recorder/drain/packer.h"
#include "recorder/ring/handover.h"

struct session;

#define STREAM_BYTES      4096
#define STREAM_TEAM_DEPTH 32 /* nested implicit tasks whose context is kept */
#define SEGMENT_NONE      UINT32_MAX
#define SAMPLE_TIMERS     2
#define SAMPLE_SEGMENTS   2 /* of a ring of samples: one is filled while the drain thread writes the other */

/* Values of `owner`: one of these, or the owner's stream_self(). A sealed stream is never taken again. */
#define STREAM_FREE   ((uintptr_t)0)
#define STREAM_SEALED ((uintptr_t)1)

/* The kernel's memory for the context switches of the owner's thread (switches.c). The owner of the stream of switches
 * reads it. */
struct switch_memory {
	void *page;         /* where it begins; NULL if the thread has no such memory */
	uint32_t n_pages;   /* after the first one */
	uint64_t from_ns;   /* all before this time was copied, or was before the memory */
	uint64_t seen;      /* the kernel's position at the last poll */
	bool is_first;      /* nothing was copied yet */
	bool is_paused;     /* the thread switched too often: nothing is recorded until it resumes */
	uint64_t pause_ns;  /* the length of its last pause */
	uint64_t resume_ns; /* when that pause may end, or has ended; 0: there was none */
	uint64_t full_ns;   /* the last record's time, if the memory was full at the last poll; 0: it was not */
	uint64_t left_ns;   /* when its thread ended while another one was copying; 0: it did not */
	bool has_times;     /* in place of records there are the following times, which were not written yet */
	uint64_t running_ns, waiting_ns;
	uint64_t first_running_ns, first_waiting_ns; /* of the thread's life before it took the stream */
	bool is_refused;                             /* the kernel refuses to record this thread */
	uint64_t mask_low, n_processors;             /* the last thread_mask record; 0: none */
};

/* A position at which the watch has found the stream's thread inside of the recorder, and when: for the first and for the
 * last time, in ns of CLOCK_MONOTONIC (watch.c). */
#define WATCH_MARKS 32
struct watch_mark {
	uint64_t position;
	uint64_t first_ns, last_ns;
};

struct stream_context {
	uint64_t task;
	uint64_t region;
};

struct stream {
	/* Every record needs these: one cache line, which other threads write only when recording is turned on or off. */
	bool is_busy; /* an append is in progress, which a signal handler may have interrupted */
	uint32_t number;
	uint64_t limit;            /* the position where the fast path ends: `end`, or 0 while the path is closed */
	uintptr_t base;            /* of the open segment: base + position is the address of the slot */
	uint64_t last_task;        /* the last id that was given, without the stream's number */
	uint64_t last_region;      /* likewise */
	struct stream_context now; /* the current task and region, by the runtime's callbacks */
	uint64_t epoch;            /* record_epoch when this stream last saw that recording is on */

	/* For implicit tasks. Only the owner uses it. */
	struct stream_context team[STREAM_TEAM_DEPTH]; /* the contexts around the current implicit task */
	uint32_t team_depth;

	uint64_t last_operation; /* like last_task, for target regions and their operations */

	/* For loops: records of worksharing constructs have n_chunks in them (callbacks_sync.c). */
	uint64_t n_chunks;   /* of loops, begun so far */
	uint64_t chunk_step; /* what a chunk adds to it: 0 in a static loop, of which the first chunk alone is reported (Q20) */

	/* For Argobots: what the owner's thread runs, as recorded in the open segment (callbacks_unit.c). */
	void *xstream;
	void *unit;           /* the unit that began to run last; NULL: none, or another one has stopped since */
	void *running;        /* the same unit, while it has not stopped; NULL: none, or not known */
	uint64_t depth;       /* of `unit`, as in FLAGS_HI8 */
	bool knows_scheduler; /* a record names the scheduler of units of that depth, and it has not stopped since */
	uint64_t n_units;     /* how many creations were recorded */

	/* For the end of a segment. The drain thread reads these too. */
	alignas(CACHE_LINE_BYTES)
		uint64_t end; /* of the open segment, as a position; the position has reached it if no segment is open */
	uint32_t shift;       /* log2(segment_bytes) */
	struct session *session;
	uint32_t current;                 /* index of the open segment, or SEGMENT_NONE */
	uint32_t n_used;                  /* segments that have been opened at least once */
	uint32_t n_segments;              /* that there may be: fewer than RING_SEGMENTS if the disk was full */
	uint32_t spare;                   /* a bit for each segment that the owner has written itself and does not use yet */
	const struct directory *ring_dir; /* of the ring: the session's `ring_dir`, or `dir` if there was no room */
	bool has_all_room;                /* the ring's file has no holes */
	bool is_samples;                  /* the handler of a timer appends to it; the thread's events have another stream */
	bool is_writing;                  /* the thread writes a segment itself: that time is counted where it is spent */
	bool was_blocked;                 /* in a sample stream: the thread had blocked the timers' signal */
	uint32_t n_timers;
	int timers[SAMPLE_TIMERS]; /* the kernel's numbers */
	uint64_t n_records;        /* in the segments before the current one */
	uint64_t tid;              /* of the owner's thread */
	uint64_t n_flushes;        /* the session's n_flushes when this stream last compared it */
	uint64_t flush_begin;      /* a buffer_flush record that is still to be written, if flush_bytes != 0 */
	uint64_t flush_end;
	uint64_t flush_bytes;
	uint64_t lost_recorded[LOSS_CAUSES]; /* losses that a records_lost record has recorded */
	struct switch_memory switches;
	uint64_t refused_until_ns;     /* of CLOCK_MONOTONIC_COARSE: no file is tried before; 0: none was refused */
	uint64_t flush_upto;           /* the drain thread waits for no more segments before it writes this sequence */
	bool has_ring_to_remove;       /* the stream is sealed, and all of its segments are in files */
	bool is_off;                   /* a recording_off record has been written, and no recording_on record since */
	struct output_file file;       /* NNNNN.seg */
	struct output_file drain_file; /* NNNNN.dseg: the drain thread's */
	struct packer packer;          /* the owner's; the drain thread takes parts that are closed */
	uint64_t signals_before;       /* the thread's mask before segment_next(); here, as the stack may be small */

	/* The watch writes these, and the owner of the stream of switches reads them. */
	alignas(CACHE_LINE_BYTES) struct watch_mark marks[WATCH_MARKS]; /* a ring of the newest ones */
	uint32_t n_marks;

	alignas(CACHE_LINE_BYTES) uintptr_t owner;
	alignas(CACHE_LINE_BYTES) struct handover full;  /* to the drain thread, or back to the owner */
	alignas(CACHE_LINE_BYTES) struct handover empty; /* from the drain thread */
	uint64_t drained_upto;                           /* the drain thread's: the last sequence that it has written */
	/* For each segment, the sequence that it had when it was last written to a file in full, or packed. */
	alignas(CACHE_LINE_BYTES) uint64_t written[RING_SEGMENTS];
};

_Static_assert(offsetof(struct stream, epoch) + sizeof(uint64_t) == CACHE_LINE_BYTES, "what every record needs is one line");
_Static_assert(sizeof(struct stream) <= STREAM_BYTES, "the ring follows at a constant offset");

/* A thread's own events: no samples, and not the switches of all threads. */
static inline bool stream_is_of_events(const struct stream *stream)
{
	return !stream->is_samples && stream->number != ID_STREAM_SWITCHES;
}

static inline struct ring_control *stream_control(struct stream *stream)
{
	return (struct ring_control *)((unsigned char *)stream + STREAM_BYTES);
}

static inline struct segment_header *stream_segment(struct stream *stream, uint32_t index)
{
	return (struct segment_header *)((unsigned char *)stream + STREAM_BYTES + RING_CONTROL_BYTES +
					 ((size_t)index << stream->shift));
}

/* Bytes that are used in a closed segment, including its header. */
static inline uint32_t stream_segment_used(struct stream *stream, uint32_t index)
{
	/* Relaxed: only stream_seal may change it at the same time. */
	return (uint32_t)__atomic_load_n(&stream_segment(stream, index)->closed, __ATOMIC_RELAXED) & ~SEGMENT_SEALED;
}

/* How many bytes of its segment lie below `position`. */
static inline uint32_t stream_offset(const struct stream *stream, uint64_t position)
{
	return (uint32_t)(position & ((UINT64_C(1) << stream->shift) - 1));
}

/* How many ids of tasks and regions the stream has given. */
static inline uint64_t stream_n_tasks(const struct stream *stream)
{
	return id_counter(stream->last_task);
}

static inline uint64_t stream_n_regions(const struct stream *stream)
{
	return id_counter(stream->last_region);
}

/* Forgets which unit of Argobots runs: the library is queried again. */
static inline void stream_forget_units(struct stream *stream)
{
	stream->unit = stream->running = NULL;
	stream->knows_scheduler = false;
}

/* Publishes how many ids the stream has given, for readers of the ring. For the owner. */
static inline void stream_put_counts(struct stream *stream)
{
	struct ring_control *control = stream_control(stream);
	__atomic_store_n(&control->n_tasks, stream_n_tasks(stream), __ATOMIC_RELAXED);
	__atomic_store_n(&control->n_regions, stream_n_regions(stream), __ATOMIC_RELAXED);
}

/* The calling thread's stream: the only word of TLS that the recorder has. It is never NULL, so that an append need not
 * test it. While a thread has no stream, it points to one of two that are always busy. */
extern HIDDEN __thread struct stream *tls_stream;
extern HIDDEN const struct stream stream_none;     /* the thread has had no stream yet, or gave it back */
extern HIDDEN const struct stream stream_changing; /* the thread is taking a stream or giving it back: nothing may append */
#define STREAM_NONE     ((struct stream *)(uintptr_t)&stream_none)
#define STREAM_CHANGING ((struct stream *)(uintptr_t)&stream_changing)

/* Identifies the calling thread among those that live, and the same thread in a forked child. */
static inline uintptr_t stream_self(void)
{
	return (uintptr_t)&tls_stream;
}

/* Makes `owner` the owner of a free stream. False: the stream is not free. */
bool stream_claim(struct stream *stream, uintptr_t owner);

/* The same for the stream of switches, which no thread takes: it does not count among the free ones. */
bool stream_own(struct stream *stream, uintptr_t owner);
void stream_disown(struct stream *stream);

/* ---- stream_make.c ---- */

/* Makes a stream that belongs to `owner`. NULL: it could not be made. */
struct stream *stream_create(struct session *session, uintptr_t owner);

/* Could no ring be made in the last 20 ms? Then it is not tried again yet. */
bool stream_is_refused(struct session *session);

/* Makes the stream for the samples of that stream's thread. It has no owner yet. NULL: it could not be made. */
struct stream *stream_create_samples(struct stream *of);

/* Makes the stream of switches, without an owner. NULL: it could not be made. */
struct stream *stream_create_switches(struct session *session);

/* How many segments the stream's memory has room for. */
static inline uint32_t stream_n_mapped(const struct stream *stream)
{
	return stream->number & ID_STREAM_SAMPLES ? SAMPLE_SEGMENTS : RING_SEGMENTS;
}

/* ---- stream_thread.c ---- */

/* To be called once in a process, before the first stream. Returns 0, or an error number. */
int stream_setup(void);

/* Returns a stream for the calling thread, a free one or a new one, with its thread_attach record at `ticks`. NULL:
 * there is none, and the caller counts the loss. The caller has set tls_stream to STREAM_CHANGING. */
struct stream *stream_take(struct session *session, uint64_t ticks);

/* Gives the calling thread's stream back, with its thread_detach record at `ticks`. tls_stream becomes STREAM_NONE. */
void stream_release(struct stream *stream, uint64_t ticks);

/* ---- stream_seal.c ---- */

/* Writes everything of the stream and of its samples that is not yet in a file, marks the last segment, and removes the
 * ring. The caller owns the stream; afterwards it has no owner any more. What cannot be written stays in the ring,
 * which then stays too. */
void stream_seal(struct stream *stream);

/* Removes the ring of a sealed stream that has lost records, and that of its samples: meta has the counts. */
void stream_remove_ring(struct stream *stream);

#endif
