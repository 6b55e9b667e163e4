/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables as CSV: which fields are quoted, what empty fields look like, rows beyond the buffer, and rows that several
 * threads put together; and what is below: numbers as digits, and blocks of text.
 */
#include "builder/support/blocks.h"
#include "builder/support/csv.h"

#include <check.h>
#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[64];
static const struct csv_place place = {.dir = dir};
static char text[64 * CSV_BUFFER_BYTES];

static void setup(void)
{
	strcpy(dir, "/tmp/otter-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void teardown(void)
{
	ck_assert_int_eq(rmdir(dir), 0);
}

/* Closes the table, and returns what is in it. */
static const char *written(struct csv *csv)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%s", dir, csv->name);
	ck_assert_int_eq(csv_close(csv), 0);
	FILE *in = fopen(path, "r");
	ck_assert_ptr_nonnull(in);
	size_t n = fread(text, 1, sizeof text - 1, in);
	text[n] = '\0';
	fclose(in);
	unlink(path);
	return text;
}

START_TEST(fields_are_separated_and_quoted)
{
	struct csv csv;
	ck_assert_int_eq(csv_open(&csv, &place, "t.csv", "a,b,c,d,e"), 0);
	csv_empty(&csv, 1);
	csv_append(&csv, "x");
	csv_append(&csv, "|y");
	csv_number(&csv, UINT64_MAX);
	csv_handle(&csv, 0xABC0);
	csv_handle(&csv, 0);
	csv_text(&csv, "a \"b\", c");
	csv_end_row(&csv);
	csv_empty(&csv, 3);
	csv_number_if(&csv, false, 7);
	csv_number_if(&csv, true, 0);
	csv_end_row(&csv);
	ck_assert_str_eq(written(&csv), "a,b,c,d,e\nx|y,18446744073709551615,0xabc0,,\"a \"\"b\"\", c\"\n,,,,0\n");
}
END_TEST

START_TEST(rows_do_not_depend_on_the_buffer)
{
	enum { N_ROWS = 40, STEP = CSV_BUFFER_BYTES / 16 };
	static char field[N_ROWS * STEP + 1];
	struct csv csv;
	ck_assert_int_eq(csv_open(&csv, &place, "t.csv", "n,text"), 0);
	for (unsigned i = 0; i < N_ROWS; i++) { /* up to twice the buffer */
		memset(field, 'a' + (int)(i % 26), i * STEP);
		field[i * STEP] = '\0';
		csv_number(&csv, i);
		csv_text(&csv, field);
		csv_end_row(&csv);
	}
	const char *at = written(&csv) + strlen("n,text\n");
	for (unsigned i = 0; i < N_ROWS; i++) {
		char number[16];
		size_t n = (size_t)snprintf(number, sizeof number, "%u,", i);
		ck_assert_int_eq(strncmp(at, number, n), 0);
		ck_assert_uint_eq(strspn(at + n, (char[]){(char)('a' + (int)(i % 26)), '\0'}), i * STEP);
		at += n + i * STEP;
		ck_assert_int_eq(*at++, '\n');
	}
	ck_assert_int_eq(*at, '\0');
}
END_TEST

static void put_rows(const void *self, struct csv *csv, size_t first, size_t end)
{
	const struct csv_word *word = self;
	for (size_t i = first; i < end; i++) {
		csv_number(csv, i);
		csv_ready_word(csv, word);
		csv_end_row(csv);
	}
}

START_TEST(rows_of_several_threads_are_in_order)
{
	enum { N_ROWS = 100000 };
	struct csv csv;
	struct csv_word word = csv_make_word("taskgroup");
	omp_set_num_threads(1 + 3 * _i);
	ck_assert_int_eq(csv_open(&csv, &place, "t.csv", "n,word"), 0);
	csv_rows(&csv, 0, put_rows, &word);
	csv_rows(&csv, N_ROWS, put_rows, &word);
	csv_rows(&csv, 1, put_rows, &word);
	const char *at = written(&csv) + strlen("n,word\n");
	for (unsigned i = 0; i <= N_ROWS; i++) {
		char row[32];
		size_t n = (size_t)snprintf(row, sizeof row, "%u,taskgroup\n", i % N_ROWS);
		ck_assert_int_eq(strncmp(at, row, n), 0);
		at += n;
	}
	ck_assert_int_eq(*at, '\0');
}
END_TEST

static void check_number(uint64_t number)
{
	char expected[32], is[32];
	snprintf(expected, sizeof expected, "%" PRIu64, number);
	*text_decimal(is, number) = '\0';
	ck_assert_str_eq(is, expected);
	snprintf(expected, sizeof expected, "%" PRIx64, number);
	*text_hex(is, number, 1) = '\0';
	ck_assert_str_eq(is, expected);
	snprintf(expected, sizeof expected, "%016" PRIx64, number);
	*text_hex(is, number, 16) = '\0';
	ck_assert_str_eq(is, expected);
}

START_TEST(numbers_are_as_printf_has_them)
{
	for (uint64_t power = 1; power != 0; power *= 2)
		for (uint64_t i = 0; i < 100; i++)
			check_number(power + i);
	for (uint64_t power = 1, i = 0; i < 20; power *= 10, i++) {
		check_number(power - 1);
		check_number(power);
	}
	for (uint64_t i = 50; i < 1000000; i += 50)
		check_number(i);
	check_number(UINT64_MAX);
}
END_TEST

static void put_block(void *self, size_t block, struct buffer *to)
{
	++*(size_t *)self;
	for (size_t i = 0; i < 100000; i++)
		buffer_put_decimal(to, block);
}

START_TEST(a_full_disk_is_noticed)
{
	FILE *out = fopen("/dev/full", "w");
	size_t n_formatted = 0;
	ck_assert_ptr_nonnull(out);
	omp_set_num_threads(1);
	ck_assert_int_eq(blocks_write(out, 1000, put_block, &n_formatted), -1);
	ck_assert_int_eq(ferror(out) != 0, 1);
	ck_assert_uint_lt(n_formatted, 10); /* what comes after is not formatted */
	fclose(out);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("csv");
	TCase *tests = tcase_create("csv");
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, fields_are_separated_and_quoted);
	tcase_add_test(tests, rows_do_not_depend_on_the_buffer);
	tcase_add_loop_test(tests, rows_of_several_threads_are_in_order, 0, 2);
	tcase_add_test(tests, numbers_are_as_printf_has_them);
	tcase_add_test(tests, a_full_disk_is_noticed);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
