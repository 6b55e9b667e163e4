/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the nodes of a workload cost: see speedups.h. A class is the nodes of one construct that come after the same
 * construct, and lead to the same one; in a folded net they also consist of about as many nodes. Every second node of a class,
 * by number, belongs to the same half. Each half is sorted by what its nodes execute: the n-th longest of one half stands for
 * the n-th longest of the other.
 */
#include "builder/whatif/speedups.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#include <stdlib.h>

#define WHAT "what would be if"

struct unit {
	uint64_t class; /* hash */
	uint64_t work_ticks, late_ticks;
	uint32_t id;
	uint32_t half;
};

static uint64_t class_of(const struct scenario *scenario, uint32_t unit)
{
	const struct net *net = scenario->net;
	const struct simulated_workload *workload = &scenario->workload;
	size_t n_members = scenario->unit_of != NULL ? scenario->n_members[unit] : 1;
	uint32_t id = scenario_first(scenario, unit);
	const struct node *inner = net_inner(net, id);
	uint64_t class = hash_mix(workload->nodes[unit].role, net_task_construct(net, id));
	class = hash_mix(class, net->tasks[net_task(net, id)].region != 0 && !net_is_explicit(net, id)
					? net_region_construct(net, net->tasks[net_task(net, id)].region)
					: 0);
	if (inner != NULL)
		class = hash_mix(class, net_construct(net, inner->previous) | (uint64_t)net_kind(net, inner->previous) << 32);
	for (size_t link = net->first[id]; link < net->first[id + 1]; link++)
		if (net->kinds[link] != EDGE_DEPEND)
			class = hash_mix(class, net_construct(net, net->targets[link]) | (uint64_t)net->kinds[link] << 32);
	return hash_mix(class, 64 - (unsigned)__builtin_clzll(n_members));
}

static int by_class(const void *left, const void *right)
{
	const struct unit *l = left, *r = right;
	return cmp(l->class, r->class) ?: cmp(l->id, r->id);
}

static int by_half(const void *left, const void *right)
{
	const struct unit *l = left, *r = right;
	return cmp(l->half, r->half) ?: cmp(l->work_ticks, r->work_ticks) ?: cmp(l->id, r->id);
}

static uint64_t mean_late(const struct unit *units, size_t n)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += units[i].late_ticks;
	return n != 0 ? sum / n : 0;
}

/* Divides the units of one class into halves. Returns the work of units without another half. */
static uint64_t divide(struct costs *costs, struct unit *units, size_t n)
{
	size_t n_first = (n + 1) / 2, n_second = n / 2;
	uint64_t mean = mean_late(units, n), own = 0;
	for (size_t i = 0; i < n; i++)
		units[i].half = i % 2;
	sort_array(units, n, by_half);
	uint64_t means[2] = {mean_late(units, n_first), mean_late(units + n_first, n_second)};
	for (size_t i = 0; i < n; i++) {
		const struct unit *unit = &units[i];
		size_t n_other = unit->half == 0 ? n_second : n_first, n_own = unit->half == 0 ? n_first : n_second;
		size_t place = unit->half == 0 ? i : i - n_first;
		const struct unit *others = unit->half == 0 ? units + n_first : units;
		costs->start_ticks[unit->id] = mean;
		if (n_other == 0) {
			own += unit->work_ticks;
			costs->other_work_ticks[unit->id] = unit->work_ticks;
			costs->other_start_ticks[unit->id] = mean;
			continue;
		}
		costs->other_work_ticks[unit->id] = others[place * n_other / n_own].work_ticks;
		costs->other_start_ticks[unit->id] = means[1 - unit->half];
	}
	return own;
}

void costs_find(struct costs *costs, const struct scenario *scenario)
{
	const struct simulated_workload *workload = &scenario->workload;
	const struct net *net = scenario->net;
	struct unit *units = memory_zeroed(workload->n, sizeof *units, WHAT);
	uint64_t own = 0, all = 0;
	size_t n = 0;
	costs->start_ticks = memory_zeroed(workload->n, sizeof *costs->start_ticks, WHAT);
	costs->other_work_ticks = memory_zeroed(workload->n, sizeof *costs->other_work_ticks, WHAT);
	costs->other_start_ticks = memory_zeroed(workload->n, sizeof *costs->other_start_ticks, WHAT);
	for (uint32_t id = 1; id < net->n; id++) {
		uint32_t unit = net_executes(net, id) ? scenario_unit(scenario, id) : 0;
		if (unit != 0)
			costs->start_ticks[unit] += net->late_ticks[id]; /* at first its nodes' delays; replaced below */
	}
	for (uint32_t unit = 1; unit < workload->n; unit++)
		if (workload->nodes[unit].role > WORKLOAD_POINT) {
			units[n++] = (struct unit){class_of(scenario, unit), workload->nodes[unit].work_ticks,
						   costs->start_ticks[unit], unit, 0};
			all += workload->nodes[unit].work_ticks;
		}
	sort_array(units, n, by_class);
	for (size_t first = 0, end; first < n; first = end) {
		for (end = first; end < n && units[end].class == units[first].class;)
			end++;
		own += divide(costs, units + first, end - first);
	}
	costs->own_share = all != 0 ? (double)own / (double)all : 0;
	free(units);
}

void costs_free(struct costs *costs)
{
	free(costs->start_ticks);
	free(costs->other_work_ticks);
	free(costs->other_start_ticks);
	*costs = (struct costs){0};
}
