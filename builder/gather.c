/* SPDX-License-Identifier: BSD-3-Clause
 *
 * First pass: fills the model's tables from the raw records, one stream after the other. No scopes, no order between streams: every
 * fact goes to a row that its id addresses. What must hold between streams (parents, teams, marks) is settled afterwards.
 */
#include "builder/gather.h"
#include "builder/array.h"
#include "builder/map.h"

#include <stdlib.h>
#include <string.h>

/* What the pass knows while it walks one stream. */
struct walk {
	struct model *m;
	uint32_t stream;      /* row */
	uint32_t task;        /* current */
	uint64_t since_ticks; /* when it became current */
	uint64_t tid;         /* of the thread that has the stream */
	/* Implicit tasks that this thread is in, innermost last, with what was current around each. */
	struct frame {
		uint32_t task, outer;
		size_t n_suspended; /* at its begin */
	} * frames;
	size_t n_frames, frames_capacity;
	/* Regions that this thread encountered and that are open. */
	uint32_t *open_regions;
	size_t n_open_regions, open_regions_capacity;
	/* Explicit tasks suspended on this thread, by the order of their suspension: the dual-stack rule (docs/design.md). */
	uint32_t *suspended;
	size_t n_suspended, suspended_capacity;
	struct acquisition *acquisitions;
	size_t n_acquisitions, acquisitions_capacity;
	struct map tids; /* of all threads met */
	uint32_t n_own_acquisitions;
};

#define PUSH(array, n, capacity, ...)                                                                                              \
	(array_reserve((void **)&(array), (n) + 1, &(capacity), sizeof *(array)) ? ((array)[(n)++] = (__VA_ARGS__), 0) : -1)

static void make_current(struct walk *w, uint32_t task, uint64_t ticks)
{
	if (ticks > w->since_ticks)
		w->m->tasks[w->task].busy_ticks += ticks - w->since_ticks;
	w->task = task;
	w->since_ticks = ticks;
}

/* The thread's story breaks off: another thread takes the stream, or records are missing. */
static void forget(struct walk *w, uint32_t task, uint64_t ticks)
{
	for (size_t i = 0; i < w->n_suspended; i++)
		w->m->tasks[w->suspended[i]].state |= TASK_MARKED;
	w->n_suspended = w->n_frames = w->n_open_regions = 0;
	w->task = 0;
	make_current(w, task, ticks);
}

static int walk_parallel_begin(struct walk *w, const struct record *r)
{
	struct model *m = w->m;
	uint32_t row = model_region(m, id_make(m->dump->streams[w->stream].number, record_value(r)));
	struct region *region = &m->regions[row];
	unsigned flags = record_flags(r);
	region->task = w->task;
	region->construct = model_construct(m, flags & parallel_flags_league ? CONSTRUCT_TEAMS : CONSTRUCT_PARALLEL, r->b);
	region->requested = low32(r->a);
	region->flags = (uint8_t)flags;
	region->state |= REGION_SEEN | REGION_ANNOUNCED;
	region->begin_ticks = r->time;
	return PUSH(w->open_regions, w->n_open_regions, w->open_regions_capacity, row);
}

static void walk_parallel_end(struct walk *w, const struct record *r)
{
	struct model *m = w->m;
	uint32_t task = model_task(m, r->a);
	uint32_t row = model_region(m, id_make(m->dump->streams[w->stream].number, record_value(r)));
	size_t n = model_find_ended(m, w->open_regions, w->n_open_regions, row, task);
	if (n > 0) {
		struct region *region = &m->regions[w->open_regions[n - 1]];
		region->end_ticks = r->time;
		region->state |= REGION_ENDED;
		w->n_open_regions = n - 1;
	}
	make_current(w, task, r->time);
}

