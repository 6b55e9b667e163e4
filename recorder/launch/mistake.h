/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Explains why a program was not started, where the error number alone would mislead.
 */
#ifndef OTTER_RECORDER_LAUNCH_MISTAKE_H
#define OTTER_RECORDER_LAUNCH_MISTAKE_H

#include "recorder/launch/target.h"

/* Prints why `name`, which `target` describes, was not started with this errno. */
void mistake_report(const char *name, const struct target *target, int error);

#endif
