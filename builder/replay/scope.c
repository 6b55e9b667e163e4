/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The replay of the scopes that are open inside a task: synchronisations, worksharing, masked regions. An end
 * closes the innermost scope of its type and kind, and all that is open inside it. What a runtime leaves open is closed
 * when, by the rules of OpenMP, it must have ended. replay.c calls replay_scope_record() for each record; one thread.
 * Quirk numbers are those of docs/runtimes.md.
 */
#include "builder/model/construct.h"
#include "builder/replay/state.h"

#include <string.h>

static bool is_worksharing(const struct scope *scope)
{
	return scope->type == SCOPE_WORK && work_is_sharing(scope->kind);
}

/* ---- Frames ---- */

struct frame *replay_frame_of(struct stream_state *s, uint32_t task, bool makes)
{
	struct frame *top = frames_top(&s->frames, task);
	if (top != NULL)
		return top;
	const struct task *row = &s->replay->model->tasks[task];
	struct task_handover *handover = task_moves(row) ? handovers_find(&s->replay->handovers, task) : NULL;
	if (handover == NULL)
		return frames_other(&s->frames, task, row->state & TASK_MARKED, makes);
	if (handover->frame == NULL && makes)
		handover->frame = frame_make(&s->frames, task);
	return handover->frame;
}

void replay_drop_other(struct stream_state *s, uint32_t task)
{
	const struct task *row = &s->replay->model->tasks[task];
	struct task_handover *handover = task_moves(row) ? handovers_find(&s->replay->handovers, task) : NULL;
	if (handover == NULL)
		frames_drop_other(&s->frames, task, row->state & TASK_MARKED);
	else if (handover->frame != NULL)
		frame_drop(&s->frames, handover->frame);
	if (handover != NULL)
		handover->frame = NULL;
}

/* ---- Entering and leaving ---- */

static int leave_innermost(struct replay *r, struct stream_state *s, struct frame *frame, uint64_t ticks)
{
	struct scope *scope = frame_innermost(&s->frames, frame);
	struct point at = *replay_point(s, ticks);
	at.task = frame->task;
	int rc = VISIT(r, scope_leave, &at, scope);
	frame->n_scopes--;
	return rc;
}

