/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The replay of what is open inside a task: synchronisations, worksharing, masked regions, mutual exclusion. An end
 * closes the innermost scope of its type and kind, and all that is open inside it. What a runtime leaves open is closed
 * when, by the rules of OpenMP, it must have ended. replay.c calls replay_scope_record() for each record; one thread.
 * Quirk numbers are those of docs/runtimes.md.
 */
#include "builder/model/construct.h"
#include "builder/replay/state.h"

#include <string.h>

/* A scope region does not count: barriers and worksharing regions may be nested inside it. */
static bool is_worksharing(const struct scope *scope)
{
	return scope->type == SCOPE_WORK && scope->kind != work_kind_taskloop && scope->kind != work_kind_distribute &&
	       scope->kind != work_kind_scope;
}

static int leave_innermost(struct replay *r, struct stream_state *s, struct frame *frame, uint64_t ticks)
{
	struct scope *scope = &frame->scopes[frame->n_scopes - 1];
	struct point at = replay_point(s, ticks);
	at.task = frame->task;
	int rc = VISIT(r, scope_leave, &at, scope);
	frame->n_scopes--;
	return rc;
}

int replay_leave_scopes(struct replay *r, struct stream_state *s, uint32_t task, uint32_t n_left, uint64_t ticks,
			const char *repair)
{
	struct frame *frame = frames_find(&r->frames, task, s->row);
	while (frame != NULL && frame->n_scopes > n_left) {
		const struct scope *scope = &frame->scopes[frame->n_scopes - 1];
		/*
		 * If the records end, the scope was open. If its task or a construct around it ends, the runtime left
		 * it open.
		 */
		bool is_left_open = r->model->is_libomp && (repair == NULL || strcmp(repair, "scope_without_end") == 0);
		if (is_left_open && scope->type == SCOPE_WORK)
			replay_quirk(s, "work_without_end"); /* Q21 */
		else if (is_left_open && scope->type == SCOPE_MASKED)
			replay_quirk(s, "masked_without_end"); /* Q43 */
		else
			replay_repair(s, repair != NULL ? repair : "scope_without_end");
		if (leave_innermost(r, s, frame, ticks) != 0)
			return -1;
	}
	return 0;
}

int replay_leave_rest(struct replay *r)
{
	for (uint32_t i = 1; i <= r->frames.n_all; i++) {
		const struct frame *frame = r->frames.all[i];
		struct stream_state *s = &r->streams[frame->stream];
		if (frame->n_scopes > 0 && replay_leave_scopes(r, s, frame->task, 0, s->last_ticks, "scope_open_at_end") != 0)
			return -1;
	}
	frames_free(&r->frames);
	return 0;
}

int replay_enter_scope(struct replay *r, struct stream_state *s, struct scope scope, uint64_t ticks)
{
	struct frame *frame = frames_get(&r->frames, s->thread.task, s->row);
	if (frame->n_scopes == NESTING_MAX) { /* no program nests so deep: this bounds the searches */
		replay_repair(s, "scope_too_deep");
		return 0;
	}
	frame->stream = s->row;
	struct point at = replay_point(s, ticks);
	scope.region = r->model->tasks[s->thread.task].region;
	scope.enter_ticks = at.ticks;
	if (scope.type == SCOPE_SYNC && sync_is_barrier(scope.kind) && !scope.is_reduction) {
		scope.ordinal = frame->n_barriers;
		if (!barrier_closes(scope.kind))
			frame->n_barriers++;
	}
	struct scope *pushed = frame_push(&r->frames, frame, &scope);
	return VISIT(r, scope_enter, &at, pushed);
}

