/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How long a run would take if something of it were different: a list scheduler that executes the net on a number of
 * threads, with the times that its nodes took in this run. Of the tasks that are ready, the one that began first in the run
 * is taken first: so the run as it was is simulated with the runtime's choices, and what is different in another run is what
 * was made different, not another policy. Implicit tasks stay on their threads; a thread goes on with the task that it
 * suspended last; a mutex is given in the order in which it was asked for; a task begins as late after it was taken as tasks
 * of its construct do. Called by candidates.c, on one thread.
 */
#ifndef OTTER_BUILDER_ANSWER_SIMULATE_H
#define OTTER_BUILDER_ANSWER_SIMULATE_H

#include "builder/answer/net.h"
#include "builder/answer/prices.h"
#include "builder/answer/track.h"

#define SIMULATE_NODES 2000000 /* larger nets are not simulated */

/* What does not depend on what is different. */
struct scene {
	const struct net *net;
	const struct prices *prices;
	uint32_t n_threads;
	uint32_t *thread_of; /* by row of dump.streams: number of the thread, UINT32_MAX: the stream executed nothing */
	/* Stretches in which a node holds a mutex, and between two of these. Nodes that hold none have no stretches. */
	struct stretch {
		uint64_t ticks;
		uint32_t mutex;     /* number from 1, 0: none */
		uint32_t construct; /* where it is acquired */
	} * stretches;
	uint32_t *first_stretch; /* by node: index of its first one; one more ends the last */
	uint32_t n_mutexes;      /* numbers are up to this */
};

/* What is different; NULL and 0: nothing. */
struct variant {
	const uint64_t *work_ticks; /* by node: how long it executes */
	const uint32_t *targets;    /* by link: what it leads to; 0: nothing */
	uint32_t free_mutex;        /* construct: mutexes that are acquired there exclude nobody there */
	bool has_free_mutex;
};

/* False: the net is too large, or acquisitions are not known one by one. To be freed in any case. */
bool scene_make(struct scene *scene, const struct net *net, const struct prices *prices, const struct track *track);
void scene_free(struct scene *scene);

/* How long it takes, in ticks. */
uint64_t simulate(const struct scene *scene, const struct variant *variant);

#endif
