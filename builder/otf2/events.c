/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The replay's events in the dialect of Score-P: streams, teams, scopes, states and what the recorder did are here; tasks,
 * mutexes, devices and units have files of their own. Runs on one thread at a time for each location.
 */
#include "builder/otf2/archive.h"
#include "builder/otf2/current.h"
#include "builder/otf2/events.h"
#include "builder/otf2/location.h"
#include "builder/otf2/intern.h"
#include "builder/support/array.h"

#define PARADIGM OTF2_PARADIGM_OPENMP

/* ---- Regions and teams ---- */

static int stream_begin(void *self, const struct point *at)
{
	return location_open(self, at->stream);
}

static int stream_end(void *self, const struct point *at)
{
	return close_location(self, at->stream);
}

/*
 * Does the thread that begins the region begin its team, too? Where it was killed in between, or the record is missing,
 * it never was in that team.
 */
static bool has_own_team(const struct model *m, uint32_t region, uint32_t stream)
{
	uint32_t team = m->regions[region].team;
	return team != 0 && m->team_members[m->teams[team].first_member] == stream;
}

static int region_begin(void *self, const struct point *at, uint32_t region)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[at->stream];
	const struct region *r = &a->now.model->regions[region];
	if (r->state & REGION_INITIAL)
		return 0;
	if (!has_own_team(a->now.model, region, at->stream)) {
		l->has_holes = true;
		return 0;
	}
	uint64_t time = location_stamp(a, l, at->ticks);
	if (task_follow(a, l, at, &time) != 0)
		return -1;
	array_push(l->forks, l->n_forks, l->forks_capacity, (struct fork){region, l->n_open});
	l->is_fork_alone = true;
	return archive_check(a, WRITE_EVENT(l, ThreadFork, NULL, time, PARADIGM, r->requested), "writing ThreadFork");
}

static int region_end(void *self, const struct point *at, uint32_t region)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[at->stream];
	uint32_t i = l->n_forks;
	while (i > 0 && l->forks[i - 1].region != region)
		i--;
	if (i == 0) { /* its fork is not in the archive, because records are missing */
		/* A unit of Argobots that stops in a region has left the team, and is joined. */
		l->has_holes |= !(a->now.model->regions[region].state & REGION_INITIAL) && a->now.model->tasking == NULL;
		return 0;
	}
	uint64_t time = location_stamp(a, l, at->ticks);
	int rc = 0;
	while (rc == 0 && l->n_forks >= i)
		rc = close_fork(a, l, time);
	return rc;
}

/* The team of a root's initial task has no fork: that task is a region alone, the outermost one of its location. */
static int implicit_begin(void *self, const struct point *at, uint32_t task)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[at->stream];
	const struct model *m = a->now.model;
	const struct region *r = &m->regions[m->tasks[task].region];
	bool is_initial = r->state & REGION_INITIAL || m->tasks[task].region == 0;
	if (task == 0 || task_is_left_out(&a->now, task) || task_is_explicit(&m->tasks[task]) ||
	    location_find_open(l, task) < l->n_open || (is_initial && l->team_task != 0)) {
		l->has_holes = true; /* contradictory records */
		return 0;
	}
	if (is_initial) {
		uint64_t begin = location_stamp(a, l, at->ticks);
		task_bit_set(&a->now, task, TASK_BIT_STARTED);
		if (l->running == 0) /* it needs no ThreadTaskSwitch: the location begins in it */
			l->running = task;
		return location_enter(a, l, begin, m->tasks[task].construct, REGION_INITIAL_TASK, task, OPEN_INITIAL);
	}
	uint64_t ticks = at->ticks > r->begin_ticks ? at->ticks : r->begin_ticks; /* never before the fork */
	uint64_t time = location_stamp(a, l, ticks);
	uint32_t comm = current_team_comm(a, l, task);
	l->task = task;
	l->is_fork_alone = false;
	if (archive_check(a, WRITE_EVENT(l, ThreadTeamBegin, NULL, time, comm), "writing ThreadTeamBegin") != 0)
		return -1;
	uint32_t around = l->running;
	l->running = task;
	task_bit_set(&a->now, task, TASK_BIT_STARTED);
	enum region_kind kind = r->flags & parallel_flags_league ? REGION_TEAMS : REGION_PARALLEL;
	struct open_region own = {.construct = m->tasks[task].construct,
				  .kind = kind,
				  .task = task,
				  .owner = task,
				  .around = around,
				  .type = OPEN_IMPLICIT};
	return location_push(a, l, time, own, NULL);
}

static int implicit_end(void *self, const struct point *at, uint32_t task)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[at->stream];
	uint32_t i = location_find_open(l, task);
	if (i == l->n_open || l->open[i].type == OPEN_TASK)
		return 0;
	uint64_t time = location_stamp(a, l, at->ticks);
	struct open_region own = l->open[i];
	l->task = UNSET;
	bool is_left;
	if (close_own(a, l, time, i, &is_left) != 0)
		return -1;
	if (!is_left)
		return 0;
	if (own.type == OPEN_INITIAL) {
		if (holds_release(a, l, time, task) != 0)
			return -1;
		l->running = 0;
	}
	return own.type == OPEN_IMPLICIT ? close_team(a, l, time, &own) : 0;
}

