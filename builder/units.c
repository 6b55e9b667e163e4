/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See units.h. What the library delivers otherwise than its documentation says is in docs/runtimes.md, under the names that are counted here.
 */
#include "builder/units.h"
#include "builder/array.h"
#include "builder/model.h"

#include <stdio.h>
#include <string.h>

/* The depth that stands for all larger ones, and how deep stacks are believed to be. */
#define DEPTH_CLAMPED 255u

enum now_state { NOW_READY, NOW_RUNNING, NOW_SUSPENDED, NOW_ENDED };

struct unit_now {
	uint32_t stream; /* NOW_RUNNING: row */
	uint32_t joiner; /* the first */
	uint32_t life;   /* of the library: in the next one it is gone */
	uint8_t state, is_freed;
	struct unit_wait wait; /* at its latest stop */
	uint64_t since_ticks;  /* of its latest stop */
};

struct units_stream {
	uint64_t tid;
	uint64_t last_ticks;
	uint32_t *stack; /* by depth: who runs on whom; 0 unknown */
	size_t n, capacity;
	uint32_t external; /* row of the thread, where it is no execution stream and has done something */
	uint32_t stopped;  /* who stopped with the last record about who runs; 0: somebody ran */
	bool is_xstream;
	bool is_known; /* nothing is missing since the thread took the stream */
};

/* ---- Rows ---- */

static struct work_unit *row_of(struct units *u, uint32_t row)
{
	return &u->model->units[row];
}

/* What it is, before its function is known. */
static void be_of_kind(struct units *u, uint32_t row, enum unit_kind kind)
{
	static const enum construct_kind constructs[UNIT_KINDS] = {
		[UNIT_UNKNOWN] = CONSTRUCT_UNIT,        [UNIT_ULT] = CONSTRUCT_UNIT,       [UNIT_TASKLET] = CONSTRUCT_TASKLET,
		[UNIT_SCHEDULER] = CONSTRUCT_SCHEDULER, [UNIT_ROOT] = CONSTRUCT_SCHEDULER, [UNIT_PRIMARY] = CONSTRUCT_PRIMARY_UNIT,
		[UNIT_EXTERNAL] = CONSTRUCT_EXTERNAL};
	row_of(u, row)->kind = (uint8_t)kind;
	row_of(u, row)->construct = model_construct(u->model, constructs[kind], 0);
}

static uint32_t new_row(struct units *u, uint64_t handle, enum unit_kind kind)
{
	uint32_t row = u->n_units;
	struct model *m = u->model;
	if (!u->is_filling && row >= m->n_units)
		return 0; /* not after the same records */
	if (u->is_filling &&
	    (row == UINT32_MAX || !array_reserve((void **)&m->units, (size_t)row + 1, &u->units_capacity, sizeof *m->units)))
		return 0;
	if (!array_reserve((void **)&u->now, (size_t)row + 1, &u->now_capacity, sizeof *u->now))
		return 0;
	u->now[row] = (struct unit_now){.state = NOW_READY, .life = u->life};
	u->n_units++;
	if (u->is_filling) {
		m->units[row] = (struct work_unit){.handle = handle, .first = row, .generation = 1, .life = u->life};
		m->n_units = u->n_units;
		if (row != 0)
			be_of_kind(u, row, kind);
	}
	return row;
}

/* A row for a handle that had none, or had another unit. 0: memory is out. */
static uint32_t new_unit(struct units *u, uint64_t handle, enum unit_kind kind)
{
	uint32_t *slot = map_put(&u->alive, handle);
	uint32_t before = slot != NULL ? *slot : 0, row = slot != NULL ? new_row(u, handle, kind) : 0;
	if (row == 0)
		return 0;
	if (u->is_filling && before != 0)
		row_of(u, row)->generation = row_of(u, before)->generation + 1;
	return *slot = row;
}

/* ---- Doubts ---- */

