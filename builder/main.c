/* SPDX-License-Identifier: BSD-3-Clause
 *
 * otter-build: reads its options, those of the outputs by the table of outputs (outputs.def). run.c does what they ask
 * for.
 */
#include "builder/compare.h"
#include "builder/ending.h"
#include "builder/model/debuginfod.h"
#include "builder/outputs.h"
#include "builder/pack.h"
#include "builder/parts.h"
#include "builder/run.h"
#include "builder/support/memory.h"
#include "builder/support/memory_limit.h"
#include "common/format.h"

#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* libc prints it for --version, and looks for it by name. */
__attribute__((visibility("default"))) const char *argp_program_version =
	"otter-build " OTTER_VERSION_STRING " (dump format " FORMAT_VERSION_STRING ")";

enum {
	OPTION_GRAPH = 256,
	OPTION_MAX_NODES,
	OPTION_STATES,
	OPTION_BINS,
	OPTION_WIDTH,
	OPTION_PERFETTO_BYTES,
	OPTION_SOURCE,
	OPTION_NO_SOURCE,
	OPTION_FORCE,
	OPTION_STRICT,
	OPTION_RUN,
	OPTION_MERGE,
	OPTION_PROCESS,
	OPTION_FROM,
	OPTION_TO,
	OPTION_TASK,
	OPTION_DEPTH,
	OPTION_DEBUGINFOD,
	OPTION_MEMORY,
	OPTION_PACK,
	OPTION_DIFF,
	OPTION_THRESHOLD,
	OPTION_FOLD,
	OPTION_OUTPUT = 512 /* and the number of a row of the table of outputs */
};

/* For how long servers are asked in all. */
#define SERVER_SECONDS     10
#define SERVER_SECONDS_MAX 3600u

#define DEFAULT_NODES  150
#define DEFAULT_BINS   1000
#define BINS_MAX       1000000u
#define FOLD_LEAST     100u
#define FOLD_MOST      100000000u
#define DEFAULT_WIDTH  180
#define WIDTH_MIN      60u
#define WIDTH_MAX      1000u
#define PERFETTO_BYTES (UINT64_C(1) << 30)

