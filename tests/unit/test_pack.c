/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Packed segments: whatever the records are, they come out as they went in; whatever the bytes are, nothing but them is
 * read, and nothing but the records asked for is written (with SAN=address, as all memory here has its exact size).
 */
#include "common/pack.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 1;

static uint64_t any(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * UINT64_C(0x2545f4914f6cdd1d);
}

/* A number of 0 to 64 bits. */
static uint64_t any_size(void)
{
	unsigned n = (unsigned)(any() % 65);
	return n == 0 ? 0 : any() >> (64 - n);
}

/* A segment with room for n records, all 0. */
static struct segment_header *make(uint32_t n)
{
	uint32_t used = (uint32_t)sizeof(struct segment_header) + n * (uint32_t)sizeof(struct record);
	struct segment_header *h = calloc(1, used);
	*h = (struct segment_header){
		.magic = SEGMENT_MAGIC, .sequence = 3, .stream = 2, .ticks = 1000, .closed = segment_closed(used)};
	h->checksum = segment_checksum(h);
	return h;
}

static struct record *records_of(struct segment_header *h)
{
	return (struct record *)(h + 1);
}

/* Packs it into memory of exactly the bytes that it takes. */
static unsigned char *pack(const struct segment_header *h, uint32_t n, size_t *n_bytes)
{
	static struct pack_memory memory;
	memset(&memory, 0xa5, sizeof memory);
	unsigned char *room = malloc(PACKED_BYTES_MAX(n) + 1);
	room[PACKED_BYTES_MAX(n)] = 0x5a;
	*n_bytes = pack_segment(&memory, h, room);
	ck_assert_uint_eq(room[PACKED_BYTES_MAX(n)], 0x5a);
	ck_assert_uint_le(*n_bytes, PACKED_BYTES_MAX(n));
	ck_assert_uint_eq(*n_bytes % PACK_ALIGN, 0);
	unsigned char *exact = malloc(*n_bytes);
	memcpy(exact, room, *n_bytes);
	free(room);
	return exact;
}

static struct pack_header *pack_of(unsigned char *packed)
{
	return (struct pack_header *)(packed + sizeof(struct segment_header));
}

/* Packs, checks, unpacks and frees the segment; returns the bytes of its packed records. */
static uint32_t there_and_back(struct segment_header *h, uint32_t n)
{
	size_t n_bytes;
	unsigned char *packed = pack(h, n, &n_bytes);
	struct pack_header *p = pack_of(packed);
	ck_assert_mem_eq(packed, h, sizeof *h);
	ck_assert_uint_eq(p->n_records, n);
	ck_assert_uint_eq(packed_bytes(h, p), n_bytes);
	ck_assert_uint_eq(packed_checksum(h, p, p + 1), p->checksum);
	for (const unsigned char *at = (unsigned char *)(p + 1) + p->n_bytes; at < packed + n_bytes; at++)
		ck_assert_uint_eq(*at, 0);
	uint32_t some[] = {n, 0, 1, n / 2, n == 0 ? 0 : n - 1};
	for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
		uint32_t m = some[i] < n ? some[i] : n;
		struct record *out = malloc(m * sizeof *out + 1);
		ck_assert_uint_eq(unpack_records(p, p + 1, out, m), m);
		if (m > 0)
			ck_assert_mem_eq(out, records_of(h), m * sizeof *out);
		free(out);
	}
	ck_assert_uint_eq(unpack_records(p, p + 1, NULL, 0), 0);
	struct record *more = malloc((n + 5) * sizeof *more);
	ck_assert_uint_eq(unpack_records(p, p + 1, more, n + 5), n);
	free(more);
	uint32_t result = p->n_bytes;
	free(packed);
	free(h);
	return result;
}

