/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the nodes of a net hold mutexes, or are members of sets that exclude each other (mutexinoutset). Called by scene.c, on
 * one thread.
 */
#ifndef OTTER_BUILDER_ANSWER_STRETCHES_H
#define OTTER_BUILDER_ANSWER_STRETCHES_H

#include "builder/answer/net.h"
#include "builder/answer/plan.h"
#include "builder/answer/track.h"

struct stretches {
	struct plan_stretch *stretches; /* in which a node holds a mutex, and between two of these */
	uint32_t *first;                /* by node: index of its first one; one more ends the last. NULL: no node holds any */
	uint32_t n_mutexes;             /* numbers are up to this */
};

/* Both arrays are to be freed. */
void stretches_find(struct stretches *all, const struct net *net, const struct track *track);

#endif