int replay_leave_scope(struct replay *r, struct stream_state *s, enum scope_type type, unsigned kind, uint64_t ticks)
{
	struct frame *frame = frames_find(&r->frames, s->thread.task, s->row);
	uint32_t n = frame != NULL ? frame->n_scopes : 0;
	while (n > 0 && (frame->scopes[n - 1].type != type || frame->scopes[n - 1].kind != kind))
		n--;
	if (n == 0) {
		replay_repair(s, "scope_end_without_begin");
		replay_point(s, ticks);
		return 0;
	}
	if (replay_leave_scopes(r, s, s->thread.task, n, ticks, "scope_without_end") != 0)
		return -1;
	return leave_innermost(r, s, frame, ticks);
}

/* A worker reports the end of the closing barrier at its next use (Q3). */
static uint64_t sync_end_ticks(struct replay *r, struct stream_state *s, unsigned sync, uint64_t ticks)
{
	return barrier_closes(sync) ? thread_end_ticks(r->model, s->thread.task, ticks) : ticks;
}

/*
 * Code compiled by gcc reports no end of single, nor of sections after a cancellation (Q21). Neither a barrier nor a
 * worksharing region may be closely nested inside a worksharing region (OpenMP 5.1 section 2.22), so the open one must
 * have ended.
 */
static int close_worksharing(struct replay *r, struct stream_state *s, uint64_t ticks)
{
	struct frame *frame = frames_find(&r->frames, s->thread.task, s->row);
	uint32_t n = 0;
	while (frame != NULL && n < frame->n_scopes && !is_worksharing(&frame->scopes[n]))
		n++;
	return frame != NULL && n < frame->n_scopes ? replay_leave_scopes(r, s, s->thread.task, n, ticks, "scope_without_end") : 0;
}

static bool is_implicit_barrier(unsigned sync)
{
	return barrier_closes(sync) || sync == sync_kind_barrier_implicit_workshare;
}

/*
 * Older runtimes have one kind for all implicit barriers (Q32): the kind that it stands for here. At a begin this is
 * the closing barrier if gather found that it is that one. At an end, and for the waiting inside, it is the innermost
 * open implicit barrier's kind.
 */
static unsigned one_kind(struct replay *r, struct stream_state *s, bool is_begin)
{
	if (is_begin) {
		replay_quirk(s, "one_kind_of_implicit_barrier");
		if (!barrier_is_closing(&s->thread))
			return sync_kind_barrier_implicit_workshare;
		bool is_initial = r->model->tasks[s->thread.task].flags & task_flags_initial;
		return is_initial ? sync_kind_barrier_teams : sync_kind_barrier_implicit_parallel;
	}
	const struct frame *frame = frames_find(&r->frames, s->thread.task, s->row);
	for (uint32_t n = frame != NULL ? frame->n_scopes : 0; n > 0; n--)
		if (frame->scopes[n - 1].type == SCOPE_SYNC && is_implicit_barrier(frame->scopes[n - 1].kind))
			return frame->scopes[n - 1].kind;
	return sync_kind_barrier_implicit_workshare;
}

static int sync_begin(struct replay *r, struct stream_state *s, const struct record *record, enum scope_type type)
{
	unsigned sync = record_flags(record);
	if (sync == sync_kind_barrier_implicit)
		sync = one_kind(r, s, type == SCOPE_SYNC);
	if (type == SCOPE_SYNC && sync_is_barrier(sync) && close_worksharing(r, s, record->time) != 0)
		return -1;
	struct scope scope = {.type = type,
			      .kind = sync,
			      .construct =
				      model_find_construct(r->model, construct_of_sync(sync), thread_codeptr(&s->thread, record))};
	const struct thread_implicit *inner = thread_innermost(&s->thread);
	bool is_league = inner != NULL && r->model->tasks[inner->task].flags & task_flags_initial;
	scope.arrival = inner == NULL ? 0 : is_league ? ARRIVAL_OF_LEAGUE : inner->n_barriers;
	if (sync == sync_kind_barrier_implementation && type == SCOPE_SYNC && model_is_reduction_barrier(r->model, record->b)) {
		scope.is_reduction = true;
		replay_quirk(s, "reduction_barrier"); /* Q41 */
	}
	/*
	 * The barrier after a worksharing region is often reported from inside the runtime (Q9): it gets the region's
	 * address.
	 */
	const struct frame *frame = frames_find(&r->frames, s->thread.task, s->row);
	if (sync_is_barrier(sync) && record->b != 0 && frame != NULL && r->model->constructs[scope.construct].codeptr == 0)
		scope.construct = model_find_construct(r->model, construct_of_sync(sync), frame->last_work);
	return replay_enter_scope(r, s, scope, record->time);
}

