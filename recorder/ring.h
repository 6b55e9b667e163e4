/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The append: one record, or a group of records that belong together, at the end of the calling thread's stream.
 *
 * A record is published by one release store of the position, which only the owner writes and therefore loads plainly. Where the position
 * has reached the stream's `end` there is no open segment: ring_append_slow() hands the full one over, opens the next, and appends.
 */
#ifndef OTTER_RECORDER_RING_H
#define OTTER_RECORDER_RING_H

#include "common/event.h"
#include "recorder/segment.h"
#include "recorder/stream.h"

/* Segment full, or none open. Returns false where the record was lost (and counted). */
NOINLINE bool ring_append_slow(struct stream *stream, uint64_t time, uint64_t head, uint64_t a, uint64_t b);

/* Into the open segment, at a position below `end`. */
static inline void ring_store(struct stream *stream, uint64_t position, uint64_t time, uint64_t head, uint64_t a, uint64_t b)
{
	struct record *r = (struct record *)(stream->base + position);
	r->time = time;
	r->head = head;
	r->a = a;
	r->b = b;
}

/* R1: the words of the records below it before the position; pairs with the acquire of whoever reads a ring (the builder's reader, A1). */
static inline void ring_publish(struct stream *stream, uint64_t position)
{
	__atomic_store_n(&stream_control(stream)->position, position, __ATOMIC_RELEASE);
}

/* Plain: only the owner writes it. The fence: before `end` or `limit` is read (see isolate in session_child.c). */
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

/* A group: its first record, any number of continuations, its end. Within a segment it is published as a whole. */
struct ring_group {
	struct stream *stream;
	uint64_t position; /* 0: no room, the rest is lost */
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
		segment_tell_flush(group->stream, 0);
}

#endif
