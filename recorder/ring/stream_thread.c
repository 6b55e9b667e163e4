/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A thread takes a stream at its first event and releases it at its end. All of this runs on that thread.
 */
#include "recorder/ring/stream.h"

#include <pthread.h>

#include "recorder/clock.h"
#include "recorder/drain/drain.h"
#include "recorder/guard.h"
#include "recorder/kernel/sample.h"
#include "recorder/kernel/switches.h"
#include "recorder/ring/ring.h"
#include "recorder/session/session.h"
#include "recorder/session/session_child.h"
#include "recorder/session/session_turn.h"
#include "recorder/system/sys.h"

/* The key's destructor releases the stream of a thread that ends without a thread_end, and informs the drain thread of
 * every thread's end. */
static pthread_key_t thread_key;

/* The key's value while destructors run for a second time. */
#define LAST_CALL ((void *)1)

static void thread_exits(void *value)
{
	struct stream *stream = tls_stream;
	/* The runtime ends its root threads in a destructor of its own, which has to run first, whatever the order of
	 * the keys. */
	if (value != LAST_CALL) {
		pthread_setspecific(thread_key, LAST_CALL);
		return;
	}
	if (!stream->is_busy) {
		stream->is_busy = true;
		signal_fence();
		stream_release(stream, clock_ticks());
	}
	struct session *session = session_get();
	if (session)
		drain_thread_exits(session);
}

int stream_setup(void)
{
	return pthread_key_create(&thread_key, thread_exits);
}

static struct stream *find_free(struct session *session, uintptr_t self)
{
	bool has_reserved = session_deferred.owner == self;
	if (!has_reserved && __atomic_load_n(&session->streams.n_free, __ATOMIC_RELAXED) == 0)
		return NULL;
	for (uint32_t i = 0; i < session_n_streams(session); i++) {
		struct stream *stream = session_stream(session, i);
		if (stream && (__atomic_load_n(&stream->owner, __ATOMIC_RELAXED) == self || stream_claim(stream, self)))
			return stream;
	}
	return NULL;
}

struct stream *stream_take(struct session *session, uint64_t ticks)
{
	uintptr_t self = stream_self();
	struct stream *stream = pthread_getspecific(thread_key);
	if (stream && stream != LAST_CALL && stream->session == session && stream->owner == self)
		return stream; /* a signal handler took it a moment ago */
	stream = find_free(session, self);
	if (!stream) {
		if (session_stopped(session) || stream_is_refused(session))
			return NULL;
		uint64_t signals;
		guard_hold_signals(&signals);
		stream = stream_create(session, self);
		guard_let_signals(&signals);
		if (!stream)
			return NULL;
	}
	stream->tid = (uint64_t)sys_gettid();
	stream->now = (struct stream_context){0, 0};
	stream->team_depth = 0;
	stream->xstream = NULL;
	stream_forget_units(stream);
	pthread_setspecific(thread_key, stream);
	int cpu = sys_getcpu();
	ring_append(stream, ticks, record_head(EVENT_thread_attach, 0, 0), stream->tid, cpu < 0 ? UINT64_MAX : (uint64_t)cpu);
	switches_begin(stream);
	sample_begin(stream);
	return stream;
}

void stream_release(struct stream *stream, uint64_t ticks)
{
	struct session *session = stream->session;
	struct guard guard = guard_enter();
	sample_end(stream);
	switches_end(stream);
	ring_append(stream, ticks, record_head(EVENT_thread_detach, 0, 0), stream->tid, 0);
	stream_put_counts(stream);
	stream->tid = 0;
	pthread_setspecific(thread_key, LAST_CALL); /* the thread may live on, until it exits */
	__atomic_fetch_add(&session->streams.n_free, 1, __ATOMIC_RELAXED);
	tls_stream = STREAM_CHANGING;
	signal_fence();
	stream->is_busy = false;
	/* T2: All that this owner wrote is stored before the flag saying that the stream is free. Pairs with T1 in stream_own. */
	__atomic_store_n(&stream->owner, STREAM_FREE, __ATOMIC_RELEASE);
	/* F2: Frees the stream, then reads whether the session has ended. Pairs with F1 in session_end, which stores
	 * that, then searches for free streams. One of the two sees the other's store, and seals the stream. */
	ck_pr_fence_memory();
	if (__atomic_load_n(&session->is_ended, __ATOMIC_RELAXED) && stream_claim(stream, stream_self()))
		stream_seal(stream);
	signal_fence();
	/* In a child that a signal handler has forked meanwhile the pointer stays as it is, as in record_enter_slow. */
	struct stream *changing = STREAM_CHANGING;
	__atomic_compare_exchange_n(&tls_stream, &changing, STREAM_NONE, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	guard_leave(guard);
}