/* ---- Scopes ---- */

static enum region_kind sync_region(unsigned kind)
{
	switch (kind) {
	case sync_kind_barrier:
	case sync_kind_barrier_explicit: return REGION_BARRIER;
	case sync_kind_barrier_implementation: return REGION_BARRIER_IMPLEMENTATION;
	case sync_kind_barrier_teams: return REGION_BARRIER_TEAMS;
	case sync_kind_taskwait: return REGION_TASKWAIT;
	case sync_kind_taskgroup: return REGION_TASKGROUP;
	case sync_kind_reduction: return REGION_REDUCTION;
	default: return REGION_BARRIER_IMPLICIT;
	}
}

static enum region_kind work_region(unsigned kind)
{
	switch (kind) {
	case work_kind_sections: return REGION_SECTIONS;
	case work_kind_single_executor:
	case work_kind_single_other: return REGION_SINGLE;
	case work_kind_workshare: return REGION_WORKSHARE;
	case work_kind_distribute: return REGION_DISTRIBUTE;
	case work_kind_taskloop: return REGION_TASKLOOP;
	case work_kind_scope: return REGION_SCOPE;
	default: return REGION_LOOP;
	}
}

static enum region_kind scope_region(const struct scope *scope)
{
	switch (scope->type) {
	case SCOPE_SYNC:
	case SCOPE_SYNC_WAIT: return sync_region(scope->kind);
	case SCOPE_REDUCTION: return REGION_REDUCTION;
	case SCOPE_WORK: return work_region(scope->kind);
	case SCOPE_MASKED: return REGION_MASKED;
	case SCOPE_MUTEX:
		return scope->kind == mutex_kind_ordered  ? REGION_ORDERED
		       : scope->kind == mutex_kind_atomic ? REGION_ATOMIC
							  : REGION_CRITICAL;
	case SCOPE_TARGET:
	case SCOPE_DATA_OP:
	case SCOPE_SUBMIT: break; /* of a paradigm */
	}
	return REGION_UNKNOWN;
}

/* How a loop is shared out, and how many iterations it has: parameters within its region. */
static int loop_parameters(struct archive *a, struct location *l, uint64_t time, const struct scope *scope)
{
	int schedule = scope->kind == work_kind_loop_static    ? 0
		       : scope->kind == work_kind_loop_dynamic ? 1
		       : scope->kind == work_kind_loop_guided  ? 2
		       : scope->kind == work_kind_loop_other   ? 3
							       : -1;
	if (schedule >= 0 &&
	    archive_check(a, WRITE_EVENT(l, ParameterString, NULL, time, PARAMETER_SCHEDULE, a->string_schedules[schedule]),
			  "writing a parameter") != 0)
		return -1;
	return location_parameter(a, l, time, PARAMETER_ITERATIONS, scope->count);
}

/* A team's closing barrier belongs to the region: only its primary thread reports where that is (quirk Q9). */
static uint32_t scope_construct(const struct archive *a, const struct scope *scope)
{
	bool is_closing = scope->type == SCOPE_SYNC &&
			  (scope->kind == sync_kind_barrier_implicit_parallel || scope->kind == sync_kind_barrier_teams);
	return is_closing && scope->region != 0 ? a->now.model->regions[scope->region].construct : scope->construct;
}

static int scope_enter(void *self, const struct point *at, struct scope *scope)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[at->stream];
	if (scope->type == SCOPE_SYNC_WAIT || task_is_left_out(&a->now, at->task))
		return 0; /* a wait takes the same time as the region around it */
	if (scope->paradigm != NULL)
		return scope->paradigm->archive->scope_enter(a, at, scope);
	uint64_t time = location_stamp(a, l, at->ticks);
	enum region_kind kind = scope_region(scope);
	if (task_follow(a, l, at, &time) != 0)
		return -1;
	if (location_enter(a, l, time, scope_construct(a, scope), kind, at->task, OPEN_SCOPE) != 0)
		return -1;
	if (kind == REGION_SECTIONS)
		l->sections = scope->construct;
	if (kind == REGION_SINGLE && scope->kind == work_kind_single_executor)
		return location_enter(a, l, time, scope->construct, REGION_SINGLE_SBLOCK, at->task, OPEN_SCOPE);
	return kind == REGION_LOOP || kind == REGION_TASKLOOP || kind == REGION_DISTRIBUTE ? loop_parameters(a, l, time, scope) : 0;
}

static int scope_leave(void *self, const struct point *at, struct scope *scope)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[at->stream];
	if (scope->type == SCOPE_SYNC_WAIT || task_is_left_out(&a->now, at->task))
		return 0;
	if (scope->paradigm != NULL)
		return scope->paradigm->archive->scope_leave(a, at, scope);
	return location_leave_kind(a, l, location_stamp(a, l, at->ticks), scope_region(scope), at->task);
}

