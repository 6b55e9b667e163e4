/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the distinct teams. A team is the streams that ran a region's implicit tasks, in the order of thread numbers,
 * inside the team around that region. Programs have many regions and few distinct teams, and an archive defines one
 * communicator for each team. Called by gather.c after all streams have been walked; one thread.
 */
#include "builder/gather/walk.h"
#include "builder/support/map.h"

#include <stdlib.h>
#include <string.h>

/* The members of all regions, side by side. */
struct memberships {
	size_t *first;     /* by region: index of its first member in `streams`; it has room up to first[r + 1] */
	uint32_t *streams; /* rows of dump.streams */
	uint16_t *n;       /* by region: number of members, which may be smaller than the room */
};

/* A member of a region: thread number in the team, row of the stream, row of the implicit task. */
struct slot {
	uint32_t thread, stream, task;
};

/* Is this the implicit or initial task of a member, about which no records contradict each other? */
static bool is_member(const struct task *task)
{
	return !task_is_explicit(task) && task->region != 0 && !(task->state & TASK_DOUBTFUL);
}

static int by_stream(const void *left, const void *right)
{
	const struct slot *l = left, *r = right;
	if (l->stream != r->stream)
		return l->stream < r->stream ? -1 : 1;
	return l->task < r->task ? -1 : l->task > r->task;
}

static int by_thread(const void *left, const void *right)
{
	const struct slot *l = left, *r = right;
	return l->thread != r->thread ? (l->thread < r->thread ? -1 : 1) : by_stream(left, right);
}

/*
 * Sorts a team's members by thread number. A thread is in a team once: of several members with one stream the first is
 * kept (repair team_member_twice). Returns the number of members that are left.
 */
static uint16_t order_members(struct model *m, struct slot *slots, uint16_t n)
{
	uint16_t n_left = n != 0;
	qsort(slots, n, sizeof *slots, by_stream);
	for (uint16_t i = 1; i < n; i++)
		if (slots[i].stream != slots[n_left - 1].stream) {
			slots[n_left++] = slots[i];
		} else {
			m->tasks[slots[i].task].state |= TASK_DOUBTFUL;
			tally_add(&m->notes->repairs, "team_member_twice", 1);
		}
	qsort(slots, n_left, sizeof *slots, by_thread);
	return n_left;
}

/* Fills the memberships of all regions. 0, or -1 when memory is out. */
static int collect(struct model *m, struct memberships *all)
{
	all->first = calloc((size_t)m->n_regions + 1, sizeof *all->first);
	if (all->first == NULL)
		return -1;
	for (uint32_t r = 0; r < m->n_regions; r++)
		all->first[r + 1] = all->first[r] + m->regions[r].n_members_seen;
	all->streams = malloc((all->first[m->n_regions] + 1) * sizeof *all->streams);
	struct slot *slots = calloc(all->first[m->n_regions] + 1, sizeof *slots);
	all->n = calloc((size_t)m->n_regions + 1, sizeof *all->n);
	if (all->streams == NULL || slots == NULL || all->n == NULL) {
		free(slots);
		return -1;
	}
	for (uint32_t i = 1; i < m->n_tasks; i++) {
		const struct task *task = &m->tasks[i];
		/* n_members_seen stops at the largest number that it can hold: no more members than that are taken. */
		if (!is_member(task) || all->n[task->region] == m->regions[task->region].n_members_seen)
			continue;
		slots[all->first[task->region] + all->n[task->region]++] = (struct slot){task->thread, task->run_stream, i};
	}
	for (uint32_t r = 0; r < m->n_regions; r++)
		if (all->n[r] > 1)
			all->n[r] = order_members(m, slots + all->first[r], all->n[r]);
	for (size_t i = 0; i < all->first[m->n_regions]; i++)
		all->streams[i] = slots[i].stream;
	free(slots);
	return 0;
}

/* The region around a region: the one that its encountering task is bound to; 0 if there is none. */
static uint32_t enclosing_region(const struct model *m, uint32_t region)
{
	return m->tasks[m->regions[region].task].region;
}

/* In region.team: the region is on the path that is being followed, and has no team yet. */
#define TEAM_PENDING UINT32_MAX

