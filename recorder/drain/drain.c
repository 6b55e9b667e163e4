/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/drain/drain.h"

#include <pthread.h>
#include <stdlib.h>

#include "recorder/clock.h"
#include "recorder/drain/direct.h"
#include "recorder/drain/drain_idle.h"
#include "recorder/drain/drain_pack.h"
#include "recorder/drain/file.h"
#include "recorder/drain/output.h"
#include "recorder/drain/own_thread.h"
#include "recorder/drain/pack_policy.h"
#include "recorder/drain/watch.h"
#include "recorder/guard.h"
#include "recorder/ring/stream.h"
#include "recorder/session/maps.h"
#include "recorder/session/meta.h"
#include "recorder/session/session.h"
#include "recorder/session/session_turn.h"
#include "recorder/system/away.h"
#include "recorder/system/proc.h"
#include "recorder/system/sys.h"

#define MAPS_INTERVAL_NS UINT64_C(1000000000) /* between two comparisons of the address space */
#define SECOND_NS        UINT64_C(1000000000) /* the longest sleep: no thread wakes it for everything */

/* Relaxed: a hint. What the drain thread takes while the session ends is written twice. */
static bool drain_is_paused(const struct session *session)
{
	return __atomic_load_n(&session->drain.pauses, __ATOMIC_RELAXED);
}

void drain_pause(struct session *session)
{
	__atomic_store_n(&session->drain.pauses, 1, __ATOMIC_RELAXED);
}

/* Are there as many full segments of a stream as the drain thread writes at once, or is one of them to be written now? */
static bool is_due(const struct session *session, const struct stream *stream)
{
	uint32_t n = handover_n(&stream->full);
	return n && (n >= direct_batch(session, stream) ||
		     __atomic_load_n(&stream->flush_upto, __ATOMIC_RELAXED) > stream->drained_upto);
}

/* Is there work? For the thread itself, before it sleeps. While it is away, segments of events are no work. */
static bool has_work(struct session *session)
{
	bool is_away = drain_idle_is_away(session);
	if (__atomic_load_n(&session->drain.must_end, __ATOMIC_RELAXED))
		return true;
	if (session_stopped(session) || drain_is_paused(session))
		return false;
	struct stream *switches = session_stream(session, ID_STREAM_SWITCHES);
	if (switches && handover_has(&switches->full))
		return true;
	for (uint32_t i = 0; i < session_n_streams(session); i++) {
		struct stream *stream = session_stream(session, i);
		struct stream *samples = session_stream(session, i | ID_STREAM_SAMPLES);
		if (stream && packer_has(&stream->packer) && drain_pack_can_begin(session))
			return true;
		if ((stream && !is_away && is_due(session, stream)) || (samples && handover_has(&samples->full)))
			return true;
	}
	return false;
}

void drain_resume(struct session *session)
{
	__atomic_store_n(&session->drain.pauses, 0, __ATOMIC_RELAXED);
	/* A thread that runs would delay the end of the process. */
	if (__atomic_load_n(&session->drain.is_running, __ATOMIC_RELAXED) && has_work(session))
		drain_wake(session);
}

static int write_patiently(struct session *session, struct stream *stream, const uint32_t *indices, uint32_t *n)
{
	uint32_t done = 0;
	for (;;) {
		uint32_t rest = *n - done;
		int cause = output_batch(stream, indices + done, &rest);
		done += rest;
		if (!(cause & FILE_LATER) || !output_waits_to_retry(session)) {
			*n = done;
			return cause;
		}
	}
}

/* Takes up to `n_most` full segments of a stream, but never all that the stream has: its owner needs one. */
static uint32_t take_full(struct stream *stream, uint32_t *indices, uint32_t n_most)
{
	/* Relaxed: it only grows. */
	uint32_t n_used = __atomic_load_n(&stream->n_used, __ATOMIC_RELAXED), n = 0;
	if (n_most > 1 && n_most >= n_used)
		n_most = n_used > 1 ? n_used - 1 : 1;
	while (n < n_most && handover_take_any(&stream->full, &indices[n]))
		n++;
	return n;
}

/* Writes what threads of the program have packed, even while the drain thread is away: that takes little processor
 * time, and the program's threads do not wait for the disk. */
static bool drain_parts(struct session *session, struct stream *stream)
{
	if (!packer_has(&stream->packer) || session_stopped(session) || drain_is_paused(session) || !drain_pack_begin(session))
		return false;
	int cause = drain_pack_write(session, &stream->packer);
	drain_pack_done(session);
	if (cause && !(cause & FILE_LATER))
		session_stop(session, (unsigned)cause);
	return true;
}

/* Writes one segment of a stream, or as many as are written at once. Returns false if there was none, or if a thread of
 * the program has to write it, as is so with segments of events while the drain thread is away. */
