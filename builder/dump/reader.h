/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The dump as the rest of the builder sees it: streams of segments in order, whatever file or ring they were found in.
 * The files are mapped read-only. Records stay where they are in these mappings; only those in the rings (and circular
 * files, and packing buffers) of a process that still runs are copied to the heap. A walk of a whole stream may read its
 * segments instead, and packed ones are unpacked, one at a time for each walk.
 *
 * run.c opens each dump, every later step reads it, run.c closes it; all on the builder's one thread.
 */
#ifndef OTTER_BUILDER_DUMP_READER_H
#define OTTER_BUILDER_DUMP_READER_H

#include "builder/support/diag.h"
#include "builder/dump/meta.h"
#include "common/event.h"
#include "common/format.h"

#include <stdbool.h>

struct segment {
	const struct segment_header *header; /* a copy */
	const struct record *records;        /* the first one that is not left out; NULL: they are packed */
	const struct pack_header *pack;      /* the packed records follow it; NULL: they are not packed */
	uint32_t n_records;
	uint32_t n_skipped;         /* records before these, left out because the head of their group is missing */
	uint32_t n_before, n_after; /* packed: bytes before and after it that may be dropped from memory together with it */
	bool is_after_gap;          /* segments are missing between this one and the one before it, or before the first one */
	const void *mapped;         /* the mapping of a file in which it lies; NULL: it is a copy on the heap */
	int file;                   /* that file, if it stays open and the records are not packed; else -1 */
};

/* Room for the records of one segment. All 0: none yet. */
struct unpacked {
	const void *of; /* what the records here were made of; NULL: nothing */
	struct record *records;
	size_t capacity;
	bool has_reads; /* records that are not packed are read here, too, if their file is open */
};

/*
 * The segment's records: where they are in the mapping; or unpacked or read into `room`, valid until that is done with
 * another segment. Reading takes half the time of mapping pages one by one, and does not stop other threads.
 */
const struct record *segment_records(const struct segment *segment, struct unpacked *room);

void unpacked_free(struct unpacked *room);

/*
 * Drops the segment's pages from the builder's memory, so that memory does not grow with the size of the dump. The
 * segment stays readable: its pages are read from the file again when they are accessed.
 */
void segment_release(const struct segment *segment);

struct stream {
	uint32_t number;
	struct segment *segments; /* by sequence, ascending, each once */
	size_t n_segments;
	uint64_t n_missing_segments; /* known from gaps in the sequence */
	uint64_t n_missing_records;  /* in these segments, as the headers after the gaps say; overwritten ones are in `lost` */
	uint64_t n_records;          /* in `segments` */
	uint64_t max_task;           /* no task id of this stream has a larger counter */
	uint64_t max_region;         /* no region id of this stream has a larger counter */
	bool is_sealed;              /* its last segment is here and says that it is the last */
	bool has_ring;               /* its ring was found */
	uint64_t lost[LOSS_CAUSES];  /* records lost, by loss_cause; [0]: the cause is not known */
	uint64_t stalled_ns;         /* time that its owner spent writing segments */
};

struct dump {
	char *path;
	char *name; /* the directory's name without ".otter" */
	struct meta meta;
	struct stream *streams; /* by number, ascending; numbers without any segment are absent */
	size_t n_streams;
	struct stream *samples;  /* streams of samples: those of stream N are in the stream N | ID_STREAM_SAMPLES */
	size_t n_samples;        /* streams, not single samples */
	struct stream *switches; /* the stream of switches, the last of all; NULL: the dump has none */
	uint64_t n_records;      /* in `streams`, without those in `samples` */
	uint64_t n_bytes;        /* of all its files */
	uint64_t lost[LOSS_CAUSES];
	uint64_t n_lost; /* the sum of `lost` */
	uint64_t stalled_ns;
	bool is_snapshot;      /* its process is still running */
	bool is_complete;      /* every stream is sealed, nothing is lost, nothing is missing */
	struct tally damage;   /* by name; reader_damage() also warns of the first of each name */
	uint64_t window_ticks; /* flight recorder: all streams cover the time from here on; 0: from the beginning */
	uint64_t n_left_out;   /* flight recorder: records from before the window, which some streams still had */
	uint64_t first_ticks;  /* the process's start where that is known, else its earliest time stamp: ns count from here */
	uint64_t first_realtime_ns;
	uint64_t first_monotonic_ns;
	uint64_t start_ticks, end_ticks; /* of the process; 0: not known, as in dumps from before format 2.1 */
	/* ns = (ticks - first_ticks) * ns_scale / 2^48 (reader_clock.c) */
	uint64_t ns_scale;
	uint64_t ticks_per_second;
	void *mappings; /* private to reader.c: what dump_close() gives back, an array that ends with an address NULL */
};

