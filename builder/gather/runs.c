/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The first pass's account of how tasks ran, where several streams have records of it: tasks that move from stream to
 * stream, are cancelled, fulfilled or completed by another stream, or about which records contradict each other. The first
 * stream that claims a task has its row, the others have rows of their own, which are merged in the order of streams after
 * all of them have been walked. Quirk numbers are those of docs/runtimes.md.
 */
#include "builder/gather/stream.h"

#include <stdlib.h>

/* Is it the row that was looked up last? Most often a task begins and ends without another one in between. */
static inline bool is_recent(const struct gather_stream *w, uint32_t row)
{
	return w->partial.recent != 0 && w->partial.runs[w->partial.recent - 1].row == row;
}

bool gather_has_partial(struct gather_stream *w, uint32_t row)
{
	return is_recent(w, row) || map_get(&w->partial.rows, row) != NULL;
}

static struct task *add_partial(struct gather_stream *w, uint32_t row)
{
	if (is_recent(w, row))
		return &w->partial.runs[w->partial.recent - 1].task;
	uint32_t *index = map_put(&w->partial.rows, row);
	array_push_new(w->partial.runs, w->partial.n, w->partial.capacity, index,
		       (struct partial_run){.row = row, .stream = w->stream});
	w->partial.recent = *index;
	return &w->partial.runs[*index - 1].task;
}

