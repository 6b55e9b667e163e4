/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/drain/watch.h"

#include "recorder/clock.h"
#include "recorder/drain/own_thread.h"
#include "recorder/ring/stream.h"
#include "recorder/session/session.h"
#include "recorder/system/sys.h"

/* From one check to the next. A longer wait is always seen, a shorter one by chance. */
#define INTERVAL_NS UINT64_C(50000000)

/* A check of a stream is between two readings of the clock. If they are further apart, it does not count. */
#define CHECK_MAX_NS UINT64_C(1000000)

/* The stream's thread changes these by plain stores. While it has no processor they do not change. */
static bool is_inside(const struct stream *stream)
{
	tsan_reads_begin();
	bool is = __atomic_load_n(&stream->is_busy, __ATOMIC_RELAXED) && !__atomic_load_n(&stream->is_writing, __ATOMIC_RELAXED);
	tsan_reads_end();
	return is;
}

/* Notes that the thread was inside of the recorder at this time. Checks that find it at the same position share a mark:
 * a long wait must not push out earlier marks. */
static void put_mark(struct stream *stream, uint64_t now_ns)
{
	struct watch_mark *last = &stream->marks[(stream->n_marks - 1) % WATCH_MARKS];
	uint64_t position = __atomic_load_n(&stream_control(stream)->position, __ATOMIC_RELAXED);
	if (stream->n_marks && last->position == position) {
		__atomic_store_n(&last->last_ns, now_ns, __ATOMIC_RELAXED);
		return;
	}
	struct watch_mark *mark = &stream->marks[stream->n_marks++ % WATCH_MARKS];
	mark->position = position;
	__atomic_store_n(&mark->first_ns, now_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&mark->last_ns, now_ns, __ATOMIC_RELAXED);
}

static void check(struct stream *stream)
{
	if (!is_inside(stream))
		return;
	/* After an append that was left by longjmp the stream stays busy, and its records are counted as lost. */
	if (__atomic_load_n(&stream_control(stream)->lost[loss_cause_reentry], __ATOMIC_RELAXED))
		return;
	uint64_t before_ns = sys_clock_ns(CLOCK_MONOTONIC);
	bool is_still_inside = is_inside(stream);
	if (is_still_inside && sys_clock_ns(CLOCK_MONOTONIC) - before_ns < CHECK_MAX_NS)
		put_mark(stream, before_ns);
}

bool watch_has_seen(const struct stream *stream, uint64_t begin_ns, uint64_t end_ns)
{
	for (unsigned i = 0; i < WATCH_MARKS; i++) {
		/* Relaxed: each of the two times means by itself that the thread was inside, also while the watch changes
		 * the mark. */
		uint64_t first_ns = __atomic_load_n(&stream->marks[i].first_ns, __ATOMIC_RELAXED);
		uint64_t last_ns = __atomic_load_n(&stream->marks[i].last_ns, __ATOMIC_RELAXED);
		if ((first_ns > begin_ns && first_ns + CHECK_MAX_NS < end_ns) ||
		    (last_ns > begin_ns && last_ns + CHECK_MAX_NS < end_ns))
			return true;
	}
	return false;
}

static void *watch_main(void *argument)
{
	struct session *session = argument;
	if (session->is_of_parent)
		return NULL;
	own_thread_begin("otter-watch");
	while (!__atomic_load_n(&session->watch.must_end, __ATOMIC_RELAXED)) {
		for (uint32_t i = 0; i < session_n_streams(session); i++) {
			struct stream *stream = session_stream(session, i);
			if (stream)
				check(stream);
		}
		own_thread_sleep(&session->watch.must_end, 0, INTERVAL_NS);
	}
	return NULL;
}

bool watch_start(struct session *session)
{
	if (!__atomic_load_n(&session->switches.is_recorded, __ATOMIC_RELAXED))
		return true;
	session->watch.has_thread = own_thread_start(&session->watch.thread, watch_main, session);
	return session->watch.has_thread;
}

void watch_end(struct session *session)
{
	if (!session->watch.has_thread)
		return;
	__atomic_store_n(&session->watch.must_end, 1, __ATOMIC_RELAXED);
	own_thread_wake(&session->watch.must_end);
	pthread_join(session->watch.thread, NULL);
}
