/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The first pass's explicit tasks: turns the events of a thread's state machine into rows of model.tasks: which task created
 * them, where they ran, and which of them an archive has to treat with care. It listens to the state machine: gather.c calls
 * gather_step() for each record, on the thread that walks the stream; events of regions are passed on to region.c. Quirk
 * numbers are those of docs/runtimes.md.
 */
#include "builder/gather/stream.h"
#include "builder/current/step.h"

#include <string.h>

/* ---- Creation ---- */

/*
 * May the current task create tasks in another one's name (Q44)? Whether that is the case is only known after all
 * streams: see gather_settle_splits().
 */
static bool may_be_in_place(const struct gather_stream *w)
{
	return w->m->is_libomp && gather_is_explicit(w, w->thread.task);
}

/* Has this stream run a task that is about to be created? */
static bool has_run(struct gather_stream *w, uint32_t row)
{
	uint32_t owner = __atomic_load_n(&w->m->tasks[row].run_stream, __ATOMIC_RELAXED); /* 0: no stream has claimed it so far */
	bool is_known = owner == w->stream + 1 || (owner != 0 && gather_has_partial(w, row));
	return is_known && gather_run(w, row)->state & TASK_STARTED;
}

static void check_creation(struct gather_stream *w, uint32_t row, uint32_t creator)
{
	struct model *m = w->m;
	const struct task *task = &m->tasks[row];
	uint32_t current = w->thread.task;
	if (task->flags & TASK_IS_CREATED)
		gather_repair_task(w, row, "task_created_twice", "a new one");
	else if (has_run(w, row))
		gather_repair_task(w, row, "task_before_creation", "one that has not run");
	if (creator != current && current != 0 && creator != 0 && !may_be_in_place(w))
		gather_repair(w, "created_by_another_task",
			      "it names an encountering task that is not the one running, expected %u:%llu",
			      gather_id_stream(m, current), gather_id_counter(m, current));
}

STEP_INLINE void create(struct gather_stream *w, const struct thread_event *e)
{
	struct model *m = w->m;
	const struct record *r = e->record;
	unsigned flags = record_create_flags(r);
	uint64_t codeptr = thread_codeptr(&w->thread, r) != 0 ? record_create_codeptr(r) : 0;
	enum construct_kind kind = flags & task_flags_target     ? CONSTRUCT_TARGET
				   : flags & task_flags_taskwait ? CONSTRUCT_TASKWAIT
								 : CONSTRUCT_TASK;
	if (e->task == 0) {
		gather_repair(w, "id_out_of_range", "it creates task %llu of its stream, expected at most %llu",
			      (unsigned long long)record_value(r), (unsigned long long)m->dump->streams[w->stream].max_task);
		return;
	}
	check_creation(w, e->task, e->other);
	struct task *task = &m->tasks[e->task];
	task->parent = e->other;
	task->region = 0; /* it was not 0 only if records contradict each other */
	/* No record of a creation is about an implicit task: these flags decide which member of the union is used. */
	task->flags = (uint16_t)((flags & ~(task_flags_implicit | task_flags_initial | TASK_SPLIT)) | TASK_IS_CREATED);
	bool is_in_place = task->parent != 0 && w->thread.task != 0 && task->parent != w->thread.task && may_be_in_place(w);
	task->in_place = is_in_place && !(flags & task_flags_taskwait) ? w->thread.task : 0;
	w->n_in_place += is_in_place;
	task->create_ticks = r->time;
	uint32_t construct = gather_construct(w, kind, codeptr);
	if (w->ended.wait != 0 && !(flags & task_flags_taskwait))
		construct = gather_join_wait(w, e->task, kind, construct, codeptr);
	task->construct = w->met.latest_work.n_used == 0 ? construct : gather_task_construct(w, kind, construct, codeptr);
}

/* ---- Running ---- */

STEP_INLINE void resume(struct gather_stream *w, uint32_t row, uint64_t ticks)
{
	struct task *task = gather_run(w, row);
	if (gather_flags(w, row) & task_flags_taskwait)
		gather_repair_task(w, row, "wait_that_runs", "a task, not the dummy of a taskwait");
	if (task->state & TASK_COMPLETED && ticks > task->end_ticks && !(task->state & TASK_DETACHED))
		gather_repair_task(w, row, "task_after_completion", "one that has not completed");
	if (!(task->state & TASK_STARTED)) {
		if (task->state & TASK_CANCELLED) /* untied, and cancelled between its parts */
			task->state |= TASK_MARKED | TASK_MIGRATED;
		task->state |= TASK_SEEN | TASK_STARTED;
		task->start_ticks = ticks;
	} else {
		task->state |= TASK_HAS_PARTS;
	}
}

