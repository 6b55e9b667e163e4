/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What tasks cost in this run, by construct: creating one, and starting one, from the moment in which it could begin until it
 * does. And how long tasks and fragments of each construct executed. Runs on one thread.
 */
#ifndef OTTER_BUILDER_ANALYSIS_PRICES_H
#define OTTER_BUILDER_ANALYSIS_PRICES_H

#include "builder/analysis/net.h"
#include "builder/support/histogram.h"
#include "builder/analysis/track.h"

/* The prices of one construct of tasks, in ticks. */
struct price {
	uint64_t n_tasks;
	uint64_t own_ticks;      /* time that all of its tasks executed */
	uint64_t recorded_ticks; /* the recorder's part of own_ticks */
	uint64_t around_ticks;   /* the recorder's time where they were created, if not in explicit tasks, and started */
	struct histogram own;    /* by task */
	struct histogram create; /* by task: the fragment that ended by creating it */
	struct histogram start;  /* by task: from when it was ready, and its thread had ended its previous node, until it began */
	uint64_t create_ticks;   /* the price of creating one */
	uint64_t start_ticks;    /* the price of starting one */
	uint64_t made_ticks;     /* the part of the creating fragments that counts as the price of creating the tasks */
	uint64_t cutoff_ticks;   /* shorter tasks are better not tasks of their own; 0: that gains nothing */
	uint64_t saved_ticks;    /* time of threads that the cut-off saves */
	bool is_small;           /* the tasks execute for less than a few times their price */
};

struct prices {
	/*
	 * During the search: fragments that ended by creating tasks. Which part of their time was the price is known only after
	 * all of them have been seen.
	 */
	struct made_tasks {
		struct made_task {
			uint32_t construct; /* of the task */
			uint32_t own_ticks; /* UINT32_MAX: that or more, which is above any price */
		} * rows;
		size_t n, capacity;
	} made;
	struct price *rows; /* by construct */
	uint32_t n;
	uint64_t work_ticks; /* of all nodes */
	uint64_t made_ticks; /* of all constructs */
};

/* Finds what follows from nodes and links; may run while the nodes are put into order. */
void prices_begin(struct prices *prices, const struct net *net);
/* Finds the rest, after prices_see_start() for each task that began, except undeferred ones. */
void prices_find(struct prices *prices, const struct net *net);
/* prices.c: fills in the cut-offs. `all_ticks`: the time of all n_threads threads of the run together. */
void prices_find_cutoffs(struct prices *prices, const struct net *net, uint32_t n_threads, uint64_t all_ticks);
void prices_free(struct prices *prices);

/* The task with this first node began `late_ticks` after it was ready and its thread had ended its previous node. */
static inline void prices_see_start(struct prices *prices, const struct net *net, uint32_t id, uint64_t late_ticks)
{
	struct price *price = &prices->rows[net_construct(net, id)];
	uint64_t recorded = net_recorded(net, late_ticks);
	histogram_add(&price->start, late_ticks - recorded);
	price->around_ticks += recorded;
}

/* ---- Late ---- */

/*
 * How late each node of a net began: the time from when it could begin (all nodes before it were over, and its thread had
 * ended its previous node) until it began. Called by answer.c, on one thread.
 */

/* Fills in net.late_ticks, and calls prices_see_start() for tasks that began. After net_make_order() and prices_begin(). */
void late_measure(struct net *net, const struct track *track, struct prices *prices);

#endif