static int leave_open(struct replay *r, struct stream_state *s, struct frame *frame, uint32_t n_left, uint64_t ticks,
		      const char *repair)
{
	while (frame->n_scopes > n_left) {
		const struct scope *scope = frame_innermost(&s->frames, frame);
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

/* Leaves the scopes of a frame until n_left remain. */
static inline int leave_frame(struct replay *r, struct stream_state *s, struct frame *frame, uint32_t n_left, uint64_t ticks,
			      const char *repair)
{
	return frame == NULL || frame->n_scopes <= n_left ? 0 : leave_open(r, s, frame, n_left, ticks, repair);
}

int replay_leave_scopes(struct replay *r, struct stream_state *s, uint32_t task, uint32_t n_left, uint64_t ticks,
			const char *repair)
{
	return leave_frame(r, s, replay_frame_of(s, task, false), n_left, ticks, repair);
}

int replay_leave_rest(struct replay *r, struct stream_state *s)
{
	int rc = 0;
	for (size_t i = s->frames.n; i > 0 && rc == 0; i--)
		rc = leave_frame(r, s, &s->frames.stack[i - 1], 0, s->at.ticks, "scope_open_at_end");
	for (size_t i = 0; i < s->frames.n_own && rc == 0; i++)
		rc = leave_frame(r, s, s->frames.own[i], 0, s->at.ticks, "scope_open_at_end");
	return rc;
}

int replay_leave_handover(struct replay *r)
{
	int rc = 0;
	for (size_t i = 0; i < r->handovers.n && rc == 0; i++) {
		struct frame *frame = r->handovers.all[i].frame;
		struct stream_state *s = frame != NULL ? &r->streams[frame->stream] : NULL;
		if (frame == NULL)
			continue;
		rc = leave_frame(r, s, frame, 0, s->at.ticks, "scope_open_at_end");
		frame_drop(&s->frames, frame);
		r->handovers.all[i].frame = NULL;
	}
	return rc;
}

int replay_enter_scope(struct replay *r, struct stream_state *s, struct scope *scope, uint64_t ticks)
{
	struct frame *frame = replay_frame(s, true);
	if (frame->n_scopes == NESTING_MAX) { /* no program nests this deep: the limit bounds the searches */
		replay_repair(s, "scope_too_deep");
		return 0;
	}
	frame->stream = s->row;
	const struct point *at = replay_point(s, ticks);
	scope->region = r->model->tasks[s->thread.task].region;
	scope->enter_ticks = at->ticks;
	if (scope->type == SCOPE_SYNC && sync_is_barrier(scope->kind) && !scope->is_reduction) {
		scope->ordinal = frame->n_barriers;
		if (!barrier_closes(scope->kind))
			frame->n_barriers++;
	}
	struct scope *pushed = frame_push(&s->frames, frame, scope);
	return VISIT(r, scope_enter, at, pushed);
}

int replay_leave_scope(struct replay *r, struct stream_state *s, enum scope_type type, unsigned kind, uint64_t ticks)
{
	struct frame *frame = replay_frame(s, false);
	const struct scope *scopes = frame != NULL ? frame_scopes(&s->frames, frame) : NULL;
	uint32_t n = frame != NULL ? frame->n_scopes : 0;
	while (n > 0 && (scopes[n - 1].type != type || scopes[n - 1].kind != kind))
		n--;
	if (n == 0) {
		replay_repair(s, "scope_end_without_begin");
		replay_point(s, ticks);
		return 0;
	}
	if (leave_frame(r, s, frame, n, ticks, "scope_without_end") != 0)
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
	struct frame *frame = replay_frame(s, false);
	uint32_t n = 0;
	while (frame != NULL && n < frame->n_scopes && !is_worksharing(&frame_scopes(&s->frames, frame)[n]))
		n++;
	return leave_frame(r, s, frame, n, ticks, "scope_without_end");
}

/* A taskgroup or scope region begins: gather found out whether an open worksharing region without an end is over by then. */
static int close_early(struct replay *r, struct stream_state *s, uint64_t ticks)
{
	const struct model *m = r->model;
	size_t *next = &s->next_early_end;
	while (*next < m->n_early_ends && m->early_ends[*next].stream == s->row && m->early_ends[*next].ticks < ticks)
		(*next)++;
	bool is_over = *next < m->n_early_ends && m->early_ends[*next].stream == s->row && m->early_ends[*next].ticks == ticks;
	return is_over ? close_worksharing(r, s, ticks) : 0;
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
	const struct frame *frame = replay_frame(s, false);
	const struct scope *scopes = frame != NULL ? frame_scopes(&s->frames, frame) : NULL;
	for (uint32_t n = frame != NULL ? frame->n_scopes : 0; n > 0; n--)
		if (scopes[n - 1].type == SCOPE_SYNC && is_implicit_barrier(scopes[n - 1].kind))
			return scopes[n - 1].kind;
	return sync_kind_barrier_implicit_workshare;
}

/*
 * The return address for a barrier that has none, or one inside the runtime (Q9): after a worksharing region that region's,
 * at the end of a parallel region the parallel region's, as on thread 0.
 */
static uint64_t barrier_codeptr(struct replay *r, struct stream_state *s, unsigned sync, const struct record *record)
{
	const struct frame *frame = replay_frame(s, false);
	const struct thread_implicit *inner = thread_innermost(&s->thread);
	if (record->b != 0)
		return frame != NULL ? frame->last_work : 0;
	if (sync != sync_kind_barrier_implicit_parallel || inner == NULL)
		return 0;
	return r->model->constructs[r->model->regions[r->model->tasks[inner->task].region].construct].codeptr;
}

/*
 * The construct at which a thread waits: that of the open scope, which has the address of its begin record. The wait's own
 * address can differ: a taskgroup's wait has that of the last statement, which is no construct. 0: no such scope is open.
 */
static uint32_t waiting_construct(struct replay *r, struct stream_state *s, unsigned sync)
{
	const struct frame *frame = replay_frame(s, false);
	const struct scope *around = frame != NULL && frame->n_scopes > 0 ? frame_innermost(&s->frames, frame) : NULL;
	bool is_its = around != NULL && around->type == SCOPE_SYNC && around->kind == sync;
	return is_its && r->model->constructs[around->construct].codeptr != 0 ? around->construct : 0;
}

static int sync_begin(struct replay *r, struct stream_state *s, const struct record *record, enum scope_type type)
{
	unsigned sync = record_flags(record);
	if (sync == sync_kind_barrier_implicit)
		sync = one_kind(r, s, type == SCOPE_SYNC);
	if (type == SCOPE_SYNC && sync_is_barrier(sync) && close_worksharing(r, s, record->time) != 0)
		return -1;
	if (type == SCOPE_SYNC && sync == sync_kind_taskgroup && close_early(r, s, record->time) != 0)
		return -1;
	struct scope scope = {.type = type,
			      .kind = sync,
			      .construct = replay_construct(s, construct_of_sync(sync), thread_codeptr(&s->thread, record))};
	const struct thread_implicit *inner = thread_innermost(&s->thread);
	bool is_league = inner != NULL && r->model->tasks[inner->task].flags & task_flags_initial;
	scope.arrival = inner == NULL ? 0 : is_league ? ARRIVAL_OF_LEAGUE : inner->n_barriers;
	if (sync == sync_kind_barrier_implementation && type == SCOPE_SYNC && model_is_reduction_barrier(r->model, record->b)) {
		scope.is_reduction = true;
		replay_quirk(s, "reduction_barrier"); /* Q41 */
	}
	if (sync_is_barrier(sync) && r->model->constructs[scope.construct].codeptr == 0)
		scope.construct = replay_construct(s, CONSTRUCT_BARRIER, barrier_codeptr(r, s, sync, record));
	uint32_t waiting = type == SCOPE_SYNC_WAIT ? waiting_construct(r, s, sync) : 0;
	if (waiting != 0)
		scope.construct = waiting;
	return replay_enter_scope(r, s, &scope, record->time);
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
			      .construct = replay_construct(s, construct_of_work(work), thread_codeptr(&s->thread, record)),
			      .count = record->a,
			      .chunks_before = record_value(record) - s->n_chunks};
	if (is_worksharing(&scope) && close_worksharing(r, s, record->time) != 0)
		return -1;
	if (work == work_kind_scope && close_early(r, s, record->time) != 0)
		return -1;
	/* A taskloop is reported from inside the runtime (Q9), but the taskgroup around it is not. */
	uint64_t codeptr = r->model->constructs[scope.construct].codeptr;
	struct frame *frame = replay_frame(s, true);
	const struct scope *around = frame->n_scopes > 0 ? frame_innermost(&s->frames, frame) : NULL;
	if (work == work_kind_taskloop && codeptr == 0 && around != NULL && around->kind == sync_kind_taskgroup) {
		codeptr = r->model->constructs[around->construct].codeptr;
		scope.construct = replay_construct(s, CONSTRUCT_TASKLOOP, codeptr);
	}
	frame->last_work = codeptr;
	return replay_enter_scope(r, s, &scope, record->time);
}

/*
 * The chunks of a loop: those that the thread has counted since the loop began, without those of loops inside it (n_chunks). A
 * construct whose begin or end is missing has none.
 */
static int work_end(struct replay *r, struct stream_state *s, const struct record *record)
{
	struct frame *frame = replay_frame(s, false);
	struct scope *scope = frame != NULL && frame->n_scopes > 0 ? frame_innermost(&s->frames, frame) : NULL;
	if (scope != NULL && scope->type == SCOPE_WORK && scope->kind == record_flags(record)) {
		uint64_t chunks = record_value(record) - s->n_chunks - scope->chunks_before;
		scope->chunks = chunks <= RECORD_VALUE_MAX ? chunks : 0;
		s->n_chunks += scope->chunks;
	}
	return replay_leave_scope(r, s, SCOPE_WORK, record_flags(record), record->time);
}

static int masked_begin(struct replay *r, struct stream_state *s, const struct record *record)
{
	struct scope scope = {.type = SCOPE_MASKED,
			      .construct = replay_construct(s, CONSTRUCT_MASKED, thread_codeptr(&s->thread, record))};
	return replay_enter_scope(r, s, &scope, record->time);
}

int replay_scope_record(struct replay *r, struct stream_state *s, const struct record *record)
{
	uint64_t ticks = record->time;
	unsigned flags = record_flags(record);
	switch (record_kind(record)) {
	case EVENT_sync_region_begin: return sync_begin(r, s, record, SCOPE_SYNC);
	case EVENT_sync_region_end: return sync_end(r, s, record, SCOPE_SYNC);
	case EVENT_sync_region_wait_begin: return sync_begin(r, s, record, SCOPE_SYNC_WAIT);
	case EVENT_sync_region_wait_end: return sync_end(r, s, record, SCOPE_SYNC_WAIT);
	case EVENT_reduction_begin: return sync_begin(r, s, record, SCOPE_REDUCTION);
	case EVENT_reduction_end: return replay_leave_scope(r, s, SCOPE_REDUCTION, flags, ticks);
	case EVENT_work_begin: return work_begin(r, s, record);
	case EVENT_work_end: return work_end(r, s, record);
	case EVENT_masked_begin: return masked_begin(r, s, record);
	case EVENT_masked_end: return replay_leave_scope(r, s, SCOPE_MASKED, 0, ticks);
	default: return 0;
	}
}