static void unit_doubt(struct units *u, uint32_t stream, uint32_t row, const char *name, const char *expected)
{
	struct model *m = u->model;
	if (!u->is_filling)
		return;
	if (u->is_blind) {
		tally_add(&m->quirks, "unit_not_whole", 1);
		return;
	}
	row_of(u, row)->state |= UNIT_DOUBTFUL;
	unsigned n_before = m->repairs.n_rows;
	tally_add(&m->repairs, name, 1);
	if (m->repairs.n_rows == n_before)
		return;
	const struct event_info *info = u->record != NULL ? event_info(record_kind(u->record)) : NULL;
	warning("%s: stream %u: %s of unit 0x%llx at %llu: expected %s [%s]", m->dump->path, m->dump->streams[stream].number,
		info != NULL ? info->name : "the end", (unsigned long long)row_of(u, row)->handle,
		(unsigned long long)(u->record != NULL ? u->record->time : u->streams[stream].last_ticks), expected, name);
}

static void quirk(struct units *u, const char *name)
{
	if (u->is_filling)
		tally_add(&u->model->quirks, name, 1);
}

/* ---- Who is meant ---- */

static bool is_gone(const struct units *u, uint32_t row)
{
	return u->now[row].is_freed || u->now[row].life != u->life;
}

/* A unit that something happens to, or that does something. 0: memory is out. */
static uint32_t subject(struct units *u, uint32_t stream, uint64_t handle, bool is_scheduler)
{
	const uint32_t *found = map_get(&u->alive, handle);
	uint32_t row = found != NULL ? *found : 0;
	if (row == 0 || is_gone(u, row)) {
		row = new_unit(u, handle, is_scheduler ? UNIT_SCHEDULER : UNIT_UNKNOWN);
		if (row != 0 && !is_scheduler)
			unit_doubt(u, stream, row, "unit_without_create", "one that was created");
	}
	if (u->is_filling && row != 0)
		row_of(u, row)->state |= UNIT_SEEN;
	return row;
}

/* A unit that a record names as the one that acts. 0: it names none, or memory is out. */
static uint32_t named(struct units *u, uint64_t handle)
{
	if (handle == 0)
		return 0;
	const uint32_t *found = map_get(&u->alive, handle);
	uint32_t row = found != NULL && u->now[*found].life == u->life ? *found : new_unit(u, handle, UNIT_UNKNOWN);
	if (u->is_filling && row != 0)
		row_of(u, row)->state |= UNIT_SEEN | UNIT_ACTED;
	return row;
}

/* The innermost one that is known. */
static uint32_t current(const struct units_stream *s)
{
	for (size_t n = s->n; n > 0; n--)
		if (s->stack[n - 1] != 0)
			return s->stack[n - 1];
	return s->external;
}

uint32_t units_current(const struct units *u, uint32_t stream)
{
	return current(&u->streams[stream]);
}

/* ---- Telling ---- */

static int tell(struct units *u, uint32_t stream, struct unit_event event, uint64_t ticks)
{
	event.stream = stream;
	event.ticks = ticks;
	return u->tell(u->self, &event);
}

static int tell_switch(struct units *u, uint32_t stream, struct unit_switch change, uint64_t ticks)
{
	struct unit_event event = {
		.kind = UNIT_EVENT_SWITCH, .unit = change.next != 0 ? change.next : change.prior, .change = change};
	if (change.reason > UNIT_RUN)
		event.unit = change.prior;
	return tell(u, stream, event, ticks);
}

/* ---- Who runs ---- */

/* Takes the innermost one off the stack. */
static int leave(struct units *u, uint32_t stream, struct unit_switch change, uint64_t ticks)
{
	struct units_stream *s = &u->streams[stream];
	uint32_t row = s->stack[--s->n];
	change.prior = row;
	change.depth = (unsigned)s->n;
	change.next = current(s);
	s->stopped = row;
	if (row == 0)
		return 0;
	bool is_over = change.reason == UNIT_FINISH || change.reason == UNIT_CANCEL || change.reason == UNIT_END;
	u->now[row].state = is_over ? NOW_ENDED : change.reason == UNIT_SUSPEND ? NOW_SUSPENDED : NOW_READY;
	u->now[row].wait = change.wait;
	u->now[row].since_ticks = ticks;
	return tell_switch(u, stream, change, ticks);
}

