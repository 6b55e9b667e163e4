/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How the archive uses OTF2: how much memory the library may take and how many files it may open. Called by otf2.c.
 */
#ifndef OTTER_BUILDER_OTF2_LIBRARY_H
#define OTTER_BUILDER_OTF2_LIBRARY_H

#include "builder/otf2/archive.h"

/* Creates the archive's files in the directory. 0, or -1 after error(): then there is nothing to close. */
int library_open(struct archive *a, const char *dir);

/* Frees what library_open() and the writers left, once the library has closed the archive, or could not open it. */
void library_free(struct archive *a);

#endif
