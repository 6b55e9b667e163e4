/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of the processes of a run. Called by outputs.c and summary.c.
 */
#ifndef OTTER_BUILDER_SUMMARY_PROCESSES_H
#define OTTER_BUILDER_SUMMARY_PROCESSES_H

#include "builder/support/csv.h"
#include "builder/model/trace.h"

#include <stddef.h>

/* DIR/processes.csv: a row for each process. 0, or -1 with the error printed. */
int processes_csv(const struct trace *traces, size_t n, const struct csv_place *place);

/* The same as an array of objects. */
struct json_t;
struct json_t *processes_json(const struct trace *traces, size_t n);

#endif
