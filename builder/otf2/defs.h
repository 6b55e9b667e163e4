/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The archive's global definitions: called by otf2.c when the archive is closed. One thread.
 */
#ifndef OTTER_BUILDER_OTF2_DEFS_H
#define OTTER_BUILDER_OTF2_DEFS_H

#include "builder/otf2/archive.h"

/* Writes all definitions, when all events are written. 0 or -1. */
int defs_write(struct archive *a);

#endif
