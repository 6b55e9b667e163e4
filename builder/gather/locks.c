/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers mutexes, and the acquisitions of each in the order of time, over all threads: OTF2's acquisition order. While the
 * streams are walked, each notes its acquisitions and releases in a few bytes, on the thread that walks it; then they are
 * merged, on one thread, and what was merged is freed.
 *
 * A release is recorded after the mutex was released. Where the thread is preempted in between, another one has acquired the
 * mutex by then: the release is late, and happened before that acquisition.
 */
#include "builder/gather/stream.h"
#include "builder/support/array.h"
#include "builder/support/varint.h"

#include <stdlib.h>

#define BLOCK_BYTES      (UINT32_C(64) << 10)
#define ACQUISITION_MOST 15 /* bytes: for 64 and for 33 bits, 7 bits in each */

struct acquisition_block {
	struct acquisition_block *next;
	uint32_t n_bytes;
	char bytes[BLOCK_BYTES];
};

/* ---- During the walk ---- */

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

static void note(struct acquisitions *a, uint32_t mutex, bool is_release, uint64_t ticks)
{
	if (a->last == NULL || a->last->n_bytes > BLOCK_BYTES - ACQUISITION_MOST) {
		struct acquisition_block *block = memory_get(1, sizeof *block, "the orders of locks");
		block->next = NULL;
		block->n_bytes = 0;
		*(a->last != NULL ? &a->last->next : &a->first) = block;
		a->last = block;
	}
	char *at = varint_put(a->last->bytes + a->last->n_bytes, ticks > a->last_ticks ? ticks - a->last_ticks : 0);
	a->last->n_bytes = (uint32_t)(varint_put(at, (uint64_t)mutex << 1 | is_release) - a->last->bytes);
	if (ticks > a->last_ticks)
		a->last_ticks = ticks;
}

void gather_acquired(struct acquisitions *a, uint64_t wait_id, uint64_t ticks)
{
	note(a, number_of(a, wait_id), false, ticks);
	a->n++;
}

/* A mutex that another thread has acquired for a task that moved, or before records were lost, is not this stream's. */
void gather_released(struct acquisitions *a, uint64_t wait_id, uint64_t ticks)
{
	if (a->recent_wait_id == wait_id || map_get(&a->rows, wait_id) != NULL)
		note(a, number_of(a, wait_id), true, ticks);
}

void gather_free_acquisitions(struct acquisitions *a)
{
	for (struct acquisition_block *block; (block = a->first) != NULL; free(block))
		a->first = block->next;
	map_free(&a->rows);
}

/* ---- After the walk ---- */

/* One stream in the merge: its next acquisition or release. */
struct taker {
	uint64_t ticks;
	uint32_t stream, mutex;
	bool is_release;
	uint32_t at;      /* offset in the first block, in bytes */
	uint32_t n_taken; /* of the stream's acquisitions, without this one */
	struct acquisitions *list;
	const uint32_t *locks; /* number of a mutex in the stream -> in the model */
};

/* Takes the stream's next acquisition or release. False at the end of the list. */
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
	const unsigned char *begin = (const unsigned char *)t->list->first->bytes, *at = begin + t->at;
	t->ticks += varint_take(&at);
	uint64_t mutex = varint_take(&at);
	t->mutex = (uint32_t)(mutex >> 1);
	t->is_release = mutex & 1;
	t->at = (uint32_t)(at - begin);
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

/* A mutex in the merge. */
struct taken {
	uint32_t n;      /* how often it was acquired */
	uint32_t holder; /* row of the stream that acquired it last + 1; 0: it has released it since */
};

/* The next acquisition or release of all. */
static void take(struct model *m, struct taken *taken, struct taker *t)
{
	uint32_t lock = t->locks[t->mutex], holder = t->stream + 1;
	struct taken *mutex = &taken[lock];
	if (t->is_release) {
		if (mutex->holder == holder)
			mutex->holder = 0;
		return;
	}
	if (mutex->holder != 0 && mutex->holder != holder) {
		array_push(m->late_ticks, m->n_late, m->late_capacity, t->ticks);
		*map_put(&m->late_releases, (uint64_t)lock << 32 | mutex->n) = m->n_late;
	}
	m->lock_orders[t->stream][t->n_taken++] = ++mutex->n;
	mutex->holder = holder;
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
	struct taken *taken = memory_zeroed(m->n_locks + (size_t)1, sizeof *taken, "the orders of locks");
	for (size_t i = n; i > 0; i--)
		sink(heap, n, i - 1);
	while (n > 0) {
		take(m, taken, &heap[0]);
		if (!go_on(&heap[0]))
			heap[0] = heap[--n];
		sink(heap, n, 0);
	}
	for (size_t s = 0; s < n_streams; s++)
		free(locks[s]);
	free(locks);
	free(taken);
	free(heap);
}
