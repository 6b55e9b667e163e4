/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What each record of Argobots' tool interface does to units. What the library delivers otherwise than its documentation says is in docs/runtimes.md,
 * under the names that are counted here.
 */
#include "builder/story/unit_state.h"

/* The depth that stands for all larger ones, and how deep stacks are believed to be. */
#define DEPTH_CLAMPED 255u

static size_t depth_of(const struct units_stream *s, const struct record *r, bool is_run)
{
	unsigned depth = record_flags(r) >> 4;
	if (depth < DEPTH_CLAMPED || s->n <= DEPTH_CLAMPED)
		return depth;
	size_t top = is_run ? s->n : s->n - 1;
	return top < NESTING_MAX ? top : NESTING_MAX;
}

/* ---- One record each ---- */

static int on_begin(struct units *u, uint32_t stream, const struct record *r)
{
	/* What was alive before it is gone. */
	for (size_t i = 0; i < u->model->dump->n_streams; i++) {
		if (unit_cut(u, (uint32_t)i, 0, r->time, "unit_without_end") != 0 ||
		    units_end_external(u, (uint32_t)i, r->time) != 0)
			return -1;
		u->streams[i].is_xstream = false;
	}
	u->life++;
	u->n_unfreed = 0;
	u->is_in_life = true;
	u->streams[stream].is_xstream = true;
	if (units_tell(u, stream, (struct unit_event){.kind = UNIT_EVENT_LIFE_BEGIN, .count = u->life}, r->time) != 0)
		return -1;
	if (r->a == 0)
		return 0;
	uint32_t row = units_new_unit(u, r->a, UNIT_PRIMARY);
	if (row == 0)
		return error("out of memory for units");
	if (u->is_filling)
		units_row(u, row)->state |= UNIT_SEEN;
	return units_put(u, stream, row, 1, r->time, UNIT_BEGIN);
}

/* The primary unit, its scheduler and external threads end without a word; nothing else is to run now. */
static int on_end(struct units *u, uint32_t stream, const struct record *r)
{
	for (size_t i = 0; i < u->model->dump->n_streams; i++) {
		struct units_stream *s = &u->streams[i];
		while (s->n > 0) {
			uint32_t top = s->stack[s->n - 1];
			bool is_quiet = top == 0 || (i == stream && s->n <= 2);
			if (!is_quiet)
				unit_doubt(u, (uint32_t)i, top, "unit_without_end",
					   "one that had ended before the library was finalised");
			struct unit_switch change = {.reason = is_quiet ? UNIT_END : UNIT_STOP_MISSING};
			if (units_leave(u, (uint32_t)i, change, r->time) != 0)
				return -1;
		}
		if (units_end_external(u, (uint32_t)i, r->time) != 0)
			return -1;
		s->is_xstream = false;
	}
	unit_quirk(u, "primary_without_end");
	u->is_in_life = false;
	return units_tell(u, stream, (struct unit_event){.kind = UNIT_EVENT_LIFE_END, .count = u->life}, r->time);
}

/* The thread is an execution stream's. */
static int be_xstream(struct units *u, uint32_t stream, uint64_t ticks)
{
	u->streams[stream].is_xstream = true;
	return units_end_external(u, stream, ticks);
}

/* What runs directly on its thread is a main scheduler, whatever is known of its function. */
static void be_scheduler(struct units *u, uint32_t row)
{
	struct work_unit *unit = units_row(u, row);
	uint64_t function = u->model->constructs[unit->construct].codeptr;
	if (unit->kind != UNIT_UNKNOWN && unit->kind != UNIT_ULT)
		return;
	units_be_of_kind(u, row, UNIT_SCHEDULER);
	if (function != 0)
		unit->construct = model_construct(u->model, CONSTRUCT_SCHEDULER, function);
}

