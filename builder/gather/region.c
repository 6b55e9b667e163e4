/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The first pass's regions and implicit tasks: turns the events of a thread's state machine into rows of model.regions and
 * model.tasks: which tasks are in which team, and when the team joined. gather.c calls these functions for each event of a
 * state machine, on the thread that walks the stream. Quirk numbers are those of docs/runtimes.md.
 */
#include "builder/gather/stream.h"
#include "builder/current/barrier.h"

/*
 * For target tasks libomp has a team of hidden helper threads. A root thread that libomp makes begins that team's
 * region before anything else, and the call comes from the runtime (Q22). The program has no such region.
 */
static bool is_helper_team(const struct gather_stream *w, const struct record *r, uint32_t construct)
{
	const struct model *m = w->m;
	bool is_first = w->new_root_at != 0 && w->n_records - w->new_root_at <= 1;
	bool is_of_runtime = r->b != 0 && gather_codeptr(w, construct) == 0;
	return m->is_libomp && is_first && is_of_runtime && !(record_flags(r) & parallel_flags_league) &&
	       w->thread.tid != (uint64_t)m->dump->meta.pid;
}

void gather_region_begin(struct gather_stream *w, const struct thread_event *e)
{
	struct model *m = w->m;
	const struct record *r = e->record;
	struct region *region = &m->regions[e->region];
	unsigned flags = record_flags(r);
	if (e->region == 0) {
		gather_repair(w, "id_out_of_range", "it begins region %llu of its stream, expected at most %llu",
			      (unsigned long long)record_value(r), (unsigned long long)m->dump->streams[w->stream].max_region);
		return;
	}
	if (region->state & REGION_ANNOUNCED)
		gather_repair(w, "region_begun_twice", "region %llu of its stream once more, expected a new one",
			      (unsigned long long)record_value(r));
	region->task = e->task;
	enum construct_kind kind = flags & parallel_flags_league ? CONSTRUCT_TEAMS : CONSTRUCT_PARALLEL;
	region->construct = gather_construct(w, kind, thread_codeptr(&w->thread, r));
	region->requested = low32(r->a);
	region->flags = (uint8_t)flags;
	region->state |= REGION_SEEN | REGION_ANNOUNCED;
	if (e->is_hidden) {
		region->state |= REGION_HIDDEN;
		tally_add(&model_notes(m, w->stream)->quirks, "league_inner_team", 1); /* Q31 */
	}
	region->begin_ticks = r->time;
	if (is_helper_team(w, r, region->construct)) {
		region->state |= REGION_HELPER;
		gather_run(w, e->task)->state |= TASK_HELPER;
		tally_add(&model_notes(m, w->stream)->quirks, "helper_team", 1);
	}
}

void gather_region_end(struct gather_stream *w, const struct thread_event *e)
{
	if (e->record == NULL || e->region == 0)
		return;
	w->m->regions[e->region].end_ticks = e->record->time;
	w->m->regions[e->region].state |= REGION_ENDED;
}

/* Checks the ids in the begin of an implicit task. */
static void check_begin(struct gather_stream *w, const struct thread_event *e)
{
	const struct model *m = w->m;
	const struct record *r = e->record;
	if (e->task == 0)
		gather_repair(w, "id_out_of_range", "it begins task %llu of its stream, expected at most %llu",
			      (unsigned long long)record_value(r), (unsigned long long)m->dump->streams[w->stream].max_task);
	else if (m->tasks[e->task].flags & TASK_IS_CREATED)
		gather_repair_task(w, e->task, "task_created_twice", "a new one");
	if (r->a != 0 && model_region(m, r->a) == 0 && m->dump->is_complete)
		gather_repair(w, "id_out_of_range", "it begins a task of region %u:%llu, which no stream made", id_stream(r->a),
			      (unsigned long long)id_counter(r->a));
}

void gather_alias(struct gather_stream *w, const struct thread_event *e)
{
	check_begin(w, e);
	if (w->g->is_serial)
		model_set_alias(w->m, e->task, e->other);
	else
		gather_needs_order(w);
}

void gather_implicit_begin(struct gather_stream *w, const struct thread_event *e)
{
	const struct record *r = e->record;
	struct task *task = e->task != 0 ? &w->m->tasks[e->task] : &w->nobody, *run = gather_run(w, e->task);
	if (r != NULL) {
		check_begin(w, e);
		const unsigned others = task_flags_explicit | task_flags_target | task_flags_taskwait;
		task->flags = (uint16_t)((record_flags(r) & ~others) | TASK_IS_CREATED);
		if (!(task->flags & task_flags_initial))
			task->flags |= task_flags_implicit;
		task->thread = high32(r->b);
		struct region *region = task->thread == 0 ? gather_region(w, e->region) : NULL;
		if (region != NULL)
			region->actual = low32(r->b);
	}
	task->flags |= TASK_IS_CREATED;
	task->region = e->region;
	task->create_ticks = run->start_ticks = e->ticks;
	run->state |= TASK_STARTED;
	if (w->thread.n_implicits == 0 && task->flags & task_flags_initial)
		w->new_root_at = w->n_records;
}

uint32_t gather_missing_root(void *self, uint32_t n)
{
	struct gather_stream *w = self;
	if (!w->g->is_serial)
		gather_needs_order(w);
	return w->g->is_serial ? model_add_root(w->m, w->stream, n) : 0;
}

/*
 * The region that joins when this implicit task's closing barrier ends: that of the task if it is thread 0, else NULL.
 */
static struct region *joining_region(struct gather_stream *w, const struct thread_implicit *implicit)
{
	const struct task *task = implicit != NULL ? &w->m->tasks[implicit->task] : NULL;
	return task != NULL && task->thread == 0 ? gather_region(w, task->region) : NULL;
}

void gather_sync_end(struct gather_stream *w, const struct record *r)
{
	struct region *region = barrier_closes(record_flags(r)) ? joining_region(w, thread_innermost(&w->thread)) : NULL;
	if (region != NULL)
		region->join_ticks = r->time;
}

void gather_implicit_end(struct gather_stream *w, const struct thread_event *e)
{
	struct region *region = joining_region(w, e->implicit);
	uint32_t closing = barrier_closing(&w->thread, e->implicit, e->record != NULL);
	if (closing != 0 && region != NULL && e->implicit->barrier_end_ticks != 0)
		region->join_ticks = e->implicit->barrier_end_ticks;
	gather_forget_places(w, e->task);
	if (e->record != NULL) {
		if (region != NULL && region->join_ticks == UINT64_MAX)
			region->join_ticks = e->record->time;
		struct task *run = gather_run(w, e->task);
		run->end_ticks = e->record->time;
		run->state |= TASK_COMPLETED;
	}
	if (closing != 0)
		array_push(w->closings, w->n_closings, w->closings_capacity, (struct closing){e->task, closing});
}

/* Each initial task of a league is a team of its own, until the end of the league. */
void gather_arrival(struct gather_stream *w, const struct record *r)
{
	const struct thread_implicit *inner = thread_innermost(&w->thread);
	const struct task *task = inner != NULL ? &w->m->tasks[inner->task] : NULL;
	bool is_alone = task != NULL && task->flags & task_flags_initial && !barrier_closes(record_flags(r));
	if (task == NULL || !sync_is_barrier(record_flags(r)) || is_alone || inner->task != w->thread.task)
		return;
	arrivals_note(&w->arrivals, task->region, task->flags & task_flags_initial ? ARRIVAL_OF_LEAGUE : inner->n_barriers,
		      r->time);
}
