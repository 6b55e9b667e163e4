/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/watch.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "recorder/clock.h"
#include "recorder/own_thread.h"
#include "recorder/session.h"
#include "recorder/stream.h"

/* Between two looks. A wait that is longer is always seen, a shorter one by chance. */
#define INTERVAL_NS 50000000

/* A look at one stream lies between two readings of the clock that are at most that far apart, or it does not count. */
#define LOOK_MAX_NS UINT64_C(1000000)

/* The thread that is looked at changes these by plain stores. Of a thread without a processor they do not change. */
static bool is_inside(const struct stream *stream)
{
	tsan_reads_begin();
	bool is = __atomic_load_n(&stream->is_busy, __ATOMIC_RELAXED) && !__atomic_load_n(&stream->is_writing, __ATOMIC_RELAXED);
	tsan_reads_end();
	return is;
}

/* Notes that the thread was inside of the recorder at this time. Looks that find it at the same position share a mark:
 * a long wait must not push out what was seen before. */
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

static void look_at(struct stream *stream)
{
	if (!is_inside(stream))
		return;
	/* After an append that was left by longjmp the stream stays busy, and counts what it loses. */
	if (__atomic_load_n(&stream_control(stream)->lost[loss_cause_reentry], __ATOMIC_RELAXED))
		return;
	uint64_t before_ns = clock_ns(CLOCK_MONOTONIC);
	bool is_still_inside = is_inside(stream);
	if (is_still_inside && clock_ns(CLOCK_MONOTONIC) - before_ns < LOOK_MAX_NS)
		put_mark(stream, before_ns);
}

bool watch_has_seen(const struct stream *stream, uint64_t begin_ns, uint64_t end_ns)
{
	for (unsigned i = 0; i < WATCH_MARKS; i++) {
		/* Relaxed: each time by itself tells that the thread was inside at that time, also while the watch changes the
		 * mark. */
		uint64_t first_ns = __atomic_load_n(&stream->marks[i].first_ns, __ATOMIC_RELAXED);
		uint64_t last_ns = __atomic_load_n(&stream->marks[i].last_ns, __ATOMIC_RELAXED);
		if ((first_ns > begin_ns && first_ns + LOOK_MAX_NS < end_ns) ||
		    (last_ns > begin_ns && last_ns + LOOK_MAX_NS < end_ns))
			return true;
	}
	return false;
}

static void *watch_main(void *argument)
{
	struct session *session = argument;
	const struct timespec pause = {.tv_nsec = INTERVAL_NS};
	if (session->is_of_parent)
		return NULL;
	own_thread_begin("otter-watch");
	while (!__atomic_load_n(&session->must_watch_end, __ATOMIC_RELAXED)) {
		for (uint32_t i = 0; i < session_n_streams(session); i++) {
			struct stream *stream = session_stream(session, i);
			if (stream)
				look_at(stream);
		}
		syscall(SYS_futex, &session->must_watch_end, FUTEX_WAIT_PRIVATE, 0, &pause, NULL, 0);
	}
	return NULL;
}

bool watch_start(struct session *session)
{
	if (!__atomic_load_n(&session->has_switches, __ATOMIC_RELAXED))
		return true;
	session->has_watch = own_thread_start(&session->watch_thread, watch_main, session);
	return session->has_watch;
}

void watch_end(struct session *session)
{
	if (!session->has_watch)
		return;
	__atomic_store_n(&session->must_watch_end, 1, __ATOMIC_RELAXED);
	syscall(SYS_futex, &session->must_watch_end, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	pthread_join(session->watch_thread, NULL);
}
