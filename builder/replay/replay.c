/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The replay's main loop: takes the next record and hands it to the file that knows its kind. Streams come one after
 * the other, or, if tasks moved between threads, merged by time. run.c calls replay_run() once for each dump, after
 * gather; one thread.
 */
#include "builder/replay/state.h"
#include "builder/support/array.h"
#include "builder/dump/merge.h"

#include <stdlib.h>

#define PROGRESS_EVERY 65536

static void add_dependence(struct replay *r, size_t n, struct dependence dependence)
{
	array_reserve((void **)&r->dependences, n + 1, &r->dependences_capacity, sizeof *r->dependences);
	r->dependences[n] = dependence;
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
	struct point at = replay_point(s, head->time);
	uint32_t task = thread_dependent(&s->thread, head->a);
	size_t have = 0;
	if (n > 0)
		add_dependence(r, have++, (struct dependence){head->b, dependence_type(s, task, head->b, record_flags(head))});
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
			add_dependence(r, have++, (struct dependence){variables[i], dependence_type(s, task, variables[i], type)});
		}
	}
	return VISIT(r, dependences, &at, task, r->dependences, have);
}

static int begin_stream(struct replay *r, struct stream_state *s, const struct record *record)
{
	s->has_begun = true;
	const struct segment_header *header = cursor_header(&s->timeline.cursor);
	s->last_ticks = record->time;
	thread_start(&s->thread, r->model, s->row, header->task, &replay_story_ops, s);
	struct point at = replay_point(s, record->time);
	return VISIT(r, stream_begin, &at);
}

/*
 * After missing records nothing that was open is known to be open. The segment's header tells which task was current.
 */
static int cross_gap(struct replay *r, struct stream_state *s, const struct record *next, const char *repair)
{
	const struct segment_header *header = cursor_header(&s->timeline.cursor);
	struct point at = replay_point(s, s->last_ticks);
	if (VISIT(r, records_missing, &at, true) != 0)
		return -1;
	if (replay_unit_gap(r, s) != 0)
		return -1;
	if (thread_gap(&s->thread, header->task) != 0 || replay_late_flushes(r, s) != 0)
		return -1;
	replay_repair(s, repair);
	at = replay_point(s, record_is_continuation(next) ? s->last_ticks : next->time);
	return VISIT(r, records_missing, &at, false);
}

/* Takes the thread's story one record further; then come the flushes that waited for the end of its implicit task. */
static int step_story(struct replay *r, struct stream_state *s, const struct record *record)
{
	if (thread_step(&s->thread, record) != 0)
		return -1;
	return s->are_flushes_due ? replay_late_flushes(r, s) : 0;
}

/* Does the story tell everything about records of this kind? */
static inline bool is_of_story(unsigned kind)
{
	return kind == EVENT_task_create || kind == EVENT_task_schedule || kind == EVENT_parallel_begin ||
	       kind == EVENT_parallel_end || kind == EVENT_implicit_task_begin || kind == EVENT_implicit_task_end;
}

static int replay_record(struct replay *r, struct stream_state *s)
{
	const struct record *record = timeline_peek(&s->timeline);
	bool is_gap = cursor_at_gap(&s->timeline.cursor), is_lost = record_kind(record) == EVENT_records_lost;
	if (s->has_begun && (is_gap || is_lost) && cross_gap(r, s, record, is_gap ? "missing_segments" : "lost_records") != 0)
		return -1;
	if (!s->has_begun && begin_stream(r, s, record) != 0)
		return -1;
	if (!record_is_continuation(record) && replay_processor(r, s, record->time) != 0)
		return -1;
	timeline_take(&s->timeline);
	if (++r->n_since_progress == PROGRESS_EVERY) {
		progress_add(r->progress, PROGRESS_EVERY);
		r->n_since_progress = 0;
	}

	int rc = r->model->n_units > 0 ? replay_unit_record(r, s, record) : 1;
	if (rc == 1 && !record_is_continuation(record) && step_story(r, s, record) != 0)
		return -1;
	if (rc == 1 && is_of_story(record_kind(record)))
		return 0;
	if (rc == 1)
		rc = replay_scope_record(r, s, record);
	if (rc == 1)
		rc = replay_target_record(r, s, record);
	if (rc != 1)
		return rc;

	struct point at;
	switch (record_kind(record)) {
	case EVENT_dependences: return read_dependences(r, s, record);
	case EVENT_task_dependence:
		at = replay_point(s, record->time);
		return VISIT(r, task_dependence, &at, model_task(r->model, record->a), thread_dependent(&s->thread, record->b));
	case EVENT_cancel:
		at = replay_point(s, record->time);
		return VISIT(r, cancel, &at, model_task(r->model, record->a), record_flags(record));
	case EVENT_flush:
		at = replay_point(s, record->time);
		return VISIT(r, flush, &at, model_find_construct(r->model, CONSTRUCT_FLUSH, thread_codeptr(&s->thread, record)));
	case EVENT_control_tool: at = replay_point(s, record->time); return VISIT(r, control_tool, &at, record->a, record->b);
	case EVENT_dispatch:
		at = replay_point(s, record->time);
		return VISIT(r, dispatch, &at, record_flags(record), record->a, record->b);
	case EVENT_buffer_flush: return replay_buffer_flush(r, s, record);
	case EVENT_recording_off:
		at = replay_point(s, record->time);
		s->is_off = true;
		return VISIT(r, measurement, &at, false);
	case EVENT_recording_on:
		at = replay_point(s, record->time);
		s->is_off = false;
		return VISIT(r, measurement, &at, true);
	case EVENT_thread_begin: at = replay_point(s, record->time); return VISIT(r, thread_begin, &at, record_flags(record));
	case EVENT_thread_end: return replay_thread_end(r, s, record);
	case EVENT_thread_attach:
		at = replay_point(s, record->time);
		s->is_attached = true;
		return VISIT(r, thread_attach, &at, record->a);
	case EVENT_thread_detach:
		at = replay_point(s, record->time);
		s->is_attached = false;
		return VISIT(r, thread_detach, &at);
	default: return 0; /* continuation records of other kinds, and error: only a listing shows them */
	}
}

