/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The replay of ends: what is open when an implicit task, a thread or the records end is closed, innermost first. Quirk numbers are
 * those of docs/runtimes.md.
 */
#include "builder/replay/state.h"

#include <string.h>

struct implicit *replay_innermost(struct stream_state *s)
{
	return s->n_implicits > 0 ? &s->implicits[s->n_implicits - 1] : NULL;
}

static bool is_counted(const char *repair)
{
	return repair != NULL && *repair != '\0';
}

int replay_close_regions(struct replay *r, struct stream_state *s, size_t n_left, uint64_t ticks, const char *repair)
{
	while (s->n_regions > n_left) {
		struct point at = replay_point(s, ticks);
		if (is_counted(repair))
			replay_repair(r, "region_without_end");
		uint32_t region = s->regions[--s->n_regions];
		if (!replay_is_hidden(r, region) && VISIT(r, region_end, &at, region) != 0)
			return -1;
	}
	return 0;
}

void replay_forget_moved(struct replay *r, struct stream_state *s, size_t bottom)
{
	for (size_t i = bottom; i < s->suspended.n; i++) {
		uint32_t task = s->suspended.tasks[i];
		unsigned state = task != SUSPENDED_GONE ? r->model->tasks[task].state : 0;
		if (state & TASK_MIGRATED && state & TASK_COMPLETED)
			suspended_remove(&s->suspended, task);
	}
}

/* Cuts explicit tasks until `bottom` suspended ones are left: the task below is current then. */
static int cut_tasks(struct replay *r, struct stream_state *s, size_t bottom, uint64_t ticks, const char *repair)
{
	replay_forget_moved(r, s, bottom);
	while (suspended_above(&s->suspended, bottom)) {
		uint32_t prior = s->task, next = suspended_pop(&s->suspended);
		if (replay_leave_scopes(r, s, prior, 0, ticks, repair) != 0)
			return -1;
		if (is_counted(repair) && prior != 0)
			replay_repair(r, "task_without_end");
		struct point at = replay_point(s, ticks);
		if (VISIT(r, task_switch, &at, prior, next, TASK_STATUS_CUT) != 0)
			return -1;
		frames_drop(&r->frames, prior, s->row);
		s->task = next;
	}
	return 0;
}

uint64_t replay_implicit_end_ticks(const struct replay *r, uint32_t row, uint64_t ticks)
{
	const struct task *task = &r->model->tasks[row];
	uint64_t join_ticks = r->model->regions[task->region].join_ticks;
	return task->thread != 0 && ticks > join_ticks ? join_ticks : ticks;
}

static int visit_flush(struct replay *r, struct stream_state *s, struct late_flush flush)
{
	struct point at = replay_point(s, flush.begin_ticks);
	return VISIT(r, buffer_flush, &at, flush.end_ticks > at.ticks ? flush.end_ticks : at.ticks);
}

int replay_buffer_flush(struct replay *r, struct stream_state *s, const struct record *record)
{
	struct late_flush flush = {record->time, record->a};
	const struct implicit *inner = replay_innermost(s);
	/* A worker reports its end long after its team's join (Q3), and may write out a segment in between: times must not go back. */
	if (inner == NULL || replay_implicit_end_ticks(r, inner->task, record->time) == record->time)
		return visit_flush(r, s, flush);
	if (replay_grow((void **)&s->late_flushes, s->n_late_flushes, &s->late_flushes_capacity, sizeof *s->late_flushes) != 0)
		return -1;
	s->late_flushes[s->n_late_flushes++] = flush;
	return 0;
}

