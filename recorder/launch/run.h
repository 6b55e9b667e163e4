/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs the program as if the launcher were not there: on the same terminal, with the same descriptors; signals are
 * passed on, both stop and continue together, and at the end the launcher has the program's wait status. Called by
 * main.c.
 */
#ifndef OTTER_RECORDER_LAUNCH_RUN_H
#define OTTER_RECORDER_LAUNCH_RUN_H

#include <stdbool.h>
#include <sys/types.h>

/* Runs argv[0], which is searched in PATH, with this process's environment, and waits for it. has_switches: its threads'
 * context switches will be recorded. Returns 0 and its wait status, or the errno of the step that failed. */
int run_program(char *const argv[], bool has_switches, int *wait_status);

/* Ends this process as the program ended: with its exit status, or by the same signal, without a second core file. */
_Noreturn void run_end_alike(int wait_status);

#endif
