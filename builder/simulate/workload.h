/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is simulated: the nodes of a net, each as one, or several as one where the net is too large (fold.c); and the links
 * between them. Made by scenario.c from a net, as it is or with a change; simulate.c simulates it. Constant once it is made:
 * several threads may simulate it at the same time.
 */
#ifndef OTTER_BUILDER_SIMULATE_WORKLOAD_H
#define OTTER_BUILDER_SIMULATE_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum workload_role {
	WORKLOAD_NOTHING, /* there is no node of this number */
	WORKLOAD_POINT,   /* executes nothing: a synchronisation, a region */
	WORKLOAD_TASK,    /* the beginning of an explicit task: any thread may take it */
	WORKLOAD_BOUND,   /* the beginning of an implicit or initial task: only its own thread takes it */
	WORKLOAD_NEXT     /* a task continues with it */
};

struct workload_node {
	uint64_t work_ticks;
	uint64_t begin_ticks; /* when it began in the run */
	uint64_t start_ticks; /* from when a thread takes it until it begins; the sum, if it is several tasks */
	uint32_t task;        /* number in the workload */
	uint32_t most_shares; /* of a thread's share of a loop: the most threads among which it can be divided; else 0 */
	uint8_t role;         /* enum workload_role */
	bool is_left;         /* more of its task comes later */
	bool is_at_barrier;   /* its implicit task reaches a barrier after it */
};

/* Tasks are numbered so that the descendants of a task are those from the next number to before `end`. */
struct workload_task {
	uint32_t end;
	uint32_t parent; /* 0 none */
	uint32_t team;   /* row of workload.teams */
	uint32_t thread; /* of implicit and initial tasks: the thread that executed it */
	bool is_bound;   /* implicit or initial */
	bool is_free;    /* a unit of Argobots: any thread may resume it */
	bool is_tied;    /* while it waits, its thread may execute only its descendants */
};

/* The threads of a team take only tasks of that team. */
struct workload_team {
	uint32_t from, end; /* tasks */
	bool is_full;       /* all threads of the run are in it; more threads would be in it, too */
};

struct workload_links {
	size_t *first; /* by node: index of its first link; one more ends the last */
	uint32_t *targets;
};

/* Where a node holds a mutex, and between two of these. Nodes that hold none have no stretches. */
struct workload_stretch {
	uint64_t ticks;
	uint32_t mutex;     /* number from 1, 0: none */
	uint32_t construct; /* where it is acquired */
};

struct simulated_workload {
	struct workload_node *nodes;
	uint32_t n; /* numbers of nodes are from 1 to before this */
	struct workload_task *tasks;
	uint32_t n_tasks;            /* numbers of tasks are from 1 to before this */
	struct workload_team *teams; /* row 0: none */
	uint32_t n_teams;
	struct workload_links links;
	struct workload_stretch *stretches;
	uint32_t *first_stretch; /* by node; one more ends the last */
	uint32_t n_mutexes;      /* the largest number of a mutex */
	uint32_t n_threads;      /* of the run */
};

#endif
