/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which node of a unit of Argobots runs where, and when (turns.c). For processes whose work is that of units; in others the
 * nodes of a stream are those of its tasks.
 */
#ifndef OTTER_BUILDER_ANSWER_TURNS_H
#define OTTER_BUILDER_ANSWER_TURNS_H

#include "builder/answer/causes.h"
#include "builder/answer/net.h"
#include "builder/answer/track.h"

/* Has the process units, and no region of OpenMP? */
bool turns_are_all(const struct graph *graph);

/* After track_finish(): track_turn.id of each stream is a node from then on; and adds what units waited to track.places. */
void turns_find(struct track *track, const struct net *net);

/* What units waited for: who ended each wait. */
void turns_blame_waits(struct causes *waits, const struct net *net);

/*
 * By node: how many units its unit has created, and not begun to join, by then; at a join how many of the same batch there
 * are, of which the joined one is one; to be freed.
 */
uint32_t *turns_find_batches(const struct net *net);

#endif
