/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The first pass's regions and implicit tasks: which thread is in which, and when a team joined. Quirk numbers are those of docs/design.md.
 */
#include "builder/gather/walk.h"

/*
 * Inside each initial task of a league LLVM's runtime begins a region that the program does not have, as the team that inner regions
 * grow from (Q31): it says no return address. A root's initial task is in a region that its own stream made up; nobody announced that one.
 */
static bool is_league_inner_team(const struct walk *w, const struct record *r)
{
	const struct model *m = w->m;
	const struct task *task = &m->tasks[w->task];
	if (!m->is_libomp || r->b != 0 || record_flags(r) & parallel_flags_league || !(task->flags & task_flags_initial))
		return false;
	bool is_of_stream = task->region > m->region_rows.base[w->stream] && task->region <= m->region_rows.base[w->stream + 1];
	return !is_of_stream || m->regions[task->region].state & REGION_ANNOUNCED;
}

/*
 * For target tasks libomp has a team of its own, which a root thread of its own begins first of all, called by the runtime (Q22). The
 * program has no such region.
 */
static bool is_helper_team(const struct walk *w, const struct record *r, uint32_t construct)
{
	const struct model *m = w->m;
	bool is_first = w->new_root_at != 0 && w->n_records - w->new_root_at <= 1;
	bool is_of_runtime = r->b != 0 && m->constructs[construct].codeptr == 0;
	return m->is_libomp && is_first && is_of_runtime && !(record_flags(r) & parallel_flags_league) &&
	       w->tid != (uint64_t)m->dump->meta.pid;
}

int gather_parallel_begin(struct walk *w, const struct record *r)
{
	struct model *m = w->m;
	uint32_t row = model_region(m, id_make(m->dump->streams[w->stream].number, record_value(r)));
	struct region *region = &m->regions[row];
	unsigned flags = record_flags(r);
	if (row == 0)
		gather_contradiction(w, "id_out_of_range", "it begins region %llu of its stream, expected at most %llu",
				     (unsigned long long)record_value(r),
				     (unsigned long long)m->dump->streams[w->stream].max_region);
	else if (region->state & REGION_ANNOUNCED)
		gather_contradiction(w, "region_begun_twice", "region %llu of its stream once more, expected a new one",
				     (unsigned long long)record_value(r));
	region->task = w->task;
	region->construct = model_construct(m, flags & parallel_flags_league ? CONSTRUCT_TEAMS : CONSTRUCT_PARALLEL, r->b);
	region->requested = low32(r->a);
	region->flags = (uint8_t)flags;
	region->state |= REGION_SEEN | REGION_ANNOUNCED | (is_league_inner_team(w, r) ? REGION_HIDDEN : 0);
	region->begin_ticks = r->time;
	w->region_at = w->n_records;
	if (is_helper_team(w, r, region->construct)) {
		region->state |= REGION_HELPER;
		m->tasks[w->task].state |= TASK_HELPER;
		tally_add(&m->quirks, "helper_team", 1);
	}
	return PUSH(w->open_regions, w->n_open_regions, w->open_regions_capacity, row);
}

void gather_parallel_end(struct walk *w, const struct record *r)
{
	struct model *m = w->m;
	size_t n_kept = w->n_frames > 0 ? w->frames[w->n_frames - 1].n_regions : 0;
	uint32_t task = gather_own(w, r->a);
	uint32_t row = model_region(m, id_make(m->dump->streams[w->stream].number, record_value(r)));
	size_t n = model_find_ended(m, w->open_regions, w->n_open_regions, n_kept, row, task);
	if (n > 0) {
		struct region *region = &m->regions[w->open_regions[n - 1]];
		region->end_ticks = r->time;
		region->state |= REGION_ENDED;
		task = region->task;
		w->n_open_regions = n - 1;
	}
	gather_make_current(w, task, r->time);
}

/*
 * The region of an initial task inside of an open league of the same thread is that league, whatever the record says: with num_teams(1)
 * libomp names a region that nobody announced, or one that is long over (Q7).
 */
static uint32_t league_region(struct walk *w, uint32_t named)
{
	struct model *m = w->m;
	uint32_t enclosing = w->n_open_regions > 0 ? w->open_regions[w->n_open_regions - 1] : 0;
	if (enclosing == named || !(m->regions[enclosing].flags & parallel_flags_league))
		return named;
	tally_add(m->is_libomp ? &m->quirks : &m->repairs, "league_of_one_region", 1);
	return enclosing;
}