static int flush(void *self, const struct point *at, uint32_t construct)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[at->stream];
	if (task_is_left_out(&a->now, at->task))
		return 0;
	uint64_t time = location_stamp(a, l, at->ticks);
	return task_follow(a, l, at, &time) != 0 ? -1
						 : location_pass(a, l, time, region_of(a, l, construct, REGION_FLUSH), at->task);
}

static bool is_in(const struct location *l, enum region_kind kind)
{
	return l->n_open > 0 && l->open[l->n_open - 1].kind == kind;
}

/*
 * A chunk is a parameter within the region that it was handed out in. A section begins where it is handed out and ends
 * with the next one.
 */
static int dispatch(void *self, const struct point *at, unsigned kind, uint64_t start, uint64_t iterations)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[at->stream];
	if (l->n_open == 0 || task_is_left_out(&a->now, at->task))
		return 0;
	uint64_t time = location_stamp(a, l, at->ticks);
	if (kind != dispatch_kind_section) {
		if (location_parameter(a, l, time, PARAMETER_CHUNK_START, start) != 0)
			return -1;
		return kind != dispatch_kind_iteration ? location_parameter(a, l, time, PARAMETER_CHUNK_ITERATIONS, iterations) : 0;
	}
	if (is_in(l, REGION_SECTION) && location_leave(a, l, time) != 0)
		return -1;
	if (!is_in(l, REGION_SECTIONS))
		return 0;
	return location_enter(a, l, time, l->sections, REGION_SECTION, at->task, OPEN_SCOPE);
}

static int control_tool(void *self, const struct point *at, uint64_t command, uint64_t modifier)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[at->stream];
	if (task_is_left_out(&a->now, at->task))
		return 0;
	uint64_t time = location_stamp(a, l, at->ticks);
	if (task_follow(a, l, at, &time) != 0 || location_enter(a, l, time, 0, REGION_CONTROL_TOOL, at->task, OPEN_SCOPE) != 0 ||
	    location_parameter(a, l, time, PARAMETER_COMMAND, command) != 0 ||
	    location_parameter(a, l, time, PARAMETER_MODIFIER, modifier) != 0)
		return -1;
	return location_leave(a, l, time);
}

/* ---- Threads, their states, and the recorder itself ---- */

static int thread_attach(void *self, const struct point *at, uint64_t tid)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[at->stream];
	struct location_def *def = &a->locations[a->now.def->first_location + at->stream];
	if (def->n_threads++ == 0)
		def->tid = tid;
	/* Another OS thread takes the stream: the previous one is no longer in the units' team. */
	if (tid != l->tid && l->is_in_units && close_units(a, l, l->last_time) != 0)
		return -1;
	l->tid = tid;
	return 0;
}

int event_state(void *self, uint32_t stream, enum state from, uint64_t since_ticks, enum state to, uint64_t ticks)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[stream];
	(void)from;
	(void)since_ticks;
	if (l->is_finished || location_open(a, stream) != 0)
		return l->is_finished ? 0 : -1;
	l->state = state_number(to);
	/* While measurement is off nothing may be written: the state is written when it is switched on. */
	return l->is_on ? state_metric_write(a, l, location_stamp(a, l, ticks)) : 0;
}

static int buffer_flush(void *self, const struct point *at, uint64_t end_ticks)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[at->stream];
	uint64_t time = location_stamp(a, l, at->ticks), end = clock_stamp(&a->now, end_ticks);
	if (l->is_muted)
		return 0;
	if (!l->has_flush || l->flush_end < end)
		l->flush_end = end > time ? end : time;
	l->has_flush = true;
	l->flush_begin = time;
	return 0;
}

/* Which mutexes are held after missing records, or after a pause, is not known: none is held over such a gap. */
static int records_missing(void *self, const struct point *at, bool is_begin)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[at->stream];
	return is_begin && l->n_holds > 0 ? holds_release(a, l, location_stamp(a, l, at->ticks), UNSET) : 0;
}

static int measurement(void *self, const struct point *at, bool is_on)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[at->stream];
	if (!is_on && l->is_on && holds_release(a, l, location_stamp(a, l, at->ticks), UNSET) != 0)
		return -1;
	return location_measurement(a, l, at->ticks, is_on);
}

const struct replay_ops event_ops = {
	.stream_begin = stream_begin,
	.stream_end = stream_end,
	.region_begin = region_begin,
	.region_end = region_end,
	.implicit_begin = implicit_begin,
	.implicit_end = implicit_end,
	.task_create = event_task_create,
	.task_switch = event_task_schedule,
	.scope_enter = scope_enter,
	.scope_leave = scope_leave,
	.mutex = event_mutex,
	.flush = flush,
	.control_tool = control_tool,
	.dispatch = dispatch,
	.thread_attach = thread_attach,
	.buffer_flush = buffer_flush,
	.measurement = measurement,
	.records_missing = records_missing,
	.is_by_stream = true,
};
