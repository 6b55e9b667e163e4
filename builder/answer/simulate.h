/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How long a run would take on some number of threads: a list scheduler that plays a plan (plan.h). A thread goes on with the
 * task that it suspended last; while a tied task waits, its thread takes descendants of that task alone, except in barriers.
 * The threads of a team take its tasks alone. Implicit tasks stay on their threads; with fewer threads than there were, neighbours share one. A mutex is given in the
 * order in which it was asked for. A task begins as late after it was taken as tasks of its construct do. Called by
 * candidates.c and by builder/whatif/, on several threads at the same time.
 */
#ifndef OTTER_BUILDER_ANSWER_SIMULATE_H
#define OTTER_BUILDER_ANSWER_SIMULATE_H

#include "builder/answer/plan.h"

/* Which of the tasks that are ready a thread takes. */
enum policy {
	POLICY_RUN,     /* the one that began first in the run: the runtime's own choices */
	POLICY_NEWEST,  /* the newest of those that it made ready itself, else the oldest of others */
	POLICY_OLDEST,  /* the one that has been ready for longest */
	POLICY_LONGEST, /* the one with the longest way to the end of the run */
	POLICIES
};

/* For programs. */
const char *policy_name(enum policy policy);

struct how {
	uint32_t n_threads; /* 0: as many as in the run */
	enum policy policy;
	const struct plan_links *links; /* NULL: those of the plan */
	const uint64_t *work_ticks;     /* by node: how long it executes; NULL: as in the plan */
	const uint64_t *start_ticks;    /* by node, also of those that are no tasks; NULL: as in the plan */
	uint32_t free_mutex;            /* construct: mutexes that are acquired there exclude nobody there */
	bool has_free_mutex;
};

/* How long it takes, in ticks. */
uint64_t simulate(const struct plan *plan, const struct how *how);

/* How long the node executes. */
static inline uint64_t plan_work(const struct plan *plan, const struct how *how, uint32_t node)
{
	uint64_t work = how->work_ticks != NULL ? how->work_ticks[node] : plan->nodes[node].work_ticks;
	uint32_t most = plan->nodes[node].most_shares;
	if (most == 0 || how->n_threads <= plan->n_threads)
		return work;
	return work * plan->n_threads / (how->n_threads < most ? how->n_threads : most);
}

/*
 * By node: the longest way from it to the end, itself included, UINT64_MAX: a circle comes before it; to be freed. The longest of
 * all: how long the run takes at least.
 */
uint64_t *plan_ways(const struct plan *plan, const struct how *how, uint64_t *longest_ticks);

#endif
