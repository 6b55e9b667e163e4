/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/session/session_life.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>

#include "recorder/clock.h"
#include "recorder/drain/disk_budget.h"
#include "recorder/drain/drain.h"
#include "recorder/drain/drain_pack.h"
#include "recorder/drain/hang.h"
#include "recorder/drain/kept.h"
#include "recorder/drain/output.h"
#include "recorder/drain/output_shared.h"
#include "recorder/drain/own_thread.h"
#include "recorder/drain/pack_policy.h"
#include "recorder/guard.h"
#include "recorder/kernel/sample.h"
#include "recorder/kernel/switches.h"
#include "recorder/ring/stream.h"
#include "recorder/session/dump_dir.h"
#include "recorder/session/message.h"
#include "recorder/session/meta.h"
#include "recorder/session/session_child.h"
#include "recorder/system/away.h"
#include "recorder/system/proc.h"
#include "recorder/system/sys.h"
#include "recorder/text.h"

/* The process's settings. A child keeps its parent's, even if the parent has changed its working directory. */
static struct config process_config;

/* Names the run of a process that belongs to no job and has no OTTER_RUN: the process and its children. Forked children
 * keep this name, and the builder finds others by their parent's pid. */
static void name_run(struct config *config)
{
	struct clock_triple now = clock_triple_now();
	char *end = text_decimal(stpcpy(config->run, "process "), (uint64_t)sys_getpid(), 1);
	*end++ = '-';
	*text_decimal(end, now.realtime_ns, 1) = '\0';
}

/* Makes rings smaller if one would exceed RLIMIT_FSIZE, down to the smallest size. */
static void fit_ring(struct config *config)
{
	uint32_t wanted = config->segment_bytes;
	while (config->segment_bytes > SEGMENT_BYTES_MIN &&
	       !output_fits_limit(RING_CONTROL_BYTES + (uint64_t)config->segment_bytes * RING_SEGMENTS))
		config->segment_bytes /= 2;
	if (config->segment_bytes != wanted)
		config_note(config, "RLIMIT_FSIZE is smaller than a ring of the size that was asked for: smaller ones are used");
}

struct making {
	struct session *session;
	bool is_made;
};

/* Makes the dump, in one moment with a table of descriptors of its own: meta stays open from its first line to its last one. */
static void make_dump(void *argument)
{
	struct making *making = argument;
	struct session *session = making->session;
	struct statfs fs;
	bool keeps = kept_begin(session);
	if (dump_dir_make(session, &fs)) {
		budget_begin(session, &fs);
		/* meta names the directory of the rings before that is made: so whatever a kill leaves there is found. */
		dump_dir_choose_rings(session, &fs);
		making->is_made = meta_begin(session);
		if (making->is_made)
			dump_dir_make_rings(session);
		else
			dump_dir_remove(session);
	}
	if (keeps)
		kept_end(session);
}

