/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is ordered although no synchronisation waits for it: the task that creates an undeferred task is suspended until
 * that one ends (order.c), and the task that fulfils an event comes before the end of the detached one (order.c).
 */
#ifndef OTTER_BUILDER_GRAPH_ORDER_H
#define OTTER_BUILDER_GRAPH_ORDER_H

#include "builder/replay/replay.h"

struct graph;

struct order {
	struct order_task {
		uint32_t resumption; /* last position of the undeferred task for which it was suspended last; 0 none */
		bool is_awaited;     /* it is undeferred, and its parent has just waited for its dependences, to create it next */
		bool is_suspending;  /* it is undeferred and runs, and its parent is suspended until its end */
	} * tasks;                   /* by task; NULL: the run has no undeferred tasks */
	/* After the replay: */
	bool has_unknown_orders;   /* there are undeferred tasks, and it is not known whether the program made them so */
	bool has_unknown_fulfills; /* events were fulfilled by threads that were in no task */
};

/* ---- Undeferred tasks ---- */

/* The current task has waited for the dependences of an undeferred task, which it creates next (Q34). */
void order_await(struct graph *graph, uint32_t row);

/* A task is created, which is no dummy of a wait. */
void order_create(struct graph *graph, const struct point *at, uint32_t row);

/* The stream has just created an undeferred task, and now switches to another task. */
void order_begin(struct graph *graph, const struct point *at, uint32_t row);

/*
 * The body of an explicit task has ended, and `next` resumes. The task for which it was suspended last comes before its
 * end; if its parent was suspended for it, its end comes before what the parent does next.
 */
void order_end(struct graph *graph, const struct point *at, uint32_t row, uint32_t next);

/* ---- Detached tasks ---- */

/* The current task fulfils the event of a detached one. */
void order_fulfill(struct graph *graph, const struct point *at, uint32_t detached);

/* After the replay: adds the ends of those tasks. */
void order_add_fulfilments(struct graph *graph);

/* ---- graph.c ---- */

/* The task creates this node, which comes after the end of the task for which it was suspended last. */
void order_follow(struct graph *graph, const struct point *at, uint32_t task, uint32_t node);

/* The same; and the node is its new position, from which everything else follows. 0: it has ended. */
void order_settle(struct graph *graph, const struct point *at, uint32_t task, uint32_t node);

#endif