/* Records as programs make them: a few kinds, growing times, near ids and addresses. */
static void fill_plausible(struct record *r, uint32_t n)
{
	static const enum event_kind kinds[] = {EVENT_task_create, EVENT_task_schedule,    EVENT_sync_region_begin,
						EVENT_dispatch,    EVENT_dependences_more, EVENT_mutex_acquire};
	uint64_t time = UINT64_C(48025856872724);
	for (uint32_t i = 0; i < n; i++) {
		enum event_kind kind = kinds[any() % 6];
		time += any() % 300;
		r[i] = (struct record){time, record_head(kind, any() % 4, i), id_make(2, 1000 + i),
				       0x5586b348c26a + any() % 3 * 64};
	}
}

START_TEST(any_bytes_come_out_as_they_went_in)
{
	for (uint32_t n = 0; n < 200; n++) {
		struct segment_header *h = make(n);
		for (uint32_t i = 0; i < n; i++)
			records_of(h)[i] = (struct record){any(), any(), any(), any()};
		ck_assert_uint_eq(there_and_back(h, n), n * 32);
		h = make(n);
		for (uint32_t i = 0; i < n; i++)
			records_of(h)[i] =
				(struct record){any_size(), any_size() << any() % 64, any_size(), any_size() << any() % 64};
		there_and_back(h, n);
		there_and_back(make(n), n); /* all of kind 0 */
		h = make(n);
		memset(records_of(h), 0xff, n * sizeof(struct record));
		there_and_back(h, n);
	}
}
END_TEST

START_TEST(each_kind_comes_out_as_it_went_in)
{
	for (unsigned kind = 0; kind < EVENT_KIND_LIMIT; kind++) {
		struct segment_header *h = make(300);
		for (uint32_t i = 0; i < 300; i++)
			records_of(h)[i] = (struct record){UINT64_MAX - any_size(), any() << 8 | kind, any_size(), 0 - any_size()};
		there_and_back(h, 300);
	}
}
END_TEST

/* Differences at the limits of each number of bytes, up and down, in each word. */
START_TEST(differences_of_every_size)
{
	for (unsigned word = 0; word < 4; word++) {
		struct segment_header *h = make(64 * 6);
		for (uint32_t i = 0; i < 64 * 6; i++) {
			uint64_t words[4] = {0, EVENT_task_schedule, 0, 0}, size = UINT64_C(1) << i / 6;
			words[word] ^= i % 6 == 0 ? size : i % 6 == 2 ? size - 1 : i % 6 == 4 ? 0 - size : 0;
			records_of(h)[i] = (struct record){words[0], words[1], words[2], words[3]};
		}
		there_and_back(h, 64 * 6);
	}
}
END_TEST

START_TEST(plausible_records_become_small)
{
	uint32_t n = (SEGMENT_BYTES_DEFAULT - 128) / 32;
	struct segment_header *h = make(n);
	fill_plausible(records_of(h), n);
	ck_assert_uint_lt(there_and_back(h, n), n * 11);
	n = (SEGMENT_BYTES_MAX - 128) / 32;
	h = make(n);
	fill_plausible(records_of(h), n);
	ck_assert_uint_lt(there_and_back(h, n), n * 11);
}
END_TEST

/* The code is part of the format: these bytes were made by hand, from docs/format.md. */
START_TEST(the_code_is_that_of_the_format)
{
	static const unsigned char bytes[] = {/* context 64: time +4, head turned 7 << 44 | 3, A turned 2, B +0x100 */
					      0x40, 0x9c, 0x08, 0x06, 0, 0, 0, 0, 0xe0, 0, 0, 0x04, 0x00, 0x02, 0, 0,
					      /* context 64 again: time -1, head +1, A and B as before */
					      0x40, 0x04, 0x01, 0x02,
					      /* context 192: word 0 +0x8000, head 0, A -1, B 0 */
					      0xc0, 0x12, 0x00, 0x00, 0x01, 0x00, 0x01,
					      /* context 128: time +0, A and B turned 1 */
					      0x80, 0x50, 0x00, 0x02, 0x02};
	static const struct record expected[] = {{4, 3 << 20 | 7, 2 << 20, 0x100},
						 {3, 4 << 20 | 7, 2 << 20, 0x100},
						 {0x8000, 0, UINT64_MAX, 0},
						 {3, 0, 1 << 20, 1 << 20}};
	struct pack_header p = {.magic = PACK_MAGIC, .n_bytes = sizeof bytes, .n_records = 4, .method = PACK_DELTAS};
	struct record out[4];
	ck_assert_uint_eq(unpack_records(&p, bytes, out, 4), 4);
	ck_assert_mem_eq(out, expected, sizeof out);
	/* The checksum, by section 5 of docs/format.md in another language. */
	struct segment_header h = {.checksum = 0x12345678};
	ck_assert_uint_eq(packed_checksum(&h, &p, bytes), UINT64_C(0xd8cdd7ea83eb61d5));
}
END_TEST

