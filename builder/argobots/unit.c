/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The state of Argobots' work units: their rows, which unit a handle means, which unit runs on each stream.
 * docs/runtimes.md ("Argobots") describes, under the names that are counted here, what the library does differently
 * than its documentation says. One thread.
 */
#include "builder/argobots/unit_state.h"
#include "builder/support/array.h"

/* ---- Rows ---- */

void units_set_kind(struct units *u, uint32_t row, enum unit_kind kind)
{
	static const enum construct_kind constructs[UNIT_KINDS] = {
		[UNIT_UNKNOWN] = CONSTRUCT_UNIT,        [UNIT_ULT] = CONSTRUCT_UNIT,       [UNIT_TASKLET] = CONSTRUCT_TASKLET,
		[UNIT_SCHEDULER] = CONSTRUCT_SCHEDULER, [UNIT_ROOT] = CONSTRUCT_SCHEDULER, [UNIT_PRIMARY] = CONSTRUCT_PRIMARY_UNIT,
		[UNIT_EXTERNAL] = CONSTRUCT_EXTERNAL};
	units_row_to_fill(u, row)->kind = (uint8_t)kind;
	units_row_to_fill(u, row)->construct = model_construct(u->filling, constructs[kind], 0);
}

/* Adds the row to the table. */
static void add_row(struct units *u, uint32_t row, uint64_t handle, enum unit_kind kind)
{
	struct model *m = u->filling;
	if (row == UINT32_MAX)
		memory_fail(0, "the work units: there are more than a row's number can tell apart");
	array_reserve(m->units, (size_t)row + 1, u->units_capacity);
	m->units[row] = (struct work_unit){.handle = handle,
					   .first = row,
					   .generation = 1,
					   .ordinal = 1,
					   .life = u->life,
					   .run_rank = UINT32_MAX,
					   .last_rank = UINT32_MAX};
	m->n_units = row + 1;
	if (row != 0)
		units_set_kind(u, row, kind);
}

uint32_t units_new_row(struct units *u, uint64_t handle, enum unit_kind kind)
{
	uint32_t row = u->n_units;
	if (u->filling != NULL) {
		add_row(u, row, handle, kind);
	} else if (row >= u->model->n_units) {
		u->has_changed = true;
		return 0;
	}
	array_reserve(u->now, (size_t)row + 1, u->now_capacity);
	u->now[row] = (struct unit_now){.state = NOW_READY, .life = u->life};
	u->n_units++;
	return row;
}

uint32_t units_new_unit(struct units *u, uint64_t handle, enum unit_kind kind)
{
	uint32_t *slot = map_put(&u->alive, handle), before = *slot;
	*slot = units_new_row(u, handle, kind);
	if (u->filling != NULL && before != 0)
		units_row_to_fill(u, *slot)->generation = units_row(u, before)->generation + 1;
	return *slot;
}

/* ---- Repairs and quirks ---- */

void unit_repair(struct units *u, uint32_t stream, uint32_t row, const char *name, const char *expected)
{
	struct model *m = u->filling;
	if (m == NULL)
		return;
	if (u->is_blind) {
		tally_add(&m->notes->quirks, "unit_not_whole", 1);
		return;
	}
	units_row_to_fill(u, row)->state |= UNIT_CONTRADICTORY;
	unsigned n_before = m->notes->repairs.n_rows;
	tally_add(&m->notes->repairs, name, 1);
	if (m->notes->repairs.n_rows == n_before)
		return;
	const struct event_info *info = u->record != NULL ? event_info(record_kind(u->record)) : NULL;
	uint64_t ticks = u->record != NULL ? u->record->time : u->streams[stream].last_ticks;
	warning("%s: stream %u, at %llu ns: found %s for unit 0x%llx, expected %s [%s]", m->dump->path,
		m->dump->streams[stream].number, (unsigned long long)dump_ns(m->dump, ticks),
		info != NULL ? info->name : "the end of the records", (unsigned long long)units_row(u, row)->handle, expected,
		name);
}

void unit_quirk(struct units *u, const char *name)
{
	if (u->filling != NULL)
		tally_add(&u->filling->notes->quirks, name, 1);
}

/* ---- Which unit is meant ---- */

bool units_is_gone(const struct units *u, uint32_t row)
{
	return u->now[row].is_freed || u->now[row].life != u->life;
}

