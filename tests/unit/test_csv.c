/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables as CSV: which fields are quoted, what empty fields look like, and rows beyond the buffer.
 */
#include "builder/support/csv.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[64], text[64 * CSV_BUFFER_BYTES];

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
	ck_assert_int_eq(csv_open(&csv, dir, "t.csv", "a,b,c,d,e"), 0);
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
	ck_assert_int_eq(csv_open(&csv, dir, "t.csv", "n,text"), 0);
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

int main(void)
{
	Suite *suite = suite_create("csv");
	TCase *tests = tcase_create("csv");
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, fields_are_separated_and_quoted);
	tcase_add_test(tests, rows_do_not_depend_on_the_buffer);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
