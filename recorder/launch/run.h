/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs the program as if the launcher were not there: same terminal, same descriptors, signals passed on, stopped and continued together, and
 * at the end the same wait status for whoever started the launcher.
 */
#ifndef OTTER_RECORDER_LAUNCH_RUN_H
#define OTTER_RECORDER_LAUNCH_RUN_H

#include <sys/types.h>

/*
 * Runs argv[0], looked for in PATH, with this process's environment, and waits for it. 0 and its wait status, or the errno of what could
 * not be done.
 */
int run_program(char *const argv[], int *wait_status);

/* Ends this process the way that the program ended; where a signal killed it, by that signal, without a second core file. */
_Noreturn void run_end_alike(int wait_status);

#endif
