/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/session.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ck_pr.h>

#include "recorder/clock.h"
#include "recorder/drain.h"
#include "recorder/file.h"
#include "recorder/guard.h"
#include "recorder/meta.h"
#include "recorder/output.h"
#include "recorder/place.h"
#include "recorder/sample.h"
#include "recorder/stream.h"

/* The process's settings: a child keeps its parent's, also where the parent has changed its working directory. */
static struct config process_config;
static struct session *current_session;

/* A forked child: which of its threads creates the session. */
enum child_state { CHILD_NOT, CHILD_FRESH, CHILD_CREATING, CHILD_DONE };
static uint32_t child_state;

struct session_deferred session_deferred;
uint64_t session_lost_no_stream;
uint64_t session_lost_reentry;
alignas(CACHE_LINE_BYTES) uint64_t record_epoch = EPOCH_STEP;

struct session *session_get(void)
{
	return __atomic_load_n(&current_session, __ATOMIC_ACQUIRE); /* C2: pairs with C1 in create */
}

void session_turn(uint64_t set, uint64_t clear)
{
	uint64_t old = __atomic_load_n(&record_epoch, __ATOMIC_RELAXED);
	uint64_t next;
	/* G3: why it is turned before the epoch; pairs with G4 in record_gate. */
	do
		next = ((old & ~EPOCH_FLAGS) + EPOCH_STEP) | (((old & EPOCH_FLAGS) | set) & ~clear);
	while (!__atomic_compare_exchange_n(&record_epoch, &old, next, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
	/* G1: counts the epoch on, then closes the plain way of every stream; pairs with G2 in segment_admit, which opens it, then looks at the
	 * epoch. One of the two sees the other. */
	ck_pr_fence_memory();
	struct session *session = session_get();
	for (uint32_t i = 0; session && i < session_n_streams(session); i++) {
		struct stream *stream = session_stream(session, i);
		if (stream)
			__atomic_store_n(&stream->limit, 0, __ATOMIC_RELAXED);
	}
}

void session_stop(struct session *session, unsigned cause)
{
	uint32_t none = 0;
	/* Relaxed: the turn tells the streams (G3). */
	if (!__atomic_compare_exchange_n(&session->stop_cause, &none, cause, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	session_turn(EPOCH_STOPPED, 0);
	meta_note(session, cause == loss_cause_limit      ? "recording stopped: the limit is reached (OTTER_LIMIT, or RLIMIT_FSIZE)"
			   : cause == loss_cause_no_space ? "recording stopped: the file system of the dump is full"
							  : "recording stopped: a file of the dump could not be written");
}

/* ---- Fork ---- */

/* The parent's ring is not mapped here (MADV_DONTFORK): anonymous memory takes its place, and nothing that lands in it goes anywhere. */
static void isolate(struct session *session, struct stream *stream)
{
	(void)mmap(stream_control(stream),
		   RING_CONTROL_BYTES + ((size_t)(stream->is_samples ? SAMPLE_SEGMENTS : RING_SEGMENTS) << session->shift),
		   PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	/* Whoever has read the position goes on with it; whoever reads it now finds 0, which must not be a slot. */
	stream->end = 0;
	stream->limit = 0;
}

/* A handler that interrupted an append, or whatever else takes its time, has forked: the child will finish that, and must do so in memory of its
 * own. An append has the thread's own stream; elsewhere it may be on the way to any of them. */
static void isolate_what_was_interrupted(struct session *session)
{
	session->is_of_parent = true; /* of our copy of the session */
	session->stop_cause = loss_cause_reentry;
	session->has_drain_thread = false;
	bool is_amid_files = file_forget_all();
	bool has_all = is_amid_files || tls_stream == STREAM_COMING || session->is_ended;
	for (uint32_t i = 0; i < session_n_streams(session); i++) {
		struct stream *both[] = {session_stream(session, i), session_stream(session, i | ID_STREAM_SAMPLES)};
		for (unsigned k = 0; k < 2; k++)
			if (both[k] && (has_all || both[k]->owner == stream_self()))
				isolate(session, both[k]);
	}
}

/* In the child: the session and its files are the parent's. */
static void forget_session(void)
{
	if (current_session)
		isolate_what_was_interrupted(current_session);
	else
		file_forget_all();
	if (current_session || child_state != CHILD_NOT)
		child_state = CHILD_FRESH;
	current_session = NULL;
	session_deferred = (struct session_deferred){0};
	session_lost_no_stream = 0;
	session_lost_reentry = 0;
	record_epoch = (record_epoch & ~EPOCH_STOPPED) + EPOCH_STEP;
	tls_stream = STREAM_NONE;
}

bool session_is_child(void)
{
	return __atomic_load_n(&child_state, __ATOMIC_RELAXED) == CHILD_FRESH;
}

static bool is_deferred_thread(void)
{
	uintptr_t nobody = 0;
	uintptr_t self = stream_self();
	/* Relaxed: the rest is its owner's, and that of threads that it makes later. */
	return __atomic_compare_exchange_n(&session_deferred.owner, &nobody, self, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
	       nobody == self;
}

bool session_defer_thread(uint64_t time, unsigned type)
{
	if (!is_deferred_thread())
		return false;
	session_deferred.has_thread = true;
	session_deferred.has_task = false;
	session_deferred.thread_time = time;
	session_deferred.thread_type = type;
	return true;
}

bool session_defer_task(uint64_t time, uint64_t flags, uint64_t numbers)
{
	if (!is_deferred_thread())
		return false;
	session_deferred.has_task = true;
	session_deferred.task_time = time;
	session_deferred.task_flags = flags;
	session_deferred.task_numbers = numbers;
	return true;
}

bool session_defer_end(void)
{
	return session_deferred.owner == stream_self();
}

/* ---- Beginning ---- */

/* No file may become larger than RLIMIT_FSIZE: smaller rings where one would, down to the smallest. */
static void fit_ring(struct config *config)
{
	uint32_t wanted = config->segment_bytes;
	while (config->segment_bytes > SEGMENT_BYTES_MIN &&
	       !output_fits_limit(RING_CONTROL_BYTES + (uint64_t)config->segment_bytes * RING_SEGMENTS))
		config->segment_bytes /= 2;
	if (config->segment_bytes != wanted)
		config_note(config, "RLIMIT_FSIZE is smaller than a ring of that size: smaller ones are used");
}

static struct session *create(void)
{
	struct session *session =
		mmap(NULL, sizeof *session, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (session == MAP_FAILED)
		return NULL;
	session->config = process_config;
	fit_ring(&session->config);
	while (UINT32_C(1) << session->shift < session->config.segment_bytes)
		session->shift++;
	long n_processors = sysconf(_SC_NPROCESSORS_ONLN);
	session->n_processors = n_processors > 1 ? (uint32_t)n_processors : 1;
	session->start = clock_triple_now();
	if (!place_make(session)) {
		munmap(session, sizeof *session);
		return NULL;
	}
	session->has_drain_thread = session->config.has_drain_thread;
	if (!meta_begin(session)) {
		place_remove(session);
		munmap(session, sizeof *session);
		return NULL;
	}
	sample_setup(session);
	return session;
}

static void publish(struct session *session)
{
	__atomic_store_n(&current_session, session,
			 __ATOMIC_RELEASE); /* C1: the session before its pointer; pairs with C2 in session_get */
}

bool session_begin(void)
{
	static bool is_set_up;
	config_read(&process_config);
	if (!config_is_rank_selected(&process_config))
		return false;
	clock_choose();
	drain_remember_affinity();
	if (!is_set_up && (stream_setup() != 0 || pthread_atfork(NULL, NULL, forget_session) != 0))
		return false;
	is_set_up = true;
	struct session *session = create();
	if (session)
		publish(session);
	else
		meta_refused(&process_config);
	return session;
}

struct session *session_begin_child(void)
{
	uint32_t fresh = CHILD_FRESH;
	/* Relaxed: the session comes by its pointer (C1). */
	if (!__atomic_compare_exchange_n(&child_state, &fresh, CHILD_CREATING, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return session_get();
	struct session *session = create();
	if (session) {
		/* The remembered ids are those of stream 0: it is kept for that thread, whoever was first. */
		struct stream *stream = session_deferred.owner ? stream_create(session, session_deferred.owner) : NULL;
		if (stream) {
			stream->last_task = session_deferred.has_task ? DEFERRED_ID : 0;
			stream->last_region = stream->last_task;
		}
		publish(session);
	}
	__atomic_store_n(&child_state, CHILD_DONE, __ATOMIC_RELAXED);
	return session;
}

bool session_start(void)
{
	static bool is_starting;
	struct session *session = session_get();
	if (session) {
		__atomic_store_n(&session->is_ended, 0, __ATOMIC_RELAXED);
		return true;
	}
	/* Two runtimes at once, each on a thread of its own: one of them makes the session. The other does not wait, and is not recorded. */
	if (__atomic_exchange_n(&is_starting, true, __ATOMIC_ACQUIRE)) /* B2: pairs with B1 */
		return false;
	bool has_begun = session_begin();
	/* B1: the settings before another start may read them again, where there was no session to be had. */
	__atomic_store_n(&is_starting, false, __ATOMIC_RELEASE);
	return has_begun;
}

/* ---- End ---- */

void session_end(const char *how)
{
	struct session *session = session_get();
	if (!session)
		return;
	struct guard guard = guard_enter();
	/* F1: says that it is over, then looks for free streams; pairs with F2 in stream_release. */
	__atomic_store_n(&session->is_ended, 1, __ATOMIC_RELAXED);
	ck_pr_fence_memory();
	struct stream *own = tls_stream;
	uint32_t n_streams = session_n_streams(session);
	for (uint32_t i = 0; i < n_streams; i++) {
		struct stream *stream = session_stream(session, i);
		if (!stream)
			continue;
		if (stream == own && session->is_awaiting_finalize)
			continue;
		if (stream == own && !own->is_busy) {
			own->is_busy = true;
			signal_fence();
			sample_end(stream);
			stream_seal(stream);
			signal_fence();
			tls_stream = STREAM_NONE;
		} else if (stream_claim(stream, stream_self())) {
			stream_seal(stream);
		}
	}
	session->n_streams_at_end = n_streams;
	meta_end(session, how);
	place_leave(session);
	guard_leave(guard);
}

bool session_is_over(void)
{
	struct session *session = session_get();
	return !session ||
	       (__atomic_load_n(&session->is_ended, __ATOMIC_RELAXED) && session->n_streams_at_end == session_n_streams(session));
}
