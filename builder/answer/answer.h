/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What limits a run, where, and what removing it could give at most: docs/analyses.md has the rules and formulas. Made of
 * one process's fragment graph, thread states and mutexes. Used by process.c, which attaches the tracks to the replay, and
 * by the summary, which shows it; on threads of one team, as it is said below.
 */
#ifndef OTTER_BUILDER_ANSWER_ANSWER_H
#define OTTER_BUILDER_ANSWER_ANSWER_H

#include "builder/answer/account.h"
#include "builder/answer/figures.h"
#include "builder/graph/path.h"

/* Something that limits the run. */
struct candidate {
	enum limit limit;
	enum cause_sort sort;
	uint32_t construct, other;       /* rows of model.constructs, 0 none */
	uint64_t blamed_ticks;           /* of threads that did not work because of it */
	uint64_t saved_ticks;            /* of the run's time, at most, if it were mended */
	bool is_simulated;               /* else saved_ticks is a bound: blamed_ticks divided among the threads */
	uint64_t n;                      /* tasks or regions of grain, runtime; 0 elsewhere */
	uint64_t own_ticks, price_ticks; /* grain: what one executes on average (regions: lasts), and what one costs */
	uint64_t all_own_ticks;          /* grain of tasks: what all n execute, with what the recorder takes in them; 0 elsewhere */
	uint64_t all_ticks;              /* chain: saved if all dependences were gone; imbalance: if the barrier were */
};

struct answer {
	struct track track;
	struct net net;
	struct causes causes;
	struct causes waits; /* who is waited for: account.h */
	struct prices prices;
	struct figure *figures; /* by construct */
	struct account account; /* the price of creating tasks is not in SPENT_WORK any more, but in: */
	uint64_t creating_ticks;
	uint64_t handing_ticks;       /* and neither is what handing out small chunks of loops takes at least */
	struct candidate *candidates; /* what saves most first */
	size_t n_candidates;
	struct candidate limit; /* the answer; LIMIT_NONE: it scales */
	const struct states *states;
	const struct spawn_tree *tree;
	uint64_t simulated_ticks; /* how long the run takes as it was, simulated; 0: it was not simulated */
	struct scene *scene;      /* what was simulated; NULL: it was not */
	bool is_made;
};

/*
 * The answer is made in five steps, the first one when the states and the graph's nodes and edges are finished; the last one
 * needs its critical path and the paths of creation as well. The third and the fourth need the two before alone, and may run at
 * the same time; answer_set_scene() gives a task to the team. answer_free() in any case.
 */
void answer_begin(struct answer *answer, const struct graph *graph, const struct states *states, const struct spawn_tree *tree);
/* The order of the nodes, and, beside it, of what tasks cost all that does not need it. */
void answer_order(struct answer *answer);
/* What the threads' time was spent for. 0, or -1 with the error printed. */
int answer_account(struct answer *answer);
/*
 * How late nodes began, what tasks cost, and with that what can be simulated. A net with more nodes than `fold_nodes` (0: than
 * the default, SIMULATE_NODES, as far as it can be folded) is simulated folded.
 */
void answer_set_scene(struct answer *answer, uint32_t fold_nodes);
/* What limits the run. is_made is not set where no thread executed anything. */
void answer_finish(struct answer *answer);
void answer_free(struct answer *answer);

/*
 * Efficiency as a product, of which each factor is at most 1 (after POP's metrics): the busiest thread's time without a
 * processor, in the runtime, and waiting or without a region; and how much less than it the others had to do.
 */
struct efficiency {
	double total; /* the share of the threads' time in which they worked: the product of the others */
	double load_balance, serialisation, runtime, on_processor;
};

struct efficiency answer_efficiencies(const struct answer *answer);

/* The share of the threads' time in which they worked. */
double answer_efficiency(const struct answer *answer);
/* By how many times the run could be faster if this were mended, at most. */
double answer_speedup(const struct answer *answer, const struct candidate *candidate);
/* The candidate's share of all time in which threads did not work. */
double answer_loss_share(const struct answer *answer, const struct candidate *candidate);

#endif
