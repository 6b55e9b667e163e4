/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The first pass's constructs: every place in the source that a record names gets its row, so that the table is
 * complete when the replay begins. Some constructs are reported from inside the runtime and have no address (Q9 of
 * docs/runtimes.md). They get the address of a construct around them, which this file remembers for each task. gather.c
 * calls gather_constructs() for each record of a stream, after the thread's state machine has taken it, on the thread that walks
 * the stream.
 */
#include "builder/gather/stream.h"
#include "builder/model/construct.h"

/* ---- The table of a stream ---- */

/*
 * Each stream has a table of its own; gather_join() merges these in the order of streams. Rows of constructs that the runtime
 * reports from inside itself stay separate here, and have no address.
 */
static uint32_t meet(struct gather_stream *w, enum construct_kind kind, uint64_t codeptr, uint64_t key)
{
	uint32_t *row = map_put(&w->met.row_of, key);
	if (*row == 0) {
		if (w->met.n == 0) /* row 0 */
			array_push(w->met.rows, w->met.n, w->met.capacity, (struct met_construct){.codeptr = 0});
		struct met_construct met = {codeptr, kind, codeptr != 0 && !model_is_in_runtime(w->m, codeptr), 0};
		array_push(w->met.rows, w->met.n, w->met.capacity, met);
		*row = (uint32_t)w->met.n - 1;
	}
	return *row;
}

uint32_t gather_meet_construct(struct gather_stream *w, enum construct_kind kind, uint64_t codeptr, uint64_t key, size_t recent)
{
	if (w->g->is_serial)
		return model_construct(w->m, kind, codeptr);
	w->met.recent[recent].key = key;
	return w->met.recent[recent].row = meet(w, kind, codeptr, key);
}

uint64_t gather_codeptr(const struct gather_stream *w, uint32_t construct)
{
	if (w->g->is_serial)
		return w->m->constructs[construct].codeptr;
	return construct != 0 && w->met.rows[construct].has_place ? w->met.rows[construct].codeptr : 0;
}

/* ---- What records name ---- */

/* The worksharing or taskloop region that the current task began last; row 0: none. */
static uint32_t latest_work(const struct gather_stream *w)
{
	const uint32_t *row = map_get(&w->met.latest_work, w->thread.task);
	return row != NULL ? *row : 0;
}

uint32_t gather_task_construct(struct gather_stream *w, enum construct_kind kind, uint32_t construct, uint64_t codeptr)
{
	if (gather_codeptr(w, construct) != 0 || codeptr == 0)
		return construct;
	uint32_t work = latest_work(w);
	return work != 0 ? gather_construct(w, kind, gather_codeptr(w, work)) : construct;
}

static void sync_begin(struct gather_stream *w, const struct record *r)
{
	unsigned kind = record_flags(r);
	uint32_t construct = gather_construct(w, construct_of_sync(kind), thread_codeptr(&w->thread, r));
	/*
	 * The barrier after a worksharing region is often reported from inside the runtime: it gets the region's
	 * address.
	 */
	if (sync_is_barrier(kind) && r->b != 0 && w->met.latest_work.n_used > 0 && gather_codeptr(w, construct) == 0)
		gather_construct(w, construct_of_sync(kind), gather_codeptr(w, latest_work(w)));
	w->met.innermost_group = record_kind(r) == EVENT_sync_region_begin && kind == sync_kind_taskgroup ? construct : 0;
}

static void work_begin(struct gather_stream *w, const struct record *r)
{
	unsigned kind = record_flags(r);
	uint32_t construct = gather_construct(w, construct_of_work(kind), thread_codeptr(&w->thread, r));
	/* A taskloop is reported from inside the runtime, but the taskgroup around it is not. */
	if (kind == work_kind_taskloop && gather_codeptr(w, construct) == 0 && w->met.innermost_group != 0)
		construct = gather_construct(w, CONSTRUCT_TASKLOOP, gather_codeptr(w, w->met.innermost_group));
	w->met.innermost_group = 0;
	*map_put(&w->met.latest_work, w->thread.task) = construct;
}

void gather_constructs(struct gather_stream *w, const struct record *r)
{
	unsigned kind = record_kind(r);
	switch (kind) {
	case EVENT_sync_region_begin:
	case EVENT_sync_region_wait_begin:
	case EVENT_reduction_begin: sync_begin(w, r); return;
	case EVENT_work_begin: work_begin(w, r); return;
	case EVENT_masked_begin: gather_construct(w, CONSTRUCT_MASKED, thread_codeptr(&w->thread, r)); break;
	case EVENT_mutex_acquire:
	case EVENT_mutex_acquired:
	case EVENT_mutex_released:
	case EVENT_lock_init:
	case EVENT_lock_destroy: gather_construct(w, construct_of_mutex(record_flags(r)), thread_codeptr(&w->thread, r)); break;
	case EVENT_nest_lock_begin:
	case EVENT_nest_lock_end:
		gather_construct(w, construct_of_mutex(mutex_kind_nest_lock), thread_codeptr(&w->thread, r));
		break;
	case EVENT_flush: gather_construct(w, CONSTRUCT_FLUSH, thread_codeptr(&w->thread, r)); return;
	case EVENT_sync_region_end:
	case EVENT_sync_region_wait_end:
	case EVENT_reduction_end:
	case EVENT_work_end:
	case EVENT_masked_end: break;
	default: return;
	}
	w->met.innermost_group = 0;
}

void gather_forget_places(struct gather_stream *w, uint32_t task)
{
	if (w->met.latest_work.n_used > 0)
		map_remove(&w->met.latest_work, task);
	for (size_t i = 0; i < N_PARADIGMS; i++)
		if (w->g->of_paradigm[i] != NULL && paradigms[i]->gather_task_end != NULL)
			paradigms[i]->gather_task_end(w->g->of_paradigm[i], task);
}
