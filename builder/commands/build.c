/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Building, the default command: its options, those of the outputs from the table of outputs (outputs.def), and which of
 * them can be combined. run.c does the rest.
 */
#include "builder/commands/command.h"
#include "builder/run/outputs.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum {
	OPTION_GRAPH = 256,
	OPTION_MAX_NODES,
	OPTION_STATES,
	OPTION_BINS,
	OPTION_WIDTH,
	OPTION_PERFETTO_BYTES,
	OPTION_SOURCE,
	OPTION_NO_SOURCE,
	OPTION_RUN,
	OPTION_MERGE,
	OPTION_PROCESS,
	OPTION_FROM,
	OPTION_TO,
	OPTION_TASK,
	OPTION_DEPTH,
	OPTION_FOLD,
	OPTION_OUTPUT = 512 /* and the number of the option in the table of outputs */
};

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
	{"graph", OPTION_GRAPH, "LEVEL", 0, "level of the graph: scope, task (the default) or fragment", 0},
	{"max-nodes", OPTION_MAX_NODES, "N", 0,
	 "the most nodes of graph.dot; a graph of more than two fifths of this is folded by construct (default: 150)", 0},
	{"states", OPTION_STATES, 0, 0, "thread states one by one: in the archive a metric, with --csv state_intervals.csv", 0},
	{"fold", OPTION_FOLD, "N", 0, "simulate larger graphs with several nodes as one (default: 50000, with --what-if 1000000)",
	 0},
	{"bins", OPTION_BINS, "N", 0, "rows of a process in parallelism.csv, at most (default: 1000)", 0},
	{"width", OPTION_WIDTH, "MM", 0,
	 "with --svg and --pdf: the width of pictures in mm, such as 85 for a column (default: 180)", 0},
	{"perfetto-bytes", OPTION_PERFETTO_BYTES, "BYTES", 0,
	 "with --perfetto: how large a file may become before another one begins (default: 1G)", 0},
	{"source", OPTION_SOURCE, "DIR", 0, "directory of the source files that report.html shows, besides their recorded places",
	 0},
	{"no-source", OPTION_NO_SOURCE, NULL, 0, "leave source lines out of report.html", 0},
	{"run", OPTION_RUN, "ID", 0, "of dumps of several runs, build those of the run ID, or of the last one", 0},
	{"merge", OPTION_MERGE, 0, 0, "build dumps of several runs as if they were one", 0},
	{"process", OPTION_PROCESS, "LIST", 0,
	 "build only these processes of the run, such as 0,3-5 (processes.csv has their numbers)", 0},
	{"from", OPTION_FROM, "TIME", 0,
	 "build only from this time of each process on, such as 1.5s, 200ms, 3us, 7ns or 25% (without a unit: s)", 0},
	{"to", OPTION_TO, "TIME", 0, "build only up to this time", 0},
	{"task", OPTION_TASK, "ID", 0, "build the graph of this task (its id in nodes.csv) and of its descendants", 0},
	{"depth", OPTION_DEPTH, "N", 0, "with --task: only N generations of descendants (0: none)", 0},
	{0},
};
#define N_HOW_OPTIONS (sizeof how_options / sizeof how_options[0])

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

