/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What events refer to by number: strings, regions and communicators. Collected while events are written, defined when
 * the archive is closed (defs.c). One thread.
 */
#ifndef OTTER_BUILDER_OTF2_INTERN_H
#define OTTER_BUILDER_OTF2_INTERN_H

#include "builder/otf2/archive.h"

/* The number of a string, a region: the same one for the same content. */
uint32_t intern_string(struct archive *a, const char *text);
uint32_t intern_region(struct archive *a, const struct region_def *def);

/* A new communicator of streams of the current process, in order of rank; parent: a communicator or UNSET. */
uint32_t intern_comm(struct archive *a, uint32_t parent, const uint32_t *streams, uint32_t n_streams);

/* The number of a communicator's group. Before those come the groups of all locations, one for each paradigm. */
static inline uint32_t intern_group(const struct archive *a, uint32_t comm)
{
	return comm + 1 + a->has_units;
}

#endif
