/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/session_life.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ck_pr.h>

#include "recorder/clock.h"
#include "recorder/guard.h"
#include "recorder/message.h"
#include "recorder/meta.h"
#include "recorder/output.h"
#include "recorder/drain_pack.h"
#include "recorder/own_thread.h"
#include "recorder/pack_when.h"
#include "recorder/place.h"
#include "recorder/room.h"
#include "recorder/sample.h"
#include "recorder/session_child.h"
#include "recorder/stream.h"
#include "recorder/switches.h"
#include "recorder/text.h"

/* The process's settings. A child keeps its parent's, even if the parent has changed its working directory. */
static struct config process_config;

/* A process that no job and no OTTER_RUN puts into a run is one, with its children: forked ones keep this name, and the
 * builder finds others by their parent's pid. */
static void name_run(struct config *config)
{
	struct clock_triple now = clock_triple_now();
	char *end = text_decimal(stpcpy(config->run, "process "), (uint64_t)getpid(), 1);
	*end++ = '-';
	*text_decimal(end, now.realtime_ns, 1) = '\0';
}

/* No file may become larger than RLIMIT_FSIZE: rings are made smaller if one would, down to the smallest size. */
static void fit_ring(struct config *config)
{
	uint32_t wanted = config->segment_bytes;
	while (config->segment_bytes > SEGMENT_BYTES_MIN &&
	       !output_fits_limit(RING_CONTROL_BYTES + (uint64_t)config->segment_bytes * RING_SEGMENTS))
		config->segment_bytes /= 2;
	if (config->segment_bytes != wanted)
		config_note(config, "RLIMIT_FSIZE is smaller than a ring of the size that was asked for: smaller ones are used");
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
	session->pid = getpid();
	session->start = clock_triple_now();
	if (!place_make(session)) {
		munmap(session, sizeof *session);
		return NULL;
	}
	room_begin(session);
	session->has_drain_thread = session->config.has_drain_thread;
	session->drain_stays = session->config.drops_when_full;
	if (!meta_begin(session)) {
		place_remove(session);
		munmap(session, sizeof *session);
		return NULL;
	}
	pack_begin(session);
	sample_setup(session);
	switches_setup(session);
	return session;
}

bool session_begin(void)
{
	static bool is_set_up;
	config_read(&process_config);
	if (!config_is_rank_selected(&process_config))
		return false;
	clock_choose();
	if (!process_config.run[0])
		name_run(&process_config);
	own_thread_prepare();
	if (!is_set_up && (stream_setup() != 0 || pthread_atfork(NULL, NULL, session_forget) != 0))
		return false;
	is_set_up = true;
	struct session *session = create();
	if (session)
		session_set(session);
	else
		message(&process_config, "otter: nothing is recorded: no dump can be made in", process_config.dir, "");
	return session;
}

struct session *session_begin_child(void)
{
	if (!session_claim_child())
		return session_get();
	struct session *session = create();
	if (session) {
		/* The remembered ids belong to stream 0: it is kept for that thread, whichever thread is first. */
		struct stream *stream = session_deferred.owner ? stream_create(session, session_deferred.owner) : NULL;
		if (stream) {
			stream->last_task = session_deferred.has_task ? DEFERRED_ID : 0;
			stream->last_region = stream->last_task;
		}
		session_set(session);
	}
	session_child_done();
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
	/* Two runtimes may start at once, each on its own thread. One of them makes the session; the other does not
	 * wait, and is not recorded. */
	/* B2: What another start has read is there. Pairs with B1 below. */
	if (__atomic_exchange_n(&is_starting, true, __ATOMIC_ACQUIRE))
		return false;
	bool has_begun = session_begin();
	/* B1: The settings are read before another start may read them again, if no session could be made. Pairs with
	 * B2 above. */
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
	/* F1: Stores that the session has ended, then looks for free streams. Pairs with F2 in stream_release. */
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
			switches_end(stream);
			stream_seal(stream);
			signal_fence();
			tls_stream = STREAM_NONE;
		} else if (stream_claim(stream, stream_self())) {
			stream_seal(stream);
		}
	}
	switches_seal(session);
	drain_pack_end(session);
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