static int on_run(struct units *u, uint32_t stream, const struct record *r)
{
	struct units_stream *s = &u->streams[stream];
	size_t depth = depth_of(s, r, true);
	uint32_t row = units_subject(u, stream, r->a, depth == 0), stopped = s->stopped;
	if (row == 0)
		return error("out of memory for units");
	if (be_xstream(u, stream, r->time) != 0)
		return -1;
	if (units_stop_polling(u, row, r->time) != 0)
		return -1;
	struct unit_now *now = &u->now[row];
	if (now->state == NOW_RUNNING) {
		unit_doubt(u, stream, row, "unit_without_stop", "one that does not run");
		uint32_t there = now->stream;
		size_t at = u->streams[there].n;
		while (at > 0 && u->streams[there].stack[at - 1] != row)
			at--;
		if (at > 0 && unit_cut(u, there, at - 1, r->time, NULL) != 0)
			return -1;
	} else if (now->state == NOW_ENDED) {
		unit_doubt(u, stream, row, "unit_after_end", "one that has not ended");
	} else if (now->state == NOW_SUSPENDED) {
		unit_doubt(u, stream, row, "run_without_resume", "one that was resumed");
	}
	if (unit_cut(u, stream, depth, r->time, "unit_without_stop") != 0)
		return -1;
	/* Who schedules here is told by the first unit that it runs, if not before; but what stopped last may have handed over itself. */
	if (depth > 0 && r->b != 0 && r->b != r->a && (s->n < depth || s->stack[depth - 1] == 0)) {
		uint32_t below = units_named(u, stream, r->b);
		if (below == 0)
			return error("out of memory for units");
		if (below != stopped && u->now[below].state == NOW_READY && !units_is_gone(u, below)) {
			if (u->is_filling && !(units_row(u, below)->state & UNIT_CREATED))
				units_be_of_kind(u, below, UNIT_SCHEDULER);
			s->n = s->n < depth ? s->n : depth - 1;
			if (units_put(u, stream, below, depth - 1, r->time, UNIT_BEGIN) != 0)
				return -1;
		}
	}
	if (u->is_filling && depth == 0)
		be_scheduler(u, row);
	return units_put(u, stream, row, depth, r->time, UNIT_RUN);
}

/* Makes sure that the unit is the innermost one, at the depth that its stop tells. */
static int expect_top(struct units *u, uint32_t stream, uint32_t row, size_t depth, uint64_t ticks)
{
	struct units_stream *s = &u->streams[stream];
	if (s->n == depth + 1 && s->stack[depth] == row)
		return 0;
	if (unit_cut(u, stream, depth + 1, ticks, "unit_without_stop") != 0)
		return -1;
	if (s->n == depth + 1 && s->stack[depth] == row)
		return 0;
	bool is_unknown = s->n == depth + 1 && s->stack[depth] == 0;
	if (s->is_known && !is_unknown)
		unit_doubt(u, stream, row, "stop_of_another_unit", "one that runs here");
	if (u->now[row].state == NOW_RUNNING) {
		uint32_t there = u->now[row].stream;
		size_t at = u->streams[there].n;
		while (at > 0 && u->streams[there].stack[at - 1] != row)
			at--;
		if (at > 0 && unit_cut(u, there, at - 1, ticks, NULL) != 0)
			return -1;
	}
	return unit_cut(u, stream, depth, ticks, NULL) == 0 ? units_put(u, stream, row, depth, ticks, UNIT_BEGIN) : -1;
}

static int on_stop(struct units *u, uint32_t stream, const struct record *r, enum unit_reason reason)
{
	size_t depth = depth_of(&u->streams[stream], r, false);
	uint32_t row = units_subject(u, stream, r->a, depth == 0);
	if (row == 0)
		return error("out of memory for units");
	if (be_xstream(u, stream, r->time) != 0)
		return -1;
	if (u->now[row].state == NOW_ENDED)
		unit_doubt(u, stream, row, reason == UNIT_FINISH ? "unit_ended_twice" : "unit_after_end", "one that has not ended");
	if (expect_top(u, stream, row, depth, r->time) != 0)
		return -1;
	u->streams[stream].is_known = true;
	struct unit_switch change = {.reason = reason};
	if (reason != UNIT_FINISH)
		change.wait = (struct unit_wait){record_flags(r) & 0xf, r->b};
	if (reason == UNIT_YIELD)
		change.pool = record_value(r) << 3;
	return units_leave(u, stream, change, r->time);
}

