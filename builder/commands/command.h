/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The commands of otter-build: building, comparing (--diff) and packing (--pack) are a file each, with the options that are
 * its own (argp), the check that no others are given with it, and what it does. main.c has the options that they share.
 */
#ifndef OTTER_BUILDER_COMMANDS_COMMAND_H
#define OTTER_BUILDER_COMMANDS_COMMAND_H

#include "builder/run/run.h"

#include <argp.h>

#define GROUP 2 /* of the help, for options that are not of outputs */

/* What the user gave. All parsers have it as their input. */
struct command_line {
	struct options options;
	const char *build_option; /* one that only building knows, other than those of outputs; NULL: none is given */
	double threshold;         /* --threshold: the share by which the second side may take longer; negative: not given */
	/* Carries the command out; NULL: it is build(). Returns the exit status (diag.h), after it printed the errors. */
	int (*command)(const struct command_line *line);
};

/* The options of building: the first call fills in those of the outputs. */
const struct argp *build_argp(void);
extern const struct argp diff_argp, pack_argp;

int build(const struct command_line *line);

/*
 * Compares runs. The arguments are sides, or, where one of them is ":", these part the sides. Returns EXIT_GOOD,
 * EXIT_SLOWER, EXIT_TROUBLE, EXIT_INCOMPLETE or EXIT_REFUSED.
 */
int compare(const struct command_line *line);

/* Packs the dumps, one after the other: their files of segments become files of packed segments (docs/format.md, section 5). */
int pack(const struct command_line *line);

/* values.c: an option names the command; ends the program with EXIT_USAGE if another option named another one. */
void command_set(struct command_line *line, int (*command)(const struct command_line *), const struct argp_state *state);

/* values.c: parses the value of an option; ends the program with EXIT_USAGE if the value is invalid. */
uint64_t parse_count(const char *option, const char *text, const struct argp_state *state);
/* The same in bytes; K, M or G after it are powers of 1024. */
uint64_t parse_bytes(const char *option, const char *text, const struct argp_state *state);

#endif
