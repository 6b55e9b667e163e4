/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides which task or unit is current on a location, and writes each change. A task is (communicator of its binding team, rank of
 * the creating thread in it, that thread's counter), which is unique in the whole archive without any table; implicit
 * tasks have generation 0. Below all units of Argobots is the thread's own implicit task in their team, which stands
 * for what is not recorded: the scheduler of the primary unit, or a thread outside of Argobots.
 *
 * Runs on one thread at a time for each location.
 */
#include "builder/otf2/archive.h"
#include "builder/otf2/current.h"
#include "builder/otf2/intern.h"
#include "builder/otf2/location.h"
#include "builder/otf2/mapping.h"
#include "builder/support/array.h"

#include <stdlib.h>

/* The stream's thread number in a team, or UNSET. Programs stay in one team for long, so the latest answers are kept. */
static uint32_t team_rank(const struct process *p, struct location *l, uint32_t team, uint32_t stream)
{
	struct recent_rank *recent = &l->recent_ranks[stream % RECENT_RANKS];
	if (__builtin_expect(recent->team == team && recent->stream == stream, 1))
		return recent->rank;
	const struct team *t = &p->model->teams[team];
	const uint32_t *members = p->model->team_members + t->first_member;
	uint32_t rank = 0;
	while (rank < t->n_members && members[rank] != stream)
		rank++;
	*recent = (struct recent_rank){team, stream, rank < t->n_members ? rank : UNSET};
	return recent->rank;
}

/*
 * The communicator for what the stream's thread does outside of all teams that are known: one of its own, with a number
 * that only this location's events have (mapping.c).
 */
static uint32_t solo_comm(const struct process *p, struct location *l, uint32_t stream)
{
	uint32_t i = 0;
	while (i < l->n_solos && l->solos[i] != stream)
		i++;
	if (i == l->n_solos)
		array_push(l->solos, l->n_solos, l->solos_capacity, stream);
	return p->first_solo + i;
}

/* Is it such a communicator, of another stream than the location's own? */
static bool is_other_solo(const struct process *p, const struct location *l, uint32_t comm)
{
	return comm >= p->first_solo && l->solos[comm - p->first_solo] != l->stream;
}

/* A root's initial task is in a team of one, which is inside of no other. */
static bool is_alone(const struct model *m, uint32_t team)
{
	return m->teams[team].n_members == 1 && m->teams[team].parent == 0;
}

/* Most tasks run where they were created, so that stream is tried first. */
static void find_origin(const struct process *p, const struct location *l, uint32_t task, uint32_t *stream, uint32_t *number)
{
	uint32_t here = l->stream;
	const uint32_t *base = p->model->task_rows.base + here;
	if (here < p->model->dump->n_streams && task > base[0] && task <= base[1]) {
		*stream = here;
		*number = task - base[0];
	} else
		model_task_origin(p->model, task, stream, number);
}

struct key current_find_key_slow(struct archive *a, struct location *l, uint32_t task)
{
	struct process *p = &a->now;
	const struct task *t = &p->model->tasks[task];
	const struct region *r = &p->model->regions[t->region];
	uint32_t stream = t->run_stream, team = r->team;
	uint32_t generation = 0;
	if (task_is_explicit(t))
		find_origin(p, l, task, &stream, &generation);
	if (r->state & REGION_INITIAL && !is_alone(p->model, team))
		team = 0;
	if (p->helper_team != 0 && task_is_helped(p, task))
		return (struct key){team_comm(p, p->helper_team), p->helper_ranks[stream], generation};
	uint32_t rank = team != 0 ? team_rank(p, l, team, stream) : UNSET;
	if (rank == UNSET) /* records are missing */
		return (struct key){solo_comm(p, l, stream), 0, generation};
	struct key key = {team_comm(p, team), rank, generation};
	if (p->helper_team == 0 && task_is_explicit(t)) {
		const uint32_t *base = p->model->task_rows.base + stream;
		l->alike_base = base[0];
		l->n_alike = base[1] - base[0];
		l->alike_region = t->region;
		l->alike = key;
	}
	return key;
}

uint32_t current_team_comm(struct archive *a, struct location *l, uint32_t implicit_task)
{
	const struct task *t = &a->now.model->tasks[implicit_task];
	uint32_t team = a->now.model->regions[t->region].team;
	return team != 0 ? team_comm(&a->now, team) : solo_comm(&a->now, l, t->run_stream);
}

static bool may_move(const struct process *p, uint32_t task)
{
	return task != 0 && task != UNSET && p->model->tasks[task].state & TASK_MIGRATED;
}

void current_begin(struct process *p)
{
	const struct model *m = p->model;
	uint32_t n_words = m->n_tasks / 64 + 1;
	p->marked = memory_zeroed(n_words, sizeof *p->marked, "the archive");
	p->marked_before = memory_zeroed(n_words, sizeof *p->marked_before, "the archive");
	for (uint32_t task = 0; task < m->n_tasks; task++) {
		if (task % 64 == 0)
			p->marked_before[task / 64] = p->n_suspended;
		if (m->tasks[task].state & (TASK_MARKED | TASK_MIGRATED)) {
			p->marked[task / 64] |= UINT64_C(1) << task % 64;
			p->n_suspended++;
		}
		p->has_movers = p->has_movers || m->tasks[task].state & TASK_MIGRATED;
	}
	p->suspended = memory_zeroed(p->n_suspended, sizeof *p->suspended, "the archive");
}

void current_end(struct process *p)
{
	for (uint32_t i = 0; i < p->n_suspended && p->suspended != NULL; i++)
		free(p->suspended[i].open);
	free(p->suspended);
	free(p->marked);
	free(p->marked_before);
}

struct suspended *current_find(const struct process *p, uint32_t task)
{
	uint64_t word = p->marked[task / 64], bit = UINT64_C(1) << task % 64;
	if (!(word & bit))
		return NULL;
	return &p->suspended[p->marked_before[task / 64] + (uint32_t)__builtin_popcountll(word & (bit - 1))];
}

/*
 * Only tasks that may move are noted. One that stops with regions open, which only contradictory records bring about,
 * cannot resume elsewhere.
 */
void current_note_mover(struct archive *a, struct location *l, uint64_t time, uint32_t task, bool is_here)
{
	if (!may_move(&a->now, task))
		return;
	struct suspended *s = current_find(&a->now, task);
	s->runs_on = is_here || location_owns(l, task) ? l->stream + 1 : 0;
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
	uint32_t rank = unit != 0 ? w->created_on : l->stream;
	if (is_in_openmp(a, l))
		l->running = UNSET;
	return archive_check(a,
			     WRITE_EVENT(l, ThreadTaskSwitch, NULL, time, a->now.units_comm, rank, unit != 0 ? w->generation : 0),
			     "writing ThreadTaskSwitch");
}

int current_switch(struct archive *a, struct location *l, uint64_t time, uint32_t task)
{
	struct key k = current_key(a, l, task);
	if (is_other_solo(&a->now, l, k.comm))
		l->has_holes = true; /* its team is not known, so the location is not seen to be in it */
	current_note(a, l, time, l->running, false);
	current_note(a, l, time, task, true);
	l->running = task;
	if (l->is_in_units && is_initial(&a->now, task))
		return current_switch_unit(a, l, time);
	return archive_check(a, WRITE_EVENT(l, ThreadTaskSwitch, NULL, time, k.comm, k.rank, k.generation),
			     "writing ThreadTaskSwitch");
}

/* An explicit task runs on one location at a time, and on no other than its own unless it moves. */
static bool can_run_explicit(const struct process *p, const struct location *l, uint32_t task)
{
	const struct task *t = &p->model->tasks[task];
	if (t->state & TASK_CONTRADICTORY || t->flags & task_flags_taskwait)
		return false;
	if (t->state & TASK_MIGRATED) {
		uint32_t runs_on = current_find(p, task)->runs_on;
		if (runs_on != 0 && runs_on - 1 != l->stream)
			return false;
	} else if (t->state & TASK_STARTED && t->run_stream != l->stream)
		return false;
	/* A detached task may be fulfilled by a thread whose stream is replayed before its own. */
	return !task_bit(p, task, TASK_BIT_COMPLETED) || (t->state & TASK_DETACHED && !p->has_movers);
}

/*
 * An implicit task runs only inside of its team, an initial one outside of all teams, and no task runs after it
 * completed.
 */
bool current_can_be_slow(const struct process *p, const struct location *l, uint32_t task)
{
	const struct task *t = &p->model->tasks[task];
	if (task_is_explicit(t))
		return can_run_explicit(p, l, task);
	if (l->team_task != 0)
		return l->team_task == task && !(t->state & TASK_CONTRADICTORY);
	const struct region *r = &p->model->regions[t->region];
	return (r->state & REGION_INITIAL || r->team == 0) && t->run_stream == l->stream;
}

uint64_t current_time_slow(const struct process *p, struct location *l, uint64_t time, uint32_t task)
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
	uint32_t comm = solo_comm(&a->now, l, l->stream);
	current_note(a, l, time, l->running, false);
	l->running = 0;
	return archive_check(a, WRITE_EVENT(l, ThreadTaskSwitch, NULL, time, comm, 0, 0), "writing ThreadTaskSwitch");
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
	if (unit == 0 && l->team_task != 0) { /* the team of a unit that the archive does not have */
		l->has_holes = true;
		return current_any(a, l, time);
	}
	return current_switch_unit(a, l, time);
}

/* ---- Enter and leave ---- */

int location_leave_kind(struct archive *a, struct location *l, uint64_t time, enum region_kind kind, uint32_t task)
{
	uint32_t i = l->n_open;
	while (i > 0 && l->open[i - 1].task == task && l->open[i - 1].type == OPEN_SCOPE && l->open[i - 1].kind != kind)
		i--;
	if (i == 0 || l->open[i - 1].task != task || l->open[i - 1].type != OPEN_SCOPE)
		return 0; /* it is not open here: it was closed when its task was suspended for good */
	int rc = 0;
	while (rc == 0 && l->n_open >= i)
		rc = location_leave(a, l, time);
	return rc;
}

int location_pass(struct archive *a, struct location *l, uint64_t time, uint32_t region, uint32_t task)
{
	if (current_require(a, l, time, task) != 0)
		return -1;
	int rc = archive_check(a, WRITE_EVENT(l, Enter, NULL, time, region), "writing Enter");
	return rc != 0 ? rc : archive_check(a, WRITE_EVENT(l, Leave, NULL, time, region), "writing Leave");
}
