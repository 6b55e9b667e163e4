/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/drain.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <ck_pr.h>

#include "recorder/clock.h"
#include "recorder/direct.h"
#include "recorder/drain_idle.h"
#include "recorder/drain_pack.h"
#include "recorder/file.h"
#include "recorder/guard.h"
#include "recorder/maps.h"
#include "recorder/meta.h"
#include "recorder/output.h"
#include "recorder/own_thread.h"
#include "recorder/pack_when.h"
#include "recorder/proc.h"
#include "recorder/session.h"
#include "recorder/session_turn.h"
#include "recorder/stream.h"
#include "recorder/watch.h"

#define MAPS_INTERVAL_NS UINT64_C(1000000000) /* between two looks at the address space */
#define SECOND_NS        UINT64_C(1000000000) /* between two looks for what no thread wakes it for, at most */
#define AGAIN_NS         10000000             /* between two tries to write what cannot be written now */

/* Are there as many full segments of a stream as the drain thread writes at once, or is one of them to be written now? */
static bool is_due(const struct session *session, const struct stream *stream)
{
	uint32_t n = handover_n(&stream->full);
	return n && (n >= direct_batch(session, stream) ||
		     __atomic_load_n(&stream->flush_upto, __ATOMIC_RELAXED) > stream->drained_upto);
}

