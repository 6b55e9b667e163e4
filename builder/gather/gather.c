/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The first pass: fills the model's tables from the raw records, several streams at the same time. The state machine of each
 * thread (current/thread.h) knows which task is current; each fact goes to the row that its id addresses (stream.h has the
 * rules). This pass has no scopes and no order between streams: what depends on all streams (parents, teams, marks) is
 * settled after all of them. run.c calls model_gather() once for each dump; it runs on all OpenMP threads.
 */
#include "builder/gather/gather.h"
#include "builder/model/paradigm.h"
#include "builder/gather/stream.h"
#include "builder/current/step.h"

#include <stdlib.h>
#include <string.h>

/* ---- The pass ---- */

/*
 * Notes the task that resumes after missing records, or after the recording was paused, if it is an explicit task that some
 * record names: a task of this stream now, a task of another stream after all streams.
 */
static void resume_known(struct gather_stream *w, uint64_t ticks)
{
	uint32_t task = w->thread.task;
	if (task == 0 || !gather_is_explicit(w, task))
		return;
	if (gather_flags(w, task) & TASK_IS_CREATED)
		gather_resume(w, task, ticks);
	else
		array_push(w->resumptions, w->n_resumptions, w->resumptions_capacity, (struct resumption){task, ticks});
}

/* A record that may be a paradigm's. */
static void walk_paradigms(struct gather_stream *w, const struct record *r, unsigned kind)
{
	struct gathering *g = w->g;
	if (!g->is_serial) {
		if (g->is_of_paradigm[kind])
			gather_needs_order(w);
		return;
	}
	for (size_t i = 0; i < N_PARADIGMS; i++)
		if (g->of_paradigm[i] != NULL)
			paradigms[i]->gather_record(g->of_paradigm[i], r);
}

/* A record from which more follows than the state machine's events. */
static void walk_other(struct gather_stream *w, const struct record *r, unsigned kind)
{
	uint32_t before = w->thread.task;
	if (!record_is_continuation(r) && !thread_skips(&w->thread, r))
		gather_step(w, r);
	switch (kind) {
	case EVENT_mutex_acquired:
		if (w->g->has_lock_orders)
			gather_acquired(&w->acquisitions, r->a, r->time);
		break;
	case EVENT_sync_region_end:
		gather_sync_end(w, r);
		gather_worksharing(w, r);
		break;
	case EVENT_sync_region_begin:
		gather_arrival(w, r);
		gather_worksharing(w, r);
		break;
	case EVENT_task_dependence: gather_delay(w, r); return;
	case EVENT_dependences:
	case EVENT_dependences_more: gather_excluded(w, r); break;
	case EVENT_work_begin:
	case EVENT_work_end: gather_worksharing(w, r); break;
	case EVENT_mutex_released:
		if (w->g->has_lock_orders)
			gather_released(&w->acquisitions, r->a, r->time);
		break;
	case EVENT_mutex_acquire: break;
	case EVENT_thread_attach: map_put(&w->tids, r->a); return;
	case EVENT_recording_on:
		if (w->thread.task != before)
			resume_known(w, r->time);
		return;
	default: walk_paradigms(w, r, kind); break;
	}
	if (!__atomic_load_n(&w->g->needs_order, __ATOMIC_RELAXED)) /* gather_needs_order() */
		gather_constructs(w, r);
}

static inline void walk_record(struct gather_stream *w, const struct record *r, unsigned kind)
{
	if (kind >= EVENT_parallel_begin && kind <= EVENT_task_schedule)
		gather_step(w, r);
	else
		walk_other(w, r, kind);
}

static void resume_after_gap(struct gather_stream *w, const struct segment_header *header)
{
	w->group.n_announced = 0;
	thread_gap(&w->thread, header->task);
	resume_known(w, header->ticks);
}

static inline bool is_continued(unsigned kind)
{
	return false
#define CONTINUED(event, by, doc) || kind == EVENT_##event
#include "common/events.def"
		;
}

/*
 * Checks what must hold for a record of any kind: the recorder knew its kind, it is in its place in a group of
 * continuation records, and its time lies between its neighbours'.
 */
