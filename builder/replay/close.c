/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The replay of threads that end, and of the flushes that a worker reports late. replay.c calls these functions for
 * each record about them; one thread. Quirk numbers are those of docs/runtimes.md.
 */
#include "builder/replay/state.h"
#include "builder/support/array.h"

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
	array_reserve((void **)&s->late_flushes, s->n_late_flushes + 1, &s->late_flushes_capacity, sizeof *s->late_flushes);
	s->late_flushes[s->n_late_flushes++] = flush;
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

int replay_thread_end(struct replay *r, struct stream_state *s, const struct record *record)
{
	if (r->model->is_libomp && is_past_join(r, s)) {
		/* At shutdown a worker may leave the barrier without a record of the barrier's end. */
		replay_quirk(s, "worker_without_end"); /* Q36 */
		if (thread_close_implicit(&s->thread, record->time, REPAIR_NONE) != 0 || replay_late_flushes(r, s) != 0)
			return -1;
	}
	const struct point *at = replay_point(s, record->time);
	return VISIT(r, thread_end, at);
}
