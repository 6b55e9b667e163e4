/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which dumps are of one run (docs/otter-build.1, "Runs"): dumps of different runs are never built together by accident.
 * Also the order of the processes of a run. run.c calls it when all dumps are open; one thread.
 */
#ifndef OTTER_BUILDER_RUNS_H
#define OTTER_BUILDER_RUNS_H

#include "builder/model/trace.h"

#include <stdbool.h>
#include <stddef.h>

struct run_choice {
	const char *id; /* --run: an id, or "last"; NULL: there should be one run only */
	bool merges;    /* --merge: all dumps are built, whatever run they are of */
};

/*
 * Sorts the traces, whose dumps are open: first the *n that are to be built, in the order of rank (those without one
 * come last), start, pid; then the others. 0; or -1 after it listed the runs, if the choice does not lead to one.
 */
int runs_choose(struct trace *traces, size_t *n, const struct run_choice *choice);

#endif
