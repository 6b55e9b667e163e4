/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/kernel/switches.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "recorder/clock.h"
#include "recorder/drain/drain.h"
#include "recorder/guard.h"
#include "recorder/kernel/processor_time.h"
#include "recorder/kernel/switch_event.h"
#include "recorder/kernel/switches_copy.h"
#include "recorder/ring/ring.h"
#include "recorder/session/meta.h"
#include "recorder/session/session.h"
#include "recorder/session/session_turn.h"
#include "recorder/system/sys.h"

/* Sizes of a thread's memory, without its first page. Every user may lock perf_event_mlock_kb for each processor, and
 * RLIMIT_MEMLOCK beyond that: with the usual 516 KiB and 8 MiB, and two processors, 132 threads get the largest one. */
static const uint32_t sizes[] = {16, 4, 1};
#define N_SIZES                 (sizeof sizes / sizeof *sizes)
#define THREADS_WITH_MANY_PAGES 64
#define MEMLOCK_SMALL           (UINT64_C(1) << 20)

/* From one poll to the next: normally, and while half of a thread's memory is filled in that time. */
#define POLL_NS      UINT64_C(1000000000)
#define POLL_FAST_NS UINT64_C(50000000)

/* Polls are fast for this time after a thread's recording has begun: then the rate of its switches is known. */
#define BEGIN_NS UINT64_C(200000000)

/* The pause of a thread that switches too often is twice as long each time, unless the thread was recorded for CALM_NS
 * before. Between two pauses the thread is recorded for one or two polls: for a tenth of the time at first, for a
 * hundredth after some pauses. */
#define PAUSE_NS     UINT64_C(1000000000)
#define PAUSE_MAX_NS UINT64_C(16000000000)
#define CALM_NS      UINT64_C(2000000000)

#define KEPT_BYTES                                                                                                                 \
	((1 + sizes[N_SIZES - 1]) * SWITCHES_PAGE_BYTES) /* of the drain thread's own event: the least that can be mapped */

/* ---- The kernel's memory ---- */

/* Ends the recording of a thread. The caller owns the stream of switches, so no other thread reads the memory. */
static void unmap_memory(struct stream *stream)
{
	struct switch_memory *memory = &stream->switches;
	void *page = memory->page;
	if (!page)
		return;
	__atomic_store_n(&memory->page, NULL, __ATOMIC_RELAXED);
	sys_munmap(page, (1 + memory->n_pages) * SWITCHES_PAGE_BYTES);
}

/* Makes the kernel record the switches of the stream's thread, into as much memory as it grants. False: it refuses, or
 * grants none. */
static bool open_memory(struct stream *stream)
{
	struct session *session = stream->session;
	struct switch_memory *memory = &stream->switches;
	struct rlimit limit;
	if (session->switches.is_refused)
		return false;
	bool is_scarce = stream->number >= THREADS_WITH_MANY_PAGES ||
			 (sys_getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur < MEMLOCK_SMALL);
	struct switch_event event = {
		.thread = (int)stream->tid,
		.protection = PROT_READ | PROT_WRITE,
		.sizes = sizes + is_scarce,
		.n_sizes = N_SIZES - is_scarce,
	};
	switch_event_map(&event);
	if (!event.page) {
		if (event.is_tried && !event.is_open && !__atomic_load_n(&session->switches.is_recorded, __ATOMIC_RELAXED))
			__atomic_store_n(&session->switches.is_refused, true, __ATOMIC_RELAXED);
		meta_note_once(session, META_ONCE_SWITCHES,
			       event.is_open
				       ? "a thread's context switches are not recorded: there is no memory for them "
					 "(perf_event_mlock_kb, RLIMIT_MEMLOCK)"
				       : "the kernel does not let this process record context switches (perf_event_paranoid, a "
					 "container): only sums of its threads' processor times are recorded");
		return false;
	}
	memory->n_pages = event.n_pages;
	memory->seen = 0;
	memory->full_ns = 0;
	memory->is_first = true;
	memory->from_ns = sys_clock_ns(CLOCK_MONOTONIC);
	__atomic_store_n(&session->switches.is_recorded, true, __ATOMIC_RELAXED);
	/* X4: The description of the memory is stored before its address. Pairs with X1 in copy_stream. */
	__atomic_store_n(&memory->page, event.page, __ATOMIC_RELEASE);
	return true;
}