void gather_resume(struct gather_stream *w, uint32_t row, uint64_t ticks)
{
	resume(w, row, ticks);
}

/*
 * A task completes. An untied one may be cancelled twice: a part that other parts follow ends with status cancel, and
 * the rest of the task is discarded with the same status later, perhaps by another thread (Q42). gather_check_tasks() finds
 * tied tasks that are cancelled twice.
 */
static inline void complete(struct gather_stream *w, uint32_t task, bool is_current, unsigned status, uint64_t ticks)
{
	struct task *t = gather_run(w, task);
	unsigned part = 0;
	if (status == task_status_cancel && w->m->is_libomp)
		part = is_current ? TASK_CANCEL_CURRENT : TASK_CANCEL_WAITING;
	bool is_rest = part != 0 && (t->state & TASK_PART_CANCELLED) == (TASK_PART_CANCELLED ^ part);
	if (t->state & TASK_COMPLETED && task != 0 && !is_rest)
		gather_repair_task(w, task, "task_completed_twice", "one that has not completed");
	bool has_ended = t->state & TASK_PART_ENDED && t->end_ticks < ticks;
	if ((!is_rest || ticks > t->end_ticks) && !has_ended)
		t->end_ticks = ticks;
	t->state |= (uint16_t)(TASK_COMPLETED | part | (status == task_status_cancel ? TASK_CANCELLED : 0));
	if (w->met.latest_work.n_used > 0 || w->g->is_serial)
		gather_forget_places(w, task);
}

static bool completes(unsigned status)
{
	return status == task_status_complete || status == task_status_cancel || status == task_status_late_fulfill ||
	       status == task_status_taskwait_complete;
}

static inline void check_status(struct gather_stream *w, unsigned status)
{
	if (status == 0 || status > task_status_taskwait_complete)
		gather_repair(w, "status_unknown", "task_status %u, expected 1 to %u", status, task_status_taskwait_complete);
}

static void detach(struct gather_stream *w, uint32_t row, uint64_t ticks)
{
	struct task *task = gather_run(w, row);
	task->state |= TASK_DETACHED;
	if (!(task->state & TASK_COMPLETED))
		task->end_ticks = ticks;
}

STEP_INLINE void switch_tasks(struct gather_stream *w, const struct thread_event *e)
{
	if (e->status == TASK_STATUS_CUT && e->record == NULL) { /* whatever happens to the task later is out of order */
		if (gather_is_explicit(w, e->other))
			gather_run(w, e->other)->state |= TASK_MARKED;
		return;
	}
	check_status(w, e->status);
	if (completes(e->status))
		complete(w, e->task, true, e->status, e->ticks);
	else if (e->status == task_status_detach)
		detach(w, e->task, e->ticks);
	else if (gather_is_explicit(w, e->task))
		gather_run(w, e->task); /* it is suspended here: see thread_may_have_parts() */
	if (gather_is_explicit(w, e->other))
		resume(w, e->other, e->ticks);
}

/* A task that is current in another stream, or in none, completed without a record of its end. */
static void note_elsewhere(struct gather_stream *w, const struct thread_event *e)
{
	if (e->status == task_status_complete && e->task != w->thread.task) {
		gather_run(w, e->task)->state |= TASK_ENDED_ELSEWHERE;
		gather_claim(w, CLAIM_COMPLETED, e->task);
	}
}

static void status(struct gather_stream *w, const struct thread_event *e)
{
	struct model *m = w->m;
	const struct record *r = e->record;
	bool is_unknown = r->b != 0 && model_task(m, r->b) == 0;
	if (is_unknown && m->dump->is_complete)
		gather_repair(w, "id_out_of_range", "it switches to task %u:%llu, which no stream made", id_stream(r->b),
			      (unsigned long long)id_counter(r->b));
	check_status(w, e->status);
	if (completes(e->status))
		complete(w, e->task, false, e->status, e->ticks);
	if (e->status == task_status_late_fulfill && w->thread.task == 0)
		gather_run(w, e->task)->state |= TASK_FULFILLED_OUTSIDE;
	if (e->status == task_status_detach)
		detach(w, e->task, e->ticks);
	if (r->b != 0 && !is_unknown)
		note_elsewhere(w, e);
}

static void wait_end(struct gather_stream *w, const struct thread_event *e)
{
	complete(w, e->task, false, e->status, e->ticks);
	w->ended.wait = e->other;
	w->ended.at = w->n_records;
}

static void part_end(struct gather_stream *w, const struct thread_event *e)
{
	struct task *task = gather_run(w, e->task);
	task->state |= TASK_PART_ENDED;
	if (!(task->state & TASK_COMPLETED) || e->ticks < task->end_ticks)
		task->end_ticks = e->ticks;
	if (gather_is_explicit(w, e->other))
		resume(w, e->other, e->ticks);
	gather_claim(w, CLAIM_PART_END, e->task);
}

