/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files of the output directory: opened new, and closed with every error noticed.
 */
#ifndef OTTER_BUILDER_SUPPORT_FILE_H
#define OTTER_BUILDER_SUPPORT_FILE_H

#include <stdio.h>

/* Opens DIR/NAME for writing, and closes it with every error noticed: NULL or -1 with the error said. */
FILE *file_open(const char *dir, const char *name);
int file_close(FILE *file, const char *dir, const char *name);

#endif
