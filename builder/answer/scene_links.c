/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The links of a plan, from those of its net: see scene_parts.h. Called by scene.c, on several threads at the same time.
 */
#include "builder/answer/scene_parts.h"
#include "builder/support/array.h"
#include "builder/support/map.h"
#include "builder/support/memory.h"

#define WHAT "what limits the run"

static uint32_t target_of(const struct variant *variant, const struct net *net, uint32_t id, size_t link)
{
	return variant != NULL ? variant->leads_to(variant, net, id, link) : net->targets[link];
}

/* Of a net that is not folded: those of the net. */
static void copy_links(struct plan_links *links, const struct net *net, const struct variant *variant)
{
	size_t n = net->first[net->n];
	links->first = memory_get((size_t)net->n + 1, sizeof *links->first, WHAT);
	links->targets = memory_get(n + 1, sizeof *links->targets, WHAT);
	for (uint32_t id = 0; id < net->n; id++) {
		links->first[id] = net->first[id];
		for (size_t link = net->first[id]; link < net->first[id + 1]; link++)
			links->targets[link] = target_of(variant, net, id, link);
	}
	links->first[net->n] = n;
}

/* Pairs of nodes of a plan, in the order in which they are found. */
struct pairs {
	struct pair {
		uint32_t source, target;
	} * rows;
	size_t n, capacity;
	uint32_t *last; /* by source: the target of its last one */
	struct map seen;
};

static void add_pair(struct pairs *pairs, uint32_t source, uint32_t target)
{
	if (source == 0 || target == 0 || pairs->last[source] == target)
		return;
	pairs->last[source] = target;
	uint32_t *is_seen = map_put(&pairs->seen, (uint64_t)source << 32 | target);
	if (*is_seen)
		return;
	*is_seen = 1;
	array_reserve((void **)&pairs->rows, pairs->n + 1, &pairs->capacity, sizeof *pairs->rows);
	pairs->rows[pairs->n++] = (struct pair){source, target};
}

/* Of a folded net: each pair of nodes once, those of a node in the order in which it executes what it is made of. */
static void fold_links(struct plan_links *links, const struct scene *scene, const struct variant *variant)
{
	const struct net *net = scene->net;
	const uint32_t *unit_of = scene->unit_of;
	struct pairs pairs = {.last = memory_zeroed(scene->plan.n, sizeof *pairs.last, WHAT)};
	for (uint32_t i = 0; i < net->n_ordered; i++) {
		uint32_t id = net->order[i], unit = unit_of[id], soon = net_soon(net, i);
		__builtin_prefetch(&unit_of[soon]);
		__builtin_prefetch(&net->first[soon]);
		for (size_t link = net->first[id], end = net->first[id + 1]; link < end; link++) {
			uint32_t to = unit_of[target_of(variant, net, id, link)];
			if (to != unit) /* most are of one unit */
				add_pair(&pairs, unit, to);
		}
	}
	links->first = memory_zeroed((size_t)scene->plan.n + 1, sizeof *links->first, WHAT);
	links->targets = memory_get(pairs.n + 1, sizeof *links->targets, WHAT);
	for (size_t i = 0; i < pairs.n; i++)
		links->first[pairs.rows[i].source]++;
	for (uint32_t unit = 1; unit <= scene->plan.n; unit++)
		links->first[unit] += links->first[unit - 1];
	for (size_t i = pairs.n; i-- > 0;)
		links->targets[--links->first[pairs.rows[i].source]] = pairs.rows[i].target;
	free(pairs.rows);
	free(pairs.last);
	map_free(&pairs.seen);
}

void scene_make_links(const struct scene *scene, const struct variant *variant, struct plan_links *links)
{
	*links = (struct plan_links){0};
	if (scene->unit_of == NULL)
		copy_links(links, scene->net, variant);
	else
		fold_links(links, scene, variant);
}

void scene_free_links(struct plan_links *links)
{
	free(links->first);
	free(links->targets);
}
