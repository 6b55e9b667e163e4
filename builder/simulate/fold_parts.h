/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared by fold.c, which makes a net smaller, and fold_phases.c, which folds what teams execute.
 */
#ifndef OTTER_BUILDER_SIMULATE_FOLD_PARTS_H
#define OTTER_BUILDER_SIMULATE_FOLD_PARTS_H

#include "builder/simulate/scenario.h"
#include "builder/support/map.h"

#define MANY_BEFORE UINT16_MAX /* counts of links end here: no phase of this many threads is folded */

struct folding {
	const struct net *net;
	uint32_t n_tasks;
	uint64_t *weights; /* by task: what it and its descendants execute and cost; UNFOLDABLE: it cannot be folded */
	uint8_t *states;   /* by task: TASK_* bits (fold.c) */
	/* By node, except what explicit tasks execute: how many links lead to it; MANY_BEFORE: that many or more. */
	uint16_t *n_before;
	struct depends {
		uint32_t n_in, n_out, before; /* before: a task that it depends on */
		uint32_t level;               /* length of the longest chain of tasks that it depends on */
		/* In the present try: */
		uint32_t run_of;    /* the first node of what its creator executes */
		uint64_t one_ticks; /* if it is the first of tasks that are one: what all of them execute and cost */
	} * depends;                /* by task; NULL: the net has no dependences */
	/* In the present try: */
	uint64_t most_ticks; /* a node executes for no longer than that */
	bool has_levels;
	uint32_t n_left;   /* how many nodes the folded net has */
	uint32_t *rep;     /* by node: the first of the nodes that it is one with; 0: it is left out, or folded into a root */
	struct map levels; /* (run, level) -> the first task */
	/*
	 * The nodes that are not folded with a task, in their order: after the first try, those of the try before, as what is
	 * folded with a task stays so with longer lengths. NULL: before the first try, and if nodes of a cycle are missing in the
	 * order.
	 */
	uint32_t *there;
	uint32_t n_there;
	struct share {
		uint64_t ticks;
		uint32_t id;
	} * shares;
	size_t shares_capacity;
};

/* Makes the node one with another one. `with` 0: leaves it out. */
static inline void fold_node(struct folding *f, uint32_t id, uint32_t with)
{
	f->n_left += (uint32_t)(with == id) - (uint32_t)(f->rep[id] == id);
	f->rep[id] = with;
}

/* fold_phases.c: folds phases of a team, or of teams of regions, one after the other, from this barrier or region on. */
void fold_phases(struct folding *f, uint32_t id);

#endif
