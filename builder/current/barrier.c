/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The barriers of a thread's state machine whose meaning follows from other records: the one that closes a region if the runtime
 * has one kind for all implicit barriers (Q32), and the one with which a runtime reduces (Q41); and the wrong addresses that
 * constructs get in a closing barrier (Q60). Quirk numbers are those of docs/runtimes.md.
 */
#include "builder/current/barrier.h"
#include "builder/current/step.h"

/* ---- Q41: a reduction's own barrier ---- */

int thread_settle_reduction(struct thread *t)
{
	uint64_t codeptr = t->reduction_barrier;
	t->reduction_barrier = 0;
	if (codeptr == 0)
		return 0;
	return thread_emit(t, &(struct thread_event){.kind = THREAD_REDUCTION, .value = codeptr});
}

/*
 * A barrier begins after a reduction. In larger teams libomp reduces by a tree, which is a barrier. If the construct
 * ends with a barrier, smaller teams have one more barrier, too; if it does not, they have none.
 */
static int follow_reduction(struct thread *t, const struct record *record)
{
	const struct model *m = t->model;
	unsigned kind = record_flags(record);
	const struct thread_implicit *inner = thread_innermost(t);
	unsigned flags;
	uint32_t region = inner != NULL ? m->tasks[inner->task].region : 0;
	bool is_constructs = kind == sync_kind_barrier_implicit_workshare ||
			     (kind == sync_kind_barrier_implicit && record->b != thread_region_codeptr(t, region, &flags));
	if (!is_constructs)
		return thread_settle_reduction(t);
	t->reduction_barrier = 0;
	return 0;
}

/* ---- Q60: addresses of another construct ---- */

/*
 * gcc's code begins and ends a region by one call (GOMP_parallel), whose return address LLVM's runtime keeps for the
 * region's end. In each task that the primary thread runs in the closing barrier, the first construct that requests its
 * own return address gets this one.
 */
__attribute__((noinline)) static void begin_stale(struct thread *t, struct thread_implicit *inner, const struct record *record)
{
	const struct model *m = t->model;
	const struct task *task = &m->tasks[inner->task];
	unsigned kind = record_flags(record), flags;
	if (task->thread != 0)
		return;
	uint64_t codeptr = thread_region_codeptr(t, task->region, &flags);
	if ((!barrier_closes(kind) && record->b != codeptr) || !(flags & parallel_flags_invoker_program))
		return;
	inner->stale_codeptr = record->b;
	t->has_stale = true;
}

bool thread_is_stale(const struct thread *t, const struct record *record)
{
	unsigned kind = record_kind(record);
	bool is_sync = kind == EVENT_sync_region_begin || kind == EVENT_sync_region_end || kind == EVENT_sync_region_wait_begin ||
		       kind == EVENT_sync_region_wait_end;
	size_t n = t->n_implicits;
	if (n > 0 && is_sync && !t->is_explicit) /* this address is the closing barrier's own */
		n = t->implicits[n - 1].own > 0 ? t->implicits[n - 1].own - 1 : 0;
	for (size_t i = 0; i < n; i++)
		if (record->b != 0 && t->implicits[i].stale_codeptr == record->b)
			return true;
	return false;
}

/* ---- Q32: one kind for all implicit barriers ---- */

static int sync_begin(struct thread *t, const struct record *record)
{
	unsigned kind = record_flags(record);
	struct thread_implicit *inner = thread_innermost(t);
	if (t->reduction_barrier != 0 && follow_reduction(t, record) != 0)
		return -1;
	if (kind == sync_kind_barrier_implementation)
		t->implementation_barrier = record->b;
	if (inner == NULL)
		return 0;
	inner->n_barriers += sync_is_barrier(kind);
	if (kind == sync_kind_barrier_implicit) {
		inner->n_implicit_barriers++;
		inner->barrier_codeptr = record->b;
	}
	if (!t->is_explicit && t->model->is_libomp && record->b != 0 && barrier_may_close(kind))
		begin_stale(t, inner, record);
	return 0;
}

static void sync_end(struct thread *t, const struct record *record)
{
	unsigned kind = record_flags(record);
	struct thread_implicit *inner = thread_innermost(t);
	if (kind == sync_kind_barrier_implementation)
		t->implementation_barrier = 0;
	if (inner != NULL && barrier_may_close(kind))
		inner->barrier_end_ticks = record->time;
	if (inner != NULL && !t->is_explicit)
		inner->stale_codeptr = 0;
}

int thread_barrier(struct thread *t, const struct record *record)
{
	unsigned kind = record_kind(record);
	if (t->task_id == 0 && t->task != 0 && kind != EVENT_work_begin && model_task(t->model, record->a) == t->task)
		t->task_id = record->a;
	switch (kind) {
	case EVENT_sync_region_begin: return sync_begin(t, record);
	case EVENT_sync_region_end: sync_end(t, record); return 0;
	case EVENT_reduction_begin: t->reduction_barrier = t->model->is_libomp ? t->implementation_barrier : 0; return 0;
	default: return thread_settle_reduction(t);
	}
}

uint32_t barrier_closing(const struct thread *t, const struct thread_implicit *implicit, bool has_end)
{
	const struct model *m = t->model;
	if (implicit->n_implicit_barriers == 0)
		return 0;
	if (!has_end) {
		/*
		 * Was the last barrier that began the closing one? If so, it has the region's return address, or, on
		 * workers, none.
		 */
		unsigned flags;
		if (implicit->barrier_codeptr != 0 &&
		    implicit->barrier_codeptr != thread_region_codeptr(t, m->tasks[implicit->task].region, &flags))
			return 0;
	}
	return m->is_libomp && implicit->n_threads == 1 ? 0 : implicit->n_implicit_barriers; /* a team of one has none (Q6) */
}

bool barrier_is_closing(const struct thread *t)
{
	const struct thread_implicit *inner = thread_innermost(t);
	return inner != NULL && inner->n_implicit_barriers == model_closing_barrier(t->model, inner->task);
}
