/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the launcher's messages: a line on stderr for each dump when the program has ended, or why there is none, and
 * the results of --check on stdout.
 */
#ifndef OTTER_RECORDER_LAUNCH_REPORT_H
#define OTTER_RECORDER_LAUNCH_REPORT_H

#include "recorder/launch/check.h"
#include "recorder/launch/survey.h"

/* Prints "otter-record: <message>". */
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reports this run's dumps. With is_quiet, only if there is none. */
void report_dumps(const struct launch *launch, const struct survey_list *list, bool is_quiet);

/* Prints all checks on stdout. Returns the exit status: 0 if nothing prevents a trace, else 1. */
int report_check(const struct launch *launch);

#endif
