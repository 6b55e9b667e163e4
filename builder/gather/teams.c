/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the distinct teams. A team is the streams that ran a region's implicit tasks, in the order of thread numbers,
 * inside the team around that region. Programs have many regions and few distinct teams, and an archive defines one
 * communicator for each team. One thread.
 */
#include "builder/gather/stream.h"
#include "builder/support/map.h"
#include "builder/support/sort.h"

#include <stdlib.h>
#include <string.h>

/* The members of all regions in one array, in the order of the regions' rows. */
struct memberships {
	uint32_t *first; /* by region: index of its first member in `tasks`; it has room up to first[r + 1] */
	uint32_t *tasks; /* rows of the implicit tasks */
	uint16_t *n;     /* by region: number of members, which may be smaller than the room */
	/* For one region at a time: */
	struct slot *slots;
	uint32_t *streams; /* rows of dump.streams */
	size_t capacity, streams_capacity;
};

/* A member of a region: thread number in the team, row of the stream, row of the implicit task. */
struct slot {
	uint32_t thread, stream, task;
};

/* Is this the implicit or initial task of a member, about which no records contradict each other? */
static bool is_member(const struct task *task)
{
	return task->region != 0 && !(task->state & TASK_CONTRADICTORY);
}

static int by_stream(const void *left, const void *right)
{
	const struct slot *l = left, *r = right;
	return cmp(l->stream, r->stream) ?: cmp(l->task, r->task);
}

static int by_thread(const void *left, const void *right)
{
	const struct slot *l = left, *r = right;
	return cmp(l->thread, r->thread) ?: by_stream(left, right);
}

/* Nearly all teams are small and in order already. */
static void sort(struct slot *slots, uint16_t n, int (*compare)(const void *left, const void *right))
{
	uint16_t n_sorted = 1;
	while (n_sorted < n && compare(&slots[n_sorted - 1], &slots[n_sorted]) <= 0)
		n_sorted++;
	if (n_sorted < n)
		sort_array(slots, n, compare);
}

/*
 * Sorts a team's members by thread number. A thread is in a team once: the first of several members with one stream is
 * kept (repair team_member_twice). Returns the number of members that are left.
 */
static uint16_t order_members(struct model *m, struct slot *slots, uint16_t n)
{
	uint16_t n_left = n != 0;
	sort(slots, n, by_stream);
	for (uint16_t i = 1; i < n; i++)
		if (slots[i].stream != slots[n_left - 1].stream) {
			slots[n_left++] = slots[i];
		} else {
			m->tasks[slots[i].task].state |= TASK_CONTRADICTORY;
			tally_add(&m->notes->repairs, "team_member_twice", 1);
		}
	sort(slots, n_left, by_thread);
	return n_left;
}

/* Finds the members of all regions. */
static void collect(struct model *m, struct memberships *all)
{
	all->first = memory_get((size_t)m->n_regions + 1, sizeof *all->first, "the members of teams");
	all->first[0] = 0;
	for (uint32_t r = 0; r < m->n_regions; r++)
		all->first[r + 1] = all->first[r] + m->regions[r].n_members_seen;
	all->tasks = memory_get(all->first[m->n_regions], sizeof *all->tasks, "the members of teams");
	all->n = memory_zeroed(m->n_regions, sizeof *all->n, "the members of teams");
	for (size_t i = 0; i < m->n_implicit; i++) {
		const struct task *task = &m->tasks[m->implicit[i]];
		uint32_t r = task->region;
		/* n_members_seen stops at the largest number that it can hold: no more members than that are taken. */
		if (is_member(task) && all->n[r] != m->regions[r].n_members_seen)
			all->tasks[all->first[r] + all->n[r]++] = m->implicit[i];
	}
}