static int on_cancel(struct units *u, uint32_t stream, const struct record *r)
{
	uint32_t row = units_subject(u, stream, r->a, false);
	if (row == 0)
		return error("out of memory for units");
	struct unit_now *now = &u->now[row];
	struct unit_switch change = {.prior = row, .next = units_top(&u->streams[stream]), .reason = UNIT_CANCEL};
	if (now->state == NOW_ENDED)
		unit_doubt(u, stream, row, "unit_ended_twice", "one that has not ended");
	if (now->state == NOW_RUNNING) {
		/* Its own doing, or the record of its stop is missing. */
		uint32_t there = now->stream;
		struct units_stream *s = &u->streams[there];
		size_t at = s->n;
		while (at > 0 && s->stack[at - 1] != row)
			at--;
		if (at > 0 && (there != stream || at < s->n)) {
			unit_doubt(u, stream, row, "unit_without_stop", "one that does not run");
			if (unit_cut(u, there, at - 1, r->time, NULL) != 0)
				return -1;
		} else if (at > 0) {
			return units_leave(u, stream, change, r->time);
		}
	}
	u->now[row].state = NOW_ENDED;
	change.next = units_top(&u->streams[stream]);
	return units_tell_switch(u, stream, change, r->time);
}

static int on_polls(struct units *u, uint32_t stream, const struct record *r)
{
	size_t depth = depth_of(&u->streams[stream], r, false);
	uint32_t row = units_subject(u, stream, r->a, depth == 0);
	if (row == 0)
		return error("out of memory for units");
	if (be_xstream(u, stream, r->time) != 0)
		return -1;
	struct unit_event event = {
		.kind = UNIT_EVENT_POLL, .unit = row, .count = record_value(r), .wait = {record_flags(r) & 0xf, r->b}};
	const struct units_stream *s = &u->streams[stream];
	if (s->stopped == row && s->n == depth) { /* it has been elsewhere; the last of the polls is its coming back */
		if (units_stop_polling(u, row, r->time) != 0)
			return -1;
		bool is_back = u->now[row].state == NOW_READY;
		if (is_back && units_put(u, stream, row, depth, r->time, UNIT_RUN) != 0)
			return -1;
		event.count -= is_back && event.count > 0;
	}
	if (expect_top(u, stream, row, depth, r->time) != 0)
		return -1;
	return event.count > 0 ? units_tell(u, stream, event, r->time) : 0;
}

static int on_resume(struct units *u, uint32_t stream, const struct record *r)
{
	uint32_t waker, row = units_subject(u, stream, r->a, false);
	if (row == 0 || units_actor(u, stream, r->b, r->time, &waker) != 0)
		return row == 0 ? error("out of memory for units") : -1;
	struct unit_now *now = &u->now[row];
	if (now->state != NOW_SUSPENDED)
		unit_doubt(u, stream, row, "resume_without_suspend", "one that is suspended");
	else
		now->state = NOW_READY;
	if (u->is_filling && r->time > now->since_ticks && now->since_ticks != 0)
		units_row(u, row)->wait_ticks += r->time - now->since_ticks;
	now->since_ticks = 0;
	/* 1.1: the unit that is joined resumes its joiner before it reports its own end. */
	const uint32_t *joined = now->wait.sync == unit_sync_unit_join ? map_get(&u->alive, now->wait.object) : NULL;
	if (joined != NULL && *joined == waker && waker != 0 && u->now[waker].state == NOW_RUNNING)
		unit_quirk(u, "resume_before_finish");
	struct unit_event event = {
		.kind = UNIT_EVENT_RESUME, .unit = row, .other = waker, .wait = now->wait, .pool = record_value(r) << 3};
	return units_tell(u, stream, event, r->time);
}

static int on_join(struct units *u, uint32_t stream, const struct record *r)
{
	uint32_t joiner, row = units_subject(u, stream, r->a, false);
	if (row == 0 || units_actor(u, stream, r->b, r->time, &joiner) != 0)
		return row == 0 ? error("out of memory for units") : -1;
	struct unit_now *now = &u->now[row];
	if (r->b == 0 && joiner != 0 && units_row(u, joiner)->kind != UNIT_EXTERNAL)
		unit_quirk(u, "joiner_not_named");
	if (now->state != NOW_ENDED)
		unit_doubt(u, stream, row, "join_before_end", "one that has ended");
	bool is_first = now->joiner == 0;
	if (is_first) {
		now->joiner = joiner;
	} else if (now->joiner != joiner) {
		uint32_t *seen = map_put(&u->joiners, (uint64_t)row << 32 | joiner);
		if (seen == NULL)
			return error("out of memory for units");
		is_first = *seen == 0;
		*seen = 1;
	}
	if (!is_first)
		unit_quirk(u, "joined_again");
	struct unit_event event = {.kind = UNIT_EVENT_JOIN, .unit = row, .other = joiner, .is_first = is_first};
	return units_tell(u, stream, event, r->time);
}

