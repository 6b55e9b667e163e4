/* SPDX-License-Identifier: BSD-3-Clause
 *
 * First pass: fills the model's tables from the raw records, one stream after the other. No scopes, no order between streams: every
 * fact goes to a row that its id addresses. What must hold between streams (parents, teams, marks) is settled afterwards.
 */
#include "builder/gather.h"

#include <stdlib.h>

/* The thread's story breaks off: another thread takes the stream, or records are missing. */
static int forget(struct walk *w, uint32_t task, uint64_t ticks)
{
	int rc = gather_settle_reduction(w) == 0 ? gather_implicit_missing(w) : -1;
	gather_drop_suspended(w, 0);
	w->n_suspended = w->n_frames = w->n_open_regions = w->n_waits = 0;
	w->task = w->ended_wait = 0;
	w->implementation_barrier = 0;
	w->is_whole = false;
	gather_make_current(w, task, ticks);
	return rc;
}

static int walk_mutex_acquired(struct walk *w, const struct record *r)
{
	struct acquisition taken = {r->a, r->time, w->stream, w->n_own_acquisitions++};
	return PUSH(w->acquisitions, w->n_acquisitions, w->acquisitions_capacity, taken);
}

static int walk_thread_attach(struct walk *w, const struct record *r)
{
	/* A thread may give its stream back early and take it again: its story goes on. */
	if (r->a != w->tid && forget(w, 0, r->time) != 0)
		return -1;
	w->tid = r->a;
	w->is_whole = true;
	uint32_t *seen = map_put(&w->tids, r->a);
	if (seen == NULL)
		return -1;
	w->m->n_threads += *seen == 0;
	*seen = 1;
	return 0;
}

static int walk_record(struct walk *w, const struct record *r)
{
	switch (record_kind(r)) {
	case EVENT_parallel_begin: return gather_parallel_begin(w, r);
	case EVENT_parallel_end: gather_parallel_end(w, r); break;
	case EVENT_implicit_task_begin: return gather_implicit_begin(w, r);
	case EVENT_implicit_task_end: return gather_settle_reduction(w) == 0 ? gather_implicit_end(w, r) : -1;
	case EVENT_task_create: return gather_task_create(w, r);
	case EVENT_task_schedule: return gather_task_schedule(w, r);
	case EVENT_mutex_acquired: return walk_mutex_acquired(w, r);
	case EVENT_sync_region_begin: return gather_sync_begin(w, r);
	case EVENT_sync_region_end: gather_sync_end(w, r); break;
	case EVENT_reduction_begin: w->reduction_barrier = w->m->is_libomp ? w->implementation_barrier : 0; break;
	case EVENT_work_begin: return gather_settle_reduction(w);
	case EVENT_thread_attach: return walk_thread_attach(w, r);
	case EVENT_recording_off: w->is_whole = false; break;
	case EVENT_recording_on: return forget(w, model_task(w->m, r->a), r->time);
	default: return gather_target(w, r) == 0 ? gather_device(w, r) : -1;
	}
	return 0;
}

static int walk_stream(struct walk *w)
{
	struct model *m = w->m;
	struct cursor c;
	cursor_init(&c, &m->dump->streams[w->stream]);
	uint64_t last_ticks = 0;
	w->n_suspended = w->n_frames = w->n_open_regions = w->n_waits = 0;
	w->n_own_acquisitions = w->task = w->ended_wait = w->n_missing_roots = 0;
	w->n_records = w->new_root_at = w->region_at = 0;
	w->is_whole = false;
	w->since_ticks = w->tid = 0;
	m->operation_base[w->stream] = m->n_operations != 0 ? m->n_operations : 1;
	for (const struct record *r; (r = cursor_peek(&c)) != NULL; c.index++) {
		unsigned kind = record_kind(r);
		bool is_gap = cursor_at_gap(&c) || kind == EVENT_records_lost;
		int rc = is_gap ? forget(w, model_task(m, cursor_header(&c)->task), cursor_header(&c)->ticks) : 0;
		m->n_events[kind]++;
		if (!record_is_continuation(r)) {
			if (m->first_ticks == 0 || r->time < m->first_ticks)
				m->first_ticks = r->time;
			last_ticks = r->time;
		}
		w->n_records++;
		if (w->task == 0 && w->is_whole && m->is_libomp && rc == 0 && model_needs_task(kind))
			rc = gather_missing_root(w, r->time);
		if (rc != 0 || walk_record(w, r) != 0)
			return error("%s: stream %u: out of memory", m->dump->path, m->dump->streams[w->stream].number);
	}
	if (forget(w, 0, last_ticks) != 0)
		return error("%s: out of memory", m->dump->path);
	if (last_ticks > m->last_ticks)
		m->last_ticks = last_ticks;
	return 0;
}