static int sync_end(struct replay *r, struct stream_state *s, const struct record *record, enum scope_type type)
{
	unsigned sync = record_flags(record);
	if (sync == sync_kind_barrier_implicit)
		sync = one_kind(r, s, false);
	return replay_leave_scope(r, s, type, sync, sync_end_ticks(r, s, sync, record->time));
}

static int work_begin(struct replay *r, struct stream_state *s, const struct record *record)
{
	unsigned work = record_flags(record);
	struct scope scope = {.type = SCOPE_WORK,
			      .kind = work,
			      .construct =
				      model_find_construct(r->model, construct_of_work(work), thread_codeptr(&s->thread, record)),
			      .count = record->a};
	if (is_worksharing(&scope) && close_worksharing(r, s, record->time) != 0)
		return -1;
	/* A taskloop is reported from inside the runtime (Q9), but the taskgroup around it is not. */
	uint64_t codeptr = r->model->constructs[scope.construct].codeptr;
	const struct frame *frame = frames_find(&r->frames, s->thread.task, s->row);
	const struct scope *around = frame != NULL && frame->n_scopes > 0 ? &frame->scopes[frame->n_scopes - 1] : NULL;
	if (work == work_kind_taskloop && codeptr == 0 && around != NULL && around->kind == sync_kind_taskgroup) {
		codeptr = r->model->constructs[around->construct].codeptr;
		scope.construct = model_find_construct(r->model, CONSTRUCT_TASKLOOP, codeptr);
	}
	if (replay_enter_scope(r, s, scope, record->time) != 0)
		return -1;
	frames_find(&r->frames, s->thread.task, s->row)->last_work = codeptr;
	return 0;
}

static bool is_lock(unsigned mutex)
{
	return construct_of_mutex(mutex) == CONSTRUCT_LOCK;
}

static uint32_t held_order(struct stream_state *s, uint64_t wait_id, bool is_released)
{
	const uint32_t *held = map_get(&s->held, wait_id);
	uint32_t order = held != NULL ? *held : 0;
	if (is_released)
		map_remove(&s->held, wait_id);
	return order;
}

static int visit_mutex(struct replay *r, struct stream_state *s, const struct record *record, enum mutex_event event, unsigned kind,
		       uint32_t order)
{
	struct mutex mutex = {event, kind, record->a,
			      model_find_construct(r->model, construct_of_mutex(kind), thread_codeptr(&s->thread, record)), order};
	struct point at = replay_point(s, record->time);
	return VISIT(r, mutex, &at, &mutex);
}

static int mutex_acquire(struct replay *r, struct stream_state *s, const struct record *record)
{
	unsigned kind = record_flags(record);
	if (!is_lock(kind)) {
		struct scope scope = {
			.type = SCOPE_MUTEX,
			.kind = kind,
			.construct = model_find_construct(r->model, construct_of_mutex(kind), thread_codeptr(&s->thread, record)),
			.wait_id = record->a};
		if (replay_enter_scope(r, s, scope, record->time) != 0)
			return -1;
	}
	return visit_mutex(r, s, record, MUTEX_ACQUIRE, kind, 0);
}

