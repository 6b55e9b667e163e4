/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the plan of a net: see scene.h.
 */
#include "builder/answer/scene.h"
#include "builder/support/array.h"
#include "builder/support/map.h"
#include "builder/support/memory.h"

#include <string.h>

#define WHAT "what limits the run"

/* ---- Links ---- */

/* Of a net that is not folded: those of the net. */
static void copy_links(struct plan_links *links, const struct net *net, const uint32_t *targets)
{
	size_t n = net->first[net->n];
	links->first = memory_get((size_t)net->n + 1, sizeof *links->first, WHAT);
	links->targets = memory_get(n + 1, sizeof *links->targets, WHAT);
	memcpy(links->first, net->first, ((size_t)net->n + 1) * sizeof *links->first);
	memcpy(links->targets, targets, n * sizeof *links->targets);
}

/* Of a folded net: each pair of nodes once. */
static void fold_links(struct plan_links *links, const struct scene *scene, const uint32_t *targets)
{
	const struct net *net = scene->net;
	uint32_t *seen = memory_zeroed(scene->plan.n, sizeof *seen, WHAT);
	size_t n = 0, capacity = 0;
	links->first = memory_get((size_t)scene->plan.n + 1, sizeof *links->first, WHAT);
	array_reserve((void **)&links->targets, 1, &capacity, sizeof *links->targets);
	for (uint32_t unit = 0; unit < scene->plan.n; unit++) {
		links->first[unit] = n;
		for (size_t i = scene->first_member[unit]; i < scene->first_member[unit + 1]; i++) {
			uint32_t id = scene->members[i];
			for (size_t link = net->first[id]; link < net->first[id + 1]; link++) {
				uint32_t target = scene->unit_of[targets[link]];
				if (target == 0 || target == unit || seen[target] == unit)
					continue;
				seen[target] = unit;
				array_reserve((void **)&links->targets, n + 1, &capacity, sizeof *links->targets);
				links->targets[n++] = target;
			}
		}
	}
	links->first[scene->plan.n] = n;
	free(seen);
}

static void make_links(const struct scene *scene, const uint32_t *targets, struct plan_links *links)
{
	*links = (struct plan_links){0};
	if (scene->unit_of == NULL)
		copy_links(links, scene->net, targets);
	else
		fold_links(links, scene, targets);
}

static void free_links(struct plan_links *links)
{
	free(links->first);
	free(links->targets);
}

/* ---- Nodes ---- */

