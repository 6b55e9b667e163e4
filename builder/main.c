/* SPDX-License-Identifier: BSD-3-Clause
 *
 * otter-build: reads the options that its commands share, and carries out the command (commands/) that the options name.
 */
#include "builder/commands/command.h"
#include "builder/support/memory.h"
#include "builder/support/memory_limit.h"
#include "builder/support/output.h"
#include "builder/symbols/binary.h"
#include "common/format.h"

#include <stdlib.h>

/* libc finds it by its name, and prints it for --version. */
__attribute__((visibility("default"))) const char *argp_program_version =
	"otter-build " OTTER_VERSION_STRING " (dump format " FORMAT_VERSION_STRING ")";

enum { OPTION_FORCE = 1536, OPTION_STRICT, OPTION_DEBUGINFOD, OPTION_MEMORY };

/* For how long servers are queried in all. */
#define SERVER_SECONDS     10
#define SERVER_SECONDS_MAX 3600u

static const struct argp_option shared_options[] = {
	{"output", 'o', "DIR", 0, "where files go (default: the first DUMP, with .build for .otter)", GROUP},
	{"force", OPTION_FORCE, 0, 0, "replace the output of an earlier run", 0},
	{"strict", OPTION_STRICT, 0, 0,
	 "write nothing from a dump that is damaged, incomplete, still written, or in need of repair", 0},
	{"debuginfod", OPTION_DEBUGINFOD, "SECONDS", OPTION_ARG_OPTIONAL,
	 "query the servers of DEBUGINFOD_URLS for debug information, for SECONDS at most (default: 10); without this option no "
	 "network is used",
	 0},
	{"memory", OPTION_MEMORY, "BYTES", 0,
	 "keep this much in memory, such as 512M or 4G, and the rest in files without a name in $TMPDIR (/var/tmp)", 0},
	{"quiet", 'q', 0, 0, "print nothing but errors", 0},
	{0},
};

static unsigned parse_seconds(const char *text, const struct argp_state *state)
{
	uint64_t seconds = parse_count("--debuginfod", text, state);
	if (seconds == 0 || seconds > SERVER_SECONDS_MAX)
		argp_error(state, "--debuginfod is a number of seconds from 1 to %u, not '%s'", SERVER_SECONDS_MAX, text);
	return (unsigned)seconds;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct command_line *line = state->input;
	struct options *o = &line->options;
	switch (key) {
	case ARGP_KEY_INIT:
		for (size_t i = 0; state->root_argp->children[i].argp != NULL; i++)
			state->child_inputs[i] = line;
		break;
	case OPTION_FORCE: o->is_forced = true; break;
	case OPTION_STRICT: o->is_strict = true; break;
	case OPTION_DEBUGINFOD: o->server_seconds = value != NULL ? parse_seconds(value, state) : SERVER_SECONDS; break;
	case OPTION_MEMORY: o->memory_bytes = parse_bytes("--memory", value, state); break;
	case 'o': o->output = value; break;
	case 'q': o->is_quiet = true; break;
	case ARGP_KEY_ARG: o->dumps[o->n_dumps++] = value; break;
	case ARGP_KEY_NO_ARGS: argp_error(state, "which dump? (a directory that ends in .otter)"); break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static int carry_out(const struct command_line *line)
{
	const struct options *o = &line->options;
	if (o->is_quiet)
		diag_quiet();
	if (o->server_seconds != 0)
		debuginfod_allow(o->server_seconds);
	else
		debuginfod_forbid();
	if (o->memory_bytes != UINT64_MAX && memory_limit(o->memory_bytes) != 0) {
		error("--memory: /proc/self/statm does not tell how much memory is in use");
		return output_abandon_status;
	}
	return line->command != NULL ? line->command(line) : build(line);
}

int main(int argc, char **argv)
{
	ending_prepare();
	const struct argp_child commands[] = {{&diff_argp, 0, NULL, 0}, {&pack_argp, 0, NULL, 0}, {build_argp(), 0, NULL, 0}, {0}};
	const struct argp parser = {
		shared_options,
		parse_option,
		"DUMP...",
		"Rebuilds scope stacks and the task graph from the raw dumps of a recorded program, and writes them as an OTF2 "
		"archive, graph files and a summary. Several dumps, or a directory that holds them, are the processes of one run."
		"\vExit status: 0 good, 1 failure, 2 usage, 3 written from an incomplete, running or repaired dump, 4 refused by --strict. "
		"With --diff: 0 not slower, 1 slower, 2 failure or usage, 3 not slower, but a run is incomplete or repaired, 4 refused.",
		commands,
		NULL,
		NULL,
	};
	struct command_line line = {.options = {.dumps = memory_zeroed((size_t)argc, sizeof *line.options.dumps, "the options"),
						.memory_bytes = UINT64_MAX}};
	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&parser, argc, argv, 0, NULL, &line);
	int status = carry_out(&line);
	free(line.options.dumps);
	return status;
}