void gather_delay(struct gather_stream *w, const struct record *r)
{
	struct model *m = w->m;
	struct delay_record delay = {model_task(m, r->a), thread_dependent(&w->thread, r->b)};
	if (delay.source != 0 && delay.sink != 0)
		array_push(w->delays, w->n_delays, w->delays_capacity, delay);
}

void gather_excluded(struct gather_stream *w, const struct record *r)
{
	if (record_kind(r) == EVENT_dependences) {
		w->dependent = thread_dependent(&w->thread, r->a);
		if (record_flags(r) == dependence_type_mutexinoutset && w->dependent != 0)
			array_push(w->excluded, w->n_excluded, w->excluded_capacity, (struct excluded){w->dependent, r->b});
		return;
	}
	const uint64_t variables[3] = {r->time, r->a, r->b};
	for (unsigned i = 0; i < record_flags(r) && i < 3; i++)
		if ((record_value(r) >> (8 * i) & 0xff) == dependence_type_mutexinoutset && w->dependent != 0)
			array_push(w->excluded, w->n_excluded, w->excluded_capacity, (struct excluded){w->dependent, variables[i]});
}

/* ---- The state machine's listener ---- */

/* Counts a record that does not fit the state machine as a repair. */
static void note_repair(struct gather_stream *w, const struct thread_event *e)
{
	struct model *m = w->m;
	if (strcmp(e->name, "switch_from_another_task") != 0) {
		tally_add(&model_notes(m, w->stream)->repairs, e->name, 1);
		return;
	}
	gather_repair(w, e->name, "it ends a part of task %u:%llu, expected the current task, %u:%llu",
		      gather_id_stream(m, e->task), gather_id_counter(m, e->task), gather_id_stream(m, e->other),
		      gather_id_counter(m, e->other));
	const uint32_t tasks[] = {e->task, e->other}; /* the records about each of them contradict each other */
	for (size_t i = 0; i < 2; i++)
		if (tasks[i] != 0 && gather_is_explicit(w, tasks[i]))
			gather_run(w, tasks[i])->state |= TASK_CONTRADICTORY;
}

/*
 * Listens to the state machine. It always returns 0, so that thread_step(), thread_gap() and thread_close() always succeed
 * here.
 */
STEP_INLINE int emit(void *self, const struct thread_event *e)
{
	struct gather_stream *w = self;
	switch (e->kind) {
	case THREAD_REGION_BEGIN: gather_region_begin(w, e); return 0;
	case THREAD_REGION_END: gather_region_end(w, e); return 0;
	case THREAD_IMPLICIT_BEGIN: gather_implicit_begin(w, e); return 0;
	case THREAD_IMPLICIT_END: gather_implicit_end(w, e); return 0;
	case THREAD_ALIAS: gather_alias(w, e); return 0;
	case THREAD_CREATE: create(w, e); return 0;
	case THREAD_WAIT_END: wait_end(w, e); return 0;
	case THREAD_SWITCH: switch_tasks(w, e); return 0;
	case THREAD_PART_END: part_end(w, e); return 0;
	case THREAD_STATUS: status(w, e); return 0;
	case THREAD_OUT_OF_ORDER:
		if (gather_is_explicit(w, e->task))
			gather_run(w, e->task)->state |= TASK_MARKED;
		return 0;
	case THREAD_REDUCTION: map_put(&w->reduction_barriers, e->value); return 0;
	case THREAD_QUIRK: tally_add(&model_notes(w->m, w->stream)->quirks, e->name, 1); return 0;
	case THREAD_REPAIR: note_repair(w, e); return 0;
	case THREAD_LEAVE: return 0;
	}
	return 0;
}

static uint64_t region_codeptr(void *self, uint32_t row, unsigned *flags)
{
	struct gather_stream *w = self;
	const struct region *region = gather_region(w, row);
	*flags = region != NULL ? region->flags : 0;
	return region != NULL ? gather_codeptr(w, region->construct) : 0;
}

/* Another stream has claimed the task: has this one a row of its own for it? */
static bool may_be_back(void *self, uint32_t task)
{
	return gather_has_partial(self, task);
}

const struct thread_ops gather_thread_ops = {
	.emit = emit, .missing_root = gather_missing_root, .may_be_back = may_be_back, .region_codeptr = region_codeptr};

__attribute__((noinline)) static int step_task(struct thread *t, const struct record *r)
{
	return thread_step_task(t, emit, r);
}

__attribute__((noinline)) static int step_other(struct thread *t, const struct record *r)
{
	return thread_step_other(t, emit, r);
}

void gather_step(struct gather_stream *w, const struct record *r)
{
	(void)thread_step(&w->thread, step_task, step_other, r);
}
