/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads variables of the environment, among them those of the job that this process belongs to: its rank in an MPI job,
 * and the name of its run (docs/format.md, `run`). It runs where the settings are read, in the traced process and in the
 * launcher.
 */
#ifndef OTTER_RECORDER_ENVIRONMENT_H
#define OTTER_RECORDER_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns NULL if the variable is not set or empty. */
const char *environment_value(const char *name);

/* Returns this process's rank in an MPI job, from the variables of the usual launchers, or -1. */
int64_t environment_rank(void);

/* Puts "SOURCE ID": the run's own variable, OTTER_RUN, else the job's. False: there is none, or it does not fit. */
bool environment_run(char *out, size_t capacity);

#endif
