/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a pipe (pipe.h) is made of: a ring of blocks, which one thread fills with slots, and one at a time empties. The lock
 * guards the numbers of blocks, and who empties the ring. A block belongs to the thread that fills it until it is counted
 * in n_full, then to the thread that empties it until it is counted in n_empty. Used by pipe.c.
 */
#ifndef OTTER_BUILDER_REPLAY_PIPE_RING_H
#define OTTER_BUILDER_REPLAY_PIPE_RING_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RING_SLOTS  2048 /* of a block */
#define RING_BLOCKS 16
#define PREFETCHED  16 /* slots */

/* An event; or a part of what an event is about, as bytes. */
struct slot {
	uint64_t ticks, a, b;
	uint32_t task;
	uint32_t what;
};

struct ring_block {
	size_t n;
	struct slot slots[RING_SLOTS];
};

struct ring {
	struct slot *next, *end; /* where the next event goes, and the end of the block that is filled */
	char apart[64];          /* so that what one thread writes often shares no cache line with what another one reads */
	/* Takes all slots of a block. has_failed: it has returned -1 for a block before, and only frees what there is. */
	int (*empty)(void *self, const struct slot *slots, size_t n, bool has_failed);
	void *self;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t n_full, n_empty; /* blocks that were filled, and emptied, so far */
	bool has_helper;          /* a thread that empties it until it is over */
	bool is_emptied;          /* by the thread that fills it, which has no helper yet */
	bool is_over;             /* nothing is filled any more */
	bool has_failed;
	struct ring_block blocks[RING_BLOCKS];
};

/* The ring is all zero. */
void ring_begin(struct ring *ring, int (*empty)(void *self, const struct slot *slots, size_t n, bool has_failed), void *self);
void ring_free(struct ring *ring);

/* Empties the ring until it is over. False: it is over, or another thread does that. */
bool ring_help(struct ring *ring);

/*
 * The block is full, or the last one. Where no thread helps, this one empties the ring: of the next block, or, after the
 * last one, of all. 0, or -1 if emptying has failed.
 */
int ring_fill_next(struct ring *ring, bool is_last);

/* A place for an event, and for n_bytes more in the slots after it; NULL: emptying has failed. */
static inline struct slot *ring_place(struct ring *ring, size_t n_bytes)
{
	size_t n = 1 + (n_bytes + sizeof(struct slot) - 1) / sizeof(struct slot);
	if (__builtin_expect(ring->next + n > ring->end, 0) && ring_fill_next(ring, false) != 0)
		return NULL;
	struct slot *place = ring->next;
	__builtin_prefetch(place + PREFETCHED, 1); /* another thread has read it last */
	ring->next += n;
	return place;
}

#endif
