/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the workload of a net, and simulates it: see scenario.h.
 */
#include "builder/simulate/scenario.h"
#include "builder/support/memory.h"
#include "builder/support/array.h"
#include "builder/support/map.h"

/* ---- Links ---- */

#define WHAT "what limits the run"

static uint32_t target_of(const struct variant *variant, const struct net *net, uint32_t id, size_t link)
{
	return variant != NULL ? variant->leads_to(variant, net, id, link) : net->targets[link];
}

/* The links of a net that is not folded: copies of the net's. */
static void copy_links(struct workload_links *links, const struct net *net, const struct variant *variant)
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

/* Pairs of nodes of a workload, in the order in which they are found. */
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
	array_push(pairs->rows, pairs->n, pairs->capacity, (struct pair){source, target});
}

/* The links of a folded net: each pair of nodes once; links from a node are in the order in which it executes its members. */
static void fold_links(struct workload_links *links, const struct scenario *scenario, const struct variant *variant)
{
	const struct net *net = scenario->net;
	const uint32_t *unit_of = scenario->unit_of;
	struct pairs pairs = {.last = memory_zeroed(scenario->workload.n, sizeof *pairs.last, WHAT)};
	for (uint32_t i = 0; i < net->n_ordered; i++) {
		uint32_t id = net->order[i], unit = unit_of[id], soon = net_soon(net, i);
		__builtin_prefetch(&unit_of[soon]);
		__builtin_prefetch(&net->first[soon]);
		for (size_t link = net->first[id], end = net->first[id + 1]; link < end; link++) {
			uint32_t to = unit_of[target_of(variant, net, id, link)];
			if (to != unit) /* most links stay within a unit */
				add_pair(&pairs, unit, to);
		}
	}
	links->first = memory_zeroed((size_t)scenario->workload.n + 1, sizeof *links->first, WHAT);
	links->targets = memory_get(pairs.n + 1, sizeof *links->targets, WHAT);
	for (size_t i = 0; i < pairs.n; i++)
		links->first[pairs.rows[i].source]++;
	for (uint32_t unit = 1; unit <= scenario->workload.n; unit++)
		links->first[unit] += links->first[unit - 1];
	for (size_t i = pairs.n; i-- > 0;)
		links->targets[--links->first[pairs.rows[i].source]] = pairs.rows[i].target;
	free(pairs.rows);
	free(pairs.last);
	map_free(&pairs.seen);
}

void scenario_make_links(const struct scenario *scenario, const struct variant *variant, struct workload_links *links)
{
	*links = (struct workload_links){0};
	if (scenario->unit_of == NULL)
		copy_links(links, scenario->net, variant);
	else
		fold_links(links, scenario, variant);
}

void scenario_free_links(struct workload_links *links)
{
	free(links->first);
	free(links->targets);
}

#define WHAT "what limits the run"

/* ---- Nodes ---- */

/*
 * If the node is a thread's share of a loop that all threads take part in, up to the barrier that ends the loop: the number of
 * the loop's iterations, at least that of the threads; else 0.
 */
static uint32_t share_of_loop(const struct scenario *scenario, uint32_t id)
{
	const struct net *net = scenario->net;
	const struct model *m = net->graph->model;
	uint32_t n_threads = scenario->workload.n_threads;
	if (net_is_explicit(net, id) || !net_executes(net, id) || net_unit(net, id) != 0 ||
	    m->regions[m->tasks[net_task(net, id)].region].actual < n_threads)
		return 0;
	for (size_t link = net->first[id]; link < net->first[id + 1]; link++) {
		bool is_barrier = net->kinds[link] == EDGE_BARRIER || net->kinds[link] == EDGE_JOIN;
		uint32_t loop = is_barrier ? scenario->track->loop_of[net_construct(net, net->targets[link])] : 0;
		if (loop == 0 || m->constructs[loop].kind != CONSTRUCT_LOOP)
			continue;
		uint64_t most = track_iterations(scenario->track, loop);
		return most < n_threads ? n_threads : most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
	}
	return 0;
}

static enum workload_role role_of(const struct net *net, uint32_t id)
{
	enum node_kind kind = net_kind(net, id);
	if (kind == NODE_NONE)
		return WORKLOAD_NOTHING;
	if (net_is_task(net, id))
		return WORKLOAD_TASK;
	if (kind == NODE_IMPLICIT || kind == NODE_INITIAL || kind == NODE_PRIMARY_UNIT)
		return WORKLOAD_BOUND;
	return net_executes(net, id) ? WORKLOAD_NEXT : WORKLOAD_POINT;
}

/* Fills in the unit's role, task and begin, which are those of its first member. */
static void begin_unit(struct scenario *scenario, uint32_t unit, uint32_t id)
{
	const struct net *net = scenario->net;
	struct workload_node *node = &scenario->workload.nodes[unit];
	node->role = (uint8_t)role_of(net, id);
	node->begin_ticks = net_executes(net, id) ? net_begin(net, id) : 0;
	node->task = net_owner(net, id);
	if (scenario->first_of != NULL)
		scenario->first_of[unit] = id;
}