static struct session *create(void)
{
	uint64_t began_ns = sys_clock_ns(CLOCK_MONOTONIC);
	struct session *session =
		sys_mmap(NULL, sizeof *session, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (!session)
		return NULL;
	session->config = process_config;
	fit_ring(&session->config);
	while (UINT32_C(1) << session->shift < session->config.segment_bytes)
		session->shift++;
	uint32_t n_processors = proc_n_processors();
	n_processors = n_processors ? n_processors : own_thread_processors();
	session->n_processors = n_processors ? n_processors : 1;
	session->pid = sys_getpid();
	session->start = clock_triple_now();
	session->drain.has_thread = session->config.has_drain_thread;
	struct making making = {session, false};
	away(make_dump, &making);
	if (!making.is_made) {
		sys_munmap(session, sizeof *session);
		return NULL;
	}
	/* Where a server may not answer, no thread of the program waits for it as long as its ring has room. */
	session->idle.stays = session->config.drops_when_full || session->budget.is_served;
	message(&session->config, "otter: recording into", session->dir.path, "");
	pack_begin(session);
	sample_setup(session);
	switches_setup(session);
	session->begin_ns = sys_clock_ns(CLOCK_MONOTONIC) - began_ns;
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
		/* The remembered ids belong to stream 0, which is reserved for that thread, even if another thread is the first. */
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
	/* B2: The flag is read before the settings that another start has read. Pairs with B1 below. */
	if (__atomic_exchange_n(&is_starting, true, __ATOMIC_ACQUIRE))
		return false;
	bool has_begun = session_begin();
	/* B1: The settings are stored before the flag saying that another start may read them again, if no session
	 * could be made. Pairs with B2 above. */
	__atomic_store_n(&is_starting, false, __ATOMIC_RELEASE);
	return has_begun;
}

/* ---- End ---- */

/* The process's processor time without that of the drain thread and of earlier ends; 0 where that is not known. */
static uint64_t processor_ns_of_program(const struct session *session)
{
	uint32_t drain = __atomic_load_n(&session->drain.tid, __ATOMIC_RELAXED);
	uint64_t all_ns = sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	uint64_t own_ns = drain != 0 ? own_thread_processor_ns(drain) : __atomic_load_n(&session->drain.took_ns, __ATOMIC_RELAXED);
	own_ns += session->ending_ns;
	return all_ns > own_ns ? all_ns - own_ns : 0;
}

/* Those of streams that have lost records. */
static void remove_rings(struct session *session)
{
	for (uint32_t i = 0; i < session_n_streams(session); i++) {
		struct stream *stream = session_stream(session, i);
		if (stream)
			stream_remove_ring(stream);
	}
	struct stream *switches = session_stream(session, ID_STREAM_SWITCHES);
	if (switches)
		stream_remove_ring(switches);
}

struct ending {
	struct session *session;
	const char *how;
	struct stream *own; /* the calling thread's stream, if it is sealed; else NULL */
	bool has_run;
	struct meta_totals totals;
};

/* Seals the streams and writes the end of meta, in one moment with a table of descriptors of its own: files stay open meanwhile. */
static void end_dump(void *argument)
{
	struct ending *ending = argument;
	struct session *session = ending->session;
	uint64_t began_ns = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	ending->has_run = true;
	drain_pause(session);
	bool keeps = kept_begin(session), has_file = output_begin_sealing(session);
	drain_pack_begin_sealing(session);
	uint32_t n_streams = session_n_streams(session);
	for (uint32_t i = 0; i < n_streams; i++) {
		struct stream *stream = session_stream(session, i);
		if (stream && (stream == ending->own || stream_claim(stream, stream_self())))
			stream_seal(stream);
	}
	switches_seal(session);
	drain_pack_end(session);
	if (has_file)
		output_end_sealing(session);
	session->streams.n_at_end = n_streams;
	if (meta_end(session, ending->how, &ending->totals))
		remove_rings(session);
	dump_dir_leave(session);
	if (keeps)
		kept_end(session);
	drain_resume(session);
	session->ending_ns += sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
}

static void print_totals(const struct session *session, const struct meta_totals *totals)
{
	char bytes[128] = "";
	struct text text;
	text_init(&text, bytes, sizeof bytes - 1);
	text_word(&text, "streams");
	text_number(&text, totals->n_streams);
	text_word(&text, "records");
	text_number(&text, totals->n_records);
	text_word(&text, "lost");
	text_number(&text, totals->n_lost);
	message(&session->config, "otter: recorded into", session->dir.path, bytes);
}

/* Is the thread's stream to be sealed when the thread ends the session? Not if it is inside of a record, or has events to come. */
static bool is_sealed_at_end(const struct session *session, const struct stream *own)
{
	return own != STREAM_NONE && own != STREAM_CHANGING && own->session == session && !own->is_busy &&
	       !session->is_awaiting_finalize;
}

#define STILL_TRIES 500
#define STILL_NS    UINT64_C(10000000)

/* A file system that many processes write to takes a second at times. */
static bool stands_still(const struct session *session)
{
	for (unsigned n = 0; hang_is_seen(session); n++) {
		if (n == STILL_TRIES)
			return true;
		sys_sleep(STILL_NS);
	}
	return false;
}

void session_end(const char *how)
{
	struct session *session = session_get();
	if (!session)
		return;
	struct guard guard = guard_enter();
	session->processor_ns = processor_ns_of_program(session);
	/* F1: Stores that the session has ended, then searches for free streams. Pairs with F2 in stream_release. */
	__atomic_store_n(&session->is_ended, 1, __ATOMIC_RELAXED);
	ck_pr_fence_memory();
	struct stream *own = tls_stream;
	struct ending ending = {.session = session, .how = how};
	if (is_sealed_at_end(session, own)) {
		ending.own = own;
		own->is_busy = true;
		signal_fence();
		sample_end(own);
		switches_end(own);
	}
	/* Where a file system stands still for long nothing is written, or the process would not end before it goes on. The rings
	 * stay, and the launcher or otter-build reads them. */
	if (!stands_still(session)) {
		away(end_dump, &ending);
		if (!ending.has_run) /* what needs no file is done, and the rest is counted where it fails */
			end_dump(&ending);
	}
	if (ending.own) {
		signal_fence();
		tls_stream = STREAM_NONE;
	}
	if (ending.has_run)
		print_totals(session, &ending.totals);
	guard_leave(guard);
}

bool session_is_over(void)
{
	struct session *session = session_get();
	return !session ||
	       (__atomic_load_n(&session->is_ended, __ATOMIC_RELAXED) && session->streams.n_at_end == session_n_streams(session));
}
