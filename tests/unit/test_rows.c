/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables to which several streams add rows: what was written into a row is found there later, whether the stream itself or
 * rows_prepare() allocated the row's memory.
 */
#include <check.h>

#include "builder/graph/rows.h"

#define ROWS ((uint32_t)4 << 20) /* 64 MiB: more than tables have that need no spare memory */

struct row {
	uint32_t stream, nth;
	uint64_t more;
};

static struct stream_rows rows;

/* Two streams add rows in turn. is_prepared: rows_prepare() is called in between. Returns how many spares it made. */
static unsigned fill(bool is_prepared)
{
	struct rows_end ends[2] = {{0}};
	unsigned n_made = 0;
	rows_begin(&rows, sizeof(struct row), ROWS, 2, &ends[0], 1);
	for (uint32_t i = 0; i < ROWS; i++) {
		struct row *row = rows_get(&rows, rows_add(&rows, &ends[i % 2], i % 2));
		*row = (struct row){i % 2, i / 2, UINT64_C(1) << 63 | i};
		while (is_prepared && i % 1000 == 0 && rows_prepare(&rows))
			n_made++;
	}
	return n_made;
}

static void look(void)
{
	uint32_t n[2] = {0}, n_wrong = 0;
	for (uint32_t block = 0; block < rows.n_blocks; block++)
		for (uint32_t i = block == 0; i < ROWS_BLOCK; i++) {
			const struct row *row = rows_get(&rows, (block << ROWS_SHIFT) + i);
			uint32_t stream = rows.owners[block];
			if (n[stream] == ROWS / 2)
				break;
			n_wrong += row->stream != stream || row->nth != n[stream]++ ||
				   row->more != (UINT64_C(1) << 63 | (2 * row->nth + stream));
		}
	ck_assert_uint_eq(n_wrong, 0);
	ck_assert_uint_eq(n[0], ROWS / 2);
	ck_assert_uint_eq(n[1], ROWS / 2);
}

START_TEST(rows_stay_what_they_are)
{
	ck_assert_uint_eq(fill(false), 0);
	look();
	rows_free(&rows);
}
END_TEST

/* Blocks of 64 KiB are taken 33 at a time: the second half of the table is some 15 times as much. */
START_TEST(spare_memory_is_taken)
{
	ck_assert_uint_ge(fill(true), 10);
	look();
	for (unsigned i = 0; i < ROWS_SPARES; i++)
		ck_assert_ptr_nonnull(rows.spares[i]);
	rows_free(&rows); /* the address sanitizer tells whether spares are freed */
}
END_TEST

START_TEST(small_tables_get_none)
{
	struct rows_end end = {0};
	rows_begin(&rows, sizeof(struct row), ROWS, 1, &end, 1);
	for (uint32_t i = 0; i < ROWS_BLOCK * 3; i++)
		rows_add(&rows, &end, 0);
	ck_assert(!rows_prepare(&rows));
	rows_free(&rows);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rows");
	TCase *tables = tcase_create("tables");
	tcase_add_test(tables, rows_stay_what_they_are);
	tcase_add_test(tables, spare_memory_is_taken);
	tcase_add_test(tables, small_tables_get_none);
	suite_add_tcase(suite, tables);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