static int mutex_acquired(struct replay *r, struct stream_state *s, const struct record *record)
{
	unsigned kind = record_flags(record);
	/* 1: orders were not gathered, but the mutex is known to be held. */
	uint32_t order = r->model->lock_orders != NULL ? r->model->lock_orders[s->row][s->n_acquired++] : 1;
	bool is_nest = kind == mutex_kind_nest_lock || kind == mutex_kind_test_nest_lock;
	if (!is_nest && held_order(s, record->a, false) != 0 && r->model->dump->is_complete)
		replay_repair(s, "lock_taken_twice");
	struct frame *frame = frames_find(&r->frames, s->thread.task, s->row);
	if (!is_lock(kind) && frame != NULL && frame->n_scopes > 0 && frame->scopes[frame->n_scopes - 1].type == SCOPE_MUTEX)
		frame->scopes[frame->n_scopes - 1].is_acquired = true;
	*map_put(&s->held, record->a) = order;
	return visit_mutex(r, s, record, MUTEX_ACQUIRED, kind, order);
}

/*
 * The number of the acquisition that a release ends. After a task has moved, another thread may release a lock than the
 * one that acquired it; but if no thread holds it, the release is counted as a repair.
 */
static uint32_t released_order(struct replay *r, struct stream_state *s, uint64_t wait_id)
{
	const struct model *m = r->model;
	uint32_t order = held_order(s, wait_id, true);
	bool is_whole = m->dump->is_complete && m->n_events[EVENT_recording_off] == 0;
	for (size_t i = 0; i < m->dump->n_streams && order == 0 && is_whole; i++)
		order = held_order(&r->streams[i], wait_id, true);
	if (order == 0 && is_whole)
		replay_repair(s, "lock_not_held");
	return order;
}

static int mutex_released(struct replay *r, struct stream_state *s, const struct record *record)
{
	unsigned kind = record_flags(record);
	if (visit_mutex(r, s, record, MUTEX_RELEASED, kind, released_order(r, s, record->a)) != 0)
		return -1;
	return is_lock(kind) ? 0 : replay_leave_scope(r, s, SCOPE_MUTEX, kind, record->time);
}

int replay_scope_record(struct replay *r, struct stream_state *s, const struct record *record)
{
	uint64_t ticks = record->time;
	unsigned flags = record_flags(record);
	struct scope masked = {.type = SCOPE_MASKED};

	switch (record_kind(record)) {
	case EVENT_sync_region_begin: return sync_begin(r, s, record, SCOPE_SYNC);
	case EVENT_sync_region_end: return sync_end(r, s, record, SCOPE_SYNC);
	case EVENT_sync_region_wait_begin: return sync_begin(r, s, record, SCOPE_SYNC_WAIT);
	case EVENT_sync_region_wait_end: return sync_end(r, s, record, SCOPE_SYNC_WAIT);
	case EVENT_reduction_begin: return sync_begin(r, s, record, SCOPE_REDUCTION);
	case EVENT_reduction_end: return replay_leave_scope(r, s, SCOPE_REDUCTION, flags, ticks);
	case EVENT_work_begin: return work_begin(r, s, record);
	case EVENT_work_end: return replay_leave_scope(r, s, SCOPE_WORK, flags, ticks);
	case EVENT_masked_begin:
		masked.construct = model_find_construct(r->model, CONSTRUCT_MASKED, thread_codeptr(&s->thread, record));
		return replay_enter_scope(r, s, masked, ticks);
	case EVENT_masked_end: return replay_leave_scope(r, s, SCOPE_MASKED, 0, ticks);
	case EVENT_mutex_acquire: return mutex_acquire(r, s, record);
	case EVENT_mutex_acquired: return mutex_acquired(r, s, record);
	case EVENT_mutex_released: return mutex_released(r, s, record);
	case EVENT_lock_init: return visit_mutex(r, s, record, MUTEX_INIT, flags, 0);
	case EVENT_lock_destroy: return visit_mutex(r, s, record, MUTEX_DESTROY, flags, 0);
	case EVENT_nest_lock_begin:
		return visit_mutex(r, s, record, MUTEX_NEST_BEGIN, mutex_kind_nest_lock, held_order(s, record->a, false));
	case EVENT_nest_lock_end:
		return visit_mutex(r, s, record, MUTEX_NEST_END, mutex_kind_nest_lock, held_order(s, record->a, false));
	default: return 1;
	}
}
