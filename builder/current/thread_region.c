/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The cases of regions and implicit tasks in a thread's state machine that step_region.h leaves out: what runtimes do
 * differently, and records that are missing. Quirk numbers are those of docs/runtimes.md.
 */
#include "builder/current/step_region.h"

/*
 * Inside each initial task of a league LLVM's runtime begins a region that the program does not have, as the team from
 * which it forms the teams of inner regions (Q31). It has no return address. The initial task of a root is not in a league:
 * its region was made up by its own stream, and no record announced it.
 */
bool thread_is_league_inner_team(const struct thread *t, const struct record *record)
{
	const struct model *m = t->model;
	const struct task *task = &m->tasks[t->task];
	bool is_initial = thread_made(t, t->task) && task->flags & task_flags_initial;
	if (!m->is_libomp || record->b != 0 || record_flags(record) & parallel_flags_league || !is_initial)
		return false;
	bool is_of_stream = task->region > m->region_rows.base[t->stream] && task->region <= m->region_rows.base[t->stream + 1];
	return !is_of_stream || m->regions[task->region].state & REGION_ANNOUNCED;
}

/*
 * Which of the thread's open regions a parallel_end ends: the named one, if the named task encountered it. libomp may
 * report a wrong id (Q30): it frees the team before it reports the end, and may read the id of the next owner.
 * That may be a region that is not open any more, that another thread has open, or that has not begun. Then the region
 * that began last ends, because a thread's regions nest, unless it is among the first n_kept ones, whose implicit tasks
 * have not ended. Index + 1, or 0 if no region is meant.
 */
size_t thread_find_ended(const struct thread *t, size_t n_kept, uint32_t region, uint32_t task)
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

/*
 * If a league is open on this thread, an initial task that it begins is in that league, whatever the record names: with
 * num_teams(1) libomp names a region that no record announces, or one that has ended (Q7).
 */
int thread_resolve_region(struct thread *t, const struct record *record, uint32_t *region)
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
	if (thread_quirk(t, "initial_task_without_begin") != 0 || thread_emit(t, &event) != 0)
		return -1;
	thread_push_implicit(t, (struct thread_implicit){.task = row, .n_threads = 1});
	return 0;
}

/* Is this the id of an implicit task that is another name of an initial task? */
bool thread_is_alias(const struct model *m, uint64_t id)
{
	size_t stream = model_id_row(m->dump, id);
	uint32_t row = stream < m->dump->n_streams ? model_own_task(m, (uint32_t)stream, id_counter(id)) : 0;
	return model_alias(m, row) != row;
}

/*
 * Is this the end of the initial task itself, although the record says that the task is implicit (Q46)? The runtime does so
 * where a worker's initial task ends: that record names the task, and no number of threads (Q4), which an alias's end has.
 */
bool thread_league_member_ends(const struct thread *t, uint32_t task, const struct record *record)
{
	return low32(record->b) == 0 && model_task(t->model, record->a) == task && !thread_is_alias(t->model, record->a);
}
