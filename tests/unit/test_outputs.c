/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of outputs, and the plan that follows from it: what each selection needs, and nothing more.
 */
#include <check.h>
#include <string.h>

#include "builder/run/job.h"
#include "builder/run/outputs.h"
#include "builder/run/stages.h"

static unsigned need(unsigned asked, enum graph_level level, bool has_each_state)
{
	const struct options options = {.level = level, .asked = asked};
	return outputs_need(outputs_selected(&options), &options, has_each_state);
}

START_TEST(an_option_selects_all_rows_that_have_it)
{
	ck_assert_uint_eq(outputs_of(0), 0);
	uint64_t csv = outputs_of(BY_CSV);
	for (unsigned i = 0; i < n_output_rows; i++)
		ck_assert_int_eq(output_is_selected(csv, i), (output_rows[i].options & BY_CSV) != 0);
	ck_assert_uint_eq(output_options_default(), BY_CSV | BY_PARALLELISM | BY_OTF2 | BY_DOT | BY_ANSWER | BY_REPORT);
}
END_TEST

/* Each option selects something, and explains itself; each row does something; a file has one row. */
START_TEST(rows_are_sound)
{
	for (unsigned i = 0; i < N_OUTPUT_OPTIONS; i++) {
		ck_assert_uint_ne(outputs_of(1u << i), 0);
		ck_assert_int_eq(output_options[i].help == NULL, output_options[i].name == NULL);
		ck_assert(output_options[i].name != NULL || !output_options[i].is_default);
	}
	for (unsigned i = 0; i < n_output_rows; i++) {
		const struct output_row *row = &output_rows[i];
		ck_assert(row->options != 0 && row->options < 1u << N_OUTPUT_OPTIONS && row->needs < 1u << N_STAGES);
		ck_assert_ptr_nonnull(output_option_of(i));
		ck_assert(row->follow != NULL || row->append != NULL || row->write != NULL || row->print != NULL);
		ck_assert_int_eq(row->print == NULL, row->files[0] != NULL);
		ck_assert((row->follow == NULL && row->append == NULL) || stages_needed(row->needs) & NEEDS_REPLAY);
		for (const char *const *file = row->files; *file != NULL; file++) {
			ck_assert(output_is_file(*file));
			for (unsigned j = 0; j < i; j++)
				for (const char *const *other = output_rows[j].files; *other != NULL; other++)
					ck_assert_str_ne(*file, *other);
		}
	}
	ck_assert(!output_is_file("own.txt"));
	ck_assert(!outputs_have_files(outputs_of(BY_LIST | BY_CANONICAL)));
	ck_assert(outputs_have_files(outputs_of(BY_LIST | BY_SUMMARY)));
}
END_TEST

START_TEST(a_listing_needs_the_dump_alone)
{
	ck_assert_uint_eq(need(BY_LIST, GRAPH_TASK, true), NEEDS_RECORDS);
}
END_TEST

START_TEST(an_archive_needs_no_graph_and_no_summary)
{
	unsigned archive = NEEDS_MODEL | NEEDS_REPLAY | NEEDS_LOCK_ORDERS | NEEDS_SYMBOLS;
	ck_assert_uint_eq(need(BY_OTF2, GRAPH_TASK, false), archive);
	ck_assert_uint_eq(need(BY_OTF2, GRAPH_TASK, true), archive | NEEDS_EACH_STATE | NEEDS_STATES);
}
END_TEST

START_TEST(a_summary_needs_the_graph_itself_for_the_path_alone)
{
	unsigned summary = NEEDS_SUMMARY | NEEDS_MODEL | NEEDS_REPLAY | NEEDS_STATES | NEEDS_SOME_SYMBOLS | NEEDS_COUNTS;
	unsigned path = NEEDS_GRAPH | NEEDS_PATH | NEEDS_SYMBOLS | NEEDS_EXCLUSION;
	ck_assert_uint_eq(need(BY_SUMMARY, GRAPH_TASK, false), summary);
	ck_assert_uint_eq(need(BY_SUMMARY, GRAPH_SCOPE, false), summary);
	ck_assert_uint_eq(need(BY_SUMMARY, GRAPH_FRAGMENT, false), summary | path);
}
END_TEST

/* Times of nodes are those of the states. */
START_TEST(what_shows_times_needs_states)
{
	unsigned graph = NEEDS_MODEL | NEEDS_REPLAY | NEEDS_COUNTS | NEEDS_GRAPH | NEEDS_SYMBOLS;
	unsigned figures = NEEDS_STATES | NEEDS_FRAGMENTS | NEEDS_EXCLUSION | NEEDS_TREE | NEEDS_FIGURES;
	ck_assert_uint_eq(need(BY_DOT, GRAPH_TASK, true), graph | figures);
	ck_assert_uint_eq(need(BY_CANONICAL, GRAPH_TASK, true), graph | NEEDS_CANONICAL);
	ck_assert(!(need(BY_CSV, GRAPH_TASK, true) & NEEDS_LOCK_ORDERS));
}
END_TEST

/* Beside a task, only its page shows what limits the run. */
START_TEST(a_task_needs_nothing_about_threads)
{
	struct options of_task = {.level = GRAPH_TASK, .family = {.task = 1}, .asked = output_options_default()};
	const unsigned about_threads = NEEDS_FIGURES | NEEDS_ANSWER | NEEDS_CALLPATHS | NEEDS_TREE | NEEDS_EACH_STATE;
	ck_assert_uint_eq(outputs_need(outputs_selected(&of_task), &of_task, false) & about_threads, 0);
	ck_assert_uint_eq(outputs_selected(&of_task) & (outputs_of(BY_OTF2) | outputs_of(BY_REPORT)), 0);
	of_task.asked = BY_SQLITE | BY_DOT;
	of_task.is_asked = true;
	ck_assert_uint_eq(outputs_need(outputs_selected(&of_task), &of_task, false) & about_threads, 0);
	of_task.asked = BY_REPORT;
	ck_assert(outputs_need(outputs_selected(&of_task), &of_task, false) & NEEDS_GROUPS);
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
	uint64_t all = outputs_of(output_options_default());
	ck_assert_uint_eq(bounds_by_nodes(all, BOUNDS_NODES), 0);
	uint64_t by_nodes = bounds_by_nodes(all, BOUNDS_NODES + 1);
	ck_assert(has_file(by_nodes, "nodes.csv") && has_file(by_nodes, "edges.csv") && has_file(by_nodes, "exclusive.csv"));
	ck_assert(!has_file(by_nodes, "constructs.csv") && !has_file(by_nodes, "traces.otf2") &&
		  !has_file(by_nodes, "summary.json"));
	ck_assert_uint_eq(bounds_by_records(all, BOUNDS_INTERVAL_RECORDS), 0);
	uint64_t by_records = bounds_by_records(all, BOUNDS_RECORDS);
	ck_assert(has_file(by_records, "state_intervals.csv") && !has_file(by_records, "traces.otf2"));
	ck_assert(has_file(bounds_by_records(all, BOUNDS_RECORDS + 1), "traces.otf2"));
	ck_assert_uint_eq(bounds_by_nodes(outputs_of(BY_OTF2), UINT64_MAX), 0);
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
	tcase_add_test(outputs, a_task_needs_nothing_about_threads);
	tcase_add_test(outputs, what_grows_with_the_run_is_bounded);
	suite_add_tcase(suite, outputs);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
