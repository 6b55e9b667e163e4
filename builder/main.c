/* SPDX-License-Identifier: BSD-3-Clause
 *
 * otter-build: its options. What they do is in run.c.
 */
#include "builder/support/output.h"
#include "builder/run.h"
#include "common/format.h"

#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* libc looks for it. */
__attribute__((visibility("default"))) const char *argp_program_version =
	"otter-build " OTTER_VERSION_STRING " (dump format " FORMAT_VERSION_STRING ")";

enum {
	OPTION_OTF2 = 256,
	OPTION_DOT,
	OPTION_CSV,
	OPTION_SUMMARY,
	OPTION_LIST,
	OPTION_CANONICAL,
	OPTION_GRAPH,
	OPTION_MAX_NODES,
	OPTION_STATES,
	OPTION_FORCE,
	OPTION_STRICT
};

static const struct argp_option option_table[] = {
	{0, 0, 0, 0, "Output (all but --list and --canonical where none is selected):", 1},
	{"otf2", OPTION_OTF2, 0, 0, "the archive traces.otf2", 0},
	{"dot", OPTION_DOT, 0, 0, "the graph as graph.dot", 0},
	{"csv", OPTION_CSV, 0, 0,
	 "tables: the graph (nodes.csv, edges.csv, constructs.csv, exclusive.csv), thread states, units, samples", 0},
	{"summary", OPTION_SUMMARY, 0, 0, "the summary, on stdout and as summary.json", 0},
	{"list", OPTION_LIST, 0, 0, "every record, one a line, on stdout", 0},
	{"canonical", OPTION_CANONICAL, 0, 0, "the canonical edge list of the task graph, on stdout", 0},
	{0, 0, 0, 0, "How:", 2},
	{"output", 'o', "DIR", 0, "where files go (default: the first DUMP, with .build for .otter)", 0},
	{"force", OPTION_FORCE, 0, 0, "replace the output of an earlier run", 0},
	{"graph", OPTION_GRAPH, "LEVEL", 0, "level of the graph: scope, task (the default) or fragment", 0},
	{"max-nodes", OPTION_MAX_NODES, "N", 0, "draw larger graphs by source construct (default: 2000)", 0},
	{"states", OPTION_STATES, 0, 0, "thread states one by one: in the archive a metric, with --csv state_intervals.csv", 0},
	{"strict", OPTION_STRICT, 0, 0, "write nothing from a dump that is damaged, incomplete, running or in need of repair", 0},
	{"quiet", 'q', 0, 0, "print nothing but errors", 0},
	{0},
};

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

static uint64_t parse_count(const char *text, const struct argp_state *state)
{
	char *end;
	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || strchr(text, '-') != NULL)
		argp_error(state, "--max-nodes is a number, not '%s'", text);
	return value;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct options *o = state->input;
	switch (key) {
	case OPTION_OTF2: o->has_otf2 = true; break;
	case OPTION_DOT: o->has_dot = true; break;
	case OPTION_CSV: o->has_csv = true; break;
	case OPTION_SUMMARY: o->has_summary = true; break;
	case OPTION_LIST: o->has_list = true; break;
	case OPTION_CANONICAL: o->has_canonical = true; break;
	case OPTION_GRAPH: o->level = parse_level(value, state); break;
	case OPTION_MAX_NODES: o->max_nodes = parse_count(value, state); break;
	case OPTION_FORCE: o->is_forced = true; break;
	case OPTION_STATES: o->has_states = true; break;
	case OPTION_STRICT: o->is_strict = true; break;
	case 'o': o->output = value; break;
	case 'q': o->is_quiet = true; break;
	case ARGP_KEY_ARG: o->dumps[o->n_dumps++] = value; break;
	case ARGP_KEY_NO_ARGS: argp_error(state, "which dump? (a directory that ends in .otter)"); break;
	case ARGP_KEY_END:
		if (o->has_canonical && o->level != GRAPH_TASK)
			argp_error(state, "--canonical is about the task graph: it goes with --graph=task only");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/*
 * Dumps are mapped: the kernel tells by a signal that a page of one cannot be had. Nothing is put in its place. Of several threads one
 * cleans up, the others wait for the end.
 */
static void say_unreadable(int signal, siginfo_t *info, void *context)
{
	static bool is_ending;
	static const char text[] = "otter-build: a file of a dump was cut, or could not be read, while it was being looked at\n";
	(void)signal;
	(void)context;
	while (__atomic_exchange_n(&is_ending, true, __ATOMIC_RELAXED))
		pause();
	if (info->si_code == BUS_ADRERR)
		output_abandon();
	if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
		_exit(EXIT_FAILED);
	_exit(EXIT_FAILED);
}

int main(int argc, char **argv)
{
	static const struct argp parser = {
		option_table,
		parse_option,
		"DUMP...",
		"Rebuilds scope stacks and the task graph from the raw dumps of a recorded program, and writes them as an OTF2 "
		"archive, "
		"graph files and a summary. Several dumps, or a directory that holds them, are the processes of one run."
		"\vExit status: 0 good, 1 failure, 2 usage, 3 written from an incomplete, running or repaired dump, 4 refused by --strict.",
		NULL,
		NULL,
		NULL,
	};
	struct options options = {.dumps = calloc((size_t)argc, sizeof *options.dumps), .level = GRAPH_TASK, .max_nodes = 2000};
	if (options.dumps == NULL)
		return EXIT_FAILED;
	argp_err_exit_status = EXIT_USAGE;
	struct sigaction unreadable = {.sa_sigaction = say_unreadable, .sa_flags = SA_SIGINFO};
	sigaction(SIGBUS, &unreadable, NULL);
	argp_parse(&parser, argc, argv, 0, NULL, &options);
	if (!(options.has_otf2 || options.has_dot || options.has_csv || options.has_summary || options.has_list ||
	      options.has_canonical))
		options.has_otf2 = options.has_dot = options.has_csv = options.has_summary = true;
	int status = run(&options);
	free(options.dumps);
	return status;
}
