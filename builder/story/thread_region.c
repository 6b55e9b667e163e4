/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The regions and implicit tasks of a thread's story: which of them the thread is in after a record that begins or ends
 * one. Called by thread_step(). Quirk numbers are those of docs/runtimes.md.
 */
#include "builder/story/thread_state.h"
#include "builder/support/array.h"

/* The region that the record's counter means: one that this stream announced. */
static uint32_t own_region(const struct thread *t, const struct record *record)
{
	return model_region(t->model, id_make(t->model->dump->streams[t->stream].number, record_value(record)));
}

/*
 * Inside each initial task of a league LLVM's runtime begins a region that the program does not have, as the team from
 * which inner regions grow (Q31). It has no return address. The initial task of a root is not in a league: its region
 * was made up by its own stream, and no record announced it.
 */
static bool is_league_inner_team(const struct thread *t, const struct record *record)
{
	const struct model *m = t->model;
	const struct task *task = &m->tasks[t->task];
	bool is_initial = thread_made(t, t->task) && task->flags & task_flags_initial;
	if (!m->is_libomp || record->b != 0 || record_flags(record) & parallel_flags_league || !is_initial)
		return false;
	bool is_of_stream = task->region > m->region_rows.base[t->stream] && task->region <= m->region_rows.base[t->stream + 1];
	return !is_of_stream || m->regions[task->region].state & REGION_ANNOUNCED;
}

int thread_parallel_begin(struct thread *t, const struct record *record)
{
	struct thread_event event = {.kind = THREAD_REGION_BEGIN,
				     .record = record,
				     .ticks = record->time,
				     .task = t->task,
				     .region = own_region(t, record),
				     .is_hidden = is_league_inner_team(t, record)};
	array_reserve((void **)&t->regions, t->n_regions + 1, &t->regions_capacity, sizeof *t->regions);
	if (thread_tell(t, &event) != 0)
		return -1;
	t->regions[t->n_regions++] = event.region;
	return 0;
}

/*
 * Which of the thread's open regions a parallel_end ends: the named one, if the named task encountered it. libomp may
 * give a wrong name (Q30): it gives the team back before it reports the end, and may read the id of the next owner.
 * That may be a region that is not open any more, that another thread has open, or that has not begun. Then the region
 * that began last ends, because a thread's regions nest, unless it is among the first n_kept ones, whose implicit tasks
 * have not ended. Index + 1, or 0 if no region is meant.
 */
static size_t find_ended(const struct thread *t, size_t n_kept, uint32_t region, uint32_t task)
{
	size_t of_task = 0, n_least = t->n_regions > NESTING_MAX ? t->n_regions - NESTING_MAX : 0;
	if (t->model->is_libomp && t->n_regions > n_kept)
		return t->n_regions;
	for (size_t n = t->n_regions; n > n_least; n--) {
		if (t->model->regions[t->regions[n - 1]].task != task)
			continue;
		if (t->regions[n - 1] == region)
			return n;
		if (of_task == 0)
			of_task = n;
	}
	for (size_t n = t->n_regions; of_task == 0 && n > n_least; n--)
		if (t->regions[n - 1] == region)
			return n;
	return of_task;
}

int thread_parallel_end(struct thread *t, const struct record *record)
{
	bool is_outer = false;
	uint32_t region = own_region(t, record), task = thread_own(t, record->a, &is_outer);
	const struct thread_implicit *inner = t->n_implicits > 0 ? &t->implicits[t->n_implicits - 1] : NULL;
	size_t n = find_ended(t, inner != NULL ? inner->n_regions : 0, region, task);
	if (n == 0) {
		if (thread_repair(t, record, "region_end_without_begin", 0, 0) != 0)
			return -1;
		thread_set_current(t, task, 0); /* it goes on after the region, whichever that was */
		return 0;
	}
	if (t->regions[n - 1] != region && thread_habit(t, record, "region_end_names_another") != 0) /* Q30 */
		return -1;
	region = t->regions[n - 1];
	/* An implicit task that began inside the region must have ended. */
	while (t->n_implicits > 0 && (inner = thread_innermost(t)) != NULL && inner->n_regions >= n)
		if (thread_close_implicit(t, record->time, "scope_without_end") != 0)
			return -1;
	if (thread_close_regions(t, n, record->time, "region_without_end") != 0)
		return -1;
	struct thread_event event = {
		.kind = THREAD_REGION_END, .record = record, .ticks = record->time, .task = t->task, .region = region};
	if (thread_tell(t, &event) != 0)
		return -1;
	t->n_regions = n - 1;
	thread_set_current(t, t->model->regions[region].task, 0);
	return 0;
}

/*
 * If a league is open on this thread, an initial task that it begins is in that league, whatever the record names: with
 * num_teams(1) libomp names a region that no record announces, or one that has ended (Q7).
 */
