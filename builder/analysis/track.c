/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Keeps what the answer needs of a replay: see track.h. Runs on one thread at a time.
 */
#include "builder/analysis/net.h"
#include "builder/analysis/track.h"
#include "builder/callpaths/tree.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#include <stdlib.h>

#define WHAT "what limits the run"

static void add_wait(struct wait_places *places, uint32_t construct, enum state state, uint64_t ticks)
{
	places_add(places, construct, state, &(struct wait_place){.ticks = ticks, .count = 1, .longest_ticks = ticks});
}

/* Does a thread in this state wait at a construct? */
static bool has_place(enum state state)
{
	return track_has_run(state) || state == STATE_OVERHEAD;
}

static void add_run(struct track_stream *s, uint32_t construct)
{
	struct track_run *last = s->n_runs > 0 ? &s->runs[s->n_runs - 1] : NULL;
	if (last != NULL && last->construct == construct && last->n < UINT32_MAX) {
		last->n++;
		return;
	}
	array_push(s->runs, s->n_runs, s->runs_capacity, (struct track_run){construct, 1});
}

/* The thread has waited, or the runtime was at work, from since_ticks to `ticks`. */
static void end_wait(const struct track *track, struct track_stream *s, enum state from, uint64_t since_ticks, uint64_t ticks)
{
	const struct window *window = &track->model->window;
	uint32_t construct = state_is_mutex(from)    ? s->acquiring.construct
			     : state_is_target(from) ? s->target
						     : track->sync_of[s->task];
	if (track_has_run(from) && (!window->is_part || ticks > window->from))
		add_run(s, construct);
	bool is_known = from == STATE_OVERHEAD || track->sync_of[s->task] != 0 || state_is_mutex(from) || state_is_target(from);
	if (track->model->n_units == 0 || is_known) /* where units wait is in the graph (argobots/waits.c) */
		add_wait(&s->places, construct, from, window_ticks(window, since_ticks, ticks));
}

int track_pass_state(void *self, uint32_t stream, enum state from, uint64_t since_ticks, enum state to, uint64_t ticks)
{
	struct track *track = self;
	struct track_stream *s = &track->streams[stream];
	if (has_place(from))
		end_wait(track, s, from, since_ticks, ticks);
	if (has_place(to))
		s->task = states_current(track->states, stream);
	return series_step(&s->states, &track->spill, ticks, (int64_t)to - STATE_NONE);
}

static void add_started(struct track_stream *s, uint32_t task)
{
	if (s->n_started > 0 && s->started[s->n_started - 1] == task) /* it continued at the same time */
		return;
	array_push(s->started, s->n_started, s->started_capacity, task);
}

/* The task runs from now on: notes it if it begins now. */
static inline void pass_task(struct track *track, const struct point *at, uint32_t task)
{
	const struct task *row = &track->model->tasks[task];
	if (row->start_ticks == at->ticks && task != 0 && row->state & TASK_STARTED && row->run_stream == at->stream)
		add_started(&track->streams[at->stream], task);
}

static int implicit_begin(void *self, const struct point *at, uint32_t task)
{
	struct track *track = self;
	track->streams[at->stream].loop = 0;
	pass_task(track, at, task);
	return 0;
}

static int task_switch(void *self, const struct point *at, uint32_t prior, uint32_t next, unsigned status)
{
	(void)prior;
	(void)status;
	pass_task(self, at, next);
	return 0;
}

/* Does a thread wait in the scope? In a taskgroup it waits only at the end, which has a scope of its own. */
static bool waits(const struct scope *scope)
{
	return scope->type == (scope->kind == sync_kind_taskgroup ? SCOPE_SYNC_WAIT : SCOPE_SYNC);
}

static struct track_sync *sync_row(struct track_syncs *syncs, uint32_t construct)
{
	if (syncs->n > 0 && syncs->rows[syncs->latest].construct == construct)
		return &syncs->rows[syncs->latest];
	uint32_t *row = map_put(&syncs->row_of, construct);
	array_push_new(syncs->rows, syncs->n, syncs->capacity, row, (struct track_sync){.construct = construct});
	syncs->latest = *row - 1;
	return &syncs->rows[syncs->latest];
}

bool track_executes(const struct track *track, const struct net *net, size_t stream)
{
	bool is_seeking = net->units_on != NULL && net->units_on[stream];
	return is_seeking || track->streams[stream].n_started != 0;
}

uint64_t track_iterations(const struct track *track, uint32_t construct)
{
	const uint32_t *row = map_get(&track->syncs.row_of, construct);
	return row != NULL ? track->syncs.rows[*row - 1].most_iterations : 0;
}

