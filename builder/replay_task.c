/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The replay of threads, regions and tasks: which task is current on a stream, and what ends with what. Quirk numbers are those
 * of docs/design.md.
 */
#include "builder/replay_state.h"

static int parallel_begin(struct replay *r, struct stream_state *s, const struct record *record)
{
	uint32_t region = model_region(r->model, id_make(r->model->dump->streams[s->row].number, record_value(record)));
	struct point at = replay_point(s, record->time);
	if (replay_grow((void **)&s->regions, s->n_regions, &s->regions_capacity, sizeof *s->regions) != 0)
		return -1;
	s->regions[s->n_regions++] = region;
	if (replay_is_hidden(r, region)) {
		replay_quirk(r, "league_inner_team"); /* Q31 */
		return 0;
	}
	return VISIT(r, region_begin, &at, region);
}

static int parallel_end(struct replay *r, struct stream_state *s, const struct record *record)
{
	uint32_t region = model_region(r->model, id_make(r->model->dump->streams[s->row].number, record_value(record)));
	size_t n = model_find_ended(r->model, s->regions, s->n_regions, region, model_task(r->model, record->a));
	if (n > 0 && s->regions[n - 1] != region) {
		replay_deviation(r, "region_end_names_another"); /* Q30 */
		region = s->regions[n - 1];
	}
	if (n == 0) {
		replay_repair(r, "region_end_without_begin");
		return 0;
	}
	/* An implicit task that began inside the region must have ended. */
	while (s->n_implicits > 0 && replay_innermost(s)->n_regions >= n) {
		replay_repair(r, "implicit_task_without_end");
		if (replay_close_implicit(r, s, record->time, "scope_without_end") != 0)
			return -1;
	}
	if (replay_close_regions(r, s, n, record->time, "region_without_end") != 0)
		return -1;
	struct point at = replay_point(s, record->time);
	s->n_regions = n - 1;
	return replay_is_hidden(r, region) ? 0 : VISIT(r, region_end, &at, region);
}

/* Is it the implicit task of a hidden region, which stands for the initial task around it? */
static bool is_alias(const struct replay *r, uint32_t row)
{
	return r->model->n_aliases > 0 && model_alias(r->model, row) != row;
}

static bool is_alias_id(const struct replay *r, uint64_t id)
{
	size_t stream = model_id_row(r->model->dump, id);
	return stream < r->model->dump->n_streams && is_alias(r, model_own_task(r->model, (uint32_t)stream, id_counter(id)));
}

static int implicit_begin(struct replay *r, struct stream_state *s, const struct record *record)
{
	uint32_t row = model_own_task(r->model, s->row, record_value(record));
	if (is_alias(r, row)) {
		replay_point(s, record->time);
		return 0;
	}
	bool is_nested = s->n_regions > 0 && s->regions[s->n_regions - 1] == r->model->tasks[row].region;
	if (s->n_implicits > 0 && !is_nested) {
		/* A thread works in one team at a time, but for regions that it encounters itself. */
		if (replay_close_stream(r, s, s->last_ticks, "scope_without_end") != 0)
			return -1;
	}
	struct point at = replay_point(s, record->time);
	if (VISIT(r, implicit_begin, &at, row) != 0)
		return -1;
	if (replay_grow((void **)&s->implicits, s->n_implicits, &s->implicits_capacity, sizeof *s->implicits) != 0)
		return -1;
	s->implicits[s->n_implicits++] = (struct implicit){row, s->task, s->n_regions, s->n_suspended};
	s->task = row;
	return 0;
}

static int implicit_end(struct replay *r, struct stream_state *s, const struct record *record)
{
	struct implicit *inner = replay_innermost(s);
	if (r->model->n_aliases > 0 && is_alias_id(r, record->a)) {
		replay_point(s, record->time);
		return 0;
	}
	if (inner == NULL) {
		replay_repair(r, "implicit_task_end_without_begin");
		return 0;
	}
	/* Where the program exits inside an explicit task, that task's id comes here: it never ends. */
	replay_forget_moved(r, s, inner->n_suspended);
	bool is_cut = s->n_suspended > inner->n_suspended;
	if (replay_implicit_end_ticks(r, inner->task, record->time) != record->time)
		replay_quirk(r, "late_worker_end");
	return replay_close_implicit(r, s, record->time, is_cut ? "scope_without_end" : NULL);
}

