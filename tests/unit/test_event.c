/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The event table against its own rules, and against what a field's slot says.
 */
#include "common/event.h"
#include "common/format.h"

#include <check.h>
#include <string.h>

static int is_id(const char *type)
{
	return strcmp(type, "TASK") == 0 || strcmp(type, "REGION") == 0 || strcmp(type, "OWN_TASK") == 0 ||
	       strcmp(type, "OPERATION") == 0 || strcmp(type, "OWN_REGION") == 0;
}

static int is_plain(const char *type)
{
	return is_id(type) || strcmp(type, "UINT") == 0 || strcmp(type, "DEVICE") == 0 || strcmp(type, "ADDRESS") == 0 ||
	       strcmp(type, "EIGHTH") == 0 || strcmp(type, "TICKS") == 0 || strcmp(type, "MONOTONIC") == 0;
}

/* The bits of the four words that a slot covers. */
static void cover(enum event_slot slot, uint64_t words[4])
{
	static const struct {
		unsigned word;
		uint64_t bits;
	} slots[] = {
		[SLOT_TIME] = {0, UINT64_MAX},
		[SLOT_FLAGS] = {1, UINT64_C(0xfff00)},
		[SLOT_FLAGS_LO4] = {1, UINT64_C(0xf00)},
		[SLOT_FLAGS_HI8] = {1, UINT64_C(0xff000)},
		[SLOT_FLAGS_B_HI8] = {1, UINT64_C(0xfff00)},
		[SLOT_VALUE] = {1, UINT64_MAX << 20},
		[SLOT_VALUE_LO32] = {1, UINT64_C(0xffffffff) << 20},
		[SLOT_VALUE_HI12] = {1, UINT64_C(0xfff) << 52},
		[SLOT_A] = {2, UINT64_MAX},
		[SLOT_A_LO] = {2, UINT32_MAX},
		[SLOT_A_HI] = {2, UINT64_C(0xffffffff) << 32},
		[SLOT_B] = {3, UINT64_MAX},
		[SLOT_B_LO] = {3, UINT32_MAX},
		[SLOT_B_HI] = {3, UINT64_C(0xffffffff) << 32},
		[SLOT_B_LO56] = {3, UINT64_MAX >> 8},
	};
	if (slot == SLOT_FLAGS_B_HI8) {
		ck_assert_uint_eq(words[3] >> 56, 0);
		words[3] |= UINT64_C(0xff) << 56;
	}
	ck_assert_uint_eq(words[slots[slot].word] & slots[slot].bits, 0);
	words[slots[slot].word] |= slots[slot].bits;
}

START_TEST(numbers_and_names_are_unique_and_ascending)
{
	for (unsigned i = 0; i < n_event_infos; i++) {
		ck_assert_uint_gt(event_infos[i].number, i == 0 ? 0 : event_infos[i - 1].number);
		ck_assert_uint_lt(event_infos[i].number, EVENT_KIND_LIMIT);
		ck_assert_ptr_eq(event_info(event_infos[i].number), &event_infos[i]);
		for (unsigned k = 0; k < i; k++)
			ck_assert_str_ne(event_infos[i].name, event_infos[k].name);
	}
	ck_assert_ptr_null(event_info(0));
	ck_assert_ptr_null(event_info(255));
}
END_TEST

START_TEST(fields_of_a_kind_do_not_share_bits)
{
	for (unsigned i = 0; i < n_event_infos; i++) {
		unsigned n;
		const struct event_field *fields = event_fields(event_infos[i].number, &n);
		int is_continuation =
			event_infos[i].number >= EVENT_CONTINUATION_FIRST && event_infos[i].number <= EVENT_CONTINUATION_LAST;
		uint64_t words[4] = {is_continuation ? 0 : UINT64_MAX, 0xff, 0, 0};
		for (unsigned k = 0; k < n; k++) {
			ck_assert_uint_eq(fields[k].event, event_infos[i].number);
			cover(fields[k].slot, words);
			for (unsigned other = 0; other < k; other++)
				ck_assert_str_ne(fields[k].name, fields[other].name);
		}
	}
}
END_TEST

START_TEST(every_type_is_plain_or_has_names)
{
	for (unsigned i = 0; i < n_event_infos; i++) {
		unsigned n;
		const struct event_field *fields = event_fields(event_infos[i].number, &n);
		for (unsigned k = 0; k < n; k++) {
			unsigned n_names = 0;
			for (unsigned value = 0; value < 64; value++)
				n_names += event_enum_name(fields[k].type, value) != NULL ||
					   event_flag_name(fields[k].type, value) != NULL;
			ck_assert_msg(is_plain(fields[k].type) == (n_names == 0), "%s", fields[k].type);
			if (n_names > 0) /* where it has more bits than FLAGS, or FLAGS is taken, a part of VALUE */
				ck_assert(fields[k].slot == SLOT_FLAGS || fields[k].slot == SLOT_VALUE_LO32 ||
					  fields[k].slot == SLOT_VALUE_HI12 || fields[k].slot == SLOT_FLAGS_LO4 ||
					  event_type_is_flags(fields[k].type));
		}
	}
}
END_TEST

