/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A part of the time. Before it, a location follows its events without writing them, to keep what is open on it. At the
 * part's begin all this is opened, in the order in which it was: forks, teams, tasks and regions, and mutexes that are
 * held. At the part's end what is open is closed, as at the end of the records, and nothing follows. Runs on one thread at a time
 * for each location.
 */
#include "builder/otf2/mapping.h"
#include "builder/otf2/archive.h"
#include "builder/otf2/current.h"
#include "builder/otf2/events.h"
#include "builder/otf2/intern.h"
#include "builder/otf2/location.h"

#include <string.h>

/* ---- The begin ---- */

/* Nothing has been written: regions that were met so far are not defined for that. */
static void forget_regions(struct location *l)
{
	intern_forget_regions(&l->interned);
	map_free(&l->region_slots);
	for (unsigned i = 0; i < RECENT_REGIONS; i++)
		l->recent_regions[i].region = UNSET;
}

/* Has the thread forked a team that it is not in? The team begins later, or is over. */
static bool has_fork_alone(const struct archive *a, const struct location *l)
{
	const struct task *tasks = a->now.model->tasks;
	uint32_t i = l->n_forks > 0 ? l->n_open : 0;
	while (i > 0 &&
	       !(l->open[i - 1].type == OPEN_IMPLICIT && tasks[l->open[i - 1].task].region == l->forks[l->n_forks - 1].region))
		i--;
	return l->n_forks > 0 && i == 0;
}

/* The teams that the thread has forked, up to that of this region. */
static int open_forks(struct archive *a, struct location *l, uint64_t time, uint32_t *n_written, uint32_t region)
{
	const struct model *m = a->now.model;
	uint32_t end = l->n_forks;
	while (end > *n_written && l->forks[end - 1].region != region)
		end--;
	int rc = 0;
	for (; *n_written < end && rc == 0; ++*n_written)
		rc = archive_check(a,
				   WRITE_EVENT(l, ThreadFork, NULL, time, OTF2_PARADIGM_OPENMP,
					       m->regions[l->forks[*n_written].region].requested),
				   "writing ThreadFork");
	return rc;
}

/* Makes the region's task current, or joins its team, and enters it again. */
static int open_region(struct archive *a, struct location *l, uint64_t time, const struct open_region *region, uint32_t *n_forks)
{
	const struct model *m = a->now.model;
	if (region->type == OPEN_IMPLICIT) {
		uint32_t comm = current_team_comm(a, l, region->task);
		if (open_forks(a, l, time, n_forks, m->tasks[region->task].region) != 0 ||
		    archive_check(a, WRITE_EVENT(l, ThreadTeamBegin, NULL, time, comm), "writing ThreadTeamBegin") != 0)
			return -1;
		l->running = region->owner;
	} else if (region->type == OPEN_INITIAL && l->running == 0)
		l->running = region->owner; /* the location begins in it */
	else if (region->owner != l->running && region->owner != 0 && current_switch(a, l, time, region->owner) != 0)
		return -1;
	return location_push(a, l, time, *region, NULL);
}

static int open_holds(struct archive *a, struct location *l, uint64_t time)
{
	int rc = 0;
	for (uint32_t i = 0; i < l->n_holds && rc == 0; i++) {
		const struct lock_hold *hold = &l->holds[i];
		if (hold->task != l->running && hold->task != 0 && hold->task != UNSET)
			rc = current_switch(a, l, time, hold->task);
		for (uint32_t k = 0; k < hold->depth && rc == 0; k++)
			rc = archive_check(
				a, WRITE_EVENT(l, ThreadAcquireLock, NULL, time, OTF2_PARADIGM_OPENMP, hold->lock, hold->order),
				"writing ThreadAcquireLock");
	}
	return rc;
}

static int open_part(struct archive *a, struct location *l)
{
	uint64_t time = a->now.first_time;
	uint32_t n = l->n_open, running = l->running, n_forks = 0;
	bool is_on = l->is_on;
	int rc = sample_metric_write(a, l, time); /* those before the part are not written */
	forget_regions(l);
	l->n_forks -= has_fork_alone(a, l);
	l->is_fork_alone = false;
	l->part = PART_IN;
	l->is_muted = false;
	l->last_time = time;
	struct open_region *open = memory_get(n + (size_t)1, sizeof *open, "the open regions");
	for (uint32_t i = 0; i < n; i++) {
		open[i] = l->open[i];
		if (open[i].owner != UNSET)
			task_bit_clear(&a->now, open[i].owner, TASK_BIT_OPEN);
	}
	l->n_open = 0;
	l->running = l->team_task = 0;
	l->key_task = l->state_written = UNSET;
	l->is_on = true;
	if (rc == 0 && l->state != UNSET)
		rc = state_metric_write(a, l, time);
	for (uint32_t i = 0; i < n && rc == 0; i++)
		rc = open_region(a, l, time, &open[i], &n_forks);
	free(open);
	if (rc == 0)
		rc = open_holds(a, l, time);
	if (rc == 0 && running != l->running && running != UNSET)
		rc = running != 0 ? current_switch(a, l, time, running) : current_any(a, l, time);
	if (running == UNSET)
		l->running = UNSET;
	return rc == 0 && !is_on ? location_measurement(a, l, 0, false) : rc;
}

/* ---- The end ---- */

