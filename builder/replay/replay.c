/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The replay of one stream: takes the next record and passes it to the file that knows its kind. Called by schedule.c and
 * run.c, which decide which stream goes on; on the thread that has the stream.
 */
#include "builder/replay/state.h"
#include "builder/support/array.h"

#include <stdlib.h>
#include <string.h>

static void add_dependence(struct stream_state *s, size_t n, struct dependence dependence)
{
	array_reserve((void **)&s->dependences, n + 1, &s->dependences_capacity, sizeof *s->dependences);
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

static int begin_stream(struct replay *r, struct stream_state *s, const struct record *record)
{
	s->has_begun = true;
	const struct segment_header *header = cursor_header(&s->timeline.cursor);
	s->at.ticks = record->time;
	thread_start(&s->thread, r->model, s->row, header->task, &replay_story_ops, s);
	const struct point *at = replay_point(s, record->time);
	return VISIT(r, stream_begin, at);
}

/*
 * After missing records nothing that was open is known to be open. The segment's header tells which task was current.
 */
static int cross_gap(struct replay *r, struct stream_state *s, const struct record *next, const char *repair)
{
	const struct segment_header *header = cursor_header(&s->timeline.cursor);
	const struct point *at = replay_point(s, s->at.ticks);
	if (VISIT(r, records_missing, at, true) != 0)
		return -1;
	if (replay_unit_gap(r, s) != 0)
		return -1;
	if (thread_gap(&s->thread, header->task) != 0 || replay_late_flushes(r, s) != 0)
		return -1;
	replay_repair(s, repair);
	at = replay_point(s, record_is_continuation(next) ? s->at.ticks : next->time);
	return VISIT(r, records_missing, at, false);
}

/* The stream's first record, or one before which others are missing. */
__attribute__((noinline)) static int begin_or_cross(struct replay *r, struct stream_state *s, const struct record *record)
{
	if (!s->has_begun)
		return begin_stream(r, s, record);
	bool is_gap = cursor_at_gap(&s->timeline.cursor), is_lost = record_kind(record) == EVENT_records_lost;
	return is_gap || is_lost ? cross_gap(r, s, record, is_gap ? "missing_segments" : "lost_records") : 0;
}

int replay_other(struct replay *r, struct stream_state *s, const struct record *record)
{
	const struct point *at;
	int rc = replay_target_record(r, s, record);
	if (rc != 1)
		return rc;
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
	default: return 0; /* continuation records of other kinds, and error: only a listing shows them */
	}
}

int replay_record(struct replay *r, struct stream_state *s, const struct record *record)
{
	unsigned kind = record_kind(record);
	bool is_more = record_is_continuation(record);
	/* The stream's first record and those after a gap are the first ones of their segments. */
	if ((s->timeline.cursor.index == 0 || kind == EVENT_records_lost) && begin_or_cross(r, s, record) != 0)
		return -1;
	if (!is_more && replay_processor(r, s, record->time) != 0)
		return -1;
	timeline_take(&s->timeline);
	if (r->model->n_units > 0) {
		int rc = replay_unit_record(r, s, record);
		if (rc != 1)
			return rc;
	}
	if (!is_more && replay_step(r, s, record) != 0)
		return -1;
	return kind >= EVENT_parallel_begin && kind <= EVENT_task_schedule ? 0 : replay_rest(r, s, record);
}

int replay_close(struct replay *r, struct stream_state *s)
{
	if (!s->has_begun)
		return 0;
	/* A thread that still had its stream at the end lived until the process ended. */
	uint64_t ticks = s->is_attached && r->model->last_ticks > s->at.ticks ? r->model->last_ticks : s->at.ticks;
	if (replay_processor(r, s, ticks) != 0)
		return -1;
	return thread_close(&s->thread, ticks, "scope_open_at_end") == 0 ? replay_late_flushes(r, s) : -1;
}

int replay_end(struct replay *r, struct stream_state *s)
{
	const struct point *at = replay_point(s, s->at.ticks);
	return s->has_begun ? VISIT(r, stream_end, at) : 0;
}

int replay_end_all(struct replay *r)
{
	size_t n_streams = r->model->dump->n_streams;
	int rc = 0;
	for (size_t i = 0; i < n_streams && rc == 0; i++)
		rc = replay_close(r, &r->streams[i]);
	for (size_t i = 0; i < n_streams && rc == 0; i++)
		rc = replay_leave_rest(r, &r->streams[i]);
	if (rc == 0)
		rc = replay_leave_handed(r);
	for (size_t i = 0; i < n_streams && rc == 0; i++)
		rc = replay_end(r, &r->streams[i]);
	return rc;
}