/* Whatever the bytes are: no more is read than there is, and no more written than asked for. */
START_TEST(damaged_bytes_do_no_harm)
{
	uint32_t n = 60;
	struct segment_header *h = make(n);
	fill_plausible(records_of(h), n);
	size_t n_bytes;
	unsigned char *packed = pack(h, n, &n_bytes);
	uint32_t length = pack_of(packed)->n_bytes;
	for (unsigned i = 0; i < 20000; i++) {
		struct pack_header p = *pack_of(packed);
		p.n_bytes = i % 3 == 0 ? (uint32_t)(any() % 200) : length;
		p.method = i % 5 == 0 ? PACK_STORED : PACK_DELTAS;
		unsigned char *bytes = malloc(p.n_bytes + 1);
		for (uint32_t k = 0; k < p.n_bytes; k++)
			bytes[k] = i % 3 == 0 ? (unsigned char)any() : ((unsigned char *)(pack_of(packed) + 1))[k];
		for (unsigned k = 0; k < i % 7 && p.n_bytes > 0; k++)
			bytes[any() % p.n_bytes] = (unsigned char)any();
		unsigned char *exact = malloc(p.n_bytes);
		memcpy(exact, bytes, p.n_bytes);
		uint32_t wanted = (uint32_t)(any() % (n + 10));
		struct record *out = malloc(wanted * sizeof *out);
		ck_assert_uint_le(unpack_records(&p, exact, out, wanted), wanted);
		free(out);
		free(exact);
		free(bytes);
	}
	free(packed);
	free(h);
}
END_TEST

START_TEST(each_changed_bit_is_seen)
{
	uint32_t n = 40;
	struct segment_header *h = make(n);
	fill_plausible(records_of(h), n);
	size_t n_bytes;
	unsigned char *packed = pack(h, n, &n_bytes);
	struct segment_header *there = (struct segment_header *)packed;
	struct pack_header *p = pack_of(packed);
	size_t n_meaning = sizeof *h + sizeof *p + p->n_bytes;
	for (size_t bit = 0; bit < n_meaning * 8; bit++) {
		packed[bit / 8] ^= (unsigned char)(1 << bit % 8);
		bool is_valid = there->checksum == segment_checksum(there) && packed_bytes(there, p) != 0 &&
				packed_bytes(there, p) <= n_bytes && packed_checksum(there, p, p + 1) == p->checksum;
		ck_assert_msg(!is_valid, "bit %zu", bit);
		packed[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
	free(packed);
	free(h);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pack");
	TCase *tests = tcase_create("pack");
	tcase_set_timeout(tests, 0); /* tests/check.sh ends what hangs */
	tcase_add_test(tests, any_bytes_come_out_as_they_went_in);
	tcase_add_test(tests, each_kind_comes_out_as_it_went_in);
	tcase_add_test(tests, differences_of_every_size);
	tcase_add_test(tests, plausible_records_become_small);
	tcase_add_test(tests, the_code_is_that_of_the_format);
	tcase_add_test(tests, damaged_bytes_do_no_harm);
	tcase_add_test(tests, each_changed_bit_is_seen);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed == 0 ? 0 : 1;
}
