/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The stretches of a plan's nodes, in which they hold mutexes, from those of the net's (stretches.h). Called by scene.c, on
 * one thread.
 */
#include "builder/answer/scene_parts.h"
#include "builder/answer/stretches.h"
#include "builder/support/memory.h"

#define WHAT "what limits the run"

/* By node of the plan: the nodes of the net that it executes, in their order; one more of `first` ends the last. */
static uint32_t *find_members(const struct scene *scene, size_t *first)
{
	const struct net *net = scene->net;
	uint32_t *members = memory_get((size_t)net->n_ordered + 1, sizeof *members, WHAT);
	for (uint32_t i = 0; i < net->n_ordered; i++)
		first[scene->unit_of[net->order[i]]]++;
	for (uint32_t unit = 1; unit <= scene->plan.n; unit++)
		first[unit] += first[unit - 1];
	for (uint32_t i = net->n_ordered; i-- > 0;)
		members[--first[scene->unit_of[net->order[i]]]] = net->order[i];
	return members;
}

/* A unit executes its members one after the other: so come their stretches. */
static void fold_stretches(struct scene *scene, const struct stretches *all)
{
	const struct net *net = scene->net;
	struct plan *plan = &scene->plan;
	size_t n = 0, *first_member = memory_zeroed((size_t)plan->n + 1, sizeof *first_member, WHAT);
	uint32_t *members = find_members(scene, first_member);
	plan->first_stretch = memory_zeroed((size_t)plan->n + 1, sizeof *plan->first_stretch, WHAT);
	plan->stretches = memory_get((size_t)net->n_ordered + all->first[net->n] + 1, sizeof *plan->stretches, WHAT);
	for (uint32_t unit = 1; unit < plan->n; unit++) {
		size_t first = n;
		bool has_some = false;
		plan->first_stretch[unit] = (uint32_t)n;
		for (size_t i = first_member[unit]; i < first_member[unit + 1]; i++) {
			uint32_t id = members[i], from = all->first[id], end = all->first[id + 1];
			has_some = has_some || from < end;
			if (from == end)
				plan->stretches[n++] = (struct plan_stretch){net_work(net, id), 0, 0};
			for (; from < end; from++)
				plan->stretches[n++] = all->stretches[from];
		}
		n = has_some ? n : first;
	}
	plan->first_stretch[plan->n] = (uint32_t)n;
	free(members);
	free(first_member);
}

/* Adds a stretch, and one before it; returns how many there are then. */
static size_t put_pair(struct plan_stretch *stretches, size_t n, struct plan_stretch before, struct plan_stretch held)
{
	stretches[n++] = before;
	stretches[n++] = held;
	return n;
}

/*
 * Up to `most` stretches of a node that hold one mutex, one after the other, become one, with all that is executed before
 * them before it. Who holds it takes so many times as long, and asks for it so many times as seldom: on the whole others
 * wait as long. `n`: stretches that are there already, none of those from `from` on; returns how many are there then.
 */
static size_t join_node(struct plan_stretch *stretches, size_t from, size_t end, size_t n, size_t most)
{
	struct plan_stretch before = {0}, held = {0};
	uint64_t free_ticks = 0; /* executed since the last one that holds a mutex */
	size_t n_joined = 0;
	for (size_t i = from; i < end; i++) {
		const struct plan_stretch stretch = stretches[i];
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
		held = (struct plan_stretch){n_joined == 0 ? stretch.ticks : held.ticks + stretch.ticks, stretch.mutex,
					     stretch.construct};
		before.ticks += free_ticks;
		free_ticks = 0;
		n_joined++;
	}
	if (n_joined > 0)
		n = put_pair(stretches, n, before, held);
	if (from < end)
		stretches[n++] = (struct plan_stretch){free_ticks, 0, 0};
	return n;
}

static void join_stretches(struct plan *plan, size_t most)
{
	size_t n = 0, from = plan->first_stretch[0];
	for (uint32_t node = 0; node < plan->n; node++) {
		size_t end = plan->first_stretch[node + 1];
		plan->first_stretch[node] = (uint32_t)n;
		n = join_node(plan->stretches, from, end, n, most);
		from = end;
	}
	plan->first_stretch[plan->n] = (uint32_t)n;
}

static size_t count_held(const struct plan *plan)
{
	size_t n = 0;
	for (size_t i = 0; i < plan->first_stretch[plan->n]; i++)
		n += plan->stretches[i].mutex != 0;
	return n;
}

void scene_make_stretches(struct scene *scene, uint32_t most)
{
	struct plan *plan = &scene->plan;
	struct stretches all;
	stretches_find(&all, scene->net, scene->track);
	plan->n_mutexes = all.n_mutexes;
	scene->is_coarse = scene->unit_of != NULL;
	if (all.first == NULL) {
		plan->first_stretch = memory_zeroed((size_t)plan->n + 1, sizeof *plan->first_stretch, WHAT);
		return;
	}
	if (scene->unit_of == NULL) {
		plan->stretches = all.stretches;
		plan->first_stretch = all.first;
	} else {
		fold_stretches(scene, &all);
		free(all.stretches);
		free(all.first);
	}
	scene->n_acquisitions = scene->n_held = count_held(plan);
	if (scene->n_held > most) {
		join_stretches(plan, (scene->n_held + most - 1) / most);
		scene->n_held = count_held(plan);
	}
	scene->is_coarse = scene->is_coarse || scene->n_held < scene->n_acquisitions;
	size_t n = plan->first_stretch[plan->n];
	plan->stretches = memory_grow(plan->stretches, n + 1, sizeof *plan->stretches, WHAT);
}
