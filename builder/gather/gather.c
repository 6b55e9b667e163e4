/* SPDX-License-Identifier: BSD-3-Clause
 *
 * First pass: fills the model's tables from the raw records, one stream after the other. No scopes, no order between streams: every
 * fact goes to a row that its id addresses. What must hold between streams (parents, teams, marks) is settled afterwards.
 */
#include "builder/gather/gather.h"
#include "builder/gather/walk.h"

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

/* An explicit task that records named before. */
static bool is_known(const struct walk *w, uint32_t task)
{
	const struct task *t = &w->m->tasks[task];
	return task != 0 && task_is_explicit(t) && t->state & (TASK_CREATED | TASK_STARTED);
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
	case EVENT_recording_on:
		if (forget(w, model_task(w->m, r->a), r->time) != 0)
			return -1;
		if (is_known(w, w->task))
			gather_resume(w, w->task, r->time);
		break;
	default: return gather_target(w, r) == 0 ? gather_device(w, r) : -1;
	}
	return 0;
}

static int resume_behind_gap(struct walk *w, const struct segment_header *header)
{
	w->n_announced = 0;
	uint32_t task = model_task(w->m, header->task);
	int rc = forget(w, task, header->ticks);
	if (is_known(w, task))
		gather_resume(w, task, header->ticks);
	return rc;
}

static inline bool is_continued(unsigned kind)
{
	return false
#define CONTINUED(event, by, doc) || kind == EVENT_##event
#include "common/events.def"
		;
}

/* What a record must be whatever it says: of a kind that the recorder had, in its place in a group, and not out of time. */
static inline void check_form(struct walk *w, const struct record *r, unsigned kind)
{
	const struct meta *meta = &w->m->dump->meta;
	if (__builtin_expect(w->timeline.n_mended != 0, 0)) {
		w->timeline.n_mended = 0;
		gather_contradiction(w, "time_out_of_order",
				     "a time stamp that does not lie between its neighbours', expected about %llu",
				     (unsigned long long)r->time);
	}
	if (__builtin_expect(!meta->has_kind[kind] && meta->n_kinds != 0, 0))
		gather_contradiction(w, "kind_unknown", "kind %u, expected one of the %llu that meta lists", kind,
				     (unsigned long long)meta->n_kinds);
	if (record_is_continuation(r)) {
		if (w->n_announced == 0)
			gather_contradiction(w, "stray_continuation", "a continuation, expected a record of its own");
		else
			w->n_announced--;
		return;
	}
	if (__builtin_expect(w->n_announced != 0, 0) && w->group_kind != EVENT_dependences) /* that one the replay counts */
		gather_contradiction(w, "cut_group", "a record of its own, expected %llu continuations more",
				     (unsigned long long)w->n_announced);
	w->n_announced = 0;
	if (is_continued(kind)) {
		w->group_kind = kind;
		w->n_announced = record_continuations(r);
	}
}

static int walk_stream(struct walk *w)
{
	struct model *m = w->m;
	struct timeline *t = &w->timeline;
	timeline_init(t, m->dump, &m->dump->streams[w->stream]);
	w->n_suspended = w->n_frames = w->n_open_regions = w->n_waits = 0;
	w->n_own_acquisitions = w->task = w->ended_wait = w->n_missing_roots = 0;
	w->n_records = w->new_root_at = w->region_at = 0;
	w->is_whole = false;
	w->since_ticks = w->tid = 0;
	m->operation_base[w->stream] = m->n_operations != 0 ? m->n_operations : 1;
	w->n_announced = 0;
	for (const struct record *r; (r = timeline_peek(t)) != NULL; timeline_take(t)) {
		unsigned kind = record_kind(r);
		bool is_gap = cursor_at_gap(&t->cursor) || kind == EVENT_records_lost;
		int rc = is_gap ? resume_behind_gap(w, cursor_header(&t->cursor)) : 0;
		m->n_events[kind]++;
		check_form(w, r, kind);
		if (!record_is_continuation(r) && (m->first_ticks == 0 || r->time < m->first_ticks))
			m->first_ticks = r->time;
		w->n_records++;
		if (w->task == 0 && w->is_whole && m->is_libomp && rc == 0 && model_needs_task(kind))
			rc = gather_missing_root(w, r->time);
		if (rc != 0 || walk_record(w, r) != 0)
			return error("%s: stream %u: out of memory", m->dump->path, m->dump->streams[w->stream].number);
	}
	if (forget(w, 0, t->last_ticks) != 0)
		return error("%s: out of memory", m->dump->path);
	if (t->last_ticks > m->last_ticks)
		m->last_ticks = t->last_ticks;
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
		if (region->n_members_seen == UINT16_MAX || task->state & TASK_DOUBTFUL)
			task->state |= TASK_DOUBTFUL; /* more than any team has: of no team */
		else
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
		gather_check_tasks(m);
		bool is_settled = gather_settle_target(m) == 0 && gather_settle_device(&w) == 0;
		rc = is_settled ? gather_lock_orders(m, w.acquisitions, w.n_acquisitions) : error("%s: out of memory", dump->path);
	}
	free(w.acquisitions);
	if (rc == 0)
		rc = gather_check_teams(m);
	if (rc == 0)
		rc = gather_teams(m);
	return rc == 0 ? gather_units(m) : -1;
}
