/* SPDX-License-Identifier: BSD-3-Clause
 *
 * "k times faster": what it gives to make single constructs faster, and what would be critical next. Called by whatif.c, on one
 * thread.
 */
#ifndef OTTER_BUILDER_WHATIF_SPEEDUPS_H
#define OTTER_BUILDER_WHATIF_SPEEDUPS_H

#include "builder/whatif/costs.h"
#include "builder/whatif/whatif.h"

/* Fills in what_if.speedups, and first and next. */
void speedups_find(struct what_if *what_if, const struct scene *scene, const struct costs *costs);

/* Plays the plan in each of these ways, on the threads of the team. */
void play_all(const struct plan *plan, const struct how *hows, uint64_t *ticks, size_t n);

#endif
