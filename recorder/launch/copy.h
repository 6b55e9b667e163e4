/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Copies a file, or the parts of it that are wanted, into a directory: as a reflink where the file system can, else byte by
 * byte. It appears there whole or not at all. Called by keep.c, in the launcher's one thread.
 */
#ifndef OTTER_RECORDER_LAUNCH_COPY_H
#define OTTER_RECORDER_LAUNCH_COPY_H

#include "recorder/launch/image.h"

/* Copies all of it (n_parts 0) or these parts, at their places, with holes between them, to `name` in the directory.
 * Returns 0, or -1 with errno; ESTALE: the file was written meanwhile. */
int copy_image(const struct image *image, const struct stretch *parts, size_t n_parts, int dir, const char *name, mode_t mode);

#endif