/* Finds equal teams. */
struct interning {
	struct map rows; /* hash of (parent, members) -> row of the last team with this hash */
	uint32_t *next;  /* by team: row of the team before it with the same hash, 0 none */
	uint32_t capacity;
	size_t members_capacity, n_members;
};

/* Adds a team. 0, or -1 when memory is out. */
static int add_team(struct model *m, struct interning *in, uint32_t parent, const uint32_t *streams, uint32_t n)
{
	if (m->n_teams == in->capacity) {
		uint32_t capacity = in->capacity ? in->capacity * 2 : 16;
		struct team *teams = realloc(m->teams, capacity * sizeof *teams);
		uint32_t *next = realloc(in->next, capacity * sizeof *next);
		if (teams != NULL)
			m->teams = teams;
		if (next != NULL)
			in->next = next;
		if (teams == NULL || next == NULL)
			return -1;
		in->capacity = capacity;
	}
	while (in->n_members + n > in->members_capacity) {
		size_t capacity = in->members_capacity ? in->members_capacity * 2 : 64;
		uint32_t *members = realloc(m->team_members, capacity * sizeof *members);
		if (members == NULL)
			return -1;
		m->team_members = members;
		in->members_capacity = capacity;
	}
	if (n > 0)
		memcpy(m->team_members + in->n_members, streams, n * sizeof *streams);
	m->teams[m->n_teams] = (struct team){parent, (uint32_t)in->n_members, n};
	in->n_members += n;
	in->next[m->n_teams] = 0;
	m->n_teams++;
	return 0;
}

/* Gives the region its team, which is added if it is new. 0, or -1 when memory is out. */
static int intern(struct model *m, struct interning *in, uint32_t region, uint32_t parent, const uint32_t *streams, uint32_t n)
{
	uint64_t hash = parent + UINT64_C(1469598103934665603);
	for (uint32_t i = 0; i < n; i++)
		hash = (hash ^ streams[i]) * UINT64_C(1099511628211);
	uint32_t *last = map_put(&in->rows, hash | 1);
	if (last == NULL)
		return -1;
	for (uint32_t t = *last; t != 0; t = in->next[t])
		if (m->teams[t].parent == parent && m->teams[t].n_members == n &&
		    memcmp(m->team_members + m->teams[t].first_member, streams, n * sizeof *streams) == 0) {
			m->regions[region].team = t;
			return 0;
		}
	if (add_team(m, in, parent, streams, n) != 0)
		return -1;
	in->next[m->n_teams - 1] = *last;
	*last = m->regions[region].team = m->n_teams - 1;
	return 0;
}

int gather_teams(struct model *m)
{
	struct memberships all = {NULL, NULL, NULL};
	struct interning in = {0};
	uint32_t *path = malloc(sizeof *path * 64);
	size_t path_capacity = 64;
	int rc = collect(m, &all) != 0 || path == NULL || add_team(m, &in, 0, NULL, 0) != 0 ? -1 : 0; /* row 0: none */

	/*
	 * A team's parent has to be known first. So go up from each region to the first one around it that has its
	 * team, and then down again. Damaged records may make a circle: it ends at a region that is on the path
	 * already.
	 */
	for (uint32_t r = 1; rc == 0 && r < m->n_regions; r++) {
		size_t n_path = 0;
		for (uint32_t up = r; up != 0 && m->regions[up].team == 0; up = enclosing_region(m, up)) {
			if (n_path == path_capacity) {
				uint32_t *grown = realloc(path, path_capacity * 2 * sizeof *path);
				if (grown == NULL) {
					rc = -1;
					break;
				}
				path = grown;
				path_capacity *= 2;
			}
			path[n_path++] = up;
			m->regions[up].team = TEAM_PENDING;
		}
		while (rc == 0 && n_path > 0) {
			uint32_t region = path[--n_path];
			uint32_t n = all.n[region];
			uint32_t parent = m->regions[enclosing_region(m, region)].team;
			m->regions[region].team = 0;
			if (n > 0)
				rc = intern(m, &in, region, parent != TEAM_PENDING ? parent : 0, all.streams + all.first[region],
					    n);
		}
	}
	free(path);
	free(all.first);
	free(all.streams);
	free(all.n);
	free(in.next);
	map_free(&in.rows);
	return rc == 0 ? 0 : error("%s: out of memory", m->dump->path);
}
