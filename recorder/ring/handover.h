/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How segments are handed over: a stream has two ck_rings of segment indices. The stream's owner puts full segments
 * into one of them, and the drain thread or the owner itself takes them from there, whichever is first. The drain
 * thread puts empty segments into the other one, from which the owner takes them. No thread waits.
 *
 * This is the only file that uses ck_ring. A ck_ring holds one entry less than its size, whatever its capacity function
 * returns.
 */
#ifndef OTTER_RECORDER_HANDOVER_H
#define OTTER_RECORDER_HANDOVER_H

#include <stdbool.h>
#include <stdint.h>

#include <ck_ring.h>

#include "common/format.h"
#include "recorder/compiler.h"

#define HANDOVER_SLOTS 16

_Static_assert(HANDOVER_SLOTS > RING_SEGMENTS, "every segment must fit into a hand-over ring");

struct handover {
	ck_ring_t ring;
	ck_ring_buffer_t slots[HANDOVER_SLOTS];
};

static inline void handover_init(struct handover *handover)
{
	ck_ring_init(&handover->ring, HANDOVER_SLOTS);
}

static inline bool handover_has(const struct handover *handover)
{
	return ck_ring_size(&handover->ring) > 0;
}

static inline uint32_t handover_n(const struct handover *handover)
{
	return ck_ring_size(&handover->ring);
}

/* An index is stored as a pointer that is not NULL. */
static inline void *handover_entry(uint32_t index)
{
	return (void *)((uintptr_t)index + 1);
}

/* Puts a segment into the ring. The ring has one producer. */
static inline void handover_put(struct handover *handover, uint32_t index)
{
	/* H1: The segment's records, its header and all reads of them are ordered before its index. Pairs with H2 in
	 * handover_take_any and handover_take. CK's own fence orders stores only. */
	ck_pr_fence_release();
	tsan_release(&handover->slots[index]); /* any address that only this segment has: it is in one ring, once */
	ck_ring_enqueue_spmc(&handover->ring, handover->slots, handover_entry(index));
}

/* Takes a segment, where the ring has several consumers. Returns false if there is none. */
static inline bool handover_take_any(struct handover *handover, uint32_t *index)
{
	void *entry;
	tsan_reads_begin();
	bool has_one = ck_ring_dequeue_spmc(&handover->ring, handover->slots, &entry);
	tsan_reads_end();
	if (!has_one)
		return false;
	ck_pr_fence_acquire(); /* H2: The index is read before the segment. Pairs with H1 in handover_put. */
	*index = (uint32_t)((uintptr_t)entry - 1);
	tsan_acquire(&handover->slots[*index]);
	return true;
}

/* Takes a segment, where the ring has one consumer. Returns false if there is none. */
static inline bool handover_take(struct handover *handover, uint32_t *index)
{
	void *entry;
	tsan_reads_begin();
	bool has_one = ck_ring_dequeue_spsc(&handover->ring, handover->slots, &entry);
	tsan_reads_end();
	if (!has_one)
		return false;
	ck_pr_fence_acquire(); /* H2: As above, it pairs with H1 in handover_put. */
	*index = (uint32_t)((uintptr_t)entry - 1);
	tsan_acquire(&handover->slots[*index]);
	return true;
}

#endif
