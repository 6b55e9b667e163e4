/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a callback does with a record. The frequent ones read the counter first of all, and then
 *
 *	record_one(time, head, a, b);                   where they need nothing else of the stream, or else
 *
 *	if (record_begin(stream, 1, &position))
 *		record_end(stream, position, time, head, a, b);
 *	else
 *		...                                     out of line, as a tail call: no register is saved on the way
 *
 * That is the plain way: two branches, one for everything that may be in its way in the stream, one for everything in its ring. The others take
 * the time by clock_ticks() and go the long way, which is always open:
 *
 *	struct stream *stream = record_enter(time);
 *	if (!stream)
 *		return;                                 inside another append of this thread, or no stream to be had: counted
 *	record_put(stream, time, head, a, b);           any number of times
 *	record_leave(stream);
 *
 * Between enter and leave, or begin and end, the stream is busy, so a signal handler (or an exit from one) that reports something finds that and
 * is counted out. Ids are given whether recording is on or not, so that what is recorded later names them.
 */
#ifndef OTTER_RECORDER_RECORD_H
#define OTTER_RECORDER_RECORD_H

#include "recorder/clock.h"
#include "recorder/ring.h"
#include "recorder/session.h"
#include "recorder/session_child.h"
#include "recorder/session_turn.h"

/* ---- The long way ---- */

/* No stream yet, or busy. */
NOINLINE struct stream *record_enter_slow(uint64_t time);

/* Recording was turned on or off, or a flush asked for, since the stream last looked. True: it is on. */
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

/* Is recording on? Relaxed: a stream may see a change one record late. */
static inline bool record_is_on(struct stream *stream, uint64_t time)
{
	return likely(stream->epoch == __atomic_load_n(&record_epoch, __ATOMIC_RELAXED)) || record_gate(stream, time);
}

static inline void record_put(struct stream *stream, uint64_t time, uint64_t head, uint64_t a, uint64_t b)
{
	if (record_is_on(stream, time))
		ring_append(stream, time, head, a, b);
}

/* A forked child that has recorded nothing: its first thread and initial task are remembered, not recorded. */
static inline bool record_may_defer(void)
{
	return tls_stream == STREAM_NONE && session_is_child();
}

/* ---- The plain way ---- */

/* The counter, whether it is this process's clock or not: where it is not the plain way is closed, and record_enter_again() knows the time. */
static inline uint64_t record_time(void)
{
	return clock_counter();
}

/* Makes the stream busy and finds the next `n` slots. False: busy, or none, or nothing plain; and nothing has happened. */
static inline bool record_begin(struct stream *stream, uint64_t n, uint64_t *position)
{
	if (unlikely(stream->is_busy))
		return false;
	stream->is_busy = true;
	signal_fence();
	*position = ring_position(stream);
	/* Relaxed: whoever turns recording closes it at any time, see G1 and G2. */
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

/* Where record_begin() has failed: enters, opens the plain way again where it can be, and puts the time right. NULL as record_enter(). */
NOINLINE struct stream *record_enter_again(uint64_t *time);

/* record_one() where it is not plain. */
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

/* Continues a group by text records. */
NOINLINE void record_put_text(struct ring_group *group, const char *text, size_t length);

#endif
