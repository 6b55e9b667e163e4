/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is simulated: the nodes of a net, each as one, or several as one where the net is too large (fold.c); and what comes
 * before what. Made by scene.c from a net, as it is or with something that is different; simulate.c plays it. Constant once
 * it is made: several threads may play it at the same time.
 */
#ifndef OTTER_BUILDER_ANSWER_PLAN_H
#define OTTER_BUILDER_ANSWER_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum plan_role {
	PLAN_NOTHING, /* there is no node of this number */
	PLAN_POINT,   /* executes nothing: a synchronisation, a region */
	PLAN_TASK,    /* the beginning of an explicit task: any thread may take it */
	PLAN_BOUND,   /* of an implicit or initial task: its own thread has to */
	PLAN_NEXT     /* what a task goes on with */
};

struct plan_node {
	uint64_t work_ticks;
	uint64_t begin_ticks; /* when it began in the run */
	uint64_t start_ticks; /* from when a thread takes it until it begins; of one with several tasks for all of these */
	uint32_t task;        /* number in the plan */
	uint32_t most_shares; /* a thread's share of a loop, and so many threads can have one: more have smaller ones; else 0 */
	uint8_t role;         /* enum plan_role */
	bool is_left;         /* more of its task comes later */
	bool is_at_barrier;   /* its implicit task comes to a barrier */
};

/* Tasks are numbered so that the descendants of a task are those from the next number to before `end`. */
struct plan_task {
	uint32_t end;
	uint32_t parent; /* 0 none */
	uint32_t team;   /* row of plan.teams */
	uint32_t thread; /* of implicit and initial tasks: that executed it */
	bool is_bound;   /* implicit or initial */
	bool is_free;    /* a unit of Argobots: any thread may go on with it where it was suspended */
	bool is_tied;    /* while it waits, its thread may execute its descendants alone */
};

/* The threads of a team take the tasks of that team alone. */
struct plan_team {
	uint32_t from, end; /* tasks */
	bool is_full;       /* all threads of the run are in it: more threads would be, too */
};

struct plan_links {
	size_t *first; /* by node: index of its first link; one more ends the last */
	uint32_t *targets;
};

/* Where a node holds a mutex, and between two of these. Nodes that hold none have no stretches. */
struct plan_stretch {
	uint64_t ticks;
	uint32_t mutex;     /* number from 1, 0: none */
	uint32_t construct; /* where it is acquired */
};

struct plan {
	struct plan_node *nodes;
	uint32_t n; /* numbers of nodes, from 1, are below */
	struct plan_task *tasks;
	uint32_t n_tasks;        /* numbers of tasks, from 1, are below */
	struct plan_team *teams; /* row 0: none */
	uint32_t n_teams;
	struct plan_links links;
	struct plan_stretch *stretches;
	uint32_t *first_stretch; /* by node; one more ends the last */
	uint32_t n_mutexes;      /* numbers are up to this */
	uint32_t n_threads;      /* of the run */
};

#endif
