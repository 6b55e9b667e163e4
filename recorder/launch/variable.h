/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Changes the launcher's environment, which is the program's. The functions return false, with errno, if there is no memory.
 */
#ifndef OTTER_RECORDER_LAUNCH_VARIABLE_H
#define OTTER_RECORDER_LAUNCH_VARIABLE_H

#include <stdbool.h>

bool variable_set(const char *name, const char *value);

/* Is it set to something? */
bool variable_is_set(const char *name);

/* Put `value` before or after what the variable already contains, with a colon between. */
bool variable_prepend(const char *name, const char *value);
bool variable_append(const char *name, const char *value);

#endif