/* Of a thread's share of a loop that all threads take part in, which comes to the barrier that ends the loop: its iterations; else 0. */
static uint32_t share_of_loop(const struct scene *scene, uint32_t id)
{
	const struct net *net = scene->net;
	const struct model *m = net->graph->model;
	uint32_t n_threads = scene->plan.n_threads;
	if (!net_executes(net, id) || net_unit(net, id) != 0 || net_is_explicit(net, id) ||
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

static void add_member(struct scene *scene, uint32_t id)
{
	const struct net *net = scene->net;
	uint32_t unit = scene_unit(scene, id);
	struct plan_node *node = &scene->plan.nodes[unit];
	if (unit == 0)
		return;
	if (node->role == PLAN_NOTHING) {
		node->role = (uint8_t)role_of(net, id);
		node->begin_ticks = net_executes(net, id) ? net_begin(net, id) : 0;
		node->task = net_owner(net, id);
	}
	node->work_ticks += net_work(net, id);
	if (net_is_task(net, id))
		node->start_ticks += scene->prices->rows[net_construct(net, id)].start_ticks;
	uint32_t most_shares = share_of_loop(scene, id);
	node->most_shares = most_shares > node->most_shares ? most_shares : node->most_shares;
	for (size_t link = net->first[id]; link < net->first[id + 1]; link++) {
		if (scene->unit_of != NULL &&
		    (scene_unit(scene, net->targets[link]) == unit || scene_unit(scene, net->targets[link]) == 0))
			continue;
		bool is_barrier = net->kinds[link] == EDGE_BARRIER && !net_is_explicit(net, id);
		node->is_at_barrier = node->is_at_barrier || is_barrier;
		node->is_left = node->is_left || is_barrier || net->kinds[link] == EDGE_SEQUENCE;
	}
}

/* In the order in which a unit executes its members. */
static void make_nodes(struct scene *scene)
{
	scene->plan.nodes = memory_zeroed(scene->plan.n, sizeof *scene->plan.nodes, WHAT);
	if (scene->unit_of == NULL)
		for (uint32_t id = 1; id < scene->net->n; id++)
			add_member(scene, id);
	else
		for (size_t i = scene->first_member[1]; i < scene->first_member[scene->plan.n]; i++)
			add_member(scene, scene->members[i]);
}

static void make_members(struct scene *scene)
{
	const struct net *net = scene->net;
	scene->first_member = memory_zeroed((size_t)scene->plan.n + 1, sizeof *scene->first_member, WHAT);
	scene->members = memory_get((size_t)net->n + 1, sizeof *scene->members, WHAT);
	for (uint32_t i = 0; i < net->n_ordered; i++)
		scene->first_member[scene->unit_of[net->order[i]]]++;
	size_t end = 0;
	for (uint32_t unit = 0; unit < scene->plan.n; unit++)
		scene->first_member[unit] = end += scene->first_member[unit];
	scene->first_member[scene->plan.n] = end;
	for (uint32_t i = net->n_ordered; i-- > 0;)
		scene->members[--scene->first_member[scene->unit_of[net->order[i]]]] = net->order[i];
}

/* ---- Tasks ---- */

/* By task of the model, and behind these by unit (net_owner()), of those in the plan. */
struct numbering {
	uint32_t *up;             /* its parent, 0 where that does not come before it */
	uint32_t *sizes;          /* how many tasks it and its descendants are */
	uint32_t *numbers, *next; /* of its next descendant */
	bool *is_there;
};

static uint32_t parent_of(const struct net *net, uint32_t owner)
{
	const struct model *m = net->graph->model;
	if (owner < m->n_tasks)
		return m->tasks[owner].parent;
	uint32_t creator = m->units[owner - m->n_tasks].creator;
	return creator != 0 ? m->n_tasks + creator : 0;
}

static void number_tasks(struct scene *scene, struct numbering *t)
{
	const struct net *net = scene->net;
	for (uint32_t i = 0; i < net->n_ordered; i++) {
		uint32_t task = net_owner(net, net->order[i]), parent = parent_of(net, task);
		if (!net_is_first(net, net->order[i]))
			continue;
		t->up[task] = t->next[parent] != 0 ? parent : 0;
		t->next[task] = 1; /* it has come */
	}
	for (uint32_t i = net->n_ordered; i-- > 0;) {
		uint32_t task = net_owner(net, net->order[i]);
		if (!net_is_first(net, net->order[i]))
			continue;
		t->sizes[task] += t->is_there[task];
		t->sizes[t->up[task]] += t->sizes[task];
	}
	t->next[0] = 1;
	for (uint32_t i = 0; i < net->n_ordered; i++) {
		uint32_t task = net_owner(net, net->order[i]);
		if (!net_is_first(net, net->order[i]))
			continue;
		t->numbers[task] = t->next[t->up[task]];
		t->next[t->up[task]] += t->sizes[task];
		t->next[task] = t->numbers[task] + t->is_there[task];
	}
}

/* The team of an implicit or initial task, which is added if it is new. */
static uint32_t team_of(struct plan *plan, struct map *rows, size_t *capacity, uint32_t region, const struct region *r)
{
	uint32_t *row = map_put(rows, region);
	if (*row == 0) {
		array_reserve((void **)&plan->teams, plan->n_teams + (size_t)1, capacity, sizeof *plan->teams);
		plan->teams[plan->n_teams] = (struct plan_team){.from = UINT32_MAX, .is_full = r->actual >= plan->n_threads};
		*row = plan->n_teams++;
	}
	return *row;
}

/* Implicit tasks of a team have one parent, and nothing else is created there meanwhile: they and their descendants follow each other. */
static void make_teams(struct scene *scene, const struct numbering *t)
{
	const struct net *net = scene->net;
	const struct model *m = net->graph->model;
	struct plan *plan = &scene->plan;
	struct map rows = {0};
	size_t capacity = 1;
	plan->teams = memory_zeroed(capacity, sizeof *plan->teams, WHAT);
	plan->n_teams = 1;
	if (net->graph->units != NULL) /* any stream executes units, and more streams would, too */
		plan->teams[0] = (struct plan_team){1, plan->n_tasks, true};
	for (uint32_t i = 0; i < net->n_ordered; i++) {
		uint32_t task = net->order[i];
		if (task >= m->n_tasks || !t->is_there[task])
			continue;
		struct plan_task *at = &plan->tasks[t->numbers[task]];
		uint32_t region = m->tasks[task].region;
		if (!at->is_bound) {
			const uint32_t *row = map_get(&rows, region);
			at->team = row != NULL ? *row : 0;
			continue;
		}
		at->team = team_of(plan, &rows, &capacity, region, &m->regions[region]);
		struct plan_team *team = &plan->teams[at->team];
		team->from = t->numbers[task] < team->from ? t->numbers[task] : team->from;
		team->end = at->end > team->end ? at->end : team->end;
	}
	map_free(&rows);
}

/* The descendants of each task follow it. */
static void make_tasks(struct scene *scene)
{
	const struct net *net = scene->net;
	const struct model *m = net->graph->model;
	struct plan *plan = &scene->plan;
	struct numbering t;
	uint32_t n_owners = net_n_owners(net);
	t.up = memory_zeroed(n_owners, sizeof *t.up, WHAT);
	t.sizes = memory_zeroed(n_owners, sizeof *t.sizes, WHAT);
	t.numbers = memory_zeroed(n_owners, sizeof *t.numbers, WHAT);
	t.next = memory_zeroed(n_owners, sizeof *t.next, WHAT);
	t.is_there = memory_zeroed(n_owners, sizeof *t.is_there, WHAT);
	for (uint32_t unit = 1; unit < plan->n; unit++)
		if (plan->nodes[unit].role != PLAN_NOTHING)
			t.is_there[plan->nodes[unit].task] = true;
	t.is_there[0] = false;
	number_tasks(scene, &t);
	plan->n_tasks = 1 + t.sizes[0];
	plan->tasks = memory_zeroed(plan->n_tasks, sizeof *plan->tasks, WHAT);
	for (uint32_t i = 0; i < net->n_ordered; i++) {
		uint32_t task = net_owner(net, net->order[i]);
		if (!net_is_first(net, net->order[i]) || !t.is_there[task])
			continue;
		bool is_unit = task >= m->n_tasks;
		uint32_t stream = is_unit ? m->units[task - m->n_tasks].run_stream : m->tasks[task].run_stream;
		uint32_t thread = stream < net->graph->n_streams ? scene->thread_of[stream] : UINT32_MAX;
		plan->tasks[t.numbers[task]] =
			(struct plan_task){.end = t.numbers[task] + t.sizes[task],
					   .parent = t.is_there[t.up[task]] ? t.numbers[t.up[task]] : 0,
					   .thread = thread != UINT32_MAX ? thread : 0,
					   .is_bound = !net_is_explicit(net, net->order[i]),
					   .is_tied = !is_unit && !(m->tasks[task].flags & task_flags_untied),
					   .is_free = is_unit && net_is_explicit(net, net->order[i])};
	}
	make_teams(scene, &t);
	for (uint32_t unit = 1; unit < plan->n; unit++)
		plan->nodes[unit].task = t.numbers[plan->nodes[unit].task];
	free(t.up);
	free(t.sizes);
	free(t.numbers);
	free(t.next);
	free(t.is_there);
}

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

static bool make_plan(struct scene *scene, uint32_t most)
{
	const struct net *net = scene->net;
	const struct track *track = scene->track;
	struct plan *plan = &scene->plan;
	if (!track->has_holds || (net->graph->units != NULL && net->n > most)) /* units are not folded */
		return false;
	plan->n = net->n;
	if (net->n > most && (scene->unit_of = fold(net, scene->prices, most, &plan->n)) == NULL)
		return false;
	scene->thread_of = memory_get(track->n_streams + 1, sizeof *scene->thread_of, WHAT);
	for (size_t i = 0; i < track->n_streams; i++)
		scene->thread_of[i] = track_executes(track, net, i) ? plan->n_threads++ : UINT32_MAX;
	if (scene->unit_of != NULL)
		make_members(scene);
	make_nodes(scene);
	make_tasks(scene);
	make_links(scene, net->targets, &plan->links);
	scene_make_stretches(scene, most);
	return plan->n_threads > 0 && (scene->unit_of == NULL || has_no_circle(plan));
}

bool scene_make(struct scene *scene, const struct net *net, const struct prices *prices, const struct track *track, uint32_t most)
{
	*scene = (struct scene){.net = net, .prices = prices, .track = track};
	bool is_made = make_plan(scene, most);
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
	free_links(&plan->links);
	free(plan->stretches);
	free(plan->first_stretch);
	free(scene->thread_of);
	free(scene->unit_of);
	free(scene->first_member);
	free(scene->members);
	*scene = (struct scene){0};
}

static uint64_t *sum_work(const struct scene *scene, const uint64_t *work_ticks)
{
	uint64_t *sums = memory_zeroed(scene->plan.n, sizeof *sums, WHAT);
	for (uint32_t id = 1; id < scene->net->n; id++)
		if (net_executes(scene->net, id))
			sums[scene_unit(scene, id)] += work_ticks[id];
	return sums;
}

uint64_t scene_play(const struct scene *scene, const struct variant *variant)
{
	struct how how = {.free_mutex = variant->free_mutex, .has_free_mutex = variant->has_free_mutex};
	struct plan_links links = {0};
	uint64_t *work = variant->work_ticks != NULL ? sum_work(scene, variant->work_ticks) : NULL;
	how.work_ticks = work;
	if (variant->targets != NULL) {
		make_links(scene, variant->targets, &links);
		how.links = &links;
	}
	uint64_t ticks = simulate(&scene->plan, &how);
	free(work);
	free_links(&links);
	return ticks;
}
