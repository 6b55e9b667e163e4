/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which nodes are around a task: see near.c. Used by singles.c.
 */
#ifndef OTTER_BUILDER_SPAWN_NEAR_H
#define OTTER_BUILDER_SPAWN_NEAR_H

#include "builder/spawn/spawn.h"

/*
 * By node of the fragment graph: not 0 if it is around the family's task. At most n_max, those that tell most of it first. To
 * be freed; NULL after it printed that there is no such task.
 */
uint8_t *spawn_near(const struct graph *graph, const struct family *family, size_t n_max);

/* What stands for a node: of a fragment its task. */
uint32_t spawn_whole_of(const struct graph *graph, uint32_t id);

#endif