int gather_implicit_begin(struct walk *w, const struct record *r)
{
	struct model *m = w->m;
	uint32_t row = model_own_task(m, w->stream, record_value(r));
	struct task *task = &m->tasks[row];
	uint32_t region = model_region(m, r->a);
	if (row == 0)
		gather_contradiction(w, "id_out_of_range", "it begins task %llu of its stream, expected at most %llu",
				     (unsigned long long)record_value(r), (unsigned long long)m->dump->streams[w->stream].max_task);
	else if (task->state & TASK_CREATED)
		gather_doubt(w, row, "task_created_twice", "a new one");
	if (region == 0 && r->a != 0 && m->dump->is_complete)
		gather_contradiction(w, "id_out_of_range", "it begins a task of region %u:%llu, which no stream made",
				     id_stream(r->a), (unsigned long long)id_counter(r->a));
	struct walk_frame frame = {.task = row,
				   .outer = w->task,
				   .n_threads = low32(r->b),
				   .own = w->n_frames + 1,
				   .n_suspended = w->n_suspended,
				   .n_regions = w->n_open_regions};
	if (record_flags(r) & task_flags_initial)
		region = league_region(w, region);
	else if (m->is_libomp && frame.n_regions > 0 && high32(r->b) == 0 && w->region_at + 1 == w->n_records &&
		 region != w->open_regions[frame.n_regions - 1]) {
		region = w->open_regions[frame.n_regions -
					 1]; /* a serialized region inside of another one (Q38): it has just begun */
		tally_add(&m->quirks, "outer_task_named", 1);
	}
	if (m->regions[region].state & REGION_HIDDEN && w->n_open_regions > 0 && region == w->open_regions[w->n_open_regions - 1]) {
		frame.task = w->task;
		frame.is_alias = true;
		frame.own = w->n_frames > 0 ? w->frames[w->n_frames - 1].own : 0;
		if (model_set_alias(m, row, w->task) != 0)
			return -1;
		return PUSH(w->frames, w->n_frames, w->frames_capacity, frame);
	}
	task->region = region;
	task->flags = (uint16_t)(record_flags(r) & ~(unsigned)(task_flags_explicit | task_flags_target | task_flags_taskwait));
	if (!(task->flags & task_flags_initial))
		task->flags |= task_flags_implicit;
	task->thread = high32(r->b);
	task->state |= TASK_SEEN | TASK_CREATED | TASK_STARTED;
	task->run_stream = w->stream;
	task->create_ticks = task->start_ticks = r->time;
	m->regions[region].state |= REGION_SEEN;
	if (task->thread == 0)
		m->regions[region].actual = low32(r->b);
	if (w->n_frames == 0 && record_flags(r) & task_flags_initial)
		w->new_root_at = w->n_records;
	int rc = PUSH(w->frames, w->n_frames, w->frames_capacity, frame);
	gather_make_current(w, row, r->time);
	return rc;
}

int gather_missing_root(struct walk *w, uint64_t ticks)
{
	struct model *m = w->m;
	if (w->n_frames > 0)
		return 0;
	struct walk_frame frame = {.task = model_add_root(m, w->stream, w->n_missing_roots++), .n_threads = 1, .own = 1};
	if (frame.task == 0)
		return -1;
	struct task *task = &m->tasks[frame.task];
	task->state = TASK_SEEN | TASK_CREATED | TASK_STARTED;
	task->run_stream = w->stream;
	task->create_ticks = task->start_ticks = ticks;
	m->regions[task->region].state |= REGION_SEEN;
	w->new_root_at = w->n_records;
	gather_make_current(w, frame.task, ticks);
	return PUSH(w->frames, w->n_frames, w->frames_capacity, frame);
}

/* The innermost implicit task that is not another name of the one around it, or NULL. */
static struct walk_frame *innermost(struct walk *w)
{
	size_t own = w->n_frames > 0 ? w->frames[w->n_frames - 1].own : 0;
	return own > 0 ? &w->frames[own - 1] : NULL;
}