/* The team that was forked last begins after the part: it is written with no duration, as each fork must have a team. */
static int pass_team(struct archive *a, struct location *l, uint64_t time)
{
	uint32_t comm = team_comm(&a->now, a->now.model->regions[l->forks[l->n_forks - 1].region].team);
	if (archive_check(a, WRITE_EVENT(l, ThreadTeamBegin, NULL, time, comm), "writing ThreadTeamBegin") != 0 ||
	    archive_check(a, WRITE_EVENT(l, ThreadTeamEnd, NULL, time, comm), "writing ThreadTeamEnd") != 0)
		return -1;
	return close_fork(a, l, time);
}

static int close_part(struct archive *a, struct location *l)
{
	const struct window *window = &a->now.model->window;
	l->part = PART_AFTER;
	int rc = location_flush(a, l, clock_stamp(&a->now, window->to));
	l->has_flush = false;
	if (rc == 0 && (l->n_open > 0 || l->n_holds > 0 || l->n_forks > 0)) {
		uint64_t time = location_stamp(a, l, window->to);
		rc = holds_release(a, l, time, UNSET);
		if (rc == 0 && l->is_fork_alone && l->n_forks > 0)
			rc = pass_team(a, l, time);
		if (rc == 0)
			rc = close_down_to(a, l, time, 0);
		while (rc == 0 && l->n_forks > 0)
			rc = close_fork(a, l, time);
	}
	if (rc == 0 && l->is_on_early)
		rc = location_measurement(a, l, window->to, true);
	l->is_muted = true;
	return rc;
}

/* The location reaches this time. Returns 0; 1 if what follows is after the part; or -1. */
static int reach(struct archive *a, uint32_t stream, uint64_t ticks)
{
	const struct window *window = &a->now.model->window;
	struct location *l = &a->now.locations[stream];
	if (l->part == PART_BEFORE && ticks >= window->from && open_part(a, l) != 0)
		return -1;
	if (l->part == PART_IN && ticks >= window->to && close_part(a, l) != 0)
		return -1;
	return l->part == PART_AFTER;
}

/* ---- The replay's events ---- */

static int stream_begin(void *self, const struct point *at)
{
	if (location_open(self, at->stream) != 0)
		return -1;
	return reach(self, at->stream, at->ticks) < 0 ? -1 : 0;
}

static int stream_end(void *self, const struct point *at)
{
	struct archive *a = self;
	if (reach(a, at->stream, at->ticks) < 0)
		return -1;
	if (a->now.locations[at->stream].part == PART_BEFORE)
		forget_regions(&a->now.locations[at->stream]);
	return event_ops.stream_end(self, at);
}

/* Always handled, as definitions of the location come from it. */
static int thread_attach(void *self, const struct point *at, uint64_t tid)
{
	return reach(self, at->stream, at->ticks) < 0 ? -1 : event_ops.thread_attach(self, at, tid);
}

int part_state(void *self, uint32_t stream, enum state from, uint64_t since_ticks, enum state to, uint64_t ticks)
{
	struct archive *a = self;
	if (a->now.locations[stream].is_finished)
		return 0;
	int rc = location_open(a, stream) != 0 ? -1 : reach(a, stream, ticks);
	return rc != 0 ? rc < 0 ? -1 : 0 : event_state(self, stream, from, since_ticks, to, ticks);
}

#define PART_EVENT(name, parameters, ...)                                                                                          \
	static int name parameters                                                                                                 \
	{                                                                                                                          \
		int rc = reach(self, at->stream, at->ticks);                                                                       \
		return rc != 0 ? rc < 0 ? -1 : 0 : event_ops.name(self, at, __VA_ARGS__);                                          \
	}

PART_EVENT(region_begin, (void *self, const struct point *at, uint32_t region), region)
PART_EVENT(region_end, (void *self, const struct point *at, uint32_t region), region)
PART_EVENT(implicit_begin, (void *self, const struct point *at, uint32_t task), task)
PART_EVENT(implicit_end, (void *self, const struct point *at, uint32_t task), task)
PART_EVENT(task_create, (void *self, const struct point *at, uint32_t task), task)
PART_EVENT(task_switch, (void *self, const struct point *at, uint32_t prior, uint32_t next, unsigned status), prior, next, status)
PART_EVENT(scope_enter, (void *self, const struct point *at, struct scope *scope), scope)
PART_EVENT(scope_leave, (void *self, const struct point *at, struct scope *scope), scope)
PART_EVENT(mutex, (void *self, const struct point *at, const struct mutex *mutex), mutex)
PART_EVENT(flush, (void *self, const struct point *at, uint32_t construct), construct)
PART_EVENT(control_tool, (void *self, const struct point *at, uint64_t command, uint64_t modifier), command, modifier)
PART_EVENT(dispatch, (void *self, const struct point *at, unsigned kind, uint64_t start, uint64_t iterations), kind, start,
	   iterations)
PART_EVENT(buffer_flush, (void *self, const struct point *at, uint64_t end_ticks), end_ticks)
PART_EVENT(measurement, (void *self, const struct point *at, bool is_on), is_on)
PART_EVENT(records_missing, (void *self, const struct point *at, bool is_begin), is_begin)

/* Processes with Argobots' units are not cut (run.c): their events are not here. */
const struct replay_ops part_ops = {
	.stream_begin = stream_begin,
	.stream_end = stream_end,
	.region_begin = region_begin,
	.region_end = region_end,
	.implicit_begin = implicit_begin,
	.implicit_end = implicit_end,
	.task_create = task_create,
	.task_switch = task_switch,
	.scope_enter = scope_enter,
	.scope_leave = scope_leave,
	.mutex = mutex,
	.flush = flush,
	.control_tool = control_tool,
	.dispatch = dispatch,
	.thread_attach = thread_attach,
	.buffer_flush = buffer_flush,
	.measurement = measurement,
	.records_missing = records_missing,
	.is_by_stream = true,
};
