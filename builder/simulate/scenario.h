/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes of a net what is simulated (workload.h): its threads, where its nodes hold mutexes, and, where it is too large,
 * which nodes become one (fold.c). And simulates a run in which something is different, by nodes and links of the net. Runs on
 * one thread, except scenario_simulate(), which may run on several.
 */
#ifndef OTTER_BUILDER_SIMULATE_SCENARIO_H
#define OTTER_BUILDER_SIMULATE_SCENARIO_H

#include "builder/analysis/account.h"
#include "builder/analysis/net.h"
#include "builder/analysis/prices.h"
#include "builder/simulate/simulate.h"
#include "builder/analysis/track.h"
#include "builder/simulate/workload.h"

/* Larger nets are folded to SIMULATE_NODES; nets that cannot be folded, or with units of Argobots, may have UNFOLDED_NODES. */
#define SIMULATE_NODES 50000
#define UNFOLDED_NODES 2000000

struct scenario {
	const struct net *net;
	const struct prices *prices;
	const struct track *track;
	struct simulated_workload workload; /* the run as it was */
	uint32_t *thread_of; /* by row of dump.streams: number of the thread, UINT32_MAX: the stream executed nothing */
	/* By node of the net: its node in the workload, 0: it is left out. NULL: the net is not folded, the numbers are the same. */
	uint32_t *unit_of;
	/* Of a folded net, by node of the workload: the node of the net that it executes first, and how many nodes it executes. */
	uint32_t *first_of, *n_members;
	bool is_coarse;                /* the net is folded, or several acquisitions of a mutex are one */
	size_t n_acquisitions, n_held; /* number of acquisitions of mutexes, in the net and in the workload */
};

/* What is different in a run; NULL and 0: nothing. */
struct variant {
	const uint64_t *work_ticks; /* by node of the workload: how long it executes */
	/* What a link of a node of the net leads to, 0: nothing. Called for each link, in any order. */
	uint32_t (*leads_to)(const struct variant *self, const struct net *net, uint32_t id, size_t link);
	uint32_t free_mutex; /* construct: its acquisitions of mutexes do not exclude each other */
	bool has_free_mutex;
};

/*
 * A net with more than `most` nodes is folded to that many; if there are more acquisitions of mutexes, several become one. False:
 * the net cannot be folded to that many, or acquisitions of mutexes are not known one by one; then nothing is to be freed.
 * `spare`: memory for a number for each node of the net, which is used or freed here; or NULL.
 */
bool scenario_make(struct scenario *scenario, const struct net *net, const struct prices *prices, const struct track *track,
		   uint32_t most, uint32_t *spare);
void scenario_free(struct scenario *scenario);
/* A blocked thread executes nothing else: its node takes as much longer. */
void scenario_add_blocked(struct scenario *scenario, const struct blocked_node *rows, size_t n);

/* The node of the workload that executes a node of the net, 0: it is left out. */
static inline uint32_t scenario_unit(const struct scenario *scenario, uint32_t node)
{
	return scenario->unit_of != NULL ? scenario->unit_of[node] : node;
}

/* The node of the net that a node of the workload executes first, 0: none. */
static inline uint32_t scenario_first(const struct scenario *scenario, uint32_t unit)
{
	return scenario->unit_of != NULL ? scenario->first_of[unit] : unit;
}

/* How long the run takes with what is different, in ticks. */
uint64_t scenario_simulate(const struct scenario *scenario, const struct variant *variant);

/*
 * fold.c: by node of the net, its node in the workload, 0: it is left out; to be freed. NULL: the net cannot be folded to `most`
 * nodes. `spare`: as above; used for the result, or freed.
 */
uint32_t *fold(const struct net *net, const struct prices *prices, uint32_t most, uint32_t *spare, uint32_t *n_units);

/* ---- Parts of a scenario ---- */

/*
 * The parts of which scenario.c makes a workload: its links, its tasks, and where its nodes hold mutexes. A file each.
 */

/* The links between nodes of the workload, each pair of nodes once. `variant`: what is different; NULL: nothing. */
void scenario_make_links(const struct scenario *scenario, const struct variant *variant, struct workload_links *links);
void scenario_free_links(struct workload_links *links);

/*
 * scenario_tasks.c: the tasks and teams of the workload. Before the call node.task of its nodes is an owner in the net
 * (net_owner()), and afterwards a number in workload.tasks.
 */
void scenario_make_tasks(struct scenario *scenario);

/* scenario_stretches.c: if more than `most` stretches hold mutexes, several become one. */
void scenario_make_stretches(struct scenario *scenario, uint32_t most);

/* ---- Stretches ---- */

/*
 * Where the nodes of a net hold mutexes, or are members of sets that exclude each other (mutexinoutset). Called by scenario.c, on
 * one thread.
 */

struct stretches {
	struct workload_stretch *stretches; /* in which a node holds a mutex, and between two of these */
	uint32_t *first;                    /* by node: index of its first one; one more ends the last. NULL: no stretches */
	uint32_t n_mutexes;                 /* the largest number of a mutex */
};

/* Both arrays are to be freed. */
void stretches_find(struct stretches *all, const struct net *net, const struct track *track);

#endif
