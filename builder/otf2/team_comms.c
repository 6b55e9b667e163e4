/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a communicator of each team. A task of the archive runs inside of its team only. LLVM's runtime has threads of
 * its own for target tasks (Q22), which are not in the team that such a task is bound to. So in the archive these tasks
 * are tasks of the helpers' team. The threads that create them are members of its communicator, after the helpers, and
 * are in the team only while they create a task. Called as mapping.h says; one thread.
 */
#include "builder/otf2/intern.h"
#include "builder/otf2/mapping.h"
#include "builder/support/memory.h"

#include <stdlib.h>
#include <string.h>

static bool is_member(const struct model *m, uint32_t team, uint32_t stream)
{
	const struct team *t = &m->teams[team];
	for (uint32_t i = 0; i < t->n_members; i++)
		if (m->team_members[t->first_member + i] == stream)
			return true;
	return false;
}

bool task_is_helped(const struct process *p, uint32_t task)
{
	const struct model *m = p->model;
	const struct task *t = &m->tasks[task];
	if (p->helper_team == 0 || !task_is_explicit(t) || (t->state & (TASK_STARTED | TASK_MIGRATED)) != TASK_STARTED ||
	    !is_member(m, p->helper_team, t->run_stream))
		return false;
	return !is_member(m, m->regions[t->region].team, t->run_stream);
}

bool helpers_have_guest(const struct process *p, uint32_t task, uint32_t stream)
{
	return p->helper_team != 0 && task_is_helped(p, task) && !is_member(p->model, p->helper_team, stream);
}

static uint32_t find_helper_team(const struct model *m)
{
	for (uint32_t r = 1; r < m->n_regions; r++)
		if (m->regions[r].state & REGION_HELPER && m->regions[r].team != 0)
			return m->regions[r].team;
	return 0;
}

/* The helpers, and then those that create tasks for them. Returns how many; `streams` has room for all. */
static uint32_t list_members(const struct process *p, uint32_t *streams)
{
	const struct model *m = p->model;
	const struct team *t = &m->teams[p->helper_team];
	memcpy(streams, m->team_members + t->first_member, t->n_members * sizeof *streams);
	bool *is_listed = memory_zeroed(p->def->n_locations, sizeof *is_listed, "the archive");
	uint32_t n = t->n_members;
	for (uint32_t i = 0; i < n; i++)
		is_listed[streams[i]] = true;
	for (uint32_t task = 1; task < m->n_tasks; task++) {
		uint32_t stream, number;
		if (!task_is_helped(p, task))
			continue;
		model_task_origin(m, task, &stream, &number);
		if (!is_listed[stream])
			streams[n++] = stream;
		is_listed[stream] = true;
	}
	free(is_listed);
	return n;
}

/* The team around a team in the archive: what a helped task begins is inside of the helpers' team. */
static uint32_t parent_of(const struct process *p, const bool *is_helped, uint32_t team)
{
	return is_helped[team] ? p->helper_team : p->model->teams[team].parent;
}

/* Defines the communicators around a team, and its own. */
static void define(struct archive *a, const bool *is_helped, uint32_t team)
{
	struct process *p = &a->now;
	const struct model *m = p->model;
	uint32_t parent = parent_of(p, is_helped, team);
	if (p->team_comms[team] != UNSET)
		return;
	if (parent != 0)
		define(a, is_helped, parent);
	uint32_t parent_comm = parent != 0 ? p->team_comms[parent] : UNSET;
	if (team != p->helper_team) {
		p->team_comms[team] =
			intern_comm(a, parent_comm, m->team_members + m->teams[team].first_member, m->teams[team].n_members);
		return;
	}
	uint32_t *streams = memory_get(p->def->n_locations, sizeof *streams, "the archive");
	uint32_t n = list_members(p, streams);
	p->helper_ranks = memory_get(p->def->n_locations, sizeof *p->helper_ranks, "the archive");
	for (uint32_t i = 0; i < n; i++)
		p->helper_ranks[streams[i]] = i;
	p->team_comms[team] = intern_comm(a, parent_comm, streams, n);
	free(streams);
}

void team_comms_begin(struct archive *a)
{
	struct process *p = &a->now;
	const struct model *m = p->model;
	bool *is_helped = memory_zeroed(m->n_teams + 1, sizeof *is_helped, "the archive");
	p->team_comms = memory_get(m->n_teams + 1, sizeof *p->team_comms, "the archive");
	for (uint32_t t = 0; t <= m->n_teams; t++)
		p->team_comms[t] = UNSET;
	p->helper_team = find_helper_team(m);
	for (uint32_t r = 1; p->helper_team != 0 && r < m->n_regions; r++)
		if (m->regions[r].team != 0 && task_is_helped(p, m->regions[r].task))
			is_helped[m->regions[r].team] = true;
	for (uint32_t t = p->helper_team; t != 0; t = m->teams[t].parent) /* contradictory records */
		is_helped[t] = false;
	for (uint32_t t = 1; t < m->n_teams; t++)
		define(a, is_helped, t);
	free(is_helped);
}

void team_comms_free(struct process *p)
{
	free(p->team_comms);
	free(p->helper_ranks);
	p->team_comms = p->helper_ranks = NULL;
}
