/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of tables as CSV: which fields are quoted, what empty fields look like, rows beyond the buffer, and rows that several
 * threads put together; and what is below: numbers as digits, and blocks of text.
 */
#include "builder/support/blocks.h"
#include "builder/tables/columns.h"
#include "builder/tables/row.h"

#include <check.h>
#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAMES "process,stream,state,count,total_ns\n" /* of states.csv */

static char dir[64];
static const struct table_place place = {.dir = dir};
static char text[64 * ROW_BUFFER_BYTES];

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
static const char *written(struct row_writer *to)
{
	char path[128];
	snprintf(path, sizeof path, "%s/states.csv", dir);
	ck_assert_int_eq(row_writer_close(to), 0);
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
	struct row_writer to;
	ck_assert_int_eq(row_writer_open(&to, &place, TABLE_states), 0);
	row_put_bytes(&to, "x|yz", 3);
	row_put_u64(&to, UINT64_MAX);
	row_put_hex(&to, 0xABC0);
	row_put_hex(&to, 0);
	row_put_text(&to, "a \"b\", c");
	row_end(&to);
	row_put_empty(&to, 3);
	row_put_u64_if(&to, false, 7);
	row_put_u64_if(&to, true, 0);
	row_end(&to);
	ck_assert_str_eq(written(&to), NAMES "x|y,18446744073709551615,0xabc0,,\"a \"\"b\"\", c\"\n,,,,0\n");
}
END_TEST

/* ---- A store ---- */

static size_t n_stored;

static void *open_stored(struct table_store *store, enum table_id table)
{
	return table == TABLE_states ? store : NULL;
}

static ssize_t put_stored(void *stream, const char *rows, size_t n_bytes)
{
	ck_assert_ptr_nonnull(stream);
	memcpy(text + n_stored, rows, n_bytes);
	n_stored += n_bytes;
	return (ssize_t)n_bytes;
}

static int close_stored(void *stream)
{
	return stream != NULL ? 0 : -1;
}

static const char *check_cell(const char *at, enum cell_type type, uint64_t number, double real, const char *word)
{
	struct cell cell;
	at = cell_read(&cell, at);
	ck_assert_int_eq(cell.type, type);
	if (type == CELL_NUMBER)
		ck_assert_uint_eq(cell.number, number);
	if (type == CELL_REAL)
		ck_assert_double_eq(cell.real, real);
	if (type == CELL_TEXT) {
		ck_assert_uint_eq(cell.n, strlen(word));
		ck_assert_int_eq(memcmp(cell.text, word, cell.n), 0);
	}
	return at;
}

START_TEST(a_store_gets_what_was_put)
{
	struct table_store store = {open_stored, put_stored, close_stored};
	const struct table_place into = {.store = &store};
	struct row_word word = row_word_make("task");
	struct row_writer to;
	n_stored = 0;
	ck_assert_int_eq(row_writer_open(&to, &into, TABLE_states), 0);
	for (unsigned n_bits = 0; n_bits <= 64; n_bits++) {
		row_put_u64(&to, n_bits == 0 ? 0 : UINT64_MAX >> (64 - n_bits));
		row_put_text(&to, n_bits % 2 == 0 ? "" : "a \"b\", c");
		row_put_hex(&to, n_bits);
		row_put_real(&to, 1.25 * n_bits);
		row_put_ready_word(&to, &word);
		row_end(&to);
	}
	ck_assert_int_eq(row_writer_close(&to), 0);
	const char *at = text;
	for (unsigned n_bits = 0; n_bits <= 64; n_bits++) {
		char hex[32];
		snprintf(hex, sizeof hex, "0x%x", n_bits);
		at = check_cell(at, CELL_NUMBER, n_bits == 0 ? 0 : UINT64_MAX >> (64 - n_bits), 0, NULL);
		at = check_cell(at, n_bits % 2 == 0 ? CELL_EMPTY : CELL_TEXT, 0, 0, "a \"b\", c");
		at = check_cell(at, n_bits == 0 ? CELL_EMPTY : CELL_TEXT, 0, 0, hex);
		at = check_cell(at, CELL_REAL, 0, 1.25 * n_bits, NULL);
		at = check_cell(at, CELL_TEXT, 0, 0, "task");
	}
	ck_assert_ptr_eq(at, text + n_stored);
}
END_TEST

START_TEST(rows_do_not_depend_on_the_buffer)
{
	enum { N_ROWS = 40, STEP = ROW_BUFFER_BYTES / 16 };
	static char field[N_ROWS * STEP + 1];
	struct row_writer to;
	ck_assert_int_eq(row_writer_open(&to, &place, TABLE_states), 0);
	for (unsigned i = 0; i < N_ROWS; i++) { /* up to twice the buffer */
		memset(field, 'a' + (int)(i % 26), i * STEP);
		field[i * STEP] = '\0';
		row_put_u64(&to, i);
		row_put_text(&to, field);
		row_end(&to);
	}
	const char *at = written(&to) + strlen(NAMES);
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

static void put_rows(const void *self, struct row_writer *to, size_t first, size_t end)
{
	const struct row_word *word = self;
	for (size_t i = first; i < end; i++) {
		row_put_u64(to, i);
		row_put_ready_word(to, word);
		row_end(to);
	}
}

START_TEST(rows_of_several_threads_are_in_order)
{
	enum { N_ROWS = 100000 };
	struct row_writer to;
	struct row_word word = row_word_make("taskgroup");
	omp_set_num_threads(1 + 3 * _i);
	ck_assert_int_eq(row_writer_open(&to, &place, TABLE_states), 0);
	row_writer_fill(&to, 0, put_rows, &word);
	row_writer_fill(&to, N_ROWS, put_rows, &word);
	row_writer_fill(&to, 1, put_rows, &word);
	const char *at = written(&to) + strlen(NAMES);
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
	Suite *suite = suite_create("row");
	TCase *tests = tcase_create("row");
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, fields_are_separated_and_quoted);
	tcase_add_test(tests, a_store_gets_what_was_put);
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
