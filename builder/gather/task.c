/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The first pass's explicit tasks: turns what a thread's story tells about them into rows of model.tasks: who created
 * them, where they ran, and which of them an archive has to treat with care. gather.c calls these functions for each
 * event of a story, on the thread that walks the stream. Quirk numbers are those of docs/runtimes.md.
 */
#include "builder/gather/walk.h"

/* ---- Creation ---- */

/*
 * May the current task create tasks in another one's name (Q44)? Whether that is the case is only known after all
 * streams: see gather_settle_splits().
 */
static bool may_be_in_place(const struct walk *w)
{
	return w->m->is_libomp && gather_is_explicit(w, w->thread.task);
}

/* Has this stream run a task that is about to be created? */
static bool has_run(struct walk *w, uint32_t row)
{
	bool is_claimed = __atomic_load_n(&w->m->tasks[row].run_stream, __ATOMIC_RELAXED) != 0; /* perhaps by another one */
	return is_claimed && gather_run(w, row)->state & TASK_STARTED;
}

static void check_creation(struct walk *w, const struct thread_event *e)
{
	struct model *m = w->m;
	const struct task *task = &m->tasks[e->task];
	uint32_t current = w->thread.task;
	if (task->flags & TASK_IS_CREATED)
		gather_repair_task(w, e->task, "task_created_twice", "a new one");
	else if (has_run(w, e->task))
		gather_repair_task(w, e->task, "task_before_creation", "one that has not run");
	if (e->other != current && current != 0 && e->other != 0 && !may_be_in_place(w))
		gather_repair(w, "created_by_another_task",
			      "it names an encountering task that is not the one running, expected %u:%llu",
			      gather_id_stream(m, current), gather_id_counter(m, current));
}

void gather_create(struct walk *w, const struct thread_event *e)
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
	check_creation(w, e);
	struct task *task = &m->tasks[e->task];
	task->parent = e->other;
	/* No record of a creation is about an implicit task: these flags decide which member of the union is used. */
	task->flags = (uint16_t)((flags & ~(task_flags_implicit | task_flags_initial | TASK_SPLIT)) | TASK_IS_CREATED);
	bool is_in_place = task->parent != 0 && w->thread.task != 0 && task->parent != w->thread.task && may_be_in_place(w);
	task->in_place = is_in_place && !(flags & task_flags_taskwait) ? w->thread.task : 0;
	w->n_in_place += is_in_place;
	task->create_ticks = r->time;
	uint32_t construct = gather_construct(w, kind, codeptr);
	if (w->ended_wait != 0 && !(flags & task_flags_taskwait))
		construct = gather_join_wait(w, e->task, kind, construct, codeptr);
	task->construct = gather_task_construct(w, kind, construct, codeptr);
}

/* ---- Running ---- */

void gather_resume(struct walk *w, uint32_t row, uint64_t ticks)
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

/*
 * A task completes. An untied one may be cancelled twice: a part that other parts follow ends with status cancel, and
 * the rest of the task is discarded with the same status later, perhaps by another thread (Q42). gather_check_tasks() finds tied tasks that are cancelled twice.
 */
static void complete(struct walk *w, uint32_t task, bool is_current, unsigned status, uint64_t ticks)
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
	gather_forget_places(w, task);
}

static bool completes(unsigned status)
{
	return status == task_status_complete || status == task_status_cancel || status == task_status_late_fulfill ||
	       status == task_status_taskwait_complete;
}

static void check_status(struct walk *w, unsigned status)
{
	if (status == 0 || status > task_status_taskwait_complete)
		gather_repair(w, "status_unknown", "task_status %u, expected 1 to %u", status, task_status_taskwait_complete);
}

static void detach(struct walk *w, uint32_t row, uint64_t ticks)
{
	struct task *task = gather_run(w, row);
	task->state |= TASK_DETACHED;
	if (!(task->state & TASK_COMPLETED))
		task->end_ticks = ticks;
}

void gather_switch(struct walk *w, const struct thread_event *e)
{
	if (e->status == TASK_STATUS_CUT && e->record == NULL) { /* whatever becomes of it is out of order */
		if (gather_is_explicit(w, e->other))
			gather_run(w, e->other)->state |= TASK_MARKED;
		return;
	}
	check_status(w, e->status);
	if (completes(e->status))
		complete(w, e->task, true, e->status, e->ticks);
	if (e->status == task_status_detach)
		detach(w, e->task, e->ticks);
	if (gather_is_explicit(w, e->task))
		gather_run(w, e->task); /* it is suspended here: see may_have_parts() of the story */
	if (gather_is_explicit(w, e->other))
		gather_resume(w, e->other, e->ticks);
}

/* A task that is current in another stream, or in none, completed without a record of its end. */
static void note_elsewhere(struct walk *w, const struct thread_event *e)
{
	if (e->status == task_status_complete && e->task != w->thread.task) {
		gather_run(w, e->task)->state |= TASK_ENDED_ELSEWHERE;
		gather_claim(w, CLAIM_COMPLETED, e->task);
	}
}

void gather_status(struct walk *w, const struct thread_event *e)
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

void gather_wait_end(struct walk *w, const struct thread_event *e)
{
	complete(w, e->task, false, e->status, e->ticks);
	w->ended_wait = e->other;
	w->ended_wait_at = w->n_records;
}

void gather_part_end(struct walk *w, const struct thread_event *e)
{
	struct task *task = gather_run(w, e->task);
	task->state |= TASK_PART_ENDED;
	if (!(task->state & TASK_COMPLETED) || e->ticks < task->end_ticks)
		task->end_ticks = e->ticks;
	if (gather_is_explicit(w, e->other))
		gather_resume(w, e->other, e->ticks);
	gather_claim(w, CLAIM_PART_END, e->task);
}

void gather_delay(struct walk *w, const struct record *r)
{
	struct model *m = w->m;
	struct delay_record delay = {model_task(m, r->a), thread_dependent(&w->thread, r->b)};
	if (delay.source != 0 && delay.sink != 0)
		PUSH(w->delays, w->n_delays, w->delays_capacity, delay);
}
