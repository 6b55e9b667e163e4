/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/switches.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "recorder/clock.h"
#include "recorder/drain.h"
#include "recorder/guard.h"
#include "recorder/meta.h"
#include "recorder/processor_time.h"
#include "recorder/ring.h"
#include "recorder/session.h"
#include "recorder/session_turn.h"
#include "recorder/switch_event.h"
#include "recorder/switches_copy.h"

/* Sizes of a thread's memory, without its first page. Every user may lock perf_event_mlock_kb for each processor, and
 * RLIMIT_MEMLOCK beyond that: with the usual 516 KiB and 8 MiB, and two processors, 132 threads get the largest one. */
static const uint32_t sizes[] = {16, 4, 1};
#define N_SIZES                 (sizeof sizes / sizeof *sizes)
#define THREADS_WITH_MANY_PAGES 64
#define MEMLOCK_SMALL           (UINT64_C(1) << 20)

/* Between two looks: normally, and while the memory of a thread is filled by more than half meanwhile. */
#define LOOK_NS      UINT64_C(1000000000)
#define LOOK_SOON_NS UINT64_C(50000000)

/* For so long after a thread's recording has begun all are looked at soon: then it is known how often it switches. */
#define BEGIN_NS UINT64_C(200000000)

/* How long the recording of a thread's switches is paused if there are too many: each time twice as long, unless it was
 * recorded for CALM_NS before. Between two pauses there is a look or two, so these are a tenth of the time at first, and
 * a hundredth after some pauses. */
#define PAUSE_NS     UINT64_C(1000000000)
#define PAUSE_MAX_NS UINT64_C(16000000000)
#define CALM_NS      UINT64_C(2000000000)

#define KEPT_BYTES (2 * SWITCHES_PAGE_BYTES) /* of the drain thread's own event: the least that can be mapped */

/* ---- The kernel's memory ---- */

static void note_refusal(struct session *session, const char *sentence)
{
	if (!__atomic_exchange_n(&session->refuses_switches, 1, __ATOMIC_RELAXED))
		meta_note(session, sentence);
}

