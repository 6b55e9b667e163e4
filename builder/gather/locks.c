/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers mutexes, and the acquisitions of each in the order of time, over all threads: OTF2's acquisition order. Called by
 * gather.c after all streams have been walked; one thread.
 */
#include "builder/gather/walk.h"

#include <stdlib.h>

struct taken {
	struct acquisition acquisition;
	uint32_t stream;
	uint32_t index; /* among the stream's acquisitions */
};

static int by_mutex_and_time(const void *left, const void *right)
{
	const struct taken *l = left, *r = right;
	if (l->acquisition.wait_id != r->acquisition.wait_id)
		return l->acquisition.wait_id < r->acquisition.wait_id ? -1 : 1;
	if (l->acquisition.ticks != r->acquisition.ticks)
		return l->acquisition.ticks < r->acquisition.ticks ? -1 : 1;
	if (l->stream != r->stream)
		return l->stream < r->stream ? -1 : 1;
	return l->index < r->index ? -1 : l->index > r->index;
}

/* The acquisitions are those of one stream after the other, each in order. */
static void number_locks(struct model *m, const struct taken *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t wait_id = list[i].acquisition.wait_id;
		if (i > 0 && wait_id == list[i - 1].acquisition.wait_id)
			continue;
		uint32_t *row = map_put(&m->lock_rows, wait_id);
		if (*row == 0)
			*row = ++m->n_locks;
	}
}

void gather_lock_orders(const struct gathering *g)
{
	struct model *m = g->m;
	size_t n = 0;
	m->lock_orders = memory_zeroed(m->dump->n_streams, sizeof *m->lock_orders, "the orders of locks");
	for (size_t s = 0; s < m->dump->n_streams; s++)
		n += g->walks[s]->n_acquisitions;
	struct taken *list = memory_get(n, sizeof *list, "the orders of locks");
	n = 0;
	for (uint32_t s = 0; s < m->dump->n_streams; s++) {
		const struct walk *w = g->walks[s];
		m->lock_orders[s] = memory_get(w->n_acquisitions, sizeof *m->lock_orders[s], "the orders of locks");
		for (uint32_t i = 0; i < w->n_acquisitions; i++)
			list[n++] = (struct taken){w->acquisitions[i], s, i};
	}
	number_locks(m, list, n);
	if (n > 0)
		qsort(list, n, sizeof *list, by_mutex_and_time);
	uint32_t order = 0;
	for (size_t i = 0; i < n; i++) {
		order = i > 0 && list[i].acquisition.wait_id == list[i - 1].acquisition.wait_id ? order + 1 : 1;
		m->lock_orders[list[i].stream][list[i].index] = order;
	}
	free(list);
}
