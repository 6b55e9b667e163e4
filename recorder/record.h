/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a callback does with a record: it reads the clock first of all, and then
 *
 *	record_one(time, head, a, b);                   where it needs nothing else of the stream, or else
 *
 *	struct stream *stream = record_enter(time);
 *	if (!stream)
 *		return;                                 inside another append of this thread, or no stream to be had: counted
 *	record_put(stream, time, head, a, b);           any number of times
 *	record_leave(stream);
 *
 * The hottest ones are written so that everything but the plain append is a tail call: no register is saved on the way.
 *
 * Between enter and leave TLS says busy, so a signal handler (or an exit from one) that reports something finds that and is counted out.
 * Ids are given whether recording is on or not, so that what is recorded later names them.
 */
#ifndef OTTER_RECORDER_RECORD_H
#define OTTER_RECORDER_RECORD_H

#include "recorder/clock.h"
#include "recorder/ring.h"
#include "recorder/session.h"

/* No stream yet, or busy. */
NOINLINE struct stream *record_enter_slow(uint64_t time);

/* Recording was turned on or off, or a flush asked for, since the stream last looked. True: it is on. */
NOINLINE bool record_gate(struct stream *stream, uint64_t time);

static inline struct stream *record_enter(uint64_t time)
{
	struct stream *stream = tls_stream;
	if (unlikely((uintptr_t)stream <= (uintptr_t)STREAM_BUSY)) {
		stream = record_enter_slow(time);
		if (!stream)
			return NULL;
	}
	tls_stream = STREAM_BUSY;
	signal_fence();
	return stream;
}

static inline void record_leave(struct stream *stream)
{
	signal_fence();
	tls_stream = stream;
}

/* Is recording on? Relaxed: a stream may see a change one record late. */
static inline bool record_is_on(struct stream *stream, uint64_t time)
{
	return likely(stream->epoch == __atomic_load_n(&record_epoch, __ATOMIC_RELAXED)) || record_gate(stream, time);
}

/* A forked child that has recorded nothing: its first thread and initial task are remembered, not recorded. */
static inline bool record_may_defer(void)
{
	return tls_stream == NULL && session_is_child();
}

/* The plain append. False: recording was turned, or there is no room in the segment, and nothing has happened. */
static inline bool record_try(struct stream *stream, uint64_t time, uint64_t head, uint64_t a, uint64_t b)
{
	return likely(stream->epoch == __atomic_load_n(&record_epoch, __ATOMIC_RELAXED)) &&
	       likely(ring_try(stream, time, head, a, b));
}

static inline void record_put(struct stream *stream, uint64_t time, uint64_t head, uint64_t a, uint64_t b)
{
	if (record_is_on(stream, time))
		ring_append(stream, time, head, a, b);
}

/* What record_one() does where it is not plain. `stream`: NULL, or entered already. */
NOINLINE void record_one_slow(struct stream *stream, uint64_t time, uint64_t head, uint64_t a, uint64_t b);

static inline void record_one(uint64_t time, uint64_t head, uint64_t a, uint64_t b)
{
	struct stream *stream = tls_stream;
	if (unlikely((uintptr_t)stream <= (uintptr_t)STREAM_BUSY)) {
		record_one_slow(NULL, time, head, a, b);
		return;
	}
	tls_stream = STREAM_BUSY;
	signal_fence();
	if (likely(record_try(stream, time, head, a, b)))
		record_leave(stream);
	else
		record_one_slow(stream, time, head, a, b);
}

static inline uint64_t record_new_task(struct stream *stream)
{
	return id_make(stream->number, ++stream->n_tasks);
}

static inline uint64_t record_new_region(struct stream *stream)
{
	return id_make(stream->number, ++stream->n_regions);
}

#endif