static int task_create(struct replay *r, struct stream_state *s, const struct record *record)
{
	struct model *m = r->model;
	uint32_t row = model_own_task(m, s->row, record_value(record));
	/* The tasks of a taskloop are created inside the runtime (Q9): they come from the taskloop. */
	const struct frame *frame = frames_find(&r->frames, s->task);
	const struct construct *construct = &m->constructs[m->tasks[row].construct];
	if (frame != NULL && record->b != 0 && construct->codeptr == 0)
		m->tasks[row].construct = model_construct(m, construct->kind, frame->last_work);
	if (m->tasks[row].flags & task_flags_taskwait) {
		if (replay_grow((void **)&s->waits, s->n_waits, &s->waits_capacity, sizeof *s->waits) != 0)
			return -1;
		s->waits[s->n_waits++] = row;
	}
	struct point at = replay_point(s, record->time);
	return VISIT(r, task_create, &at, row);
}

uint32_t replay_dependent(const struct replay *r, const struct stream_state *s, uint64_t id)
{
	return id == 0 && s->n_waits > 0 ? s->waits[s->n_waits - 1] : model_task(r->model, id);
}

/* The task runs now. One that has run before may be among the suspended; most often it is the last one. */
static int resume(struct replay *r, struct stream_state *s, uint32_t task)
{
	bool may_be_suspended = r->model->tasks[task].state & TASK_HAS_PARTS || !task_is_explicit(&r->model->tasks[task]);
	for (size_t i = may_be_suspended ? s->n_suspended : 0; i > 0; i--) {
		if (s->suspended[i - 1] != task)
			continue;
		for (size_t j = i; j < s->n_suspended; j++)
			s->suspended[j - 1] = s->suspended[j];
		s->n_suspended--;
		break;
	}
	s->task = task;
	return 0;
}

/* The last part of an untied task, whose end the runtime did not report, ends on its stream. */
static int end_part(struct replay *r, struct stream_state *s, uint64_t ticks)
{
	const struct implicit *inner = replay_innermost(s);
	uint32_t prior = s->task, next = inner != NULL ? inner->task : 0;
	if (s->n_suspended > (inner != NULL ? inner->n_suspended : 0))
		next = s->suspended[--s->n_suspended];
	if (replay_leave_scopes(r, s, prior, 0, ticks, "scope_without_end") != 0)
		return -1;
	struct point at = replay_point(s, ticks);
	r->model->tasks[prior].end_ticks = at.ticks;
	replay_quirk(r, "untied_part_without_end"); /* Q33 */
	if (VISIT(r, task_switch, &at, prior, next, task_status_complete) != 0)
		return -1;
	frames_drop(&r->frames, prior);
	s->task = next;
	return 0;
}

/* Another thread than that of its last part reports a task's completion: nothing is switched here. That part ends now if it has not. */
static int end_elsewhere(struct replay *r, struct stream_state *s, uint32_t task, uint64_t ticks)
{
	replay_point(s, ticks);
	for (size_t i = 0; i < r->model->dump->n_streams; i++)
		if (r->streams[i].task == task)
			return end_part(r, &r->streams[i], ticks);
	return 0;
}

/* The task that a record names as the current one of its thread; 0: it names none. */
static uint32_t named_current(const struct model *m, const struct record *record)
{
	switch (record_kind(record)) {
	case EVENT_task_schedule: return record->b != 0 ? model_task(m, record->a) : 0;
	case EVENT_task_create:
	case EVENT_implicit_task_end:
	case EVENT_sync_region_begin:
	case EVENT_sync_region_end:
	case EVENT_sync_region_wait_begin:
	case EVENT_sync_region_wait_end:
	case EVENT_reduction_begin:
	case EVENT_reduction_end:
	case EVENT_masked_begin:
	case EVENT_masked_end: return model_task(m, record->a);
	default: return 0;
	}
}

int replay_end_silent_part(struct replay *r, struct stream_state *s, const struct record *record)
{
	if (!(r->model->tasks[s->task].state & TASK_ENDED_ELSEWHERE))
		return 0;
	uint32_t current = named_current(r->model, record);
	return current == 0 || current == s->task ? 0 : end_part(r, s, record->time);
}

