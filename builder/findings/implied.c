/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Dependences that follow from others: a task depends on another one, and also on one that depends on that. From each task
 * that others depend on, the search follows dependences to later tasks; a dependent task that is reached again through
 * another one is implied.
 */
#include "builder/findings/findings.h"
#include "builder/support/array.h"
#include "builder/support/map.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT      "the findings"
#define LOOKS     1000 /* how many dependences are followed from one task */
#define MOST      8    /* from all tasks: this many times the number of dependences, plus LOOKS_MIN */
#define LOOKS_MIN 10000000

struct after {
	const struct net *net;
	uint32_t n_tasks;
	size_t *first;     /* by task: index of the first task that depends on it; one more ends the last */
	uint32_t *targets; /* tasks */
	uint32_t *levels;  /* by task: length of the longest chain before it */
	uint32_t *seen;    /* by task: the task from which it was reached last */
	uint32_t *stack;
	size_t stack_capacity;
	uint64_t n_looks;
};

static bool is_dependence(const struct net *net, size_t link, uint32_t n_tasks)
{
	return net->kinds[link] == EDGE_DEPEND && net->targets[link] < n_tasks;
}

static void make_after(struct after *after)
{
	const struct net *net = after->net;
	after->first = memory_zeroed((size_t)after->n_tasks + 1, sizeof *after->first, WHAT);
	after->levels = memory_zeroed(after->n_tasks, sizeof *after->levels, WHAT);
	after->seen = memory_zeroed(after->n_tasks, sizeof *after->seen, WHAT);
	for (uint32_t i = 0; i < net->n_ordered; i++) {
		uint32_t id = net->order[i], source = net_task(net, id);
		for (size_t link = net->first[id]; link < net->first[id + 1]; link++) {
			if (!is_dependence(net, link, after->n_tasks))
				continue;
			uint32_t target = net->targets[link], level = after->levels[source] + 1;
			after->first[source]++;
			after->levels[target] = level > after->levels[target] ? level : after->levels[target];
		}
	}
	size_t end = 0;
	for (uint32_t task = 0; task < after->n_tasks; task++)
		after->first[task] = end += after->first[task];
	after->first[after->n_tasks] = end;
	after->targets = memory_get(end + 1, sizeof *after->targets, WHAT);
	for (uint32_t id = net->n; id-- > 1;)
		for (size_t link = net->first[id]; link < net->first[id + 1]; link++)
			if (is_dependence(net, link, after->n_tasks))
				after->targets[--after->first[net_task(net, id)]] = net->targets[link];
}

static void push(struct after *after, size_t *n, uint32_t task)
{
	array_push(after->stack, *n, after->stack_capacity, task);
}

/* Marks the tasks that are reached through tasks that depend on this one. False: there were too many dependences. */
static bool look(struct after *after, uint32_t task)
{
	size_t n = 0, looks = 0;
	uint32_t most = 0;
	for (size_t i = after->first[task]; i < after->first[task + 1]; i++) {
		uint32_t target = after->targets[i];
		most = after->levels[target] > most ? after->levels[target] : most;
		push(after, &n, target);
	}
	while (n > 0) {
		uint32_t at = after->stack[--n];
		for (size_t i = after->first[at]; i < after->first[at + 1]; i++) {
			uint32_t target = after->targets[i];
			if (++looks > LOOKS)
				return false;
			if (after->seen[target] == task || after->levels[target] > most)
				continue;
			after->seen[target] = task;
			push(after, &n, target);
		}
	}
	after->n_looks += looks;
	return true;
}

void findings_implied(struct findings *findings, const struct net *net)
{
	struct after after = {.net = net, .n_tasks = net->n_tasks};
	struct map all = {0};
	if (!net->has_depends)
		return;
	make_after(&after);
	uint64_t most = MOST * (uint64_t)after.first[after.n_tasks] + LOOKS_MIN;
	for (uint32_t task = 1; task < after.n_tasks; task++) {
		size_t first = after.first[task], end = after.first[task + 1];
		uint32_t construct = net_task_construct(net, task);
		for (size_t i = first; i < end; i++) {
			uint32_t *n = map_put(&all, (uint64_t)construct << 32 | net_task_construct(net, after.targets[i]));
			*n += *n < UINT32_MAX;
		}
		if (end - first < 2)
			continue;
		if (after.n_looks > most || !look(&after, task)) {
			findings->not_searched[FINDING_IMPLIED]++;
			continue;
		}
		for (size_t i = first; i < end; i++)
			if (after.seen[after.targets[i]] == task)
				findings_add(findings, FINDING_IMPLIED, net_task_construct(net, after.targets[i]), construct, 1, 0);
	}
	for (size_t i = 0; i < findings->n; i++) {
		struct finding *row = &findings->rows[i];
		const uint32_t *n =
			row->kind == FINDING_IMPLIED ? map_get(&all, (uint64_t)row->other << 32 | row->construct) : NULL;
		row->of = n != NULL ? *n : row->of;
	}
	map_free(&all);
	free(after.first);
	free(after.targets);
	free(after.levels);
	free(after.seen);
	free(after.stack);
}
