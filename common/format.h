/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The dump's layout, as recorder, launcher and builder use it. docs/format.md is the specification in words.
 *
 * A dump is a directory `<program>-<host>[-r<rank>]-<pid>[-2...].otter` with
 *   meta        text, one `key value...` a line, only ever appended to (keys: docs/format.md)
 *   drain.seg   segments of all streams, written by the drain thread
 *   NNNNN.seg   segments of stream NNNNN (decimal, five digits or more), written by its owner or when it is sealed
 *   NNNNN.dseg  the same, written by the drain thread, only with OTTER_KEEP=newest (then both files are circular)
 *   drain.pseg, NNNNN.pseg  the same segments packed, where the recorder or `otter-build --pack` packed them
 *   drain.pbuf, NNNNN.pbuf  packed segments on their way to these files (beside the rings)
 *   NNNNN.ring  the ring of stream NNNNN, while the stream is not sealed (in `ring_dir` of meta where that is set)
 *
 * In every file of segments, a segment has a place of segment_bytes, of which only the used bytes are written: places
 * are at multiples of segment_bytes, and the last may be shorter. A ring is one page of struct ring_control, then its
 * segments.
 *
 * A segment is valid if and only if its magic, its header's checksum and its stream agree. One segment, identified by
 * (stream, sequence), may be found more than once: in the drain thread's file, in the stream's, in the ring. All copies
 * have the same records, and the longest is right.
 *
 * In a ring, position = sequence << log2(segment_bytes) | offset of the next free byte in that segment; records below
 * it are published. An offset of 0 means that the segment `sequence` has not been opened yet. A header whose sequence
 * is 0 is invalid.
 */
#ifndef OTTER_COMMON_FORMAT_H
#define OTTER_COMMON_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define FORMAT_MAJOR          2
#define FORMAT_MINOR          1
#define FORMAT_VERSION_STRING "2.1"
/* What dumps say in which nothing is packed. They have nothing else that is new, and older builders read them. */
#define FORMAT_PLAIN_MAJOR   1
#define FORMAT_PLAIN_MINOR   3
#define OTTER_VERSION_STRING "0.2.0"

#define SEGMENT_MAGIC UINT64_C(0x474553524554544f) /* "OTTERSEG" in memory order */
#define RING_MAGIC    UINT64_C(0x474e52524554544f) /* "OTTERRNG" in memory order */

#define RING_CONTROL_BYTES    4096
#define SEGMENT_BYTES_MIN     4096
#define SEGMENT_BYTES_DEFAULT (256 << 10)
#define SEGMENT_BYTES_MAX     (16 << 20)
#define RING_SEGMENTS         8

#define SEGMENT_SEALED (UINT32_C(1) << 31) /* in `closed`: the stream's last segment */

#define PACK_MAGIC UINT64_C(0x4b4350524554544f) /* "OTTERPCK" in memory order */
#define PACK_ALIGN 64                           /* a packed segment begins at a multiple of this, and fills it up with zeros */

/* The first slots of a segment. They are written once, when the segment is opened, except `closed`. */
struct segment_header {
	uint64_t magic;
	uint64_t sequence; /* from 1 in each stream, without gaps; 0: the header is invalid */
	uint32_t stream;
	uint32_t checksum; /* segment_checksum(): of the header without this field and `closed` */
	uint64_t closed;   /* 0 while records are appended; else low half: used bytes, header included, | SEGMENT_SEALED;
	                      high half: the complement of the low half */
	/* The three clocks, read together when the segment was opened. */
	uint64_t ticks;
	uint64_t monotonic_ns;
	uint64_t realtime_ns;
	/* The stream's state before the first record. */
	uint64_t tid;       /* of the OS thread that has the stream */
	uint64_t task;      /* its current task; 0: unknown */
	uint64_t region;    /* its current region; 0: unknown */
	uint64_t n_tasks;   /* task ids given by this stream so far: the last counter */
	uint64_t n_regions; /* region ids given so far */
	uint64_t n_lost;    /* records lost by this stream so far, all causes */
	uint64_t n_records; /* records published by this stream before this segment */
	uint64_t n_units;   /* Argobots: creations of work units recorded before this segment */
	uint64_t reserved;
};