/* ---- The stream of switches ---- */

/* Makes the calling thread the owner of the stream of switches, which may copy, and unmap memory. False: another thread
 * is the owner; or this is a child that _Fork has made, which has neither the kernel's memory nor the rings. */
static bool own(struct session *session)
{
	struct stream *switches = session_stream(session, ID_STREAM_SWITCHES);
	return switches && sys_getpid() == session->pid && stream_own(switches, stream_self());
}

static void disown(struct session *session)
{
	stream_disown(session_stream(session, ID_STREAM_SWITCHES));
}

/* Where the kernel does not record switches: reads how long the thread has run, and has waited for a processor, since
 * it took the stream. */
static void query_times(struct stream *stream)
{
	struct switch_memory *memory = &stream->switches;
	uint64_t running_ns, waiting_ns;
	/* X7: The flag is read before the times that were stored before it. Pairs with X8 in switches_begin. */
	if (!__atomic_load_n(&memory->is_refused, __ATOMIC_ACQUIRE) || !processor_time_of(stream->tid, &running_ns, &waiting_ns) ||
	    running_ns < memory->first_running_ns || waiting_ns < memory->first_waiting_ns)
		return;
	/* Relaxed: a thread that ends and a poll may do this at the same time, and either answer will do. */
	__atomic_store_n(&memory->running_ns, running_ns - memory->first_running_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&memory->waiting_ns, waiting_ns - memory->first_waiting_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&memory->has_times, true, __ATOMIC_RELAXED);
}

/* Records the times that were read last, which may have been at the end of a thread that found another one polling. */
static void put_times(struct stream *stream)
{
	struct switch_memory *memory = &stream->switches;
	if (!__atomic_exchange_n(&memory->has_times, false, __ATOMIC_RELAXED))
		return;
	switches_copy_mask(stream);
	ring_append(session_stream(stream->session, ID_STREAM_SWITCHES), clock_ticks(),
		    record_head(EVENT_processor_time, 0, stream->number), __atomic_load_n(&memory->running_ns, __ATOMIC_RELAXED),
		    __atomic_load_n(&memory->waiting_ns, __ATOMIC_RELAXED));
}

static void put_poll(struct session *session)
{
	uint64_t stolen_ns = 0, total_ns = 0;
	processor_time_stolen(&stolen_ns, &total_ns);
	ring_append(session_stream(session, ID_STREAM_SWITCHES), clock_ticks(), record_head(EVENT_switches_read, 0, 0), stolen_ns,
		    total_ns);
}

static bool is_paused(const struct stream *stream)
{
	return __atomic_load_n(&stream->switches.is_paused, __ATOMIC_RELAXED);
}

/* Copies the new records of one stream's thread. */
static enum switches_rate copy_stream(struct stream *stream, bool is_last)
{
	/* X1: The memory's address is read before its description. Pairs with X4 in open_memory. */
	if (__atomic_load_n(&stream->switches.page, __ATOMIC_ACQUIRE))
		return switches_copy(stream, is_last);
	if (is_paused(stream))
		switches_skip(stream);
	else
		put_times(stream);
	return SWITCHES_FEW;
}

/* Copies the rest of a thread that has ended, or is ending. The caller owns the stream of switches. */
static void finish_memory(struct stream *stream)
{
	copy_stream(stream, true);
	unmap_memory(stream);
	__atomic_store_n(&stream->switches.is_paused, false, __ATOMIC_RELAXED);
	__atomic_store_n(&stream->switches.resume_ns, 0, __ATOMIC_RELAXED);
}

/* The same by the stream's thread, if no other thread is polling. */
static bool try_to_finish(struct stream *stream)
{
	if (!own(stream->session))
		return false;
	finish_memory(stream);
	__atomic_store_n(&stream->switches.left_ns, 0, __ATOMIC_RELAXED);
	disown(stream->session);
	return true;
}

/* ---- Threads with too many ---- */

/* Pauses the recording. The stream's thread opens its memory at that time or later. */
static void set_pause(struct switch_memory *memory, uint64_t resume_ns)
{
	__atomic_store_n(&memory->resume_ns, resume_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&memory->is_paused, true, __ATOMIC_RELAXED);
}