/* Maps memory for the event's records, as much as the kernel grants. False: it grants none. */
static bool map_memory(struct stream *stream, int fd)
{
	struct switch_memory *memory = &stream->switches;
	struct rlimit limit;
	bool is_scarce = stream->number >= THREADS_WITH_MANY_PAGES ||
			 (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur < MEMLOCK_SMALL);
	for (size_t i = is_scarce; i < N_SIZES; i++) {
		void *page = mmap(NULL, (1 + sizes[i]) * SWITCHES_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (page == MAP_FAILED)
			continue;
		memory->n_pages = sizes[i];
		memory->seen = 0;
		memory->full_ns = 0;
		memory->is_first = true;
		memory->from_ns = clock_ns(CLOCK_MONOTONIC);
		__atomic_store_n(&stream->session->has_switches, true, __ATOMIC_RELAXED);
		/* X4: Pairs with X1 in copy_stream. */
		__atomic_store_n(&memory->page, page, __ATOMIC_RELEASE);
		return true;
	}
	return false;
}

/* Ends the recording of a thread. The caller owns the stream of switches, so nobody reads the memory. */
static void unmap_memory(struct stream *stream)
{
	struct switch_memory *memory = &stream->switches;
	void *page = memory->page;
	if (!page)
		return;
	__atomic_store_n(&memory->page, NULL, __ATOMIC_RELAXED);
	munmap(page, (1 + memory->n_pages) * SWITCHES_PAGE_BYTES);
}

/* The mapping keeps the event, so its descriptor is closed at once: the program never sees it. */
static bool open_memory(struct stream *stream)
{
	struct session *session = stream->session;
	if (session->has_no_switches)
		return false;
	int fd = switch_event_open();
	if (fd < 0) {
		if (!__atomic_load_n(&session->has_switches, __ATOMIC_RELAXED))
			__atomic_store_n(&session->has_no_switches, true, __ATOMIC_RELAXED);
		note_refusal(session, "the kernel does not let this process record context switches (perf_event_paranoid, a "
				      "container): only sums of its threads' processor times are recorded");
		return false;
	}
	bool is_there = map_memory(stream, fd);
	if (!is_there)
		note_refusal(session, "a thread's context switches are not recorded: there is no memory for them "
				      "(perf_event_mlock_kb, RLIMIT_MEMLOCK)");
	close(fd);
	return is_there;
}

/* ---- The stream of switches ---- */

/* The owner of the stream of switches may copy, and give memory back. False: another thread does so at this moment. Not
 * in a child that _Fork has made: it has neither the kernel's memory nor the rings. */
static bool own(struct session *session)
{
	struct stream *switches = session_stream(session, ID_STREAM_SWITCHES);
	return switches && getpid() == session->pid && stream_own(switches, stream_self());
}

static void disown(struct session *session)
{
	stream_disown(session_stream(session, ID_STREAM_SWITCHES));
}

/* In place of switches, where the kernel does not record them: how long the thread has run, and waited for a processor,
 * since it took the stream. */
static void ask_times(struct stream *stream)
{
	struct switch_memory *memory = &stream->switches;
	uint64_t running_ns, waiting_ns;
	/* X7: Pairs with X8 in switches_begin. */
	if (!__atomic_load_n(&memory->is_refused, __ATOMIC_ACQUIRE) || !processor_time_of(stream->tid, &running_ns, &waiting_ns) ||
	    running_ns < memory->first_running_ns || waiting_ns < memory->first_waiting_ns)
		return;
	/* Relaxed: a thread that ends and a look may ask at the same time, and either answer will do. */
	__atomic_store_n(&memory->running_ns, running_ns - memory->first_running_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&memory->waiting_ns, waiting_ns - memory->first_waiting_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&memory->has_times, true, __ATOMIC_RELAXED);
}

/* Writes what was asked last, which may have been at the end of a thread that found another one copying. */
static void put_times(struct stream *stream)
{
	struct switch_memory *memory = &stream->switches;
	if (__atomic_exchange_n(&memory->has_times, false, __ATOMIC_RELAXED))
		ring_append(session_stream(stream->session, ID_STREAM_SWITCHES), clock_ticks(),
			    record_head(EVENT_processor_time, 0, stream->number),
			    __atomic_load_n(&memory->running_ns, __ATOMIC_RELAXED),
			    __atomic_load_n(&memory->waiting_ns, __ATOMIC_RELAXED));
}

static void put_look(struct session *session)
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

/* Copies what there is of one stream. */
static enum switches_rate copy_stream(struct stream *stream, bool is_last)
{
	/* X1: The memory is described before it is there. Pairs with X4 in map_memory. */
	if (__atomic_load_n(&stream->switches.page, __ATOMIC_ACQUIRE))
		return switches_copy(stream, is_last);
	if (is_paused(stream))
		switches_skip(stream);
	else
		put_times(stream);
	return SWITCHES_FEW;
}

/* The stream's thread has ended, or is ending: copies what is left of it. The caller owns the stream of switches. */
static void finish_memory(struct stream *stream)
{
	copy_stream(stream, true);
	unmap_memory(stream);
	__atomic_store_n(&stream->switches.is_paused, false, __ATOMIC_RELAXED);
	__atomic_store_n(&stream->switches.resume_ns, 0, __ATOMIC_RELAXED);
}

/* The same by the stream's thread, if nobody else is copying. */
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

/* The stream's thread opens its memory when that time has come. */
static void set_pause(struct switch_memory *memory, uint64_t resume_ns)
{
	__atomic_store_n(&memory->resume_ns, resume_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&memory->is_paused, true, __ATOMIC_RELAXED);
}

/* All looks are soon from now on, for a while. */
static void look_soon(struct session *session)
{
	__atomic_store_n(&session->soon_until_ns, clock_ns(CLOCK_MONOTONIC_COARSE) + BEGIN_NS, __ATOMIC_RELAXED);
	__atomic_store_n(&session->look_interval_ns, LOOK_SOON_NS, __ATOMIC_RELAXED);
	drain_wake(session);
}

/* Where nobody has an event of perf, the first one takes some milliseconds, which a thread that resumes would wait
 * (docs/recorder.md). So the drain thread has one from the first pause on. */
static void keep_event(struct session *session)
{
	int fd = switch_event_open();
	if (fd < 0)
		return;
	void *page = mmap(NULL, KEPT_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	session->kept_event = page != MAP_FAILED ? page : NULL;
	close(fd);
}

/* The caller owns the stream of switches. */
static void pause_memory(struct stream *stream, bool is_drain_thread)
{
	struct switch_memory *memory = &stream->switches;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC_COARSE);
	bool is_again = memory->resume_ns && now_ns < memory->resume_ns + CALM_NS;
	memory->pause_ns = !is_again ? PAUSE_NS : memory->pause_ns < PAUSE_MAX_NS ? memory->pause_ns * 2 : PAUSE_MAX_NS;
	if (is_drain_thread && !stream->session->kept_event)
		keep_event(stream->session);
	unmap_memory(stream);
	set_pause(memory, now_ns + memory->pause_ns);
}

/* What a thread has left that ended while another one was copying. If the next thread of the stream has begun meanwhile,
 * it has no memory, and opens one as after a pause. The caller owns the stream of switches. */
static void take_what_is_left(struct stream *stream)
{
	struct switch_memory *memory = &stream->switches;
	finish_memory(stream);
	set_pause(memory, 0);
	/* X6: The pause is there before what was left is gone. Pairs with X5 in switches_begin. */
	__atomic_store_n(&memory->left_ns, 0, __ATOMIC_RELEASE);
}

/* Called by the stream's thread, as an event is of the thread that opens it. */
static void resume_memory(struct session *session, struct stream *stream)
{
	struct switch_memory *memory = &stream->switches;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC_COARSE);
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
	look_soon(session);
}

