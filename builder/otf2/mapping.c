/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Locations are written at the same time, each with numbers of its own for what the archive had no number for when the
 * process began (intern.h). Here these get the archive's numbers, in the order of the locations, so that they never
 * depend on which location was written first. A location's local definitions map its numbers to the archive's, where
 * these differ; OTF2's readers apply that before they show an event. The numbers of the first location of the first
 * process never differ. Called by otf2.c, on its thread.
 */
#include "builder/otf2/mapping.h"
#include "builder/otf2/intern.h"
#include "builder/support/memory.h"

#include <stdlib.h>

void mapping_begin(struct archive *a)
{
	a->now.first_solo = a->n_comms;
	for (uint32_t i = 0; i < a->now.def->n_locations; i++) {
		struct interned *t = &a->now.locations[i].interned;
		t->before = &a->interned;
		t->first_string = a->interned.n_strings;
		t->first_region = a->interned.n_regions;
	}
}

/* The archive's number of what has number `own` in a table that continues the archive's from `first`. */
static uint32_t shared_number(const uint32_t *shared, uint32_t first, uint32_t own)
{
	return own < first ? own : shared[own - first];
}

static int write_table(struct archive *a, OTF2_DefWriter *w, OTF2_MappingType type, const uint32_t *shared, uint32_t first,
		       uint32_t n)
{
	OTF2_IdMap *map = NULL;
	OTF2_ErrorCode code = OTF2_SUCCESS;
	for (uint32_t i = 0; i < n && code == OTF2_SUCCESS; i++) {
		if (shared[i] == first + i)
			continue;
		if (map == NULL && (map = OTF2_IdMap_Create(OTF2_ID_MAP_SPARSE, n)) == NULL)
			memory_fail(0, "a mapping table");
		code = OTF2_IdMap_AddIdPair(map, first + i, shared[i]);
	}
	if (code == OTF2_SUCCESS && map != NULL)
		code = OTF2_DefWriter_WriteMappingTable(w, type, map);
	OTF2_IdMap_Free(map);
	return archive_check(a, code, "writing a mapping table");
}

/* The solo communicators of one location, by stream; the first location that needed one has defined it. */
static uint32_t shared_solo(struct archive *a, uint32_t stream)
{
	uint32_t *comm = &a->now.solo_comms[stream]; /* + 1 */
	if (*comm == 0) {
		*comm = intern_comm(a, UNSET, &stream, 1) + 1;
		a->comms[*comm - 1].is_made_up = true;
	}
	return *comm - 1;
}

static int write_tables(struct archive *a, struct location *l, OTF2_DefWriter *w)
{
	struct interned *t = &l->interned;
	uint32_t *strings = memory_get((size_t)t->n_strings + t->n_regions + l->n_solos, sizeof *strings, "the mapping tables");
	uint32_t *regions = strings + t->n_strings, *comms = regions + t->n_regions;
	for (uint32_t i = 0; i < t->n_strings; i++)
		strings[i] = intern_string(&a->interned, t->strings[i]);
	for (uint32_t i = 0; i < t->n_regions; i++) {
		struct region_def def = t->regions[i];
		def.module = shared_number(strings, t->first_string, def.module);
		regions[i] = intern_region(&a->interned, &def);
	}
	for (uint32_t i = 0; i < l->n_solos; i++)
		comms[i] = shared_solo(a, l->solos[i]);
	for (size_t i = 0; i < l->region_slots.n_slots; i++) { /* of regions + 1 */
		uint32_t *region = &l->region_slots.slots[i].value;
		if (l->region_slots.slots[i].is_used)
			*region = shared_number(regions, t->first_region, *region - 1) + 1;
	}
	int rc = write_table(a, w, OTF2_MAPPING_STRING, strings, t->first_string, t->n_strings);
	if (rc == 0)
		rc = write_table(a, w, OTF2_MAPPING_REGION, regions, t->first_region, t->n_regions);
	if (rc == 0)
		rc = write_table(a, w, OTF2_MAPPING_COMM, comms, a->now.first_solo, l->n_solos);
	free(strings);
	return rc;
}

static int write_local(struct archive *a, struct location *l, uint64_t id)
{
	OTF2_DefWriter *w = OTF2_Archive_GetDefWriter(a->otf2, id);
	if (w == NULL)
		return archive_failed(a, OTF2_ERROR_INVALID, "opening local definitions");
	int rc = l != NULL ? write_tables(a, l, w) : 0;
	if (archive_check(a, OTF2_Archive_CloseDefWriter(a->otf2, w), "writing local definitions") != 0)
		rc = -1;
	return rc;
}

int mapping_write(struct archive *a, uint32_t stream)
{
	return write_local(a, &a->now.locations[stream], (uint64_t)stream << 32 | a->now.def->process);
}

int mapping_write_none(struct archive *a, uint64_t id)
{
	return write_local(a, NULL, id);
}
