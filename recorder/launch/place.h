/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The directory of the dumps, as the recorder will find it: it makes what is missing of its path.
 */
#ifndef OTTER_RECORDER_LAUNCH_PLACE_H
#define OTTER_RECORDER_LAUNCH_PLACE_H

#include <limits.h>
#include <stdbool.h>

/* Puts the part of the path that exists. */
void place_part(const char *dir, char part[PATH_MAX]);

/* The same. Returns 0, or the errno for which nothing can be made below it. Leaves no file. */
int place_error(const char *dir, char part[PATH_MAX]);

/* Does the launcher run in a batch job, or as a rank of MPI? There, a program that does not start costs more than one that is
 * not recorded. */
bool place_is_in_job(long long rank);

#endif