static int walk_implicit_begin(struct walk *w, const struct record *r)
{
	struct model *m = w->m;
	uint32_t row = model_task(m, id_make(m->dump->streams[w->stream].number, record_value(r)));
	struct task *task = &m->tasks[row];
	uint32_t region = model_region(m, r->a);
	bool is_initial = record_flags(r) & task_flags_initial;

	/* Q7: with num_teams(1) the initial task's region is not the league's. The open league of the same thread is. */
	if (is_initial && w->n_open_regions > 0 && !(m->regions[region].state & REGION_ANNOUNCED)) {
		uint32_t enclosing = w->open_regions[w->n_open_regions - 1];
		if (m->regions[enclosing].flags & parallel_flags_league) {
			region = enclosing;
			tally_add(&m->quirks, "league_of_one_region", 1);
		}
	}
	task->region = region;
	task->flags = (uint16_t)record_flags(r);
	task->thread = high32(r->b);
	task->state |= TASK_SEEN | TASK_CREATED | TASK_STARTED;
	task->run_stream = w->stream;
	task->create_ticks = task->start_ticks = r->time;
	m->regions[region].state |= REGION_SEEN;
	if (task->thread == 0)
		m->regions[region].actual = low32(r->b);
	int rc = PUSH(w->frames, w->n_frames, w->frames_capacity, (struct frame){row, w->task, w->n_suspended});
	make_current(w, row, r->time);
	return rc;
}

/* Is the stream's innermost implicit task the one whose barrier end is the region's join? Thread 0, and the root's own. */
static struct region *joining_region(struct walk *w)
{
	if (w->n_frames == 0)
		return NULL;
	const struct task *task = &w->m->tasks[w->frames[w->n_frames - 1].task];
	return task->thread == 0 && task->region != 0 ? &w->m->regions[task->region] : NULL;
}

static void walk_implicit_end(struct walk *w, const struct record *r)
{
	struct model *m = w->m;
	struct region *region = joining_region(w);
	if (region != NULL && region->join_ticks == UINT64_MAX)
		region->join_ticks = r->time;
	if (w->n_frames == 0) { /* its begin is missing */
		make_current(w, 0, r->time);
		return;
	}
	struct frame frame = w->frames[--w->n_frames];
	m->tasks[frame.task].end_ticks = r->time;
	m->tasks[frame.task].state |= TASK_COMPLETED;
	make_current(w, frame.outer, r->time);
}

static void walk_task_create(struct walk *w, const struct record *r)
{
	struct model *m = w->m;
	unsigned flags = record_flags(r);
	enum construct_kind kind = flags & task_flags_target     ? CONSTRUCT_TARGET
				   : flags & task_flags_taskwait ? CONSTRUCT_TASKWAIT
								 : CONSTRUCT_TASK;
	struct task *task = &m->tasks[model_task(m, id_make(m->dump->streams[w->stream].number, record_value(r)))];
	task->parent = model_task(m, r->a);
	task->construct = model_construct(m, kind, r->b);
	task->flags = (uint16_t)flags;
	task->state |= TASK_SEEN | TASK_CREATED;
	task->create_ticks = r->time;
	m->tasks[task->parent].state |= TASK_SEEN;
}

