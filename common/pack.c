/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Packs a segment (pack.h): each record becomes a context, a byte with four codes of two bits, and the differences of
 * its four words from the last record of that context (of the time: from the record before), in as many bytes as the
 * codes say. Called by the recorder where it packs, and by the builder's --pack; any thread, no memory but the caller's.
 */
#include "common/pack.h"

#include <string.h>

/* The form of the kinds whose words A and B are not both plain. A wrong one costs room, nothing else. */
#define IDS PACK_FORM_IDS
#define ID  PACK_FORM_ID
static const unsigned char forms[EVENT_KIND_LIMIT] = {
	[EVENT_parallel_end] = ID,
	[EVENT_implicit_task_begin] = ID,
	[EVENT_implicit_task_end] = ID,
	[EVENT_task_create] = ID,
	[EVENT_task_schedule] = IDS,
	[EVENT_dependences] = ID,
	[EVENT_task_dependence] = IDS,
	[EVENT_sync_region_begin] = ID,
	[EVENT_sync_region_end] = ID,
	[EVENT_sync_region_wait_begin] = ID,
	[EVENT_sync_region_wait_end] = ID,
	[EVENT_reduction_begin] = ID,
	[EVENT_reduction_end] = ID,
	[EVENT_masked_begin] = ID,
	[EVENT_masked_end] = ID,
	[EVENT_cancel] = ID,
	[EVENT_target_begin] = ID,
	[EVENT_target_end] = ID,
	[EVENT_target_data_op_begin] = ID,
	[EVENT_target_data_op_end] = ID,
	[EVENT_target_data_op] = ID,
	[EVENT_target_submit_begin] = IDS,
	[EVENT_target_submit_end] = IDS,
	[EVENT_target_submit] = IDS,
	[EVENT_target_map] = ID,
	[EVENT_recording_on] = IDS,
	[EVENT_sample] = IDS,
};
#undef IDS
#undef ID

/* The codes of the shortest differences that hold a number, by the number of its leading zero bits, 0 to 63. */
#define CODES_16(code) code, code, code, code, code, code, code, code, code, code, code, code, code, code, code, code
#define CODES_8(code)  code, code, code, code, code, code, code, code
static const unsigned char time_codes[64] = {CODES_16(3), CODES_16(3), CODES_16(2), CODES_8(1), CODES_8(0)};
static const unsigned char word_codes[64] = {CODES_16(3), CODES_16(3), CODES_8(2), CODES_8(2), CODES_8(2), CODES_8(1)};

static inline unsigned time_code(uint64_t folded)
{
	return time_codes[__builtin_clzll(folded | 1)];
}

static inline unsigned word_code(uint64_t folded)
{
	return folded == 0 ? 0 : word_codes[__builtin_clzll(folded)];
}

/* Appends the lower bytes of a number; the 8 bytes at `to` are written whatever their number. */
static inline unsigned char *put(unsigned char *to, uint64_t folded, unsigned n_bytes)
{
	memcpy(to, &folded, sizeof folded);
	return to + n_bytes;
}

/* The difference of a word from the last one, which it takes the place of. */
static inline uint64_t difference(uint64_t word, uint64_t *last)
{
	uint64_t folded = pack_folded(word - *last);
	*last = word;
	return folded;
}

/* Records of the same kind, flags and place of the source share a context, as far as there are enough. */
static inline unsigned context(const struct record *r)
{
	unsigned form = record_is_continuation(r) ? PACK_FORM_CONTINUED : forms[record_kind(r)];
	uint64_t key = r->head & ((UINT64_C(1) << RECORD_VALUE_SHIFT) - 1);
	if (form == PACK_FORM_ID)
		key ^= r->b << RECORD_VALUE_SHIFT;
	return form << PACK_FORM_SHIFT | (unsigned)((key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - PACK_FORM_SHIFT));
}

/* A record takes 2 + 4 * 8 bytes at most, and put() writes up to 8 bytes more than it appends. */
#define RECORD_ROOM 48

/* Packs n records into fewer than n * 32 bytes, and into no more than `room`; returns how many, or 0 if they do not become
 * so few. */