static const struct argp_option how_options[] = {
	{0, 0, 0, 0, "How:", 2},
	{"output", 'o', "DIR", 0, "where files go (default: the first DUMP, with .build for .otter)", 0},
	{"force", OPTION_FORCE, 0, 0, "replace the output of an earlier run", 0},
	{"graph", OPTION_GRAPH, "LEVEL", 0, "level of the graph: scope, task (the default) or fragment", 0},
	{"max-nodes", OPTION_MAX_NODES, "N", 0,
	 "draw no more nodes than this in graph.dot; each one by itself where there are two fifths of it (default: 150)", 0},
	{"states", OPTION_STATES, 0, 0, "thread states one by one: in the archive a metric, with --csv state_intervals.csv", 0},
	{"fold", OPTION_FOLD, "N", 0, "simulate larger graphs with several nodes as one (default: 50000, with --what-if 1000000)",
	 0},
	{"bins", OPTION_BINS, "N", 0, "rows of a process in parallelism.csv, at most (default: 1000)", 0},
	{"width", OPTION_WIDTH, "MM", 0,
	 "with --svg and --pdf: the width of pictures in mm, such as 85 for a column (default: 180)", 0},
	{"perfetto-bytes", OPTION_PERFETTO_BYTES, "BYTES", 0,
	 "with --perfetto: how large a file may become before another one begins (default: 1G)", 0},
	{"source", OPTION_SOURCE, "DIR", 0, "where source files are whose lines report.html shows, beside their recorded places",
	 0},
	{"no-source", OPTION_NO_SOURCE, NULL, 0, "no source line is in report.html", 0},
	{"strict", OPTION_STRICT, 0, 0,
	 "write nothing from a dump that is damaged, incomplete, still written, or in need of repair", 0},
	{"run", OPTION_RUN, "ID", 0, "of dumps of several runs, build those of the run ID, or of the last one", 0},
	{"merge", OPTION_MERGE, 0, 0, "build dumps of several runs as if they were one", 0},
	{"process", OPTION_PROCESS, "LIST", 0, "build these processes of the run only, such as 0,3-5 (processes.csv numbers them)",
	 0},
	{"from", OPTION_FROM, "TIME", 0,
	 "build what happened from this time of each process on, such as 1.5s, 200ms, 3us, 7ns or 25% (without a unit: s)", 0},
	{"to", OPTION_TO, "TIME", 0, "build what happened before this time", 0},
	{"task", OPTION_TASK, "ID", 0, "build the graph of the task that nodes.csv calls so, and of its descendants", 0},
	{"depth", OPTION_DEPTH, "N", 0, "with --task: of N generations of them (0: of none)", 0},
	{"debuginfod", OPTION_DEBUGINFOD, "SECONDS", OPTION_ARG_OPTIONAL,
	 "ask the servers of DEBUGINFOD_URLS for debug information, for so long at most (default: 10); otherwise no network is "
	 "asked",
	 0},
	{"memory", OPTION_MEMORY, "BYTES", 0,
	 "keep so much in memory, such as 512M or 4G, and the rest in files without a name in $TMPDIR (/var/tmp)", 0},
	{"pack", OPTION_PACK, 0, 0, "build nothing: make the dumps themselves smaller, without a loss", 0},
	{"diff", OPTION_DIFF, 0, 0,
	 "compare runs: the arguments are sides, each a dump, an output of otter-build, or a directory of several of these; with "
	 "':' between sides, several arguments are a side. Exit status 1: the second side is slower; with -o: diff.json",
	 0},
	{"threshold", OPTION_THRESHOLD, "PERCENT", 0, "with --diff: by how much the second side may take longer (default: 3)", 0},
	{"quiet", 'q', 0, 0, "print nothing but errors", 0},
	{0},
};
#define N_HOW_OPTIONS (sizeof how_options / sizeof how_options[0])

/* "Output (where none is selected: --otf2 --dot):" */
static char *make_title(void)
{
	char *title;
	size_t n_bytes;
	FILE *out = memory_open_stream(&title, &n_bytes, "the options");
	fputs("Output (where none is selected:", out);
	for (unsigned i = 0; i < n_output_rows; i++)
		if (output_rows[i].help != NULL && output_rows[i].is_default)
			fprintf(out, " --%s", output_rows[i].option);
	fputs("):", out);
	memory_close_stream(out, "the options");
	return title;
}

/* Those of the table of outputs, then the others. */
static struct argp_option *make_options(const char *title)
{
	struct argp_option *options = memory_zeroed(1 + n_output_rows + N_HOW_OPTIONS, sizeof *options, "the options");
	size_t n = 0;
	options[n++] = (struct argp_option){0, 0, 0, 0, title, 1};
	for (unsigned i = 0; i < n_output_rows; i++)
		if (output_rows[i].help != NULL)
			options[n++] =
				(struct argp_option){output_rows[i].option, OPTION_OUTPUT + (int)i, 0, 0, output_rows[i].help, 0};
	memcpy(options + n, how_options, sizeof how_options);
	return options;
}

static enum graph_level parse_level(const char *name, const struct argp_state *state)
{
	if (strcmp(name, "scope") == 0)
		return GRAPH_SCOPE;
	if (strcmp(name, "fragment") == 0)
		return GRAPH_FRAGMENT;
	if (strcmp(name, "task") != 0)
		argp_error(state, "--graph is scope, task or fragment, not '%s'", name);
	return GRAPH_TASK;
}

static uint64_t parse_count(const char *option, const char *text, const struct argp_state *state)
{
	char *end;
	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || strchr(text, '-') != NULL)
		argp_error(state, "%s is a number, not '%s'", option, text);
	return value;
}