/* Makes polls fast for BEGIN_NS. */
static void poll_fast(struct session *session)
{
	__atomic_store_n(&session->switches.fast_until_ns, sys_clock_ns(CLOCK_MONOTONIC_COARSE) + BEGIN_NS, __ATOMIC_RELAXED);
	__atomic_store_n(&session->switches.interval_ns, POLL_FAST_NS, __ATOMIC_RELAXED);
	drain_wake(session);
}

/* Opens an event for the drain thread, from the first pause on. Where no process has an event of perf, opening the
 * first one takes some milliseconds (docs/recorder.md), and a thread that resumes must not wait for that. */
static void keep_event(struct session *session)
{
	struct switch_event event = {.protection = PROT_READ, .sizes = &sizes[N_SIZES - 1], .n_sizes = 1};
	switch_event_map(&event);
	session->switches.kept_event = event.page;
}

/* Pauses the recording of a thread that switches too often. The caller owns the stream of switches. */
static void pause_memory(struct stream *stream, bool is_drain_thread)
{
	struct switch_memory *memory = &stream->switches;
	uint64_t now_ns = sys_clock_ns(CLOCK_MONOTONIC_COARSE);
	bool is_again = memory->resume_ns && now_ns < memory->resume_ns + CALM_NS;
	memory->pause_ns = !is_again ? PAUSE_NS : memory->pause_ns < PAUSE_MAX_NS ? memory->pause_ns * 2 : PAUSE_MAX_NS;
	if (is_drain_thread && !stream->session->switches.kept_event)
		keep_event(stream->session);
	unmap_memory(stream);
	set_pause(memory, now_ns + memory->pause_ns);
}

/* Copies the records of a thread that ended while another one was polling. If the stream has a new thread by now, that
 * thread has no memory, and opens one as after a pause. The caller owns the stream of switches. */
static void take_what_is_left(struct stream *stream)
{
	struct switch_memory *memory = &stream->switches;
	finish_memory(stream);
	set_pause(memory, 0);
	/* X6: The pause is stored before the flag saying that nothing is left. Pairs with X5 in switches_begin. */
	__atomic_store_n(&memory->left_ns, 0, __ATOMIC_RELEASE);
}

/* Runs on the stream's thread, as an event records the thread that opens it. */
static void resume_memory(struct session *session, struct stream *stream)
{
	struct switch_memory *memory = &stream->switches;
	uint64_t now_ns = sys_clock_ns(CLOCK_MONOTONIC_COARSE);
	if (now_ns < __atomic_load_n(&memory->resume_ns, __ATOMIC_RELAXED) || !own(session))
		return;
	uint64_t from_ns = memory->from_ns;
	bool is_there = open_memory(stream);
	memory->is_first = false;
	memory->from_ns = from_ns;
	switches_skip(stream);
	__atomic_store_n(&memory->left_ns, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&memory->is_paused, !is_there, __ATOMIC_RELAXED);
	__atomic_store_n(&memory->resume_ns, is_there ? now_ns : now_ns + PAUSE_MAX_NS, __ATOMIC_RELAXED);
	disown(session);
	poll_fast(session);
}

/* ---- Sessions and threads ---- */

void switches_setup(struct session *session)
{
	if (!(session->config.groups & UINT32_C(1) << GROUP_switch))
		return;
	uint64_t signals;
	guard_hold_signals(&signals);
	bool is_made = stream_create_switches(session);
	guard_let_signals(&signals);
	if (!is_made) {
		meta_note(session, "context switches are not recorded: there is no room for another ring");
		return;
	}
	session->switches.last_ns = sys_clock_ns(CLOCK_MONOTONIC_COARSE);
	session->switches.interval_ns = POLL_FAST_NS;
	session->switches.poll = switches_poll;
}

