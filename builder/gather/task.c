/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The first pass's explicit tasks: who created them, where they ran, and which of them an archive has to treat with care.
 */
#include "builder/gather/walk.h"

uint32_t gather_other(const struct walk *w, uint32_t task)
{
	uint32_t innermost = w->n_frames > 0 ? w->frames[w->n_frames - 1].task : 0;
	if (task == innermost)
		return task;
	if (task == 0)
		return innermost >= w->m->n_task_ids ? innermost : 0;
	for (size_t i = w->n_frames > NESTING_MAX ? w->n_frames - NESTING_MAX : 0; i + 1 < w->n_frames && w->m->is_libomp; i++)
		if (w->frames[i].task == task)
			return innermost;
	return task;
}

/* The most that a compiler puts between two calls with nothing but the second one's arguments. */
#define ARGUMENTS_BYTES_MAX 48

/*
 * LLVM's runtime takes an undeferred task with dependences apart (Q34): it waits for them by a dummy, and then comes the task without any.
 * It does when nothing was reported in between and no call lies between the two: the runtime called itself (gcc), or the second call
 * follows on the first one (clang).
 */
static bool is_behind_its_wait(const struct walk *w, const struct task *task, uint64_t codeptr)
{
	const struct model *m = w->m;
	const struct task *wait = &m->tasks[w->ended_wait];
	const unsigned undeferred = task_flags_explicit | task_flags_undeferred;
	if (!m->is_libomp || w->ended_wait == 0 || w->ended_wait_at + 1 != w->n_records || task->parent != wait->parent ||
	    (task->flags & undeferred) != undeferred || task->flags & task_flags_has_dependences)
		return false;
	uint64_t wait_codeptr = m->constructs[wait->construct].codeptr;
	return m->constructs[task->construct].codeptr == 0 ||
	       (codeptr > wait_codeptr && codeptr - wait_codeptr <= ARGUMENTS_BYTES_MAX);
}

int gather_task_create(struct walk *w, const struct record *r)
{
	struct model *m = w->m;
	unsigned flags = record_flags(r);
	enum construct_kind kind = flags & task_flags_target     ? CONSTRUCT_TARGET
				   : flags & task_flags_taskwait ? CONSTRUCT_TASKWAIT
								 : CONSTRUCT_TASK;
	uint32_t row = model_own_task(m, w->stream, record_value(r));
	struct task *task = &m->tasks[row];
	if (row == 0) {
		gather_contradiction(w, "id_out_of_range", "it creates task %llu of its stream, expected at most %llu",
				     (unsigned long long)record_value(r), (unsigned long long)m->dump->streams[w->stream].max_task);
		return flags & task_flags_taskwait ? PUSH(w->waits, w->n_waits, w->waits_capacity, row) : 0;
	}
	if (task->state & TASK_CREATED)
		gather_doubt(w, row, "task_created_twice", "a new one");
	else if (task->state & TASK_STARTED && task->run_stream == w->stream)
		gather_doubt(w, row, "task_before_creation", "one that has not run");
	task->parent = gather_own(w, r->a);
	if (task->parent != w->task && w->task != 0 && task->parent != 0)
		gather_contradiction(w, "created_by_another_task",
				     "it names an encountering task that is not the one running, expected %u:%llu",
				     gather_id_stream(m, w->task), gather_id_counter(m, w->task));
	task->construct = model_construct(m, kind, r->b);
	task->flags = (uint16_t)(flags &
				 ~(unsigned)(task_flags_implicit | task_flags_initial)); /* what the union is, follows from these */
	task->waits_for = 0;
	task->state |= TASK_SEEN | TASK_CREATED;
	task->create_ticks = r->time;
	m->tasks[task->parent].state |= TASK_SEEN;
	if (flags & task_flags_taskwait)
		return PUSH(w->waits, w->n_waits, w->waits_capacity, row);
	if (is_behind_its_wait(w, task, r->b)) {
		struct task *wait = &m->tasks[w->ended_wait];
		wait->waits_for = row;
		if (m->constructs[task->construct].codeptr == 0)
			task->construct = model_construct(m, kind, m->constructs[wait->construct].codeptr);
		tally_add(&m->quirks, "undeferred_behind_its_wait", 1);
	}
	return 0;
}