/* ---- Sessions and threads ---- */

void switches_setup(struct session *session)
{
	if (!(session->config.groups & UINT32_C(1) << GROUP_switch))
		return;
	sigset_t signals;
	guard_hold_signals(&signals);
	bool is_made = stream_create_switches(session);
	guard_let_signals(&signals);
	if (!is_made) {
		meta_note(session, "context switches are not recorded: there is no room for another ring");
		return;
	}
	session->looked_ns = clock_ns(CLOCK_MONOTONIC_COARSE);
	session->look_interval_ns = LOOK_SOON_NS;
	session->look = switches_look;
}

void switches_begin(struct stream *stream)
{
	struct session *session = stream->session;
	if (!session->look || getpid() != session->pid || session_stopped(session))
		return;
	sigset_t signals;
	guard_hold_signals(&signals);
	try_to_finish(stream); /* what is left of the stream's last thread: its end found another thread copying */
	struct switch_memory *memory = &stream->switches;
	/* X5: Still left, or taken by a look, and then paused: this thread resumes. Pairs with X6 in take_what_is_left. Or its
	 * first record was in a new segment, and it has resumed already. */
	bool waits = __atomic_load_n(&memory->left_ns, __ATOMIC_ACQUIRE) || is_paused(stream) ||
		     __atomic_load_n(&memory->page, __ATOMIC_RELAXED);
	bool is_refused = !waits && !open_memory(stream);
	if (is_refused && memory->from_ns) {
		/* What is not told of a stream that had a thread with switches would be taken for none. */
		set_pause(memory, clock_ns(CLOCK_MONOTONIC_COARSE) + PAUSE_NS);
		is_refused = false;
	}
	if (is_refused)
		drain_wake(session);
	else
		look_soon(session); /* before the memory is full, however few events the program has */
	__atomic_store_n(&memory->has_times, false, __ATOMIC_RELAXED);
	if (is_refused && !processor_time_of(stream->tid, &memory->first_running_ns, &memory->first_waiting_ns))
		is_refused = false; /* the kernel tells neither */
	/* X8: From where its times count before the word that they are asked for. Pairs with X7 in ask_times. */
	__atomic_store_n(&memory->is_refused, is_refused, __ATOMIC_RELEASE);
	guard_let_signals(&signals);
}

