/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events of records that neither change which task is current nor begin or end a scope: dependences, dispatches, the
 * recording switched off and on, ends of threads, flushes, threads that lose their processor, and others. On the thread that
 * replays the stream. Quirk numbers are those of docs/runtimes.md.
 */
#include "builder/replay/state.h"
#include "builder/support/array.h"

static void add_dependence(struct stream_state *s, size_t n, struct dependence dependence)
{
	array_reserve(s->dependences, n + 1, s->dependences_capacity);
	s->dependences[n] = dependence;
}

/*
 * libomp gives no type for omp_all_memory if its version does not know the name yet; in the list of a wait the type is
 * then what was in memory before (Q39). No variable is at address 0.
 */
static unsigned dependence_type(struct stream_state *s, uint32_t task, uint64_t variable, unsigned type)
{
	const struct model *m = s->replay->model;
	if (variable != 0 || !m->is_libomp || type == dependence_type_out_all_memory || type == dependence_type_inout_all_memory)
		return type;
	if (type != 0 && !(m->tasks[task].flags & task_flags_taskwait))
		return type;
	replay_quirk(s, "all_memory_without_type");
	return dependence_type_out_all_memory;
}

/*
 * Reads the list of a dependences record from its continuation records. A list whose end is missing is skipped, and
 * counted as a repair.
 */
static int read_dependences(struct replay *r, struct stream_state *s, const struct record *head)
{
	uint64_t n = record_value(head);
	const struct point *at = replay_point(s, head->time);
	uint32_t task = thread_dependent(&s->thread, head->a);
	size_t have = 0;
	if (n > 0)
		add_dependence(s, have++, (struct dependence){head->b, dependence_type(s, task, head->b, record_flags(head))});
	while (have < n) {
		const struct record *more = timeline_peek(&s->timeline);
		if (more == NULL || cursor_at_gap(&s->timeline.cursor) || record_kind(more) != EVENT_dependences_more) {
			replay_repair(s, "cut_dependence_list");
			return 0;
		}
		timeline_take(&s->timeline);
		const uint64_t variables[3] = {more->time, more->a, more->b};
		for (unsigned i = 0; i < record_flags(more) && i < 3 && have < n; i++) {
			unsigned type = (unsigned)(record_value(more) >> (8 * i) & 0xff);
			add_dependence(s, have++, (struct dependence){variables[i], dependence_type(s, task, variables[i], type)});
		}
	}
	return VISIT(r, dependences, at, task, s->dependences, have);
}

/* Records that OpenMP's replay has no use for: a paradigm may. */
static int others(const struct replay *r, struct stream_state *s, const struct record *record)
{
	int rc = 1;
	for (size_t i = 0; i < r->n_paradigms && rc == 1; i++)
		if (r->paradigms[i].paradigm->replay_other != NULL)
			rc = r->paradigms[i].paradigm->replay_other(r->paradigms[i].self, s, record);
	return rc == 1 ? 0 : rc;
}

int replay_other(struct replay *r, struct stream_state *s, const struct record *record)
{
	const struct point *at;
	switch (record_kind(record)) {
	case EVENT_dependences: return read_dependences(r, s, record);
	case EVENT_task_dependence:
		at = replay_point(s, record->time);
		return VISIT(r, task_dependence, at, model_task(r->model, record->a), thread_dependent(&s->thread, record->b));
	case EVENT_cancel:
		at = replay_point(s, record->time);
		return VISIT(r, cancel, at, model_task(r->model, record->a), record_flags(record));
	case EVENT_flush:
		at = replay_point(s, record->time);
		return VISIT(r, flush, at, replay_construct(s, CONSTRUCT_FLUSH, thread_codeptr(&s->thread, record)));
	case EVENT_control_tool: at = replay_point(s, record->time); return VISIT(r, control_tool, at, record->a, record->b);
	case EVENT_dispatch:
		at = replay_point(s, record->time);
		return VISIT(r, dispatch, at, record_flags(record), record->a, record->b);
	case EVENT_buffer_flush: return replay_buffer_flush(r, s, record);
	case EVENT_recording_off:
		at = replay_point(s, record->time);
		s->is_off = true;
		return VISIT(r, measurement, at, false);
	case EVENT_recording_on:
		at = replay_point(s, record->time);
		s->is_off = false;
		return VISIT(r, measurement, at, true);
	case EVENT_thread_begin: at = replay_point(s, record->time); return VISIT(r, thread_begin, at, record_flags(record));
	case EVENT_thread_end: return replay_thread_end(r, s, record);
	case EVENT_thread_attach:
		at = replay_point(s, record->time);
		s->is_attached = true;
		return VISIT(r, thread_attach, at, record->a);
	case EVENT_thread_detach:
		at = replay_point(s, record->time);
		s->is_attached = false;
		return VISIT(r, thread_detach, at);
	default: return others(r, s, record); /* also continuation records, and error: only a listing shows them */
	}
}

/* ---- Ends of threads, and late flushes ---- */

/*
 * The replay of threads that end, and of the flushes that a worker reports late. replay.c calls these functions for
 * each record about them; one thread. Quirk numbers are those of docs/runtimes.md.
 */

static int visit_flush(struct replay *r, struct stream_state *s, struct late_flush flush)
{
	const struct point *at = replay_point(s, flush.begin_ticks);
	return VISIT(r, buffer_flush, at, flush.end_ticks > at->ticks ? flush.end_ticks : at->ticks);
}