struct task *gather_claim_run(struct gather_stream *w, uint32_t row)
{
	struct task *task = &w->m->tasks[row];
	uint32_t owner = 0;
	if (row == 0)
		return &w->nobody;
	/* Relaxed: other threads read the rest of the row only after all walks. */
	bool is_free =
		__atomic_compare_exchange_n(&task->run_stream, &owner, w->stream + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return is_free ? task : add_partial(w, row);
}

void gather_repair_task(struct gather_stream *w, uint32_t task, const char *name, const char *expected)
{
	gather_run(w, task)->state |= TASK_CONTRADICTORY;
	gather_repair(w, name, "task %u:%llu, expected %s", gather_id_stream(w->m, task), gather_id_counter(w->m, task), expected);
}

/* ---- After all streams ---- */

/* The task started or resumed in a stream, and perhaps in others before. */
static void join_starts(struct model *m, uint32_t row, struct task *all, const struct partial_run *part)
{
	const struct task *task = &part->task;
	if (all->state & TASK_COMPLETED && task->start_ticks > all->end_ticks && !(all->state & TASK_DETACHED)) {
		all->state |= TASK_CONTRADICTORY;
		gather_repair_row(m, row, "task_after_completion", "runs after it completed, expected before");
	}
	if (all->state & TASK_STARTED)
		all->state |= TASK_HAS_PARTS | TASK_MARKED | TASK_MIGRATED;
	else if (all->state & TASK_CANCELLED) /* untied, and another thread cancelled it between its parts */
		all->state |= TASK_MARKED | TASK_MIGRATED;
	if (!(all->state & TASK_STARTED) || task->start_ticks < all->start_ticks) {
		all->start_ticks = task->start_ticks;
		all->run_stream = part->stream + 1;
	}
}

/*
 * The end as one more stream knows it. An untied task may be cancelled twice: when a part of it ends, and when another
 * thread discards the rest (Q42). Its last part may end before a thread reports that it completed (Q33).
 */
static void join_ends(struct model *m, uint32_t row, struct task *all, const struct task *task)
{
	unsigned part = task->state & TASK_PART_CANCELLED, earlier = all->state & TASK_PART_CANCELLED;
	bool is_rest = (part == TASK_CANCEL_CURRENT || part == TASK_CANCEL_WAITING) && earlier == (part ^ TASK_PART_CANCELLED);
	bool was_completed = all->state & TASK_COMPLETED;
	if (task->state & TASK_COMPLETED) {
		if (was_completed && !is_rest) {
			all->state |= TASK_CONTRADICTORY;
			gather_repair_row(m, row, "task_completed_twice", "completes in two streams, expected once");
		}
		bool has_ended = all->state & TASK_PART_ENDED && all->end_ticks < task->end_ticks;
		if ((!is_rest || task->end_ticks > all->end_ticks) && !has_ended)
			all->end_ticks = task->end_ticks;
	} else if (task->state & TASK_PART_ENDED) {
		if (!was_completed || task->end_ticks < all->end_ticks)
			all->end_ticks = task->end_ticks;
	} else if (task->state & TASK_DETACHED && !was_completed) {
		all->end_ticks = task->end_ticks;
	}
}

/* Merges what n streams know about one task, in their order. */
static void join_task(struct model *m, uint32_t row, const struct partial_run *const *parts, size_t n)
{
	struct task all = {0}, *task = &m->tasks[row];
	/* Only the stream that gave its id runs an implicit task. */
	bool is_explicit = task_is_explicit(task);
	uint32_t own = 0, number;
	if (!is_explicit)
		model_task_origin(m, row, &own, &number);
	for (size_t i = 0; i < n; i++) {
		const struct task *part = &parts[i]->task;
		if (is_explicit || parts[i]->stream == own) {
			if (part->state & TASK_STARTED)
				join_starts(m, row, &all, parts[i]);
			else if (part->state & TASK_CANCELLED && all.state & TASK_STARTED) /* by a thread that did not run it */
				all.state |= TASK_MIGRATED;
			join_ends(m, row, &all, part);
			all.state |= part->state;
		} else {
			all.state |= part->state & TASK_CONTRADICTORY;
		}
	}
	task->state = all.state;
	task->run_stream = all.run_stream;
	task->start_ticks = all.start_ticks;
	task->end_ticks = all.end_ticks;
}

/*
 * Notes the tasks that resumed in the stream after missing records: only after all streams is it known whether some record
 * shows that they exist.
 */
static void resume(const struct gather_stream *w)
{
	for (size_t i = 0; i < w->n_resumptions; i++) {
		struct task *task = &w->m->tasks[w->resumptions[i].row];
		uint64_t ticks = w->resumptions[i].ticks;
		bool has_started = task->state & TASK_STARTED;
		if (!task_is_explicit(task) || !(has_started || task->flags & TASK_IS_CREATED))
			continue;
		if (has_started)
			task->state |= TASK_HAS_PARTS;
		if (has_started && task->run_stream != w->stream + 1)
			task->state |= TASK_MARKED | TASK_MIGRATED;
		if (!has_started || ticks < task->start_ticks) {
			task->start_ticks = ticks;
			task->run_stream = w->stream + 1;
		}
		task->state |= TASK_SEEN | TASK_STARTED;
	}
}

/* Lists what the streams know of a task: its row's owner, and others, in their order. Returns their number. */
static size_t list_parts(const struct partial_run *owned, const struct partial_run *first, const struct partial_run **parts)
{
	size_t n = 0;
	const struct partial_run *part = first;
	for (; part != NULL && part->stream < owned->stream; part = part->next)
		parts[n++] = part;
	parts[n++] = owned;
	for (; part != NULL; part = part->next)
		parts[n++] = part;
	return n;
}

/* Merges the streams' own rows into those of the table. */
static void join_partials(struct gathering *g)
{
	struct model *m = g->m;
	size_t n_streams = m->dump->n_streams;
	struct partial_run **of_row = memory_zeroed(m->n_tasks, sizeof *of_row, "the tasks that move");
	const struct partial_run **parts = memory_get(n_streams + 1, sizeof *parts, "the tasks that move");
	for (size_t s = n_streams; s > 0; s--)
		for (size_t i = 0; i < g->walks[s - 1]->partial.n; i++) {
			struct partial_run *part = &g->walks[s - 1]->partial.runs[i];
			part->next = of_row[part->row];
			of_row[part->row] = part;
		}
	for (uint32_t row = 1; row < m->n_tasks; row++) {
		if (of_row[row] == NULL)
			continue;
		const struct partial_run owned = {row, m->tasks[row].run_stream - 1, m->tasks[row], NULL};
		join_task(m, row, parts, list_parts(&owned, of_row[row], parts));
	}
	free(of_row);
	free(parts);
}

void gather_join_runs(struct gathering *g)
{
	struct model *m = g->m;
	bool has_partials = false;
	for (size_t s = 0; s < m->dump->n_streams; s++)
		has_partials = has_partials || g->walks[s]->partial.n > 0;
	if (has_partials)
		join_partials(g);
	for (size_t s = 0; s < m->dump->n_streams; s++)
		resume(g->walks[s]);
}
