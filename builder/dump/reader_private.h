/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Between the files of the reader: reader.c opens and closes, reader_files.c and reader_ring.c find copies of segments,
 * reader_streams.c makes streams of them, reader_clock.c the relation of ticks to ns. One thread reads one dump.
 */
#ifndef OTTER_BUILDER_DUMP_READER_PRIVATE_H
#define OTTER_BUILDER_DUMP_READER_PRIVATE_H

#include "builder/dump/reader.h"

/*
 * Where a copy of a segment was found; of equally long ones the first kind is taken: the ring still held what a write that was
 * interrupted half-way did not bring to its place.
 */
enum copy_source { SOURCE_RING, SOURCE_STREAM_FILE, SOURCE_DRAIN_FILE };

struct segment_copy {
	struct segment_header header; /* a copy: all headers are looked at often, and their pages need not stay */
	const struct record *records;
	uint32_t n_records;
	uint32_t n_cut; /* records that `closed` promises and that are not there */
	bool is_sealed; /* `closed` says that it is the stream's last */
	enum copy_source source;
	bool is_heap; /* copied out of a live ring or file */
	uint64_t at;  /* its offset in the file or ring, for messages */
};

/* What the ring of a stream says beside its segments. */
struct ring_facts {
	uint32_t stream;
	uint64_t sequence; /* of the position; 0 where it could not be read */
	uint64_t lost[LOSS_CAUSES];
	uint64_t stalled_ticks;
};

struct mapping {
	void *address;
	size_t n_bytes;
	bool is_heap; /* copied out of a live ring */
};

struct reader {
	struct dump *dump;
	bool is_live;   /* the process still runs: rings are copied, and files may change under our hands */
	bool is_newest; /* OTTER_KEEP=newest: files are circular */
	struct mapping *mappings;
	size_t n_mappings;
	struct segment_copy *copies;
	size_t n_copies;
	struct ring_facts *rings;
	size_t n_rings;
};

/* Counts a finding by name (a literal) and warns at the first of each name: what is wrong, where, and what was expected. */
void reader_finding(struct reader *r, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Keeps a mapping or heap block until dump_close. 0, or -1 with the error said (and then it is released). */
int reader_keep(struct reader *r, void *address, size_t n_bytes, bool is_heap);
int reader_add_copy(struct reader *r, const struct segment_copy *copy);

/*
 * Is this the header of a segment? Says what is wrong with one that is not. `stream`: the only one that may be here, or
 * STREAM_ANY. `path` and `at` are for the message. A place never written (all zero magic, or sequence 0) is not a finding.
 */
#define STREAM_ANY UINT32_MAX
bool reader_check_header(struct reader *r, const struct segment_header *h, uint32_t stream, const char *path, uint64_t at);

/* `closed` taken apart. */
enum closed_state { CLOSED_NOT, CLOSED_WELL, CLOSED_DAMAGED };
enum closed_state reader_closed(uint64_t closed, uint32_t segment_bytes, uint32_t *used_bytes, bool *is_sealed);

/* Opens and maps DIR/NAME read only; an absent or empty file gives *n_bytes 0 and 0. -1: out of memory. */
int reader_map(struct reader *r, const char *path, const void **address, size_t *n_bytes);

/* Numbered files of a directory: "00012.ring" gives 12 for the suffix ".ring"; false for any other name. */
bool reader_file_number(const char *name, const char *suffix, uint32_t *number);

/* How many of n records remain without those at the end that nothing was written to (kind 0). */
uint32_t reader_trim(const struct record *records, uint32_t n);

const struct ring_facts *reader_ring_facts(const struct reader *r, uint32_t stream);

/* Lets go of the whole pages among n bytes of a mapping, until somebody reads them again. */
void reader_release(const void *address, size_t n_bytes);

/*
 * Copies the segment `sequence`, which stands at `from`, out of something that may change meanwhile: -1 out of memory, 0 it changed, 1 *copy is of the copy
 * now. Everything that *copy says was read after the sequence was.
 */
int reader_copy_live(struct reader *r, struct segment_copy *copy, const struct segment_header *from, uint64_t sequence);

int reader_scan_rings(struct reader *r);
int reader_scan_files(struct reader *r);
int reader_make_streams(struct reader *r);

/* Leaves out groups of a record and its continuations that lost a part at a gap (reader_groups.c). */
void reader_drop_cut_groups(struct reader *r, struct stream *s);

void reader_make_clock(struct reader *r);
void reader_cut_window(struct reader *r);

#endif