/*
 * Reads as much of the dump in directory `path` as can be read. 0; or -1 after an error message (not a dump, another
 * major version, ...), and then there is nothing to close.
 */
int dump_open(struct dump *dump, const char *path);
void dump_close(struct dump *dump);

/*
 * Frees the records, the mappings that they are in, and meta's maps: everything else stays. dump_take_up() then reads the
 * dump again; it returns 0, or -1 after an error message. For dumps whose files do not change any more.
 */
void dump_put_down(struct dump *dump);
int dump_take_up(struct dump *dump);
static inline bool dump_is_down(const struct dump *dump)
{
	return dump->mappings == NULL;
}

/* Is the process that wrote this dump still running on this machine? A zombie is not. */
bool dump_process_runs(const struct meta *meta);

/* A duration in ticks as ns, rounded to the nearest. */
static inline uint64_t dump_duration_ns(const struct dump *dump, uint64_t ticks)
{
	return (uint64_t)(((unsigned __int128)ticks * dump->ns_scale + ((unsigned __int128)1 << 47)) >> 48);
}

/* A duration in ns as ticks. */
static inline uint64_t dump_ticks(const struct dump *dump, uint64_t ns)
{
	return (uint64_t)((unsigned __int128)ns * dump->ticks_per_second / 1000000000u);
}

/* ns since the process's first time stamp; a time before that is 0. */
static inline uint64_t dump_ns(const struct dump *dump, uint64_t ticks)
{
	return ticks <= dump->first_ticks ? 0 : dump_duration_ns(dump, ticks - dump->first_ticks);
}

/* A time of CLOCK_MONOTONIC as ns since the process's first time stamp; 0 stays 0, and so does an earlier time. */
static inline uint64_t dump_monotonic_ns(const struct dump *dump, uint64_t monotonic_ns)
{
	return monotonic_ns <= dump->first_monotonic_ns ? 0 : monotonic_ns - dump->first_monotonic_ns;
}

/* Frequency of the time stamps, from the two clock triples that are furthest apart. */
static inline uint64_t dump_ticks_per_second(const struct dump *dump)
{
	return dump->ticks_per_second;
}

/* How many continuation records a record announces; 0 for kinds that this version does not know. */
uint64_t record_continuations(const struct record *head);

/*
 * Walks one stream record by record, and releases each segment after its last record. A record is valid until the next
 * one is looked at.
 */
struct cursor {
	const struct stream *stream;
	size_t segment;
	uint32_t index;
	uint32_t n_records;           /* of the segment; 0: it was not looked at yet */
	const struct record *records; /* of the segment */
	struct unpacked unpacked;
};

/* Begins at a segment of the stream. */
static inline void cursor_begin(struct cursor *c, const struct stream *stream, size_t segment)
{
	*c = (struct cursor){.stream = stream, .segment = segment};
}

static inline void cursor_init(struct cursor *c, const struct stream *stream)
{
	cursor_begin(c, stream, 0);
}

/* Goes to the next segment that has records, and ends the walk after the last one. Its first record, or NULL. */
const struct record *cursor_turn(struct cursor *c);

/* The next record, which stays the next one; NULL at the end. */
static inline const struct record *cursor_peek(struct cursor *c)
{
	return c->index < c->n_records ? &c->records[c->index] : cursor_turn(c);
}

/* Ends the walk, wherever it is. Needed only where it has not reached its end, which does the same. */
static inline void cursor_end(struct cursor *c)
{
	unpacked_free(&c->unpacked);
	cursor_begin(c, c->stream, c->stream == NULL ? 0 : c->stream->n_segments);
}

/* Takes the next record; NULL at the end. */
static inline const struct record *cursor_next(struct cursor *c)
{
	const struct record *r = cursor_peek(c);
	if (r != NULL)
		c->index++;
	return r;
}

/* Is the next record the first one after missing segments? Valid after cursor_peek() has returned a record. */
static inline bool cursor_at_gap(const struct cursor *c)
{
	return c->index == 0 && c->stream->segments[c->segment].is_after_gap;
}

/* The header of the next record's segment. Valid after cursor_peek() has returned a record. */
static inline const struct segment_header *cursor_header(const struct cursor *c)
{
	return c->stream->segments[c->segment].header;
}

#endif
