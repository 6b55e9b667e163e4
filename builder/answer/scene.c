/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the plan of a net, and plays it: see scene.h.
 */
#include "builder/answer/scene_parts.h"
#include "builder/support/memory.h"

#define WHAT "what limits the run"

/* ---- Nodes ---- */

/* Of a thread's share of a loop that all threads take part in, which comes to the barrier that ends the loop: its iterations; else 0. */
static uint32_t share_of_loop(const struct scene *scene, uint32_t id)
{
	const struct net *net = scene->net;
	const struct model *m = net->graph->model;
	uint32_t n_threads = scene->plan.n_threads;
	if (net_is_explicit(net, id) || !net_executes(net, id) || net_unit(net, id) != 0 ||
	    m->regions[m->tasks[net_task(net, id)].region].actual < n_threads)
		return 0;
	for (size_t link = net->first[id]; link < net->first[id + 1]; link++) {
		bool is_barrier = net->kinds[link] == EDGE_BARRIER || net->kinds[link] == EDGE_JOIN;
		uint32_t loop = is_barrier ? scene->track->loop_of[net_construct(net, net->targets[link])] : 0;
		if (loop == 0 || m->constructs[loop].kind != CONSTRUCT_LOOP)
			continue;
		uint64_t most = track_iterations(scene->track, loop);
		return most < n_threads ? n_threads : most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
	}
	return 0;
}

static enum plan_role role_of(const struct net *net, uint32_t id)
{
	enum node_kind kind = net_kind(net, id);
	if (kind == NODE_NONE)
		return PLAN_NOTHING;
	if (net_is_task(net, id))
		return PLAN_TASK;
	if (kind == NODE_IMPLICIT || kind == NODE_INITIAL || kind == NODE_PRIMARY_UNIT)
		return PLAN_BOUND;
	return net_executes(net, id) ? PLAN_NEXT : PLAN_POINT;
}

/* What the unit is, which its first member says. */
static void begin_unit(struct scene *scene, uint32_t unit, uint32_t id)
{
	const struct net *net = scene->net;
	struct plan_node *node = &scene->plan.nodes[unit];
	node->role = (uint8_t)role_of(net, id);
	node->begin_ticks = net_executes(net, id) ? net_begin(net, id) : 0;
	node->task = net_owner(net, id);
	if (scene->first_of != NULL)
		scene->first_of[unit] = id;
}

/* Whether something comes after the unit, by the links of a member to other units; those to what is left out do not count. */
static void see_links(const struct scene *scene, struct plan_node *node, uint32_t unit, uint32_t id)
{
	const struct net *net = scene->net;
	for (size_t link = net->first[id], end = net->first[id + 1]; link < end; link++) {
		bool is_barrier = net->kinds[link] == EDGE_BARRIER && !net_is_explicit(net, id);
		if (!is_barrier && net->kinds[link] != EDGE_SEQUENCE)
			continue;
		uint32_t to = scene->unit_of != NULL ? scene->unit_of[net->targets[link]] : UINT32_MAX;
		if (to == unit || to == 0)
			continue;
		node->is_at_barrier = node->is_at_barrier || is_barrier;
		node->is_left = true;
	}
}

static void add_member(struct scene *scene, uint32_t unit, uint32_t id)
{
	const struct net *net = scene->net;
	struct plan_node *node = &scene->plan.nodes[unit];
	if (node->role == PLAN_NOTHING)
		begin_unit(scene, unit, id);
	if (scene->n_members != NULL)
		scene->n_members[unit]++;
	node->work_ticks += net_work(net, id);
	if (net_is_task(net, id))
		node->start_ticks += scene->prices->rows[net_construct(net, id)].start_ticks;
	uint32_t most_shares = share_of_loop(scene, id);
	node->most_shares = most_shares > node->most_shares ? most_shares : node->most_shares;
	see_links(scene, node, unit, id);
}

/* Nodes that are folded into one are seen in the order in which it executes them. */
static void make_nodes(struct scene *scene)
{
	const struct net *net = scene->net;
	bool is_folded = scene->unit_of != NULL;
	uint32_t n = is_folded ? net->n_ordered : net->n;
	scene->plan.nodes = memory_zeroed(scene->plan.n, sizeof *scene->plan.nodes, WHAT);
	if (is_folded) {
		scene->first_of = memory_zeroed(scene->plan.n, sizeof *scene->first_of, WHAT);
		scene->n_members = memory_zeroed(scene->plan.n, sizeof *scene->n_members, WHAT);
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = is_folded ? net->order[i] : i, unit = scene_unit(scene, id);
		if (unit != 0)
			add_member(scene, unit, id);
	}
}

/* ---- The whole ---- */

/* What an odd net, such as one with detached tasks, may have once it is folded. */
static bool has_no_circle(const struct plan *plan)
{
	struct how how = {0};
	uint64_t longest;
	uint64_t *ways = plan_ways(plan, &how, &longest);
	bool is_good = true;
	for (uint32_t id = 1; id < plan->n; id++)
		is_good = is_good && ways[id] != UINT64_MAX;
	free(ways);
	return is_good;
}

static bool make_plan(struct scene *scene, uint32_t most, uint32_t *spare)
{
	const struct net *net = scene->net;
	const struct track *track = scene->track;
	struct plan *plan = &scene->plan;
	bool is_known = track->has_holds && (net->graph->units == NULL || net->n <= most); /* units are not folded */
	plan->n = net->n;
	if (is_known && net->n > most)
		scene->unit_of = fold(net, scene->prices, most, spare, &plan->n);
	else
		free(spare);
	if (!is_known || (net->n > most && scene->unit_of == NULL))
		return false;
	scene->thread_of = memory_get(track->n_streams + 1, sizeof *scene->thread_of, WHAT);
	for (size_t i = 0; i < track->n_streams; i++)
		scene->thread_of[i] = track_executes(track, net, i) ? plan->n_threads++ : UINT32_MAX;
	make_nodes(scene);
	scene_make_tasks(scene);
	scene_make_links(scene, NULL, &plan->links);
	scene_make_stretches(scene, most);
	return plan->n_threads > 0 && (scene->unit_of == NULL || has_no_circle(plan));
}

bool scene_make(struct scene *scene, const struct net *net, const struct prices *prices, const struct track *track, uint32_t most,
		uint32_t *spare)
{
	*scene = (struct scene){.net = net, .prices = prices, .track = track};
	bool is_made = make_plan(scene, most, spare);
	if (!is_made)
		scene_free(scene);
	return is_made;
}

void scene_free(struct scene *scene)
{
	struct plan *plan = &scene->plan;
	free(plan->nodes);
	free(plan->tasks);
	free(plan->teams);
	scene_free_links(&plan->links);
	free(plan->stretches);
	free(plan->first_stretch);
	free(scene->thread_of);
	free(scene->unit_of);
	free(scene->first_of);
	free(scene->n_members);
	*scene = (struct scene){0};
}

uint64_t scene_play(const struct scene *scene, const struct variant *variant)
{
	struct how how = {
		.work_ticks = variant->work_ticks, .free_mutex = variant->free_mutex, .has_free_mutex = variant->has_free_mutex};
	struct plan_links links = {0};
	if (variant->leads_to != NULL) {
		scene_make_links(scene, variant, &links);
		how.links = &links;
	}
	uint64_t ticks = simulate(&scene->plan, &how);
	scene_free_links(&links);
	return ticks;
}
