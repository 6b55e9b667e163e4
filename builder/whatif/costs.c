/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the nodes of a plan cost: see costs.h. A class are the nodes of the same construct that come after the same construct,
 * and lead to the same one; of a folded net also about as many nodes in one. Its halves are every second one, by number. Within
 * a half nodes are in the order of what they execute: the n-th longest of one half stands for the n-th longest of the other.
 */
#include "builder/whatif/costs.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT "what would be if"

struct unit {
	uint64_t class; /* hash */
	uint64_t work_ticks, late_ticks;
	uint32_t id;
	uint32_t half;
};

static uint64_t mix(uint64_t hash, uint64_t x)
{
	hash = (hash ^ x) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static uint64_t class_of(const struct scene *scene, uint32_t unit)
{
	const struct net *net = scene->net;
	const struct plan *plan = &scene->plan;
	size_t n_members = scene->unit_of != NULL ? scene->n_members[unit] : 1;
	uint32_t id = scene_first(scene, unit);
	const struct node *inner = net_inner(net, id);
	uint64_t class = mix(plan->nodes[unit].role, net_task_construct(net, id));
	class = mix(class, net->tasks[net_task(net, id)].region != 0 && !net_is_explicit(net, id)
				   ? net_region_construct(net, net->tasks[net_task(net, id)].region)
				   : 0);
	if (inner != NULL)
		class = mix(class, net_construct(net, inner->previous) | (uint64_t)net_kind(net, inner->previous) << 32);
	for (size_t link = net->first[id]; link < net->first[id + 1]; link++)
		if (net->kinds[link] != EDGE_DEPEND)
			class = mix(class, net_construct(net, net->targets[link]) | (uint64_t)net->kinds[link] << 32);
	return mix(class, 64 - (unsigned)__builtin_clzll(n_members));
}

static int by_class(const void *left, const void *right)
{
	const struct unit *l = left, *r = right;
	if (l->class != r->class)
		return l->class < r->class ? -1 : 1;
	return l->id < r->id ? -1 : l->id > r->id;
}

static int by_half(const void *left, const void *right)
{
	const struct unit *l = left, *r = right;
	if (l->half != r->half)
		return l->half < r->half ? -1 : 1;
	if (l->work_ticks != r->work_ticks)
		return l->work_ticks < r->work_ticks ? -1 : 1;
	return l->id < r->id ? -1 : l->id > r->id;
}

static uint64_t mean_late(const struct unit *units, size_t n)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += units[i].late_ticks;
	return n != 0 ? sum / n : 0;
}

/* The units of one class. Returns the work of those that have no other half. */
static uint64_t divide(struct costs *costs, struct unit *units, size_t n)
{
	size_t n_first = (n + 1) / 2, n_second = n / 2;
	uint64_t mean = mean_late(units, n), own = 0;
	for (size_t i = 0; i < n; i++)
		units[i].half = i % 2;
	qsort(units, n, sizeof *units, by_half);
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

void costs_find(struct costs *costs, const struct scene *scene)
{
	const struct plan *plan = &scene->plan;
	const struct net *net = scene->net;
	struct unit *units = memory_zeroed(plan->n, sizeof *units, WHAT);
	uint64_t own = 0, all = 0;
	size_t n = 0;
	costs->start_ticks = memory_zeroed(plan->n, sizeof *costs->start_ticks, WHAT);
	costs->other_work_ticks = memory_zeroed(plan->n, sizeof *costs->other_work_ticks, WHAT);
	costs->other_start_ticks = memory_zeroed(plan->n, sizeof *costs->other_start_ticks, WHAT);
	for (uint32_t id = 1; id < net->n; id++) {
		uint32_t unit = net_executes(net, id) ? scene_unit(scene, id) : 0;
		if (unit != 0)
			costs->start_ticks[unit] += net->late_ticks[id]; /* for a while that of each node */
	}
	for (uint32_t unit = 1; unit < plan->n; unit++)
		if (plan->nodes[unit].role > PLAN_POINT) {
			units[n++] = (struct unit){class_of(scene, unit), plan->nodes[unit].work_ticks, costs->start_ticks[unit],
						   unit, 0};
			all += plan->nodes[unit].work_ticks;
		}
	if (n != 0)
		qsort(units, n, sizeof *units, by_class);
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