/* Closes all that is open in a stream after its last record. */
static int close_at_end(struct replay *r, struct stream_state *s)
{
	if (!s->has_begun)
		return 0;
	/* A thread that still had its stream at the end lived until the process ended. */
	uint64_t ticks = s->is_attached && r->model->last_ticks > s->last_ticks ? r->model->last_ticks : s->last_ticks;
	if (replay_processor(r, s, ticks) != 0)
		return -1;
	return thread_close(&s->thread, ticks, "scope_open_at_end") == 0 ? replay_late_flushes(r, s) : -1;
}

static int end_stream(struct replay *r, struct stream_state *s)
{
	struct point at = replay_point(s, s->last_ticks);
	return s->has_begun ? VISIT(r, stream_end, &at) : 0;
}

static int run_one_by_one(struct replay *r)
{
	for (size_t i = 0; i < r->model->dump->n_streams; i++) {
		struct stream_state *s = &r->streams[i];
		while (timeline_peek(&s->timeline) != NULL)
			if (replay_record(r, s) != 0)
				return -1;
		if (close_at_end(r, s) != 0 || replay_leave_rest(r) != 0 || end_stream(r, s) != 0)
			return -1;
	}
	return 0;
}

static int run_merged(struct replay *r)
{
	size_t n_streams = r->model->dump->n_streams;
	struct merge merge;
	int rc = 0;
	merge_begin(&merge, n_streams);
	for (size_t i = 0; i < n_streams; i++)
		merge_add(&merge, &r->streams[i].timeline, (uint32_t)i);
	if (r->model->n_units > 0) {
		merge.is_early = units_is_early;
		merge.self = &r->units;
	}
	for (uint32_t row; rc == 0 && merge_next(&merge, &row);)
		rc = replay_record(r, &r->streams[row]);
	merge_end(&merge);
	if (rc == 0)
		rc = replay_unit_finish(r);
	for (size_t i = 0; i < n_streams && rc == 0; i++)
		rc = close_at_end(r, &r->streams[i]);
	if (rc == 0)
		rc = replay_leave_rest(r);
	for (size_t i = 0; i < n_streams && rc == 0; i++)
		rc = end_stream(r, &r->streams[i]);
	return rc;
}

int replay_run(const struct model *model, const struct visitor *visitors, size_t n_visitors, struct progress *progress)
{
	size_t n_streams = model->dump->n_streams;
	struct replay r = {.model = model, .visitors = visitors, .n_visitors = n_visitors, .progress = progress};
	r.streams = memory_zeroed(n_streams, sizeof *r.streams, "the replay of streams");
	for (size_t i = 0; i < n_streams; i++) {
		r.streams[i].row = (uint32_t)i;
		r.streams[i].replay = &r;
		timeline_init(&r.streams[i].timeline, model->dump, &model->dump->streams[i]);
	}
	replay_unit_begin(&r);
	int rc = model->n_migrated > 0 || model->n_units > 0 ? run_merged(&r) : run_one_by_one(&r);
	for (size_t i = 0; i < n_streams; i++) {
		thread_free(&r.streams[i].thread);
		map_free(&r.streams[i].held);
		free(r.streams[i].late_flushes);
	}
	model_sum_notes(model);
	free(r.streams);
	free(r.dependences);
	units_end(&r.units);
	frames_free(&r.frames);
	map_free(&r.ended_parts);
	return rc;
}
