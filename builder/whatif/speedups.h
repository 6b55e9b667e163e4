/* SPDX-License-Identifier: BSD-3-Clause
 *
 * "k times faster": how much faster the run gets if single constructs do, and which construct would be critical next. Runs on
 * one thread unless noted.
 */
#ifndef OTTER_BUILDER_WHATIF_SPEEDUPS_H
#define OTTER_BUILDER_WHATIF_SPEEDUPS_H

#include "builder/whatif/whatif.h"
#include "builder/simulate/scenario.h"

/* ---- Costs ---- */

/*
 * What the nodes of a workload cost: how late the nodes of their class begin on average. And costs that stand for those of
 * another run: each node executes what a node of the other half of its class executed, and begins as late as the other
 * half does on average, so that no node has its own numbers. Called by whatif.c, on one thread.
 */

struct costs {
	uint64_t *start_ticks;       /* by node of the workload: mean delay of its class */
	uint64_t *other_work_ticks;  /* by node: work of a node of the other half of its class */
	uint64_t *other_start_ticks; /* by node: mean delay of the other half */
	double own_share;            /* share of the work in nodes whose class has no other half */
};

void costs_find(struct costs *costs, const struct scenario *scenario);
void costs_free(struct costs *costs);

/*
 * By node of the net, for nodes of implicit tasks: the construct that it executes; others execute that of their own task or unit.
 * To be freed. On any thread.
 */
uint32_t *speedups_find_places(const struct net *net, const struct track *track);

/* Fills in what_if.speedups, and first and next. `places`: of the scenario's net. */
void speedups_find(struct what_if *what_if, const struct scenario *scenario, const struct costs *costs, const uint32_t *places);

#endif
