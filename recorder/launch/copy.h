/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Copies a file, or parts of it, into a directory: as a reflink where the file system can, else byte by byte. The copy
 * appears there whole or not at all.
 */
#ifndef OTTER_RECORDER_LAUNCH_COPY_H
#define OTTER_RECORDER_LAUNCH_COPY_H

#include "recorder/launch/image.h"

/* Copies all of it (n_parts 0) or these parts, at their places, with holes between them, to `name` in the directory.
 * Returns 0, or -1 with errno; ESTALE: the file was written meanwhile. */
int copy_image(const struct elf_image *image, const struct file_range *parts, size_t n_parts, int dir, const char *name,
	       mode_t mode);

#endif