void gather_drop_suspended(struct walk *w, size_t n)
{
	while (w->n_suspended > n) {
		struct task *task = &w->m->tasks[w->suspended[--w->n_suspended]];
		task->state |= TASK_MARKED;
		task->state &= (uint16_t)~TASK_SUSPENDED;
	}
}

/* Found among the suspended: whatever was suspended after it is resumed out of order, and marked. */
void gather_resume(struct walk *w, uint32_t row, uint64_t ticks)
{
	struct task *task = &w->m->tasks[row];
	if (task->flags & task_flags_taskwait)
		gather_doubt(w, row, "wait_that_runs", "a task, not the dummy of a taskwait");
	if (task->state & TASK_COMPLETED && ticks > task->end_ticks && !(task->state & TASK_DETACHED))
		gather_doubt(w, row, "task_after_completion", "one that has not completed");
	if (!(task->state & TASK_STARTED)) {
		/* Untied, and cancelled between its parts by another thread, whose records came first. */
		if (task->state & TASK_CANCELLED) {
			task->state |= TASK_MARKED | TASK_MIGRATED;
			w->m->n_migrated++;
		}
		task->state |= TASK_SEEN | TASK_STARTED;
		task->run_stream = w->stream;
		task->start_ticks = ticks;
		return;
	}
	task->state |= TASK_HAS_PARTS;
	if (task->state & TASK_SUSPENDED) {
		size_t i = w->n_suspended;
		while (w->suspended[i - 1] != row)
			i--;
		gather_drop_suspended(w, i);
		w->n_suspended = i - 1;
		task->state &= (uint16_t)~TASK_SUSPENDED;
		return;
	}
	/* It ran elsewhere before (or after: streams are walked one by one, the earlier part tells where it started). */
	if (task->run_stream != w->stream && task_is_explicit(task)) {
		if (!(task->state & TASK_MIGRATED))
			w->m->n_migrated++;
		task->state |= TASK_MARKED | TASK_MIGRATED;
		if (ticks < task->start_ticks) {
			task->start_ticks = ticks;
			task->run_stream = w->stream;
		}
	}
}

/* The thread's implicit task goes on: it lies below all that the thread suspended in it. */
static void resume_implicit(struct walk *w, uint32_t row)
{
	size_t n = w->n_frames, n_least = n > NESTING_MAX ? n - NESTING_MAX : 0;
	while (n > n_least && w->frames[n - 1].task != row)
		n--;
	gather_drop_suspended(w, n > n_least ? w->frames[n - 1].n_suspended : 0);
}

/* A taskwait with dependences is over: its dummy. libomp tells the dummy's id to its creation alone (it is a thread's, not a task's). */
static uint32_t end_wait(struct walk *w, uint64_t id)
{
	uint32_t named = model_task(w->m, id);
	if (w->n_waits == 0)
		return named;
	w->ended_wait = w->waits[--w->n_waits];
	w->ended_wait_at = w->n_records;
	return named != 0 ? named : w->ended_wait;
}

/* A switch from a task that is not the current one, which the replay counts: neither is to be believed. */
static void doubt_switch(struct walk *w, uint32_t prior)
{
	uint32_t tasks[] = {prior, w->task};
	for (size_t i = 0; i < 2 && (w->task != 0 || w->n_frames > 0); i++)
		if (tasks[i] != 0 && task_is_explicit(&w->m->tasks[tasks[i]]))
			w->m->tasks[tasks[i]].state |= TASK_DOUBTFUL;
}

