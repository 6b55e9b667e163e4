/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Keeps the binaries of a run beside its records, so that names and lines are found also when the program has been
 * built again, or removed: DUMP/binaries, with a file for each build id and a list of what was kept and what was not,
 * and why (docs/format.md). It runs when the program has ended and its dumps have been reported. It prints nothing, and
 * if it fails the dump stays as it was.
 */
#ifndef OTTER_RECORDER_LAUNCH_KEEP_H
#define OTTER_RECORDER_LAUNCH_KEEP_H

#include "recorder/launch/survey.h"

/* Keeps the files of the dumps' maps. Files that several of the dumps have are links to one. */
void keep_binaries(const struct survey_list *list);

#endif
