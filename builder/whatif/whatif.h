/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What if there were more threads, or something of the run were faster: how long it would take then. The run's graph is
 * simulated (builder/answer/simulate.h) with what its nodes executed, and with what it cost to begin each of them.
 * docs/analyses.md has the rules. Made of a process's answer; used by process.c, and by the summary, which shows it. One thread,
 * which gives tasks to those of its team.
 */
#ifndef OTTER_BUILDER_WHATIF_WHATIF_H
#define OTTER_BUILDER_WHATIF_WHATIF_H

#include "builder/answer/answer.h"
#include "builder/answer/scene.h"
#include "builder/model/trace.h"
#include "builder/support/csv.h"

#define WHAT_IF_NODES      1000000 /* with --what-if: larger graphs are folded */
#define WHAT_IF_THREADS    4096    /* the curve ends there */
#define WHAT_IF_CONSTRUCTS 5       /* the best ones */
#define WHAT_IF_FACTORS    5       /* k: 1.25, 1.5, 2, 4, and without end */

struct what_if {
	bool is_made;                  /* else: it could not be simulated */
	uint32_t n_nodes;              /* of the graph that is simulated, ... */
	uint32_t n_units;              /* ... and as how many; fewer: it is folded */
	size_t n_acquisitions, n_held; /* of mutexes, in the same way */
	uint64_t wall_ticks;
	uint64_t preempted_ticks; /* of that; simulated threads always have a processor */
	uint32_t n_threads;       /* of the run */
	uint64_t work_ticks;      /* what all nodes execute */
	uint64_t error_ticks;     /* the run as it was, simulated with costs of the other half; see costs.h */
	double own_share;         /* of the work: that no other half knows */
	struct what_if_row {
		uint32_t n_threads;
		enum policy policy;
		uint64_t ticks;
		uint64_t span_ticks; /* the longest way through the graph: no number of threads is faster */
	} * rows;
	size_t n_rows;
	struct speedup {
		uint32_t construct;
		uint64_t work_ticks, path_ticks; /* what it executes, and on the critical path */
		uint64_t ticks[WHAT_IF_FACTORS]; /* how long the run takes when it is so many times faster */
	} speedups[WHAT_IF_CONSTRUCTS];          /* what saves most first */
	unsigned n_speedups;
	uint64_t base_ticks;  /* what they are compared with: the run as it was, simulated */
	uint64_t path_ticks;  /* the critical path of what is simulated */
	uint32_t first, next; /* constructs with most of it; and when the first is twice as fast; 0 none */
	uint64_t first_ticks, next_ticks, next_path_ticks; /* theirs on the path, and that path then */
	uint32_t *places;                                  /* while it is made: see speedups.h */
};

/* After answer_order(): what any free thread of the team may do meanwhile. */
void what_if_begin(struct what_if *what_if, const struct answer *answer);
/*
 * After that and answer_set_scene(). `is_all`: the whole curve, with all policies. fold_nodes: larger graphs are folded; 0:
 * the default. To be freed.
 */
void what_if_make(struct what_if *what_if, const struct answer *answer, bool is_all, uint32_t fold_nodes);
/* After both that and answer_finish(). */
void what_if_finish(struct what_if *what_if, const struct answer *answer);
void what_if_free(struct what_if *what_if);

/* By how many times a construct is faster; 0: it takes no time. */
double what_if_factor(unsigned i);

/*
 * How much longer the run takes by the simulation with costs of the other half, as a share of its time without what threads
 * lost for want of a processor.
 */
static inline double what_if_error(const struct what_if *what_if)
{
	uint64_t ticks = what_if->wall_ticks - what_if->preempted_ticks;
	return ticks != 0 ? (double)what_if->error_ticks / (double)ticks - 1 : 0;
}

/* The files that are made of it, called by outputs.c. 0, or -1 with the error printed. */
int what_if_csv(const struct trace *trace, const struct what_if *what_if, const struct csv_place *place);
int what_if_speedups_csv(const struct trace *trace, const struct what_if *what_if, uint64_t n_constructs_before,
			 const struct csv_place *place);

#endif
