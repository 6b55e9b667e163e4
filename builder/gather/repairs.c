/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Repairs for records that contradict each other. Records have no checksum, so a changed byte shows only if records do
 * not fit together. Each kind is a repair with a name, printed once with its place. Tasks about which records
 * contradict each other are marked, and an archive leaves them out. Missing records are not this file's concern. Called
 * by the other files of gather/, on the thread that walks the stream, or after all streams.
 */
#include "builder/gather/stream.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Time stamps of different processors may differ by this much without an error. */
static uint64_t skew_ticks(const struct dump *dump)
{
	return dump->ticks_per_second / 100000;
}

/* Counts a repair. True: it is the first one with its name. */
static bool count(struct tally *repairs, const char *name)
{
	unsigned n_before = repairs->n_rows;
	tally_add(repairs, name, 1);
	return repairs->n_rows != n_before;
}

void gather_repair(struct gather_stream *w, const char *name, const char *format, ...)
{
	const struct cursor *c = &w->timeline.cursor;
	const struct record *r = w->timeline.head;
	if (!count(&model_notes(w->m, w->stream)->repairs, name))
		return;
	char text[512];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	const struct event_info *info = event_info(record_kind(r));
	char *whole =
		text_format("%s: stream %u: segment %llu, record %u (%s): %s [%s]", w->m->dump->path, c->stream->number,
			    (unsigned long long)cursor_header(c)->sequence, c->stream->segments[c->segment].n_skipped + c->index,
			    info != NULL ? info->name : "unknown", text, name);
	array_push(w->repairs, w->n_repairs, w->repairs_capacity, (struct first_repair){name, whole});
}

uint32_t gather_id_stream(const struct model *m, uint32_t task)
{
	uint32_t row, number;
	model_task_origin(m, task, &row, &number);
	return m->dump->streams[row].number;
}

unsigned long long gather_id_counter(const struct model *m, uint32_t task)
{
	uint32_t row, number;
	model_task_origin(m, task, &row, &number);
	return number;
}

/* ---- What other streams have to confirm ---- */

void gather_claim(struct gather_stream *w, enum claim_kind kind, uint32_t task)
{
	const struct cursor *c = &w->timeline.cursor;
	struct claim claim = {.kind = kind,
			      .task = task,
			      .stream_number = c->stream->number,
			      .record = c->stream->segments[c->segment].n_skipped + c->index,
			      .segment = cursor_header(c)->sequence};
	array_push(w->claims, w->n_claims, w->claims_capacity, claim);
}

void gather_check_claims(const struct gather_stream *w)
{
	struct model *m = w->m;
	for (size_t i = 0; i < w->n_claims; i++) {
		const struct claim *claim = &w->claims[i];
		struct task *task = &m->tasks[claim->task];
		bool has_begun = task->state & TASK_STARTED;
		if (claim->kind == CLAIM_COMPLETED && !has_begun)
			task->state &= (uint16_t)~TASK_ENDED_ELSEWHERE; /* it never ran */
		bool is_confirmed =
			claim->kind == CLAIM_COMPLETED ? !has_begun || m->is_libomp : task->state & TASK_ENDED_ELSEWHERE;
		if (is_confirmed)
			continue;
		task->state |= TASK_CONTRADICTORY;
		task->state &= (uint16_t)~TASK_ENDED_ELSEWHERE;
		if (count(&m->notes->repairs, "switch_from_another_task"))
			warning("%s: stream %u: segment %llu, record %u: task %u:%llu is the current one before it, and the record takes it "
				"for over; no record ends it [switch_from_another_task]",
				m->dump->path, claim->stream_number, (unsigned long long)claim->segment, claim->record,
				gather_id_stream(m, claim->task), gather_id_counter(m, claim->task));
	}
}

/* ---- Tasks, once all streams are known ---- */

/* From this many rows on, several threads are worth their start. */
#define MANY_ROWS 20000

/* Is the dump complete? Then what has no record did not happen. */
static bool is_whole(const struct model *m)
{
	return m->dump->is_complete && !model_was_paused(m) && m->n_events[EVENT_records_lost] == 0;
}

void gather_repair_row(struct model *m, uint32_t row, const char *name, const char *text)
{
	if (count(&m->notes->repairs, name))
		warning("%s: task %u:%llu %s [%s]", m->dump->path, gather_id_stream(m, row), gather_id_counter(m, row), text, name);
}

static void repair_task(struct model *m, uint32_t row, const char *name, const char *text)
{
	m->tasks[row].state |= TASK_CONTRADICTORY;
	gather_repair_row(m, row, name, text);
}

enum { LATER_PARENT = 1, EARLY_START = 2, LATE_START = 4, CANCELLED_TWICE = 8, NEVER_CREATED = 16 };

