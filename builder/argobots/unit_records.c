/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What each kind of record of Argobots' tool interface does to units. docs/runtimes.md ("Argobots") describes, under
 * the names that are counted here, what the library does differently than its documentation says. units_record() is
 * called by both passes, for each record in the order of time; one thread.
 */
#include "builder/argobots/unit_state.h"

/* The largest depth that a record can have, which stands for all larger ones as well. */
#define DEPTH_CLAMPED 255u

/* The depth of a record's unit. If the record cannot say, it is that of the stack, but at most NESTING_MAX. */
static size_t depth_of(const struct units_stream *s, const struct record *r, bool is_run)
{
	unsigned depth = record_flags(r) >> 4;
	if (depth < DEPTH_CLAMPED || s->n <= DEPTH_CLAMPED)
		return depth;
	size_t top = is_run ? s->n : s->n - 1;
	return top < NESTING_MAX ? top : NESTING_MAX;
}

/* ---- One kind of record each ---- */

/* The record shows that the thread is an execution stream's, and not an external one. */
static int set_xstream(struct units *u, uint32_t stream, uint64_t ticks)
{
	u->streams[stream].is_xstream = true;
	return units_end_external(u, stream, ticks);
}

/* A unit that runs directly on a thread is a main scheduler, whatever its function is. In the first pass only. */
static void set_scheduler(struct units *u, uint32_t row)
{
	struct work_unit *unit = units_row_to_fill(u, row);
	uint64_t function = u->model->constructs[unit->construct].codeptr;
	if (unit->kind != UNIT_UNKNOWN && unit->kind != UNIT_ULT)
		return;
	units_set_kind(u, row, UNIT_SCHEDULER);
	if (function != 0)
		unit->construct = model_construct(u->filling, CONSTRUCT_SCHEDULER, function);
}

/* A unit begins to run, or continues. */
static int on_run(struct units *u, uint32_t stream, const struct record *r)
{
	struct units_stream *s = &u->streams[stream];
	size_t depth = depth_of(s, r, true);
	uint32_t row = units_subject(u, stream, r->a, depth == 0), stopped = s->stopped;
	if (set_xstream(u, stream, r->time) != 0)
		return -1;
	if (units_stop_polling(u, row, r->time) != 0)
		return -1;
	struct unit_now *now = &u->now[row];
	if (now->state == NOW_RUNNING) {
		unit_repair(u, stream, row, "unit_without_stop", "a unit that does not run");
		uint32_t there = now->stream;
		size_t at = u->streams[there].n;
		while (at > 0 && u->streams[there].stack[at - 1] != row)
			at--;
		if (at > 0 && unit_cut(u, there, at - 1, r->time, NULL) != 0)
			return -1;
	} else if (now->state == NOW_ENDED) {
		unit_repair(u, stream, row, "unit_after_end", "a unit that has not ended");
	} else if (now->state == NOW_SUSPENDED) {
		unit_repair(u, stream, row, "run_without_resume", "a unit that was resumed");
	}
	if (unit_cut(u, stream, depth, r->time, "unit_without_stop") != 0)
		return -1;
	/*
	 * The record names the unit that ran before on this execution stream. If the stack's entry below is unknown,
	 * that unit is the scheduler; unless it is the unit that stopped last, which may have switched to this one directly.
	 */
	if (depth > 0 && r->b != 0 && r->b != r->a && (s->n < depth || s->stack[depth - 1] == 0)) {
		uint32_t below = units_named(u, stream, r->b);
		if (below != stopped && u->now[below].state == NOW_READY && !units_is_gone(u, below)) {
			if (u->filling != NULL && !(units_row(u, below)->state & UNIT_CREATED))
				units_set_kind(u, below, UNIT_SCHEDULER);
			s->n = s->n < depth ? s->n : depth - 1;
			if (units_put(u, stream, below, depth - 1, r->time, UNIT_BEGIN) != 0)
				return -1;
		}
	}
	if (u->filling != NULL && depth == 0)
		set_scheduler(u, row);
	return units_put(u, stream, row, depth, r->time, UNIT_RUN);
}

/*
 * Ensures that the unit is the innermost one, at the depth that the record of its stop has; cuts what contradicts that.
 */
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
		unit_repair(u, stream, row, "stop_of_another_unit", "a unit that runs here");
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

