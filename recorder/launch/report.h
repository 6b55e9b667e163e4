/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the launcher says on stderr: a line for each dump when the program has ended, why there is none, and what --check found.
 */
#ifndef OTTER_RECORDER_LAUNCH_REPORT_H
#define OTTER_RECORDER_LAUNCH_REPORT_H

#include "recorder/launch/check.h"
#include "recorder/launch/survey.h"

/* Prints "otter-record: <message>". */
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* `since`: certainly before the program was started. Quiet: only if there is no dump. */
void report_dumps(const struct launch *launch, time_t since, bool is_quiet);

/* The findings, on stdout: what was asked for. The exit status: 0 if nothing stands in the way, else 1. */
int report_check(const struct launch *launch);

#endif