/* The contradictions in the records about a task: they do not depend on what was repaired in other tasks. */
static inline unsigned faults_of(const struct model *m, uint32_t row, uint64_t skew, bool is_whole)
{
	const struct task *task = &m->tasks[row], *parent = &m->tasks[task->parent];
	unsigned state = task->state, faults = 0;
	bool is_created = state & TASK_CREATED, is_started = state & TASK_STARTED;
	if (!task_is_explicit(task) || state == 0)
		return 0;
	/* A parent is created before its children: a chain of parents for which that is not so may be a cycle. */
	bool is_before =
		parent->create_ticks < task->create_ticks || (parent->create_ticks == task->create_ticks && task->parent < row);
	if (!is_before && is_created && task->parent != 0 && task_is_explicit(parent) && parent->state & TASK_CREATED)
		faults |= LATER_PARENT;
	if (is_created && is_started && task->create_ticks > task->start_ticks + skew)
		faults |= EARLY_START;
	if (state & TASK_COMPLETED && is_started && task->end_ticks + skew < task->start_ticks)
		faults |= LATE_START;
	if ((state & TASK_PART_CANCELLED) == TASK_PART_CANCELLED && !(task->flags & task_flags_untied) && is_created)
		faults |= CANCELLED_TWICE;
	if (is_whole && !(task->flags & task_flags_taskwait) && state & (TASK_STARTED | TASK_COMPLETED) && !is_created)
		faults |= NEVER_CREATED;
	return faults;
}

static void repair_faults(struct model *m, uint32_t row, unsigned faults)
{
	if (faults & LATER_PARENT) {
		m->tasks[row].parent = 0;
		gather_repair_row(m, row, "parent_later", "was created by a task that was created later: its parent is unknown");
	}
	if (faults & EARLY_START)
		repair_task(m, row, "task_before_creation", "runs before it was created, expected after");
	if (faults & LATE_START)
		repair_task(m, row, "task_after_completion", "runs after it completed, expected before");
	if (faults & CANCELLED_TWICE)
		repair_task(m, row, "task_completed_twice", "is cancelled twice, expected once");
	if (faults & NEVER_CREATED)
		repair_task(m, row, "task_never_created", "runs, and no record creates it");
}

void gather_check_tasks(struct model *m)
{
	const uint64_t skew = skew_ticks(m->dump);
	const bool whole = is_whole(m);
	unsigned faults = 0, states = 0;
#pragma omp parallel for reduction(| : faults, states) if (m->n_task_ids > MANY_ROWS)
	for (uint32_t row = 1; row < m->n_task_ids; row++) {
		faults |= faults_of(m, row, skew, whole);
		states |= m->tasks[row].state;
	}
	m->has_handovers = states & TASK_HANDED;
	for (uint32_t row = 1; row < m->n_task_ids && faults != 0; row++)
		repair_faults(m, row, faults_of(m, row, skew, whole));
}

/* ---- Teams ---- */

/* What the members' records say about a region. */
struct attendance {
	uint32_t n_primaries; /* tasks of thread 0; one that ran in another stream than the region's begin counts twice */
	bool is_early;        /* a member began before its region, or after its end */
};

static inline bool has_begun_on(const struct model *m, uint32_t region, uint32_t stream)
{
	const uint32_t *base = m->region_rows.base;
	return region > base[stream] && region <= base[stream + 1];
}

/* How the records of a region contradict those of its members, in words; NULL: they do not. */
static const char *what_is_wrong_with(const struct model *m, uint32_t row, const struct attendance *a)
{
	const struct region *r = &m->regions[row];
	if (r->state & (REGION_HIDDEN | REGION_HELPER) || r->state == 0)
		return NULL;
	if (r->state & REGION_INITIAL)
		return r->n_members_seen == 1 ? NULL : "has several initial tasks, or none";
	if (!(r->state & REGION_ANNOUNCED))
		return r->n_members_seen == 0 ? NULL : "has implicit tasks, and never began";
	if (a->n_primaries != 1)
		return "has not one thread 0, which is the one that began it";
	if (a->is_early)
		return "does not contain its implicit tasks";
	if (r->flags & parallel_flags_league)
		return NULL;
	return r->n_members_seen == r->actual ? NULL : "has not as many implicit tasks as threads";
}

void gather_check_teams(struct model *m)
{
	if (!is_whole(m))
		return;
	struct attendance *all = memory_zeroed(m->n_regions, sizeof *all, "the check of teams");
	for (size_t i = 0; i < m->n_implicit && m->implicit[i] < m->n_task_ids; i++) {
		const struct task *task = &m->tasks[m->implicit[i]];
		if (task->region == 0)
			continue;
		const struct region *region = &m->regions[task->region];
		struct attendance *a = &all[task->region];
		uint64_t skew = skew_ticks(m->dump);
		a->n_primaries += task->thread == 0 ? (has_begun_on(m, task->region, task->run_stream) ? 1 : 2) : 0;
		a->is_early |= task->start_ticks + skew < region->begin_ticks ||
			       (region->end_ticks != UINT64_MAX && task->start_ticks > region->end_ticks + skew);
	}
	for (uint32_t row = 1; row < m->n_regions; row++) {
		const char *wrong = what_is_wrong_with(m, row, &all[row]);
		if (wrong == NULL || !count(&m->notes->repairs, "team_contradictory"))
			continue;
		uint32_t stream, number;
		model_region_origin(m, row, &stream, &number);
		warning("%s: region %u of stream %u %s [team_contradictory]", m->dump->path, number,
			m->dump->streams[stream].number, wrong);
	}
	free(all);
}
