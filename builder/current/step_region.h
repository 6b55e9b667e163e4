/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One step of a thread's state machine with a record that begins or ends a region or an implicit task: which of them the thread
 * is in after it. Inline as step.h is, and used by that; what is rare is in thread_region.c and thread_close.c. Quirk
 * numbers are those of docs/runtimes.md.
 */
#ifndef OTTER_BUILDER_CURRENT_STEP_REGION_H
#define OTTER_BUILDER_CURRENT_STEP_REGION_H

#include "builder/current/thread_state.h"
#include "builder/support/array.h"

/* thread_region.c: see there. */
bool thread_is_league_inner_team(const struct thread *t, const struct record *record);
size_t thread_find_ended(const struct thread *t, size_t n_kept, uint32_t region, uint32_t task);
int thread_resolve_region(struct thread *t, const struct record *record, uint32_t *region);
bool thread_is_alias(const struct model *m, uint64_t id);
bool thread_league_member_ends(const struct thread *t, uint32_t task, const struct record *record);

/* The region that the record's counter means: one that this stream announced. */
static inline uint32_t thread_own_region(const struct thread *t, const struct record *record)
{
	return id_rows_row(&t->model->region_rows, t->stream, record_value(record));
}

STEP_INLINE int thread_parallel_begin(struct thread *t, thread_listener *emit, const struct record *record)
{
	struct thread_event event = {.kind = THREAD_REGION_BEGIN,
				     .record = record,
				     .ticks = record->time,
				     .task = t->task,
				     .region = thread_own_region(t, record),
				     .is_hidden = record->b == 0 && thread_is_league_inner_team(t, record)};
	array_reserve(t->regions, t->n_regions + 1, t->regions_capacity);
	if (emit(t->self, &event) != 0)
		return -1;
	t->regions[t->n_regions++] = event.region;
	return 0;
}

STEP_INLINE int thread_parallel_end(struct thread *t, thread_listener *emit, const struct record *record)
{
	bool is_outer = false;
	uint32_t region = thread_own_region(t, record), task = thread_own(t, record->a, &is_outer);
	const struct thread_implicit *inner = t->n_implicits > 0 ? &t->implicits[t->n_implicits - 1] : NULL;
	size_t n = thread_find_ended(t, inner != NULL ? inner->n_regions : 0, region, task);
	if (n == 0) {
		if (thread_repair(t, record, "region_end_without_begin", 0, 0) != 0)
			return -1;
		thread_set_current(t, task, 0); /* it continues after the region, whichever that was */
		return 0;
	}
	if (t->regions[n - 1] != region && thread_habit(t, record, "region_end_names_another") != 0) /* Q30 */
		return -1;
	region = t->regions[n - 1];
	/* An implicit task that began inside the region must have ended. */
	while (t->n_implicits > 0 && (inner = thread_innermost(t)) != NULL && inner->n_regions >= n)
		if (thread_close_implicit(t, record->time, "scope_without_end") != 0)
			return -1;
	if (t->n_regions > n && thread_close_regions(t, n, record->time, "region_without_end") != 0)
		return -1;
	struct thread_event event = {
		.kind = THREAD_REGION_END, .record = record, .ticks = record->time, .task = t->task, .region = region};
	if (emit(t->self, &event) != 0)
		return -1;
	t->n_regions = n - 1;
	thread_set_current(t, t->model->regions[region].task, 0);
	return 0;
}

static inline void thread_push_implicit(struct thread *t, struct thread_implicit implicit)
{
	array_reserve(t->implicits, t->n_implicits + 1, t->implicits_capacity);
	implicit.outer = t->task;
	implicit.n_regions = t->n_regions;
	implicit.n_suspended = t->suspended.n;
	const struct thread_implicit *around = t->n_implicits > 0 ? &t->implicits[t->n_implicits - 1] : NULL;
	uint32_t low = implicit.task < implicit.outer ? implicit.task : implicit.outer;
	uint32_t high = implicit.task < implicit.outer ? implicit.outer : implicit.task;
	implicit.lowest = around != NULL && around->lowest < low ? around->lowest : low;
	implicit.highest = around != NULL && around->highest > high ? around->highest : high;
	implicit.own = !implicit.is_alias ? t->n_implicits + 1 : around != NULL ? around->own : 0;
	t->implicits[t->n_implicits++] = implicit;
	thread_set_current(t, implicit.task, 0);
}