/* Takes all off that are at the depth or above it, for want of a record of their stops; `repair` names why, NULL: that is known. */
static int unit_cut(struct units *u, uint32_t stream, size_t depth, uint64_t ticks, const char *repair)
{
	struct units_stream *s = &u->streams[stream];
	while (s->n > depth) {
		uint32_t row = s->stack[s->n - 1];
		if (row != 0 && repair != NULL)
			unit_doubt(u, stream, row, repair, "one that had stopped");
		struct unit_switch change = {.reason = UNIT_STOP_MISSING};
		if (leave(u, stream, change, ticks) != 0)
			return -1;
	}
	return 0;
}

static int end_external(struct units *u, uint32_t stream, uint64_t ticks)
{
	struct units_stream *s = &u->streams[stream];
	struct unit_switch change = {.prior = s->external, .reason = UNIT_END};
	if (s->external == 0)
		return 0;
	u->now[s->external].state = NOW_ENDED;
	s->external = 0;
	return tell_switch(u, stream, change, ticks);
}

/* Puts a unit on the stack, at its depth. */
static int put(struct units *u, uint32_t stream, uint32_t row, size_t depth, uint64_t ticks, enum unit_reason reason)
{
	struct units_stream *s = &u->streams[stream];
	if (!array_reserve((void **)&s->stack, depth + 1, &s->capacity, sizeof *s->stack))
		return error("out of memory for units");
	while (s->n < depth)
		s->stack[s->n++] = 0;
	struct unit_switch change = {.prior = current(s), .next = row, .reason = reason, .depth = (unsigned)depth};
	s->stack[s->n++] = row;
	s->stopped = 0;
	u->now[row].state = NOW_RUNNING;
	u->now[row].stream = stream;
	return tell_switch(u, stream, change, ticks);
}

/* Whoever acts here without being named: the unit that runs, else the thread itself where it is no execution stream. */
static int find_actor(struct units *u, uint32_t stream, uint64_t ticks, uint32_t *row)
{
	struct units_stream *s = &u->streams[stream];
	*row = current(s);
	if (*row != 0 || s->is_xstream || s->n > 0 || !s->is_known)
		return 0;
	s->external = *row = new_row(u, 0, UNIT_EXTERNAL);
	if (*row == 0)
		return error("out of memory for units");
	if (u->is_filling) {
		row_of(u, *row)->state |= UNIT_SEEN | UNIT_ACTED;
		row_of(u, *row)->create_stream = stream;
	}
	u->now[*row].state = NOW_RUNNING;
	u->now[*row].stream = stream;
	struct unit_switch change = {.next = *row, .reason = UNIT_BEGIN};
	return tell_switch(u, stream, change, ticks);
}

/* The unit that a record says acts on its stream. */
static int actor(struct units *u, uint32_t stream, uint64_t handle, uint64_t ticks, uint32_t *row)
{
	*row = named(u, handle);
	return handle != 0 ? *row != 0 ? 0 : error("out of memory for units") : find_actor(u, stream, ticks, row);
}

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
		if (unit_cut(u, (uint32_t)i, 0, r->time, "unit_without_end") != 0 || end_external(u, (uint32_t)i, r->time) != 0)
			return -1;
		u->streams[i].is_xstream = false;
	}
	u->life++;
	u->is_in_life = true;
	u->streams[stream].is_xstream = true;
	if (tell(u, stream, (struct unit_event){.kind = UNIT_EVENT_LIFE_BEGIN, .count = u->life}, r->time) != 0)
		return -1;
	if (r->a == 0)
		return 0;
	uint32_t row = new_unit(u, r->a, UNIT_PRIMARY);
	if (row == 0)
		return error("out of memory for units");
	if (u->is_filling)
		row_of(u, row)->state |= UNIT_SEEN;
	return put(u, stream, row, 1, r->time, UNIT_BEGIN);
}

