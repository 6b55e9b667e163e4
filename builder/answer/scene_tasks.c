/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tasks and teams of a plan: see scene_parts.h. Called by scene.c, on one thread.
 */
#include "builder/answer/scene_parts.h"
#include "builder/support/array.h"
#include "builder/support/map.h"
#include "builder/support/memory.h"

#define WHAT   "what limits the run"
#define WANTED UINT32_MAX /* in place of a row, of an owner that gets one */

/* Who executes something in the plan, and who is above such a one; in the order in which their first nodes come in the net. */
struct numbering {
	uint32_t *row_of; /* by owner (net_owner()), 0: none */
	struct owner {
		uint32_t owner, first; /* and its first node */
		uint32_t up;           /* row of its parent, 0 where that does not come before it */
		uint32_t size;         /* how many tasks of the plan it and its descendants are */
		uint32_t number, next; /* of its next descendant */
		bool is_there;         /* in the plan itself */
	} * rows;
	size_t n, capacity;
};

static uint32_t parent_of(const struct net *net, uint32_t owner)
{
	const struct model *m = net->graph->model;
	if (owner < m->n_tasks)
		return m->tasks[owner].parent;
	uint32_t creator = m->units[owner - m->n_tasks].creator;
	return creator != 0 ? m->n_tasks + creator : 0;
}

/* Marks those who have a task in the plan, and all above them. */
static void mark_owners(const struct scene *scene, struct numbering *t)
{
	const struct plan *plan = &scene->plan;
	for (uint32_t unit = 1; unit < plan->n; unit++)
		for (uint32_t owner = plan->nodes[unit].role != PLAN_NOTHING ? plan->nodes[unit].task : 0;
		     owner != 0 && t->row_of[owner] != WANTED; owner = parent_of(scene->net, owner))
			t->row_of[owner] = WANTED;
}

static void list_owners(const struct scene *scene, struct numbering *t)
{
	const struct net *net = scene->net;
	const struct plan *plan = &scene->plan;
	array_reserve((void **)&t->rows, 1, &t->capacity, sizeof *t->rows);
	t->rows[t->n++] = (struct owner){.next = 1};
	for (uint32_t i = 0; i < net->n_ordered; i++) {
		uint32_t id = net->order[i];
		if (!net_is_first(net, id) || t->row_of[net_owner(net, id)] != WANTED)
			continue;
		uint32_t owner = net_owner(net, id), up = t->row_of[parent_of(net, owner)];
		array_reserve((void **)&t->rows, t->n + 1, &t->capacity, sizeof *t->rows);
		t->rows[t->n] = (struct owner){.owner = owner, .first = id, .up = up != WANTED ? up : 0};
		t->row_of[owner] = (uint32_t)t->n++;
	}
	for (uint32_t unit = 1; unit < plan->n; unit++) {
		uint32_t row = plan->nodes[unit].role != PLAN_NOTHING ? t->row_of[plan->nodes[unit].task] : 0;
		if (row != WANTED)
			t->rows[row].is_there = row != 0;
	}
}

static void number_tasks(struct numbering *t)
{
	for (size_t row = t->n; row-- > 1;) {
		t->rows[row].size += t->rows[row].is_there;
		t->rows[t->rows[row].up].size += t->rows[row].size;
	}
	for (size_t row = 1; row < t->n; row++) {
		struct owner *at = &t->rows[row], *up = &t->rows[at->up];
		at->number = up->next;
		up->next += at->size;
		at->next = at->number + at->is_there;
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

/*
 * Implicit tasks of a team have one parent, and nothing else is created there meanwhile: they and their descendants follow each
 * other.
 */
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
	for (size_t i = 1; i < t->n; i++) {
		uint32_t task = t->rows[i].owner, number = t->rows[i].number;
		if (task >= m->n_tasks || !t->rows[i].is_there)
			continue;
		struct plan_task *at = &plan->tasks[number];
		uint32_t region = m->tasks[task].region;
		if (!at->is_bound) {
			const uint32_t *row = map_get(&rows, region);
			at->team = row != NULL ? *row : 0;
			continue;
		}
		at->team = team_of(plan, &rows, &capacity, region, &m->regions[region]);
		struct plan_team *team = &plan->teams[at->team];
		team->from = number < team->from ? number : team->from;
		team->end = at->end > team->end ? at->end : team->end;
	}
	map_free(&rows);
}

static struct plan_task task_of(const struct scene *scene, const struct numbering *t, const struct owner *at)
{
	const struct net *net = scene->net;
	const struct model *m = net->graph->model;
	const struct owner *up = &t->rows[at->up];
	bool is_unit = at->owner >= m->n_tasks, is_explicit = net_is_explicit(net, at->first);
	uint32_t stream = is_unit ? m->units[at->owner - m->n_tasks].run_stream : m->tasks[at->owner].run_stream;
	uint32_t thread = stream < net->graph->n_streams ? scene->thread_of[stream] : UINT32_MAX;
	return (struct plan_task){.end = at->number + at->size,
				  .parent = up->is_there ? up->number : 0,
				  .thread = thread != UINT32_MAX ? thread : 0,
				  .is_bound = !is_explicit,
				  .is_tied = !is_unit && !(m->tasks[at->owner].flags & task_flags_untied),
				  .is_free = is_unit && is_explicit};
}

/* The descendants of each task follow it. */
void scene_make_tasks(struct scene *scene)
{
	struct plan *plan = &scene->plan;
	struct numbering t = {.row_of = memory_zeroed(net_n_owners(scene->net), sizeof *t.row_of, WHAT)};
	mark_owners(scene, &t);
	list_owners(scene, &t);
	number_tasks(&t);
	plan->n_tasks = 1 + t.rows[0].size;
	plan->tasks = memory_zeroed(plan->n_tasks, sizeof *plan->tasks, WHAT);
	for (size_t row = 1; row < t.n; row++)
		if (t.rows[row].is_there)
			plan->tasks[t.rows[row].number] = task_of(scene, &t, &t.rows[row]);
	make_teams(scene, &t);
	for (uint32_t unit = 1; unit < plan->n; unit++) {
		uint32_t row = t.row_of[plan->nodes[unit].task];
		plan->nodes[unit].task = row != WANTED ? t.rows[row].number : 0;
	}
	free(t.row_of);
	free(t.rows);
}