uint32_t units_subject(struct units *u, uint32_t stream, uint64_t handle, bool is_scheduler)
{
	const uint32_t *found = map_get(&u->alive, handle);
	uint32_t row = found != NULL ? *found : 0;
	if (row == 0 || units_is_gone(u, row)) {
		row = units_new_unit(u, handle, is_scheduler ? UNIT_SCHEDULER : UNIT_UNKNOWN);
		if (!is_scheduler)
			unit_repair(u, stream, row, "unit_without_create", "a unit that was created");
	}
	if (u->filling != NULL)
		units_row_to_fill(u, row)->state |= UNIT_SEEN;
	return row;
}

uint32_t units_named(struct units *u, uint32_t stream, uint64_t handle)
{
	if (handle == 0)
		return 0;
	const uint32_t *found = map_get(&u->alive, handle);
	uint32_t row = found != NULL && u->now[*found].life == u->life ? *found : units_new_unit(u, handle, UNIT_UNKNOWN);
	if (u->filling == NULL)
		return row;
	if (units_row(u, row)->kind == UNIT_ROOT) {
		/*
		 * When it was freed, it was assumed to be one of the library's own units. Those do nothing, so it is not.
		 */
		units_set_kind(u, row, UNIT_UNKNOWN);
		unit_repair(u, stream, row, "freed_before_end", "a unit that has not been freed");
	}
	units_row_to_fill(u, row)->state |= UNIT_SEEN | UNIT_ACTED;
	return row;
}

uint32_t units_top(const struct units_stream *s)
{
	for (size_t n = s->n; n > 0; n--)
		if (s->stack[n - 1] != 0)
			return s->stack[n - 1];
	return s->external;
}

uint32_t units_current(const struct units *u, uint32_t stream)
{
	return units_top(&u->streams[stream]);
}

/* ---- Events ---- */

int units_emit(struct units *u, uint32_t stream, struct unit_event event, uint64_t ticks)
{
	if (u->has_changed)
		return error("%s: its files changed while they were read", u->model->dump->path);
	event.stream = stream;
	event.ticks = ticks;
	if (event.other != 0) { /* it has done something */
		u->now[event.other].is_looking = false;
		u->now[event.other].acted_ticks = ticks;
	}
	return u->emit(u->self, &event);
}

int units_emit_switch(struct units *u, uint32_t stream, struct unit_switch change, uint64_t ticks)
{
	struct unit_event event = {
		.kind = UNIT_EVENT_SWITCH, .unit = change.next != 0 ? change.next : change.prior, .change = change};
	if (change.reason > UNIT_RUN)
		event.unit = change.prior;
	return units_emit(u, stream, event, ticks);
}

/* ---- Looking and waiting ---- */

bool units_was_look(const struct units *u, uint32_t row, struct unit_wait wait)
{
	const struct unit_now *now = &u->now[row];
	return now->is_looking && now->wait.sync == wait.sync && now->wait.object == wait.object;
}

void units_note_own(struct units *u, uint32_t stream, uint32_t row)
{
	struct units_stream *s = &u->streams[stream];
	if (u->filling != NULL && s->is_known)
		units_row_to_fill(u, row)->after = s->own;
	s->own = row;
}

/* ---- Which unit runs ---- */

int units_leave(struct units *u, uint32_t stream, struct unit_switch change, uint64_t ticks)
{
	struct units_stream *s = &u->streams[stream];
	uint32_t row = s->stack[--s->n];
	change.prior = row;
	change.depth = (unsigned)s->n;
	change.next = units_top(s);
	s->stopped = row;
	if (row == 0)
		return 0;
	bool is_over = change.reason == UNIT_FINISH || change.reason == UNIT_CANCEL || change.reason == UNIT_END;
	change.was_look = change.reason == UNIT_YIELD && units_was_look(u, row, change.wait);
	u->now[row].state = is_over ? NOW_ENDED : change.reason == UNIT_SUSPEND ? NOW_SUSPENDED : NOW_READY;
	u->now[row].wait = change.wait;
	u->now[row].has_polled = change.reason == UNIT_YIELD && unit_sync_polls(change.wait.sync);
	u->now[row].is_looking = false;
	u->now[row].since_ticks = ticks;
	return units_emit_switch(u, stream, change, ticks);
}

int unit_cut(struct units *u, uint32_t stream, size_t depth, uint64_t ticks, const char *repair)
{
	struct units_stream *s = &u->streams[stream];
	while (s->n > depth) {
		uint32_t row = s->stack[s->n - 1];
		if (row != 0 && repair != NULL)
			unit_repair(u, stream, row, repair, "a unit that had stopped");
		struct unit_switch change = {.reason = UNIT_STOP_MISSING};
		if (units_leave(u, stream, change, ticks) != 0)
			return -1;
	}
	return 0;
}

