/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ck_pr.h>

#include "recorder/clock.h"
#include "recorder/drain.h"
#include "recorder/file.h"
#include "recorder/meta.h"
#include "recorder/guard.h"
#include "recorder/output.h"
#include "recorder/ring.h"
#include "recorder/sample.h"
#include "recorder/session.h"

const struct stream stream_none = {.is_busy = true};
const struct stream stream_coming = {.is_busy = true};
__thread struct stream *tls_stream = STREAM_NONE;

#define REFUSAL_NS UINT64_C(20000000) /* between two tries to make a ring */

/* Gives a stream back at the end of a thread that never had a thread_end; and tells of each thread's end. */
static pthread_key_t thread_key;

/* The key's value while destructors run for a second time. */
#define LAST_CALL ((void *)1)

static void thread_exits(void *value)
{
	struct stream *stream = tls_stream;
	/* The runtime ends its root threads in a destructor of its own: let that one go first, whatever the order of the keys. */
	if (value != LAST_CALL) {
		pthread_setspecific(thread_key, LAST_CALL);
		return;
	}
	if (!stream->is_busy) {
		stream->is_busy = true;
		signal_fence();
		stream_release(stream, clock_ticks());
	}
	struct session *session = session_get();
	if (session)
		drain_thread_exits(session);
}

int stream_setup(void)
{
	return pthread_key_create(&thread_key, thread_exits);
}

/* ---- Birth ---- */

/* Makes the ring's file, with room for a segment at least, and maps it. 0, or the cause. */
static int map_ring(struct stream *stream, struct file *file, size_t bytes)
{
	void *where = stream_control(stream);
	if (!output_fits_limit(bytes))
		return loss_cause_limit; /* before there is a file */
	int cause = file_open(file, O_RDWR | O_CREAT | O_EXCL);
	if (cause)
		return cause;
	/* Of a ring of samples all of it: a handler makes no room. */
	uint64_t first = stream->is_samples ? bytes : RING_CONTROL_BYTES + (UINT64_C(1) << stream->shift);
	cause = output_ring(file->fd, bytes, first, &stream->has_all_room);
	stream->has_all_room |= stream->is_samples;
	if (!cause) {
		file->mapping_bytes = bytes;
		signal_fence();
		file->mapping = where;
		signal_fence();
		if (mmap(where, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file->fd, 0) == MAP_FAILED)
			cause = loss_cause_no_stream; /* no memory, or RLIMIT_AS */
	}
	if (!cause) {
		/* A child must never write into its parent's ring. And no read-ahead: what it would fetch at the first fault is
		 * megabytes of zeros, page by page, on the thread's time. */
		madvise(where, bytes, MADV_DONTFORK);
		madvise(where, bytes, MADV_RANDOM);
		return 0;
	}
	unlink(file->path);
	return cause;
}

static void ring_control_fill(struct stream *stream)
{
	struct ring_control *control = stream_control(stream);
	control->major = FORMAT_MAJOR;
	control->minor = FORMAT_MINOR;
	control->stream = stream->number;
	control->n_segments = stream->n_segments;
	control->segment_bytes = UINT32_C(1) << stream->shift;
	control->pid = (uint64_t)getpid();
	control->position = UINT64_C(1) << stream->shift;
	control->magic = RING_MAGIC;
	control->checksum = ring_checksum(control);
}

