/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The small mechanisms that the whole builder uses: arrays that grow, numbers as LEB128, binary search, rows by their key,
 * and times for people.
 */
#include <check.h>

#include "builder/support/array.h"
#include "builder/support/format.h"
#include "builder/support/lower_bound.h"
#include "builder/support/map.h"
#include "builder/support/varint.h"

#include <stdbool.h>

/* ---- Arrays ---- */

START_TEST(arrays_keep_what_is_pushed)
{
	struct pair {
		uint32_t n;
		size_t square;
	} *pairs = NULL;
	uint32_t n = 0; /* of another type than the capacity */
	size_t capacity = 0;
	for (uint32_t i = 0; i < 1000; i++)
		array_push(pairs, n, capacity, (struct pair){n, (size_t)n * n});
	ck_assert_uint_eq(n, 1000);
	ck_assert_uint_eq(capacity, 1024);
	for (uint32_t i = 0; i < n; i++)
		ck_assert(pairs[i].n == i && pairs[i].square == (size_t)i * i);
	struct pair *added = array_add(pairs, n, capacity);
	ck_assert_ptr_eq(added, &pairs[1000]);
	ck_assert_uint_eq(n, 1001);
	array_reserve(pairs, 1024, capacity);
	ck_assert_uint_eq(capacity, 1024);
	array_reserve(pairs, 1025, capacity);
	ck_assert_uint_eq(capacity, 2048);
	ck_assert_uint_eq(pairs[999].n, 999);
	free(pairs);
}
END_TEST

START_TEST(arrays_grow_without_a_capacity)
{
	size_t *numbers = NULL, n = 0;
	while (n < 100)
		array_append(numbers, n, 3 * n);
	for (size_t i = 0; i < n; i++)
		ck_assert_uint_eq(numbers[i], 3 * i);
	size_t *one = array_append_one(numbers, n);
	ck_assert_ptr_eq(one, &numbers[100]);
	ck_assert_uint_eq(n, 101);
	free(numbers);
}
END_TEST

/* ---- LEB128 ---- */

START_TEST(varints_come_back)
{
	static const struct {
		uint64_t number;
		size_t n_bytes;
	} cases[] = {
		{0, 1}, {1, 1}, {127, 1}, {128, 2}, {300, 2}, {16383, 2}, {16384, 3}, {UINT32_MAX, 5}, {UINT64_MAX, VARINT_MAX}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char bytes[VARINT_MAX];
		const unsigned char *at = (const unsigned char *)bytes;
		ck_assert_uint_eq((size_t)(varint_put(bytes, cases[i].number) - bytes), cases[i].n_bytes);
		ck_assert_uint_eq(varint_take(&at), cases[i].number);
		ck_assert_uint_eq((size_t)(at - (const unsigned char *)bytes), cases[i].n_bytes);
	}
	char bytes[VARINT_MAX];
	varint_put(bytes, 300); /* the example of protocol buffers' documentation */
	ck_assert_int_eq(memcmp(bytes, "\xac\x02", 2), 0);
}
END_TEST

START_TEST(changes_are_short_in_both_directions)
{
	static const uint64_t numbers[] = {0, 1, 63, 64, UINT32_MAX, UINT64_MAX};
	ck_assert_uint_eq(varint_zigzag(5, 5), 0);
	ck_assert_uint_eq(varint_zigzag(4, 5), 1);
	ck_assert_uint_eq(varint_zigzag(6, 5), 2);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++) {
			char bytes[VARINT_MAX];
			const unsigned char *at = (const unsigned char *)bytes;
			varint_put_change(bytes, numbers[i], numbers[j]);
			ck_assert_uint_eq(varint_take_change(&at, numbers[j]), numbers[i]);
		}
}
END_TEST

/* ---- Search ---- */

START_TEST(lower_bounds_are_the_first)
{
	static const int rows[] = {1, 3, 3, 3, 7};
	static const size_t first[] = {0, 0, 1, 1, 4, 4, 4, 4, 5}; /* of 0 to 8 */
	for (int wanted = 0; wanted <= 8; wanted++)
		ck_assert_uint_eq(lower_bound(i, 0, 5, rows[i] < wanted), first[wanted]);
	ck_assert_uint_eq(lower_bound(i, 2, 4, rows[i] < 1), 2);
	ck_assert_uint_eq(lower_bound(i, 2, 4, rows[i] < 9), 4);
	ck_assert_uint_eq(lower_bound(i, 3, 3, rows[i] < 9), 3);
}
END_TEST