static inline void check_form(struct gather_stream *w, const struct record *r, unsigned kind)
{
	const struct meta *meta = &w->m->dump->meta;
	if (__builtin_expect(w->timeline.n_mended != 0, 0)) {
		w->timeline.n_mended = 0;
		gather_repair(w, "time_out_of_order", "a time stamp that does not lie between its neighbours', expected about %llu",
			      (unsigned long long)r->time);
	}
	if (__builtin_expect(!meta->has_kind[kind] && meta->n_kinds != 0, 0))
		gather_repair(w, "kind_unknown", "kind %u, expected one of the %llu that meta lists", kind,
			      (unsigned long long)meta->n_kinds);
	if (record_is_continuation(r)) {
		if (w->group.n_announced == 0)
			gather_repair(w, "stray_continuation", "a continuation, expected a record of its own");
		else
			w->group.n_announced--;
		return;
	}
	if (__builtin_expect(w->group.n_announced != 0, 0) && w->group.kind != EVENT_dependences) /* the replay counts those */
		gather_repair(w, "cut_group", "a record of its own, expected %llu continuations more",
			      (unsigned long long)w->group.n_announced);
	w->group.n_announced = 0;
	if (is_continued(kind)) {
		w->group.kind = kind;
		w->group.n_announced = record_continuations(r);
	}
}

/*
 * Are records of this kind plain: made by a callback, without continuation records, and as the recorder knew them? Then
 * check_form() finds nothing in them while no continuation record is due.
 */
static bool is_plain(const struct meta *meta, unsigned kind)
{
	bool is_continuation = kind >= EVENT_CONTINUATION_FIRST && kind <= EVENT_CONTINUATION_LAST;
	return event_info(kind) != NULL && !is_continuation && !is_continued(kind) && !event_is_recorders_own(kind) &&
	       (meta->has_kind[kind] || meta->n_kinds == 0);
}

static bool is_of_paradigm(unsigned kind)
{
	bool is = false;
	for (size_t i = 0; i < N_PARADIGMS; i++)
		is = is || (paradigms[i]->gathers != NULL && paradigms[i]->gathers(kind));
	return is;
}

/* Takes plain records inside a segment, whose times lie between their neighbours', up to the first record that is not. */
static void walk_plain(struct gather_stream *w)
{
	struct timeline *t = &w->timeline;
	const struct record *records = t->cursor.records;
	const bool *is_taken = w->g->is_plain;
	uint32_t i = t->cursor.index, n = t->cursor.n_records;
	uint64_t last = t->last_ticks;
	const uint64_t limit = t->limit_ticks;
	if (i == 0 || last == 0 || w->group.n_announced != 0 || i + 1 >= n || records[i].time < last)
		return;
	for (; i + 1 < n; i++) {
		const struct record *r = &records[i];
		unsigned kind = record_kind(r);
		if (!is_taken[kind] || r->time > limit || r[1].time < r->time)
			break;
		t->head = r;
		t->cursor.index = i;
		t->may_be_early = false;
		w->n_events[kind]++;
		w->n_records++;
		walk_record(w, r, kind);
		last = r->time;
	}
	t->head = NULL;
	t->cursor.index = i;
	t->last_ticks = last;
}

static void walk_stream(struct gather_stream *w)
{
	struct model *m = w->m;
	struct timeline *t = &w->timeline;
	timeline_init(t, m->dump, &m->dump->streams[w->stream], true);
	const struct record *first = timeline_peek(t);
	thread_start(&w->thread, m, w->stream, first != NULL ? cursor_header(&t->cursor)->task : 0, &gather_thread_ops, w);
	w->thread.is_first_pass = true;
	for (size_t i = 0; i < N_PARADIGMS; i++)
		if (w->g->of_paradigm[i] != NULL)
			paradigms[i]->gather_stream(w->g->of_paradigm[i], w);
	for (const struct record *r; (r = timeline_peek(t)) != NULL;) {
		unsigned kind = record_kind(r);
		if (t->cursor.index == 0 && __atomic_load_n(&w->g->needs_order, __ATOMIC_RELAXED)) /* gather_needs_order() */
			break;
		if (cursor_at_gap(&t->cursor) || kind == EVENT_records_lost)
			resume_after_gap(w, cursor_header(&t->cursor));
		w->n_events[kind]++;
		check_form(w, r, kind);
		if (!record_is_continuation(r) && (w->first_ticks == 0 || r->time < w->first_ticks))
			w->first_ticks = r->time;
		w->n_records += !event_is_recorders_own(kind);
		walk_record(w, r, kind);
		timeline_take(t);
		walk_plain(w);
	}
	timeline_end(t);
	thread_close(&w->thread, 0, NULL);
	thread_free(&w->thread);
	map_free(&w->met.latest_work);
}

