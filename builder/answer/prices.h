/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What tasks cost in this run, by construct: creating one, and from the moment in which it could begin until it does. And
 * how long tasks and fragments of each construct executed. Called by answer.c and late.c, on one thread.
 */
#ifndef OTTER_BUILDER_ANSWER_PRICES_H
#define OTTER_BUILDER_ANSWER_PRICES_H

#include "builder/answer/net.h"
#include "builder/support/spread.h"

/* Of one construct of tasks; ticks. */
struct price {
	uint64_t n_tasks;
	uint64_t own_ticks;      /* that its tasks executed, all together, ... */
	uint64_t recorded_ticks; /* ... and the part of that which is the recorder's; */
	uint64_t around_ticks;   /* the recorder's where they were created, if not in explicit tasks, and started */
	struct spread own;       /* by task */
	struct spread create;    /* by task: the fragment that ended by creating it */
	struct spread start;     /* by task: from when it was ready, and its thread had ended what it ran before, until it began */
	uint64_t create_ticks;   /* the price of creating one */
	uint64_t start_ticks;    /* and of starting one */
	uint64_t made_ticks;     /* the part of the creating fragments that is taken for the price of creating them */
	uint64_t cutoff_ticks;   /* tasks below that are better not tasks of their own; 0: nothing is gained */
	uint64_t saved_ticks;    /* of threads, by that */
	bool is_small;           /* tasks that execute for less than a few times what they cost */
};

struct prices {
	/*
	 * While they are found: fragments that ended by creating tasks. How much of that was the price is known after all of them
	 * have been seen.
	 */
	struct made_tasks {
		struct made_task {
			uint32_t construct; /* of the task */
			uint32_t own_ticks; /* UINT32_MAX: so many, or more, which is above any price */
		} * rows;
		size_t n, capacity;
	} made;
	struct price *rows; /* by construct */
	uint32_t n;
	uint64_t work_ticks; /* of all nodes */
	uint64_t made_ticks; /* of all constructs */
};

/* What follows from nodes and links: beside the order of nodes. */
void prices_begin(struct prices *prices, const struct net *net);
/* The rest, after prices_see_start() for each task that began, but undeferred ones. */
void prices_find(struct prices *prices, const struct net *net);
/* cutoff.c: fills in the cut-offs, of a run on so many threads that took `all_ticks` all together. */
void prices_find_cutoffs(struct prices *prices, const struct net *net, uint32_t n_threads, uint64_t all_ticks);
void prices_free(struct prices *prices);

/* A task, by its first node, has begun so long after it was ready, and its thread had ended what it executed before. */
static inline void prices_see_start(struct prices *prices, const struct net *net, uint32_t id, uint64_t late_ticks)
{
	struct price *price = &prices->rows[net_construct(net, id)];
	uint64_t recorded = net_recorded(net, late_ticks);
	spread_add(&price->start, late_ticks - recorded);
	price->around_ticks += recorded;
}

#endif