_Static_assert(sizeof(struct segment_header) == 128, "the dump format fixes the header at four slots");
_Static_assert(offsetof(struct segment_header, closed) == 24, "the dump format fixes this offset");
_Static_assert(offsetof(struct segment_header, task) == 64, "the dump format fixes this offset");

/*
 * In a packed segment this follows the segment's header, which is as it was in the ring; `n_bytes` of packed records
 * come after it. docs/format.md, section 5, has the code that packs them.
 */
enum pack_method {
	PACK_STORED, /* the records as they are */
	PACK_DELTAS
};

struct pack_header {
	uint64_t magic;
	uint32_t n_bytes;   /* of packed records; never more than the records themselves have */
	uint32_t n_records; /* as `closed` of the segment's header says */
	uint32_t method;    /* enum pack_method */
	uint32_t reserved;  /* 0 */
	uint64_t checksum;  /* packed_checksum() of pack.h */
};

_Static_assert(sizeof(struct pack_header) == 32, "the dump format fixes the pack header at one slot");

/* The most bytes that a segment of n records has when it is packed. */
#define PACKED_BYTES_MAX(n_records)                                                                                                \
	((sizeof(struct segment_header) + sizeof(struct pack_header) + (size_t)(n_records)*32 + PACK_ALIGN - 1) &                  \
	 ~(size_t)(PACK_ALIGN - 1))

#define LOSS_CAUSES 8 /* indexed by loss_cause of events.def */

/* The first page of a ring. The position has a cache line that only the stream's owner writes. */
struct ring_control {
	uint64_t magic;
	uint32_t major;
	uint32_t minor;
	uint32_t stream;
	uint32_t n_segments;
	uint32_t segment_bytes;
	uint32_t checksum; /* ring_checksum(): of the 28 bytes before and of pid */
	uint64_t pid;
	uint64_t pad0[3];
	uint64_t position; /* offset 64; see the head of this file */
	uint64_t pad1[7];
	/* offset 128: counters, which the owner writes outside the hot path */
	uint64_t lost[LOSS_CAUSES];
	uint64_t stalled_ticks; /* time in which the owner wrote segments itself */
	uint64_t n_tasks;       /* as of the opening of the last segment, or of the release of the stream */
	uint64_t n_regions;
	uint64_t pad2[5];
	unsigned char pad3[RING_CONTROL_BYTES - 256];
};

_Static_assert(sizeof(struct ring_control) == RING_CONTROL_BYTES, "the dump format fixes the page");
_Static_assert(offsetof(struct ring_control, position) == 64, "the dump format fixes this offset");
_Static_assert(offsetof(struct ring_control, lost) == 128, "the dump format fixes this offset");

static inline uint64_t segment_closed(uint32_t used_bytes_and_flags)
{
	return (uint64_t)used_bytes_and_flags | (uint64_t)~used_bytes_and_flags << 32;
}

/* FNV-1a with 32 bits: it distinguishes a header from leftover bytes, and does not protect the payload. The recorder also
 * compares maps of a process by it. */
static inline uint32_t checksum(uint32_t state, const void *bytes, size_t n_bytes)
{
	const unsigned char *p = bytes;
	for (size_t i = 0; i < n_bytes; i++)
		state = (state ^ p[i]) * UINT32_C(16777619);
	return state;
}

#define CHECKSUM_START UINT32_C(2166136261)

/* The checksum that a header must have. */
static inline uint32_t segment_checksum(const struct segment_header *h)
{
	uint32_t sum = checksum(CHECKSUM_START, h, offsetof(struct segment_header, checksum));
	size_t rest = offsetof(struct segment_header, ticks);
	return checksum(sum, (const unsigned char *)h + rest, sizeof *h - rest);
}

static inline uint32_t ring_checksum(const struct ring_control *c)
{
	uint32_t sum = checksum(CHECKSUM_START, c, offsetof(struct ring_control, checksum));
	return checksum(sum, &c->pid, sizeof c->pid);
}

#endif
