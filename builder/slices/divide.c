/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Divides slices into files, and takes those flows away whose ends are in different ones: see slices.h. On one thread.
 */
#include "builder/slices/slices.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT "flows"

struct placing {
	struct slices *slices;
	uint16_t *created; /* by item: in which file the slice is that starts it, + 1; 0 none */
	bool is_placed;    /* the files of all slices are known */
};

/* Only the ends of flows are of interest here: those of create flows have the item's number. */
static void place_slice(void *self, const struct slice *slice)
{
	struct placing *p = self;
	struct slices *slices = p->slices;
	uint16_t file = (uint16_t)slices_file(slices, slice->begin_ticks);
	if (slice->item == ITEM_LOST || slice->piece == SLICE_END)
		return;
	for (size_t i = 0; i < slice->n_starts; i++)
		if ((slice->starts[i] & 3) == FLOW_CREATE)
			p->created[(uint32_t)(slice->starts[i] >> 2)] = (uint16_t)(file + 1);
	if (slice->piece == SLICE_MORE)
		return;
	for (size_t i = 0; i < slice->n_ends; i++)
		if (p->is_placed && (slice->ends[i] & 3) == FLOW_WAKE && slices->file_last[(uint32_t)(slice->ends[i] >> 2)] != file)
			slices->flags[(uint32_t)(slice->ends[i] >> 2)] &= (uint8_t)~SLICE_IS_WAKER;
	if (slice->is_of_first)
		slices->file_first[slice->item] = file;
	if (slice->is_of_last)
		slices->file_last[slice->item] = file;
}

static int place_all(struct placing *p)
{
	struct slices *slices = p->slices;
	for (size_t i = 0; i < slices->trace->dump.n_streams; i++)
		for (size_t chunk = 0; chunk < slices->streams[i].slices.n_chunks; chunk++)
			if (slices_read(slices, i, chunk, place_slice, p) != 0)
				return -1;
	return 0;
}

int slices_divide(struct slices *slices, const uint64_t *cuts, size_t n)
{
	struct placing p = {slices, memory_zeroed(slices->n_items, sizeof *p.created, WHAT), false};
	uint16_t *file_first = memory_zeroed(slices->n_items, sizeof *file_first, WHAT);
	uint16_t *file_last = memory_zeroed(slices->n_items, sizeof *file_last, WHAT);
	slices->cuts = cuts;
	slices->n_cuts = n;
	slices->file_first = file_first;
	slices->file_last = file_last;
	/* The second time compares the ends of flows that wait with where the first time has found their begins. */
	int rc = place_all(&p);
	p.is_placed = true;
	if (rc == 0)
		rc = place_all(&p);
	for (uint32_t item = 0; item < slices->n_items; item++)
		if (p.created[item] != file_first[item] + 1)
			slices->flags[item] &= (uint8_t)~SLICE_HAS_CREATOR;
	free(p.created);
	return rc;
}
