/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What could be fixed in a run, and how much time that would save: for each cause with a relevant share of the blame, the run
 * is simulated without it. Runs on one thread.
 */
#ifndef OTTER_BUILDER_ANSWER_CANDIDATES_H
#define OTTER_BUILDER_ANSWER_CANDIDATES_H

#include "builder/answer/answer.h"
#include "builder/simulate/scenario.h"

/* The search for candidates of one answer. */
struct candidate_search {
	struct answer *answer;
	const struct scenario *scenario;
	uint64_t base_ticks;         /* the run as it was, simulated */
	uint64_t most_beside_bounds; /* upper bound on what is saved without the limits that bounds_hold_without() has */
	uint64_t most_of_blocked;    /* the same, if no thread is blocked */
	size_t capacity;
	bool *is_tiny; /* by construct of regions: their grain is a candidate */
};

/* bounds.c: adds a candidate, which saves no more than the bounds allow. */
void candidates_put(struct candidate_search *s, struct candidate candidate);

/* ---- grain.c ---- */

/* Adds what is too small: regions, tasks, and chunks of loops. */
void grain_find(struct candidate_search *s);
/* Is the cause a loop that is too small for the barrier at its end? Then makes that of the candidate. */
bool grain_is_small_loop(const struct candidate_search *s, const struct cause *cause, struct candidate *c);

/* ---- candidates.c ---- */

/* Fills in answer.candidates, the largest saving first. scenario NULL: nothing can be simulated. */
void candidates_find(struct answer *answer, const struct scenario *scenario);

/* ---- binding.c ---- */

/*
 * Threads with one mask that has fewer processors than there are of them, though the process may use others; or all threads, where
 * the process's own mask leaves processors of the machine out. n_threads 0: none.
 */
struct binding {
	uint64_t n_threads, n_processors;
	bool is_of_process;
};

/* The largest such group, where most of the time without a processor is theirs. */
struct binding binding_find(const struct answer *answer);

/* ---- hot.c ---- */

/*
 * If the cause is a mutex that is acquired very often and held very shortly, or one of Argobots' that is waited for very
 * often, makes that of the candidate: CAUSE_HOT.
 */
void hot_mark(const struct answer *answer, const struct cause *cause, struct candidate *candidate);

/* ---- variants.c: what is different ---- */

/*
 * How long nodes execute if time of the creator above the price of creating tasks of this construct is moved to the created
 * tasks. By node of the workload; to be freed.
 */
uint64_t *variant_without_creation(const struct scenario *scenario, uint32_t construct);
/* The same if all members of a team reach barriers after this construct at the same time; NULL: there are no such barriers. */
uint64_t *variant_balanced(const struct scenario *scenario, uint32_t construct);

enum drop { DROP_CHAIN, DROP_ALL_CHAINS, DROP_WAIT, DROP_UNDEFERRED, DROP_BARRIER };

struct dropped {
	struct variant variant; /* the first field: functions of the variant cast its address to this struct */
	const struct track *track;
	enum drop drop;
	uint32_t construct, other;
	uint32_t *later; /* by node of a wait: the node that waits instead, 0 none; NULL: none for any wait. To be freed */
};
/*
 * A run without edges of this kind: their sources come only before the region's end, or, at a barrier, before the next
 * fragment of the same task.
 */
struct dropped variant_without_edges(const struct scenario *scenario, enum drop drop, uint32_t construct, uint32_t other);

/* blockers.c: the construct for which a node is late at a barrier. */
uint32_t blockers_before_barrier(const struct net *net, const struct track *track, uint32_t id, uint32_t barrier);

#endif
