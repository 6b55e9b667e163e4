/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The files that are made of an answer. Called by outputs.c on one thread; each returns 0, or -1 with the error printed.
 */
#ifndef OTTER_BUILDER_ANSWER_FILES_H
#define OTTER_BUILDER_ANSWER_FILES_H

#include "builder/support/csv.h"
#include "builder/answer/answer.h"
#include "builder/model/trace.h"

/* Without an answer that was made, figures are empty. `graph`: the one that other tables are made of. */
int answer_constructs_csv(const struct trace *trace, const struct answer *answer, const struct graph *graph,
			  const struct csv_place *place);

int answer_grain_csv(const struct trace *trace, const struct answer *answer, uint64_t n_constructs_before,
		     const struct csv_place *place);

/* Constructs have numbers in the run: those of the processes before this one come first. */
int answer_waits_csv(const struct trace *trace, const struct answer *answer, uint64_t n_constructs_before,
		     const struct csv_place *place);

#endif