static size_t parse_bins(const char *text, const struct argp_state *state)
{
	uint64_t n_bins = parse_count("--bins", text, state);
	if (n_bins == 0 || n_bins > BINS_MAX)
		argp_error(state, "--bins is a number from 1 to %u, not '%s'", BINS_MAX, text);
	return (size_t)n_bins;
}

static uint32_t parse_fold(const char *text, const struct argp_state *state)
{
	uint64_t n = parse_count("--fold", text, state);
	if (n < FOLD_LEAST || n > FOLD_MOST)
		argp_error(state, "--fold is a number of nodes from %u to %u, not '%s'", FOLD_LEAST, FOLD_MOST, text);
	return (uint32_t)n;
}

static uint64_t parse_width(const char *text, const struct argp_state *state)
{
	uint64_t width = parse_count("--width", text, state);
	if (width < WIDTH_MIN || width > WIDTH_MAX)
		argp_error(state, "--width is a number of millimetres from %u to %u, not '%s'", WIDTH_MIN, WIDTH_MAX, text);
	return width;
}

static unsigned parse_seconds(const char *text, const struct argp_state *state)
{
	uint64_t seconds = parse_count("--debuginfod", text, state);
	if (seconds == 0 || seconds > SERVER_SECONDS_MAX)
		argp_error(state, "--debuginfod is a number of seconds from 1 to %u, not '%s'", SERVER_SECONDS_MAX, text);
	return (unsigned)seconds;
}

/* With K, M or G after it: of 1024. */
static uint64_t parse_bytes(const char *option, const char *text, const struct argp_state *state)
{
	static const char units[] = "KMG";
	size_t n = strlen(text);
	const char *unit = n > 1 ? strchr(units, text[n - 1]) : NULL;
	unsigned shift = unit != NULL ? 10 * (unsigned)(unit - units + 1) : 0;
	char *digits = text_copy(text);
	if (unit != NULL)
		digits[n - 1] = '\0';
	uint64_t value = parse_count(option, digits, state);
	free(digits);
	if (value > UINT64_MAX >> shift)
		argp_error(state, "%s is a number of bytes, not '%s'", option, text);
	return value << shift;
}

static void parse_time(const char *option, const char *text, struct part_time *time, const struct argp_state *state)
{
	if (!parts_read_time(time, text))
		argp_error(state, "%s is a time, such as 1.5s, 200ms, 3us, 7ns or 25%%, not '%s'", option, text);
}

/* Names of the canonical list follow from the whole graph, and listed records are all of them. */
static void check_times(const struct options *o, const struct argp_state *state)
{
	if (!parts_have_times(&o->times))
		return;
	if (parts_are_reversed(&o->times))
		argp_error(state, "--from must be before --to");
	for (unsigned i = 0; i < n_output_rows; i++)
		if (output_is_selected(o->outputs, i) && output_rows[i].traits & TRAIT_WHOLE)
			argp_error(state, "--%s is about whole processes: it does not go with --from and --to",
				   output_rows[i].option);
}

/* What is about threads, or about the whole process, cannot be of a task. Where nothing is asked for it is not made. */
static void check_family(struct options *o, const struct argp_state *state)
{
	bool is_asked = o->outputs != 0;
	if (o->family.task == 0 && o->family.depth != UINT64_MAX)
		argp_error(state, "--depth goes with --task only");
	o->is_asked = is_asked;
	if (o->family.task == 0)
		return;
	if (o->has_states)
		argp_error(state, "--states is about threads: it does not go with --task");
	if (!is_asked)
		o->outputs = outputs_default();
	for (unsigned i = 0; i < n_output_rows; i++) {
		bool is_of_threads = output_is_selected(o->outputs, i) && output_rows[i].traits & (TRAIT_THREADS | TRAIT_WHOLE);
		if (is_of_threads && is_asked && output_rows[i].help != NULL)
			argp_error(state, "--%s is about threads or whole processes: it does not go with --task",
				   output_rows[i].option);
		bool is_left_out = is_of_threads || (!is_asked && output_rows[i].traits & TRAIT_ASKED_OF_TASK);
		o->outputs &= ~((uint64_t)is_left_out << i);
	}
}