/* ---- Rows by their key ---- */

START_TEST(rows_are_found_by_their_key)
{
	struct row {
		uint32_t key[3];
		unsigned n_found;
	} *rows = NULL;
	size_t n = 0, capacity = 0;
	struct map numbers = {0};
	for (uint32_t i = 0; i < 3000; i++) {
		const uint32_t key[] = {i % 10, i % 7, i % 3};
		uint32_t *number = map_put_row(&numbers, rows, key);
		array_push_new(rows, n, capacity, number, (struct row){{key[0], key[1], key[2]}, 0});
		rows[*number - 1].n_found++;
	}
	ck_assert_uint_eq(n, 210);
	for (uint32_t i = 0; i < n; i++) /* in the order in which they came first */
		ck_assert(rows[i].key[0] == i % 10 && rows[i].key[1] == i % 7 && rows[i].key[2] == i % 3 && rows[i].n_found >= 14);
	free(rows);
	map_free(&numbers);
}
END_TEST

/* A row whose hash is another one's is found beside it. */
START_TEST(rows_of_one_hash_are_told_apart)
{
	static const struct {
		uint32_t key, value;
	} rows[] = {{5, 50}, {6, 60}};
	const uint32_t first = 5, second = 6, third = 7;
	struct map numbers = {0};
	*map_put(&numbers, hash_bytes(&second, sizeof second)) = 1; /* the place of 6 is taken by the row of 5 */
	uint32_t *number = map_put_row(&numbers, rows, second);
	ck_assert_uint_eq(*number, 0);
	*number = 2;
	ck_assert_uint_eq(*map_put_row(&numbers, rows, second), 2);
	ck_assert_uint_eq(*map_put_row(&numbers, rows, first), 0);
	ck_assert_uint_eq(*map_put_row(&numbers, rows, third), 0);
	map_free(&numbers);
}
END_TEST

/* FNV-1a as its authors publish it, but for where it begins; archives' identifiers depend on it. */
START_TEST(hashes_stay)
{
	ck_assert_uint_eq(hash_text(UINT64_C(0xcbf29ce484222325), "foobar"), UINT64_C(0x85944171f73967e8));
	ck_assert_uint_eq(HASH_BEGIN, UINT64_C(1469598103934665603));
}
END_TEST

/* ---- For people ---- */

START_TEST(times_have_three_digits)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {{0, "0 ns"},         {999, "999 ns"},      {1000, "1.00 us"},      {9994, "9.99 us"},
		     {9996, "10.0 us"},   {99940, "99.9 us"},   {99960, "100 us"},      {999499, "999 us"},
		     {999500, "1.00 ms"}, {1234567, "1.23 ms"}, {1234567890, "1.23 s"}, {UINT64_C(5000000000000), "5000 s"}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		ck_assert_str_eq(format_ns(cases[i].ns).text, cases[i].text);
}
END_TEST

START_TEST(labels_are_cut_in_the_middle)
{
	ck_assert_str_eq(format_fit("task main.c:12", 14).text, "task main.c:12");
	ck_assert_str_eq(format_fit("task main.c:12", 12).text, "task..n.c:12");
	ck_assert_str_eq(format_fit("a\tb", 20).text, "a\\x09b");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("support");
	TCase *all = tcase_create("support");
	tcase_add_test(all, arrays_keep_what_is_pushed);
	tcase_add_test(all, arrays_grow_without_a_capacity);
	tcase_add_test(all, varints_come_back);
	tcase_add_test(all, changes_are_short_in_both_directions);
	tcase_add_test(all, lower_bounds_are_the_first);
	tcase_add_test(all, rows_are_found_by_their_key);
	tcase_add_test(all, rows_of_one_hash_are_told_apart);
	tcase_add_test(all, hashes_stay);
	tcase_add_test(all, times_have_three_digits);
	tcase_add_test(all, labels_are_cut_in_the_middle);
	suite_add_tcase(suite, all);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
