/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A simulation while it runs: what simulate.c and stretch.c share; not to be used elsewhere.
 */
#ifndef OTTER_BUILDER_SIMULATE_SIMULATION_H
#define OTTER_BUILDER_SIMULATE_SIMULATION_H

#include "builder/simulate/simulate.h"
#include "builder/support/tournament.h"

/* ---- Ready queue ---- */

/*
 * The tasks of a simulation that are ready, and which of them a thread takes, by policy (simulate.h). Tasks that the thread
 * may not take, as they do not descend from the one that waits there, are passed over: the first task that it may take is
 * found in log2(number of tasks) steps.
 */

struct ready_queue {
	const struct simulated_workload *workload;
	enum policy policy;
	struct tournament tasks; /* by task: the one with the least key is taken first */
	uint32_t *nodes;         /* by task: its first node */
	uint64_t *ways;          /* POLICY_LONGEST */
	uint32_t n;
	uint64_t n_pushed;
	struct ready_queue_list {
		uint32_t newer, older, worker;
	} * lists;        /* POLICY_NEWEST, by task: its neighbours among those that its worker made ready, 0 none */
	uint32_t *newest; /* the same, by worker */
};

void ready_queue_begin(struct ready_queue *ready_queue, const struct simulated_workload *workload,
		       const struct simulation_setup *setup, uint32_t n_workers);
void ready_queue_free(struct ready_queue *ready_queue);

/* The worker made the task ready, which begins with this node. */
void ready_queue_push(struct ready_queue *ready_queue, uint32_t worker, uint32_t task, uint32_t node);
/* Takes a task with a number from `from` to before `end` for the worker. Returns its first node; 0: no such task is ready. */
uint32_t ready_queue_take(struct ready_queue *ready_queue, uint32_t worker, uint32_t from, uint32_t end);

struct worker {
	uint32_t node;            /* that it executes, 0: it is idle */
	uint32_t stretch, end;    /* present stretch of the node, and the end of its stretches; both 0: it has none */
	uint64_t stretches_ticks; /* of all stretches of the node, in the run */
	bool is_starting;         /* the node is a task that it has just taken */
	uint32_t team;            /* of the implicit task that it executed last */
	bool is_curious;          /* it may not take every task, but one that it may take may be ready */
	uint32_t *suspended;      /* tasks, the latest last */
	size_t n_suspended, suspended_capacity;
	uint32_t *own; /* nodes of implicit tasks that can begin here */
	size_t n_own, own_capacity, next_own;
	uint32_t next_waiting; /* the next worker that waits for the same mutex */
};

#define NOBODY UINT32_MAX

struct simulation {
	const struct simulated_workload *workload;
	const struct simulation_setup *setup;
	const struct workload_links *links;
	uint32_t n_workers;
	struct worker *workers;
	struct tournament tournament;
	uint64_t now;
	uint32_t *n_before; /* by node: how many nodes it still waits for */
	struct ready_queue ready;
	uint32_t *resumed;                      /* by task: the node with which it can be resumed, 0 none */
	uint32_t *owner;                        /* by task: the worker that executes it, NOBODY */
	bool *is_stacked;                       /* by task: its worker has suspended it */
	uint32_t *holder;                       /* by mutex: the worker that holds it, NOBODY */
	uint64_t *free_ticks;                   /* by mutex: it is not given to another worker before */
	uint32_t *first_waiting, *last_waiting; /* by mutex: the workers that wait for it */
	uint32_t *stack;                        /* of nodes that are over */
	size_t n_stack, stack_capacity;
	uint32_t n_idle;
	struct tournament free;     /* idle workers of the run that no suspended task holds, by their numbers */
	struct tournament extra;    /* the same for workers beyond the run's threads */
	uint32_t full_team;         /* the team of all threads that began last; 0 none */
	uint32_t n_of_full;         /* number of ready tasks in such teams */
	struct tournament wakeable; /* idle workers that may have something of their own to do, by their numbers */
	bool is_relaxed;            /* no worker can continue by the rules: any task may be taken, any suspended one resumed */
};

/* stretch.c */
/* Begins the first stretch of the node that the worker has just taken. */
void simulation_begin_node(struct simulation *p, uint32_t i);
/* Begins the worker's present stretch, or waits for its mutex. */
void simulation_begin_stretch(struct simulation *p, uint32_t i);
/* The worker's present stretch is over: the mutex that it needed is given to the next one. */
void simulation_end_stretch(struct simulation *p, uint32_t i);

#endif
