/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tasks and teams of a workload: see scenario.h. Runs on one thread.
 */
#include "builder/simulate/scenario.h"
#include "builder/support/array.h"
#include "builder/support/map.h"
#include "builder/support/memory.h"

#define WHAT   "what limits the run"
#define WANTED UINT32_MAX /* in place of a row: the owner gets one */

/* The owners (net_owner()) of nodes of the workload, and their ancestors, in the order of their first nodes in the net. */
struct numbering {
	uint32_t *row_of; /* by owner (net_owner()), 0: none */
	struct owner {
		uint32_t owner, first; /* first: its first node */
		uint32_t up;           /* row of its parent, 0: the parent does not come before it */
		uint32_t size;         /* how many tasks of the workload it and its descendants are */
		uint32_t number, next; /* its number in the workload, and that of its next descendant */
		bool is_there;         /* it has a task in the workload itself */
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

/* Marks the owners that have a task in the workload, and their ancestors. */
static void mark_owners(const struct scenario *scenario, struct numbering *t)
{
	const struct simulated_workload *workload = &scenario->workload;
	for (uint32_t unit = 1; unit < workload->n; unit++)
		for (uint32_t owner = workload->nodes[unit].role != WORKLOAD_NOTHING ? workload->nodes[unit].task : 0;
		     owner != 0 && t->row_of[owner] != WANTED; owner = parent_of(scenario->net, owner))
			t->row_of[owner] = WANTED;
}

static void list_owners(const struct scenario *scenario, struct numbering *t)
{
	const struct net *net = scenario->net;
	const struct simulated_workload *workload = &scenario->workload;
	array_push(t->rows, t->n, t->capacity, (struct owner){.next = 1});
	for (uint32_t i = 0; i < net->n_ordered; i++) {
		uint32_t id = net->order[i];
		if (!net_is_first(net, id) || t->row_of[net_owner(net, id)] != WANTED)
			continue;
		uint32_t owner = net_owner(net, id), up = t->row_of[parent_of(net, owner)];
		t->row_of[owner] = (uint32_t)t->n;
		array_push(t->rows, t->n, t->capacity, (struct owner){.owner = owner, .first = id, .up = up != WANTED ? up : 0});
	}
	for (uint32_t unit = 1; unit < workload->n; unit++) {
		uint32_t row = workload->nodes[unit].role != WORKLOAD_NOTHING ? t->row_of[workload->nodes[unit].task] : 0;
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
static uint32_t team_of(struct simulated_workload *workload, struct map *rows, size_t *capacity, uint32_t region,
			const struct region *r)
{
	uint32_t *row = map_put(rows, region);
	if (*row == 0) {
		*row = workload->n_teams;
		array_push(workload->teams, workload->n_teams, *capacity,
			   (struct workload_team){.from = UINT32_MAX, .is_full = r->actual >= workload->n_threads});
	}
	return *row;
}

/*
 * Implicit tasks of a team have one parent, which creates nothing else meanwhile: the numbers of these tasks and their
 * descendants follow each other.
 */
static void make_teams(struct scenario *scenario, const struct numbering *t)
{
	const struct net *net = scenario->net;
	const struct model *m = net->graph->model;
	struct simulated_workload *workload = &scenario->workload;
	struct map rows = {0};
	size_t capacity = 1;
	workload->teams = memory_zeroed(capacity, sizeof *workload->teams, WHAT);
	workload->n_teams = 1;
	if (net->graph->units != NULL) /* any stream executes units, and more streams would, too */
		workload->teams[0] = (struct workload_team){1, workload->n_tasks, true};
	for (size_t i = 1; i < t->n; i++) {
		uint32_t task = t->rows[i].owner, number = t->rows[i].number;
		if (task >= m->n_tasks || !t->rows[i].is_there)
			continue;
		struct workload_task *at = &workload->tasks[number];
		uint32_t region = m->tasks[task].region;
		if (!at->is_bound) {
			const uint32_t *row = map_get(&rows, region);
			at->team = row != NULL ? *row : 0;
			continue;
		}
		at->team = team_of(workload, &rows, &capacity, region, &m->regions[region]);
		struct workload_team *team = &workload->teams[at->team];
		team->from = number < team->from ? number : team->from;
		team->end = at->end > team->end ? at->end : team->end;
	}
	map_free(&rows);
}

static struct workload_task task_of(const struct scenario *scenario, const struct numbering *t, const struct owner *at)
{
	const struct net *net = scenario->net;
	const struct model *m = net->graph->model;
	const struct owner *up = &t->rows[at->up];
	bool is_unit = at->owner >= m->n_tasks, is_explicit = net_is_explicit(net, at->first);
	uint32_t stream = is_unit ? m->units[at->owner - m->n_tasks].run_stream : m->tasks[at->owner].run_stream;
	uint32_t thread = stream < net->graph->n_streams ? scenario->thread_of[stream] : UINT32_MAX;
	return (struct workload_task){.end = at->number + at->size,
				      .parent = up->is_there ? up->number : 0,
				      .thread = thread != UINT32_MAX ? thread : 0,
				      .is_bound = !is_explicit,
				      .is_tied = !is_unit && !(m->tasks[at->owner].flags & task_flags_untied),
				      .is_free = is_unit && is_explicit};
}

/* The descendants of each task follow it. */
void scenario_make_tasks(struct scenario *scenario)
{
	struct simulated_workload *workload = &scenario->workload;
	struct numbering t = {.row_of = memory_zeroed(net_n_owners(scenario->net), sizeof *t.row_of, WHAT)};
	mark_owners(scenario, &t);
	list_owners(scenario, &t);
	number_tasks(&t);
	workload->n_tasks = 1 + t.rows[0].size;
	workload->tasks = memory_zeroed(workload->n_tasks, sizeof *workload->tasks, WHAT);
	for (size_t row = 1; row < t.n; row++)
		if (t.rows[row].is_there)
			workload->tasks[t.rows[row].number] = task_of(scenario, &t, &t.rows[row]);
	make_teams(scenario, &t);
	for (uint32_t unit = 1; unit < workload->n; unit++) {
		uint32_t row = t.row_of[workload->nodes[unit].task];
		workload->nodes[unit].task = row != WANTED ? t.rows[row].number : 0;
	}
	free(t.row_of);
	free(t.rows);
}