/* A stream with its ring mapped, not yet known to others; file_close() has to follow that. 0, or the cause and nothing is left of it. */
static int make(struct session *session, uint32_t number, uint32_t n_segments, struct file *file, struct stream **made)
{
	size_t ring_bytes = RING_CONTROL_BYTES + ((size_t)n_segments << session->shift);
	int cause = file_name(file, session, session->ring_dir, number, ".ring");
	if (cause)
		return loss_cause_io_error; /* for now, as all refusals of a stream */
	void *memory = mmap(NULL, STREAM_BYTES + ring_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return loss_cause_no_stream;
	struct stream *stream = memory;
	cause = loss_cause_no_stream;
	if (mprotect(memory, STREAM_BYTES, PROT_READ | PROT_WRITE) == 0) {
		stream->shift = session->shift;
		stream->is_samples = number & ID_STREAM_SAMPLES;
		cause = map_ring(stream, file, ring_bytes);
	}
	if (cause) {
		file->mapping = NULL;
		signal_fence();
		munmap(memory, STREAM_BYTES + ring_bytes);
		return cause & ~OUTPUT_LATER;
	}
	stream->number = number;
	stream->session = session;
	stream->current = SEGMENT_NONE;
	stream->n_segments = n_segments;
	handover_init(&stream->full);
	handover_init(&stream->empty);
	ring_control_fill(stream);
	*made = stream;
	return 0;
}

/* S1: the stream before its pointer; pairs with S2 in session_stream. */
static void publish(struct stream *stream)
{
	__atomic_store_n(&stream->session->streams[stream->number], stream, __ATOMIC_RELEASE);
}

/* A number that a stream was to have and could not be made with, or the next one; they are not used up by failures. */
static uint32_t next_number(struct session *session)
{
	uint32_t spare = __atomic_exchange_n(&session->spare_number, 0, __ATOMIC_RELAXED);
	if (spare)
		return spare - 1;
	uint32_t number = __atomic_fetch_add(&session->n_streams, 1, __ATOMIC_RELAXED);
	if (number >= ID_STREAM_SAMPLES)
		__atomic_store_n(&session->n_streams, ID_STREAM_SAMPLES, __ATOMIC_RELAXED);
	return number;
}

/* Not again with every event: where there is no ring now there is none a microsecond later. But descriptors, memory and room may come back. */
static void refuse_for_a_while(struct session *session, uint32_t number, int cause)
{
	__atomic_store_n(&session->spare_number, number + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&session->refuses_until_ns, clock_ns(CLOCK_MONOTONIC_COARSE) + REFUSAL_NS, __ATOMIC_RELAXED);
	if (__atomic_fetch_or(&session->noted_refusals, 1u << cause, __ATOMIC_RELAXED) & 1u << cause)
		return;
	meta_note(session, cause == loss_cause_no_space ? "no room for another ring: its thread is not recorded until there is"
			   : cause == loss_cause_limit  ? "RLIMIT_FSIZE is smaller than a ring: its thread is not recorded"
			   : cause == loss_cause_no_stream
				   ? "no memory could be mapped for another ring: its thread is not recorded until it can"
				   : "the file of another ring could not be made: its thread is not recorded until it can");
}

static bool refuses(struct session *session)
{
	uint64_t until_ns = __atomic_load_n(&session->refuses_until_ns, __ATOMIC_RELAXED);
	return until_ns && clock_ns(CLOCK_MONOTONIC_COARSE) < until_ns;
}

struct stream *stream_create(struct session *session, uintptr_t owner)
{
	uint32_t number = next_number(session);
	if (number >= ID_STREAM_SAMPLES)
		return NULL;
	struct stream *stream;
	struct file file;
	int cause = make(session, number, RING_SEGMENTS, &file, &stream);
	if (cause) {
		file_close(&file);
		refuse_for_a_while(session, number, cause);
		return NULL;
	}
	stream->n_flushes = __atomic_load_n(&session->n_flushes, __ATOMIC_RELAXED);
	stream->owner = owner;
	segment_populate(stream, 0);
	publish(stream);
	file_close(&file);
	return stream;
}

struct stream *stream_create_samples(struct stream *of)
{
	struct session *session = of->session;
	struct stream *samples = NULL;
	struct file file;
	int cause = make(session, of->number | ID_STREAM_SAMPLES, SAMPLE_SEGMENTS, &file, &samples);
	if (!cause)
		publish(samples);
	file_close(&file);
	if (!cause)
		return samples;
	if (!__atomic_exchange_n(&session->refuses_timers, 1, __ATOMIC_RELAXED))
		meta_note(session, "OTTER_SAMPLE: no room for another ring: its thread is not sampled");
	return NULL;
}

/* ---- From thread to thread ---- */

bool stream_claim(struct stream *stream, uintptr_t owner)
{
	uintptr_t expected = STREAM_FREE;
	if (__atomic_load_n(&stream->owner, __ATOMIC_RELAXED) != STREAM_FREE)
		return false; /* most are not: no need to take their line away from anybody */
	/* T1: acquires what the last owner wrote; pairs with T2 in stream_release. */
	if (!__atomic_compare_exchange_n(&stream->owner, &expected, owner, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return false;
	__atomic_fetch_sub(&stream->session->n_free_streams, 1, __ATOMIC_RELAXED);
	return true;
}

static struct stream *find_free(struct session *session, uintptr_t self)
{
	bool has_reserved = session_deferred.owner == self;
	if (!has_reserved && __atomic_load_n(&session->n_free_streams, __ATOMIC_RELAXED) == 0)
		return NULL;
	for (uint32_t i = 0; i < session_n_streams(session); i++) {
		struct stream *stream = session_stream(session, i);
		if (stream && (__atomic_load_n(&stream->owner, __ATOMIC_RELAXED) == self || stream_claim(stream, self)))
			return stream;
	}
	return NULL;
}

struct stream *stream_take(struct session *session, uint64_t ticks)
{
	uintptr_t self = stream_self();
	struct stream *stream = pthread_getspecific(thread_key);
	if (stream && stream != LAST_CALL && stream->session == session && stream->owner == self)
		return stream; /* a handler took it a moment ago */
	stream = find_free(session, self);
	if (!stream) {
		if (session_stopped(session) || refuses(session))
			return NULL;
		sigset_t signals;
		guard_hold_signals(&signals);
		stream = stream_create(session, self);
		guard_let_signals(&signals);
		if (!stream)
			return NULL;
	}
	stream->tid = (uint64_t)gettid();
	stream->now = (struct stream_context){0, 0};
	stream->team_depth = 0;
	stream->xstream = NULL;
	stream->unit = NULL;
	pthread_setspecific(thread_key, stream);
	int cpu = sched_getcpu();
	ring_append(stream, ticks, record_head(EVENT_thread_attach, 0, 0), stream->tid, cpu < 0 ? UINT64_MAX : (uint64_t)cpu);
	sample_begin(stream);
	return stream;
}

static void put_counts(struct stream *stream)
{
	struct ring_control *control = stream_control(stream);
	__atomic_store_n(&control->n_tasks, stream_n_tasks(stream), __ATOMIC_RELAXED);
	__atomic_store_n(&control->n_regions, stream_n_regions(stream), __ATOMIC_RELAXED);
}

void stream_release(struct stream *stream, uint64_t ticks)
{
	struct session *session = stream->session;
	struct guard guard = guard_enter();
	sample_end(stream);
	ring_append(stream, ticks, record_head(EVENT_thread_detach, 0, 0), stream->tid, 0);
	put_counts(stream);
	stream->tid = 0;
	pthread_setspecific(thread_key, LAST_CALL); /* the thread may live on, until it exits */
	__atomic_fetch_add(&session->n_free_streams, 1, __ATOMIC_RELAXED);
	tls_stream = STREAM_COMING;
	signal_fence();
	stream->is_busy = false;
	/* T2: everything before the stream is free; pairs with T1 in stream_claim. */
	__atomic_store_n(&stream->owner, STREAM_FREE, __ATOMIC_RELEASE);
	/* F2: frees the stream, then looks whether the session has ended; pairs with F1 in session_end, which says so, then looks for free
	 * streams. One of the two sees the other, and seals. */
	ck_pr_fence_memory();
	if (__atomic_load_n(&session->is_ended, __ATOMIC_RELAXED) && stream_claim(stream, stream_self()))
		stream_seal(stream);
	signal_fence();
	if (tls_stream == STREAM_COMING) /* not so in a child that a handler has forked meanwhile */
		tls_stream = STREAM_NONE;
	guard_leave(guard);
}

/* ---- The end ---- */

/* The unwritten segment with the lowest sequence from `from` on, that of `must` counting as unwritten; SEGMENT_NONE where there is none. */
static uint32_t next_unwritten(struct stream *stream, uint64_t from, uint64_t last, uint64_t must)
{
	uint32_t next = SEGMENT_NONE;
	uint64_t lowest = last + 1;
	for (uint32_t i = 0; i < stream->n_used; i++) {
		uint64_t sequence = stream_segment(stream, i)->sequence;
		/* W2: pairs with W1 in segment_write. What the drain thread holds at this moment is written here as well: it may be far
		 * behind, where the owner went on with its other segments. */
		if (sequence < from || sequence >= lowest)
			continue;
		if (sequence != must && __atomic_load_n(&stream->written[i], __ATOMIC_ACQUIRE) == sequence)
			continue;
		lowest = sequence;
		next = i;
	}
	return next;
}

/* Writes what no file has yet, oldest first: a circular file must keep the newest. True where everything is out. */
static bool write_rest(struct stream *stream, uint64_t last, uint64_t must)
{
	bool is_whole = true;
	uint64_t from = output_first_kept(stream->session, last);
	for (uint32_t i; (i = next_unwritten(stream, from, last, must)) != SEGMENT_NONE;) {
		const struct segment_header *header = stream_segment(stream, i);
		from = header->sequence + 1;
		if (output_sealed(stream, header, segment_used(stream, i)) == 0)
			__atomic_store_n(&stream->written[i], header->sequence, __ATOMIC_RELAXED); /* for this loop alone */
		else
			is_whole = false;
	}
	return is_whole;
}

static void seal(struct stream *stream)
{
	struct session *session = stream->session;
	struct ring_control *control = stream_control(stream);
	put_counts(stream);
	uint32_t index;
	while (handover_take_any(&stream->full, &index))
		; /* the drain thread need not write what is written here */

	uint64_t last = (control->position >> stream->shift) - 1;
	uint64_t must = 0;
	if (stream->current != SEGMENT_NONE) {
		segment_close(stream, SEGMENT_SEALED);
		stream->current = SEGMENT_NONE;
		last = (control->position >> stream->shift) - 1;
	} else {
		/* It was handed over already: it is written once more, and says now that it is the last. `written` cannot ask for that: the
		 * drain thread may be about to note there that it has written it as it was. */
		for (uint32_t i = 0; i < stream->n_used; i++) {
			struct segment_header *header = stream_segment(stream, i);
			if (header->sequence == last) {
				/* The drain thread may be writing it: its copy may have the seal or not, the one made here does. */
				tsan_writes_begin();
				__atomic_store_n(&header->closed, segment_closed(segment_used(stream, i) | SEGMENT_SEALED),
						 __ATOMIC_RELAXED);
				tsan_writes_end();
				must = last;
			}
		}
	}
	struct file ring;
	bool is_whole = write_rest(stream, last, must);
	output_trim(stream);
	if (is_whole && file_name(&ring, session, session->ring_dir, stream->number, ".ring") == 0)
		unlink(ring.path);
	if (is_whole)
		file_close(&ring);
	__atomic_store_n(&stream->owner, STREAM_SEALED, __ATOMIC_RELAXED); /* nobody takes it any more */
}

void stream_seal(struct stream *stream)
{
	struct stream *samples = session_stream(stream->session, stream->number | ID_STREAM_SAMPLES);
	if (samples)
		seal(samples);
	seal(stream);
}
