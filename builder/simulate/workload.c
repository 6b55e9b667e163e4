/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What follows from a workload without simulating it: the longest paths through it. And the names of policies. See simulate.h.
 */
#include "builder/simulate/simulate.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT "what limits the run"

const char *policy_name(enum policy policy)
{
	static const char *const names[POLICIES] = {"run", "newest", "oldest", "longest"};
	return names[policy];
}

uint64_t *workload_longest_paths(const struct simulated_workload *workload, const struct simulation_setup *setup,
				 uint64_t *longest_ticks)
{
	uint64_t *ways = memory_zeroed(workload->n, sizeof *ways, WHAT);
	uint32_t *n_before = memory_zeroed(workload->n, sizeof *n_before, WHAT),
		 *order = memory_get(workload->n, sizeof *order, WHAT), n = 0;
	const struct workload_links *links = setup->links != NULL ? setup->links : &workload->links;
	for (size_t link = 0; link < links->first[workload->n]; link++)
		n_before[links->targets[link]]++;
	for (uint32_t id = 1; id < workload->n; id++)
		if (n_before[id] == 0 && workload->nodes[id].role != WORKLOAD_NOTHING)
			order[n++] = id;
	for (uint32_t i = 0; i < n; i++)
		for (size_t link = links->first[order[i]]; link < links->first[order[i] + 1]; link++)
			if (links->targets[link] != 0 && --n_before[links->targets[link]] == 0)
				order[n++] = links->targets[link];
	*longest_ticks = 0;
	for (uint32_t id = 1; id < workload->n; id++)
		ways[id] = n_before[id] != 0 ? UINT64_MAX : 0;
	while (n-- > 0) {
		uint32_t id = order[n];
		for (size_t link = links->first[id]; link < links->first[id + 1]; link++)
			if (ways[links->targets[link]] > ways[id] && ways[links->targets[link]] != UINT64_MAX)
				ways[id] = ways[links->targets[link]];
		ways[id] += workload_work(workload, setup, id);
		*longest_ticks = ways[id] > *longest_ticks ? ways[id] : *longest_ticks;
	}
	free(n_before);
	free(order);
	return ways;
}
