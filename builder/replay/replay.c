/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The replay of one stream: takes the next record and passes it to the file that handles its kind. Runs on the thread that
 * replays the stream.
 */
#include "builder/replay/state.h"

static int begin_stream(struct replay *r, struct stream_state *s, const struct record *record)
{
	s->has_begun = true;
	const struct segment_header *header = cursor_header(&s->timeline.cursor);
	s->at.ticks = record->time;
	thread_start(&s->thread, r->model, s->row, header->task, &replay_thread_ops, s);
	const struct point *at = replay_point(s, record->time);
	return VISIT(r, stream_begin, at);
}

/*
 * After missing records it is not known which scopes are still open. The segment's header says which task was current.
 */
static int cross_gap(struct replay *r, struct stream_state *s, const struct record *next, const char *repair)
{
	const struct segment_header *header = cursor_header(&s->timeline.cursor);
	const struct point *at = replay_point(s, s->at.ticks);
	if (VISIT(r, records_missing, at, true) != 0)
		return -1;
	for (size_t i = 0; i < r->n_paradigms; i++)
		if (r->paradigms[i].paradigm->replay_gap != NULL &&
		    r->paradigms[i].paradigm->replay_gap(r->paradigms[i].self, s) != 0)
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
	for (size_t i = 0; i < r->n_eager; i++) {
		int rc = r->eager[i].paradigm->replay_record(r->eager[i].self, s, record);
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
	/* A worker that sleeps in the barrier while its primary thread lives on is not woken for the end. */
	if (replay_is_finalized(r) && replay_end_past_join(r, s, ticks) != 0)
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
		rc = replay_leave_handover(r);
	for (size_t i = 0; i < n_streams && rc == 0; i++)
		rc = replay_end(r, &r->streams[i]);
	return rc;
}
