/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What could be mended in a run, and how much time that would save: for each cause with a share of the blame that counts,
 * the run is simulated without it. Called by answer.c, on one thread.
 */
#ifndef OTTER_BUILDER_ANSWER_CANDIDATES_H
#define OTTER_BUILDER_ANSWER_CANDIDATES_H

#include "builder/answer/answer.h"
#include "builder/answer/scene.h"

/* Fills in answer.candidates, what saves most first. scene NULL: nothing can be simulated. */
void candidates_find(struct answer *answer, const struct scene *scene);

/* ---- variants.c: what is different ---- */

/*
 * The time above the price of creating tasks of this construct goes from the task that creates to those that are created. By
 * node of the plan; to be freed.
 */
uint64_t *variant_without_creation(const struct scene *scene, uint32_t construct);
/* Every member of a team comes to barriers after this construct at the same time. The same; NULL: there are no such barriers. */
uint64_t *variant_balanced(const struct scene *scene, uint32_t construct);

enum drop { DROP_CHAIN, DROP_ALL_CHAINS, DROP_WAIT, DROP_UNDEFERRED, DROP_BARRIER };

struct dropped {
	struct variant variant; /* first, as it is found by its address */
	const struct track *track;
	enum drop drop;
	uint32_t construct, other;
	uint32_t *later; /* by node of a wait: what waits instead, 0: nothing; NULL: nothing does anywhere. To be freed */
};
/* Edges of this kind are not there: their sources come before the region's end alone, or, at a barrier, before the own next fragment. */
struct dropped variant_without_edges(const struct scene *scene, enum drop drop, uint32_t construct, uint32_t other);

/* blockers.c: what a node is late for at a barrier. */
uint32_t blockers_before_barrier(const struct net *net, const struct track *track, uint32_t id, uint32_t barrier);

#endif
