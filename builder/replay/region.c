/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The replay of threads, regions and implicit tasks: who is in which team, and what ends with what. Quirk numbers are those of
 * docs/runtimes.md.
 */
#include "builder/replay/state.h"

int replay_parallel_begin(struct replay *r, struct stream_state *s, const struct record *record)
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

int replay_parallel_end(struct replay *r, struct stream_state *s, const struct record *record)
{
	uint32_t region = model_region(r->model, id_make(r->model->dump->streams[s->row].number, record_value(record)));
	const struct implicit *inner = replay_innermost(s);
	size_t n_kept = inner != NULL ? inner->n_regions : 0;
	size_t n = model_find_ended(r->model, s->regions, s->n_regions, n_kept, region, model_task(r->model, record->a));
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

static int begin_implicit(struct replay *r, struct stream_state *s, uint32_t row, uint64_t ticks)
{
	struct point at = replay_point(s, ticks);
	if (VISIT(r, implicit_begin, &at, row) != 0)
		return -1;
	if (replay_grow((void **)&s->implicits, s->n_implicits, &s->implicits_capacity, sizeof *s->implicits) != 0)
		return -1;
	s->implicits[s->n_implicits++] = (struct implicit){row, s->task, s->n_regions, s->suspended.n};
	s->task = row;
	return 0;
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

int replay_implicit_begin(struct replay *r, struct stream_state *s, const struct record *record)
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
	return begin_implicit(r, s, row, record->time);
}

int replay_missing_root(struct replay *r, struct stream_state *s, const struct record *record)
{
	if (s->task != 0 || s->n_implicits > 0 || !model_needs_task(record_kind(record)))
		return 0;
	uint32_t row = model_missing_root(r->model, s->row, s->n_missing_roots);
	if (row == 0 || r->model->tasks[row].start_ticks != record->time)
		return 0;
	s->n_missing_roots++;
	replay_quirk(r, "initial_task_without_begin"); /* Q40 */
	return begin_implicit(r, s, row, record->time);
}

int replay_implicit_end(struct replay *r, struct stream_state *s, const struct record *record)
{
	struct implicit *inner = replay_innermost(s);
	bool is_in_initial = inner != NULL && r->model->tasks[inner->task].flags & task_flags_initial;
	bool is_of_alias = is_alias_id(r, record->a) || (is_in_initial && !(record_flags(record) & task_flags_initial)); /* Q38 */
	if (r->model->n_aliases > 0 && is_of_alias) {
		replay_point(s, record->time);
		return 0;
	}
	if (inner == NULL) {
		replay_repair(r, "implicit_task_end_without_begin");
		return 0;
	}
	/* Where the program exits inside an explicit task, that task's id comes here: it never ends. */
	replay_forget_moved(r, s, inner->n_suspended);
	bool is_cut = suspended_above(&s->suspended, inner->n_suspended);
	if (replay_implicit_end_ticks(r, inner->task, record->time) != record->time)
		replay_quirk(r, "late_worker_end");
	/* Nothing that a runtime leaves unsaid: a region within which its task ends. */
	for (size_t i = inner->n_regions; i < s->n_regions && !is_cut; i++)
		if (!replay_is_hidden(r, s->regions[i]))
			replay_repair(r, "region_end_missing");
	return replay_close_implicit(r, s, record->time, is_cut ? "scope_without_end" : NULL);
}

int replay_thread_attach(struct replay *r, struct stream_state *s, const struct record *record)
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

int replay_recording_on(struct replay *r, struct stream_state *s, const struct record *record)
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