/* Notes that this barrier, or the end of the region, ends the worksharing that the thread took part in last. */
static void end_loop(struct track *track, const struct point *at, const struct scope *scope)
{
	struct track_stream *s = &track->streams[at->stream];
	bool is_end = scope->kind == sync_kind_barrier_implicit_parallel;
	uint32_t region = track->model->regions[scope->region].construct;
	if (is_end)
		*map_put(&s->ends, region) = scope->construct;
	if (s->loop == 0 || !sync_is_barrier(scope->kind))
		return;
	*map_put(&s->loops, scope->construct) = s->loop;
	if (is_end)
		*map_put(&s->loops, region) = s->loop;
	s->loop = 0;
}

static int scope_enter(void *self, const struct point *at, struct scope *scope)
{
	struct track *track = self;
	if (scope->type == SCOPE_TARGET || (scope->type == SCOPE_DATA_OP && track->streams[at->stream].n_targets == 0))
		track->streams[at->stream].target = scope->construct;
	track->streams[at->stream].n_targets += scope->type == SCOPE_TARGET;
	if (callpath_is_shared(track->model, at, scope))
		track->streams[at->stream].within = scope->construct;
	if (!waits(scope) || at->task == 0)
		return 0;
	track->sync_of[at->task] = scope->construct;
	sync_row(&track->streams[at->stream].syncs, scope->construct)->count++;
	if (!task_is_explicit(&track->model->tasks[at->task]))
		end_loop(track, at, scope);
	return 0;
}

static int scope_leave(void *self, const struct point *at, struct scope *scope)
{
	struct track *track = self;
	track->streams[at->stream].n_targets -= scope->type == SCOPE_TARGET;
	if (waits(scope) && at->task != 0)
		track->sync_of[at->task] = 0;
	if (callpath_is_shared(track->model, at, scope)) {
		struct track_sync *row = sync_row(&track->streams[at->stream].syncs, scope->construct);
		row->most_iterations = scope->count > row->most_iterations ? scope->count : row->most_iterations;
		track->streams[at->stream].loop = scope->construct;
		if (at->ticks < track->model->last_ticks) /* else the replay closes what was open at the end */
			track->streams[at->stream].within = 0;
	}
	return 0;
}

static void release(struct track_stream *s, uint64_t wait_id, uint64_t ticks)
{
	uint32_t place = lockset_take(&s->held, wait_id);
	if (place != 0)
		s->holds[place - 1].released_ticks = ticks;
}

static int put_turn(struct track *track, const struct point *at, enum turn_event event, uint64_t wait_id, uint32_t construct)
{
	return mutex_log_put(&track->streams[at->stream].mutexes, &track->spill, event, wait_id, construct, at->ticks);
}

static void add_hold(struct track_stream *s, const struct point *at, const struct mutex *mutex)
{
	bool is_known = s->acquiring.wait_id == mutex->wait_id && s->acquiring.acquire_ticks != 0;
	struct track_hold *hold = array_add(s->holds, s->n_holds, s->holds_capacity);
	*hold = is_known ? s->acquiring : (struct track_hold){at->ticks, 0, 0, mutex->wait_id, mutex->construct, at->task};
	hold->acquired_ticks = at->ticks;
	lockset_put(&s->held, mutex->wait_id, (uint32_t)s->n_holds);
}

static int mutex(void *self, const struct point *at, const struct mutex *mutex)
{
	struct track *track = self;
	struct track_stream *s = &track->streams[at->stream];
	bool is_test = mutex->kind == mutex_kind_test_lock || mutex->kind == mutex_kind_test_nest_lock; /* it does not wait */
	switch (mutex->event) {
	case MUTEX_ACQUIRE:
		s->acquiring = (struct track_hold){at->ticks, 0, 0, mutex->wait_id, mutex->construct, at->task};
		s->is_asking = !is_test;
		return is_test ? 0 : put_turn(track, at, TURN_REQUESTS, mutex->wait_id, mutex->construct);
	case MUTEX_ACQUIRED:
		s->is_asking = false;
		if (s->n_holds <= TRACK_HOLDS)
			add_hold(s, at, mutex);
		return put_turn(track, at, TURN_TAKES, mutex->wait_id, mutex->construct);
	case MUTEX_NEST_BEGIN: s->is_asking = false; return put_turn(track, at, TURN_KEEPS, mutex->wait_id, mutex->construct);
	case MUTEX_RELEASED:
		release(s, mutex->wait_id, at->ticks);
		return put_turn(track, at, TURN_RELEASES, mutex->wait_id, mutex->construct);
	default: return 0;
	}
}

static int processor(void *self, const struct point *at, unsigned why, bool is_off)
{
	struct track *track = self;
	const struct track_stream *s = &track->streams[at->stream];
	if (!s->is_asking || why != off_why_preempted)
		return 0;
	return put_turn(track, at, is_off ? TURN_IS_OFF : TURN_IS_ON, s->acquiring.wait_id, s->acquiring.construct);
}

const struct replay_ops track_ops = {.implicit_begin = implicit_begin,
				     .task_switch = task_switch,
				     .scope_enter = scope_enter,
				     .scope_leave = scope_leave,
				     .mutex = mutex,
				     .processor = processor,
				     .is_by_stream = true};

