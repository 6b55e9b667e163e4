/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What limits a run, where, and how much removing it could save at most: docs/analyses.md has the rules and formulas. Made of
 * one process's fragment graph, thread states and mutexes.
 */
#ifndef OTTER_BUILDER_ANSWER_ANSWER_H
#define OTTER_BUILDER_ANSWER_ANSWER_H

#include "builder/analysis/account.h"
#include "builder/analysis/figures.h"
#include "builder/graph/path.h"
#include "builder/tables/row.h"
#include "builder/model/tables.h"

/* Something that limits the run. */
struct candidate {
	enum limit limit;
	enum cause_sort sort;
	uint32_t construct, other;       /* rows of model.constructs, 0 none */
	uint64_t blamed_ticks;           /* time in which threads did not work because of it */
	uint64_t saved_ticks;            /* upper bound on the run's time that is saved by fixing it */
	bool is_simulated;               /* saved_ticks is simulated; else it is blamed_ticks divided among the threads */
	uint64_t n;                      /* grain, runtime: number of tasks or regions; binding: of threads; 0 elsewhere */
	uint64_t n_processors;           /* binding: that n threads share; 0 elsewhere */
	uint64_t own_ticks, price_ticks; /* grain: what one executes on average (regions: lasts), and what one costs */
	uint64_t all_own_ticks;          /* grain of tasks: what all n execute, with the recorder's part; 0 elsewhere */
	bool is_gain_unknown;            /* nothing is known of what its absence saves: saved_ticks is 0 */
	uint64_t all_ticks;              /* time saved without any dependences (chain), or without the barrier (imbalance) */
};

/* What bounds the run on any number of threads. bounds.c. */
struct answer_bounds {
	uint64_t span_ns; /* of the critical path; 0: not known */
	bool has_loops;   /* it depends on how loops were divided among the threads */
	/* What tasks executed, or were blocked, under one mutex, or in one set of tasks that exclude each other; 0: none. */
	uint64_t exclusion_ticks;
	uint32_t exclusion;     /* the construct */
	uint64_t serial_ticks;  /* what the initial task executes beside that */
	uint64_t blocked_ticks; /* how long all tasks were blocked: that is no work, but in the critical path */
};

struct answer {
	struct track track;
	struct net net;
	struct causes causes;
	struct causes waits; /* what is waited for: account.h */
	struct prices prices;
	struct figure *figures; /* by construct */
	struct answer_bounds bounds;
	struct account account;  /* its SPENT_WORK is without creating_ticks and handing_ticks */
	uint64_t recorder_ticks; /* the part of account.wall_ticks in which the process waited for the recorder to begin */
	uint64_t creating_ticks;
	uint64_t handing_ticks;       /* the least time that handing out small chunks of loops takes */
	struct candidate *candidates; /* by saved_ticks, the largest first */
	size_t n_candidates;
	struct candidate limit; /* the answer; LIMIT_NONE: the threads worked nearly all the time */
	struct hang {
		bool is_there;
		bool is_circle;       /* threads wait for each other's mutexes in a circle */
		uint64_t since_ticks; /* the last record */
		uint32_t construct;   /* where they are; 0 not known */
	} hang;
	const struct states *states;
	const struct callpath_tree *tree;
	uint64_t simulated_ticks;  /* time of the unchanged run in the simulation; 0: it was not simulated */
	struct scenario *scenario; /* what was simulated; NULL: it was not */
	bool is_made;
};

/*
 * The answer is made in five steps, the first one when the states and the graph's nodes and edges are finished; the last one
 * also needs the graph's critical path and the paths of creation. The third and the fourth need only the two before, and may run
 * at the same time, if the third is a sibling task of what the fourth creates: answer_set_scenario() waits for it at its end, as
 * it needs the times in which threads were blocked. answer_free() in any case.
 */
void answer_begin(struct answer *answer, const struct graph *graph, const struct states *states, const struct callpath_tree *tree);
/* The order of the nodes, and at the same time the prices of tasks, as far as they do not need that order. */
void answer_order(struct answer *answer);
/* What the threads spent their time on. 0, or -1 with the error printed. */
int answer_account(struct answer *answer);
/*
 * How late nodes began, what tasks cost, and from these what is simulated. A net with more nodes than `fold_nodes` is folded
 * (0: more than the default, SIMULATE_NODES, if it can be folded to that many).
 */
void answer_set_scenario(struct answer *answer, uint32_t fold_nodes);
/* What limits the run. is_made is not set where no thread executed anything. */
void answer_finish(struct answer *answer);
void answer_free(struct answer *answer);

/*
 * Efficiency as a product of factors, each at most 1 (after POP's metrics): three are about the busiest thread's time in the
 * runtime, in waits for other threads, and idle (another thread works alone, or it waits for something else than threads); one is
 * about how much less than that the other threads had to do, and one about time without a processor.
 */
struct efficiency {
	double total; /* the share of the threads' time in which they worked: the product of the others */
	double load_balance, waits, idling, runtime, on_processor;
};

struct efficiency answer_efficiencies(const struct answer *answer);

/* The number of threads that can run at the same time. */
uint64_t answer_n_running(const struct answer *answer);
/* The share of the threads' time in which they worked. */
double answer_efficiency(const struct answer *answer);
/* Upper bound on a saving: the blamed time, less that without a processor, divided among the threads that can run. */
double answer_bound(const struct answer *answer, double ticks, double crowded_ticks);
/* Upper bound on the speedup of the run from fixing this. The time in which the recorder began is left out of both times. */
double answer_speedup(const struct answer *answer, const struct candidate *candidate);
/* The candidate's share of all time in which threads did not work. */
double answer_loss_share(const struct answer *answer, const struct candidate *candidate);

/* ---- Bounds ---- */

/* Sets answer.bounds, after the figures are found. */
void answer_find_bounds(struct answer *answer);
/* The least time that the run takes on any number of threads; loops may be divided otherwise. */
uint64_t answer_least_ticks(const struct answer *answer);
/* Without a limit of this kind, the longest chain and what excludes each other take as long as with it. */
bool bounds_hold_without(enum limit limit);

/* ---- Chunks ---- */

/*
 * What it costs to hand out chunks of a loop that are too small. The records do not show when a thread requests its next chunk
 * from the runtime, so that time looks like the loop's own work; the recorder counts chunks, and the price of one is a lower
 * bound. Used by answer.c, candidates.c and the findings, on one thread, after the figures are found.
 */

struct chunks {
	uint64_t n;                     /* number of chunks; 0: the construct has no chunks that are too small */
	uint64_t own_ticks, cost_ticks; /* average time of one chunk, and the least part of it that handing it out costs */
};

struct chunks chunks_of(const struct answer *answer, uint32_t construct);

/* Blames the loops for handing out chunks that are too small. Returns the time that threads spent on it, of all constructs. */
uint64_t chunks_blame(struct answer *answer);

/* ---- Files that are made of an answer ---- */

/*
 * The files that are made of an answer. Runs on one thread; each returns 0, or -1 with the error printed.
 * /
 */

/* If the answer was not made, figures are empty. `graph`: the one that other tables are made of. */
int answer_constructs_csv(const struct trace *trace, const struct answer *answer, const struct graph *graph,
			  const struct table_place *place);

int answer_grain_csv(const struct trace *trace, const struct answer *answer, uint64_t n_constructs_before,
		     const struct table_place *place);

/* Constructs have numbers in the run: those of the processes before this one come first. */
int answer_waits_csv(const struct trace *trace, const struct answer *answer, uint64_t n_constructs_before,
		     const struct table_place *place);

#endif
