/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of outputs, and the plan that follows from it: what each selection needs, and nothing more.
 */
#include <check.h>
#include <string.h>

#include "builder/bounds.h"
#include "builder/outputs.h"

static unsigned need(const char *option, enum graph_level level, bool has_each_state)
{
	return outputs_need(outputs_of_option(option), level, has_each_state);
}

START_TEST(an_option_selects_all_rows_that_have_it)
{
	ck_assert_uint_eq(outputs_of_option("no-such-output"), 0);
	uint64_t csv = outputs_of_option("csv");
	for (unsigned i = 0; i < n_output_rows; i++)
		ck_assert_int_eq(output_is_selected(csv, i), strcmp(output_rows[i].option, "csv") == 0);
	ck_assert_uint_eq(outputs_default(), csv | outputs_of_option("parallelism") | outputs_of_option("otf2") |
						     outputs_of_option("dot") | outputs_of_option("answer") |
						     outputs_of_option("report"));
}
END_TEST

/* One row of an option explains it, all are selected by default or none; and each row does something, in one way. */
START_TEST(rows_are_sound)
{
	for (unsigned i = 0; i < n_output_rows; i++) {
		const struct output_row *row = &output_rows[i];
		unsigned n_helps = 0;
		for (unsigned j = 0; j < n_output_rows; j++)
			if (strcmp(row->option, output_rows[j].option) == 0) {
				n_helps += output_rows[j].help != NULL;
				ck_assert_int_eq(row->is_default, output_rows[j].is_default);
			}
		ck_assert_uint_eq(n_helps, 1);
		ck_assert_int_eq((row->follow != NULL) + (row->append != NULL) + (row->write != NULL) + (row->print != NULL), 1);
		ck_assert_int_eq(row->print == NULL, row->files[0] != NULL);
		ck_assert(row->follow == NULL || row->needs & (NEEDS_REPLAY | HEARS_STATES));
		for (const char *const *file = row->files; *file != NULL; file++)
			ck_assert(output_is_file(*file));
	}
	ck_assert(!output_is_file("own.txt"));
	ck_assert(!outputs_have_files(outputs_of_option("list") | outputs_of_option("canonical")));
	ck_assert(outputs_have_files(outputs_of_option("list") | outputs_of_option("summary")));
}
END_TEST

START_TEST(a_listing_needs_the_dump_alone)
{
	ck_assert_uint_eq(need("list", GRAPH_TASK, true), NEEDS_RECORDS);
}
END_TEST

START_TEST(an_archive_needs_no_graph_and_no_summary)
{
	unsigned archive = NEEDS_REPLAY | NEEDS_LOCK_ORDERS | NEEDS_SYMBOLS | HEARS_STATES;
	ck_assert_uint_eq(need("otf2", GRAPH_TASK, false), archive);
	ck_assert_uint_eq(need("otf2", GRAPH_TASK, true), archive | NEEDS_STATES);
}
END_TEST

START_TEST(a_summary_needs_the_graph_itself_for_the_path_alone)
{
	unsigned summary = NEEDS_SUMMARY | NEEDS_REPLAY | NEEDS_STATES | NEEDS_SOME_SYMBOLS;
	ck_assert_uint_eq(need("summary", GRAPH_TASK, false), summary | NEEDS_GRAPH_COUNTS);
	ck_assert_uint_eq(need("summary", GRAPH_SCOPE, false), summary | NEEDS_GRAPH_COUNTS);
	ck_assert_uint_eq(need("summary", GRAPH_FRAGMENT, false), summary | NEEDS_GRAPH | NEEDS_SYMBOLS);
}
END_TEST

/* Times of nodes are those of the states. */
START_TEST(what_shows_times_needs_states)
{
	ck_assert_uint_eq(need("dot", GRAPH_TASK, true),
			  NEEDS_REPLAY | NEEDS_GRAPH | NEEDS_STATES | NEEDS_SYMBOLS | NEEDS_FIGURES | NEEDS_SPAWN);
	ck_assert_uint_eq(need("canonical", GRAPH_TASK, true), NEEDS_REPLAY | NEEDS_GRAPH | NEEDS_SYMBOLS | NEEDS_CANONICAL);
	ck_assert(!(need("csv", GRAPH_TASK, true) & NEEDS_LOCK_ORDERS));
}
END_TEST

static bool has_file(uint64_t outputs, const char *name)
{
	bool has = false;
	for (unsigned i = 0; i < n_output_rows; i++)
		has = has || (output_is_selected(outputs, i) && output_rows[i].files[0] != NULL &&
			      strcmp(output_rows[i].files[0], name) == 0);
	return has;
}

/* The archive, thread states one by one, and tables of nodes and edges grow with the run. */
START_TEST(what_grows_with_the_run_is_bounded)
{
	uint64_t all = outputs_default();
	ck_assert_uint_eq(bounds_by_nodes(all, BOUNDS_NODES), 0);
	uint64_t by_nodes = bounds_by_nodes(all, BOUNDS_NODES + 1);
	ck_assert(has_file(by_nodes, "nodes.csv") && has_file(by_nodes, "edges.csv") && has_file(by_nodes, "exclusive.csv"));
	ck_assert(!has_file(by_nodes, "constructs.csv") && !has_file(by_nodes, "traces.otf2") &&
		  !has_file(by_nodes, "summary.json"));
	ck_assert_uint_eq(bounds_by_records(all, BOUNDS_INTERVAL_RECORDS), 0);
	uint64_t by_records = bounds_by_records(all, BOUNDS_RECORDS);
	ck_assert(has_file(by_records, "state_intervals.csv") && !has_file(by_records, "traces.otf2"));
	ck_assert(has_file(bounds_by_records(all, BOUNDS_RECORDS + 1), "traces.otf2"));
	ck_assert_uint_eq(bounds_by_nodes(outputs_of_option("otf2"), UINT64_MAX), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("outputs");
	TCase *outputs = tcase_create("outputs");
	tcase_add_test(outputs, an_option_selects_all_rows_that_have_it);
	tcase_add_test(outputs, rows_are_sound);
	tcase_add_test(outputs, a_listing_needs_the_dump_alone);
	tcase_add_test(outputs, an_archive_needs_no_graph_and_no_summary);
	tcase_add_test(outputs, a_summary_needs_the_graph_itself_for_the_path_alone);
	tcase_add_test(outputs, what_shows_times_needs_states);
	tcase_add_test(outputs, what_grows_with_the_run_is_bounded);
	suite_add_tcase(suite, outputs);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
