/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is written without being asked for is bounded: what grows with the run is left out where it would be large, and
 * the user is told (summary/omitted.h). Used by run.c and process.c; main thread.
 */
#ifndef OTTER_BUILDER_BOUNDS_H
#define OTTER_BUILDER_BOUNDS_H

#include "builder/job.h"

#define BOUNDS_NODES            1000000   /* of all processes, in tables with a row for each */
#define BOUNDS_RECORDS          100000000 /* of all dumps, for the archive */
#define BOUNDS_INTERVAL_RECORDS 4000000   /* and for thread states one by one, which are fewer */

/* Those of the outputs that this many records, or nodes, are too much for. */
uint64_t bounds_by_records(uint64_t outputs, uint64_t n_records);
uint64_t bounds_by_nodes(uint64_t outputs, uint64_t n_nodes);

/* When all dumps are open: leaves out what would be too large by the number of records. */
void bounds_set_by_records(struct job *job);
/*
 * When a process is built, before it is written: leaves out what is too large by the number of nodes, with what earlier
 * processes have added to it.
 */
void bounds_set_by_nodes(struct job *job, size_t i);

#endif
