/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/session/session_child.h"

#include "recorder/drain/file.h"
#include "recorder/ring/stream.h"
#include "recorder/session/session_turn.h"
#include "recorder/system/away.h"

enum child_state { CHILD_NOT, CHILD_FRESH, CHILD_CREATING, CHILD_DONE };
static uint32_t child_state;

struct session_deferred session_deferred;

/* The parent's packing buffers are not mapped in the child (MADV_DONTFORK), like its rings. */
static void isolate_packer(struct packer *packer)
{
	if (packer->is_mapped)
		file_replace_mapping(packer->bytes, packer_bytes(packer));
}

/* The parent's ring is not mapped in the child (MADV_DONTFORK). Anonymous memory replaces it: a store there reaches no
 * file. */
static void isolate(struct session *session, struct stream *stream)
{
	file_replace_mapping(stream_control(stream), RING_CONTROL_BYTES + ((size_t)stream_n_mapped(stream) << session->shift));
	/* An interrupted append that has read the position continues with it; one that reads it now finds 0, which must
	 * not lead to a slot. */
	stream->end = 0;
	stream->limit = 0;
	isolate_packer(&stream->packer);
}

/* If a signal handler forks that interrupted an append, or anything longer, the child will finish that work, and must
 * do so in memory of its own. An append uses the thread's own stream; other work may use any stream. */
static void isolate_what_was_interrupted(struct session *session)
{
	session->is_of_parent = true; /* in the child's copy of the session */
	session->stop.cause = loss_cause_reentry;
	session->drain.has_thread = false;
	bool is_amid_files = file_forget_all();
	bool has_all = is_amid_files || tls_stream == STREAM_CHANGING || session->is_ended;
	if (has_all)
		isolate_packer(&session->drain_pack.packer);
	struct stream *switches = session_stream(session, ID_STREAM_SWITCHES);
	if (switches && (has_all || switches->owner == stream_self()))
		isolate(session, switches);
	for (uint32_t i = 0; i < session_n_streams(session); i++) {
		struct stream *both[] = {session_stream(session, i), session_stream(session, i | ID_STREAM_SAMPLES)};
		for (unsigned k = 0; k < 2; k++)
			if (both[k] && (has_all || both[k]->owner == stream_self()))
				isolate(session, both[k]);
	}
}

void session_forget(void)
{
	struct session *session = session_get();
	away_forget();
	if (session)
		isolate_what_was_interrupted(session);
	else
		file_forget_all();
	if (session || child_state != CHILD_NOT)
		child_state = CHILD_FRESH;
	session_set(NULL);
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
	uintptr_t expected = 0;
	uintptr_t self = stream_self();
	/* Relaxed: only the owner uses the rest, and threads that the owner makes later. */
	return __atomic_compare_exchange_n(&session_deferred.owner, &expected, self, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
	       expected == self;
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

bool session_claim_child(void)
{
	uint32_t fresh = CHILD_FRESH;
	/* Relaxed: the session itself is ordered by its pointer (C1). */
	return __atomic_compare_exchange_n(&child_state, &fresh, CHILD_CREATING, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void session_child_done(void)
{
	__atomic_store_n(&child_state, CHILD_DONE, __ATOMIC_RELAXED);
}
