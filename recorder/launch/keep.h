/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Keeps the binaries of a run beside its records, so that names and lines are found also when the program has been built
 * anew, or is gone: DUMP/binaries, with a file for each build id and a list of what was kept and what was not, and why
 * (docs/format.md). Called by main.c when the program has ended and its dumps have been reported; one thread. It prints
 * nothing, and where it fails the dump is what it was.
 */
#ifndef OTTER_RECORDER_LAUNCH_KEEP_H
#define OTTER_RECORDER_LAUNCH_KEEP_H

#include "recorder/launch/survey.h"

/* Keeps what the dumps' maps name. Files that several of the dumps have are links to one. */
void keep_binaries(const struct survey_list *list);

#endif