/* The primary unit, its scheduler and external threads end without a word; nothing else is to run now. */
static int on_end(struct units *u, uint32_t stream, const struct record *r)
{
	for (size_t i = 0; i < u->model->dump->n_streams; i++) {
		struct units_stream *s = &u->streams[i];
		while (s->n > 0) {
			uint32_t top = s->stack[s->n - 1];
			bool is_quiet = i == stream && (top == 0 || s->n <= 2);
			if (!is_quiet)
				unit_doubt(u, (uint32_t)i, top, "unit_without_end",
					   "one that had ended before the library was finalised");
			struct unit_switch change = {.reason = is_quiet ? UNIT_END : UNIT_STOP_MISSING};
			if (leave(u, (uint32_t)i, change, r->time) != 0)
				return -1;
		}
		if (end_external(u, (uint32_t)i, r->time) != 0)
			return -1;
		s->is_xstream = false;
	}
	quirk(u, "primary_without_end");
	u->is_in_life = false;
	return tell(u, stream, (struct unit_event){.kind = UNIT_EVENT_LIFE_END, .count = u->life}, r->time);
}

static bool is_in_library(const struct model *m, uint64_t address)
{
	const struct meta *meta = &m->dump->meta;
	const struct meta_map *own = meta_find_map(meta, meta->argobots_code), *map = meta_find_map(meta, address);
	return own != NULL && map != NULL && strcmp(own->path, meta->program) != 0 && strcmp(own->path, map->path) == 0;
}

/* What its creation says of a new run. */
static void fill_created(struct units *u, uint32_t stream, uint32_t row, uint32_t creator, const struct record *r,
			 const struct record *more)
{
	struct work_unit *unit = row_of(u, row);
	unit->state |= UNIT_SEEN | UNIT_CREATED;
	unit->pool = record_value(r) << 3;
	unit->create_ticks = r->time;
	unit->create_stream = stream;
	unit->creator = creator;
	if (more == NULL) /* counted as a cut group */
		return;
	uint64_t bytes = record_value(more);
	unit->stack_bytes = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
	unit->kind = is_in_library(u->model, more->a) ? UNIT_SCHEDULER : bytes == 0 ? UNIT_TASKLET : UNIT_ULT;
	enum construct_kind kind = unit->kind == UNIT_SCHEDULER ? CONSTRUCT_SCHEDULER
				   : bytes == 0                 ? CONSTRUCT_TASKLET
								: CONSTRUCT_UNIT;
	unit->construct = model_construct(u->model, kind, more->a);
}

static int on_create(struct units *u, uint32_t stream, const struct record *r, const struct record *more)
{
	const uint32_t *found = map_get(&u->alive, r->a);
	uint32_t old = found != NULL ? *found : 0, creator;
	if (old != 0 && u->now[old].state == NOW_RUNNING && !is_gone(u, old) &&
	    unit_cut(u, u->now[old].stream, 0, r->time, "unit_without_stop") != 0)
		return -1;
	if (old != 0 && !is_gone(u, old))
		unit_doubt(u, stream, old, "unit_without_free", "one that had been freed, as its handle is used again");
	if (actor(u, stream, r->b, r->time, &creator) != 0)
		return -1;
	uint32_t row = new_unit(u, r->a, UNIT_UNKNOWN);
	if (row == 0)
		return error("out of memory for units");
	if (u->is_filling)
		fill_created(u, stream, row, creator, r, more);
	if (r->b == 0 && creator != 0 && row_of(u, creator)->kind != UNIT_EXTERNAL)
		quirk(u, "creator_not_named");
	return tell(u, stream, (struct unit_event){.kind = UNIT_EVENT_CREATE, .unit = row, .other = creator}, r->time);
}

