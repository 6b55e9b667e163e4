/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A simulation while it is played: what simulate.c and hold.c share; not to be used elsewhere.
 */
#ifndef OTTER_BUILDER_ANSWER_PLAY_H
#define OTTER_BUILDER_ANSWER_PLAY_H

#include "builder/answer/choice.h"
#include "builder/answer/simulate.h"

struct worker {
	uint32_t node;            /* that it executes, 0: it is idle */
	uint32_t stretch, end;    /* of the node; both 0: it has none */
	uint64_t stretches_ticks; /* of all stretches of the node, in the run */
	bool is_starting;         /* the node is a task that it has just taken */
	uint32_t team;            /* of the implicit task that it executed last */
	bool is_curious;          /* a task may be ready that it may take, though it may not take every one */
	uint32_t *suspended;      /* tasks, the latest last */
	size_t n_suspended, suspended_capacity;
	uint32_t *own; /* nodes of implicit tasks that can begin here */
	size_t n_own, own_capacity, next_own;
	uint32_t next_waiting; /* who waits for the same mutex after it */
};

#define NOBODY UINT32_MAX

struct play {
	const struct plan *plan;
	const struct how *how;
	const struct plan_links *links;
	uint32_t n_workers;
	struct worker *workers;
	struct soonest soonest;
	uint64_t now;
	uint32_t *n_before; /* by node: what it still waits for */
	struct choice ready;
	uint32_t *resumed;                      /* by task: the node with which it can go on, 0 none */
	uint32_t *owner;                        /* by task: the worker that executes it, NOBODY */
	bool *is_stacked;                       /* by task: it is among those that its worker suspended */
	uint32_t *holder;                       /* by mutex: the worker that has it, NOBODY */
	uint32_t *first_waiting, *last_waiting; /* by mutex */
	uint32_t *stack;                        /* of nodes that are over */
	size_t n_stack, stack_capacity;
	uint32_t n_idle;
	struct soonest free;     /* idle workers of the run that no suspended task holds; the time is their number */
	struct soonest extra;    /* in the same way, those beyond the run's threads */
	uint32_t full_team;      /* of all threads, that began last; 0 none */
	uint32_t n_of_full;      /* tasks that are ready in such teams */
	struct soonest wakeable; /* in the same way, others that may have something to do */
	bool is_relaxed;         /* nobody can go on by the rules: any task may be taken, any suspended one resumed */
};

/* hold.c */
/* Begins the first stretch of the node that the worker has just taken. */
void play_begin_node(struct play *p, uint32_t i);
/* Begins the worker's present stretch, or waits for its mutex. */
void play_begin_stretch(struct play *p, uint32_t i);
/* The worker's present stretch is over: the mutex that it needed is given to the next one. */
void play_end_stretch(struct play *p, uint32_t i);

#endif
