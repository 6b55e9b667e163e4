/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds where tasks are handed over between streams: see hand.h. Called by replay.c before the replay.
 */
#include "builder/replay/state.h"
#include "builder/support/array.h"

#include <stdlib.h>

#define FEW_STOPS 16

/* The stops of one stream, while its records are looked through. */
struct search {
	const struct hands *hands;
	const struct model *m;
	struct timeline timeline;
	uint32_t stream;
	uint64_t current; /* id of the task that the latest record made current, as far as one record tells; 0 unknown */
	struct stop *stops;
	size_t n, capacity;
};

static void add_stop(struct search *s, uint32_t task, const struct record *r, bool is_report)
{
	uint64_t place = (uint64_t)s->timeline.cursor.segment << 32 | s->timeline.cursor.index;
	if (s->n > 0 && s->stops[s->n - 1].place == place && s->stops[s->n - 1].task == task)
		return;
	array_reserve((void **)&s->stops, s->n + 1, &s->capacity, sizeof *s->stops);
	uint32_t hand = (uint32_t)(hands_find(s->hands, task) - s->hands->all);
	s->stops[s->n++] = (struct stop){
		.place = place, .ticks = r->time, .task = task, .hand = hand, .stream = s->stream, .is_report = is_report};
}

/* A record names a task: if that is handed over, this is a stop. */
static void look_at(struct search *s, uint64_t id, const struct record *r, bool is_report)
{
	uint32_t task = id != 0 ? model_task(s->m, id) : 0;
	if (task != 0 && s->m->tasks[task].state & TASK_HANDED)
		add_stop(s, task, r, is_report && s->m->tasks[task].state & TASK_ENDED_ELSEWHERE);
}

static void look_at_schedule(struct search *s, const struct record *r)
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
 * The story (story/thread.h) alone knows which task is current; but a record that names another task than the latest one
 * is enough to know here. A stop more than there need be only makes a stream wait. A task that goes on without being named
 * is on its thread's stack, where no other thread can go on with it; and the record with which its part ends names it.
 */
static inline void look(struct search *s, const struct record *r, unsigned kind)
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

/* Looks through records amid a segment, as long as they are of kinds that frequently come. */
static void look_at_frequent(struct search *s)
{
	struct timeline *t = &s->timeline;
	for (const struct record *r; (r = timeline_plain(t)) != NULL; timeline_take_plain(t, r)) {
		unsigned kind = record_kind(r);
		if (!replay_is_frequent(kind))
			return;
		look(s, r, kind);
	}
}

static void search(struct search *s)
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

/* Of the stops of one task, by their places in hands.stops. */
static int by_time(const void *left, const void *right, void *stops)
{
	const struct stop *l = (const struct stop *)stops + *(const uint32_t *)left;
	const struct stop *r = (const struct stop *)stops + *(const uint32_t *)right;
	if (l->ticks != r->ticks)
		return l->ticks < r->ticks ? -1 : 1;
	if (l->stream != r->stream)
		return l->stream < r->stream ? -1 : 1;
	return l->place < r->place ? -1 : l->place > r->place;
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
static void mark_first(struct hands *hands, const uint32_t *order, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct stop *stop = &hands->stops[order[i]];
		stop->is_first = true;
		for (uint32_t k = 0; k < n && stop->is_first; k++)
			stop->is_first = order[k] >= order[i] || hands->stops[order[k]].stream != stop->stream;
	}
}

/* Numbers each task's stops in the order of time. */
static void put_in_order(struct hands *hands, size_t n)
{
	uint32_t first = 0;
	for (size_t i = 0; i < n; i++)
		hands->all[hands->stops[i].hand].n_stops++;
	for (size_t i = 0; i < hands->n; i++) {
		hands->all[i].first = first;
		first += hands->all[i].n_stops;
		hands->all[i].n_stops = 0;
	}
	for (size_t i = 0; i < n; i++) {
		struct hand *hand = &hands->all[hands->stops[i].hand];
		hands->order[hand->first + hand->n_stops++] = (uint32_t)i;
	}
	for (size_t i = 0; i < hands->n; i++) {
		const struct hand *hand = &hands->all[i];
		uint32_t *order = hands->order + hand->first;
		if (hand->n_stops <= FEW_STOPS) {
			sort_few(order, hand->n_stops, hands->stops);
			mark_first(hands, order, hand->n_stops);
		} else
			qsort_r(order, hand->n_stops, sizeof *order, by_time, hands->stops);
		for (uint32_t k = 0; k < hand->n_stops; k++) {
			struct stop *stop = &hands->stops[order[k]];
			const struct stop *next = k + 1 < hand->n_stops ? &hands->stops[order[k + 1]] : NULL;
			stop->nth = k;
			stop->is_reported = next != NULL && next->is_report && next->stream != stop->stream;
		}
	}
}

static void find_stops(struct hands *hands, const struct model *m)
{
	size_t n_streams = m->dump->n_streams, n = 0;
	struct search *all = memory_zeroed(n_streams + 1, sizeof *all, "the tasks that move");
#pragma omp parallel for schedule(dynamic, 1)
	for (size_t i = 0; i < n_streams; i++) {
		all[i] = (struct search){.hands = hands, .m = m, .stream = (uint32_t)i};
		search(&all[i]);
	}
	hands->of_stream = memory_get(n_streams + 1, sizeof *hands->of_stream, "the tasks that move");
	for (size_t i = 0; i < n_streams; i++) {
		hands->of_stream[i] = n;
		n += all[i].n;
	}
	hands->of_stream[n_streams] = n;
	hands->stops = memory_get(n + 1, sizeof *hands->stops, "the tasks that move");
	hands->order = memory_get(n + 1, sizeof *hands->order, "the tasks that move");
	for (size_t i = 0; i < n_streams; i++) {
		for (size_t j = 0; j < all[i].n; j++)
			hands->stops[hands->of_stream[i] + j] = all[i].stops[j];
		free(all[i].stops);
	}
	hands->stops[n] = (struct stop){.place = UINT64_MAX};
	free(all);
	put_in_order(hands, n);
}

void hands_begin(struct hands *hands, const struct model *m, bool finds_stops)
{
	*hands = (struct hands){0};
	if (!m->has_handed)
		return;
	hands->rows = memory_zeroed(m->n_tasks, sizeof *hands->rows, "the tasks that move");
	for (uint32_t task = 1; task < m->n_tasks; task++)
		if (m->tasks[task].state & TASK_HANDED)
			hands->rows[task] = (uint32_t)++hands->n;
	hands->all = memory_zeroed(hands->n + 1, sizeof *hands->all, "the tasks that move");
	for (uint32_t task = 1; task < m->n_tasks; task++)
		if (hands->rows[task] != 0)
			hands->all[hands->rows[task] - 1].task = task;
	if (hands->n != 0 && finds_stops)
		find_stops(hands, m);
}

void hands_free(struct hands *hands)
{
	for (size_t i = 0; i < hands->n; i++)
		if (hands->all[i].held != NULL) {
			held_clear(hands->all[i].held);
			free(hands->all[i].held);
		}
	free(hands->all);
	free(hands->stops);
	free(hands->order);
	free(hands->of_stream);
	free(hands->rows);
	*hands = (struct hands){0};
}