int replay_close_implicit(struct replay *r, struct stream_state *s, uint64_t ticks, const char *repair)
{
	struct implicit inner = *replay_innermost(s);
	ticks = replay_implicit_end_ticks(r, inner.task, ticks);
	if (cut_tasks(r, s, inner.n_suspended, ticks, repair) != 0)
		return -1;
	s->task = inner.task;
	if (replay_leave_scopes(r, s, inner.task, 0, ticks, repair) != 0 ||
	    replay_close_regions(r, s, inner.n_regions, ticks, repair) != 0)
		return -1;
	struct point at = replay_point(s, ticks);
	if (VISIT(r, implicit_end, &at, inner.task) != 0)
		return -1;
	frames_drop(&r->frames, inner.task, s->row);
	s->n_implicits--;
	s->task = inner.outer;
	int rc = 0;
	for (size_t i = 0; i < s->n_late_flushes && rc == 0; i++)
		rc = visit_flush(r, s, s->late_flushes[i]);
	s->n_late_flushes = 0;
	return rc;
}

/*
 * What libomp leaves unsaid where nothing is missing. An initial task whose thread lives when the process finalizes, or whose thread
 * is the hidden helpers' root, has no end (Q10); neither has it when nothing of it is open but itself.
 */
static bool is_quiet_root(const struct replay *r, struct stream_state *s)
{
	const struct model *m = r->model;
	if (s->is_off || s->n_implicits != 1 || suspended_above(&s->suspended, 0) || s->n_regions > 0)
		return false;
	uint32_t root = s->implicits[0].task;
	const struct frame *frame = frames_find(&r->frames, root, s->row);
	bool is_empty = s->task == root && (frame == NULL || frame->n_scopes == 0);
	return is_empty && m->regions[m->tasks[root].region].state & REGION_INITIAL &&
	       strcmp(m->dump->meta.ended, "finalize") == 0 && !m->dump->is_snapshot;
}

/* A worker that is in its team's closing barrier, whose join is known: it ended there (Q3). */
static bool is_past_join(const struct replay *r, struct stream_state *s)
{
	const struct model *m = r->model;
	uint32_t row = s->n_implicits == 1 ? s->implicits[0].task : 0;
	if (row == 0 || s->task != row || suspended_above(&s->suspended, 0) || m->tasks[row].thread == 0 ||
	    m->regions[m->tasks[row].region].join_ticks == UINT64_MAX)
		return false;
	const struct frame *frame = frames_find(&r->frames, row, s->row);
	for (uint32_t i = 0; frame != NULL && i < frame->n_scopes; i++)
		if (frame->scopes[i].type > SCOPE_SYNC_WAIT || (frame->scopes[i].kind != sync_kind_barrier_implicit_parallel &&
								frame->scopes[i].kind != sync_kind_barrier_teams))
			return false;
	return frame != NULL && frame->n_scopes > 0;
}

int replay_thread_end(struct replay *r, struct stream_state *s, const struct record *record)
{
	if (r->model->is_libomp && is_past_join(r, s)) {
		/* At shutdown a worker may leave the barrier by a way on which nothing is reported. */
		replay_quirk(r, "worker_without_end"); /* Q36 */
		if (replay_close_implicit(r, s, record->time, REPAIR_NONE) != 0)
			return -1;
	}
	struct point at = replay_point(s, record->time);
	return VISIT(r, thread_end, &at);
}

int replay_close_stream(struct replay *r, struct stream_state *s, uint64_t ticks, const char *repair)
{
	if (is_counted(repair) && is_quiet_root(r, s)) {
		replay_quirk(r, "root_without_end"); /* Q10 */
		repair = REPAIR_NONE;
	}
	while (s->n_implicits > 0) {
		if (is_counted(repair))
			replay_repair(r, "implicit_task_without_end");
		if (replay_close_implicit(r, s, ticks, repair) != 0)
			return -1;
	}
	if (cut_tasks(r, s, 0, ticks, repair) != 0)
		return -1;
	if ((s->task != 0 && replay_leave_scopes(r, s, s->task, 0, ticks, repair) != 0) ||
	    replay_leave_scopes(r, s, 0, 0, ticks, repair) != 0)
		return -1;
	s->task = 0;
	s->n_waits = 0;
	map_free(&s->held);
	return replay_close_regions(r, s, 0, ticks, repair);
}
