/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides who is current on a location, and writes each change. A task is (communicator of its binding team, rank of
 * the creating thread in it, that thread's counter), which is unique in the whole archive without any table; implicit
 * tasks have generation 0. Below all units of Argobots is the thread's own implicit task in their team, which stands
 * for what is not recorded: the scheduler of the primary unit, or a thread outside of Argobots.
 *
 * Called by all files that write events of tasks and units. One thread.
 */
#include "builder/otf2/clock.h"
#include "builder/otf2/current.h"
#include "builder/otf2/intern.h"
#include "builder/otf2/location.h"
#include "builder/otf2/team_comms.h"
#include "builder/otf2/unit_keys.h"
#include "builder/support/array.h"

/* The stream's thread number in a team, or UNSET. Programs stay in one team for long, so the last answer is kept. */
static uint32_t team_rank(struct process *p, uint32_t team, uint32_t stream)
{
	struct location *l = &p->locations[stream];
	if (l->rank_team == team)
		return l->rank;
	const struct team *t = &p->model->teams[team];
	const uint32_t *members = p->model->team_members + t->first_member;
	uint32_t rank = 0;
	while (rank < t->n_members && members[rank] != stream)
		rank++;
	l->rank_team = team;
	return l->rank = rank < t->n_members ? rank : UNSET;
}

/* The communicator for what a thread does outside of all teams that are known: one of its own. */
static uint32_t solo_comm(struct archive *a, uint32_t stream)
{
	struct location *l = &a->now.locations[stream];
	if (l->solo_comm == UNSET) {
		l->solo_comm = intern_comm(a, UNSET, &stream, 1);
		a->comms[l->solo_comm].is_made_up = true;
	}
	return l->solo_comm;
}

/* A root's initial task is in a team of one, which is inside of no other. */
static bool is_alone(const struct model *m, uint32_t team)
{
	return m->teams[team].n_members == 1 && m->teams[team].parent == 0;
}

struct key current_key(struct archive *a, uint32_t task)
{
	struct process *p = &a->now;
	const struct task *t = &p->model->tasks[task];
	uint32_t stream = t->run_stream, team = p->model->regions[t->region].team;
	uint32_t generation = 0;
	if (task_is_explicit(&p->model->tasks[task]))
		model_task_origin(p->model, task, &stream, &generation);
	if (p->model->regions[t->region].state & REGION_INITIAL && !is_alone(p->model, team))
		team = 0;
	if (task_is_helped(p, task))
		return (struct key){team_comm(p, p->helper_team), p->helper_ranks[stream], generation};
	uint32_t rank = team != 0 ? team_rank(p, team, stream) : UNSET;
	if (rank == UNSET) /* records are missing */
		return (struct key){solo_comm(a, stream), 0, generation};
	return (struct key){team_comm(p, team), rank, generation};
}

uint32_t current_team_comm(struct archive *a, uint32_t implicit_task)
{
	const struct task *t = &a->now.model->tasks[implicit_task];
	uint32_t team = a->now.model->regions[t->region].team;
	return team != 0 ? team_comm(&a->now, team) : solo_comm(a, t->run_stream);
}

static bool may_move(const struct process *p, uint32_t task)
{
	return task != 0 && task != UNSET && p->model->tasks[task].state & TASK_MIGRATED;
}

struct suspended *current_keep(struct archive *a, uint32_t task)
{
	struct process *p = &a->now;
	uint32_t *row = map_put(&p->suspended_rows, task);
	if (*row == 0) {
		array_reserve((void **)&p->suspended, (size_t)p->n_suspended + 1, &p->suspended_capacity, sizeof *p->suspended);
		p->suspended[p->n_suspended] = (struct suspended){0};
		*row = ++p->n_suspended;
	}
	return &p->suspended[*row - 1];
}

struct suspended *current_find(const struct process *p, uint32_t task)
{
	const uint32_t *row = map_get(&p->suspended_rows, task);
	return row != NULL && *row != 0 ? &p->suspended[*row - 1] : NULL;
}

/*
 * Only tasks that may move are noted. One that stops with regions open, which only contradictory records bring about,
 * cannot go on elsewhere.
 */
void current_note(struct archive *a, struct location *l, uint64_t time, uint32_t task, bool is_here)
{
	if (!may_move(&a->now, task))
		return;
	struct suspended *s = current_keep(a, task);
	s->runs_on = is_here || location_owns(l, task) ? location_stream(&a->now, l) + 1 : 0;
	s->last_time = time;
}

static bool is_initial(const struct process *p, uint32_t task)
{
	return (p->model->regions[p->model->tasks[task].region].state & REGION_INITIAL) != 0;
}

/* Is one of OpenMP's tasks current, and not the one that the thread began with? */
static bool is_in_openmp(const struct archive *a, const struct location *l)
{
	const struct model *m = a->now.model;
	return l->running != 0 && l->running != UNSET && !(m->regions[m->tasks[l->running].region].state & REGION_INITIAL);
}

/* The location's unit becomes current, in place of one of OpenMP's tasks. */
static int current_switch_unit(struct archive *a, struct location *l, uint64_t time)
{
	uint32_t unit = l->unit;
	const struct unit_written *w = &a->now.units[unit];
	uint32_t rank = unit != 0 ? unit_creating_stream(&a->now.model->units[unit]) : location_stream(&a->now, l);
	if (is_in_openmp(a, l))
		l->running = UNSET;
	return archive_check(
		a, OTF2_EvtWriter_ThreadTaskSwitch(l->writer, NULL, time, a->now.units_comm, rank, unit != 0 ? w->generation : 0),
		"writing ThreadTaskSwitch");
}

int current_switch(struct archive *a, struct location *l, uint64_t time, uint32_t task)
{
	struct key k = current_key(a, task);
	if (a->comms[k.comm].is_made_up && k.comm != l->solo_comm)
		a->has_holes = true; /* its team is not known, so the location is not seen to be in it */
	current_note(a, l, time, l->running, false);
	current_note(a, l, time, task, true);
	l->running = task;
	if (l->is_in_units && is_initial(&a->now, task))
		return current_switch_unit(a, l, time);
	return archive_check(a, OTF2_EvtWriter_ThreadTaskSwitch(l->writer, NULL, time, k.comm, k.rank, k.generation),
			     "writing ThreadTaskSwitch");
}

/* An explicit task runs on one location at a time, and on no other than its own unless it moves. */
static bool can_run_explicit(const struct process *p, const struct location *l, uint32_t task)
{
	const struct task *t = &p->model->tasks[task];
	const struct suspended *s = t->state & TASK_MIGRATED ? current_find(p, task) : NULL;
	if (t->state & TASK_CONTRADICTORY || t->flags & task_flags_taskwait)
		return false;
	if (s != NULL ? s->runs_on != 0 && &p->locations[s->runs_on - 1] != l
		      : !(t->state & TASK_MIGRATED) && t->state & TASK_STARTED && &p->locations[t->run_stream] != l)
		return false;
	/* A detached task may be fulfilled by a thread whose stream is replayed before its own. */
	return !task_bit(p, task, TASK_BIT_COMPLETED) || (t->state & TASK_DETACHED && p->model->n_migrated == 0);
}

/*
 * An implicit task runs only inside of its team, an initial one outside of all teams, and no task runs after it
 * completed.
 */
bool current_can_be(const struct process *p, const struct location *l, uint32_t task)
{
	const struct task *t = &p->model->tasks[task];
	const struct region *r = &p->model->regions[t->region];
	if (task_is_explicit(t))
		return can_run_explicit(p, l, task);
	uint32_t of_team = location_team_task(l);
	if (of_team != 0)
		return of_team == task && !(t->state & TASK_CONTRADICTORY);
	return (r->state & REGION_INITIAL || r->team == 0) && &p->locations[t->run_stream] == l;
}

/* Not before it is created, nor before what it did elsewhere. Two processors' clocks may say otherwise. */
uint64_t current_time(const struct process *p, struct location *l, uint64_t time, uint32_t task)
{
	const struct task *t = &p->model->tasks[task];
	if (task_is_explicit(t) && !task_bit(p, task, TASK_BIT_STARTED) && t->state & TASK_CREATED) {
		uint64_t created = clock_stamp(p, t->create_ticks);
		if (time <= created)
			time = created < p->last_time ? created + 1 : created;
	}
	const struct suspended *s = may_move(p, task) ? current_find(p, task) : NULL;
	if (s != NULL && time < s->last_time)
		time = s->last_time;
	return l->last_time = time;
}

int current_any(struct archive *a, struct location *l, uint64_t time)
{
	uint32_t owner = l->n_open > 0 ? l->open[l->n_open - 1].owner : 0;
	if (owner != 0)
		return current_switch(a, l, time, owner);
	if (l->is_in_units) {
		l->running = 0;
		return current_switch_unit(a, l, time);
	}
	uint32_t comm = solo_comm(a, location_stream(&a->now, l));
	current_note(a, l, time, l->running, false);
	l->running = 0;
	return archive_check(a, OTF2_EvtWriter_ThreadTaskSwitch(l->writer, NULL, time, comm, 0, 0), "writing ThreadTaskSwitch");
}

/*
 * Called after a completion, when some task must become current, and where records contradict each other or are
 * missing.
 */
int current_require_slow(struct archive *a, struct location *l, uint64_t time, uint32_t task)
{
	bool is_begun = !task_is_explicit(&a->now.model->tasks[task]) || task_bit(&a->now, task, TASK_BIT_STARTED);
	if (task != 0 && is_begun && current_can_be(&a->now, l, task))
		return current_switch(a, l, time, task);
	return l->running != UNSET ? 0 : current_any(a, l, time);
}

int current_require_unit(struct archive *a, struct location *l, uint64_t time, uint32_t unit)
{
	if (l->unit == unit && !is_in_openmp(a, l) && !l->is_unit_over)
		return 0;
	l->unit = unit;
	l->is_unit_over = false;
	if (unit == 0 && location_team_task(l) != 0) { /* the team of a unit that the archive does not have */
		a->has_holes = true;
		return current_any(a, l, time);
	}
	return current_switch_unit(a, l, time);
}
