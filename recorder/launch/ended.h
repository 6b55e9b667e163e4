/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes into the dump of the program what only its parent knows: when it was started, and when and how it ended.
 */
#ifndef OTTER_RECORDER_LAUNCH_ENDED_H
#define OTTER_RECORDER_LAUNCH_ENDED_H

#include "recorder/launch/run.h"
#include "recorder/launch/survey.h"

/* Appends the lines to the meta of the program's own dump, if the list has it. The processes that the program started
 * have other parents. */
void ended_note(const struct survey_list *list, const struct child *child);

#endif