/* The task goes on here. Found among the suspended: whatever was suspended after it is resumed out of order, and marked. */
static void resume(struct walk *w, uint32_t row, uint64_t ticks)
{
	struct task *task = &w->m->tasks[row];
	if (!(task->state & TASK_STARTED)) {
		task->state |= TASK_SEEN | TASK_STARTED;
		task->run_stream = w->stream;
		task->start_ticks = ticks;
		return;
	}
	task->state |= TASK_HAS_PARTS;
	for (size_t i = w->n_suspended; i > 0; i--) {
		if (w->suspended[i - 1] != row)
			continue;
		for (size_t j = i; j < w->n_suspended; j++)
			w->m->tasks[w->suspended[j]].state |= TASK_MARKED;
		w->n_suspended = i - 1;
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
	size_t n = w->n_frames;
	while (n > 0 && w->frames[n - 1].task != row)
		n--;
	size_t bottom = n > 0 ? w->frames[n - 1].n_suspended : 0;
	while (w->n_suspended > bottom)
		w->m->tasks[w->suspended[--w->n_suspended]].state |= TASK_MARKED;
}

static int walk_task_schedule(struct walk *w, const struct record *r)
{
	struct model *m = w->m;
	uint32_t prior = model_task(m, r->a), next = model_task(m, r->b);
	unsigned status = record_flags(r);
	if (prior == next && r->b != 0) /* an untied task of a serial team goes on (Q15): from whatever is current */
		prior = w->task;
	struct task *task = &m->tasks[prior];
	bool is_complete = status == task_status_complete || status == task_status_cancel || status == task_status_late_fulfill ||
			   status == task_status_taskwait_complete;
	if (is_complete) {
		task->state |= TASK_COMPLETED | (status == task_status_cancel ? TASK_CANCELLED : 0);
		task->end_ticks = r->time;
	}
	if (status == task_status_detach) {
		task->state |= TASK_DETACHED;
		if (!(task->state & TASK_COMPLETED))
			task->end_ticks = r->time;
	}
	if (r->b == 0 || prior == next)
		return 0;
	int rc = 0;
	if (!is_complete && status != task_status_detach && task_is_explicit(task))
		rc = PUSH(w->suspended, w->n_suspended, w->suspended_capacity, prior);
	if (next != w->task)
		make_current(w, next, r->time);
	if (task_is_explicit(&m->tasks[next]))
		resume(w, next, r->time);
	else
		resume_implicit(w, next);
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
	if (r->a != w->tid)
		forget(w, 0, r->time);
	w->tid = r->a;
	uint32_t *seen = map_put(&w->tids, r->a + 1);
	if (seen == NULL)
		return -1;
	w->m->n_threads += *seen == 0;
	*seen = 1;
	return 0;
}

static int walk_record(struct walk *w, const struct record *r)
{
	switch (record_kind(r)) {
	case EVENT_parallel_begin: return walk_parallel_begin(w, r);
	case EVENT_parallel_end: walk_parallel_end(w, r); break;
	case EVENT_implicit_task_begin: return walk_implicit_begin(w, r);
	case EVENT_implicit_task_end: walk_implicit_end(w, r); break;
	case EVENT_task_create: walk_task_create(w, r); break;
	case EVENT_task_schedule: return walk_task_schedule(w, r);
	case EVENT_mutex_acquired: return walk_mutex_acquired(w, r);
	case EVENT_sync_region_end:
		if (record_flags(r) == sync_kind_barrier_implicit_parallel && joining_region(w) != NULL)
			joining_region(w)->join_ticks = r->time;
		break;
	case EVENT_thread_attach: return walk_thread_attach(w, r);
	case EVENT_recording_on: forget(w, model_task(w->m, r->a), r->time); break;
	default: break;
	}
	return 0;
}

static int walk_stream(struct walk *w)
{
	struct model *m = w->m;
	struct cursor c;
	cursor_init(&c, &m->dump->streams[w->stream]);
	uint64_t last_ticks = 0;
	w->n_suspended = w->n_frames = w->n_open_regions = 0;
	w->n_own_acquisitions = w->task = 0;
	w->since_ticks = w->tid = 0;
	for (const struct record *r; (r = cursor_peek(&c)) != NULL; c.index++) {
		unsigned kind = record_kind(r);
		if (cursor_at_gap(&c) || kind == EVENT_records_lost)
			forget(w, model_task(m, cursor_header(&c)->task), cursor_header(&c)->ticks);
		m->n_events[kind]++;
		if (!record_is_continuation(r)) {
			if (m->first_ticks == 0 || r->time < m->first_ticks)
				m->first_ticks = r->time;
			last_ticks = r->time;
		}
		if (walk_record(w, r) != 0)
			return error("%s: stream %u: out of memory", m->dump->path, m->dump->streams[w->stream].number);
	}
	forget(w, 0, last_ticks);
	if (last_ticks > m->last_ticks)
		m->last_ticks = last_ticks;
	return 0;
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
		/* A worker's end is reported at its next use: it ended when the team joined (quirk Q3). */
		if (task->thread != 0 && task->end_ticks > region->join_ticks) {
			uint64_t late_ticks = task->end_ticks - region->join_ticks;
			task->busy_ticks -= task->busy_ticks > late_ticks ? late_ticks : task->busy_ticks;
			task->end_ticks = region->join_ticks;
		}
		region->n_members_seen++;
	}
	/* Binding region: that of the nearest implicit ancestor. Ancestors are settled on the way, so each chain is walked once. */
	for (uint32_t i = 1; i < m->n_tasks; i++) {
		uint32_t top = i;
		for (uint32_t n = 0; m->tasks[top].region == 0 && m->tasks[top].parent != 0 && n < m->n_tasks; n++)
			top = m->tasks[top].parent;
		uint32_t region = m->tasks[top].region;
		for (uint32_t j = i; region != 0 && m->tasks[j].region == 0; j = m->tasks[j].parent)
			m->tasks[j].region = region;
	}
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
	map_free(&w.tids);
	if (rc == 0) {
		settle_tasks(m);
		rc = gather_lock_orders(m, w.acquisitions, w.n_acquisitions);
	}
	free(w.acquisitions);
	return rc == 0 ? gather_teams(m) : -1;
}