/* The region whose join is where this implicit task's closing barrier ends: that of its thread 0. NULL: somebody else's is. */
static struct region *joining_region(const struct walk *w, const struct walk_frame *frame)
{
	const struct task *task = frame != NULL ? &w->m->tasks[frame->task] : NULL;
	return task != NULL && task->thread == 0 && task->region != 0 ? &w->m->regions[task->region] : NULL;
}

int gather_settle_reduction(struct walk *w)
{
	uint64_t codeptr = w->reduction_barrier;
	w->reduction_barrier = 0;
	return model_set_reduction_barrier(w->m, codeptr);
}

/*
 * In larger teams libomp reduces by a tree, which is a barrier (Q41). Where the construct ends with a barrier smaller teams have one more,
 * too; where it does not they have none.
 */
int gather_sync_begin(struct walk *w, const struct record *r)
{
	unsigned kind = record_flags(r);
	struct walk_frame *frame = innermost(w);
	if (w->reduction_barrier != 0) {
		const struct region *region = frame != NULL ? &w->m->regions[w->m->tasks[frame->task].region] : &w->m->regions[0];
		bool is_constructs = kind == sync_kind_barrier_implicit_workshare ||
				     (kind == sync_kind_barrier_implicit && r->b != w->m->constructs[region->construct].codeptr);
		if (is_constructs)
			w->reduction_barrier = 0;
		else if (gather_settle_reduction(w) != 0)
			return -1;
	}
	if (kind == sync_kind_barrier_implementation)
		w->implementation_barrier = r->b;
	if (frame != NULL && kind == sync_kind_barrier_implicit) {
		frame->n_implicit_barriers++;
		frame->barrier_codeptr = r->b;
	}
	return 0;
}

void gather_sync_end(struct walk *w, const struct record *r)
{
	unsigned kind = record_flags(r);
	if (kind == sync_kind_barrier_implementation)
		w->implementation_barrier = 0;
	bool is_closing = kind == sync_kind_barrier_implicit_parallel || kind == sync_kind_barrier_teams;
	if (!is_closing && kind != sync_kind_barrier_implicit)
		return;
	struct walk_frame *frame = innermost(w);
	struct region *region = joining_region(w, frame);
	if (is_closing && region != NULL)
		region->join_ticks = r->time;
	else if (frame != NULL)
		frame->barrier_end_ticks = r->time;
}

/*
 * Before LLVM 19 the barriers behind worksharing and the closing ones are of one kind (Q32). The last one of an implicit task is the
 * closing one, except that libomp has none in a team of one (Q6).
 */
static int name_closing_barrier(struct walk *w, const struct walk_frame *frame)
{
	if (frame->n_implicit_barriers == 0 || (w->m->is_libomp && frame->n_threads == 1))
		return 0;
	struct region *region = joining_region(w, frame);
	if (region != NULL && frame->barrier_end_ticks != 0)
		region->join_ticks = frame->barrier_end_ticks;
	return model_set_closing_barrier(w->m, frame->task, frame->n_implicit_barriers);
}

int gather_implicit_missing(struct walk *w)
{
	int rc = 0;
	for (size_t i = 0; i < w->n_frames && rc == 0; i++) {
		/* Was the last barrier begun the closing one? Then it has the region's return address, or none on workers. */
		const struct walk_frame *frame = &w->frames[i];
		const struct region *region = &w->m->regions[w->m->tasks[frame->task].region];
		if (frame->barrier_codeptr == 0 || frame->barrier_codeptr == w->m->constructs[region->construct].codeptr)
			rc = name_closing_barrier(w, frame);
	}
	return rc;
}

int gather_implicit_end(struct walk *w, const struct record *r)
{
	struct model *m = w->m;
	if (w->n_frames == 0) { /* its begin is missing */
		gather_make_current(w, 0, r->time);
		return 0;
	}
	struct walk_frame frame = w->frames[--w->n_frames];
	if (frame.is_alias)
		return 0;
	int rc = name_closing_barrier(w, &frame);
	struct region *region = joining_region(w, &frame);
	if (region != NULL && region->join_ticks == UINT64_MAX)
		region->join_ticks = r->time;
	m->tasks[frame.task].end_ticks = r->time;
	m->tasks[frame.task].state |= TASK_COMPLETED;
	gather_make_current(w, frame.outer, r->time);
	return rc;
}
