/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tasks of a simulation that are ready: see choice.h.
 */
#include "builder/answer/choice.h"

#define WHAT  "what limits the run"
#define LOOKS 64 /* a thread looks at so many of its own, the newest first, for one that it may take */

void choice_begin(struct choice *choice, const struct plan *plan, const struct how *how, uint32_t n_workers)
{
	uint64_t longest;
	*choice = (struct choice){.plan = plan, .policy = how->policy};
	soonest_begin(&choice->tasks, plan->n_tasks, WHAT);
	choice->nodes = memory_zeroed(plan->n_tasks, sizeof *choice->nodes, WHAT);
	if (how->policy == POLICY_LONGEST)
		choice->ways = plan_ways(plan, how, &longest);
	if (how->policy == POLICY_NEWEST) {
		choice->lists = memory_zeroed(plan->n_tasks, sizeof *choice->lists, WHAT);
		choice->newest = memory_zeroed(n_workers, sizeof *choice->newest, WHAT);
	}
}

void choice_free(struct choice *choice)
{
	soonest_free(&choice->tasks);
	free(choice->nodes);
	free(choice->ways);
	free(choice->lists);
	free(choice->newest);
	*choice = (struct choice){0};
}

/* The least comes first. */
static uint64_t key_of(const struct choice *choice, uint32_t node)
{
	switch (choice->policy) {
	case POLICY_RUN: return choice->plan->nodes[node].begin_ticks;
	case POLICY_LONGEST: return UINT64_MAX - 1 - choice->ways[node];
	case POLICY_NEWEST:
	case POLICY_OLDEST:
	case POLICIES: break;
	}
	return choice->n_pushed;
}

void choice_push(struct choice *choice, uint32_t worker, uint32_t task, uint32_t node)
{
	soonest_set(&choice->tasks, task, key_of(choice, node));
	choice->nodes[task] = node;
	choice->n++;
	choice->n_pushed++;
	if (choice->lists == NULL)
		return;
	uint32_t older = choice->newest[worker];
	choice->lists[task] = (struct choice_list){0, older, worker};
	if (older != 0)
		choice->lists[older].newer = task;
	choice->newest[worker] = task;
}

static void take_from_list(struct choice *choice, uint32_t task)
{
	struct choice_list *list = &choice->lists[task];
	if (list->newer != 0)
		choice->lists[list->newer].older = list->older;
	else
		choice->newest[list->worker] = list->older;
	if (list->older != 0)
		choice->lists[list->older].newer = list->newer;
}

static uint32_t newest_own(const struct choice *choice, uint32_t worker, uint32_t from, uint32_t end)
{
	uint32_t task = choice->newest[worker];
	for (unsigned i = 0; i < LOOKS && task != 0; i++, task = choice->lists[task].older)
		if (task >= from && task < end)
			return task;
	return 0;
}

uint32_t choice_take(struct choice *choice, uint32_t worker, uint32_t from, uint32_t end)
{
	uint32_t task = 0;
	if (choice->n == 0)
		return 0;
	if (choice->lists != NULL)
		task = newest_own(choice, worker, from, end);
	if (task == 0) {
		struct soonest_item first = soonest_first_in(&choice->tasks, from, end);
		if (first.ticks == UINT64_MAX)
			return 0;
		task = first.number;
	}
	soonest_set(&choice->tasks, task, UINT64_MAX);
	choice->n--;
	if (choice->lists != NULL)
		take_from_list(choice, task);
	return choice->nodes[task];
}
