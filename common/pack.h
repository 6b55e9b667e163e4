/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Packed segments: what the recorder writes in place of a segment where it packs, and what `otter-build --pack` makes of
 * one. pack.c packs; unpack.c reads what was packed, and nothing there trusts a byte of it. docs/format.md (section 5)
 * has the code. Used by recorder, builder and tests, on any thread.
 */
#ifndef OTTER_COMMON_PACK_H
#define OTTER_COMMON_PACK_H

#include "common/event.h"
#include "common/format.h"

#include <stdbool.h>

/*
 * The contexts: a record is packed as its differences from the last record of the same context. The upper two bits of a
 * context are its form. In the forms with ids, words are turned by 20 bits, so that an id's counter is in the lower bits
 * and small differences of counters are small numbers. The word `head` always is.
 */
#define PACK_CONTEXTS   256
#define PACK_FORM_SHIFT 6
#define PACK_TURN       20

enum pack_form {
	PACK_FORM_PLAIN,    /* words A and B as they are */
	PACK_FORM_ID,       /* A turned */
	PACK_FORM_IDS,      /* A and B turned */
	PACK_FORM_CONTINUED /* as plain; word 0 is payload, and compared with that of the context, not with the time before */
};

/* Memory that packing one segment needs; what is in it before and after means nothing. */
struct pack_memory {
	struct record last[PACK_CONTEXTS]; /* words as turned */
};

/*
 * Packs the segment, which is closed: its header and then its records. Writes at most PACKED_BYTES_MAX(its records) bytes
 * to `to`, at any alignment. Returns the number of bytes, a multiple of PACK_ALIGN.
 */
size_t pack_segment(struct pack_memory *memory, const struct segment_header *segment, void *to);

/*
 * The same where the records are not after the header, and there are only `room` bytes, of which more may be written than it
 * takes. Returns 0 if it takes more.
 */
size_t pack_segment_within(struct pack_memory *memory, const struct segment_header *segment, const struct record *records, void *to,
			   size_t room);

/*
 * Of a packed segment whose header is valid: the number of its bytes, a multiple of PACK_ALIGN; or 0 if the two headers
 * contradict each other. The caller checks that there are as many bytes.
 */
size_t packed_bytes(const struct segment_header *segment, const struct pack_header *pack);

/* The checksum that the pack header must have. `payload` are the pack->n_bytes bytes that follow it in the file. */
uint64_t packed_checksum(const struct segment_header *segment, const struct pack_header *pack, const void *payload);

/*
 * Unpacks the first n of the records whose pack->n_bytes packed bytes are at `payload`. Returns how many are there: fewer
 * than n only if there are fewer in all, or if the bytes are not what pack_segment() has written.
 */
uint32_t unpack_records(const struct pack_header *pack, const void *payload, struct record *records, uint32_t n);

/* How many bytes a difference has, by its code of two bits. */
static const unsigned char pack_time_bytes[4] = {1, 2, 4, 8};
static const unsigned char pack_word_bytes[4] = {0, 1, 4, 8};

/* A difference as a number that is small if the difference is near 0, and the other way round. */
static inline uint64_t pack_folded(uint64_t difference)
{
	return difference << 1 ^ (0 - (difference >> 63));
}

static inline uint64_t pack_unfolded(uint64_t folded)
{
	return folded >> 1 ^ (0 - (folded & 1));
}

/* The word moved down by n bits, 0 to 63; what falls out comes in at the top. */
static inline uint64_t pack_turned(uint64_t word, unsigned n)
{
	return word >> n | word << (-n & 63);
}

#endif
