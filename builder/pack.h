/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Packs dumps (--pack): their files of segments become files of packed segments (docs/format.md, section 5).
 */
#ifndef OTTER_BUILDER_PACK_H
#define OTTER_BUILDER_PACK_H

#include "builder/run.h"

/* Packs the dumps that the options name, one after the other. Returns the exit status (diag.h). */
int pack(const struct options *options);

#endif
