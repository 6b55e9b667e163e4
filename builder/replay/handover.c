/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds where tasks are handed over between streams: see state.h.
 */
#include "builder/replay/state.h"
#include "builder/support/array.h"
#include "builder/support/sort.h"

#include <stdlib.h>

#define FEW_STOPS 16

/* The stops of one stream, while its records are looked through. */
struct stop_search {
	const struct handovers *handovers;
	const struct model *m;
	struct timeline timeline;
	uint32_t stream;
	uint64_t current; /* id of the task that the latest record made current, as far as that record shows; 0 unknown */
	struct stop *stops;
	size_t n, capacity;
};

static void add_stop(struct stop_search *s, uint32_t task, const struct record *r, bool is_report)
{
	uint64_t place = (uint64_t)s->timeline.cursor.segment << 32 | s->timeline.cursor.index;
	if (s->n > 0 && s->stops[s->n - 1].place == place && s->stops[s->n - 1].task == task)
		return;
	uint32_t handover = (uint32_t)(handovers_find(s->handovers, task) - s->handovers->all);
	array_push(s->stops, s->n, s->capacity,
		   (struct stop){.place = place,
				 .ticks = r->time,
				 .task = task,
				 .handover = handover,
				 .stream = s->stream,
				 .is_report = is_report});
}

/* A record names a task: if that is handed over, this is a stop. */
static void look_at(struct stop_search *s, uint64_t id, const struct record *r, bool is_report)
{
	uint32_t task = id != 0 ? model_task(s->m, id) : 0;
	if (task != 0 && s->m->tasks[task].state & TASK_HANDED)
		add_stop(s, task, r, is_report && s->m->tasks[task].state & TASK_ENDED_ELSEWHERE);
}

static void look_at_schedule(struct stop_search *s, const struct record *r)
{
	unsigned status = record_flags(r);
	bool is_over = status == task_status_complete || status == task_status_cancel || status == task_status_late_fulfill;
	if (r->a != s->current && (r->b != 0 || is_over))
		look_at(s, r->a, r, status == task_status_complete);
	if (r->b == 0)
		return;
	if (r->b != s->current || r->a == s->current)
		look_at(s, r->b, r, false);
	s->current = r->b;
}

/*
 * Only the state machine (current/thread.h) knows which task is current; here it is enough to find the records that name another
 * task than the latest one. An unnecessary stop only makes a stream wait. A task that resumes without being named is on its
 * thread's stack, where no other thread can resume it; and the record with which its part ends names it.
 */
static inline void look(struct stop_search *s, const struct record *r, unsigned kind)
{
	switch (kind) {
	case EVENT_task_schedule: look_at_schedule(s, r); return;
	case EVENT_sync_region_begin:
	case EVENT_sync_region_end:
	case EVENT_parallel_end:
	case EVENT_recording_on:
		if (r->a == s->current)
			return;
		look_at(s, r->a, r, false);
		s->current = r->a;
		return;
	case EVENT_implicit_task_begin:
	case EVENT_implicit_task_end: s->current = 0; return;
	default: return;
	}
}

/* Looks through records inside a segment, as long as they are of frequent kinds. */
static void look_at_frequent(struct stop_search *s)
{
	struct timeline *t = &s->timeline;
	for (const struct record *r; (r = timeline_plain(t)) != NULL; timeline_take_plain(t, r)) {
		unsigned kind = record_kind(r);
		if (!replay_is_frequent(kind))
			return;
		look(s, r, kind);
	}
}

static void search(struct stop_search *s)
{
	struct timeline *t = &s->timeline;
	timeline_init(t, s->m->dump, &s->m->dump->streams[s->stream], true);
	bool is_first = true;
	for (const struct record *r; (r = timeline_peek(t)) != NULL; look_at_frequent(s)) {
		unsigned kind = record_kind(r);
		if (is_first || cursor_at_gap(&t->cursor) || kind == EVENT_records_lost)
			look_at(s, s->current = cursor_header(&t->cursor)->task, r, false);
		is_first = false;
		if (!record_is_continuation(r))
			look(s, r, kind);
		timeline_take(t);
	}
	timeline_end(t);
}

/* Compares two stops of one task by time; the arguments point to their places in handovers.stops. */
static int by_time(const void *left, const void *right, void *stops)
{
	const struct stop *l = (const struct stop *)stops + *(const uint32_t *)left;
	const struct stop *r = (const struct stop *)stops + *(const uint32_t *)right;
	return cmp(l->ticks, r->ticks) ?: cmp(l->stream, r->stream) ?: cmp(l->place, r->place);
}

