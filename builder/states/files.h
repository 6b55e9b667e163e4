/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Thread states as tables.
 */
#ifndef OTTER_BUILDER_STATES_FILES_H
#define OTTER_BUILDER_STATES_FILES_H

#include "builder/tables/row.h"
#include "builder/replay/sink.h"
#include "builder/states/states.h"

/*
 * DIR/states.csv: one row for each thread and state that it was in. n traces, with one `states` each. 0, or -1 with the
 * error printed.
 */
int states_csv(const struct trace *traces, const struct states *states, size_t n, const struct table_place *place);

/*
 * DIR/state_intervals.csv: one row for each interval that a thread was in a state, thread by thread, in order. 0, or -1
 * with the error printed.
 */
int sink_intervals_open(struct sink *sink, const struct table_place *place);

/*
 * DIR/parallelism.csv: what all threads of a process did together, over time, in n_bins rows a process or fewer. Traces, and one
 * `states` each. 0, or -1 with the error printed.
 */
int sink_parallelism_open(struct sink *sink, const struct table_place *place, size_t n_bins, const struct trace *traces,
			  const struct states *states);

#endif
