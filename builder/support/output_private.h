/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Declarations that only the files of the output directory use:
 *   output.c          opens, commits and closes it
 *   output_abandon.c  removes it where the builder ends early
 *   output_stale.c    removes those of builders that were killed
 */
#ifndef OTTER_BUILDER_SUPPORT_OUTPUT_PRIVATE_H
#define OTTER_BUILDER_SUPPORT_OUTPUT_PRIVATE_H

#include "builder/support/output.h"

/*
 * The temporary directory that exists, for output_abandon(); NULL: none. It is read and written only between
 * output_hold() and output_release().
 */
extern char *output_unfinished;

/* The scratch directory, for which the same holds. */
extern char *output_scratch_place;

/* Locks the directory for as long as this process is there. A descriptor, or -1 with errno set: it is not there any more. */
int output_lock(const char *path);

/*
 * Removes directories of builders that do not run any more: PREFIX with the number of a process after it. is_own: all that is
 * in them is of the builder; NULL: it is in any case.
 */
void output_remove_left(const char *prefix, bool (*is_own)(const char *name));

/* Removes a file, or a directory with all that is in it. Takes no memory. 0, or -1 with errno set. */
int output_remove(const char *path);

#endif
