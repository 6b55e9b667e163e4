/* SPDX-License-Identifier: BSD-3-Clause
 *
 * "k times faster": what it gives to make single constructs faster, and what would be critical next. Called by whatif.c, on one
 * thread except where it says so.
 */
#ifndef OTTER_BUILDER_WHATIF_SPEEDUPS_H
#define OTTER_BUILDER_WHATIF_SPEEDUPS_H

#include "builder/whatif/costs.h"
#include "builder/whatif/whatif.h"

/*
 * By node of the net: the construct that it executes, of nodes of implicit tasks; others execute that of their own task or unit.
 * To be freed. On any thread.
 */
uint32_t *speedups_find_places(const struct net *net, const struct track *track);

/* Fills in what_if.speedups, and first and next. `places`: of the scene's net. */
void speedups_find(struct what_if *what_if, const struct scene *scene, const struct costs *costs, const uint32_t *places);

/* Plays the plan in each of these ways, on the threads of the team. */
void play_all(const struct plan *plan, const struct how *hows, uint64_t *ticks, size_t n);

#endif
