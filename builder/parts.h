/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which part of a run is built: some of its processes. run.c calls it when the processes of the run are known and in
 * order; one thread.
 */
#ifndef OTTER_BUILDER_PARTS_H
#define OTTER_BUILDER_PARTS_H

#include "builder/model/trace.h"

#include <stdbool.h>
#include <stddef.h>

/* Is it a list of numbers of processes and of ranges of them, such as "0,3-5"? */
bool parts_is_list(const char *list);

/*
 * Moves the traces whose numbers (trace.process) are in the list to the front, in order; NULL: all are. Returns how many
 * these are, or 0 after it printed that the run has no such process.
 */
size_t parts_choose(struct trace *traces, size_t n, const char *list);

#endif