/* Notes whether something follows the unit: links of a member to other units. Links to nodes that are left out do not count. */
static void see_links(const struct scenario *scenario, struct workload_node *node, uint32_t unit, uint32_t id)
{
	const struct net *net = scenario->net;
	for (size_t link = net->first[id], end = net->first[id + 1]; link < end; link++) {
		bool is_barrier = net->kinds[link] == EDGE_BARRIER && !net_is_explicit(net, id);
		if (!is_barrier && net->kinds[link] != EDGE_SEQUENCE)
			continue;
		uint32_t to = scenario->unit_of != NULL ? scenario->unit_of[net->targets[link]] : UINT32_MAX;
		if (to == unit || to == 0)
			continue;
		node->is_at_barrier = node->is_at_barrier || is_barrier;
		node->is_left = true;
	}
}

static void add_member(struct scenario *scenario, uint32_t unit, uint32_t id)
{
	const struct net *net = scenario->net;
	struct workload_node *node = &scenario->workload.nodes[unit];
	if (node->role == WORKLOAD_NOTHING)
		begin_unit(scenario, unit, id);
	if (scenario->n_members != NULL)
		scenario->n_members[unit]++;
	node->work_ticks += net_work(net, id);
	if (net_is_task(net, id))
		node->start_ticks += scenario->prices->rows[net_construct(net, id)].start_ticks;
	uint32_t most_shares = share_of_loop(scenario, id);
	node->most_shares = most_shares > node->most_shares ? most_shares : node->most_shares;
	see_links(scenario, node, unit, id);
}

/* Nodes that are folded into one are seen in the order in which it executes them. */
static void make_nodes(struct scenario *scenario)
{
	const struct net *net = scenario->net;
	bool is_folded = scenario->unit_of != NULL;
	uint32_t n = is_folded ? net->n_ordered : net->n;
	scenario->workload.nodes = memory_zeroed(scenario->workload.n, sizeof *scenario->workload.nodes, WHAT);
	if (is_folded) {
		scenario->first_of = memory_zeroed(scenario->workload.n, sizeof *scenario->first_of, WHAT);
		scenario->n_members = memory_zeroed(scenario->workload.n, sizeof *scenario->n_members, WHAT);
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = is_folded ? net->order[i] : i, unit = scenario_unit(scenario, id);
		if (unit != 0)
			add_member(scenario, unit, id);
	}
}

/* ---- The whole ---- */

/* An unusual net, such as one with detached tasks, may have a cycle once it is folded. */
static bool has_no_circle(const struct simulated_workload *workload)
{
	struct simulation_setup setup = {0};
	uint64_t longest;
	uint64_t *ways = workload_longest_paths(workload, &setup, &longest);
	bool is_good = true;
	for (uint32_t id = 1; id < workload->n; id++)
		is_good = is_good && ways[id] != UINT64_MAX;
	free(ways);
	return is_good;
}

static bool make_workload(struct scenario *scenario, uint32_t most, uint32_t *spare)
{
	const struct net *net = scenario->net;
	const struct track *track = scenario->track;
	struct simulated_workload *workload = &scenario->workload;
	bool is_known = track->has_holds && (net->graph->units == NULL || net->n <= most); /* units are not folded */
	workload->n = net->n;
	if (is_known && net->n > most)
		scenario->unit_of = fold(net, scenario->prices, most, spare, &workload->n);
	else
		free(spare);
	if (!is_known || (net->n > most && scenario->unit_of == NULL))
		return false;
	scenario->thread_of = memory_get(track->n_streams + 1, sizeof *scenario->thread_of, WHAT);
	for (size_t i = 0; i < track->n_streams; i++)
		scenario->thread_of[i] = track_executes(track, net, i) ? workload->n_threads++ : UINT32_MAX;
	make_nodes(scenario);
	scenario_make_tasks(scenario);
	scenario_make_links(scenario, NULL, &workload->links);
	scenario_make_stretches(scenario, most);
	return workload->n_threads > 0 && (scenario->unit_of == NULL || has_no_circle(workload));
}

bool scenario_make(struct scenario *scenario, const struct net *net, const struct prices *prices, const struct track *track,
		   uint32_t most, uint32_t *spare)
{
	*scenario = (struct scenario){.net = net, .prices = prices, .track = track};
	bool is_made = make_workload(scenario, most, spare);
	if (!is_made)
		scenario_free(scenario);
	return is_made;
}

void scenario_free(struct scenario *scenario)
{
	struct simulated_workload *workload = &scenario->workload;
	free(workload->nodes);
	free(workload->tasks);
	free(workload->teams);
	scenario_free_links(&workload->links);
	free(workload->stretches);
	free(workload->first_stretch);
	free(scenario->thread_of);
	free(scenario->unit_of);
	free(scenario->first_of);
	free(scenario->n_members);
	*scenario = (struct scenario){0};
}

void scenario_add_blocked(struct scenario *scenario, const struct blocked_node *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		scenario->workload.nodes[scenario_unit(scenario, rows[i].node)].work_ticks += rows[i].ticks;
}

uint64_t scenario_simulate(const struct scenario *scenario, const struct variant *variant)
{
	struct simulation_setup setup = {
		.work_ticks = variant->work_ticks, .free_mutex = variant->free_mutex, .has_free_mutex = variant->has_free_mutex};
	struct workload_links links = {0};
	if (variant->leads_to != NULL) {
		scenario_make_links(scenario, variant, &links);
		setup.links = &links;
	}
	uint64_t ticks = simulate(&scenario->workload, &setup);
	scenario_free_links(&links);
	return ticks;
}
