/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers mutexes, and the acquisitions of each in the order of time, over all threads: OTF2's acquisition order. Called by
 * gather.c after all streams have been walked; one thread.
 */
#include "builder/gather/walk.h"

#include <stdlib.h>

static int by_mutex_and_time(const void *left, const void *right)
{
	const struct acquisition *l = left, *r = right;
	if (l->wait_id != r->wait_id)
		return l->wait_id < r->wait_id ? -1 : 1;
	if (l->ticks != r->ticks)
		return l->ticks < r->ticks ? -1 : 1;
	if (l->stream != r->stream)
		return l->stream < r->stream ? -1 : 1;
	return l->index < r->index ? -1 : l->index > r->index;
}

/* The acquisitions are those of one stream after the other, each in order. */
static void number_locks(struct model *m, const struct acquisition *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && list[i].wait_id == list[i - 1].wait_id)
			continue;
		uint32_t *row = map_put(&m->lock_rows, list[i].wait_id);
		if (*row == 0)
			*row = ++m->n_locks;
	}
}

void gather_lock_orders(struct model *m, struct acquisition *list, size_t n)
{
	size_t *n_of_stream = memory_zeroed(m->dump->n_streams, sizeof *n_of_stream, "the orders of locks");
	for (size_t i = 0; i < n; i++)
		n_of_stream[list[i].stream]++;
	for (size_t s = 0; s < m->dump->n_streams; s++)
		m->lock_orders[s] = memory_get(n_of_stream[s], sizeof *m->lock_orders[s], "the orders of locks");
	free(n_of_stream);
	number_locks(m, list, n);
	if (n > 0)
		qsort(list, n, sizeof *list, by_mutex_and_time);
	uint32_t order = 0;
	for (size_t i = 0; i < n; i++) {
		order = i > 0 && list[i].wait_id == list[i - 1].wait_id ? order + 1 : 1;
		m->lock_orders[list[i].stream][list[i].index] = order;
	}
}
