/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The steps of model_gather() behind the pass over the records: what needs all streams' tables at once.
 */
#ifndef OTTER_BUILDER_GATHER_H
#define OTTER_BUILDER_GATHER_H

#include "builder/model.h"

/* One taking of a mutex, as the pass over the records met it. */
struct acquisition {
	uint64_t wait_id;
	uint64_t ticks;
	uint32_t stream;
	uint32_t index; /* among the stream's acquisitions */
};

/* Numbers every mutex's acquisitions in the order of time, over all streams, into model.lock_orders. */
int gather_lock_orders(struct model *m, struct acquisition *list, size_t n);

/* Finds the distinct teams, and which one each region has. */
int gather_teams(struct model *m);

#endif