START_TEST(continuations_name_continuation_kinds)
{
	ck_assert_uint_gt(n_event_continuations, 0);
	for (unsigned i = 0; i < n_event_continuations; i++) {
		unsigned found = 0;
		for (unsigned k = 0; k < n_event_infos; k++)
			if (strcmp(event_infos[k].name, event_continuations[i].name) == 0)
				found = event_infos[k].number;
		ck_assert_uint_ge(found, EVENT_CONTINUATION_FIRST);
		ck_assert_uint_le(found, EVENT_CONTINUATION_LAST);
	}
	struct record time_stamped = {.head = record_head(EVENT_task_create, 0, 0)}, more = {.head = record_head(EVENT_text, 0, 0)};
	ck_assert(!record_is_continuation(&time_stamped) && record_is_continuation(&more));
}
END_TEST

START_TEST(a_field_is_read_from_its_slot)
{
	struct record r = {UINT64_C(0x1111222233334444), record_head(EVENT_mutex_acquire, 0xabc, UINT64_C(0x123fffffff7)),
			   UINT64_C(0x5555666677778888), UINT64_C(0x9999aaaabbbbcccc)};
	const struct {
		enum event_slot slot;
		uint64_t value;
	} expected[] = {
		{SLOT_TIME, UINT64_C(0x1111222233334444)},
		{SLOT_FLAGS, 0xabc},
		{SLOT_FLAGS_LO4, 0xc},
		{SLOT_FLAGS_HI8, 0xab},
		{SLOT_VALUE, UINT64_C(0x123fffffff7)},
		{SLOT_VALUE_LO32, 0xfffffff7},
		{SLOT_VALUE_HI12, 0x123},
		{SLOT_A, UINT64_C(0x5555666677778888)},
		{SLOT_A_LO, 0x77778888},
		{SLOT_A_HI, 0x55556666},
		{SLOT_B, UINT64_C(0x9999aaaabbbbcccc)},
		{SLOT_B_LO, 0xbbbbcccc},
		{SLOT_B_HI, 0x9999aaaa},
	};
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		struct event_field field = {.slot = expected[i].slot, .type = "UINT"};
		ck_assert_uint_eq(event_field_get(&field, &r, 5), expected[i].value);
	}
}
END_TEST

START_TEST(an_own_id_is_completed_with_the_stream)
{
	struct event_field field = {.slot = SLOT_VALUE, .type = "OWN_TASK"};
	struct record r = {.head = record_head(EVENT_task_create, 0, RECORD_VALUE_MAX)};
	uint64_t id = event_field_get(&field, &r, ID_STREAM_MAX);
	ck_assert_uint_eq(id_stream(id), ID_STREAM_MAX);
	ck_assert_uint_eq(id_counter(id), RECORD_VALUE_MAX);
	r.head = record_head(EVENT_task_create, 0, 0);
	ck_assert_uint_eq(event_field_get(&field, &r, 7), 0); /* unknown stays unknown */
}
END_TEST

START_TEST(the_closed_word_vouches_for_itself)
{
	uint64_t closed = segment_closed(4096 | SEGMENT_SEALED);
	ck_assert_uint_eq(low32(closed), 4096 | SEGMENT_SEALED);
	ck_assert_uint_eq(low32(closed) ^ high32(closed), UINT32_MAX);
}
END_TEST

START_TEST(checksums_cover_what_they_must)
{
	struct segment_header h = {.magic = SEGMENT_MAGIC, .sequence = 1, .stream = 2};
	uint32_t sum = segment_checksum(&h);
	for (size_t i = 0; i < sizeof h; i++) {
		struct segment_header changed = h;
		((unsigned char *)&changed)[i] ^= 0x10;
		int is_covered = i < offsetof(struct segment_header, checksum) || i >= offsetof(struct segment_header, ticks);
		ck_assert_int_eq(segment_checksum(&changed) != sum, is_covered);
	}
	/* FNV-1a's own test vector. */
	ck_assert_uint_eq(checksum(CHECKSUM_START, "foobar", 6), 0xbf9cf968);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("event");
	TCase *c = tcase_create("event");
	tcase_add_test(c, numbers_and_names_are_unique_and_ascending);
	tcase_add_test(c, fields_of_a_kind_do_not_share_bits);
	tcase_add_test(c, every_type_is_plain_or_has_names);
	tcase_add_test(c, continuations_name_continuation_kinds);
	tcase_add_test(c, a_field_is_read_from_its_slot);
	tcase_add_test(c, an_own_id_is_completed_with_the_stream);
	tcase_add_test(c, the_closed_word_vouches_for_itself);
	tcase_add_test(c, checksums_cover_what_they_must);
	suite_add_tcase(suite, c);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed == 0 ? 0 : 1;
}