static int on_free(struct units *u, uint32_t stream, const struct record *r)
{
	uint32_t by, row = units_subject(u, stream, r->a, false);
	if (row == 0 || units_actor(u, stream, r->b, r->time, &by) != 0)
		return row == 0 ? error("out of memory for units") : -1;
	struct work_unit *unit = units_row(u, row);
	struct unit_now *now = &u->now[row];
	/* 1.1 creates and frees the units that main schedulers run on; they never run, and are never in a pool. */
	const unsigned states = UNIT_CREATED | UNIT_STARTED | UNIT_ACTED;
	bool is_root = unit->kind == UNIT_ROOT;
	if (u->is_filling)
		is_root = (unit->kind == UNIT_SCHEDULER || u->model->constructs[unit->construct].codeptr == 0) && unit->pool == 0 &&
			  unit->stack_bytes == 0 && (unit->state & states) == UNIT_CREATED && now->state == NOW_READY;
	if (is_root) {
		unit_quirk(u, "root_unit");
		if (u->is_filling)
			unit->kind = UNIT_ROOT;
	} else if (now->state != NOW_ENDED) {
		unit_doubt(u, stream, row, "freed_before_end", "one that has ended");
		if (now->state == NOW_RUNNING && unit_cut(u, now->stream, 0, r->time, NULL) != 0)
			return -1;
	}
	u->n_unfreed -= u->n_unfreed > 0 && !u->now[row].is_freed;
	u->now[row].is_freed = true;
	return units_tell(u, stream, (struct unit_event){.kind = UNIT_EVENT_FREE, .unit = row, .other = by}, r->time);
}

static int on_xstream(struct units *u, uint32_t stream, const struct record *r)
{
	if (be_xstream(u, stream, r->time) != 0)
		return -1;
	return units_tell(u, stream, (struct unit_event){.kind = UNIT_EVENT_XSTREAM, .handle = r->a, .count = r->b}, r->time);
}

/* Another thread has the stream. */
static int on_attach(struct units *u, uint32_t stream, const struct record *r)
{
	struct units_stream *s = &u->streams[stream];
	if (r->a != s->tid) {
		const char *repair = s->is_known ? "unit_without_end" : NULL;
		if (unit_cut(u, stream, 0, r->time, repair) != 0 || units_end_external(u, stream, r->time) != 0)
			return -1;
		s->is_xstream = false;
		s->stopped = 0;
	}
	s->tid = r->a;
	s->is_known = true;
	return 0;
}

int units_record(struct units *u, uint32_t stream, const struct record *r, const struct record *more)
{
	struct units_stream *s = &u->streams[stream];
	u->record = r;
	s->last_ticks = r->time;
	switch (record_kind(r)) {
	case EVENT_unit_begin: return on_begin(u, stream, r);
	case EVENT_unit_end: return on_end(u, stream, r);
	case EVENT_unit_create: return units_on_create(u, stream, r, more);
	case EVENT_unit_join: return on_join(u, stream, r);
	case EVENT_unit_free: return on_free(u, stream, r);
	case EVENT_unit_revive: return units_on_revive(u, stream, r, more);
	case EVENT_unit_run: return on_run(u, stream, r);
	case EVENT_unit_finish: return on_stop(u, stream, r, UNIT_FINISH);
	case EVENT_unit_cancel: return on_cancel(u, stream, r);
	case EVENT_unit_yield: return on_stop(u, stream, r, UNIT_YIELD);
	case EVENT_unit_suspend: return on_stop(u, stream, r, UNIT_SUSPEND);
	case EVENT_unit_resume: return on_resume(u, stream, r);
	case EVENT_unit_polls: return on_polls(u, stream, r);
	case EVENT_unit_xstream: return on_xstream(u, stream, r);
	case EVENT_thread_attach: return on_attach(u, stream, r);
	case EVENT_thread_detach: return units_end_external(u, stream, r->time);
	case EVENT_recording_off: u->is_blind = true; return 0;
	default: return 0;
	}
}
