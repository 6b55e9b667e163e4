/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds where tasks are handed over between streams: see hand.h. Called by replay.c before the replay.
 */
#include "builder/replay/hand.h"
#include "builder/dump/timeline.h"
#include "builder/support/array.h"

#include <stdlib.h>

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
	s->stops[s->n++] = (struct stop){place, r->time, task, hand, s->stream, 0, is_report};
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
static void look(struct search *s, const struct record *r, unsigned kind)
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

static void search(struct search *s)
{
	struct timeline *t = &s->timeline;
	timeline_init(t, s->m->dump, &s->m->dump->streams[s->stream]);
	bool is_first = true;
	for (const struct record *r; (r = timeline_peek(t)) != NULL; timeline_take(t)) {
		unsigned kind = record_kind(r);
		if (is_first || cursor_at_gap(&t->cursor) || kind == EVENT_records_lost)
			look_at(s, s->current = cursor_header(&t->cursor)->task, r, false);
		is_first = false;
		if (!record_is_continuation(r))
			look(s, r, kind);
	}
}

static int by_time(const void *left, const void *right)
{
	const struct stop *l = *(const struct stop *const *)left, *r = *(const struct stop *const *)right;
	if (l->hand != r->hand)
		return l->hand < r->hand ? -1 : 1;
	if (l->ticks != r->ticks)
		return l->ticks < r->ticks ? -1 : 1;
	if (l->stream != r->stream)
		return l->stream < r->stream ? -1 : 1;
	return l->place < r->place ? -1 : l->place > r->place;
}

/* Numbers each task's stops in the order of time. */
static void put_in_order(struct hands *hands, size_t n)
{
	struct stop **sorted = memory_get(n + 1, sizeof *sorted, "the tasks that move");
	for (size_t i = 0; i < n; i++)
		sorted[i] = &hands->stops[i];
	qsort(sorted, n, sizeof *sorted, by_time);
	for (size_t i = 0; i < n; i++) {
		struct hand *hand = &hands->all[sorted[i]->hand];
		if (hand->n_stops == 0)
			hand->first = (uint32_t)i;
		sorted[i]->nth = hand->n_stops++;
		hands->order[i] = (uint32_t)(sorted[i] - hands->stops);
	}
	free(sorted);
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
	for (int is_counted = 0; m->has_handed && is_counted < 2; is_counted++) {
		if (is_counted)
			hands->all = memory_zeroed(hands->n + 1, sizeof *hands->all, "the tasks that move");
		hands->n = 0;
		for (uint32_t task = 1; task < m->n_tasks; task++)
			if (m->tasks[task].state & TASK_HANDED) {
				if (is_counted)
					hands->all[hands->n].task = task;
				hands->n++;
			}
	}
	for (size_t i = 0; i < hands->n; i++)
		*map_put(&hands->rows, hands->all[i].task) = (uint32_t)i + 1;
	if (hands->n != 0 && finds_stops)
		find_stops(hands, m);
}

void hands_free(struct hands *hands)
{
	for (size_t i = 0; i < hands->n; i++)
		held_clear(&hands->all[i].held);
	free(hands->all);
	free(hands->stops);
	free(hands->order);
	free(hands->of_stream);
	map_free(&hands->rows);
	*hands = (struct hands){0};
}