static int on_revive(struct units *u, uint32_t stream, const struct record *r, const struct record *more)
{
	uint32_t creator, before = subject(u, stream, r->a, false);
	if (before == 0 || actor(u, stream, r->b, r->time, &creator) != 0)
		return before == 0 ? error("out of memory for units") : -1;
	if (u->now[before].state != NOW_ENDED) {
		unit_doubt(u, stream, before, "revived_before_end", "one that had ended");
		if (u->now[before].state == NOW_RUNNING && unit_cut(u, u->now[before].stream, 0, r->time, NULL) != 0)
			return -1;
	}
	uint32_t row = new_row(u, r->a, UNIT_UNKNOWN), *slot = row != 0 ? map_put(&u->alive, r->a) : NULL;
	if (slot == NULL)
		return error("out of memory for units");
	*slot = row;
	if (u->is_filling) {
		struct work_unit *unit = row_of(u, row);
		unit->before = before;
		unit->first = row_of(u, before)->first;
		unit->generation = row_of(u, before)->generation;
		fill_created(u, stream, row, creator, r, more);
	}
	return tell(u, stream, (struct unit_event){.kind = UNIT_EVENT_REVIVE, .unit = row, .other = creator}, r->time);
}

/* The thread is an execution stream's. */
static int be_xstream(struct units *u, uint32_t stream, uint64_t ticks)
{
	u->streams[stream].is_xstream = true;
	return end_external(u, stream, ticks);
}

static int on_run(struct units *u, uint32_t stream, const struct record *r)
{
	struct units_stream *s = &u->streams[stream];
	size_t depth = depth_of(s, r, true);
	uint32_t row = subject(u, stream, r->a, depth == 0), stopped = s->stopped;
	if (row == 0)
		return error("out of memory for units");
	if (be_xstream(u, stream, r->time) != 0)
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
		uint32_t below = named(u, r->b);
		if (below == 0)
			return error("out of memory for units");
		if (below != stopped && u->now[below].state == NOW_READY && !is_gone(u, below)) {
			if (u->is_filling && !(row_of(u, below)->state & UNIT_CREATED))
				be_of_kind(u, below, UNIT_SCHEDULER);
			s->n = s->n < depth ? s->n : depth - 1;
			if (put(u, stream, below, depth - 1, r->time, UNIT_BEGIN) != 0)
				return -1;
		}
	}
	if (u->is_filling && row_of(u, row)->kind == UNIT_UNKNOWN && depth == 0)
		be_of_kind(u, row, UNIT_SCHEDULER);
	return put(u, stream, row, depth, r->time, UNIT_RUN);
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
	return unit_cut(u, stream, depth, ticks, NULL) == 0 ? put(u, stream, row, depth, ticks, UNIT_BEGIN) : -1;
}

static int on_stop(struct units *u, uint32_t stream, const struct record *r, enum unit_reason reason)
{
	size_t depth = depth_of(&u->streams[stream], r, false);
	uint32_t row = subject(u, stream, r->a, depth == 0);
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
	return leave(u, stream, change, r->time);
}

static int on_cancel(struct units *u, uint32_t stream, const struct record *r)
{
	uint32_t row = subject(u, stream, r->a, false);
	if (row == 0)
		return error("out of memory for units");
	struct unit_now *now = &u->now[row];
	struct unit_switch change = {.prior = row, .next = current(&u->streams[stream]), .reason = UNIT_CANCEL};
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
			return leave(u, stream, change, r->time);
		}
	}
	u->now[row].state = NOW_ENDED;
	change.next = current(&u->streams[stream]);
	return tell_switch(u, stream, change, r->time);
}

static int on_polls(struct units *u, uint32_t stream, const struct record *r)
{
	size_t depth = depth_of(&u->streams[stream], r, false);
	uint32_t row = subject(u, stream, r->a, depth == 0);
	if (row == 0)
		return error("out of memory for units");
	if (be_xstream(u, stream, r->time) != 0 || expect_top(u, stream, row, depth, r->time) != 0)
		return -1;
	struct unit_event event = {
		.kind = UNIT_EVENT_POLL, .unit = row, .count = record_value(r), .wait = {record_flags(r) & 0xf, r->b}};
	return tell(u, stream, event, r->time);
}

