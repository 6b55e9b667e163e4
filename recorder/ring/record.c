/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/ring/record.h"

#include <string.h>

#include "recorder/guard.h"
#include "recorder/omp/context.h"
#include "recorder/session/session_life.h"

static uint64_t deferred_time(void)
{
	return session_deferred.has_thread ? session_deferred.thread_time : session_deferred.task_time;
}

static void put_deferred(struct stream *stream)
{
	const struct session_deferred *d = &session_deferred;
	if (d->has_thread)
		ring_append(stream, d->thread_time, record_head(EVENT_thread_begin, d->thread_type, 0), 0, 0);
	if (d->has_task) {
		stream->now = (struct stream_context){id_make(stream->number, 1), id_make(stream->number, 1)};
		ring_append(stream, d->task_time, record_head(EVENT_implicit_task_begin, d->task_flags, 1), stream->now.region,
			    d->task_numbers);
	}
	session_deferred.owner = 0;
}

/* Counts one record that the thread may not append, or that has no stream. It is counted in a ring, as a ring survives
 * the process, or else in `otherwise`. The caller may be another thread than the stream's owner, or a handler on it,
 * hence the atomic add; the owner itself counts other causes. */
static void lose_in(struct stream *stream, unsigned cause, uint64_t *otherwise)
{
	__atomic_fetch_add(stream ? &stream_control(stream)->lost[cause] : otherwise, 1, __ATOMIC_RELAXED);
}

NOINLINE struct stream *record_enter_slow(uint64_t time)
{
	if (tls_stream != STREAM_NONE) {
		if (!tls_stream->is_busy)
			return record_enter(time); /* a signal handler interrupted this function, and took a stream */
		lose_in(tls_stream == STREAM_CHANGING ? NULL : tls_stream, loss_cause_reentry, &session_lost_reentry);
		return NULL;
	}
	struct guard guard = guard_enter();
	tls_stream = STREAM_CHANGING;
	signal_fence();
	struct session *session = session_get();
	if (!session && session_is_child())
		session = session_begin_child();
	struct stream *stream = NULL;
	if (session) {
		bool is_deferred = session_deferred.owner == stream_self();
		stream = stream_take(session, is_deferred ? deferred_time() : time);
		if (stream && is_deferred)
			put_deferred(stream);
		else if (stream)
			stream->now = context_query();
	}
	if (stream)
		stream->is_busy = true;
	else
		lose_in(session ? session_stream(session, 0) : NULL, loss_cause_no_stream, &session_lost_no_stream);
	signal_fence();
	/* In a child that a handler has forked meanwhile the pointer is not STREAM_CHANGING any more, and stays as it
	 * is: what is finished here belongs to the parent. One instruction compares and stores, so that no handler runs
	 * between the two. Relaxed: no other thread uses the pointer. */
	struct stream *changing = STREAM_CHANGING;
	__atomic_compare_exchange_n(&tls_stream, &changing, stream ? stream : STREAM_NONE, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
	guard_leave(guard);
	return stream;
}

NOINLINE bool record_gate(struct stream *stream, uint64_t time)
{
	/* G4: The epoch is read before the cause of a stop and the number of flushes. Pairs with G3 in session_turn. */
	uint64_t epoch = __atomic_load_n(&record_epoch, __ATOMIC_ACQUIRE);
	bool is_stopped = epoch & EPOCH_STOPPED;
	if (epoch & EPOCH_FLAGS && stream->is_off) { /* nothing new: a record that is not wanted costs least here */
		if (is_stopped)
			segment_lose(stream, session_stopped(stream->session), 1);
		return false;
	}
	struct guard guard = guard_enter();
	if (epoch & EPOCH_FLAGS) {
		bool has_room = stream_control(stream)->position < stream->end;
		if (!stream->is_off && (has_room || !is_stopped)) {
			unsigned reason = is_stopped            ? off_reason_stopped
					  : epoch & EPOCH_ENDED ? off_reason_ended
								: off_reason_paused;
			ring_append(stream, time, record_head(EVENT_recording_off, reason, 0), 0, 0);
			stream->is_off = true;
		}
		if (is_stopped)
			segment_lose(stream, session_stopped(stream->session), 1);
	} else {
		uint64_t n_flushes = __atomic_load_n(&stream->session->n_flushes, __ATOMIC_RELAXED);
		if (stream->n_flushes != n_flushes) {
			stream->n_flushes = n_flushes;
			segment_flush(stream);
		}
		if (stream->is_off) {
			stream->is_off = false;
			if (!stream->now.task)
				stream->now = context_query();
			ring_append(stream, time, record_head(EVENT_recording_on, 0, 0), stream->now.task, stream->now.region);
		}
		stream->epoch = epoch;
		segment_admit(stream);
	}
	guard_leave(guard);
	return !(epoch & EPOCH_FLAGS);
}

NOINLINE struct stream *record_enter_again(uint64_t *time)
{
	if (!clock_counter_is_ticks())
		*time = clock_monotonic_ticks();
	struct stream *stream = record_enter(*time);
	/* The fast path may have been closed by a turn whose epoch the stream already has. If it has an older epoch,
	 * record_gate() opens the path. */
	if (stream && __atomic_load_n(&stream->limit, __ATOMIC_RELAXED) != stream->end &&
	    stream->epoch == __atomic_load_n(&record_epoch, __ATOMIC_RELAXED))
		segment_admit(stream);
	return stream;
}

NOINLINE void record_one_slow(uint64_t time, uint64_t head, uint64_t a, uint64_t b)
{
	struct stream *stream = record_enter_again(&time);
	if (!stream)
		return;
	record_put(stream, time, head, a, b);
	record_leave(stream);
}

#define TEXT_BYTES 24 /* that a record can hold */

NOINLINE void record_put_text(struct ring_group *group, const char *text, size_t length)
{
	for (size_t at = 0; at < length; at += TEXT_BYTES) {
		uint64_t words[3] = {0};
		size_t n = length - at < TEXT_BYTES ? length - at : TEXT_BYTES;
		memcpy(words, text + at, n);
		ring_group_append(group, words[0], record_head(EVENT_text, n, 0), words[1], words[2]);
	}
}
