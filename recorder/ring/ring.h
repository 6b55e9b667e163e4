/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Appends one record, or a group of records that belong together, to a stream. Only the stream's owner appends to it,
 * in callbacks and in the handler of samples.
 *
 * A record is published by one release store of the position. Only the owner writes the position, and therefore loads
 * it plainly. When the position has reached the stream's `end`, no segment is open: ring_append_slow() hands the full
 * one over, opens the next one, and appends.
 */
#ifndef OTTER_RECORDER_RING_H
#define OTTER_RECORDER_RING_H

#include "common/event.h"
#include "recorder/ring/segment.h"
#include "recorder/ring/stream.h"

/* Continues ring_append() where the segment is full, or none is open. Returns false if the record was lost (and
 * counted). */
NOINLINE bool ring_append_slow(struct stream *stream, uint64_t time, uint64_t head, uint64_t a, uint64_t b);

/* Stores a record into the open segment, at a position below `end`. */
static inline void ring_store(struct stream *stream, uint64_t position, uint64_t time, uint64_t head, uint64_t a, uint64_t b)
{
	struct record *r = (struct record *)(stream->base + position);
	r->time = time;
	r->head = head;
	r->a = a;
	r->b = b;
}

/* R1: The words of all records below the position are stored before the position. Pairs with A1 in the builder's
 * read_control, and with every other acquire of a position. */
static inline void ring_publish(struct stream *stream, uint64_t position)
{
	__atomic_store_n(&stream_control(stream)->position, position, __ATOMIC_RELEASE);
}

/* A plain load: only the owner writes it. The fence keeps it before the loads of `end` and `limit` (see isolate in
 * session_child.c). */
static inline uint64_t ring_position(struct stream *stream)
{
	uint64_t position = stream_control(stream)->position;
	signal_fence();
	return position;
}

static inline void ring_append(struct stream *stream, uint64_t time, uint64_t head, uint64_t a, uint64_t b)
{
	uint64_t position = ring_position(stream);
	if (unlikely(position >= stream->end)) {
		ring_append_slow(stream, time, head, a, b);
		return;
	}
	ring_store(stream, position, time, head, a, b);
	ring_publish(stream, position + sizeof(struct record));
}

/* A group: its first record and any number of continuations. Within a segment it is published as a whole. */
struct ring_group {
	struct stream *stream;
	uint64_t position; /* 0: there is no segment, and the rest of the group is lost */
};

static inline struct ring_group ring_group_begin(struct stream *stream)
{
	return (struct ring_group){stream, ring_position(stream)};
}

static inline void ring_group_append(struct ring_group *group, uint64_t time, uint64_t head, uint64_t a, uint64_t b)
{
	struct stream *stream = group->stream;
	if (unlikely(group->position == 0 || group->position >= stream->end)) {
		if (group->position)
			ring_publish(stream, group->position);
		group->position = segment_next(stream, time);
		if (group->position == 0)
			return;
	}
	ring_store(stream, group->position, time, head, a, b);
	group->position += sizeof(struct record);
}

static inline void ring_group_end(struct ring_group *group)
{
	if (group->position)
		ring_publish(group->stream, group->position);
	if (unlikely(group->stream->flush_bytes))
		segment_put_flush(group->stream, 0);
}

#endif