static int on_resume(struct units *u, uint32_t stream, const struct record *r)
{
	uint32_t waker, row = subject(u, stream, r->a, false);
	if (row == 0 || actor(u, stream, r->b, r->time, &waker) != 0)
		return row == 0 ? error("out of memory for units") : -1;
	struct unit_now *now = &u->now[row];
	if (now->state != NOW_SUSPENDED)
		unit_doubt(u, stream, row, "resume_without_suspend", "one that is suspended");
	else
		now->state = NOW_READY;
	/* 1.1: the unit that is joined resumes its joiner before it reports its own end. */
	const uint32_t *joined = now->wait.sync == unit_sync_unit_join ? map_get(&u->alive, now->wait.object) : NULL;
	if (joined != NULL && *joined == waker && waker != 0 && u->now[waker].state == NOW_RUNNING)
		quirk(u, "resume_before_finish");
	struct unit_event event = {.kind = UNIT_EVENT_RESUME, .unit = row, .other = waker, .wait = now->wait};
	return tell(u, stream, event, r->time);
}

static int on_join(struct units *u, uint32_t stream, const struct record *r)
{
	uint32_t joiner, row = subject(u, stream, r->a, false);
	if (row == 0 || actor(u, stream, r->b, r->time, &joiner) != 0)
		return row == 0 ? error("out of memory for units") : -1;
	struct unit_now *now = &u->now[row];
	if (r->b == 0 && joiner != 0 && row_of(u, joiner)->kind != UNIT_EXTERNAL)
		quirk(u, "joiner_not_named");
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
		quirk(u, "joined_again");
	struct unit_event event = {.kind = UNIT_EVENT_JOIN, .unit = row, .other = joiner, .is_first = is_first};
	return tell(u, stream, event, r->time);
}

static int on_free(struct units *u, uint32_t stream, const struct record *r)
{
	uint32_t by, row = subject(u, stream, r->a, false);
	if (row == 0 || actor(u, stream, r->b, r->time, &by) != 0)
		return row == 0 ? error("out of memory for units") : -1;
	struct work_unit *unit = row_of(u, row);
	struct unit_now *now = &u->now[row];
	/* 1.1 creates and frees the units that main schedulers run on; they never run, and are never in a pool. */
	const unsigned states = UNIT_CREATED | UNIT_STARTED | UNIT_ACTED;
	bool is_root = unit->kind == UNIT_ROOT;
	if (u->is_filling)
		is_root = (unit->kind == UNIT_SCHEDULER || u->model->constructs[unit->construct].codeptr == 0) && unit->pool == 0 &&
			  unit->stack_bytes == 0 && (unit->state & states) == UNIT_CREATED && now->state == NOW_READY;
	if (is_root) {
		quirk(u, "root_unit");
		if (u->is_filling)
			unit->kind = UNIT_ROOT;
	} else if (now->state != NOW_ENDED) {
		unit_doubt(u, stream, row, "freed_before_end", "one that has ended");
		if (now->state == NOW_RUNNING && unit_cut(u, now->stream, 0, r->time, NULL) != 0)
			return -1;
	}
	u->now[row].is_freed = true;
	return tell(u, stream, (struct unit_event){.kind = UNIT_EVENT_FREE, .unit = row, .other = by}, r->time);
}

static int on_xstream(struct units *u, uint32_t stream, const struct record *r)
{
	if (be_xstream(u, stream, r->time) != 0)
		return -1;
	return tell(u, stream, (struct unit_event){.kind = UNIT_EVENT_XSTREAM, .handle = r->a, .count = r->b}, r->time);
}

