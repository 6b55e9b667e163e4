/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How long a run would take on some number of threads: a list scheduler that runs a workload (workload.h). A thread resumes
 * the task that it suspended last; while a tied task waits, its thread takes only descendants of that task, except in
 * barriers. Only the threads of a team take its tasks. Implicit tasks stay on their threads; with fewer threads than in the
 * run, neighbours share one. A mutex is handed over in the order of the requests. A task begins as late after it was
 * taken as tasks of its construct do. Runs on several threads at the same time.
 */
#ifndef OTTER_BUILDER_SIMULATE_SIMULATE_H
#define OTTER_BUILDER_SIMULATE_SIMULATE_H

#include "builder/simulate/workload.h"

/* Which of the tasks that are ready a thread takes. */
enum policy {
	POLICY_RUN,     /* the one that began first in the run: the runtime's own choices */
	POLICY_NEWEST,  /* the newest of those that it made ready itself, else the oldest of others */
	POLICY_OLDEST,  /* the one that has been ready for longest */
	POLICY_LONGEST, /* the one with the longest path to the end of the run */
	POLICIES
};

/* For tables that programs read. */
const char *policy_name(enum policy policy);

struct simulation_setup {
	uint32_t n_threads; /* 0: as many as in the run */
	enum policy policy;
	const struct workload_links *links; /* NULL: those of the workload */
	const uint64_t *work_ticks;         /* by node: how long it executes; NULL: as in the workload */
	const uint64_t *start_ticks;        /* by node, also for nodes that are no tasks; NULL: as in the workload */
	uint32_t free_mutex;                /* construct: its acquisitions of mutexes do not exclude each other */
	bool has_free_mutex;
};

/* How long the run takes, in ticks. */
uint64_t simulate(const struct simulated_workload *workload, const struct simulation_setup *setup);
/* The same for each of n setups, in OpenMP tasks on the threads of the team. ticks: by setup. */
void simulate_all(const struct simulated_workload *workload, const struct simulation_setup *setups, uint64_t *ticks, size_t n);

/* How long the node executes, if its loop is divided among as many threads as in the run. */
static inline uint64_t workload_undivided(const struct simulated_workload *workload, const struct simulation_setup *setup,
					  uint32_t node)
{
	return setup->work_ticks != NULL ? setup->work_ticks[node] : workload->nodes[node].work_ticks;
}

/* How long the node executes. */
static inline uint64_t workload_work(const struct simulated_workload *workload, const struct simulation_setup *setup, uint32_t node)
{
	uint64_t work = workload_undivided(workload, setup, node);
	uint32_t most = workload->nodes[node].most_shares;
	if (most == 0 || setup->n_threads <= workload->n_threads)
		return work;
	return work * workload->n_threads / (setup->n_threads < most ? setup->n_threads : most);
}

/*
 * By node: the longest path from it to the end, itself included, UINT64_MAX: a cycle comes before it; to be freed.
 * longest_ticks: the longest of all, a lower bound of the run's time.
 */
uint64_t *workload_longest_paths(const struct simulated_workload *workload, const struct simulation_setup *setup,
				 uint64_t *longest_ticks);

#endif