static bool drain_one(struct session *session, struct stream *stream)
{
	uint32_t indices[RING_SEGMENTS];
	if (!stream || session_stopped(session) || drain_is_paused(session) || !handover_has(&stream->full))
		return false;
	if (stream_is_of_events(stream) && (drain_idle_is_away(session) || !drain_idle_check(session)))
		return false;
	uint32_t n = take_full(stream, indices, direct_batch(session, stream));
	if (n == 0)
		return false;
	uint64_t last = stream_segment(stream, indices[n - 1])->sequence;
	bool was_direct = !session->direct.is_off;
	bool packs = pack_is_on(session) && drain_pack_begin(session);
	int cause = packs ? drain_pack(session, stream, indices, &n) : write_patiently(session, stream, indices, &n);
	if (packs)
		drain_pack_done(session);
	if (was_direct && session->direct.is_off)
		meta_note(session,
			  "the file system of the dump takes no direct writes: the drain thread writes through the page cache");
	for (uint32_t i = 0; i < n; i++)
		handover_put(&stream->empty, indices[i]);
	if (cause == 0)
		stream->drained_upto = last;
	else if (!(cause & FILE_LATER))
		session_stop(session, (unsigned)cause); /* the segments stay in the ring, where they can be read */
	return true;
}

/* Writes what is due of every stream. `collects`: of events only where a stream has as many segments as are written at
 * once. */
static bool write_round(struct session *session, bool collects)
{
	bool has_done = drain_one(session, session_stream(session, ID_STREAM_SWITCHES));
	for (uint32_t i = 0; i < session_n_streams(session); i++) {
		struct stream *stream = session_stream(session, i);
		if (stream)
			has_done |= drain_parts(session, stream);
		if (stream && (!collects || is_due(session, stream)))
			has_done |= drain_one(session, stream);
		has_done |= drain_one(session, session_stream(session, i | ID_STREAM_SAMPLES));
	}
	return has_done;
}

bool drain_round(struct session *session)
{
	return write_round(session, false);
}

struct thread_count {
	unsigned n;
	bool has_main_exited;
};

static void read_count(void *argument)
{
	struct thread_count *count = argument;
	char text[1024];
	proc_read("/proc/self/stat", text, sizeof text);
	const char *state = proc_stat_field(text, 3), *n_threads = proc_stat_field(text, 20);
	count->has_main_exited = state && *state == 'Z';
	count->n = n_threads ? (unsigned)strtoul(n_threads, NULL, 10) - away_n_threads() : 0;
}

/* Returns the number of the process's threads, and whether the main thread has exited (it counts as a thread until the
 * process ends). */
static unsigned count_threads(bool *has_main_exited)
{
	struct thread_count count = {0, false};
	away(read_count, &count);
	*has_main_exited = count.has_main_exited;
	return count.n;
}

/* Has every thread of the program exited? A thread that was recorded finds that out itself (drain_thread_exits). If the
 * last thread was not recorded, the drain thread notices within a second. */
static bool is_last_thread(struct session *session)
{
	bool has_main_exited;
	return count_threads(&has_main_exited) == 2u + session->watch.has_thread && has_main_exited;
}

/* Is the calling thread the only one that is left besides the recorder's own? */
static bool is_last_of_program(struct session *session)
{
	bool has_main_exited;
	unsigned n = count_threads(&has_main_exited) - session->watch.has_thread;
	return sys_gettid() == sys_getpid() ? n == 2 : n == 3 && has_main_exited;
}

/* Copies the records of switches. Not while a thread ends the session, which copies them itself. */
static void poll_switches(struct session *session)
{
	if (session->switches.poll && !drain_is_paused(session))
		session->switches.poll(session, NULL);
}

/* Returns false if the drain thread has to end. */
static bool sleep_until_woken(struct session *session)
{
	/* D1: Stores that it sleeps, then searches for work once more. Pairs with D2 in drain_wake, which publishes
	 * work, then reads whether the drain thread sleeps. */
	__atomic_store_n(&session->idle.woken_ns, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&session->drain.sleeps, 1, __ATOMIC_RELAXED);
	ck_pr_fence_memory();
	if (has_work(session)) {
		__atomic_store_n(&session->drain.sleeps, 0, __ATOMIC_RELAXED);
		return true;
	}
	/* D4: The thread sees the work for which it was woken at once, not only when it searches again before it
	 * sleeps. Pairs with D3 in wake. */
	while (__atomic_load_n(&session->drain.sleeps, __ATOMIC_ACQUIRE)) {
		uint64_t ns =
			session->switches.poll ? __atomic_load_n(&session->switches.interval_ns, __ATOMIC_RELAXED) : SECOND_NS;
		if (!own_thread_sleep(&session->drain.sleeps, 1, ns) && is_last_thread(session))
			return false;
		poll_switches(session);
	}
	drain_idle_woken(session);
	return true;
}

