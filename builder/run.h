/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One run of the builder, from its options to its output: what main.c hands over and run.c carries out.
 */
#ifndef OTTER_BUILDER_RUN_H
#define OTTER_BUILDER_RUN_H

#include "builder/graph/graph.h"
#include "builder/support/diag.h"

struct options {
	const char **dumps; /* dumps, or directories that hold dumps */
	size_t n_dumps;
	const char *output; /* NULL: beside the first dump */
	enum graph_level level;
	uint64_t max_nodes;
	bool has_otf2, has_dot, has_csv, has_summary; /* into the output directory */
	bool has_list, has_canonical;                 /* to stdout */
	bool has_states;                              /* thread states one by one, in the archive and beside the tables */
	bool is_forced, is_quiet;
	bool is_strict; /* what would be EXIT_INCOMPLETE is refused */
};

/* The exit status: errors have been said. */
int run(const struct options *options);

#endif