static int task_schedule(struct replay *r, struct stream_state *s, const struct record *record)
{
	struct model *m = r->model;
	uint32_t prior = model_task(m, record->a), next = model_task(m, record->b);
	unsigned status = record_flags(record);
	bool is_over = status == task_status_complete || status == task_status_cancel;

	if (status == task_status_taskwait_complete && s->n_waits > 0) {
		uint32_t innermost = s->waits[--s->n_waits];
		prior = prior != 0 ? prior : innermost;
	}
	if (prior != s->task && next == s->task && m->tasks[prior].state & TASK_ENDED_ELSEWHERE && status == task_status_complete)
		return end_elsewhere(r, s, prior, record->time);
	if (is_over && prior != s->task && !(m->tasks[prior].state & TASK_STARTED))
		next = 0; /* cancelled before it started: nothing is switched (Q14) */
	else if (record->b == 0)
		next = 0;
	else if (prior == next) { /* an untied task of a serial team goes on (Q15): from whatever is current */
		replay_deviation(r, "switch_to_itself");
		if (s->task == next)
			return 0;
		prior = s->task;
	} else if (prior != s->task) {
		if (s->task != 0 || s->n_implicits > 0)
			replay_repair(r, "switch_from_another_task");
		s->task = prior;
	}
	if (next == 0) {
		struct point at = replay_point(s, record->time);
		return VISIT(r, task_switch, &at, prior, 0, status);
	}
	if ((is_over || status == task_status_detach) &&
	    replay_leave_scopes(r, s, prior, 0, record->time, "scope_without_end") != 0)
		return -1;
	struct point at = replay_point(s, record->time);
	if (VISIT(r, task_switch, &at, prior, next, status) != 0)
		return -1;
	if (is_over || status == task_status_detach) {
		if (task_is_explicit(&r->model->tasks[prior]))
			frames_drop(&r->frames, prior);
	} else {
		if (replay_grow((void **)&s->suspended, s->n_suspended, &s->suspended_capacity, sizeof *s->suspended) != 0)
			return -1;
		s->suspended[s->n_suspended++] = prior;
	}
	return resume(r, s, next);
}

static int thread_attach(struct replay *r, struct stream_state *s, const struct record *record)
{
	/* The same thread may give its stream back early and take it again: its scopes stay open. */
	bool is_same = s->tid == record->a;
	if (!is_same && replay_close_stream(r, s, s->last_ticks, "thread_left_scope_open") != 0)
		return -1;
	s->tid = record->a;
	s->is_attached = true;
	struct point at = replay_point(s, record->time);
	return VISIT(r, thread_attach, &at, record->a);
}

static int recording_on(struct replay *r, struct stream_state *s, const struct record *record)
{
	uint32_t task = model_task(r->model, record->a);
	s->is_off = false;
	if (task != s->task) {
		/* What ended meanwhile, and when, is not known: the program asked for that. */
		replay_quirk(r, "paused_elsewhere");
		if (replay_close_stream(r, s, s->last_ticks, REPAIR_NONE) != 0)
			return -1;
		s->task = task;
	}
	struct point at = replay_point(s, record->time);
	return VISIT(r, measurement, &at, true);
}

int replay_task_record(struct replay *r, struct stream_state *s, const struct record *record)
{
	switch (record_kind(record)) {
	case EVENT_thread_begin: replay_point(s, record->time); return 0;
	case EVENT_thread_end: return replay_thread_end(r, s, record);
	case EVENT_thread_attach: return thread_attach(r, s, record);
	case EVENT_thread_detach:
		replay_point(s, record->time);
		s->is_attached = false;
		return 0;
	case EVENT_parallel_begin: return parallel_begin(r, s, record);
	case EVENT_parallel_end: return parallel_end(r, s, record);
	case EVENT_implicit_task_begin: return implicit_begin(r, s, record);
	case EVENT_implicit_task_end: return implicit_end(r, s, record);
	case EVENT_task_create: return task_create(r, s, record);
	case EVENT_task_schedule: return task_schedule(r, s, record);
	case EVENT_recording_on: return recording_on(r, s, record);
	default: return 1;
	}
}
