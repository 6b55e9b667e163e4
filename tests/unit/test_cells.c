/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Text in cells of a terminal: a character is never cut, wide ones take two cells, and what is no UTF-8 takes one a byte.
 */
#include "builder/support/cells.h"
#include "builder/support/format.h"

#include <check.h>
#include <string.h>

#define WIDE     "\xe6\x97\xa5\xe6\x9c\xac" /* two characters of two cells each */
#define COMBINED "e\xcc\x81"                /* a letter, and an accent that takes no cell of its own */
#define BOLD     "\033[1m"

START_TEST(characters_have_their_cells)
{
	static const struct {
		const char *text;
		size_t cells;
	} rows[] = {{"", 0},
		    {"abc", 3},
		    {"caf\xc3\xa9", 4},
		    {WIDE, 4},
		    {COMBINED, 1},
		    {BOLD "a\033[0m", 1},
		    {"\xff\xfe"
		     "a",
		     3},
		    {"\xe6\x97", 2},
		    {"\033[1", 0}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		ck_assert_uint_eq(cells_of(rows[i].text), rows[i].cells);
}
END_TEST

START_TEST(no_character_is_cut)
{
	ck_assert_uint_eq(cells_begin(WIDE, 1), 0);
	ck_assert_uint_eq(cells_begin(WIDE, 3), 3);
	ck_assert_uint_eq(cells_begin(WIDE, 9), 6);
	ck_assert_uint_eq(cells_end("a" WIDE, 4), 6);
	ck_assert_uint_eq(cells_end("a" WIDE, 3), 3);
	ck_assert_str_eq(format_fit(WIDE WIDE WIDE "ab", 9).text, "\xe6\x97\xa5..\xe6\x9c\xac"
								  "ab");
	ck_assert_str_eq(format_fit("caf\xc3\xa9", 4).text, "caf\xc3\xa9");
}
END_TEST

START_TEST(a_column_has_its_width)
{
	static const char *const texts[] = {"", "abc", WIDE, WIDE WIDE WIDE WIDE, "caf\xc3\xa9 and a longer name", "\xff\xff"};
	for (size_t width = 8; width <= 85; width++)
		for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
			size_t cells = cells_of(format_column(texts[i], width).text);
			ck_assert_msg(cells == width, "%s in %zu cells, not %zu", texts[i], cells, width);
		}
}
END_TEST

START_TEST(a_file_has_80_columns_and_no_colours)
{
	FILE *file = tmpfile();
	ck_assert_uint_eq(terminal_columns(file), 80);
	ck_assert(!terminal_is_coloured(file));
	fclose(file);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cells");
	TCase *tests = tcase_create("cells");
	tcase_add_test(tests, characters_have_their_cells);
	tcase_add_test(tests, no_character_is_cut);
	tcase_add_test(tests, a_column_has_its_width);
	tcase_add_test(tests, a_file_has_80_columns_and_no_colours);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed != 0;
}
