/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The figures of each construct: how often it was executed, for how long, how long threads waited at it, what it is blamed
 * for. Runs on one thread.
 */
#ifndef OTTER_BUILDER_ANALYSIS_FIGURES_H
#define OTTER_BUILDER_ANALYSIS_FIGURES_H

#include "builder/analysis/account.h"
#include "builder/analysis/prices.h"
#include "builder/callpaths/tree.h"

struct figure {
	uint64_t count;      /* tasks; regions; threads in a worksharing construct; arrivals at a synchronisation; acquisitions */
	uint64_t own_ticks;  /* time that its tasks executed, or that threads executed in it; of a mutex: how long it was held */
	uint64_t path_ticks; /* the part of own_ticks on the critical path */
	uint64_t path_blocked_ns; /* how long its nodes on the critical path were blocked */
	uint64_t path_device_ns;  /* how long its transfers and kernels on the critical path took */
	uint64_t n_chunks;        /* of a loop whose chunks are handed out while it runs: how many; 0: they were not counted */
	uint64_t wait_ticks;      /* time that threads waited in it */
	double blamed_ticks;      /* time in which threads did not work because of it */
	uint32_t culprit;         /* of a synchronisation or mutex: the construct that was waited for longest, 0 none */
	double culprit_share;     /* the culprit's share of all time that threads waited there */
};

/* By construct; to be freed. */
struct figure *figures_find(const struct net *net, const struct track *track, const struct prices *prices,
			    const struct callpath_tree *tree, const struct causes *causes, const struct causes *waits);

/* Is it a row of `waits` about that place? Units wait in several ways at one construct. */
bool wait_is_at(const struct model *model, const struct wait_place *place, const struct cause *wait);

#endif