static bool is_directory(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static uint64_t parse_width(const char *text, const struct argp_state *state)
{
	uint64_t width = parse_count("--width", text, state);
	if (width < WIDTH_MIN || width > WIDTH_MAX)
		argp_error(state, "--width is a number of millimetres from %u to %u, not '%s'", WIDTH_MIN, WIDTH_MAX, text);
	return width;
}

static void parse_time(const char *option, const char *text, struct part_time *time, const struct argp_state *state)
{
	if (!parts_read_time(time, text))
		argp_error(state, "%s is a time, such as 1.5s, 200ms, 3us, 7ns or 25%%, not '%s'", option, text);
}

/* The first of the selected outputs' options that has this trait, NULL: none. */
static const char *asked_with_trait(const struct options *o, unsigned traits)
{
	for (unsigned i = 0; i < N_OUTPUT_OPTIONS; i++)
		if (o->asked >> i & 1 && output_options[i].traits & traits)
			return output_options[i].name;
	return NULL;
}

/* Names of the canonical list depend on the whole graph, and --list lists all records. */
static void check_times(const struct options *o, const struct argp_state *state)
{
	if (!parts_have_times(&o->times))
		return;
	if (parts_are_reversed(&o->times))
		argp_error(state, "--from must be before --to");
	const char *whole = asked_with_trait(o, TRAIT_WHOLE);
	if (whole != NULL)
		argp_error(state, "--%s is about whole processes: it does not go with --from and --to", whole);
}

/* Outputs about threads, or about the whole process, cannot be made for a task. */
static void check_family(struct options *o, const struct argp_state *state)
{
	if (o->family.task == 0 && o->family.depth != UINT64_MAX)
		argp_error(state, "--depth goes with --task only");
	o->is_asked = o->asked != 0;
	if (o->family.task == 0)
		return;
	if (o->has_states)
		argp_error(state, "--states is about threads: it does not go with --task");
	const char *other = asked_with_trait(o, TRAIT_THREADS | TRAIT_WHOLE);
	if (other != NULL)
		argp_error(state, "--%s is about threads or whole processes: it does not go with --task", other);
}

static void check_level(const struct options *o, const struct argp_state *state)
{
	const char *of_tasks = asked_with_trait(o, TRAIT_TASK_GRAPH);
	if (of_tasks != NULL && o->level != GRAPH_TASK)
		argp_error(state, "--%s is about the task graph: it goes with --graph=task only", of_tasks);
}

static const char *option_name(int key)
{
	for (size_t i = 1; i < N_HOW_OPTIONS; i++)
		if (how_options[i].key == key)
			return how_options[i].name;
	return NULL;
}

static void begin(struct command_line *line)
{
	line->options.level = GRAPH_TASK;
	line->options.max_nodes = DEFAULT_NODES;
	line->options.n_bins = DEFAULT_BINS;
	line->options.width_mm = DEFAULT_WIDTH;
	line->options.perfetto_bytes = PERFETTO_BYTES;
	line->options.family.depth = UINT64_MAX;
}

static void check(struct options *o, const struct argp_state *state)
{
	check_level(o, state);
	check_times(o, state);
	check_family(o, state);
	if (o->run.id != NULL && o->run.merges)
		argp_error(state, "--run and --merge exclude each other");
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct command_line *line = state->input;
	struct options *o = &line->options;
	if (key >= OPTION_OUTPUT && key < OPTION_OUTPUT + N_OUTPUT_OPTIONS) {
#ifdef OTTER_NO_REPORT
		if (key - OPTION_OUTPUT == OUTPUT_REPORT)
			argp_error(state, "--report: this otter-build was built without the page (make REPORT=no)");
#endif
		o->asked |= 1u << (key - OPTION_OUTPUT);
		return 0;
	}
	if (option_name(key) != NULL)
		line->build_option = option_name(key);
	switch (key) {
	case OPTION_GRAPH: o->level = parse_level(value, state); break;
	case OPTION_MAX_NODES: o->max_nodes = parse_count("--max-nodes", value, state); break;
	case OPTION_SOURCE:
		if (!is_directory(value))
			argp_error(state, "--source is a directory of source files, not '%s'", value);
		o->sources = value;
		break;
	case OPTION_NO_SOURCE: o->hides_sources = true; break;
	case OPTION_BINS: o->n_bins = parse_bins(value, state); break;
	case OPTION_FOLD: o->fold_nodes = parse_fold(value, state); break;
	case OPTION_WIDTH: o->width_mm = parse_width(value, state); break;
	case OPTION_PERFETTO_BYTES: o->perfetto_bytes = parse_bytes("--perfetto-bytes", value, state); break;
	case OPTION_STATES: o->has_states = true; break;
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
	case ARGP_KEY_INIT: begin(line); break;
	case ARGP_KEY_END: check(o, state); break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* "Output (where none is selected: --otf2 --dot):" */
static const char *title(void)
{
	static char text[256];
	size_t n = (size_t)snprintf(text, sizeof text, "Output (where none is selected:");
	for (unsigned i = 0; i < N_OUTPUT_OPTIONS && n < sizeof text; i++)
		if (output_options[i].is_default)
			n += (size_t)snprintf(text + n, sizeof text - n, " --%s", output_options[i].name);
	if (n < sizeof text)
		snprintf(text + n, sizeof text - n, "):");
	return text;
}

const struct argp *build_argp(void)
{
	static struct argp_option options[1 + N_OUTPUT_OPTIONS + N_HOW_OPTIONS];
	static const struct argp parser = {.options = options, .parser = parse_option};
	size_t n = 0;
	options[n++] = (struct argp_option){0, 0, 0, 0, title(), 1};
	for (int i = 0; i < N_OUTPUT_OPTIONS; i++)
		if (output_options[i].name != NULL)
			options[n++] =
				(struct argp_option){output_options[i].name, OPTION_OUTPUT + i, 0, 0, output_options[i].help, 0};
	memcpy(options + n, how_options, sizeof how_options);
	return &parser;
}

int build(const struct command_line *line)
{
	struct options options = line->options;
	if (options.asked == 0)
		options.asked = output_options_default();
	return run(&options);
}
