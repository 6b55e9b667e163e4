/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs the program as if the launcher were not there: on the same terminal, with the same descriptors; signals are
 * passed on, both stop and continue together, and at the end the launcher has the program's wait status.
 */
#ifndef OTTER_RECORDER_LAUNCH_RUN_H
#define OTTER_RECORDER_LAUNCH_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What the parent of the program knows of it. Times are of CLOCK_MONOTONIC. */
struct child {
	pid_t pid;
	int wait_status;
	uint64_t start_ns, end_ns;
};

/* Runs the program at `path`, or, where that is NULL, argv[0], which execvp(3) searches in PATH and gives to a shell if its kind
 * is not known. It has this process's environment; the function waits for its end. has_switches: its threads' context switches
 * will be recorded. Returns 0, or the errno of the step that failed. */
int run_program(const char *path, char *const argv[], bool has_switches, struct child *child);

/* Ends this process as the program ended: with its exit status, or by the same signal, without a second core file. */
_Noreturn void run_end_alike(int wait_status);

#endif