/* Is there work? Called only before the thread sleeps. Where the drain thread is away, segments of events are no work. */
static bool has_work(struct session *session)
{
	bool is_away = drain_idle_is_away(session);
	if (__atomic_load_n(&session->must_drain_end, __ATOMIC_RELAXED))
		return true;
	if (session_stopped(session))
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

bool drain_may_wait(struct session *session)
{
	const struct timespec pause = {.tv_nsec = AGAIN_NS};
	if (session_stopped(session) || __atomic_load_n(&session->must_drain_end, __ATOMIC_RELAXED))
		return false;
	clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	return true;
}

static int write_patiently(struct session *session, struct stream *stream, const uint32_t *indices, uint32_t *n)
{
	uint32_t done = 0;
	for (;;) {
		uint32_t rest = *n - done;
		int cause = output_batch(stream, indices + done, &rest);
		done += rest;
		if (!(cause & FILE_LATER) || !drain_may_wait(session)) {
			*n = done;
			return cause;
		}
	}
}

/* Takes up to `n_most` full segments of a stream, but never all that the stream has: its owner needs one to go on with. */
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

/* Writes what threads of the program have packed, even where the drain thread has no processor of its own: that takes little
 * time of one, and they do not wait for the disk. */
static bool drain_parts(struct session *session, struct stream *stream)
{
	if (!packer_has(&stream->packer) || session_stopped(session) || !drain_pack_begin(session))
		return false;
	int cause = drain_pack_write(session, &stream->packer);
	drain_pack_done(session);
	if (cause && !(cause & FILE_LATER))
		session_stop(session, (unsigned)cause);
	return true;
}

/* Writes one segment of a stream, or as many as are written at once. Returns false if there was none, or if a thread of the
 * program is to write it: that is so with segments of events while the drain thread has no processor of its own. */
static bool drain_one(struct session *session, struct stream *stream)
{
	uint32_t indices[RING_SEGMENTS];
	if (!stream || session_stopped(session) || !handover_has(&stream->full))
		return false;
	if (stream_is_of_events(stream) && (drain_idle_is_away(session) || !drain_idle_goes_on(session)))
		return false;
	uint32_t n = take_full(stream, indices, direct_batch(session, stream));
	if (n == 0)
		return false;
	uint64_t last = stream_segment(stream, indices[n - 1])->sequence;
	bool was_direct = !session->direct_is_off;
	bool packs = pack_is_on(session) && drain_pack_begin(session);
	int cause = packs ? drain_pack(session, stream, indices, &n) : write_patiently(session, stream, indices, &n);
	if (packs)
		drain_pack_done(session);
	if (was_direct && session->direct_is_off)
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

/* Looks once at every stream. `waits`: not at those that will have more segments to be written at once. */
static bool look_round(struct session *session, bool waits)
{
	bool has_done = drain_one(session, session_stream(session, ID_STREAM_SWITCHES));
	for (uint32_t i = 0; i < session_n_streams(session); i++) {
		struct stream *stream = session_stream(session, i);
		if (stream)
			has_done |= drain_parts(session, stream);
		if (stream && (!waits || is_due(session, stream)))
			has_done |= drain_one(session, stream);
		has_done |= drain_one(session, session_stream(session, i | ID_STREAM_SAMPLES));
	}
	return has_done;
}

bool drain_round(struct session *session)
{
	return look_round(session, false);
}

/* Returns how many threads the process has, and whether the main thread has exited (it counts as a thread until the
 * process ends). */
static unsigned count_threads(bool *has_main_exited)
{
	char text[1024];
	proc_read("/proc/self/stat", text, sizeof text);
	const char *at = strrchr(text, ')'); /* after the program's name, which may contain anything */
	*has_main_exited = at && at[1] == ' ' && at[2] == 'Z';
	for (unsigned field = 2; at && field < 20; field++)
		at = strchr(at + 1, ' ');
	return at ? (unsigned)strtoul(at, NULL, 10) : 0;
}

/* Has every other thread exited? A thread that was recorded looks after that itself (drain_thread_exits). If the last
 * thread was not recorded, the drain thread notices within a second. */
static bool is_last_thread(struct session *session)
{
	bool has_main_exited;
	return count_threads(&has_main_exited) == 2u + session->has_watch && has_main_exited;
}

/* Is the calling thread the only one that is left beside the recorder's own? */
static bool is_last_of_program(struct session *session)
{
	bool has_main_exited;
	unsigned n = count_threads(&has_main_exited) - session->has_watch;
	return gettid() == getpid() ? n == 2 : n == 3 && has_main_exited;
}

/* Returns false if the drain thread has to end. */
static bool sleep_until_woken(struct session *session)
{
	/* D1: Stores that it sleeps, then looks for work once more. Pairs with D2 in drain_wake, which publishes work,
	 * then looks whether the drain thread sleeps. */
	__atomic_store_n(&session->drain_woken_ns, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&session->drain_sleeps, 1, __ATOMIC_RELAXED);
	ck_pr_fence_memory();
	if (has_work(session)) {
		__atomic_store_n(&session->drain_sleeps, 0, __ATOMIC_RELAXED);
		return true;
	}
	/* D4: The thread sees the work for which it was woken at once, not only when it looks before it sleeps again.
	 * Pairs with D3 in wake. */
	while (__atomic_load_n(&session->drain_sleeps, __ATOMIC_ACQUIRE)) {
		uint64_t ns = session->look ? __atomic_load_n(&session->look_interval_ns, __ATOMIC_RELAXED) : SECOND_NS;
		const struct timespec pause = {.tv_sec = (time_t)(ns / SECOND_NS), .tv_nsec = (long)(ns % SECOND_NS)};
		long rc = syscall(SYS_futex, &session->drain_sleeps, FUTEX_WAIT_PRIVATE, 1, &pause, NULL, 0);
		if (rc != 0 && errno == ETIMEDOUT && is_last_thread(session))
			return false;
		if (session->look)
			session->look(session, NULL);
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
	drain_idle_begin(session);
	while (!__atomic_load_n(&session->must_drain_end, __ATOMIC_RELAXED)) {
		if (session->look)
			session->look(session, NULL);
		if (!look_round(session, true)) {
			if (!sleep_until_woken(session))
				break;
		} else if (clock_ns(CLOCK_MONOTONIC) - session->maps_checked_ns > MAPS_INTERVAL_NS) {
			session->maps_checked_ns = clock_ns(CLOCK_MONOTONIC);
			maps_write_if_changed(session);
		}
	}
	watch_end(session);
	return NULL;
}

static bool start(struct session *session)
{
	session->maps_checked_ns = clock_ns(CLOCK_MONOTONIC);
	bool has_watch = watch_start(session);
	if (!own_thread_start(&session->drain_thread, drain_main, session)) {
		watch_end(session);
		return false;
	}
	if (!has_watch)
		meta_note(session,
			  "a thread could not be started that notices stores that wait for the file system: they are not told "
			  "from other waiting");
	/* E1: The thread's handle comes before the word that the thread exists. Pairs with E2 in drain_thread_exits. */
	__atomic_store_n(&session->is_drain_running, 1, __ATOMIC_RELEASE);
	return true;
}

static void wake(struct session *session)
{
	/* D3: The work comes before the word that the thread may not sleep. Pairs with D4 in sleep_until_woken. */
	if (!__atomic_exchange_n(&session->drain_sleeps, 0, __ATOMIC_RELEASE))
		return;
	/* Relaxed: a hint. If the thread runs already, it stays until the thread sleeps again. */
	__atomic_store_n(&session->drain_woken_ns, clock_ns(CLOCK_MONOTONIC), __ATOMIC_RELAXED);
	syscall(SYS_futex, &session->drain_sleeps, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void drain_wake(struct session *session)
{
	if (!session->has_drain_thread)
		return;
	if (unlikely(!__atomic_load_n(&session->is_drain_started, __ATOMIC_RELAXED))) {
		if (__atomic_exchange_n(&session->is_drain_started, 1, __ATOMIC_RELAXED))
			return; /* another thread starts it; it begins with a look at every stream */
		if (!start(session)) {
			__atomic_store_n(&session->has_drain_thread, false, __ATOMIC_RELAXED);
			meta_note(session, "no drain thread could be started: each thread writes its own segments");
		}
		return;
	}
	/* D2: The work is published before the look. Pairs with D1 in sleep_until_woken. */
	ck_pr_fence_memory();
	if (__atomic_load_n(&session->drain_sleeps, __ATOMIC_RELAXED))
		wake(session);
}

void drain_offer(struct session *session, const struct stream *stream)
{
	bool has_started = __atomic_load_n(&session->is_drain_started, __ATOMIC_RELAXED);
	if (!has_started || drain_idle_is_away(session) ? drain_idle_is_due(session) : is_due(session, stream))
		drain_wake(session);
}

void drain_thread_exits(struct session *session)
{
	struct guard guard = guard_enter();
	/* E2: The word that the thread exists is read before its handle. Pairs with E1 in start. */
	if (__atomic_load_n(&session->is_drain_running, __ATOMIC_ACQUIRE) && is_last_of_program(session)) {
		__atomic_store_n(&session->has_drain_thread, false,
				 /* From now on each thread writes its own segments. */
				 __ATOMIC_RELAXED);
		__atomic_store_n(&session->is_drain_running, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&session->must_drain_end, 1, __ATOMIC_RELAXED);
		/* D2: As in drain_wake, it pairs with D1. */
		ck_pr_fence_memory();
		wake(session);
		pthread_join(session->drain_thread, NULL);
	}
	guard_leave(guard);
}
