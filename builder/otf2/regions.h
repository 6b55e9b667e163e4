/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which region of the archive a construct is entered as.
 */
#ifndef OTTER_BUILDER_OTF2_REGIONS_H
#define OTTER_BUILDER_OTF2_REGIONS_H

#include "builder/otf2/archive.h"

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