static void *drain_main(void *argument)
{
	struct session *session = argument;
	if (session->is_of_parent)
		return NULL;
	own_thread_begin("otter-drain");
	__atomic_store_n(&session->drain.tid, (uint32_t)sys_gettid(), __ATOMIC_RELAXED);
	drain_idle_begin(session);
	while (!__atomic_load_n(&session->drain.must_end, __ATOMIC_RELAXED)) {
		poll_switches(session);
		if (!write_round(session, true)) {
			if (!sleep_until_woken(session))
				break;
		} else if (sys_clock_ns(CLOCK_MONOTONIC) - session->maps.checked_ns > MAPS_INTERVAL_NS) {
			session->maps.checked_ns = sys_clock_ns(CLOCK_MONOTONIC);
			maps_write_if_changed(session);
		}
	}
	watch_end(session);
	__atomic_store_n(&session->drain.took_ns, sys_clock_ns(CLOCK_THREAD_CPUTIME_ID), __ATOMIC_RELAXED);
	__atomic_store_n(&session->drain.tid, 0, __ATOMIC_RELAXED);
	return NULL;
}

static bool start(struct session *session)
{
	session->maps.checked_ns = sys_clock_ns(CLOCK_MONOTONIC);
	bool has_watch = watch_start(session);
	if (!own_thread_start(&session->drain.thread, drain_main, session)) {
		watch_end(session);
		return false;
	}
	if (!has_watch)
		meta_note(session,
			  "a thread could not be started that notices stores that wait for the file system: they are not told "
			  "from other waiting");
	/* E1: The thread's handle is stored before the flag saying that the thread exists. Pairs with E2 in drain_thread_exits. */
	__atomic_store_n(&session->drain.is_running, 1, __ATOMIC_RELEASE);
	return true;
}

static void wake(struct session *session)
{
	/* D3: The work is published before the flag that ends the thread's sleep. Pairs with D4 in sleep_until_woken. */
	if (!__atomic_exchange_n(&session->drain.sleeps, 0, __ATOMIC_RELEASE))
		return;
	/* Relaxed: a hint. If the thread runs already, it stays until the thread sleeps again. */
	__atomic_store_n(&session->idle.woken_ns, sys_clock_ns(CLOCK_MONOTONIC), __ATOMIC_RELAXED);
	own_thread_wake(&session->drain.sleeps);
}

void drain_wake(struct session *session)
{
	if (!session->drain.has_thread)
		return;
	if (unlikely(!__atomic_load_n(&session->drain.is_started, __ATOMIC_RELAXED))) {
		/* Relaxed: a hint. A library that wraps pthread_create may have ended before the session, and all is written by
		 * the thread that ends it. */
		if (__atomic_load_n(&session->is_ended, __ATOMIC_RELAXED))
			return;
		if (__atomic_exchange_n(&session->drain.is_started, 1, __ATOMIC_RELAXED))
			return; /* another thread starts it; its first round is over all streams */
		if (!start(session)) {
			__atomic_store_n(&session->drain.has_thread, false, __ATOMIC_RELAXED);
			meta_note(session, "no drain thread could be started: each thread writes its own segments");
		}
		return;
	}
	/* D2: The work is published before this reads whether the thread sleeps. Pairs with D1 in sleep_until_woken. */
	ck_pr_fence_memory();
	if (__atomic_load_n(&session->drain.sleeps, __ATOMIC_RELAXED))
		wake(session);
}

void drain_offer(struct session *session, const struct stream *stream)
{
	bool has_started = __atomic_load_n(&session->drain.is_started, __ATOMIC_RELAXED);
	if (!has_started || drain_idle_is_away(session) ? drain_idle_is_due(session) : is_due(session, stream))
		drain_wake(session);
}

void drain_thread_exits(struct session *session)
{
	struct guard guard = guard_enter();
	/* E2: The flag saying that the thread exists is read before its handle. Pairs with E1 in start. */
	if (__atomic_load_n(&session->drain.is_running, __ATOMIC_ACQUIRE) && is_last_of_program(session)) {
		/* From now on each thread writes its own segments. */
		__atomic_store_n(&session->drain.has_thread, false, __ATOMIC_RELAXED);
		__atomic_store_n(&session->drain.is_running, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&session->drain.must_end, 1, __ATOMIC_RELAXED);
		/* D2: As in drain_wake, it pairs with D1. */
		ck_pr_fence_memory();
		wake(session);
		pthread_join(session->drain.thread, NULL);
	}
	guard_leave(guard);
}
