/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Long texts in parallel: their lines are formatted by blocks on the threads of OpenMP, and written in order, so that a
 * file has the same bytes for every number of threads. As many blocks as threads are in memory. Runs on one thread.
 */
#ifndef OTTER_BUILDER_SUPPORT_BLOCKS_H
#define OTTER_BUILDER_SUPPORT_BLOCKS_H

#include "builder/support/buffer.h"

#include <stdio.h>

/* Appends the lines of a block. Called for several blocks at the same time, each with a text of its own. */
typedef void blocks_format(void *self, size_t block, struct buffer *text);

/* Returns 0; or -1 with errno set if the text could not be written: the blocks after it are not formatted then. */
int blocks_write(FILE *out, size_t n_blocks, blocks_format *format, void *self);

#endif
