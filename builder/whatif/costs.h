/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the nodes of a plan cost: how late they begin, on average of nodes of their class. And the costs that are as good as
 * those of another run: each node executes what a node of the other half of its class executed, and begins as late as the other
 * half does, so that no node has its own numbers. Called by whatif.c, on one thread.
 */
#ifndef OTTER_BUILDER_WHATIF_COSTS_H
#define OTTER_BUILDER_WHATIF_COSTS_H

#include "builder/answer/scene.h"

struct costs {
	uint64_t *start_ticks;       /* by node of the plan: the mean of its class */
	uint64_t *other_work_ticks;  /* by node: of one of the other half of its class */
	uint64_t *other_start_ticks; /* by node: the mean of the other half */
	double own_share;            /* of the work: of nodes whose class has no other half */
};

void costs_find(struct costs *costs, const struct scene *scene);
void costs_free(struct costs *costs);

#endif
