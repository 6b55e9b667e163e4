/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which region of the archive a construct is entered as. One thread.
 */
#ifndef OTTER_BUILDER_OTF2_REGIONS_H
#define OTTER_BUILDER_OTF2_REGIONS_H

#include "builder/otf2/archive.h"

uint32_t region_of_slow(struct archive *a, uint32_t construct, enum region_kind kind);

/* The region of a construct of the current process, which is defined if it is new. */
static inline uint32_t region_of(struct archive *a, uint32_t construct, enum region_kind kind)
{
	uint32_t slot = construct * REGION_KINDS + kind;
	uint32_t region = slot < a->now.n_region_refs ? a->now.region_refs[slot] : UNSET;
	return region != UNSET ? region : region_of_slow(a, construct, kind);
}

/* Names the regions that the current process defined: once its constructs have been looked up in the symbol tables. */
void regions_name(struct archive *a);

OTF2_RegionRole region_role(enum region_kind kind);
OTF2_Paradigm region_paradigm(enum region_kind kind);

#endif