static size_t pack_deltas(struct pack_memory *memory, const struct record *records, uint32_t n, unsigned char *to, size_t room)
{
	size_t n_bytes = (size_t)n * sizeof *records < room ? (size_t)n * sizeof *records : room;
	const unsigned char *limit = n_bytes > RECORD_ROOM ? to + n_bytes - RECORD_ROOM : to;
	unsigned char *at = to;
	uint64_t time = 0;
	memset(memory, 0, sizeof *memory);
	for (const struct record *r = records, *end = records + n; r < end; r++) {
		if (at >= limit)
			return 0;
		unsigned number = context(r), form = number >> PACK_FORM_SHIFT;
		struct record *last = &memory->last[number];
		unsigned turn_a = form == PACK_FORM_ID || form == PACK_FORM_IDS ? PACK_TURN : 0;
		unsigned turn_b = form == PACK_FORM_IDS ? PACK_TURN : 0;
		uint64_t t = difference(r->time, form == PACK_FORM_CONTINUED ? &last->time : &time);
		uint64_t head = difference(pack_turned(r->head, PACK_TURN), &last->head);
		uint64_t a = difference(pack_turned(r->a, turn_a), &last->a);
		uint64_t b = difference(pack_turned(r->b, turn_b), &last->b);
		unsigned code_t = time_code(t), code_head = word_code(head), code_a = word_code(a), code_b = word_code(b);
		at[0] = (unsigned char)number;
		at[1] = (unsigned char)(code_t | code_head << 2 | code_a << 4 | code_b << 6);
		at = put(at + 2, t, pack_time_bytes[code_t]);
		at = put(at, head, pack_word_bytes[code_head]);
		at = put(at, a, pack_word_bytes[code_a]);
		at = put(at, b, pack_word_bytes[code_b]);
	}
	return (size_t)(at - to);
}

size_t pack_segment(struct pack_memory *memory, const struct segment_header *segment, void *to)
{
	return pack_segment_within(memory, segment, (const struct record *)(segment + 1), to, SIZE_MAX);
}

size_t pack_segment_within(struct pack_memory *memory, const struct segment_header *segment, const struct record *records, void *to,
			   size_t room)
{
	const size_t before = sizeof *segment + sizeof(struct pack_header);
	uint32_t used = low32(segment->closed) & ~SEGMENT_SEALED;
	uint32_t n = (used - (uint32_t)sizeof *segment) / (uint32_t)sizeof *records;
	unsigned char *payload = (unsigned char *)to + before;
	if (room < before + PACK_ALIGN)
		return 0;
	size_t n_bytes = pack_deltas(memory, records, n, payload, room - before - (PACK_ALIGN - 1));
	struct pack_header pack = {.magic = PACK_MAGIC, .n_bytes = (uint32_t)n_bytes, .n_records = n, .method = PACK_DELTAS};
	if (n_bytes == 0 && room < PACKED_BYTES_MAX(n))
		return 0;
	if (n_bytes == 0) {
		pack.method = PACK_STORED;
		pack.n_bytes = n * (uint32_t)sizeof *records;
		memcpy(payload, records, pack.n_bytes);
	}
	size_t total = packed_bytes(segment, &pack);
	memset(payload + pack.n_bytes, 0, total - sizeof *segment - sizeof pack - pack.n_bytes);
	pack.checksum = packed_checksum(segment, &pack, payload);
	memcpy(to, segment, sizeof *segment);
	memcpy(payload - sizeof pack, &pack, sizeof pack);
	return total;
}

size_t packed_bytes(const struct segment_header *segment, const struct pack_header *pack)
{
	uint32_t used = low32(segment->closed) & ~SEGMENT_SEALED;
	uint64_t n_raw = (uint64_t)pack->n_records * sizeof(struct record);
	if (pack->magic != PACK_MAGIC || segment->closed != segment_closed(low32(segment->closed)) ||
	    used != sizeof *segment + n_raw || pack->n_bytes > n_raw || pack->reserved != 0 ||
	    !(pack->method == PACK_STORED ? pack->n_bytes == n_raw : pack->method == PACK_DELTAS))
		return 0;
	size_t n_bytes = sizeof *segment + sizeof *pack + pack->n_bytes;
	return (n_bytes + PACK_ALIGN - 1) & ~(size_t)(PACK_ALIGN - 1);
}

/*
 * The sum of one word more. For a given sum before, each word gives another sum, and for a given word each sum before:
 * a change within one word is always seen, any other almost certainly.
 */
static inline uint64_t sum_of(uint64_t sum, uint64_t word)
{
	return pack_turned(sum ^ word, 35) * UINT64_C(0x9e3779b97f4a7c15);
}

uint64_t packed_checksum(const struct segment_header *segment, const struct pack_header *pack, const void *payload)
{
	uint64_t sum = sum_of(PACK_MAGIC, (uint64_t)segment->checksum << 32 | pack->method), word;
	sum = sum_of(sum, (uint64_t)pack->n_bytes << 32 | pack->n_records);
	/* Two sums side by side take half the time of one. */
	uint64_t other = ~sum;
	const unsigned char *at = payload, *end = at + pack->n_bytes;
	for (; end - at >= 16; at += 16) {
		uint64_t words[2];
		memcpy(words, at, sizeof words);
		sum = sum_of(sum, words[0]);
		other = sum_of(other, words[1]);
	}
	unsigned char rest[16] = {0};
	memcpy(rest, at, (size_t)(end - at));
	memcpy(&word, rest, sizeof word);
	sum = sum_of(sum, word);
	memcpy(&word, rest + sizeof word, sizeof word);
	other = sum_of(other, word);
	return sum_of(sum, other);
}
