/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the output directory share, and nobody else uses:
 *   output.c          opens, commits and closes it
 *   output_abandon.c  removes it where the builder ends early
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

/* Removes a file, or a directory with all that is in it. Takes no memory. 0, or -1 with errno set. */
int output_remove(const char *path);

#endif
