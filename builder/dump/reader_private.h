/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Declarations that only the files of the reader use:
 *   reader.c          opens and closes a dump
 *   reader_segment.c  reports damage, maps files, checks and keeps segments: what the other steps share
 *   reader_ring.c     finds segments in rings
 *   reader_files.c    finds segments in files
 *   reader_packed.c   finds packed segments
 *   reader_streams.c  makes streams out of the segments found
 *   reader_groups.c   leaves out groups of records of which a part is missing
 *   reader_clock.c    relates ticks to ns
 * All of it runs inside dump_open(), on the caller's thread.
 */
#ifndef OTTER_BUILDER_DUMP_READER_PRIVATE_H
#define OTTER_BUILDER_DUMP_READER_PRIVATE_H

#include "builder/dump/reader.h"

/*
 * Where a copy of a segment was found. Among copies of equal length the source that comes first here is taken: if a
 * write was interrupted half-way, the ring still has what did not reach the file.
 */
enum copy_source {
	SOURCE_RING,
	SOURCE_STREAM_FILE,
	SOURCE_DRAIN_FILE,
	SOURCE_PACKED,        /* a packing buffer or a file of packed segments */
	SOURCE_PACKED_DAMAGED /* the same, and its records cannot be read: only its stream and sequence mean something */
};

struct segment_copy {
	struct segment_header header;   /* copied: headers are read often, and this way their pages need not stay in memory */
	const struct record *records;   /* NULL: packed */
	const struct pack_header *pack; /* NULL: not packed */
	uint32_t n_before, n_after;     /* as in struct segment */
	uint32_t n_records;
	uint32_t n_cut; /* records that `closed` promises and that are not there */
	bool is_sealed; /* `closed` says that it is the stream's last segment */
	enum copy_source source;
	bool is_heap;       /* copied out of a ring or file that a running process writes to */
	const void *mapped; /* and file: as in struct segment */
	int file;
	uint64_t at; /* its offset in the file or ring, in bytes, for messages */
};

/* What the control page of a stream's ring says. */
struct ring_facts {
	uint32_t stream;
	uint64_t sequence; /* of the segment that the position is in; 0 where the control page could not be read */
	uint64_t lost[LOSS_CAUSES];
	uint64_t stalled_ticks;
};

struct mapping {
	void *address;
	size_t n_bytes;
	bool is_heap; /* a heap block, freed instead of unmapped */
	int file;     /* what is mapped, if it stays open; else -1 */
};

struct reader {
	struct dump *dump;
	bool is_live;   /* the process still runs: segments are copied out of its rings, and files may change meanwhile */
	bool is_newest; /* OTTER_KEEP=newest: files are circular */
	struct mapping *mappings;
	size_t n_mappings;
	struct segment_copy *copies;
	size_t n_copies;
	struct ring_facts *rings;
	size_t n_rings;
	struct unpacked unpacked; /* of the segment that a step of the reader looks at */
};

/* The segment's records, valid until the next call. */
static inline const struct record *reader_records(struct reader *r, const struct segment *segment)
{
	return segment_records(segment, &r->unpacked);
}

/*
 * Counts damage under its name (a string literal, one of docs/damage.md) and warns of the first of each name. `format`
 * says where the damage is (file, byte or stream and segment), what was found, and what was expected.
 */
void reader_damage(struct reader *r, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Keeps a mapping or heap block until dump_close(). */
void reader_keep(struct reader *r, void *address, size_t n_bytes, bool is_heap);

/* Does the file of the latest mapping stay open until then? Then it is closed with the mapping, else by the caller. */
bool reader_keep_file(struct reader *r, int file);
void reader_release_mapping(const struct mapping *m);

/* Adds a segment to r->copies. */
void reader_add_copy(struct reader *r, const struct segment_copy *copy);

/*
 * Is this the valid header of a segment? Reports damage where it is not. A place that was never written (magic or
 * sequence 0) is no damage. `stream` is the only stream that may be here, or STREAM_ANY. `path` and `at` (offset in
 * bytes) are for the message.
 */
#define STREAM_ANY UINT32_MAX
bool reader_check_header(struct reader *r, const struct segment_header *h, uint32_t stream, const char *path, uint64_t at);

/*
 * Takes a header's `closed` apart (docs/format.md, section 4). used_bytes and is_sealed are set for CLOSED_WELL, else
 * 0.
 */
enum closed_state { CLOSED_NOT, CLOSED_WELL, CLOSED_DAMAGED };
enum closed_state reader_closed(uint64_t closed, uint32_t segment_bytes, uint32_t *used_bytes, bool *is_sealed);

/*
 * Maps the file at `path` read-only, until dump_close(). *n_bytes becomes 0 if the file is absent, empty or unreadable
 * (the latter is reported as damage).
 */
void reader_map(struct reader *r, const char *path, const void **address, size_t *n_bytes);

/* The number of a stream's file: "00012.ring" gives 12 for the suffix ".ring"; false for any other name. */
bool reader_file_number(const char *name, const char *suffix, uint32_t *number);

/* How many of n records remain without those at the end that were never written (kind 0). */
uint32_t reader_trim(const struct record *records, uint32_t n);

/* What the ring of this stream says, or NULL if no ring was found. */
const struct ring_facts *reader_ring_facts(const struct reader *r, uint32_t stream);

/*
 * Finds the segments in a file of packed segments or, if is_buffer is set, in a packing buffer, where nothing is damage.
 * `stream` as for reader_check_header(). Called by the two functions that look through the directories.
 */
void reader_scan_packed(struct reader *r, const char *path, uint32_t stream, bool is_buffer);

/* The bytes of the packed segment at `at`, of which n_bytes are there, zeros at its end included; 0: it is not valid. */
size_t reader_packed_bytes(const unsigned char *at, size_t n_bytes, uint32_t segment_bytes);

/* Is this the name of a file of packed segments (suffix ".pseg") or of a packing buffer (".pbuf")? Sets *stream. */
bool reader_is_packed(const char *name, const char *suffix, uint32_t *stream);

/*
 * Drops the whole pages among n bytes of a mapping from memory; they are read from the file again when they are
 * accessed.
 */
void reader_release(const void *address, size_t n_bytes);

/*
 * Copies the segment `sequence` at `from` to the heap, out of a ring or file that a running process may overwrite
 * meanwhile. The caller has loaded the sequence with acquire order before it read anything else that *copy says. True:
 * *copy now describes the copy on the heap; false: the segment was overwritten, nothing is kept.
 */
bool reader_copy_live(struct reader *r, struct segment_copy *copy, const struct segment_header *from, uint64_t sequence);

/* The steps of dump_open() after meta, in this order. */
void reader_scan_rings(struct reader *r);   /* adds segments to r->copies, and fills r->rings; packing buffers, too */
int reader_scan_files(struct reader *r);    /* adds segments to r->copies: 0, or -1 after an error message (no directory) */
void reader_make_streams(struct reader *r); /* fills the dump's streams, samples and losses */
void reader_make_clock(struct reader *r);   /* sets first_ticks, ns_scale, ticks_per_second and stalled_ns */
void reader_cut_window(struct reader *r);   /* OTTER_KEEP=newest only */

/* Leaves out each group (a record and its continuations) of which a part is missing. Used for each stream. */
void reader_drop_cut_groups(struct reader *r, struct stream *s);

#endif
