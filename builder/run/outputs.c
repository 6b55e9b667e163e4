/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rows of the table of outputs, what follows from them, and the outputs that are more than a call of one function.
 */
#include "builder/run/outputs.h"
#include "builder/answer/answer.h"
#include "builder/argobots/argobots.h"
#include "builder/callpaths/callpaths.h"
#include "builder/draw/files.h"
#include "builder/dump/list.h"
#include "builder/findings/findings.h"
#include "builder/graph/files.h"
#include "builder/graphml/graphml.h"
#include "builder/otf2/otf2.h"
#include "builder/report/report.h"
#include "builder/run/stages.h"
#include "builder/states/files.h"
#include "builder/summary/summary.h"
#include "builder/timeline/chrome.h"
#include "builder/timeline/perfetto.h"
#include "builder/whatif/whatif.h"

#include <inttypes.h>
#include <string.h>

/* ---- Outputs that are more than a call ---- */

static unsigned picture_formats(const struct built *built)
{
	return (built->options->asked & BY_SVG ? PICTURE_SVG : 0u) | (built->options->asked & BY_PDF ? PICTURE_PDF : 0u);
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
static int draw_graph(struct sink *sink, const struct built *built)
{
	const struct answer *answer = built->options->family.task == 0 ? built->answer : NULL;
	const struct drawn_from from = {built->graphs, built->states, answer};
	const struct graph_pictures pictures = {(built->options->asked & BY_DOT) != 0, picture_formats(built),
						built->options->width_mm, first_realtime_ns(built)};
	return sink_dot_open(sink, &from, built->directory, built->options->max_nodes, &pictures, built->drawn);
}

static int draw_profile(struct sink *sink, const struct built *built)
{
	const struct drawn_from from = {built->graphs, built->states, NULL};
	const struct picture_place place = {built->directory, picture_formats(built), first_realtime_ns(built)};
	return sink_profile_open(sink, &from, &place, built->options->width_mm);
}

static struct source_rules source_rules(const struct options *o)
{
	return (struct source_rules){!o->hides_sources, o->sources};
}

static int report_follow(struct sink *sinks, const struct built *built)
{
	const struct options *o = built->options;
	return sink_report_open(sinks, built->directory, built->n_traces, built->answer, built->callpaths, source_rules(o));
}

static int report_write(const struct built *built)
{
	return report_finish(built->summary, built->callpaths, built->directory);
}

/* The number of the process's first construct in tables of the run. */
static uint64_t first_construct(const struct built *built)
{
	return built->graphs->graphs[0].before.n_constructs;
}

static int print_records(const struct built *built)
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

static int print_summary(const struct built *built)
{
	summary_print(built->summary, stdout);
	printf("%-10s%s\n", "output", built->place);
	return 0;
}

static int print_answer(const struct built *built)
{
	/* No answer exists for a single task, or for Argobots' units. */
	if (built->options->family.task == 0 && built->summary->answer.is_there)
		summary_print_answer(built->summary, built->place, source_rules(built->options), stdout);
	else if (!(built->options->asked & BY_SUMMARY)) /* which prints all of it */
		print_summary(built);
	return 0;
}

static int print_what_if(const struct what_if_summary *what_if)
{
	if (what_if->is_there)
		summary_print_what_if(what_if, stdout);
	else
		puts("what if: the run cannot be simulated");
	return 0;
}

static int print_findings(const struct findings_summary *lint)
{
	if (lint->is_there)
		summary_print_findings(lint, stdout);
	else
		puts("lint: it is about OpenMP's tasks, which there are none of");
	return 0;
}

/* A drawing does not show what it has folded, so a line says it. */
static int print_drawn(const struct built *built)
{
	const struct drawn *drawn = built->drawn;
	unsigned asked = built->options->asked;
	if (drawn->is_folded)
		printf("%-10s%" PRIu64 " nodes are drawn by source construct as %" PRIu64 " (--max-nodes)\n",
		       asked & BY_DOT   ? "graph.dot"
		       : asked & BY_SVG ? "graph.svg"
					: "graph.pdf",
		       drawn->n_nodes, drawn->n_shown);
	return 0;
}

/* ---- The table ---- */

#define OUTPUT_FOLLOWER(name, options, traits, needs, call, ...)                                                                   \
	static int follow_##name(struct sink *sink, const struct built *built)                                                     \
	{                                                                                                                          \
		return call;                                                                                                       \
	}
#define OUTPUT_AT_ONCE(name, call)                                                                                                 \
	static int make_##name(const struct built *built)                                                                          \
	{                                                                                                                          \
		return call;                                                                                                       \
	}
#define OUTPUT_APPENDER(name, options, traits, needs, call, ...) OUTPUT_AT_ONCE(name, call)
#define OUTPUT_WRITER(name, options, traits, needs, call, ...)   OUTPUT_AT_ONCE(name, call)
#define OUTPUT_PRINTER(name, options, traits, needs, call)       OUTPUT_AT_ONCE(name, call)
#define OUTPUT_IN_PARTS(...)
#include "builder/run/outputs.def"
#undef OUTPUT_FOLLOWER
#undef OUTPUT_APPENDER
#undef OUTPUT_WRITER
#undef OUTPUT_PRINTER
#undef OUTPUT_IN_PARTS

#define ROW(options, traits, needs, follow, append, write, print, ...)                                                             \
	{options, traits, needs, (const char *const[]){__VA_ARGS__}, follow, append, write, print},
#define OUTPUT_FOLLOWER(name, options, traits, needs, call, ...)                                                                   \
	ROW(options, traits, needs, follow_##name, NULL, NULL, NULL, __VA_ARGS__, NULL)
#define OUTPUT_APPENDER(name, options, traits, needs, call, ...)                                                                   \
	ROW(options, traits, needs, NULL, make_##name, NULL, NULL, __VA_ARGS__, NULL)
#define OUTPUT_WRITER(name, options, traits, needs, call, ...)                                                                     \
	ROW(options, traits, needs, NULL, NULL, make_##name, NULL, __VA_ARGS__, NULL)
#define OUTPUT_PRINTER(name, options, traits, needs, call) ROW(options, traits, needs, NULL, NULL, NULL, make_##name, NULL)
#define OUTPUT_IN_PARTS(name, options, traits, needs, follow, append, write, ...)                                                  \
	ROW(options, traits, needs, follow, append, write, NULL, __VA_ARGS__, NULL)

const struct output_row output_rows[] = {
#include "builder/run/outputs.def"
};
const unsigned n_output_rows = sizeof output_rows / sizeof output_rows[0];
_Static_assert(sizeof output_rows / sizeof output_rows[0] <= 64, "a set of outputs is a mask of 64 bits");
#undef OUTPUT_FOLLOWER

const struct output_option output_options[N_OUTPUT_OPTIONS] = {
#define OUTPUT_OPTION(name, option, help, is_default, traits) {option, help, is_default, traits},
#include "builder/run/outputs.def"
};
_Static_assert(N_OUTPUT_OPTIONS < 31, "a set of options is an unsigned mask");

/* ---- What follows from it ---- */

unsigned output_options_default(void)
{
	unsigned options = 0;
	for (unsigned i = 0; i < N_OUTPUT_OPTIONS; i++)
		options |= (unsigned)output_options[i].is_default << i;
	return options;
}

uint64_t outputs_of(unsigned options)
{
	uint64_t outputs = 0;
	for (unsigned i = 0; i < n_output_rows; i++)
		outputs |= (uint64_t)((output_rows[i].options & options) != 0) << i;
	return outputs;
}

uint64_t outputs_selected(const struct options *options)
{
	uint64_t outputs = outputs_of(options->asked);
	unsigned left_out = TRAIT_THREADS | TRAIT_WHOLE | (options->is_asked ? 0u : TRAIT_ASKED_OF_TASK);
	for (unsigned i = 0; i < n_output_rows; i++)
		if (options->family.task != 0 && output_rows[i].traits & left_out)
			outputs &= ~((uint64_t)1 << i);
	return outputs;
}

const char *output_option_of(unsigned row)
{
	for (unsigned i = 0; i < N_OUTPUT_OPTIONS; i++)
		if (output_rows[row].options >> i & 1)
			return output_options[i].name;
	return NULL;
}

bool outputs_have_files(uint64_t outputs)
{
	for (unsigned i = 0; i < n_output_rows; i++)
		if (output_is_selected(outputs, i) && output_rows[i].files[0] != NULL)
			return true;
	return false;
}

unsigned outputs_need(uint64_t outputs, const struct options *options, bool has_each_state)
{
	unsigned needs = 0;
	for (unsigned i = 0; i < n_output_rows; i++)
		needs |= output_is_selected(outputs, i) ? output_rows[i].needs : 0;
	if (!has_each_state)
		needs &= ~(unsigned)NEEDS_EACH_STATE;
	if (options->family.task != 0 && !(outputs & outputs_of(BY_REPORT))) /* only the report has them beside a task */
		needs &= ~(unsigned)(NEEDS_FIGURES | NEEDS_ANSWER | NEEDS_CURVE | NEEDS_CALLPATHS);
	unsigned all = stages_needed(needs);
	if (options->level == GRAPH_FRAGMENT && all & (NEEDS_GRAPH | NEEDS_SUMMARY))
		needs |= NEEDS_PATH;
	if (options->level == GRAPH_FRAGMENT && all & NEEDS_SUMMARY) /* it has the critical path, by construct */
		needs |= NEEDS_SYMBOLS | NEEDS_EXCLUSION;
	if (options->is_strict) /* only the graph finds some repairs */
		needs |= NEEDS_GRAPH;
	return stages_needed(needs);
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
