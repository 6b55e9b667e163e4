/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What events refer to by number: strings, regions and communicators. The archive has one table of them, and each
 * location of the process that is being written has one of its own, so that locations can be written at the same time.
 * A location's table begins where the archive's ended when the process began: what is in there already keeps its
 * number, what is new gets numbers that only this location's events have. When the process is over, mapping.c puts the
 * locations' tables into the archive's, in the order of the locations. One thread at a time for each table; while
 * locations are written the archive's table is only read.
 */
#ifndef OTTER_BUILDER_OTF2_INTERN_H
#define OTTER_BUILDER_OTF2_INTERN_H

#include "builder/otf2/archive.h"
#include "builder/support/hash.h"

#include <stdint.h>

/* The number of a string, a region: the same one for the same content. */
uint32_t intern_string(struct interned *t, const char *text);
uint32_t intern_region(struct interned *t, const struct region_def *def);

/* No event has any of the table's regions. */
void intern_forget_regions(struct interned *t);

void intern_free(struct interned *t);

/* A new communicator of streams of the current process, in order of rank; parent: a communicator or UNSET. */
uint32_t intern_comm(struct archive *a, uint32_t parent, const uint32_t *streams, uint32_t n_streams);

/* The number of a communicator's group. Before those come the groups of all locations, one for each paradigm. */
static inline uint32_t intern_group(const struct archive *a, uint32_t comm)
{
	return comm + 1 + a->has_units;
}

/* ---- Regions ---- */

/*
 * Which region of the archive a construct is entered as.
 */

/* The region of a construct of the current process in a table, which is defined if it is new. `slots`: as a location has. */
uint32_t region_in(const struct process *p, struct interned *t, struct map *slots, uint32_t construct, enum region_kind kind);

uint32_t region_of_slow(const struct archive *a, struct location *l, struct recent_region *recent, uint32_t construct,
			enum region_kind kind);

/* The same in the location's own table. */
static inline uint32_t region_of(const struct archive *a, struct location *l, uint32_t construct, enum region_kind kind)
{
	struct recent_region *recent = &l->recent_regions[(construct * 8 + kind) % RECENT_REGIONS];
	if (__builtin_expect(recent->construct == construct && recent->kind == kind && recent->region != UNSET, 1))
		return recent->region;
	return region_of_slow(a, l, recent, construct, kind);
}

/*
 * Names the regions that were entered in the current process: once its constructs have been looked up in the symbol
 * tables, and the locations' own tables have been put into the archive's.
 */
void regions_name(struct archive *a);

OTF2_RegionRole region_role(enum region_kind kind);
OTF2_Paradigm region_paradigm(enum region_kind kind);

#endif