static int resolve_region(struct thread *t, const struct record *record, uint32_t *region)
{
	const struct model *m = t->model;
	uint32_t enclosing = t->n_regions > 0 ? t->regions[t->n_regions - 1] : 0;
	if (record_flags(record) & task_flags_initial) {
		if (enclosing == *region || !(m->regions[enclosing].flags & parallel_flags_league))
			return 0;
		*region = enclosing;
		return thread_habit(t, record, "league_of_one_region");
	}
	/* A serialized region inside another one has just begun, but libomp names the outer one (Q38). */
	bool is_serialized = m->is_libomp && t->n_regions > 0 && high32(record->b) == 0 && t->is_region_new;
	if (!is_serialized || *region == enclosing)
		return 0;
	*region = enclosing;
	return thread_quirk(t, "outer_task_named");
}

static void push_implicit(struct thread *t, struct thread_implicit implicit)
{
	array_reserve((void **)&t->implicits, t->n_implicits + 1, &t->implicits_capacity, sizeof *t->implicits);
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

int thread_implicit_begin(struct thread *t, const struct record *record)
{
	const struct model *m = t->model;
	uint32_t row = model_own_task(m, t->stream, record_value(record)), region = model_region(m, record->a);
	if (row > t->latest_row)
		t->latest_row = row;
	if (resolve_region(t, record, &region) != 0)
		return -1;
	struct thread_event event = {.record = record, .ticks = record->time, .task = row, .region = region};
	bool is_nested = t->n_regions > 0 && t->regions[t->n_regions - 1] == region;
	if (is_nested && m->regions[region].state & REGION_HIDDEN) { /* Q31 */
		event.kind = THREAD_ALIAS;
		event.other = t->task;
		if (thread_tell(t, &event) != 0)
			return -1;
		push_implicit(t, (struct thread_implicit){.task = t->task, .n_threads = low32(record->b), .is_alias = true});
		return 0;
	}
	/* A thread works in one team at a time, except for the regions that it encounters itself. */
	if (t->n_implicits > 0 && !is_nested && thread_close(t, 0, "scope_without_end") != 0)
		return -1;
	event.kind = THREAD_IMPLICIT_BEGIN;
	if (thread_tell(t, &event) != 0)
		return -1;
	push_implicit(t, (struct thread_implicit){.task = row, .n_threads = low32(record->b)});
	return 0;
}

/* Does a record of this kind need a current task? */
static bool needs_task(unsigned kind)
{
	return kind == EVENT_parallel_begin || kind == EVENT_task_create || kind == EVENT_sync_region_begin ||
	       kind == EVENT_work_begin || kind == EVENT_masked_begin;
}

int thread_missing_root(struct thread *t, const struct record *record)
{
	if (t->n_implicits > 0 || !t->model->is_libomp || !needs_task(record_kind(record)))
		return 0;
	uint32_t row = t->ops->missing_root(t->self, t->n_missing_roots);
	if (row == 0)
		return 0;
	t->n_missing_roots++;
	struct thread_event event = {
		.kind = THREAD_IMPLICIT_BEGIN, .ticks = record->time, .task = row, .region = t->model->tasks[row].region};
	if (thread_quirk(t, "initial_task_without_begin") != 0 || thread_tell(t, &event) != 0)
		return -1;
	push_implicit(t, (struct thread_implicit){.task = row, .n_threads = 1});
	return 0;
}

/* Is this the id of an implicit task that is another name of an initial task? */
static bool is_alias(const struct model *m, uint64_t id)
{
	size_t stream = model_id_row(m->dump, id);
	uint32_t row = stream < m->dump->n_streams ? model_own_task(m, (uint32_t)stream, id_counter(id)) : 0;
	return model_alias(m, row) != row;
}

int thread_implicit_end(struct thread *t, const struct record *record)
{
	const struct model *m = t->model;
	if (t->n_implicits > 0 && t->implicits[t->n_implicits - 1].is_alias) {
		t->n_implicits--;
		return 0;
	}
	struct thread_implicit *inner = thread_innermost(t);
	/* The begin of an alias may be missing: it ends in the initial task that it stands for (Q31, Q38). */
	bool is_in_initial = inner != NULL && m->tasks[inner->task].flags & task_flags_initial;
	if (m->n_aliases > 0 && (is_alias(m, record->a) || (is_in_initial && !(record_flags(record) & task_flags_initial))))
		return 0;
	if (inner == NULL) {
		if (thread_repair(t, record, "implicit_task_end_without_begin", 0, 0) != 0)
			return -1;
		thread_set_current(t, 0, 0);
		return 0;
	}
	/* If the program exits inside an explicit task, that task's id comes here: the task never ends. */
	thread_forget_moved(t, inner->n_suspended);
	bool is_cut = suspended_above(&t->suspended, inner->n_suspended);
	return thread_end_implicit(t, record, record->time, is_cut ? "scope_without_end" : NULL);
}
