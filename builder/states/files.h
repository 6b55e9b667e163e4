/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Thread states as tables.
 */
#ifndef OTTER_BUILDER_STATES_FILES_H
#define OTTER_BUILDER_STATES_FILES_H

#include "builder/replay/sink.h"
#include "builder/states/states.h"

/*
 * DIR/states.csv: one row for each thread and state that it was in. n traces, with one `states` each. 0, or -1 with the
 * error printed.
 */
int states_csv(const struct trace *traces, const struct states *states, size_t n, const char *dir);

/*
 * DIR/state_intervals.csv: one row for each time that a thread was in a state, of each thread in order. 0, or -1 with
 * the error printed.
 */
int sink_intervals_open(struct sink *sink, const char *dir);

#endif
