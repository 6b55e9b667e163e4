/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers mutexes, and the acquisitions of each in the order of time, over all threads: OTF2's acquisition order. While the
 * streams are walked, each notes its acquisitions in a few bytes, on the thread that walks it; then they are merged, on one
 * thread, and what was merged is freed. Called by gather.c.
 */
#include "builder/gather/walk.h"

#include <stdlib.h>

#define BLOCK_BYTES      (UINT32_C(64) << 10)
#define ACQUISITION_MOST 15 /* bytes: 64 and 32 bits, 7 in each */

struct acquisition_block {
	struct acquisition_block *next;
	uint32_t n_bytes;
	unsigned char bytes[BLOCK_BYTES];
};

/* ---- During the walk ---- */

static void put(struct acquisition_block *block, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		block->bytes[block->n_bytes++] = (unsigned char)(value | 0x80);
	block->bytes[block->n_bytes++] = (unsigned char)value;
}

static uint32_t number_of(struct acquisitions *a, uint64_t wait_id)
{
	if (a->recent != 0 && a->recent_wait_id == wait_id)
		return a->recent;
	uint32_t *number = map_put(&a->rows, wait_id);
	if (*number == 0)
		*number = ++a->n_mutexes;
	a->recent_wait_id = wait_id;
	return a->recent = *number;
}

void gather_acquired(struct acquisitions *a, uint64_t wait_id, uint64_t ticks)
{
	if (a->last == NULL || a->last->n_bytes > BLOCK_BYTES - ACQUISITION_MOST) {
		struct acquisition_block *block = memory_get(1, sizeof *block, "the orders of locks");
		block->next = NULL;
		block->n_bytes = 0;
		*(a->last != NULL ? &a->last->next : &a->first) = block;
		a->last = block;
	}
	put(a->last, ticks > a->last_ticks ? ticks - a->last_ticks : 0);
	put(a->last, number_of(a, wait_id));
	if (ticks > a->last_ticks)
		a->last_ticks = ticks;
	a->n++;
}

void gather_free_acquisitions(struct acquisitions *a)
{
	for (struct acquisition_block *block; (block = a->first) != NULL; free(block))
		a->first = block->next;
	map_free(&a->rows);
}

/* ---- After it ---- */

/* One stream in the merge: its next acquisition. */
struct taker {
	uint64_t ticks;
	uint32_t stream, mutex;
	uint32_t at;      /* in the first block */
	uint32_t n_taken; /* of the stream's acquisitions, without this one */
	struct acquisitions *list;
	const uint32_t *locks; /* number of a mutex in the stream -> in the model */
};

static uint64_t get(struct taker *t)
{
	const unsigned char *bytes = t->list->first->bytes;
	uint64_t value = bytes[t->at] & 0x7f;
	for (unsigned shift = 7; bytes[t->at++] & 0x80; shift += 7)
		value |= (uint64_t)(bytes[t->at] & 0x7f) << shift;
	return value;
}

/* False: there is no acquisition more. */
static bool go_on(struct taker *t)
{
	struct acquisition_block *block = t->list->first;
	if (block != NULL && t->at == block->n_bytes) {
		t->list->first = block->next;
		t->at = 0;
		memory_give_back(block, sizeof *block);
	}
	if (t->list->first == NULL)
		return false;
	t->ticks += get(t);
	t->mutex = (uint32_t)get(t);
	return true;
}

static bool comes_first(const struct taker *left, const struct taker *right)
{
	return left->ticks != right->ticks ? left->ticks < right->ticks : left->stream < right->stream;
}

/* Moves the stream at place i of the heap down to where it belongs. */
static void sink(struct taker *heap, size_t n, size_t i)
{
	struct taker moved = heap[i];
	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		child += child + 1 < n && comes_first(&heap[child + 1], &heap[child]);
		if (!comes_first(&heap[child], &moved))
			break;
		heap[i] = heap[child];
	}
	heap[i] = moved;
}

/* Numbers the stream's mutexes that no stream before it has acquired, in the order of its first acquisitions. */
static uint32_t *number_locks(struct model *m, const struct acquisitions *a)
{
	uint32_t *locks = memory_get(a->n_mutexes + (size_t)1, sizeof *locks, "the orders of locks");
	uint64_t *wait_ids = memory_get(a->n_mutexes + (size_t)1, sizeof *wait_ids, "the orders of locks");
	for (size_t i = 0; i < a->rows.n_slots; i++)
		if (a->rows.slots[i].is_used)
			wait_ids[a->rows.slots[i].value] = a->rows.slots[i].key;
	for (uint32_t i = 1; i <= a->n_mutexes; i++) {
		uint32_t *row = map_put(&m->lock_rows, wait_ids[i]);
		if (*row == 0)
			*row = ++m->n_locks;
		locks[i] = *row;
	}
	free(wait_ids);
	return locks;
}

void gather_lock_orders(const struct gathering *g)
{
	struct model *m = g->m;
	size_t n = 0, n_streams = m->dump->n_streams;
	struct taker *heap = memory_get(n_streams + 1, sizeof *heap, "the orders of locks");
	uint32_t **locks = memory_zeroed(n_streams + 1, sizeof *locks, "the orders of locks");
	m->lock_orders = memory_zeroed(n_streams, sizeof *m->lock_orders, "the orders of locks");
	for (uint32_t s = 0; s < n_streams; s++) {
		struct acquisitions *list = &g->walks[s]->acquisitions;
		locks[s] = number_locks(m, list);
		m->lock_orders[s] = memory_get(list->n, sizeof *m->lock_orders[s], "the orders of locks");
		heap[n] = (struct taker){.stream = s, .list = list, .locks = locks[s]};
		n += go_on(&heap[n]);
	}
	uint32_t *n_acquired = memory_zeroed(m->n_locks + (size_t)1, sizeof *n_acquired, "the orders of locks");
	for (size_t i = n; i > 0; i--)
		sink(heap, n, i - 1);
	while (n > 0) {
		struct taker *first = &heap[0];
		m->lock_orders[first->stream][first->n_taken++] = ++n_acquired[first->locks[first->mutex]];
		if (!go_on(first))
			heap[0] = heap[--n];
		sink(heap, n, 0);
	}
	for (size_t s = 0; s < n_streams; s++)
		free(locks[s]);
	free(locks);
	free(n_acquired);
	free(heap);
}