STEP_INLINE int thread_implicit_begin(struct thread *t, thread_listener *emit, const struct record *record)
{
	const struct model *m = t->model;
	uint32_t row = model_own_task(m, t->stream, record_value(record)), region = model_region(m, record->a);
	if (row > t->latest_row)
		t->latest_row = row;
	bool is_other = t->is_region_new || record_flags(record) & task_flags_initial; /* may it be another region? */
	if (is_other && thread_resolve_region(t, record, &region) != 0)
		return -1;
	struct thread_event event = {.record = record, .ticks = record->time, .task = row, .region = region};
	bool is_nested = t->n_regions > 0 && t->regions[t->n_regions - 1] == region;
	if (is_nested && m->regions[region].state & REGION_HIDDEN) { /* Q31 */
		event.kind = THREAD_ALIAS;
		event.other = t->task;
		if (emit(t->self, &event) != 0)
			return -1;
		thread_push_implicit(t, (struct thread_implicit){.task = t->task, .n_threads = low32(record->b), .is_alias = true});
		return 0;
	}
	/* A thread works in one team at a time, except for the regions that it encounters itself. */
	if (t->n_implicits > 0 && !is_nested && thread_close(t, 0, "scope_without_end") != 0)
		return -1;
	event.kind = THREAD_IMPLICIT_BEGIN;
	if (emit(t->self, &event) != 0)
		return -1;
	thread_push_implicit(t, (struct thread_implicit){.task = row, .n_threads = low32(record->b)});
	if (row != 0)
		t->task_id = id_make(m->dump->streams[t->stream].number, record_value(record));
	return 0;
}

STEP_INLINE int thread_leave(struct thread *t, thread_listener *emit, uint32_t task, uint64_t ticks, const char *repair)
{
	return emit(t->self, &(struct thread_event){.kind = THREAD_LEAVE, .ticks = ticks, .task = task, .repair = repair});
}

/* Ends the innermost implicit task. record: its end, NULL where that is missing. ticks: as recorded. */
STEP_INLINE int thread_end_implicit(struct thread *t, thread_listener *emit, const struct record *record, uint64_t ticks,
				    const char *repair)
{
	while (t->implicits[t->n_implicits - 1].is_alias)
		t->n_implicits--;
	const struct thread_implicit *inner = &t->implicits[t->n_implicits - 1];
	if (!t->is_first_pass)
		ticks = thread_end_ticks(t->model, inner->task, ticks);
	if (t->suspended.n > inner->n_suspended && thread_cut_tasks(t, inner->n_suspended, ticks, repair) != 0)
		return -1;
	thread_set_current(t, inner->task, 0);
	if (thread_leave(t, emit, inner->task, ticks, repair) != 0)
		return -1;
	if (t->n_regions > inner->n_regions && thread_close_regions(t, inner->n_regions, ticks, repair) != 0)
		return -1;
	struct thread_event event = {.kind = THREAD_IMPLICIT_END,
				     .record = record,
				     .ticks = ticks,
				     .task = inner->task,
				     .region = t->model->tasks[inner->task].region,
				     .repair = repair,
				     .implicit = inner};
	if (emit(t->self, &event) != 0)
		return -1;
	t->ended_serial = inner->n_threads == 1 ? inner->task : t->ended_serial;
	t->n_implicits--;
	thread_set_current(t, inner->outer, 0);
	return 0;
}

STEP_INLINE int thread_implicit_end(struct thread *t, thread_listener *emit, const struct record *record)
{
	const struct model *m = t->model;
	if (t->n_implicits > 0 && t->implicits[t->n_implicits - 1].is_alias) {
		t->n_implicits--;
		return 0;
	}
	struct thread_implicit *inner = thread_innermost(t);
	/* The begin of an alias may be missing: it ends in the initial task that it stands for (Q31, Q38). */
	bool is_in_initial = inner != NULL && m->tasks[inner->task].flags & task_flags_initial;
	if (m->n_aliases > 0 && is_in_initial && !(record_flags(record) & task_flags_initial)) {
		if (!thread_league_member_ends(t, inner->task, record))
			return 0;
		if (thread_habit(t, record, "league_end_as_implicit") != 0) /* Q46 */
			return -1;
	} else if (m->n_aliases > 0 && thread_is_alias(m, record->a)) {
		return 0;
	}
	if (inner == NULL) {
		if (thread_repair(t, record, "implicit_task_end_without_begin", 0, 0) != 0)
			return -1;
		thread_set_current(t, 0, 0);
		return 0;
	}
	/* If the program exits inside an explicit task, the record has that task's id: the task never ends. */
	if (t->suspended.n > inner->n_suspended)
		thread_forget_moved(t, inner->n_suspended);
	bool is_cut = t->suspended.n > inner->n_suspended && suspended_above(&t->suspended, inner->n_suspended);
	return thread_end_implicit(t, emit, record, record->time, is_cut ? "scope_without_end" : NULL);
}

/* The record is about a region or an implicit task. */
STEP_INLINE int thread_step_region(struct thread *t, thread_listener *emit, const struct record *record)
{
	switch (record_kind(record)) {
	case EVENT_parallel_begin: return thread_parallel_begin(t, emit, record);
	case EVENT_parallel_end: return thread_parallel_end(t, emit, record);
	case EVENT_implicit_task_begin: return thread_implicit_begin(t, emit, record);
	default: return thread_implicit_end(t, emit, record);
	}
}

#endif
