/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is ordered although no synchronisation waits for it: the task that creates an undeferred task is suspended until
 * that one ends (undeferred.c), and the task that fulfils an event comes before the end of the detached one (detached.c). Called by
 * build.c, scope.c and graph.c during the replay, and by build.c after it; one thread.
 */
#ifndef OTTER_BUILDER_GRAPH_ORDER_H
#define OTTER_BUILDER_GRAPH_ORDER_H

#include "builder/replay/replay.h"
#include "builder/support/map.h"

struct graph;

struct order {
	uint32_t *created;      /* by stream: the undeferred task that it has created, and has done nothing else since; 0 none */
	struct map awaited;     /* undeferred tasks that will be created: their parent has just waited for their dependences */
	struct map suspending;  /* undeferred tasks that run, for whose end their parents are suspended */
	struct map resumptions; /* task -> where the undeferred task ended for which it was suspended last, at its position */
	struct map fulfilled;   /* detached task -> place in `fulfilments` + 1 */
	struct fulfilment {
		uint32_t task;       /* detached */
		uint32_t source;     /* the position of the task that fulfilled its event, and ... */
		uint32_t resumption; /* ... that task's entry of `resumptions`, 0 none */
	} * fulfilments;
	size_t n_fulfilments, fulfilments_capacity;
	bool has_unknown_orders;   /* there are undeferred tasks, and it is not known whether the program made them so */
	bool has_unknown_fulfills; /* events were fulfilled by threads that were in no task */
};

/* ---- undeferred.c ---- */

void order_begin_graph(struct graph *graph);
void order_free(struct graph *graph);

/* The current task has waited for the dependences of an undeferred task, which it creates next (Q34). */
void order_await(struct graph *graph, uint32_t row);

/* A task is created, which is no dummy of a wait; of interest if it is undeferred, or if there are `resumptions`. */
void order_create(struct graph *graph, const struct point *at, uint32_t row);

/* The stream has just created an undeferred task, and goes on with a task after another one. */
void order_begin(struct graph *graph, const struct point *at, uint32_t row);

/*
 * The body of an explicit task has ended, and `next` goes on. What the task was suspended for last comes before its
 * end, and it comes before what its parent does next, if that was suspended for it.
 */
void order_end(struct graph *graph, const struct point *at, uint32_t row, uint32_t next);

/* ---- detached.c ---- */

/* The current task fulfils the event of a detached one. */
void order_fulfill(struct graph *graph, const struct point *at, uint32_t detached);

/* After the replay: adds the ends of those tasks. */
void order_add_fulfilments(struct graph *graph);

/* ---- graph.c ---- */

/* The task creates this node: that comes after the end of the task for which it was suspended last. */
void order_follow(struct graph *graph, uint32_t task, uint32_t node);

/* The same; and the node is its new position, from which everything else follows. 0: it has ended. */
void order_settle(struct graph *graph, uint32_t task, uint32_t node);

#endif