void switches_begin(struct stream *stream)
{
	struct session *session = stream->session;
	if (!session->switches.poll || sys_getpid() != session->pid || session_stopped(session))
		return;
	uint64_t signals;
	guard_hold_signals(&signals);
	try_to_finish(stream); /* of the stream's last thread, whose end found another thread polling */
	struct switch_memory *memory = &stream->switches;
	/* X5: If the last thread's records are still left, or a poll has taken them and has set the pause, this thread
	 * resumes later. Pairs with X6 in take_what_is_left. Or the thread's first record was in a new segment, and it
	 * has resumed already. */
	bool waits = __atomic_load_n(&memory->left_ns, __ATOMIC_ACQUIRE) || is_paused(stream) ||
		     __atomic_load_n(&memory->page, __ATOMIC_RELAXED);
	bool is_refused = !waits && !open_memory(stream);
	if (is_refused && memory->from_ns) {
		/* For a stream whose last thread had switches, no record would mean that there were none. */
		set_pause(memory, sys_clock_ns(CLOCK_MONOTONIC_COARSE) + PAUSE_NS);
		is_refused = false;
	}
	if (is_refused)
		drain_wake(session);
	else
		poll_fast(session); /* before the memory is full, however few events the program has */
	__atomic_store_n(&memory->has_times, false, __ATOMIC_RELAXED);
	if (is_refused && !processor_time_of(stream->tid, &memory->first_running_ns, &memory->first_waiting_ns))
		is_refused = false; /* neither is known */
	/* X8: The start of the thread's times is stored before the flag saying that they are read. Pairs with X7 in query_times. */
	__atomic_store_n(&memory->is_refused, is_refused, __ATOMIC_RELEASE);
	guard_let_signals(&signals);
}

void switches_end(struct stream *stream)
{
	struct session *session = stream->session;
	if (!session->switches.poll)
		return;
	uint64_t signals;
	guard_hold_signals(&signals);
	query_times(stream);
	struct switch_memory *memory = &stream->switches;
	__atomic_store_n(&memory->is_refused, false, __ATOMIC_RELAXED);
	if (!try_to_finish(stream) && !__atomic_load_n(&memory->left_ns, __ATOMIC_RELAXED) &&
	    (__atomic_load_n(&memory->page, __ATOMIC_RELAXED) || is_paused(stream)))
		__atomic_store_n(&memory->left_ns, sys_clock_ns(CLOCK_MONOTONIC), __ATOMIC_RELAXED);
	guard_let_signals(&signals);
}

/* Copies the records of every thread. The caller owns the stream of switches. */
static void poll_all(struct session *session, bool is_drain_thread)
{
	bool is_soon = false;
	for (uint32_t i = 0; i < session_n_streams(session); i++) {
		struct stream *stream = session_stream(session, i);
		if (!stream)
			continue;
		if (!__atomic_load_n(&stream->switches.has_times, __ATOMIC_RELAXED))
			query_times(stream);
		if (__atomic_load_n(&stream->switches.left_ns, __ATOMIC_RELAXED)) {
			take_what_is_left(stream);
			continue;
		}
		enum switches_rate rate = copy_stream(stream, false);
		if (rate == SWITCHES_TOO_MANY)
			pause_memory(stream, is_drain_thread);
		is_soon |= rate == SWITCHES_MANY;
	}
	put_poll(session);
	is_soon |= sys_clock_ns(CLOCK_MONOTONIC_COARSE) < __atomic_load_n(&session->switches.fast_until_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&session->switches.interval_ns, is_soon ? POLL_FAST_NS : POLL_NS, __ATOMIC_RELAXED);
}

void switches_poll(struct session *session, struct stream *own_stream)
{
	if (session_stopped(session)) {
		__atomic_store_n(&session->switches.interval_ns, POLL_NS, __ATOMIC_RELAXED);
		return;
	}
	if (own_stream && is_paused(own_stream))
		resume_memory(session, own_stream);
	uint64_t now_ns = sys_clock_ns(CLOCK_MONOTONIC_COARSE);
	uint64_t interval_ns = __atomic_load_n(&session->switches.interval_ns, __ATOMIC_RELAXED);
	uint64_t last_ns = __atomic_load_n(&session->switches.last_ns, __ATOMIC_RELAXED);
	if (own_stream && session->drain.has_thread)
		interval_ns *= 2; /* the drain thread has had no processor since */
	if (now_ns - last_ns < interval_ns || !own(session))
		return;
	__atomic_store_n(&session->switches.last_ns, now_ns, __ATOMIC_RELAXED);
	poll_all(session, !own_stream);
	disown(session);
}

void switches_seal(struct session *session)
{
	if (!session->switches.poll || !own(session))
		return;
	uint64_t signals;
	guard_hold_signals(&signals);
	poll_all(session, false);
	if (session->is_awaiting_finalize) {
		disown(session);
	} else {
		stream_seal(session_stream(session, ID_STREAM_SWITCHES));
		if (session->switches.kept_event)
			sys_munmap(session->switches.kept_event, KEPT_BYTES);
		session->switches.kept_event = NULL;
	}
	guard_let_signals(&signals);
}
