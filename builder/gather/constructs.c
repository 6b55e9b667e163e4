/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The first pass's constructs: every place in the source that a record names gets its row, so that the table is
 * complete when the replay begins. Some constructs are reported from inside the runtime and have no address (Q9 of
 * docs/runtimes.md). They get the address of a construct around them, which this file remembers for each task. gather.c
 * calls gather_constructs() for each record of a stream, after the thread's story has taken it, on the thread that walks
 * the stream.
 */
#include "builder/gather/walk.h"
#include "builder/model/construct.h"

/* ---- The table of a stream ---- */

/*
 * Each stream has a table of its own, which gather_join() brings together in the order of streams. Rows of constructs
 * that the runtime reports from inside itself stay apart here, and have no address.
 */
static uint32_t meet(struct walk *w, enum construct_kind kind, uint64_t codeptr, uint64_t key)
{
	uint32_t *row = map_put(&w->construct_rows, key);
	if (*row == 0) {
		if (w->n_constructs == 0) /* row 0 */
			PUSH(w->constructs, w->n_constructs, w->constructs_capacity, (struct met_construct){.codeptr = 0});
		struct met_construct met = {codeptr, kind, codeptr != 0 && !model_is_in_runtime(w->m, codeptr), 0};
		PUSH(w->constructs, w->n_constructs, w->constructs_capacity, met);
		*row = (uint32_t)w->n_constructs - 1;
	}
	return *row;
}

uint32_t gather_meet_construct(struct walk *w, enum construct_kind kind, uint64_t codeptr, uint64_t key, size_t recent)
{
	if (w->g->is_serial)
		return model_construct(w->m, kind, codeptr);
	w->recent[recent].key = key;
	return w->recent[recent].row = meet(w, kind, codeptr, key);
}

uint64_t gather_codeptr(const struct walk *w, uint32_t construct)
{
	if (w->g->is_serial)
		return w->m->constructs[construct].codeptr;
	return construct != 0 && w->constructs[construct].has_place ? w->constructs[construct].codeptr : 0;
}

/* ---- What records name ---- */

/* The worksharing or taskloop region that the current task began last; row 0: none. */
static uint32_t latest_work(const struct walk *w)
{
	const uint32_t *row = map_get(&w->latest_work, w->thread.task);
	return row != NULL ? *row : 0;
}

uint32_t gather_task_construct(struct walk *w, enum construct_kind kind, uint32_t construct, uint64_t codeptr)
{
	if (gather_codeptr(w, construct) != 0 || codeptr == 0)
		return construct;
	uint32_t work = latest_work(w);
	return work != 0 ? gather_construct(w, kind, gather_codeptr(w, work)) : construct;
}

static void sync_begin(struct walk *w, const struct record *r)
{
	unsigned kind = record_flags(r);
	uint32_t construct = gather_construct(w, construct_of_sync(kind), thread_codeptr(&w->thread, r));
	/*
	 * The barrier after a worksharing region is often reported from inside the runtime: it gets the region's
	 * address.
	 */
	if (sync_is_barrier(kind) && r->b != 0 && w->latest_work.n_used > 0 && gather_codeptr(w, construct) == 0)
		gather_construct(w, construct_of_sync(kind), gather_codeptr(w, latest_work(w)));
	w->innermost_group = record_kind(r) == EVENT_sync_region_begin && kind == sync_kind_taskgroup ? construct : 0;
}

static void work_begin(struct walk *w, const struct record *r)
{
	unsigned kind = record_flags(r);
	uint32_t construct = gather_construct(w, construct_of_work(kind), thread_codeptr(&w->thread, r));
	/* A taskloop is reported from inside the runtime, but the taskgroup around it is not. */
	if (kind == work_kind_taskloop && gather_codeptr(w, construct) == 0 && w->innermost_group != 0)
		construct = gather_construct(w, CONSTRUCT_TASKLOOP, gather_codeptr(w, w->innermost_group));
	w->innermost_group = 0;
	*map_put(&w->latest_work, w->thread.task) = construct;
}

/* ---- Target regions and what is done in them ---- */

static uint32_t *open_target(const struct walk *w)
{
	return map_get(&w->open_targets, w->thread.task);
}

/* Gives the operation that gather_target() has just added its construct and the target region around it. */
static void operation_begin(struct walk *w, const struct record *r, unsigned kind)
{
	struct operation *o = &w->m->operations[w->operation];
	const uint32_t *around = open_target(w);
	o->around = around != NULL ? *around : 0;
	if (kind == EVENT_target_submit_begin || kind == EVENT_target_submit) {
		/* The callback has no return address: it gets the region's. */
		uint64_t codeptr = o->around != 0 ? gather_codeptr(w, w->m->operations[o->around].construct) : 0;
		o->construct = gather_construct(w, CONSTRUCT_SUBMIT, codeptr);
	} else if (kind == EVENT_target_begin) {
		o->construct = gather_construct(w, construct_of_target(record_flags(r)), r->b);
		*map_put(&w->open_targets, w->thread.task) = w->operation;
	} else {
		o->construct = gather_construct(w, construct_of_data(o->kind), r->b);
	}
}

static void target_end(struct walk *w)
{
	uint32_t *open = open_target(w);
	if (open != NULL)
		*open = w->m->operations[*open].around;
}

void gather_constructs(struct walk *w, const struct record *r)
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
	case EVENT_target_begin:
	case EVENT_target_data_op_begin:
	case EVENT_target_data_op:
	case EVENT_target_submit_begin:
	case EVENT_target_submit: operation_begin(w, r, kind); break;
	case EVENT_target_end: target_end(w); break;
	default: return;
	}
	w->innermost_group = 0;
}

void gather_forget_places(struct walk *w, uint32_t task)
{
	if (w->latest_work.n_used > 0)
		map_remove(&w->latest_work, task);
	if (w->open_targets.n_used > 0)
		map_remove(&w->open_targets, task);
}

/* Fills in what the records did not tell, from the target region around the operation. */
void gather_settle_operations(struct model *m)
{
	for (uint32_t row = 1; row < m->n_operations; row++) {
		struct operation *o = &m->operations[row];
		if (o->type == OPERATION_TARGET)
			continue;
		if (o->target == 0)
			o->target = o->around;
		if (o->type == OPERATION_SUBMIT)
			o->device = o->target != 0 ? m->operations[o->target].device : DEVICE_HOST;
	}
}
