/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The stretches of a workload's nodes, in which they hold mutexes, from those of the net's (scenario.h). Runs on one thread.
 */
#include "builder/simulate/scenario.h"
#include "builder/support/memory.h"

#define WHAT "what limits the run"

/* By node of the workload: the nodes of the net that it executes, in their order; one more of `first` ends the last. */
static uint32_t *find_members(const struct scenario *scenario, size_t *first)
{
	const struct net *net = scenario->net;
	uint32_t *members = memory_get((size_t)net->n_ordered + 1, sizeof *members, WHAT);
	for (uint32_t i = 0; i < net->n_ordered; i++)
		first[scenario->unit_of[net->order[i]]]++;
	for (uint32_t unit = 1; unit <= scenario->workload.n; unit++)
		first[unit] += first[unit - 1];
	for (uint32_t i = net->n_ordered; i-- > 0;)
		members[--first[scenario->unit_of[net->order[i]]]] = net->order[i];
	return members;
}

/* A unit executes its members one after the other: their stretches have the same order. */
static void fold_stretches(struct scenario *scenario, const struct stretches *all)
{
	const struct net *net = scenario->net;
	struct simulated_workload *workload = &scenario->workload;
	size_t n = 0, *first_member = memory_zeroed((size_t)workload->n + 1, sizeof *first_member, WHAT);
	uint32_t *members = find_members(scenario, first_member);
	workload->first_stretch = memory_zeroed((size_t)workload->n + 1, sizeof *workload->first_stretch, WHAT);
	workload->stretches = memory_get((size_t)net->n_ordered + all->first[net->n] + 1, sizeof *workload->stretches, WHAT);
	for (uint32_t unit = 1; unit < workload->n; unit++) {
		size_t first = n;
		bool has_some = false;
		workload->first_stretch[unit] = (uint32_t)n;
		for (size_t i = first_member[unit]; i < first_member[unit + 1]; i++) {
			uint32_t id = members[i], from = all->first[id], end = all->first[id + 1];
			has_some = has_some || from < end;
			if (from == end)
				workload->stretches[n++] = (struct workload_stretch){net_work(net, id), 0, 0};
			for (; from < end; from++)
				workload->stretches[n++] = all->stretches[from];
		}
		n = has_some ? n : first;
	}
	workload->first_stretch[workload->n] = (uint32_t)n;
	free(members);
	free(first_member);
}

/* Adds a stretch, and one before it; returns the new number of stretches. */
static size_t put_pair(struct workload_stretch *stretches, size_t n, struct workload_stretch before, struct workload_stretch held)
{
	stretches[n++] = before;
	stretches[n++] = held;
	return n;
}

/*
 * Up to `most` stretches of a node that hold one mutex, one after the other, become one, after all that is executed before
 * them. If k become one, the mutex is held k times as long, and requested a k-th as often: in total others wait as long as
 * before. `n`: the number of stretches that are written already, all before `from`; returns the new number.
 */
static size_t join_node(struct workload_stretch *stretches, size_t from, size_t end, size_t n, size_t most)
{
	struct workload_stretch before = {0}, held = {0};
	uint64_t free_ticks = 0; /* executed since the last stretch that holds a mutex */
	size_t n_joined = 0;
	for (size_t i = from; i < end; i++) {
		const struct workload_stretch stretch = stretches[i];
		if (stretch.mutex == 0) {
			free_ticks += stretch.ticks;
			continue;
		}
		bool is_same = held.mutex == stretch.mutex && held.construct == stretch.construct && n_joined < most;
		if (n_joined > 0 && !is_same) {
			n = put_pair(stretches, n, before, held);
			n_joined = 0;
		}
		if (n_joined == 0)
			before.ticks = 0;
		held = (struct workload_stretch){n_joined == 0 ? stretch.ticks : held.ticks + stretch.ticks, stretch.mutex,
						 stretch.construct};
		before.ticks += free_ticks;
		free_ticks = 0;
		n_joined++;
	}
	if (n_joined > 0)
		n = put_pair(stretches, n, before, held);
	if (from < end)
		stretches[n++] = (struct workload_stretch){free_ticks, 0, 0};
	return n;
}

static void join_stretches(struct simulated_workload *workload, size_t most)
{
	size_t n = 0, from = workload->first_stretch[0];
	for (uint32_t node = 0; node < workload->n; node++) {
		size_t end = workload->first_stretch[node + 1];
		workload->first_stretch[node] = (uint32_t)n;
		n = join_node(workload->stretches, from, end, n, most);
		from = end;
	}
	workload->first_stretch[workload->n] = (uint32_t)n;
}

static size_t count_held(const struct simulated_workload *workload)
{
	size_t n = 0;
	for (size_t i = 0; i < workload->first_stretch[workload->n]; i++)
		n += workload->stretches[i].mutex != 0;
	return n;
}

void scenario_make_stretches(struct scenario *scenario, uint32_t most)
{
	struct simulated_workload *workload = &scenario->workload;
	struct stretches all;
	stretches_find(&all, scenario->net, scenario->track);
	workload->n_mutexes = all.n_mutexes;
	scenario->is_coarse = scenario->unit_of != NULL;
	if (all.first == NULL) {
		workload->first_stretch = memory_zeroed((size_t)workload->n + 1, sizeof *workload->first_stretch, WHAT);
		return;
	}
	if (scenario->unit_of == NULL) {
		workload->stretches = all.stretches;
		workload->first_stretch = all.first;
	} else {
		fold_stretches(scenario, &all);
		free(all.stretches);
		free(all.first);
	}
	scenario->n_acquisitions = scenario->n_held = count_held(workload);
	if (most != 0 && scenario->n_held > most) {
		join_stretches(workload, (scenario->n_held + most - 1) / most);
		scenario->n_held = count_held(workload);
	}
	scenario->is_coarse = scenario->is_coarse || scenario->n_held < scenario->n_acquisitions;
	size_t n = workload->first_stretch[workload->n];
	workload->stretches = memory_grow(workload->stretches, n + 1, sizeof *workload->stretches, WHAT);
}
