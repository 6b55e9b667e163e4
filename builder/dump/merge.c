/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The merge of streams by time: a heap of streams, and beside it those that wait. Callers and rules are in merge.h.
 */
#include "builder/dump/merge.h"
#include "builder/support/memory.h"

/* Clocks of processors do not differ by more than this; most often by less than a thousandth of it. */
#define DIFFERENCE_MS 10

static bool comes_first(const struct merge_stream *left, const struct merge_stream *right)
{
	uint64_t l = timeline_peek(left->timeline)->time, r = timeline_peek(right->timeline)->time;
	return l != r ? l < r : left->row < right->row;
}

/* Moves the stream at place i of the heap down to where it belongs. */
static void sink(struct merge *merge, size_t i)
{
	for (;;) {
		size_t first = i;
		for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < merge->n; child++)
			if (comes_first(&merge->streams[child], &merge->streams[first]))
				first = child;
		if (first == i)
			return;
		struct merge_stream moved = merge->streams[i];
		merge->streams[i] = merge->streams[first];
		merge->streams[first] = moved;
		i = first;
	}
}

/*
 * Skips continuation records that belong to no record: they have payload where other records have a time, and would be
 * sorted by it. False: the stream has no more records.
 */
static bool skip_strays(struct timeline *timeline)
{
	const struct record *record;
	while ((record = timeline_peek(timeline)) != NULL && record_is_continuation(record))
		timeline_take(timeline);
	return record != NULL;
}

void merge_begin(struct merge *merge, size_t n_streams)
{
	*merge = (struct merge){.streams = memory_get(n_streams + 1, sizeof *merge->streams, "the merge of streams"),
				.waiting = memory_get(n_streams + 1, sizeof *merge->waiting, "the merge of streams")};
}

void merge_end(struct merge *merge)
{
	free(merge->streams);
	free(merge->waiting);
	*merge = (struct merge){0};
}

/* Moves the stream at place i of the heap up to where it belongs; not to the top if keeps_top is set. */
static void rise(struct merge *merge, size_t i, bool keeps_top)
{
	while (i > (keeps_top ? 2 : 0) && comes_first(&merge->streams[i], &merge->streams[(i - 1) / 2])) {
		struct merge_stream moved = merge->streams[i];
		merge->streams[i] = merge->streams[(i - 1) / 2];
		merge->streams[(i - 1) / 2] = moved;
		i = (i - 1) / 2;
	}
}

void merge_add(struct merge *merge, struct timeline *timeline, uint32_t row)
{
	if (!skip_strays(timeline))
		return;
	merge->streams[merge->n++] = (struct merge_stream){timeline, row};
	rise(merge, merge->n - 1, false);
}

/* ---- Streams that wait ---- */

static void take_top(struct merge *merge)
{
	merge->streams[0] = merge->streams[--merge->n];
	sink(merge, 0);
}

/* Puts a stream that has waited on top of the heap: it comes next, whatever its time. */
static void come(struct merge *merge, size_t waiting)
{
	struct merge_stream stream = merge->waiting[waiting];
	merge->waiting[waiting] = merge->waiting[--merge->n_waiting];
	if (merge->n > 0) {
		merge->streams[merge->n] = merge->streams[0];
		rise(merge, merge->n, true);
	}
	merge->streams[0] = stream;
	merge->n++;
}

/*
 * Puts the next stream that stops waiting on top: one whose record is no longer early; otherwise the one with the
 * earliest record, if it has waited for too long or if all streams wait. Returns false if all of them still wait.
 */
static bool end_waiting(struct merge *merge)
{
	size_t first = 0;
	for (size_t i = 0; i < merge->n_waiting; i++) {
		const struct merge_stream *s = &merge->waiting[i];
		if (!merge->is_early(merge->self, s->row, timeline_peek(s->timeline))) {
			timeline_raise(s->timeline, merge->now_ticks);
			merge->n_raised++;
			come(merge, i);
			return true;
		}
		if (comes_first(s, &merge->waiting[first]))
			first = i;
	}
	const struct timeline *longest = merge->waiting[first].timeline;
	uint64_t until = longest->head->time + longest->dump->ticks_per_second / 1000 * DIFFERENCE_MS;
	if (merge->n > 0 && timeline_peek(merge->streams[0].timeline)->time <= until)
		return false;
	come(merge, first);
	return true;
}

/* Brings the stream whose record comes next to the top; streams with early records begin to wait. */
static void order(struct merge *merge)
{
	while (merge->n > 0 || merge->n_waiting > 0) {
		if (merge->n_waiting > 0 && end_waiting(merge))
			return;
		const struct merge_stream *top = &merge->streams[0];
		if (!merge->is_early(merge->self, top->row, timeline_peek(top->timeline)))
			return;
		merge->waiting[merge->n_waiting++] = *top;
		take_top(merge);
	}
}

bool merge_next(struct merge *merge, uint32_t *row)
{
	/* The caller took the record of the stream on top: only that stream has changed since the last call. */
	if (merge->n > 0) {
		if (!skip_strays(merge->streams[0].timeline))
			merge->streams[0] = merge->streams[--merge->n];
		sink(merge, 0);
	}
	if (merge->is_early != NULL)
		order(merge);
	*row = merge->n > 0 ? merge->streams[0].row : 0;
	if (merge->n > 0) {
		uint64_t ticks = timeline_peek(merge->streams[0].timeline)->time;
		merge->now_ticks = ticks > merge->now_ticks ? ticks : merge->now_ticks;
	}
	return merge->n > 0;
}
