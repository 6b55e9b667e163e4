/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unpacks records (pack.h). The bytes come from a file that may be damaged: whatever they are, nothing is read after
 * them, and only the requested records are written. It may run on any thread.
 */
#include "common/pack.h"

#include <string.h>

/* What the byte with four codes says: where in a packed record its words are, and its length. */
struct word_offsets {
	unsigned char head, a, b, n_bytes;
};

#define HEAD_AT(c)    (2 + TIME_BYTES((c)&3))
#define A_AT(c)       (HEAD_AT(c) + WORD_BYTES((c) >> 2 & 3))
#define B_AT(c)       (A_AT(c) + WORD_BYTES((c) >> 4 & 3))
#define END_AT(c)     (B_AT(c) + WORD_BYTES((c) >> 6 & 3))
#define TIME_BYTES(c) (1 << (c))
#define WORD_BYTES(c) ((c) == 0 ? 0 : (c) == 1 ? 1 : (c) == 2 ? 4 : 8)
#define OFFSETS_1(c)                                                                                                               \
	{                                                                                                                          \
		HEAD_AT(c), A_AT(c), B_AT(c), END_AT(c)                                                                            \
	}
#define OFFSETS_4(c)  OFFSETS_1(c), OFFSETS_1((c) + 1), OFFSETS_1((c) + 2), OFFSETS_1((c) + 3)
#define OFFSETS_16(c) OFFSETS_4(c), OFFSETS_4((c) + 4), OFFSETS_4((c) + 8), OFFSETS_4((c) + 12)
#define OFFSETS_64(c) OFFSETS_16(c), OFFSETS_16((c) + 16), OFFSETS_16((c) + 32), OFFSETS_16((c) + 48)
static const struct word_offsets offsets[256] = {OFFSETS_64(0), OFFSETS_64(64), OFFSETS_64(128), OFFSETS_64(192)};

static const uint64_t time_masks[4] = {0xff, 0xffff, 0xffffffff, UINT64_MAX};
static const uint64_t word_masks[4] = {0, 0xff, 0xffffffff, UINT64_MAX};

/* A packed record reads this many bytes, whatever its length. */
#define RECORD_READS 34

struct unpacking {
	uint64_t time;
	struct record last[PACK_CONTEXTS];
};

static inline uint64_t difference(const unsigned char *at, uint64_t mask)
{
	uint64_t word;
	memcpy(&word, at, sizeof word);
	return pack_unfolded(word & mask);
}

/* Unpacks the record at `at`, where RECORD_READS bytes are; returns its length. */
static inline unsigned unpack_record(struct unpacking *u, const unsigned char *at, struct record *to)
{
	static const unsigned char turns_a[4] = {0, PACK_TURN, PACK_TURN, 0}, turns_b[4] = {0, 0, PACK_TURN, 0};
	unsigned number = at[0], codes = at[1], form = number >> PACK_FORM_SHIFT;
	struct word_offsets word = offsets[codes];
	struct record *last = &u->last[number];
	uint64_t time = difference(at + 2, time_masks[codes & 3]);
	last->head += difference(at + word.head, word_masks[codes >> 2 & 3]);
	last->a += difference(at + word.a, word_masks[codes >> 4 & 3]);
	last->b += difference(at + word.b, word_masks[codes >> 6]);
	to->time = form == PACK_FORM_CONTINUED ? (last->time += time) : (u->time += time);
	to->head = pack_turned(last->head, 64 - PACK_TURN);
	to->a = pack_turned(last->a, -turns_a[form] & 63);
	to->b = pack_turned(last->b, -turns_b[form] & 63);
	return word.n_bytes;
}

uint32_t unpack_records(const struct pack_header *pack, const void *payload, struct record *records, uint32_t n)
{
	const unsigned char *at = payload, *end = at + pack->n_bytes;
	if (n > pack->n_records)
		n = pack->n_records;
	if (n == 0)
		return 0; /* `records` may be NULL */
	if (pack->method == PACK_STORED) {
		uint32_t n_whole = pack->n_bytes / (uint32_t)sizeof *records;
		if (n > n_whole)
			n = n_whole;
		memcpy(records, payload, (size_t)n * sizeof *records);
		return n;
	}
	struct unpacking u = {0};
	uint32_t i = 0;
	for (; i < n && end - at >= RECORD_READS; i++)
		at += unpack_record(&u, at, &records[i]);
	/* The last ones come from a copy with zeros after it, in which each of them may read as far as it does. */
	unsigned char rest[2 * RECORD_READS] = {0};
	size_t n_rest = (size_t)(end - at), n_read = 0;
	if (i == n)
		return n;
	memcpy(rest, at, n_rest);
	for (; i < n && n_read + 2 <= n_rest; i++) {
		if (n_read + offsets[rest[n_read + 1]].n_bytes > n_rest)
			break;
		n_read += unpack_record(&u, rest + n_read, &records[i]);
	}
	return i;
}
