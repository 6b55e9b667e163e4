/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How long the run would take with more threads, or if a construct were faster. The run's graph is simulated
 * (builder/simulate/simulate.h) with what its nodes executed, and with what it cost to begin each of them.
 * docs/analyses.md has the rules. Made of a process's answer; used by process.c, and by the summary, which shows it. Runs on
 * one thread, which creates tasks for its team.
 */
#ifndef OTTER_BUILDER_WHATIF_WHATIF_H
#define OTTER_BUILDER_WHATIF_WHATIF_H

#include "builder/answer/answer.h"
#include "builder/simulate/scenario.h"
#include "builder/model/tables.h"
#include "builder/tables/row.h"

#define WHAT_IF_NODES      1000000 /* with --what-if: larger graphs are folded */
#define WHAT_IF_THREADS    4096    /* the curve ends there */
#define WHAT_IF_CONSTRUCTS 5       /* the best ones */
#define WHAT_IF_FACTORS    5       /* k: 1.25, 1.5, 2, 4, and without end */

struct what_if {
	bool is_made;                  /* false: the run could not be simulated */
	uint32_t n_nodes;              /* number of nodes of the graph */
	uint32_t n_units;              /* number of nodes that are simulated; fewer than n_nodes: the graph is folded */
	size_t n_acquisitions, n_held; /* acquisitions of mutexes, in the graph and in the simulation */
	uint64_t wall_ticks;
	uint64_t preempted_ticks; /* the part of wall_ticks lost to preemption: simulated threads always have a processor */
	uint32_t n_threads;       /* of the run */
	uint64_t work_ticks;      /* what all nodes execute */
	uint64_t error_ticks;     /* the run as it was, simulated with costs of the other half; see speedups.h */
	double own_share;         /* costs.own_share */
	struct what_if_row {
		uint32_t n_threads;
		enum policy policy;
		uint64_t ticks;
		uint64_t span_ticks; /* the longest path through the graph: no number of threads is faster */
	} * rows;
	size_t n_rows;
	struct speedup {
		uint32_t construct;
		uint64_t work_ticks, path_ticks; /* what it executes, in all and on the critical path */
		uint64_t ticks[WHAT_IF_FACTORS]; /* by factor: how long the run takes if the construct is that much faster */
	} speedups[WHAT_IF_CONSTRUCTS];          /* the largest saving first */
	unsigned n_speedups;
	uint64_t base_ticks;  /* time of the unchanged run in the simulation, to compare with */
	uint64_t path_ticks;  /* length of the simulated critical path */
	uint32_t first, next; /* constructs with most of that path; next: if the first is twice as fast; 0 none */
	uint64_t first_ticks, next_ticks, next_path_ticks; /* their parts of the path; length of the path for `next` */
	uint32_t *places;                                  /* while it is made: see speedups.h */
};

/* After answer_order(): the part that a free thread of the team may do at the same time as later steps of the answer. */
void what_if_begin(struct what_if *what_if, const struct answer *answer);
/*
 * After that and answer_set_scenario(): simulates. `is_all`: the whole curve, with all policies. fold_nodes: larger graphs are
 * folded; 0: the default. To be freed.
 */
void what_if_make(struct what_if *what_if, const struct answer *answer, bool is_all, uint32_t fold_nodes);
/* After both that and answer_finish(). */
void what_if_finish(struct what_if *what_if, const struct answer *answer);
void what_if_free(struct what_if *what_if);

/* By how many times a construct is faster; 0: it takes no time. */
double what_if_factor(unsigned i);

/*
 * How much longer the run takes in the simulation with costs of the other half, as a share of its time without preempted_ticks.
 */
static inline double what_if_error(const struct what_if *what_if)
{
	uint64_t ticks = what_if->wall_ticks - what_if->preempted_ticks;
	return ticks != 0 ? (double)what_if->error_ticks / (double)ticks - 1 : 0;
}

/* The files that are made of it, called by outputs.c. 0, or -1 with the error printed. */
int what_if_csv(const struct trace *trace, const struct what_if *what_if, const struct table_place *place);
int what_if_speedups_csv(const struct trace *trace, const struct what_if *what_if, uint64_t n_constructs_before,
			 const struct table_place *place);

#endif
