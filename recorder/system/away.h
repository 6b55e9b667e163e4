/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens files where the program never sees their descriptors. A descriptor is the lowest number that is free, so a file
 * that is opened in the program's own table can be its standard output for a moment.
 */
#ifndef OTTER_RECORDER_AWAY_H
#define OTTER_RECORDER_AWAY_H

#include <stdbool.h>

/* Runs the function while the calling thread sleeps: on a thread of the kernel's that has an empty table of descriptors,
 * and shares everything else with the calling thread, its thread-local variables included. The function must close what it
 * opens, must start no thread, and must not use the kernel's number of its thread. Meanwhile all signals wait but those that
 * an instruction raises.
 *
 * Where there can be no such thread it runs on the calling thread, with the program's table. If one of the descriptors 0 to
 * 2 is closed then, it does not run at all: the caller counts that as a failure that may pass. */
void away(void (*function)(void *), void *argument);

/* The calling thread, one of the recorder's own, has an empty table of descriptors from now on: away() only calls. False:
 * the kernel refuses. */
bool away_for_ever(void);

/* Does the calling thread have a table of descriptors of its own at this moment? */
bool away_has_own_table(void);

/* Returns how many of the process's threads are away() threads of the calling thread: this one, and an earlier one that
 * has not ended yet. */
unsigned away_n_threads(void);

/* Called in a forked child: what other threads were doing is over. */
void away_forget(void);

#endif