int replay_buffer_flush(struct replay *r, struct stream_state *s, const struct record *record)
{
	struct late_flush flush = {record->time, record->a};
	const struct thread_implicit *inner = thread_innermost(&s->thread);
	/*
	 * A worker reports the end of its implicit task long after its team's join (Q3), and may write out a segment in
	 * between. The end is replayed at the join, and times must not go back: the flush has to wait for it.
	 */
	if (inner == NULL || thread_end_ticks(r->model, inner->task, record->time) == record->time)
		return visit_flush(r, s, flush);
	array_push(s->late_flushes, s->n_late_flushes, s->late_flushes_capacity, flush);
	return 0;
}

int replay_late_flushes(struct replay *r, struct stream_state *s)
{
	int rc = 0;
	for (size_t i = 0; i < s->n_late_flushes && rc == 0; i++)
		rc = visit_flush(r, s, s->late_flushes[i]);
	s->n_late_flushes = 0;
	s->are_flushes_due = false;
	return rc;
}

/*
 * Is this a worker in its team's closing barrier, whose join is known? Then its implicit task ended at the join (Q3).
 */
static bool is_past_join(const struct replay *r, struct stream_state *s)
{
	const struct model *m = r->model;
	struct thread *t = &s->thread;
	uint32_t row = t->n_implicits == 1 ? t->implicits[0].task : 0;
	if (row == 0 || t->task != row || suspended_above(&t->suspended, 0) || m->tasks[row].thread == 0 ||
	    m->regions[m->tasks[row].region].join_ticks == UINT64_MAX)
		return false;
	const struct frame *frame = replay_frame(s, false);
	const struct scope *scopes = frame != NULL ? frame_scopes(&s->frames, frame) : NULL;
	for (uint32_t i = 0; frame != NULL && i < frame->n_scopes; i++)
		if (scopes[i].type > SCOPE_SYNC_WAIT || !barrier_closes(scopes[i].kind))
			return false;
	return frame != NULL && frame->n_scopes > 0;
}

bool replay_is_finalized(const struct replay *r)
{
	const struct dump *dump = r->model->dump;
	return strcmp(dump->meta.ended, "finalize") == 0 && !dump->is_snapshot;
}

int replay_end_past_join(struct replay *r, struct stream_state *s, uint64_t ticks)
{
	if (!r->model->is_libomp || !is_past_join(r, s))
		return 0;
	replay_quirk(s, "worker_without_end"); /* Q36 */
	return thread_close_implicit(&s->thread, ticks, REPAIR_NONE) != 0 ? -1 : replay_late_flushes(r, s);
}

int replay_thread_end(struct replay *r, struct stream_state *s, const struct record *record)
{
	/* At shutdown a worker may leave the barrier without a record of the barrier's end. */
	if (replay_end_past_join(r, s, record->time) != 0)
		return -1;
	const struct point *at = replay_point(s, record->time);
	return VISIT(r, thread_end, at);
}

/* ---- Threads without a processor ---- */

/*
 * Threads that lose their processor and get one again, as the kernel recorded it (dump/switches.h): between a thread's
 * records, in the order of time. Runs on the thread that replays the stream.
 */

static int visit(struct replay *r, struct stream_state *s, const struct off_processor *off, bool is_off, uint64_t ticks)
{
	/* The stream's own point stays: the late end of a worker (Q3) has the time of its team's join, which may be earlier. */
	struct point at = {s->row, s->thread.task, ticks > s->at.ticks ? ticks : s->at.ticks, s->at.unit};
	return VISIT(r, processor, &at, off->why, is_off);
}

static int emit_until(struct replay *r, struct stream_state *s, uint64_t ticks)
{
	const struct switches_of *of = &r->model->switches.streams[s->row];
	for (; s->next_off < of->n_offs; s->next_off++) {
		const struct off_processor *off = &of->offs[s->next_off];
		if (!s->is_off_processor && off->end_ticks <= s->at.ticks)
			continue;
		if (!s->is_off_processor && (off->begin_ticks >= ticks || visit(r, s, off, true, off->begin_ticks) != 0))
			return off->begin_ticks >= ticks ? 0 : -1;
		s->is_off_processor = true;
		bool is_unknown = off->why == off_why_unknown;
		if (off->end_ticks > ticks && is_unknown)
			return 0; /* it may run there */
		/*
		 * The thread has made a record: it has a processor again. The kernel's clock differs from the record's by some
		 * ns.
		 */
		if (visit(r, s, off, false, off->end_ticks < ticks ? off->end_ticks : ticks) != 0)
			return -1;
		s->is_off_processor = false;
	}
	return 0;
}

int replay_processor_until(struct replay *r, struct stream_state *s, uint64_t ticks)
{
	const struct switches_of *of = &r->model->switches.streams[s->row];
	int rc = emit_until(r, s, ticks);
	const struct off_processor *next = s->next_off < of->n_offs ? &of->offs[s->next_off] : NULL;
	/* The thread can still be in an interval only where it may run there: the next event is the interval's end. */
	s->off_ticks = next == NULL ? UINT64_MAX : s->is_off_processor ? next->end_ticks - 1 : next->begin_ticks;
	return rc;
}
