/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See merge.h.
 */
#include "builder/merge.h"

#include <stdlib.h>

static bool comes_first(const struct merge_stream *left, const struct merge_stream *right)
{
	uint64_t l = timeline_peek(left->timeline)->time, r = timeline_peek(right->timeline)->time;
	return l != r ? l < r : left->row < right->row;
}

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

/* A stray continuation record has payload where others have a time: it would be sorted by it. */
static bool skip_strays(struct timeline *timeline)
{
	const struct record *record;
	while ((record = timeline_peek(timeline)) != NULL && record_is_continuation(record))
		timeline_take(timeline);
	return record != NULL;
}

int merge_begin(struct merge *merge, size_t n_streams)
{
	*merge = (struct merge){malloc((n_streams + 1) * sizeof *merge->streams), 0};
	return merge->streams != NULL ? 0 : error("out of memory for %zu streams", n_streams);
}

void merge_end(struct merge *merge)
{
	free(merge->streams);
	*merge = (struct merge){NULL, 0};
}

void merge_add(struct merge *merge, struct timeline *timeline, uint32_t row)
{
	if (!skip_strays(timeline))
		return;
	size_t i = merge->n++;
	merge->streams[i] = (struct merge_stream){timeline, row};
	while (i > 0 && comes_first(&merge->streams[i], &merge->streams[(i - 1) / 2])) {
		struct merge_stream moved = merge->streams[i];
		merge->streams[i] = merge->streams[(i - 1) / 2];
		merge->streams[(i - 1) / 2] = moved;
		i = (i - 1) / 2;
	}
}

bool merge_next(struct merge *merge, uint32_t *row)
{
	/* The one on top has changed since the last call; the others have not. */
	if (merge->n > 0) {
		if (!skip_strays(merge->streams[0].timeline))
			merge->streams[0] = merge->streams[--merge->n];
		sink(merge, 0);
	}
	*row = merge->n > 0 ? merge->streams[0].row : 0;
	return merge->n > 0;
}