static void check_level(const struct options *o, const struct argp_state *state)
{
	for (unsigned i = 0; i < n_output_rows; i++)
		if (output_is_selected(o->outputs, i) && output_rows[i].traits & TRAIT_TASK_GRAPH && o->level != GRAPH_TASK)
			argp_error(state, "--%s is about the task graph: it goes with --graph=task only", output_rows[i].option);
}

/* Packing writes nothing but the dumps, and builds nothing. */
static void check_pack(const struct options *o, const struct argp_state *state)
{
	if (o->packs && (o->outputs != 0 || o->output != NULL || o->is_strict || o->is_forced || o->has_states || o->is_diff))
		argp_error(state, "--pack builds nothing: it goes with dumps and --quiet only");
}

#define DEFAULT_THRESHOLD 0.03

static double parse_threshold(const char *text, const struct argp_state *state)
{
	char *end;
	double percent = strtod(text, &end);
	if (end == text || *end != '\0' || !(percent >= 0 && percent <= 1000))
		argp_error(state, "--threshold is a number of percent from 0 to 1000, not '%s'", text);
	return percent / 100;
}

/* Runs are compared as wholes, and what is written of them is fixed. */
static void check_diff(struct options *o, const struct argp_state *state)
{
	if (!o->is_diff && o->threshold >= 0)
		argp_error(state, "--threshold goes with --diff only");
	if (o->threshold < 0)
		o->threshold = DEFAULT_THRESHOLD;
	uint64_t others = o->outputs & ~outputs_of_option("report");
	bool is_plain = others == 0 && o->level == GRAPH_TASK && o->max_nodes == DEFAULT_NODES && o->n_bins == DEFAULT_BINS &&
			o->fold_nodes == 0 && o->width_mm == DEFAULT_WIDTH && o->perfetto_bytes == PERFETTO_BYTES &&
			!o->has_states && o->run.id == NULL && !o->run.merges && o->processes == NULL &&
			!parts_have_times(&o->times) && o->family.task == 0;
	if (o->is_diff && !is_plain)
		argp_error(state, "--diff compares whole runs: only -o, --report, --force, --threshold, --strict, --debuginfod, "
				  "--memory and -q go with it");
	if (o->is_diff && o->outputs != 0 && o->output == NULL)
		argp_error(state, "--diff --report writes diff.html into a directory, which -o names");
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct options *o = state->input;
	if (key >= OPTION_OUTPUT && key < OPTION_OUTPUT + (int)n_output_rows) {
		o->outputs |= outputs_of_option(output_rows[key - OPTION_OUTPUT].option);
		return 0;
	}
	switch (key) {
	case OPTION_GRAPH: o->level = parse_level(value, state); break;
	case OPTION_MAX_NODES: o->max_nodes = parse_count("--max-nodes", value, state); break;
	case OPTION_SOURCE: o->sources = value; break;
	case OPTION_NO_SOURCE: o->hides_sources = true; break;
	case OPTION_BINS: o->n_bins = parse_bins(value, state); break;
	case OPTION_FOLD: o->fold_nodes = parse_fold(value, state); break;
	case OPTION_WIDTH: o->width_mm = parse_width(value, state); break;
	case OPTION_PERFETTO_BYTES: o->perfetto_bytes = parse_bytes("--perfetto-bytes", value, state); break;
	case OPTION_FORCE: o->is_forced = true; break;
	case OPTION_STATES: o->has_states = true; break;
	case OPTION_STRICT: o->is_strict = true; break;
	case OPTION_RUN: o->run.id = value; break;
	case OPTION_MERGE: o->run.merges = true; break;
	case OPTION_PROCESS:
		if (!parts_is_list(value))
			argp_error(state, "--process is a list of numbers of processes, such as 0,3-5, not '%s'", value);
		o->processes = value;
		break;
	case OPTION_FROM: parse_time("--from", value, &o->times.from, state); break;
	case OPTION_TO: parse_time("--to", value, &o->times.to, state); break;
	case OPTION_TASK:
		o->family.task = parse_count("--task", value, state);
		if (o->family.task == 0)
			argp_error(state, "--task is the number of a task in nodes.csv, from 1, not '%s'", value);
		break;
	case OPTION_DEPTH: o->family.depth = parse_count("--depth", value, state); break;
	case OPTION_DEBUGINFOD: o->server_seconds = value != NULL ? parse_seconds(value, state) : SERVER_SECONDS; break;
	case OPTION_MEMORY: o->memory_bytes = parse_bytes("--memory", value, state); break;
	case OPTION_PACK: o->packs = true; break;
	case OPTION_DIFF: o->is_diff = true; break;
	case OPTION_THRESHOLD: o->threshold = parse_threshold(value, state); break;
	case 'o': o->output = value; break;
	case 'q': o->is_quiet = true; break;
	case ARGP_KEY_ARG: o->dumps[o->n_dumps++] = value; break;
	case ARGP_KEY_NO_ARGS: argp_error(state, "which dump? (a directory that ends in .otter)"); break;
	case ARGP_KEY_END:
		check_diff(o, state);
		check_level(o, state);
		check_times(o, state);
		check_pack(o, state);
		check_family(o, state);
		if (o->run.id != NULL && o->run.merges)
			argp_error(state, "--run and --merge exclude each other");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

int main(int argc, char **argv)
{
	ending_prepare();
	char *title = make_title();
	struct argp_option *option_table = make_options(title);
	const struct argp parser = {
		option_table,
		parse_option,
		"DUMP...",
		"Rebuilds scope stacks and the task graph from the raw dumps of a recorded program, and writes them as an OTF2 "
		"archive, graph files and a summary. Several dumps, or a directory that holds them, are the processes of one run."
		"\vExit status: 0 good, 1 failure, 2 usage, 3 written from an incomplete, running or repaired dump, 4 refused by --strict. "
		"With --diff: 0 not slower, 1 slower, 2 failure or usage, 3 not slower, but a run is incomplete or repaired, 4 refused.",
		NULL,
		NULL,
		NULL,
	};
	struct options options = {.dumps = memory_zeroed((size_t)argc, sizeof *options.dumps, "the options"),
				  .level = GRAPH_TASK,
				  .max_nodes = DEFAULT_NODES,
				  .n_bins = DEFAULT_BINS,
				  .width_mm = DEFAULT_WIDTH,
				  .perfetto_bytes = PERFETTO_BYTES,
				  .threshold = -1,
				  .family = {.depth = UINT64_MAX},
				  .memory_bytes = UINT64_MAX};
	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&parser, argc, argv, 0, NULL, &options);
	if (options.is_diff)
		diag_failure_status = EXIT_TROUBLE;
	if (options.outputs == 0)
		options.outputs = outputs_default();
	if (options.is_quiet)
		diag_quiet();
	if (options.server_seconds != 0)
		debuginfod_allow(options.server_seconds);
	else
		debuginfod_forbid();
	bool is_ready = options.memory_bytes == UINT64_MAX || memory_limit(options.memory_bytes) == 0;
	if (!is_ready)
		error("--memory: /proc/self/statm does not tell how much memory is in use");
	int status = !is_ready         ? diag_failure_status
		     : options.packs   ? pack(&options)
		     : options.is_diff ? compare(&options)
				       : run(&options);
	free(options.dumps);
	free(option_table);
	free(title);
	return status;
}
