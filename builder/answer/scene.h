/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From a net to what is simulated of it (plan.h): its threads, where its nodes hold mutexes, and, where it is too large,
 * which nodes are taken for one (fold.c). And a run in which something is different, by nodes and links of the net. Used by
 * candidates.c and by builder/whatif/; on one thread, but scene_play() on several.
 */
#ifndef OTTER_BUILDER_ANSWER_SCENE_H
#define OTTER_BUILDER_ANSWER_SCENE_H

#include "builder/answer/net.h"
#include "builder/answer/prices.h"
#include "builder/answer/simulate.h"
#include "builder/answer/track.h"

/* Larger nets are folded to so many nodes; those that cannot be, and units of Argobots, are simulated with up to UNFOLDED_NODES. */
#define SIMULATE_NODES 50000
#define UNFOLDED_NODES 2000000

struct scene {
	const struct net *net;
	const struct prices *prices;
	const struct track *track;
	struct plan plan;    /* the run as it was */
	uint32_t *thread_of; /* by row of dump.streams: number of the thread, UINT32_MAX: the stream executed nothing */
	/* Where the net is folded: by node of the net that of the plan, 0: it is left out; NULL: the same numbers. */
	uint32_t *unit_of;
	/* Of a folded net, by node of the plan: the node of the net that it executes first, and how many it is. */
	uint32_t *first_of, *n_members;
	bool is_coarse;                /* the net is folded, or several acquisitions of a mutex are one */
	size_t n_acquisitions, n_held; /* acquisitions of mutexes, and as how many they are in the plan */
};

/* What is different in a run; NULL and 0: nothing. */
struct variant {
	const uint64_t *work_ticks; /* by node of the plan: how long it executes */
	/* What a link of a node of the net leads to, 0: nothing. Called for each link, in any order. */
	uint32_t (*leads_to)(const struct variant *self, const struct net *net, uint32_t id, size_t link);
	uint32_t free_mutex; /* construct: mutexes that are acquired there exclude nobody there */
	bool has_free_mutex;
};

/*
 * A net with more than `most` nodes is folded to that; of more acquisitions of mutexes several become one. False: it cannot be
 * folded so far, or acquisitions of mutexes are not known one by one; then there is nothing to be freed. `spare`: a number for
 * each node of the net, memory that is taken or freed here; or NULL.
 */
bool scene_make(struct scene *scene, const struct net *net, const struct prices *prices, const struct track *track, uint32_t most,
		uint32_t *spare);
void scene_free(struct scene *scene);

/* The node of the plan of a node of the net, 0: it is left out. */
static inline uint32_t scene_unit(const struct scene *scene, uint32_t node)
{
	return scene->unit_of != NULL ? scene->unit_of[node] : node;
}

/* The node of the net that a node of the plan executes first, 0: none. */
static inline uint32_t scene_first(const struct scene *scene, uint32_t unit)
{
	return scene->unit_of != NULL ? scene->first_of[unit] : unit;
}

/* How long the run takes with what is different, in ticks. */
uint64_t scene_play(const struct scene *scene, const struct variant *variant);

/*
 * fold.c: the node of the plan of each node of the net, by net node, with 0 of those left out; to be freed. NULL: it cannot be
 * folded so far. `spare`: as above, the result's place or freed.
 */
uint32_t *fold(const struct net *net, const struct prices *prices, uint32_t most, uint32_t *spare, uint32_t *n_units);

#endif
