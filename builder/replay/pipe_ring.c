/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The ring of blocks of a pipe: see pipe_ring.h.
 */
#include "builder/replay/pipe_ring.h"

/* ---- Emptying ---- */

/* With the lock, which is given back meanwhile: empties the next block, which is full. */
static void empty_next(struct ring *ring)
{
	const struct ring_block *block = &ring->blocks[ring->n_empty % RING_BLOCKS];
	bool has_failed = ring->has_failed;
	pthread_mutex_unlock(&ring->lock);
	has_failed = ring->empty(ring->self, block->slots, block->n, has_failed) != 0;
	pthread_mutex_lock(&ring->lock);
	ring->has_failed = has_failed;
	ring->n_empty++;
	uint64_t n_left = ring->n_full - ring->n_empty;
	if (n_left == RING_BLOCKS / 2 || n_left == 0)
		pthread_cond_broadcast(&ring->changed);
}

/* Once it is empty, until it is half full: to wake up for each block would take longer than to fill one. */
static void empty_until_over(struct ring *ring)
{
	uint64_t n_awaited = 1;
	while (ring->n_empty < ring->n_full || !ring->is_over)
		if ((ring->is_over || ring->n_full - ring->n_empty >= n_awaited) && !ring->is_emptied) {
			empty_next(ring);
			n_awaited = ring->n_full == ring->n_empty ? RING_BLOCKS / 2 : 1;
		} else {
			pthread_cond_wait(&ring->changed, &ring->lock);
		}
}

bool ring_help(struct ring *ring)
{
	pthread_mutex_lock(&ring->lock);
	bool helps = !ring->has_helper && !ring->is_over;
	if (helps) {
		ring->has_helper = true;
		empty_until_over(ring);
	}
	pthread_mutex_unlock(&ring->lock);
	return helps;
}

/* ---- Filling ---- */

/* With the lock: until so few full blocks are left, empties the ring, or waits for the thread that does. */
static void wait_until_left(struct ring *ring, uint64_t n_left)
{
	while (ring->n_full - ring->n_empty > n_left) {
		if (ring->has_helper) {
			pthread_cond_wait(&ring->changed, &ring->lock);
			continue;
		}
		ring->is_emptied = true;
		empty_next(ring);
		ring->is_emptied = false;
		if (ring->has_helper) /* since then */
			pthread_cond_broadcast(&ring->changed);
	}
}

/* From here on events go into the next block, which is empty. */
static void fill_block(struct ring *ring)
{
	ring->next = ring->blocks[ring->n_full % RING_BLOCKS].slots;
	ring->end = ring->next + RING_SLOTS;
}

int ring_fill_next(struct ring *ring, bool is_last)
{
	struct ring_block *block = &ring->blocks[ring->n_full % RING_BLOCKS]; /* n_full is this thread's to write */
	block->n = (size_t)(ring->next - block->slots);
	pthread_mutex_lock(&ring->lock);
	ring->n_full++;
	ring->is_over = is_last;
	if (is_last || ring->n_full - ring->n_empty == RING_BLOCKS / 2)
		pthread_cond_broadcast(&ring->changed);
	wait_until_left(ring, is_last ? 0 : RING_BLOCKS - 1);
	fill_block(ring);
	int rc = ring->has_failed ? -1 : 0;
	pthread_mutex_unlock(&ring->lock);
	return rc;
}

/* ---- Making ---- */

void ring_begin(struct ring *ring, int (*empty)(void *self, const struct slot *slots, size_t n, bool has_failed), void *self)
{
	ring->empty = empty;
	ring->self = self;
	fill_block(ring);
	pthread_mutex_init(&ring->lock, NULL);
	pthread_cond_init(&ring->changed, NULL);
}

void ring_free(struct ring *ring)
{
	pthread_mutex_destroy(&ring->lock);
	pthread_cond_destroy(&ring->changed);
}
