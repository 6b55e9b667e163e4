/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Recording by callbacks. Each function works on the calling thread's stream.
 *
 * Frequent callbacks read the counter first of all, and then take the fast path:
 *
 * 	record_one(time, head, a, b);                   if the record depends on nothing in the stream; otherwise
 *
 * 	if (record_begin(stream, 1, &position))
 * 		record_end(stream, position, time, head, a, b);
 * 	else
 * 		...                                     a function that is not inlined, as a tail call: no register is saved
 *
 * It has two branches: one for every obstacle in the stream, one for every obstacle in its ring. The other callbacks read
 * the time by clock_ticks() and take the slow path, which is always open:
 *
 * 	struct stream *stream = record_enter(time);
 * 	if (!stream)
 * 		return;                                 inside another append of this thread, or no stream is free: counted
 * 	record_put(stream, time, head, a, b);           any number of times
 * 	record_leave(stream);
 *
 * Between enter and leave, or begin and end, the stream is busy. The record of a signal handler that runs at that time
 * is counted as lost, and so are all later ones of a thread that a handler's longjmp took out of an append. Ids are given
 * whether recording is on or not, so that later records can name them.
 */
#ifndef OTTER_RECORDER_RECORD_H
#define OTTER_RECORDER_RECORD_H

#include "recorder/clock.h"
#include "recorder/ring/ring.h"
#include "recorder/session/session.h"
#include "recorder/session/session_child.h"
#include "recorder/session/session_turn.h"

/* ---- The slow path ---- */

/* Continues record_enter() where the thread has no stream yet, or a busy one. */
NOINLINE struct stream *record_enter_slow(uint64_t time);

/* Finds out why the epoch has changed since the stream last compared it: recording was turned on or off, or a flush was
 * requested. Returns true if recording is on. */
NOINLINE bool record_gate(struct stream *stream, uint64_t time);

static inline struct stream *record_enter(uint64_t time)
{
	struct stream *stream = tls_stream;
	if (unlikely(stream->is_busy))
		return record_enter_slow(time);
	stream->is_busy = true;
	signal_fence();
	return stream;
}

static inline void record_leave(struct stream *stream)
{
	signal_fence();
	stream->is_busy = false;
}

/* Is recording on? The load is relaxed: a stream may see a change one record late. */
static inline bool record_is_on(struct stream *stream, uint64_t time)
{
	return likely(stream->epoch == __atomic_load_n(&record_epoch, __ATOMIC_RELAXED)) || record_gate(stream, time);
}

static inline void record_put(struct stream *stream, uint64_t time, uint64_t head, uint64_t a, uint64_t b)
{
	if (record_is_on(stream, time))
		ring_append(stream, time, head, a, b);
}

/* Is this a forked child that has recorded nothing? Then its first thread and initial task are remembered, not
 * recorded. */
static inline bool record_may_defer(void)
{
	return tls_stream == STREAM_NONE && session_is_child();
}

/* ---- The fast path ---- */

/* Reads the processor's counter, even where it is not this process's clock: there the fast path is closed, and
 * record_enter_again() reads the time. */
static inline uint64_t record_time(void)
{
	return clock_counter();
}

/* Makes the stream busy and finds the next `n` slots. False: the stream is busy, or the fast path is closed; then
 * nothing has happened. */
static inline bool record_begin(struct stream *stream, uint64_t n, uint64_t *position)
{
	if (unlikely(stream->is_busy))
		return false;
	stream->is_busy = true;
	signal_fence();
	*position = ring_position(stream);
	/* Relaxed: any thread may close the fast path at any time; G1 and G2 order that. */
	if (likely(*position + (n - 1) * sizeof(struct record) < __atomic_load_n(&stream->limit, __ATOMIC_RELAXED)))
		return true;
	stream->is_busy = false;
	return false;
}

static inline void record_end(struct stream *stream, uint64_t position, uint64_t time, uint64_t head, uint64_t a, uint64_t b)
{
	ring_store(stream, position, time, head, a, b);
	ring_publish(stream, position + sizeof(struct record));
	record_leave(stream);
}

/* To be called after record_begin() has failed: enters the stream, opens the fast path again if possible, and corrects
 * the time. NULL, as from record_enter(): nothing can be recorded. */
NOINLINE struct stream *record_enter_again(uint64_t *time);

/* Continues record_one() where the fast path is closed. */
NOINLINE void record_one_slow(uint64_t time, uint64_t head, uint64_t a, uint64_t b);

static inline void record_one(uint64_t time, uint64_t head, uint64_t a, uint64_t b)
{
	struct stream *stream = tls_stream;
	uint64_t position;
	if (likely(record_begin(stream, 1, &position)))
		record_end(stream, position, time, head, a, b);
	else
		record_one_slow(time, head, a, b);
}

/* Returns a pointer as a record has it. */
static inline uint64_t record_address(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

/* ---- Ids ---- */

#define RECORD_ID_STEP (UINT64_C(1) << ID_STREAM_BITS)

_Static_assert(ID_STREAM_BITS == RECORD_VALUE_SHIFT, "an id without its stream is a record's value in its place");

static inline uint64_t record_new_task(struct stream *stream)
{
	stream->last_task += RECORD_ID_STEP;
	return stream->last_task | stream->number;
}

static inline uint64_t record_new_region(struct stream *stream)
{
	stream->last_region += RECORD_ID_STEP;
	return stream->last_region | stream->number;
}

static inline uint64_t record_new_operation(struct stream *stream)
{
	stream->last_operation += RECORD_ID_STEP;
	return stream->last_operation | stream->number;
}

/* ---- Text ---- */

/* Continues a group with text records. */
NOINLINE void record_put_text(struct ring_group *group, const char *text, size_t length);

#endif