void switches_end(struct stream *stream)
{
	struct session *session = stream->session;
	if (!session->look)
		return;
	sigset_t signals;
	guard_hold_signals(&signals);
	ask_times(stream);
	struct switch_memory *memory = &stream->switches;
	__atomic_store_n(&memory->is_refused, false, __ATOMIC_RELAXED);
	if (!try_to_finish(stream) && !__atomic_load_n(&memory->left_ns, __ATOMIC_RELAXED) &&
	    (__atomic_load_n(&memory->page, __ATOMIC_RELAXED) || is_paused(stream)))
		__atomic_store_n(&memory->left_ns, clock_ns(CLOCK_MONOTONIC), __ATOMIC_RELAXED);
	guard_let_signals(&signals);
}

/* Looks at every thread. The caller owns the stream of switches. */
static void look(struct session *session, bool is_drain_thread)
{
	bool is_soon = false;
	for (uint32_t i = 0; i < session_n_streams(session); i++) {
		struct stream *stream = session_stream(session, i);
		if (!stream)
			continue;
		if (!__atomic_load_n(&stream->switches.has_times, __ATOMIC_RELAXED))
			ask_times(stream);
		if (__atomic_load_n(&stream->switches.left_ns, __ATOMIC_RELAXED)) {
			take_what_is_left(stream);
			continue;
		}
		enum switches_rate rate = copy_stream(stream, false);
		if (rate == SWITCHES_TOO_MANY)
			pause_memory(stream, is_drain_thread);
		is_soon |= rate == SWITCHES_MANY;
	}
	put_look(session);
	is_soon |= clock_ns(CLOCK_MONOTONIC_COARSE) < __atomic_load_n(&session->soon_until_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&session->look_interval_ns, is_soon ? LOOK_SOON_NS : LOOK_NS, __ATOMIC_RELAXED);
}

void switches_look(struct session *session, struct stream *own_stream)
{
	if (session_stopped(session)) {
		__atomic_store_n(&session->look_interval_ns, LOOK_NS, __ATOMIC_RELAXED);
		return;
	}
	if (own_stream && is_paused(own_stream))
		resume_memory(session, own_stream);
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC_COARSE);
	uint64_t interval_ns = __atomic_load_n(&session->look_interval_ns, __ATOMIC_RELAXED);
	uint64_t last_ns = __atomic_load_n(&session->looked_ns, __ATOMIC_RELAXED);
	if (own_stream && session->has_drain_thread)
		interval_ns *= 2; /* the drain thread has had no processor since */
	if (now_ns - last_ns < interval_ns || !own(session))
		return;
	__atomic_store_n(&session->looked_ns, now_ns, __ATOMIC_RELAXED);
	look(session, !own_stream);
	disown(session);
}

void switches_seal(struct session *session)
{
	if (!session->look || !own(session))
		return;
	sigset_t signals;
	guard_hold_signals(&signals);
	look(session, false);
	if (session->is_awaiting_finalize) {
		disown(session);
	} else {
		stream_seal(session_stream(session, ID_STREAM_SWITCHES));
		if (session->kept_event)
			munmap(session->kept_event, KEPT_BYTES);
		session->kept_event = NULL;
	}
	guard_let_signals(&signals);
}