/* Another thread has the stream. */
static int on_attach(struct units *u, uint32_t stream, const struct record *r)
{
	struct units_stream *s = &u->streams[stream];
	if (r->a != s->tid) {
		const char *repair = s->is_known ? "unit_without_end" : NULL;
		if (unit_cut(u, stream, 0, r->time, repair) != 0 || end_external(u, stream, r->time) != 0)
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
	case EVENT_unit_create: return on_create(u, stream, r, more);
	case EVENT_unit_join: return on_join(u, stream, r);
	case EVENT_unit_free: return on_free(u, stream, r);
	case EVENT_unit_revive: return on_revive(u, stream, r, more);
	case EVENT_unit_run: return on_run(u, stream, r);
	case EVENT_unit_finish: return on_stop(u, stream, r, UNIT_FINISH);
	case EVENT_unit_cancel: return on_cancel(u, stream, r);
	case EVENT_unit_yield: return on_stop(u, stream, r, UNIT_YIELD);
	case EVENT_unit_suspend: return on_stop(u, stream, r, UNIT_SUSPEND);
	case EVENT_unit_resume: return on_resume(u, stream, r);
	case EVENT_unit_polls: return on_polls(u, stream, r);
	case EVENT_unit_xstream: return on_xstream(u, stream, r);
	case EVENT_thread_attach: return on_attach(u, stream, r);
	case EVENT_thread_detach: return end_external(u, stream, r->time);
	case EVENT_recording_off: u->is_blind = true; return 0;
	default: return 0;
	}
}

int units_gap(struct units *u, uint32_t stream, uint64_t ticks)
{
	struct units_stream *s = &u->streams[stream];
	u->is_blind = true;
	if (unit_cut(u, stream, 0, ticks, NULL) != 0 || end_external(u, stream, ticks) != 0)
		return -1;
	s->is_known = false;
	s->stopped = 0;
	return 0;
}

int units_finish(struct units *u)
{
	u->record = NULL;
	for (size_t i = 0; i < u->model->dump->n_streams; i++) {
		uint64_t ticks = u->is_in_life ? u->model->last_ticks : u->streams[i].last_ticks;
		if (unit_cut(u, (uint32_t)i, 0, ticks, "unit_without_end") != 0 || end_external(u, (uint32_t)i, ticks) != 0)
			return -1;
	}
	return 0;
}

int units_begin(struct units *u, struct model *model, units_function *function, void *self, bool is_filling)
{
	*u = (struct units){.model = model, .tell = function, .self = self, .is_filling = is_filling};
	/* A flight recorder's dump begins somewhere, and recording may have begun behind ABT_init. */
	u->is_blind = model->dump->window_ticks != 0 || model->n_events[EVENT_unit_begin] == 0;
	u->streams = calloc(model->dump->n_streams + 1, sizeof *u->streams);
	if (u->streams == NULL)
		return error("out of memory for units");
	for (size_t i = 0; i < model->dump->n_streams; i++)
		u->streams[i].is_known = true;
	if (!is_filling) {
		u->now = calloc(1, sizeof *u->now);
		u->n_units = u->now != NULL;
		u->now_capacity = u->n_units;
		return u->n_units == 1 ? 0 : error("out of memory for units");
	}
	uint32_t none = new_row(u, 0, UNIT_UNKNOWN);
	return none == 0 && u->n_units == 1 ? 0 : error("out of memory for units");
}

void units_end(struct units *u)
{
	for (size_t i = 0; u->streams != NULL && i < u->model->dump->n_streams; i++)
		free(u->streams[i].stack);
	free(u->streams);
	free(u->now);
	map_free(&u->alive);
	map_free(&u->joiners);
	*u = (struct units){0};
}

/* ---- Names ---- */

const char *unit_kind_name(enum unit_kind kind)
{
	static const char *const names[UNIT_KINDS] = {[UNIT_UNKNOWN] = "unknown", [UNIT_ULT] = "ult",
						      [UNIT_TASKLET] = "tasklet", [UNIT_SCHEDULER] = "scheduler",
						      [UNIT_PRIMARY] = "primary", [UNIT_EXTERNAL] = "external",
						      [UNIT_ROOT] = "root"};
	return names[kind];
}

const char *unit_state_name(const struct work_unit *unit)
{
	return unit->state & UNIT_CANCELLED ? "cancelled"
	       : unit->state & UNIT_ENDED   ? "completed"
	       : unit->state & UNIT_STARTED ? "unfinished"
	       : unit->state & UNIT_CREATED ? "never started"
					    : "";
}

const char *unit_sync_name(unsigned sync)
{
	const char *name = event_enum_name("unit_sync", sync);
	return name != NULL ? name : "unknown";
}