/* A record that does not simply switch from the current task to another one: what is meant. Is anything switched? */
static bool look_closer(struct walk *w, const struct record *r, uint32_t *prior, uint32_t *next)
{
	struct model *m = w->m;
	unsigned status = record_flags(r);
	if (r->b == 0 && model_is_fulfilment(status)) {
		if (status == task_status_taskwait_complete)
			*prior = end_wait(w, r->a);
		return false;
	}
	*prior = gather_own(w, r->a);
	*next = gather_own(w, r->b);
	if (*next == 0) {
		if (r->b != 0 && m->dump->is_complete)
			gather_contradiction(w, "id_out_of_range", "it switches to task %u:%llu, which no stream made",
					     id_stream(r->b), (unsigned long long)id_counter(r->b));
		return false;
	}
	if (*prior == *next) { /* an untied task of a serial team goes on (Q15): from whatever is current */
		*prior = w->task;
		return *prior != *next;
	}
	if (*prior != w->task &&
	    status == task_status_cancel) { /* before it started, or between its parts (Q14): nothing is switched */
		struct task *cancelled = &m->tasks[*prior];
		if (cancelled->state & TASK_STARTED && cancelled->run_stream != w->stream && !(cancelled->state & TASK_MIGRATED)) {
			cancelled->state |= TASK_MIGRATED;
			m->n_migrated++;
		}
		return false;
	}
	/* The parts of an untied task are counted: the last one may end unsaid, and another thread report the completion (Q33). */
	struct task *task = &m->tasks[*prior];
	if (*prior != w->task && *next == w->task && status == task_status_complete && m->is_libomp && task->state & TASK_STARTED) {
		task->state |= TASK_ENDED_ELSEWHERE;
		m->has_silence = true;
		return false;
	}
	if (*prior != w->task && (task->state & TASK_STARTED || status != task_status_complete))
		doubt_switch(w, *prior);
	return true;
}

/*
 * A task completes. Untied ones may be cancelled twice: a part's end comes as cancel where the taskgroup is, and the rest of the task is
 * cancelled later, maybe by another thread, whose records are walked earlier or later (Q42). Only untied ones: gather_check_tasks.
 */
static void complete(struct walk *w, uint32_t task, bool is_current, unsigned status, uint64_t ticks)
{
	struct task *t = &w->m->tasks[task];
	unsigned part = 0;
	if (status == task_status_cancel && w->m->is_libomp)
		part = is_current ? TASK_CANCEL_CURRENT : TASK_CANCEL_WAITING;
	bool is_rest = part != 0 && (t->state & TASK_PART_CANCELLED) == (TASK_PART_CANCELLED ^ part);
	if (t->state & TASK_COMPLETED && task != 0 && !is_rest)
		gather_doubt(w, task, "task_completed_twice", "one that has not completed");
	if (!is_rest || ticks > t->end_ticks)
		t->end_ticks = ticks;
	t->state |= (uint16_t)(TASK_COMPLETED | part | (status == task_status_cancel ? TASK_CANCELLED : 0));
}

int gather_task_schedule(struct walk *w, const struct record *r)
{
	struct model *m = w->m;
	uint32_t prior = model_task(m, r->a), next = model_task(m, r->b);
	unsigned status = record_flags(r);
	bool is_switch = true;
	if (prior != w->task || prior == next || next == 0)
		is_switch = look_closer(w, r, &prior, &next);
	else if (!task_is_explicit(&m->tasks[next]))
		next = gather_other(w, next);
	struct task *task = &m->tasks[prior];
	bool is_complete = status == task_status_complete || status == task_status_cancel || status == task_status_late_fulfill ||
			   status == task_status_taskwait_complete;
	if (is_complete)
		complete(w, prior, is_switch, status, r->time);
	if (status == 0 || status > task_status_taskwait_complete)
		gather_contradiction(w, "status_unknown", "task_status %u, expected 1 to %u", status,
				     task_status_taskwait_complete);
	if (status == task_status_late_fulfill && w->task == 0)
		task->state |= TASK_FULFILLED_OUTSIDE;
	if (status == task_status_detach) {
		task->state |= TASK_DETACHED;
		if (!(task->state & TASK_COMPLETED))
			task->end_ticks = r->time;
	}
	if (!is_switch)
		return 0;
	int rc = 0;
	if (!is_complete && status != task_status_detach && task_is_explicit(task) && !(task->state & TASK_SUSPENDED)) {
		task->state |= TASK_SUSPENDED;
		rc = PUSH(w->suspended, w->n_suspended, w->suspended_capacity, prior);
	}
	if (next != w->task)
		gather_make_current(w, next, r->time);
	if (task_is_explicit(&m->tasks[next]))
		gather_resume(w, next, r->time);
	else
		resume_implicit(w, next);
	return rc;
}