/* Fills all->streams with the region's members in the order of their thread numbers. Returns how many there are. */
static uint16_t members_of(struct model *m, struct memberships *all, uint32_t region)
{
	uint16_t n = all->n[region];
	array_reserve(all->slots, n, all->capacity);
	array_reserve(all->streams, n, all->streams_capacity);
	bool are_ordered = true; /* as in most programs: by thread and by stream */
	for (uint16_t i = 0; i < n; i++) {
		uint32_t row = all->tasks[all->first[region] + i];
		struct slot *slot = &all->slots[i];
		*slot = (struct slot){m->tasks[row].thread, m->tasks[row].run_stream, row};
		are_ordered &= i == 0 || (slot[-1].thread < slot->thread && slot[-1].stream < slot->stream);
	}
	if (!are_ordered)
		n = order_members(m, all->slots, n);
	for (uint16_t i = 0; i < n; i++)
		all->streams[i] = all->slots[i].stream;
	return n;
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
	uint32_t latest; /* the team found last, 0 none */
	uint32_t *next;  /* by team: row of the team before it with the same hash, 0 none */
	size_t teams_capacity, next_capacity;
	size_t members_capacity, n_members;
};

/* Adds a team. */
static void add_team(struct model *m, struct interning *in, uint32_t parent, const uint32_t *streams, uint32_t n)
{
	array_reserve(m->teams, (size_t)m->n_teams + 1, in->teams_capacity);
	array_reserve(in->next, (size_t)m->n_teams + 1, in->next_capacity);
	array_reserve(m->team_members, in->n_members + n, in->members_capacity);
	if (n > 0)
		memcpy(m->team_members + in->n_members, streams, n * sizeof *streams);
	m->teams[m->n_teams] = (struct team){parent, (uint32_t)in->n_members, n};
	in->n_members += n;
	in->next[m->n_teams] = 0;
	m->n_teams++;
}

static bool is_team(const struct model *m, uint32_t team, uint32_t parent, const uint32_t *streams, uint32_t n)
{
	const struct team *t = &m->teams[team];
	return t->parent == parent && t->n_members == n &&
	       memcmp(m->team_members + t->first_member, streams, n * sizeof *streams) == 0;
}

/* Gives the region its team, which is added if it is new. Most have the team of the region before. */
static void intern(struct model *m, struct interning *in, uint32_t region, uint32_t parent, const uint32_t *streams, uint32_t n)
{
	if (in->latest != 0 && is_team(m, in->latest, parent, streams, n)) {
		m->regions[region].team = in->latest;
		return;
	}
	uint64_t hash = HASH_BEGIN + parent;
	for (uint32_t i = 0; i < n; i++)
		hash = hash_on(hash, streams[i]);
	uint32_t *last = map_put(&in->rows, hash | 1);
	for (uint32_t t = *last; t != 0; t = in->next[t])
		if (is_team(m, t, parent, streams, n)) {
			m->regions[region].team = in->latest = t;
			return;
		}
	add_team(m, in, parent, streams, n);
	in->next[m->n_teams - 1] = *last;
	*last = m->regions[region].team = in->latest = m->n_teams - 1;
}

void gather_teams(struct model *m)
{
	struct memberships all = {0};
	struct interning in = {0};
	uint32_t *path = NULL;
	size_t path_capacity = 0;
	collect(m, &all);
	add_team(m, &in, 0, NULL, 0); /* row 0: none */

	/*
	 * A team's parent has to be known first. So go up from each region to the first one around it that has its
	 * team, and then down again. Damaged records may form a cycle: the way up ends at a region that is on the path
	 * already.
	 */
	for (uint32_t r = 1; r < m->n_regions; r++) {
		size_t n_path = 0;
		for (uint32_t up = r; up != 0 && m->regions[up].team == 0; up = enclosing_region(m, up)) {
			array_push(path, n_path, path_capacity, up);
			m->regions[up].team = TEAM_PENDING;
		}
		while (n_path > 0) {
			uint32_t region = path[--n_path];
			uint32_t n = members_of(m, &all, region);
			uint32_t parent = m->regions[enclosing_region(m, region)].team;
			m->regions[region].team = 0;
			if (n > 0)
				intern(m, &in, region, parent != TEAM_PENDING ? parent : 0, all.streams, n);
		}
	}
	free(path);
	free(all.first);
	free(all.tasks);
	free(all.slots);
	free(all.streams);
	free(all.n);
	free(in.next);
	map_free(&in.rows);
}