static void make_walks(struct gathering *g)
{
	size_t n = g->m->dump->n_streams;
	g->walks = memory_zeroed(n, sizeof *g->walks, "the streams");
	for (uint32_t s = 0; s < n; s++) {
		g->walks[s] = memory_zeroed(1, sizeof **g->walks, "the streams");
		g->walks[s]->m = g->m;
		g->walks[s]->g = g;
		g->walks[s]->stream = s;
	}
}

/* Walks all streams: at the same time; if a record needs order, once more, one after the other. 0, or -1. */
static int walk_streams(struct gathering *g, const struct dump *dump)
{
	make_walks(g);
#pragma omp parallel for schedule(dynamic, 1)
	for (size_t s = 0; s < dump->n_streams; s++)
		if (!__atomic_load_n(&g->needs_order, __ATOMIC_RELAXED)) /* gather_needs_order() */
			walk_stream(g->walks[s]);
	if (!g->needs_order)
		return 0;
	gather_free_walks(g);
	model_free(g->m);
	g->is_serial = true;
	g->needs_order = 0;
	if (model_allocate(g->m, dump) != 0)
		return -1;
	make_walks(g);
	for (size_t i = 0; i < N_PARADIGMS; i++)
		if (paradigms[i]->gather_begin != NULL)
			g->of_paradigm[i] = paradigms[i]->gather_begin(g->m);
	for (size_t s = 0; s < dump->n_streams; s++)
		walk_stream(g->walks[s]);
	return 0;
}

/* Makes the tables out of what the walks have found. 0, or -1. */
static int settle(struct gathering *g)
{
	struct model *m = g->m;
	gather_join(g);
	gather_settle_tasks(m);
	uint64_t n_in_place = 0;
	for (size_t s = 0; s < m->dump->n_streams; s++) {
		gather_check_claims(g->walks[s]);
		n_in_place += g->walks[s]->n_in_place;
	}
	if (n_in_place > 0)
		gather_settle_splits(m);
	gather_check_tasks(m);
	for (size_t i = 0; i < N_PARADIGMS; i++)
		if (g->of_paradigm[i] != NULL)
			paradigms[i]->gather_end(g->of_paradigm[i]);
	if (g->has_lock_orders)
		gather_lock_orders(g);
	gather_check_teams(m);
	gather_teams(m);
	for (size_t i = 0; i < N_PARADIGMS; i++)
		if (paradigms[i]->gather != NULL && paradigms[i]->gather(m) != 0)
			return -1;
	return 0;
}

static bool has_all_records(const struct model *m)
{
	bool has_all = m->dump->n_lost == 0 && !model_was_paused(m) && m->n_events[EVENT_records_lost] == 0;
	for (size_t i = 0; i < m->dump->n_streams && has_all; i++)
		has_all = m->dump->streams[i].n_missing_segments == 0;
	return has_all;
}

/*
 * Does every task stay in the stream in which it began? Where records are missing, they may not show that an untied task
 * moved.
 */
static bool do_tasks_stay(const struct model *m)
{
	bool stay = !m->has_handovers;
	for (uint32_t row = 1; row < m->n_tasks && stay; row++)
		stay = !(m->tasks[row].flags & task_flags_untied);
	return stay;
}

int model_gather(struct model *m, const struct dump *dump, bool has_lock_orders)
{
	struct gathering g = {.m = m,
			      .has_lock_orders = has_lock_orders,
			      .modules = {.meta = &dump->meta},
			      .modules_lock = PTHREAD_MUTEX_INITIALIZER};
	for (unsigned kind = 0; kind < EVENT_KIND_LIMIT; kind++) {
		g.is_plain[kind] = is_plain(&dump->meta, kind);
		g.is_of_paradigm[kind] = is_of_paradigm(kind);
	}
	int rc = model_allocate(m, dump) == 0 ? walk_streams(&g, dump) : -1;
	if (rc == 0) {
		switches_read(&m->switches, dump);
		rc = settle(&g);
		bool is_well = m->notes->repairs.n_rows == 0, has_all = has_all_records(m);
		m->is_sure = is_well && has_all;
		m->is_apart = is_well && (has_all || do_tasks_stay(m));
	}
	gather_free_walks(&g);
	modules_close(&g.modules);
	return rc;
}