/* A unit finishes, yields or is suspended. */
static int on_stop(struct units *u, uint32_t stream, const struct record *r, enum unit_reason reason)
{
	size_t depth = depth_of(&u->streams[stream], r, false);
	uint32_t row = units_subject(u, stream, r->a, depth == 0);
	if (set_xstream(u, stream, r->time) != 0)
		return -1;
	if (u->now[row].state == NOW_ENDED)
		unit_repair(u, stream, row, reason == UNIT_FINISH ? "unit_ended_twice" : "unit_after_end",
			    "a unit that has not ended");
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

/* A unit is cancelled: it ends without a finish, and maybe without ever having run. */
static int on_cancel(struct units *u, uint32_t stream, const struct record *r)
{
	uint32_t row = units_subject(u, stream, r->a, false);
	struct unit_now *now = &u->now[row];
	struct unit_switch change = {.prior = row, .next = units_top(&u->streams[stream]), .reason = UNIT_CANCEL};
	if (now->state == NOW_ENDED)
		unit_repair(u, stream, row, "unit_ended_twice", "a unit that has not ended");
	if (now->state == NOW_RUNNING) {
		/*
		 * If it is the innermost one here, it ends where it runs; otherwise the record of its stop is missing.
		 */
		uint32_t there = now->stream;
		struct units_stream *s = &u->streams[there];
		size_t at = s->n;
		while (at > 0 && s->stack[at - 1] != row)
			at--;
		if (at > 0 && (there != stream || at < s->n)) {
			unit_repair(u, stream, row, "unit_without_stop", "a unit that does not run");
			if (unit_cut(u, there, at - 1, r->time, NULL) != 0)
				return -1;
		} else if (at > 0) {
			return units_leave(u, stream, change, r->time);
		}
	}
	u->now[row].state = NOW_ENDED;
	u->now[row].since_ticks = r->time;
	change.next = units_top(&u->streams[stream]);
	return units_emit_switch(u, stream, change, r->time);
}

/* A unit has yielded and run again a number of times, only to find that it still has to wait. */
static int on_polls(struct units *u, uint32_t stream, const struct record *r)
{
	size_t depth = depth_of(&u->streams[stream], r, false);
	uint32_t row = units_subject(u, stream, r->a, depth == 0);
	if (set_xstream(u, stream, r->time) != 0)
		return -1;
	struct unit_event event = {
		.kind = UNIT_EVENT_POLL, .unit = row, .count = record_value(r), .wait = {record_flags(r) & 0xf, r->b}};
	const struct units_stream *s = &u->streams[stream];
	if (s->stopped == row && s->n == depth) {
		/* It has run on another stream meanwhile (polled_in_turns): with the last of the polls it came back. */
		if (units_stop_polling(u, row, r->time) != 0)
			return -1;
		bool is_back = u->now[row].state == NOW_READY;
		if (is_back && units_put(u, stream, row, depth, r->time, UNIT_RUN) != 0)
			return -1;
		event.count -= is_back && event.count > 0;
	}
	if (expect_top(u, stream, row, depth, r->time) != 0)
		return -1;
	event.was_look = units_was_look(u, row, event.wait);
	return event.count > 0 ? units_emit(u, stream, event, r->time) : 0;
}

/* A suspended unit may continue. */
static int on_resume(struct units *u, uint32_t stream, const struct record *r)
{
	uint32_t waker, row = units_subject(u, stream, r->a, false);
	if (units_actor(u, stream, r->b, r->time, &waker) != 0)
		return -1;
	struct unit_now *now = &u->now[row];
	if (now->state != NOW_SUSPENDED)
		unit_repair(u, stream, row, "resume_without_suspend", "a unit that is suspended");
	else
		now->state = NOW_READY;
	if (u->filling != NULL && r->time > now->since_ticks && now->since_ticks != 0)
		units_row_to_fill(u, row)->wait_ticks += r->time - now->since_ticks;
	now->since_ticks = 0;
	/* In 1.1 a unit that is joined resumes its joiner before it reports its own end. */
	const uint32_t *joined = now->wait.sync == unit_sync_unit_join ? map_get(&u->alive, now->wait.object) : NULL;
	if (joined != NULL && *joined == waker && waker != 0 && u->now[waker].state == NOW_RUNNING)
		unit_quirk(u, "resume_before_finish");
	struct unit_event event = {
		.kind = UNIT_EVENT_RESUME, .unit = row, .other = waker, .wait = now->wait, .pool = record_value(r) << 3};
	return units_emit(u, stream, event, r->time);
}

/*
 * Has the joiner only waited since it ran, or acted, last? A unit that polls has. An external thread and a tasklet do not
 * stop: they may have waited, from an unknown time on, if the unit ended after what they did last.
 */
static bool has_waited(const struct units *u, uint32_t row, uint64_t handle, uint32_t joiner)
{
	const struct unit_now *now = &u->now[joiner];
	unsigned kind = units_row(u, joiner)->kind;
	if (kind == UNIT_EXTERNAL || kind == UNIT_TASKLET)
		return u->now[row].state == NOW_ENDED && u->now[row].since_ticks > now->acted_ticks;
	return now->wait.object == handle && unit_sync_joins(now->wait.sync) && now->is_looking;
}

/* A unit knows that another one has ended. */
static int on_join(struct units *u, uint32_t stream, const struct record *r)
{
	uint32_t joiner, row = units_subject(u, stream, r->a, false);
	if (units_actor(u, stream, r->b, r->time, &joiner) != 0)
		return -1;
	struct unit_now *now = &u->now[row];
	if (r->b == 0 && joiner != 0 && units_row(u, joiner)->kind != UNIT_EXTERNAL)
		unit_quirk(u, "joiner_not_named");
	if (now->state != NOW_ENDED)
		unit_repair(u, stream, row, "join_before_end", "a unit that has ended");
	bool is_first = now->joiner == 0;
	if (is_first) {
		now->joiner = joiner;
	} else if (now->joiner != joiner) {
		uint32_t *seen = map_put(&u->joiners, (uint64_t)row << 32 | joiner);
		is_first = *seen == 0;
		*seen = 1;
	}
	if (!is_first)
		unit_quirk(u, "joined_again");
	struct unit_event event = {.kind = UNIT_EVENT_JOIN, .unit = row, .other = joiner, .is_first = is_first};
	event.was_look = joiner != 0 && has_waited(u, row, r->a, joiner);
	return units_emit(u, stream, event, r->time);
}

/* A unit is freed: its handle may be another unit's from now on. */
static int on_free(struct units *u, uint32_t stream, const struct record *r)
{
	uint32_t by, row = units_subject(u, stream, r->a, false);
	if (units_actor(u, stream, r->b, r->time, &by) != 0)
		return -1;
	const struct work_unit *unit = units_row(u, row);
	struct unit_now *now = &u->now[row];
	/*
	 * 1.1 creates and frees the units below main schedulers; these never run, and are never in a pool (root_unit).
	 */
	const unsigned states = UNIT_CREATED | UNIT_STARTED | UNIT_ACTED;
	bool is_root = unit->kind == UNIT_ROOT;
	if (u->filling != NULL)
		is_root = (unit->kind == UNIT_SCHEDULER || u->model->constructs[unit->construct].codeptr == 0) && unit->pool == 0 &&
			  unit->stack_bytes == 0 && (unit->state & states) == UNIT_CREATED && now->state == NOW_READY;
	if (is_root) {
		unit_quirk(u, "root_unit");
		if (u->filling != NULL)
			units_row_to_fill(u, row)->kind = UNIT_ROOT;
	} else if (now->state != NOW_ENDED) {
		unit_repair(u, stream, row, "freed_before_end", "a unit that has ended");
		if (now->state == NOW_RUNNING && unit_cut(u, now->stream, 0, r->time, NULL) != 0)
			return -1;
	}
	u->n_unfreed -= u->n_unfreed > 0 && !u->now[row].is_freed;
	u->now[row].is_freed = true;
	return units_emit(u, stream, (struct unit_event){.kind = UNIT_EVENT_FREE, .unit = row, .other = by}, r->time);
}

/* The record says which execution stream the thread is. */
static int on_xstream(struct units *u, uint32_t stream, const struct record *r)
{
	if (set_xstream(u, stream, r->time) != 0)
		return -1;
	return units_emit(u, stream, (struct unit_event){.kind = UNIT_EVENT_XSTREAM, .handle = r->a, .count = r->b}, r->time);
}

/* A thread takes the stream; maybe another one than before. */
static int on_attach(struct units *u, uint32_t stream, const struct record *r)
{
	struct units_stream *s = &u->streams[stream];
	if (r->a != s->tid) {
		const char *repair = s->is_known ? "unit_without_end" : NULL;
		if (unit_cut(u, stream, 0, r->time, repair) != 0 || units_end_external(u, stream, r->time) != 0)
			return -1;
		s->is_xstream = false;
		s->stopped = 0;
		s->own = 0;
	}
	s->tid = r->a;
	s->is_known = true;
	return 0;
}

/* The thread gives the stream back: it ends. */
static int on_detach(struct units *u, uint32_t stream, const struct record *r)
{
	u->streams[stream].own = 0;
	return units_end_external(u, stream, r->time);
}

int units_record(struct units *u, uint32_t stream, const struct record *r, const struct record *more)
{
	struct units_stream *s = &u->streams[stream];
	u->record = r;
	s->last_ticks = r->time;
	switch (record_kind(r)) {
	case EVENT_unit_begin: return units_on_begin(u, stream, r);
	case EVENT_unit_end: return units_on_end(u, stream, r);
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
	case EVENT_unit_spawn: return set_xstream(u, stream, r->time) == 0 ? units_on_spawn(u, stream, r) : -1;
	case EVENT_thread_attach: return on_attach(u, stream, r);
	case EVENT_thread_detach: return on_detach(u, stream, r);
	case EVENT_recording_off: u->is_blind = true; return 0;
	default: return 0;
	}
}

/* ---- Order ----
 *
 * Which events of a unit must precede which others. The library reports every event before it takes
 * effect, so its record is earlier than the records of what follows from it on another thread; unless the clocks of the two
 * processors differ, and then the stream that is early waits (merge.h).
 *
 * Both passes must make the same decisions. So these depend only on the current state of the units (struct unit_now), and
 * not on what the first pass has written into the rows later.
 */

/* A unit can only run after it has stopped on another stream, or was resumed, revived or created there. */
static bool run_is_early(const struct units *u, uint32_t row, const struct unit_now *now, uint32_t stream)
{
	if (now != NULL && now->state == NOW_RUNNING)
		return now->stream != stream && !units_polls_elsewhere(u, row);
	return now == NULL || now->state != NOW_READY;
}

/*
 * A unit can only be freed after it has ended; but 1.1 frees its own units below schedulers, which never run
 * (root_unit).
 */
static bool free_is_early(const struct units *u, uint32_t row, const struct unit_now *now)
{
	return now == NULL || (now->state != NOW_ENDED && (now->has_run || u->model->units[row].pool != 0));
}

bool units_is_early(void *self, uint32_t stream, const struct record *r)
{
	const struct units *u = self;
	unsigned kind = record_kind(r);
	if (kind == EVENT_unit_spawn)
		kind = EVENT_unit_create;
	if (kind < EVENT_unit_end || kind > EVENT_unit_resume || u->is_blind)
		return false;
	/* If the program never frees a unit, the wait for this ends by itself (merge.h). */
	if (kind == EVENT_unit_end)
		return u->is_in_life && u->n_unfreed > 0;
	if (!u->is_in_life)
		return u->model->n_events[EVENT_unit_begin] > u->life;
	const uint32_t *found = map_get(&u->alive, r->a);
	uint32_t row = found != NULL ? *found : 0;
	const struct unit_now *now = row != 0 && !units_is_gone(u, row) ? &u->now[row] : NULL;
	switch (kind) {
	case EVENT_unit_create: return now != NULL;
	case EVENT_unit_revive:
	case EVENT_unit_join: return now == NULL || now->state != NOW_ENDED;
	case EVENT_unit_free: return free_is_early(u, row, now);
	case EVENT_unit_run: return run_is_early(u, row, now, stream);
	case EVENT_unit_resume: return now == NULL || now->state != NOW_SUSPENDED;
	case EVENT_unit_cancel: return now == NULL || (now->state == NOW_RUNNING && now->stream != stream);
	default: return false;
	}
}
