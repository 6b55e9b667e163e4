/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tasks of a simulation that are ready: see simulation.h.
 */
#include "builder/simulate/simulation.h"

#define WHAT  "what limits the run"
#define LOOKS 64 /* how many of its own tasks a thread checks, the newest first, for one that it may take */

void ready_queue_begin(struct ready_queue *ready_queue, const struct simulated_workload *workload,
		       const struct simulation_setup *setup, uint32_t n_workers)
{
	uint64_t longest;
	*ready_queue = (struct ready_queue){.workload = workload, .policy = setup->policy};
	tournament_begin(&ready_queue->tasks, workload->n_tasks, WHAT);
	ready_queue->nodes = memory_zeroed(workload->n_tasks, sizeof *ready_queue->nodes, WHAT);
	if (setup->policy == POLICY_LONGEST)
		ready_queue->ways = workload_longest_paths(workload, setup, &longest);
	if (setup->policy == POLICY_NEWEST) {
		ready_queue->lists = memory_zeroed(workload->n_tasks, sizeof *ready_queue->lists, WHAT);
		ready_queue->newest = memory_zeroed(n_workers, sizeof *ready_queue->newest, WHAT);
	}
}

void ready_queue_free(struct ready_queue *ready_queue)
{
	tournament_free(&ready_queue->tasks);
	free(ready_queue->nodes);
	free(ready_queue->ways);
	free(ready_queue->lists);
	free(ready_queue->newest);
	*ready_queue = (struct ready_queue){0};
}

/* The task with the least key is taken first. */
static uint64_t key_of(const struct ready_queue *ready_queue, uint32_t node)
{
	switch (ready_queue->policy) {
	case POLICY_RUN: return ready_queue->workload->nodes[node].begin_ticks;
	case POLICY_LONGEST: return UINT64_MAX - 1 - ready_queue->ways[node];
	case POLICY_NEWEST:
	case POLICY_OLDEST:
	case POLICIES: break;
	}
	return ready_queue->n_pushed;
}

void ready_queue_push(struct ready_queue *ready_queue, uint32_t worker, uint32_t task, uint32_t node)
{
	tournament_set(&ready_queue->tasks, task, key_of(ready_queue, node));
	ready_queue->nodes[task] = node;
	ready_queue->n++;
	ready_queue->n_pushed++;
	if (ready_queue->lists == NULL)
		return;
	uint32_t older = ready_queue->newest[worker];
	ready_queue->lists[task] = (struct ready_queue_list){0, older, worker};
	if (older != 0)
		ready_queue->lists[older].newer = task;
	ready_queue->newest[worker] = task;
}

static void take_from_list(struct ready_queue *ready_queue, uint32_t task)
{
	struct ready_queue_list *list = &ready_queue->lists[task];
	if (list->newer != 0)
		ready_queue->lists[list->newer].older = list->older;
	else
		ready_queue->newest[list->worker] = list->older;
	if (list->older != 0)
		ready_queue->lists[list->older].newer = list->newer;
}

static uint32_t newest_own(const struct ready_queue *ready_queue, uint32_t worker, uint32_t from, uint32_t end)
{
	uint32_t task = ready_queue->newest[worker];
	for (unsigned i = 0; i < LOOKS && task != 0; i++, task = ready_queue->lists[task].older)
		if (task >= from && task < end)
			return task;
	return 0;
}

uint32_t ready_queue_take(struct ready_queue *ready_queue, uint32_t worker, uint32_t from, uint32_t end)
{
	uint32_t task = 0;
	if (ready_queue->n == 0)
		return 0;
	if (ready_queue->lists != NULL)
		task = newest_own(ready_queue, worker, from, end);
	if (task == 0) {
		struct tournament_item first = tournament_first_in(&ready_queue->tasks, from, end);
		if (first.ticks == UINT64_MAX)
			return 0;
		task = first.number;
	}
	tournament_set(&ready_queue->tasks, task, UINT64_MAX);
	ready_queue->n--;
	if (ready_queue->lists != NULL)
		take_from_list(ready_queue, task);
	return ready_queue->nodes[task];
}