int units_end_external(struct units *u, uint32_t stream, uint64_t ticks)
{
	struct units_stream *s = &u->streams[stream];
	struct unit_switch change = {.prior = s->external, .reason = UNIT_END};
	if (s->external == 0)
		return 0;
	u->now[s->external].state = NOW_ENDED;
	s->external = 0;
	return units_emit_switch(u, stream, change, ticks);
}

int units_put(struct units *u, uint32_t stream, uint32_t row, size_t depth, uint64_t ticks, enum unit_reason reason)
{
	struct units_stream *s = &u->streams[stream];
	array_reserve(s->stack, depth + 1, s->capacity);
	while (s->n < depth)
		s->stack[s->n++] = 0;
	struct unit_switch change = {.prior = units_top(s), .next = row, .reason = reason, .depth = (unsigned)depth};
	s->stack[s->n++] = row;
	s->stopped = 0;
	u->now[row].state = NOW_RUNNING;
	u->now[row].has_run = true;
	u->now[row].is_looking = u->now[row].has_polled;
	u->now[row].has_polled = false;
	u->now[row].acted_ticks = ticks;
	u->now[row].stream = stream;
	return units_emit_switch(u, stream, change, ticks);
}

/*
 * Finds the unit that acts on a stream if the record names none: the one that runs; else the thread itself, if it is external.
 */
static int find_actor(struct units *u, uint32_t stream, uint64_t ticks, uint32_t *row)
{
	struct units_stream *s = &u->streams[stream];
	*row = units_top(s);
	if (*row != 0 || s->is_xstream || s->n > 0 || !s->is_known)
		return 0;
	s->external = *row = units_new_row(u, 0, UNIT_EXTERNAL);
	units_note_own(u, stream, *row);
	if (u->filling != NULL) {
		units_row_to_fill(u, *row)->state |= UNIT_SEEN | UNIT_ACTED;
		units_row_to_fill(u, *row)->create_stream = stream;
	}
	u->now[*row].state = NOW_RUNNING;
	u->now[*row].acted_ticks = ticks;
	u->now[*row].stream = stream;
	struct unit_switch change = {.next = *row, .reason = UNIT_BEGIN};
	return units_emit_switch(u, stream, change, ticks);
}

int units_actor(struct units *u, uint32_t stream, uint64_t handle, uint64_t ticks, uint32_t *row)
{
	*row = units_named(u, stream, handle);
	return handle != 0 ? 0 : find_actor(u, stream, ticks, row);
}

int units_gap(struct units *u, uint32_t stream, uint64_t ticks)
{
	struct units_stream *s = &u->streams[stream];
	u->is_blind = true;
	if (unit_cut(u, stream, 0, ticks, NULL) != 0 || units_end_external(u, stream, ticks) != 0)
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
		if (unit_cut(u, (uint32_t)i, 0, ticks, "unit_without_end") != 0 || units_end_external(u, (uint32_t)i, ticks) != 0)
			return -1;
	}
	return 0;
}

bool units_polls_elsewhere(const struct units *u, uint32_t row)
{
	const struct unit_now *now = &u->now[row];
	if (now->state != NOW_RUNNING || units_top(&u->streams[now->stream]) != row)
		return false;
	const struct record *next = u->next(u->self, now->stream);
	return next != NULL && record_kind(next) == EVENT_unit_polls && next->a == u->model->units[row].handle;
}

int units_stop_polling(struct units *u, uint32_t row, uint64_t ticks)
{
	if (!units_polls_elsewhere(u, row))
		return 0;
	uint32_t there = u->now[row].stream;
	const struct record *polls = u->next(u->self, there);
	struct unit_switch change = {.reason = UNIT_YIELD, .wait = {record_flags(polls) & 0xf, polls->b}};
	unit_quirk(u, "polled_in_turns");
	return units_leave(u, there, change, ticks);
}

void units_begin(struct units *u, const struct model *model, struct model *filling, units_function *function, units_next *next,
		 void *self)
{
	*u = (struct units){.model = model, .filling = filling, .emit = function, .next = next, .self = self};
	/* A flight recorder's dump may begin anywhere, and recording may have begun after ABT_init. */
	u->is_blind = model->dump->window_ticks != 0 || model->n_events[EVENT_unit_begin] == 0;
	u->streams = memory_zeroed(model->dump->n_streams + 1, sizeof *u->streams, "the work units");
	for (size_t i = 0; i < model->dump->n_streams; i++)
		u->streams[i].is_known = true;
	units_new_row(u, 0, UNIT_UNKNOWN); /* row 0 */
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