int track_begin(struct track *track, const struct model *model, const struct states *states, const char *dir)
{
	*track = (struct track){.model = model, .states = states, .n_streams = model->dump->n_streams};
	track->streams = memory_zeroed(track->n_streams + 1, sizeof *track->streams, WHAT);
	track->sync_of = memory_zeroed(model->n_tasks, sizeof *track->sync_of, WHAT);
	return spill_open(&track->spill, dir, "the answer");
}

static void add_places(struct wait_places *all, const struct wait_places *places, const uint32_t *same)
{
	for (size_t i = 0; i < places->n; i++)
		places_add(all, same[places->rows[i].construct], places->rows[i].state, &places->rows[i]);
}

static void add_syncs(struct track_syncs *all, const struct track_syncs *syncs, const uint32_t *same)
{
	for (size_t i = 0; i < syncs->n; i++) {
		const struct track_sync *from = &syncs->rows[i];
		struct track_sync *to = sync_row(all, same[from->construct]);
		to->count += from->count;
		to->most_iterations = from->most_iterations > to->most_iterations ? from->most_iterations : to->most_iterations;
	}
}

void track_add_wait(struct track *track, uint32_t construct, enum state state, uint64_t ticks)
{
	add_wait(&track->places, construct, state, ticks);
}

void track_part_free(struct track *track, const struct wait_places *no_waits, const struct wait_places *parts)
{
	for (size_t i = 0; i < no_waits->n; i++) {
		const struct wait_place *no_wait = &no_waits->rows[i];
		const struct wait_place *left = places_find(parts, no_wait->construct, no_wait->state);
		struct wait_place *all = places_row(&track->places, no_wait->construct, no_wait->state);
		all->ticks -= no_wait->ticks < all->ticks ? no_wait->ticks : all->ticks;
		all->count -= no_wait->count < all->count ? no_wait->count : all->count;
		all->longest_ticks = left != NULL ? left->longest_ticks : 0;
	}
	for (size_t i = 0; i < parts->n; i++)
		if (!state_is_mutex(parts->rows[i].state))
			places_add(&track->places, parts->rows[i].construct, parts->rows[i].state, &parts->rows[i]);
}

/* ---- The end ---- */

/* Adds a stream's map to `named`, by the first of equal constructs. Values of earlier streams stay. */
static void name_first(const struct track *track, const struct map *map, uint32_t *named)
{
	uint32_t *constructs = memory_get(map->n_used + 1, sizeof *constructs, WHAT), n = 0;
	for (size_t i = 0; i < map->n_slots; i++)
		if (map->slots[i].is_used)
			constructs[n++] = (uint32_t)map->slots[i].key;
	sort_array(constructs, n, by_u32);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *name = &named[track->same[constructs[i]]];
		*name = *name != 0 ? *name : track->same[*map_get(map, constructs[i])];
	}
	free(constructs);
}

void track_finish(struct track *track)
{
	const struct model *m = track->model;
	size_t n_holds = 0;
	track->same = model_same_constructs(m);
	track->loop_of = memory_zeroed(m->n_constructs, sizeof *track->loop_of, WHAT);
	track->end_of = memory_zeroed(m->n_constructs, sizeof *track->end_of, WHAT);
	for (size_t i = 0; i < track->n_streams; i++) {
		struct track_stream *s = &track->streams[i];
		n_holds += s->n_holds;
		add_places(&track->places, &s->places, track->same);
		add_syncs(&track->syncs, &s->syncs, track->same);
		for (size_t j = 0; j < s->n_holds; j++)
			s->holds[j].construct = track->same[s->holds[j].construct];
		for (size_t j = 0; j < s->n_runs; j++)
			s->runs[j].construct = track->same[s->runs[j].construct];
		s->within = track->same[s->within];
		name_first(track, &s->loops, track->loop_of);
		name_first(track, &s->ends, track->end_of);
	}
	track->has_holds = n_holds <= TRACK_HOLDS;
	free(track->sync_of);
	track->sync_of = NULL;
}

static void free_syncs(struct track_syncs *syncs)
{
	free(syncs->rows);
	map_free(&syncs->row_of);
}

void track_free(struct track *track)
{
	for (size_t i = 0; track->streams != NULL && i < track->n_streams; i++) {
		struct track_stream *s = &track->streams[i];
		series_free(&s->states);
		free(s->started);
		free(s->holds);
		mutex_log_free(&s->mutexes);
		lockset_clear(&s->held);
		free(s->runs);
		places_free(&s->places);
		map_free(&s->loops);
		map_free(&s->ends);
		free_syncs(&s->syncs);
	}
	free(track->streams);
	free(track->sync_of);
	free(track->loop_of);
	free(track->end_of);
	free(track->same);
	places_free(&track->places);
	free_syncs(&track->syncs);
	spill_close(&track->spill);
	*track = (struct track){0};
}
