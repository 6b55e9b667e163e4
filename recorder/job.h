/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the environment tells of the job that this process belongs to: its rank in an MPI job, and what its run is called
 * (docs/format.md, `run`). config.c calls it when the settings are read, in the traced process and in the launcher.
 */
#ifndef OTTER_RECORDER_JOB_H
#define OTTER_RECORDER_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns this process's rank in an MPI job, as the usual launchers tell it in the environment, or -1. */
int64_t job_rank(void);

/* Writes "SOURCE ID": the run's own variable, OTTER_RUN, else the job's. False: there is none, or it does not fit. */
bool job_run(char *out, size_t capacity);

#endif
