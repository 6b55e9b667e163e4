/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rows of the table of outputs, what follows from them, and the ways from a row to the function of its folder.
 * Called by main.c and run.c, on the main thread.
 */
#include "builder/answer/files.h"
#include "builder/chrome/chrome.h"
#include "builder/outputs.h"
#include "builder/report/report.h"
#include "builder/dump/list.h"
#include "builder/graph/files.h"
#include "builder/graphml/graphml.h"
#include "builder/lint/lint.h"
#include "builder/otf2/otf2.h"
#include "builder/perfetto/perfetto.h"
#include "builder/picture/files.h"
#include "builder/spawn/files.h"
#include "builder/states/files.h"
#include "builder/summary/processes.h"
#include "builder/summary/summary.h"
#include "builder/whatif/whatif.h"

#include <inttypes.h>
#include <string.h>

#define FILES(...)                                                                                                                 \
	(const char *const[])                                                                                                      \
	{                                                                                                                          \
		__VA_ARGS__                                                                                                        \
	}
#define OUTPUT_FOLLOWER(name, option, help, is_default, traits, needs, ...)                                                        \
	{option, help, is_default, traits, needs, FILES(__VA_ARGS__, NULL), output_follow_##name, NULL, NULL, NULL},
#define OUTPUT_APPENDER(name, option, help, is_default, traits, needs, ...)                                                        \
	{option, help, is_default, traits, needs, FILES(__VA_ARGS__, NULL), NULL, output_append_##name, NULL, NULL},
#define OUTPUT_WRITER(name, option, help, is_default, traits, needs, ...)                                                          \
	{option, help, is_default, traits, needs, FILES(__VA_ARGS__, NULL), NULL, NULL, output_write_##name, NULL},
#define OUTPUT_PRINTER(name, option, help, is_default, traits, needs)                                                              \
	{option, help, is_default, traits, needs, FILES(NULL), NULL, NULL, NULL, output_print_##name},

const struct output_row output_rows[] = {
#include "builder/outputs.def"
};
const unsigned n_output_rows = sizeof output_rows / sizeof output_rows[0];
_Static_assert(sizeof output_rows / sizeof output_rows[0] <= 64, "a set of outputs is a mask of 64 bits");

uint64_t outputs_of_option(const char *option)
{
	uint64_t outputs = 0;
	for (unsigned i = 0; i < n_output_rows; i++)
		outputs |= (uint64_t)(strcmp(output_rows[i].option, option) == 0) << i;
	return outputs;
}

uint64_t outputs_for_comparison(void)
{
	uint64_t outputs = 0;
	for (unsigned i = 0; i < n_output_rows; i++) {
		const char *file = output_rows[i].files[0];
		bool is_wanted = file != NULL && (strcmp(output_rows[i].option, "answer") == 0 ||
						  strcmp(file, "constructs.csv") == 0 || strcmp(file, "spawn.csv") == 0);
		outputs |= (uint64_t)is_wanted << i;
	}
	return outputs;
}

uint64_t outputs_default(void)
{
	uint64_t outputs = 0;
	for (unsigned i = 0; i < n_output_rows; i++)
		outputs |= (uint64_t)output_rows[i].is_default << i;
	return outputs;
}

bool outputs_have_files(uint64_t outputs)
{
	for (unsigned i = 0; i < n_output_rows; i++)
		if (output_is_selected(outputs, i) && output_rows[i].files[0] != NULL)
			return true;
	return false;
}

unsigned outputs_need(uint64_t outputs, enum graph_level level, bool has_each_state)
{
	unsigned needs = 0;
	for (unsigned i = 0; i < n_output_rows; i++)
		needs |= output_is_selected(outputs, i) ? output_rows[i].needs : 0;
	if (needs & (NEEDS_GROUPS | NEEDS_WHAT_IF))
		needs |= NEEDS_ANSWER;
	if (needs & NEEDS_ANSWER)
		needs |= NEEDS_FIGURES;
	if (needs & NEEDS_FIGURES)
		needs |= NEEDS_SPAWN;
	if (needs & NEEDS_SPAWN)
		needs |= NEEDS_STATES | NEEDS_SYMBOLS;
	if (needs & NEEDS_TASK_TIMES)
		needs |= NEEDS_STATES;
	if (needs & NEEDS_SUMMARY) /* at the fragment level it has the critical path, by construct */
		needs |= NEEDS_STATES | NEEDS_SOME_SYMBOLS |
			 (level == GRAPH_FRAGMENT ? NEEDS_GRAPH | NEEDS_SYMBOLS : NEEDS_GRAPH_COUNTS);
	bool has_path = needs & NEEDS_GRAPH && level == GRAPH_FRAGMENT;
	if (has_path || (needs & HEARS_STATES && has_each_state))
		needs |= NEEDS_STATES;
	if (needs & (NEEDS_GRAPH | NEEDS_GRAPH_COUNTS | NEEDS_STATES))
		needs |= NEEDS_REPLAY;
	return needs;
}

bool output_is_file(const char *name)
{
	for (unsigned i = 0; i < n_output_rows; i++)
		for (const char *const *file = output_rows[i].files; *file != NULL; file++)
			if (strcmp(name, *file) == 0)
				return true;
	if (perfetto_is_file(name))
		return true;
	/* What --diff writes, and what versions before 0.2.0 called the archive. */
	return strcmp(name, "diff.json") == 0 || strcmp(name, "diff.html") == 0 || strcmp(name, "trace.otf2") == 0 ||
	       strcmp(name, "trace.def") == 0 || strcmp(name, "trace") == 0;
}

/* ---- From a row to its function ---- */

int output_follow_archive(struct sink *sink, const struct built *built)
{
	if (sink_otf2_open(sink, built->directory, built->traces, built->n_traces, parts_have_times(&built->options->times)) != 0)
		return -1;
	if (!built->has_each_state)
		sink->pass_state = NULL;
	return 0;
}

int output_follow_intervals(struct sink *sink, const struct built *built)
{
	return built->has_each_state ? sink_intervals_open(sink, &built->files) : 0;
}

int output_follow_parallelism(struct sink *sink, const struct built *built)
{
	return sink_parallelism_open(sink, &built->files, built->options->n_bins, built->traces, built->states);
}

static bool is_asked(const struct built *built, const char *option)
{
	return built->options->outputs & outputs_of_option(option);
}

static unsigned picture_formats(const struct built *built)
{
	return (is_asked(built, "svg") ? PICTURE_SVG : 0u) | (is_asked(built, "pdf") ? PICTURE_PDF : 0u);
}

static uint64_t first_realtime_ns(const struct built *built)
{
	uint64_t first_ns = UINT64_MAX;
	for (size_t i = 0; i < built->n_traces; i++)
		if (built->traces[i].dump.first_realtime_ns < first_ns)
			first_ns = built->traces[i].dump.first_realtime_ns;
	return first_ns;
}

/* All files of the graph are of one drawing. */
static int follow_graph(struct sink *sink, const struct built *built)
{
	const struct answer *answer = built->options->family.task == 0 ? built->answer : NULL;
	const struct drawn_from from = {built->graphs, built->states, answer};
	const struct graph_pictures pictures = {is_asked(built, "dot"), picture_formats(built), built->options->width_mm,
						first_realtime_ns(built)};
	return sink_dot_open(sink, &from, built->directory, built->options->max_nodes, &pictures, built->drawn);
}

int output_follow_dot(struct sink *sink, const struct built *built)
{
	return follow_graph(sink, built);
}

int output_follow_graph_svg(struct sink *sink, const struct built *built)
{
	return is_asked(built, "dot") ? 0 : follow_graph(sink, built); /* else --dot's sink writes all */
}

int output_follow_graph_pdf(struct sink *sink, const struct built *built)
{
	return is_asked(built, "dot") || is_asked(built, "svg") ? 0 : follow_graph(sink, built);
}

int output_follow_profile(struct sink *sink, const struct built *built)
{
	const struct drawn_from from = {built->graphs, built->states, NULL};
	const struct picture_place place = {built->directory, picture_formats(built), first_realtime_ns(built)};
	return sink_profile_open(sink, &from, &place, built->options->width_mm);
}

int output_follow_profile_pdf(struct sink *sink, const struct built *built)
{
	return is_asked(built, "svg") ? 0 : output_follow_profile(sink, built); /* else --svg's sink writes both */
}

int output_follow_perfetto(struct sink *sink, const struct built *built)
{
	const struct options *options = built->options;
	return perfetto_open(sink, built->graphs, built->directory, options->perfetto_bytes, options->n_bins, built->traces,
			     built->n_traces);
}

int output_follow_chrome(struct sink *sink, const struct built *built)
{
	return chrome_open(sink, built->graphs, built->directory, built->options->n_bins, built->traces, built->n_traces);
}

int output_follow_graphml(struct sink *sink, const struct built *built)
{
	return graphml_open(sink, built->graphs, built->directory);
}

int output_follow_report(struct sink *sink, const struct built *built)
{
	const struct options *o = built->options;
	return sink_report_open(sink, built->directory, built->n_traces, built->answer, built->spawn,
				(struct report_sources){!o->hides_sources, o->sources});
}

int output_write_report_end(const struct built *built)
{
	return report_finish(built->summary, built->spawn, built->directory);
}

int output_append_nodes(const struct built *built)
{
	return graph_nodes_csv(built->graphs, &built->files);
}

int output_append_constructs(const struct built *built)
{
	return answer_constructs_csv(built->traces, built->answer, &built->graphs->graphs[0], &built->files);
}

int output_append_edges(const struct built *built)
{
	return graph_edges_csv(built->graphs, &built->files);
}

int output_append_exclusive(const struct built *built)
{
	return graph_exclusive_csv(built->graphs, &built->files);
}

int output_append_mutexes(const struct built *built)
{
	return has_mutexes(built->graphs) ? graph_mutexes_csv(built->graphs, &built->files) : 0;
}

int output_append_samples(const struct built *built)
{
	return built->traces[0].dump.n_samples != 0 ? samples_csv(built->graphs, &built->files) : 0;
}

int output_append_units(const struct built *built)
{
	return has_units(built->graphs) ? units_csv(built->graphs, &built->files) : 0;
}

int output_append_waits(const struct built *built)
{
	return answer_waits_csv(built->traces, built->answer, built->graphs->graphs[0].before.n_constructs, &built->files);
}

int output_append_speedups(const struct built *built)
{
	return what_if_speedups_csv(built->traces, built->what_if, built->graphs->graphs[0].before.n_constructs, &built->files);
}

int output_append_what_if(const struct built *built)
{
	return what_if_csv(built->traces, built->what_if, &built->files);
}

int output_append_grain(const struct built *built)
{
	return answer_grain_csv(built->traces, built->answer, built->graphs->graphs[0].before.n_constructs, &built->files);
}

int output_append_lint(const struct built *built)
{
	return lint_csv(built->traces, built->findings, built->graphs->graphs[0].before.n_constructs, &built->files);
}

int output_append_states(const struct built *built)
{
	return states_csv(built->traces, built->states, built->n_traces, &built->files);
}

int output_write_spawn(const struct built *built)
{
	return spawn_csv(built->spawn, &built->files);
}

int output_write_folded(const struct built *built)
{
	return spawn_folded(built->spawn, built->directory);
}

int output_write_speedscope(const struct built *built)
{
	return spawn_speedscope(built->spawn, built->traces[0].dump.meta.program, built->directory);
}

int output_write_processes(const struct built *built)
{
	return processes_csv(built->traces, built->n_traces, &built->files);
}

int output_write_summary_file(const struct built *built)
{
	return summary_json(built->summary, built->directory);
}

int output_write_answer_file(const struct built *built)
{
	if (built->options->outputs & outputs_of_option("summary")) /* which writes it */
		return 0;
	return summary_json(built->summary, built->directory);
}

int output_write_what_if_file(const struct built *built)
{
	if (built->options->outputs & (outputs_of_option("summary") | outputs_of_option("answer")))
		return 0;
	return summary_json(built->summary, built->directory);
}

int output_write_lint_file(const struct built *built)
{
	uint64_t others = outputs_of_option("summary") | outputs_of_option("answer") | outputs_of_option("what-if");
	return built->options->outputs & others ? 0 : summary_json(built->summary, built->directory);
}

int output_print_lint_text(const struct built *built)
{
	if (built->summary->answer.lint.is_there)
		summary_print_lint(&built->summary->answer.lint, stdout);
	else
		puts("lint: it is about OpenMP's tasks, which there are none of");
	return 0;
}

int output_print_what_if_text(const struct built *built)
{
	if (built->summary->answer.what_if.is_there)
		summary_print_what_if(&built->summary->answer.what_if, stdout);
	else
		puts("what if: the run cannot be simulated");
	return 0;
}

int output_print_answer_text(const struct built *built)
{
	/* Not asked of a task, and not known of Argobots' units. */
	bool is_there = built->options->family.task == 0 && built->summary->answer.is_there;
	if (!is_there && built->options->outputs & outputs_of_option("summary")) /* which prints all of it */
		return 0;
	if (!is_there)
		return output_print_summary_text(built);
	summary_print_answer(built->summary, built->place, stdout);
	return 0;
}

int output_print_list(const struct built *built)
{
	int rc = 0;
	for (size_t i = 0; i < built->n_traces && rc == 0; i++) {
		struct dump *dump = &built->traces[i].dump;
		bool was_down = dump_is_down(dump);
		rc = dump_take_up(dump) != 0 ? -1 : list_dump(dump, stdout);
		if (was_down)
			dump_put_down(dump);
	}
	return rc;
}

int output_print_canonical(const struct built *built)
{
	return graph_canonical(*built->canonical, stdout);
}

int output_print_summary_text(const struct built *built)
{
	summary_print(built->summary, stdout);
	printf("%-10s%s\n", "output", built->place);
	return 0;
}

/* What is folded is not there to be seen, so it is said. */
int output_print_drawn(const struct built *built)
{
	const struct drawn *drawn = built->drawn;
	if (drawn->is_folded)
		printf("%-10s%" PRIu64 " nodes are drawn by source construct as %" PRIu64 " (--max-nodes)\n",
		       is_asked(built, "dot")   ? "graph.dot"
		       : is_asked(built, "svg") ? "graph.svg"
						: "graph.pdf",
		       drawn->n_nodes, drawn->n_shown);
	return 0;
}

int output_print_drawn_svg(const struct built *built)
{
	return is_asked(built, "dot") ? 0 : output_print_drawn(built);
}

int output_print_drawn_pdf(const struct built *built)
{
	return is_asked(built, "dot") || is_asked(built, "svg") ? 0 : output_print_drawn(built);
}