/* Most tasks have few stops, and those are in order already, or nearly so. */
static void sort_few(uint32_t *order, uint32_t n, struct stop *stops)
{
	for (uint32_t i = 1; i < n; i++) {
		uint32_t stop = order[i], to = i;
		for (; to > 0 && by_time(&stop, &order[to - 1], stops) < 0; to--)
			order[to] = order[to - 1];
		order[to] = stop;
	}
}

/* Marks a task's first stops in each stream, where it has few. The rows of stops grow with their places. */
static void mark_first(struct handovers *handovers, const uint32_t *order, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct stop *stop = &handovers->stops[order[i]];
		stop->is_first = true;
		for (uint32_t k = 0; k < n && stop->is_first; k++)
			stop->is_first = order[k] >= order[i] || handovers->stops[order[k]].stream != stop->stream;
	}
}

/* Numbers each task's stops in the order of time. */
static void put_in_order(struct handovers *handovers, size_t n)
{
	uint32_t first = 0;
	for (size_t i = 0; i < n; i++)
		handovers->all[handovers->stops[i].handover].n_stops++;
	for (size_t i = 0; i < handovers->n; i++) {
		handovers->all[i].first = first;
		first += handovers->all[i].n_stops;
		handovers->all[i].n_stops = 0;
	}
	for (size_t i = 0; i < n; i++) {
		struct task_handover *handover = &handovers->all[handovers->stops[i].handover];
		handovers->order[handover->first + handover->n_stops++] = (uint32_t)i;
	}
	for (size_t i = 0; i < handovers->n; i++) {
		const struct task_handover *handover = &handovers->all[i];
		uint32_t *order = handovers->order + handover->first;
		if (handover->n_stops <= FEW_STOPS) {
			sort_few(order, handover->n_stops, handovers->stops);
			mark_first(handovers, order, handover->n_stops);
		} else
			sort_array_r(order, handover->n_stops, by_time, handovers->stops);
		for (uint32_t k = 0; k < handover->n_stops; k++) {
			struct stop *stop = &handovers->stops[order[k]];
			const struct stop *next = k + 1 < handover->n_stops ? &handovers->stops[order[k + 1]] : NULL;
			stop->nth = k;
			stop->is_reported = next != NULL && next->is_report && next->stream != stop->stream;
		}
	}
}

static void find_stops(struct handovers *handovers, const struct model *m)
{
	size_t n_streams = m->dump->n_streams, n = 0;
	struct stop_search *all = memory_zeroed(n_streams + 1, sizeof *all, "the tasks that move");
#pragma omp parallel for schedule(dynamic, 1)
	for (size_t i = 0; i < n_streams; i++) {
		all[i] = (struct stop_search){.handovers = handovers, .m = m, .stream = (uint32_t)i};
		search(&all[i]);
	}
	handovers->of_stream = memory_get(n_streams + 1, sizeof *handovers->of_stream, "the tasks that move");
	for (size_t i = 0; i < n_streams; i++) {
		handovers->of_stream[i] = n;
		n += all[i].n;
	}
	handovers->of_stream[n_streams] = n;
	handovers->stops = memory_get(n + 1, sizeof *handovers->stops, "the tasks that move");
	handovers->order = memory_get(n + 1, sizeof *handovers->order, "the tasks that move");
	for (size_t i = 0; i < n_streams; i++) {
		for (size_t j = 0; j < all[i].n; j++)
			handovers->stops[handovers->of_stream[i] + j] = all[i].stops[j];
		free(all[i].stops);
	}
	handovers->stops[n] = (struct stop){.place = UINT64_MAX};
	free(all);
	put_in_order(handovers, n);
}

void handovers_begin(struct handovers *handovers, const struct model *m, bool finds_stops)
{
	*handovers = (struct handovers){0};
	if (!m->has_handovers)
		return;
	handovers->rows = memory_zeroed(m->n_tasks, sizeof *handovers->rows, "the tasks that move");
	for (uint32_t task = 1; task < m->n_tasks; task++)
		if (m->tasks[task].state & TASK_HANDED)
			handovers->rows[task] = (uint32_t)++handovers->n;
	handovers->all = memory_zeroed(handovers->n + 1, sizeof *handovers->all, "the tasks that move");
	for (uint32_t task = 1; task < m->n_tasks; task++)
		if (handovers->rows[task] != 0)
			handovers->all[handovers->rows[task] - 1].task = task;
	if (handovers->n != 0 && finds_stops)
		find_stops(handovers, m);
}

void handovers_free(struct handovers *handovers)
{
	for (size_t i = 0; i < handovers->n; i++)
		if (handovers->all[i].held != NULL) {
			lockset_clear(handovers->all[i].held);
			free(handovers->all[i].held);
		}
	free(handovers->all);
	free(handovers->stops);
	free(handovers->order);
	free(handovers->of_stream);
	free(handovers->rows);
	*handovers = (struct handovers){0};
}
