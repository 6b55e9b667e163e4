/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What fold.c makes a net smaller with, and fold_phases.c, which folds what teams execute. Used by these two alone.
 */
#ifndef OTTER_BUILDER_ANSWER_FOLD_PARTS_H
#define OTTER_BUILDER_ANSWER_FOLD_PARTS_H

#include "builder/answer/scene.h"
#include "builder/support/map.h"

#define MANY_BEFORE UINT16_MAX /* no phase of so many threads is folded, so counts of links end there */

struct folding {
	const struct net *net;
	uint32_t n_tasks;
	uint64_t *weights; /* by task: what it and its descendants execute and cost; UNFOLDABLE: it cannot be folded */
	uint8_t *states;   /* by task: TASK_HAS_UP and so on */
	/* By node, but of what explicit tasks execute: how many links lead to it; MANY_BEFORE: so many, or more. */
	uint16_t *n_before;
	struct depends {
		uint32_t n_in, n_out, before; /* before: one that it depends on */
		uint32_t level;               /* of those that it depends on, the longest chain */
		/* Of the present try: */
		uint32_t run_of;    /* the first of what its creator executes */
		uint64_t one_ticks; /* if it is the first of those that are one: what all of them execute and cost */
	} * depends;                /* by task; NULL: there are no dependences */
	/* Of the present try: */
	uint64_t most_ticks; /* a node executes for no longer than that */
	bool has_levels;
	uint32_t n_left;   /* so many nodes are there for themselves */
	uint32_t *rep;     /* by node: the first of those that it is one with; 0: it is left out, or folded into a root */
	struct map levels; /* (run, level) -> the first task */
	/*
	 * The nodes that are not folded with a task, in their order: after the first try, those of the try before, as what is folded
	 * with a task stays so with longer lengths. NULL: before the first try, and where a circle has nodes that are in no order.
	 */
	uint32_t *there;
	uint32_t n_there;
	struct share {
		uint64_t ticks;
		uint32_t id;
	} * shares;
	size_t shares_capacity;
};

/* The node is one with that one, or left out with 0. */
static inline void fold_node(struct folding *f, uint32_t id, uint32_t with)
{
	f->n_left += (uint32_t)(with == id) - (uint32_t)(f->rep[id] == id);
	f->rep[id] = with;
}

/* fold_phases.c: folds phases of a team, or of teams of regions, one after the other, from this barrier or region on. */
void fold_phases(struct folding *f, uint32_t id);

#endif