/*
 * Binding region: that of the nearest implicit ancestor. Ancestors are settled on the way, so that each chain is walked once, also one
 * that comes to no implicit task, or (damage) to its own beginning again.
 */
static void bind_tasks(struct model *m)
{
	const uint32_t none = UINT32_MAX;
	for (uint32_t i = 1; i < m->n_tasks; i++) {
		uint32_t top = i;
		while (m->tasks[top].region == 0 && top != 0) {
			m->tasks[top].region = none;
			top = m->tasks[top].parent;
		}
		uint32_t region = m->tasks[top].region;
		for (uint32_t j = i; j != top && region != 0 && region != none; j = m->tasks[j].parent)
			m->tasks[j].region = region;
	}
	for (uint32_t i = 1; i < m->n_tasks; i++)
		if (m->tasks[i].region == none)
			m->tasks[i].region = 0;
}

/* What only all streams together tell: parents of implicit tasks, binding regions of explicit ones. */
static void settle_tasks(struct model *m)
{
	m->tasks[0] = (struct task){0};
	m->regions[0] = (struct region){.join_ticks = UINT64_MAX, .end_ticks = UINT64_MAX};
	for (uint32_t i = 1; i < m->n_tasks; i++) {
		struct task *task = &m->tasks[i];
		if (task_is_explicit(task))
			continue;
		struct region *region = &m->regions[task->region];
		task->parent = region->task;
		task->construct = region->construct;
		if (task->region != 0 && !(region->state & REGION_ANNOUNCED)) {
			region->state |= REGION_INITIAL;
			region->construct = task->construct = model_construct(m, CONSTRUCT_INITIAL, 0);
			region->begin_ticks = task->start_ticks;
			task->thread = 0; /* the runtime says 1 (quirk Q5); it is the only one */
		}
		if (region->state & REGION_HELPER)
			task->state |= TASK_HELPER;
		/* A worker's end is reported at its next use: it ended when the team joined (quirk Q3). */
		if (task->thread != 0 && task->end_ticks > region->join_ticks) {
			uint64_t late_ticks = task->end_ticks - region->join_ticks;
			task->busy_ticks -= task->busy_ticks > late_ticks ? late_ticks : task->busy_ticks;
			task->end_ticks = region->join_ticks;
		}
		if (region->n_members_seen < UINT16_MAX)
			region->n_members_seen++;
	}
	bind_tasks(m);
}

int model_gather(struct model *m, const struct dump *dump)
{
	if (model_allocate(m, dump) != 0)
		return -1;
	struct walk w = {.m = m};
	int rc = 0;
	for (w.stream = 0; rc == 0 && w.stream < dump->n_streams; w.stream++)
		rc = walk_stream(&w);
	free(w.frames);
	free(w.open_regions);
	free(w.suspended);
	free(w.waits);
	map_free(&w.tids);
	if (rc == 0) {
		settle_tasks(m);
		bool is_settled = gather_settle_target(m) == 0 && gather_settle_device(&w) == 0;
		rc = is_settled ? gather_lock_orders(m, w.acquisitions, w.n_acquisitions) : error("%s: out of memory", dump->path);
	}
	free(w.acquisitions);
	return rc == 0 ? gather_teams(m) : -1;
}
