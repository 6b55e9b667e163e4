/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a stream: its number, its memory, and the file of its ring. Runs on the thread that needs the stream, with its
 * signals held.
 */
#include "recorder/stream.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recorder/clock.h"
#include "recorder/file.h"
#include "recorder/in_place.h"
#include "recorder/meta.h"
#include "recorder/output.h"
#include "recorder/segment.h"
#include "recorder/session.h"

/* The largest number of a stream of events: its stream of samples does not have the number of the stream of switches. */
#define STREAM_LAST (ID_STREAM_SAMPLES - 2)

#define REFUSAL_NS UINT64_C(20000000) /* between two tries to make a ring */

/* Makes the ring's file, with room for one segment at least, and maps it. Returns 0, or the cause. */
static int map_ring(struct stream *stream, struct file *file, size_t bytes)
{
	void *where = stream_control(stream);
	if (!output_fits_limit(bytes))
		return loss_cause_limit; /* checked before the file is made */
	int cause = file_open(file, O_RDWR | O_CREAT | O_EXCL);
	if (cause)
		return cause;
	/* A ring of samples gets all its room now: a signal handler makes none. */
	uint64_t first = stream->is_samples ? bytes : RING_CONTROL_BYTES + (UINT64_C(1) << stream->shift);
	cause = in_place_set(file->fd) ? output_ring(stream->session, file->fd, bytes, first, &stream->has_all_room)
				       : loss_cause_io_error;
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
		/* A child must never write into its parent's ring, so it is not inherited. And there is no read-ahead:
		 * at the first fault it would fetch megabytes of zeros, page by page, on this thread's time. */
		madvise(where, bytes, MADV_DONTFORK);
		madvise(where, bytes, MADV_RANDOM);
		return 0;
	}
	file_remove(file);
	return cause;
}

static void ring_control_fill(struct stream *stream)
{
	struct ring_control *control = stream_control(stream);
	bool packs = stream->session->config.pack != CONFIG_PACK_OFF;
	control->major = packs ? FORMAT_MAJOR : FORMAT_PLAIN_MAJOR;
	control->minor = packs ? FORMAT_MINOR : FORMAT_PLAIN_MINOR;
	control->stream = stream->number;
	control->n_segments = stream->n_segments;
	control->segment_bytes = UINT32_C(1) << stream->shift;
	control->pid = (uint64_t)getpid();
	control->position = UINT64_C(1) << stream->shift;
	control->magic = RING_MAGIC;
	control->checksum = ring_checksum(control);
}

/* Makes a stream with its ring mapped, which other threads do not see yet; file_close() has to follow. Returns 0, or
 * the cause: then nothing is left of the stream. */
static int make(struct session *session, uint32_t number, uint32_t n_segments, struct file *file, struct stream **made)
{
	size_t ring_bytes = RING_CONTROL_BYTES + ((size_t)n_segments << session->shift);
	int cause = file_name(file, session, session->ring_dir, number, ".ring");
	if (cause)
		return loss_cause_io_error; /* a cause that may pass, as for all streams that could not be made */
	bool packs = number < ID_STREAM_SAMPLES && session->config.pack != CONFIG_PACK_OFF;
	size_t bytes = STREAM_BYTES + ring_bytes + (packs ? packer_space(session->config.segment_bytes, PACKER_PARTS) : 0);
	void *memory = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return loss_cause_no_stream;
	struct stream *stream = memory;
	cause = loss_cause_no_stream;
	if (mprotect(memory, STREAM_BYTES, PROT_READ | PROT_WRITE) == 0) {
		stream->session = session;
		stream->shift = session->shift;
		stream->is_samples = number & ID_STREAM_SAMPLES && number != ID_STREAM_SWITCHES;
		unsigned char *after = (unsigned char *)memory + STREAM_BYTES + ring_bytes;
		if (!packs || packer_init(&stream->packer, after, number, session->config.segment_bytes, PACKER_PARTS))
			cause = map_ring(stream, file, ring_bytes);
	}
	if (cause) {
		file->mapping = NULL;
		signal_fence();
		munmap(memory, bytes);
		return cause & ~FILE_LATER;
	}
	stream->number = number;
	stream->current = SEGMENT_NONE;
	stream->n_segments = n_segments;
	handover_init(&stream->full);
	handover_init(&stream->empty);
	ring_control_fill(stream);
	*made = stream;
	return 0;
}

/* S1: The stream comes before its pointer. Pairs with S2 in session_stream. */
static void publish(struct stream *stream)
{
	__atomic_store_n(&stream->session->streams[stream->number], stream, __ATOMIC_RELEASE);
}

/* Returns the number of a stream that could not be made, or the next number: failures use no numbers up. */
static uint32_t next_number(struct session *session)
{
	uint32_t spare = __atomic_exchange_n(&session->spare_number, 0, __ATOMIC_RELAXED);
	if (spare)
		return spare - 1;
	uint32_t number = __atomic_fetch_add(&session->n_streams, 1, __ATOMIC_RELAXED);
	if (number > STREAM_LAST)
		__atomic_store_n(&session->n_streams, ID_STREAM_SAMPLES, __ATOMIC_RELAXED);
	return number;
}

/* A ring that cannot be made now cannot be made a microsecond later, so not every event tries. But descriptors, memory
 * and room may come back. The first refusal for each cause is noted in meta. */
static void refuse_for_a_while(struct session *session, uint32_t number, int cause)
{
	__atomic_store_n(&session->spare_number, number + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&session->refuses_until_ns, clock_ns(CLOCK_MONOTONIC_COARSE) + REFUSAL_NS, __ATOMIC_RELAXED);
	if (__atomic_fetch_or(&session->noted_refusals, 1u << cause, __ATOMIC_RELAXED) & 1u << cause)
		return;
	meta_note(
		session,
		cause == loss_cause_no_space
			? "the disk has no room for another ring, beside what is left to others: its thread is not recorded until "
			  "there is"
		: cause == loss_cause_limit ? "RLIMIT_FSIZE is smaller than a ring: its thread is not recorded"
		: cause == loss_cause_no_stream
			? "there is no memory for another ring: its thread is not recorded until there is"
			: "the file of another ring cannot be made, or only so that a full file system could end the program: "
			  "its thread is not recorded until it can be made (OTTER_RING_DIR is where rings are)");
}

bool stream_is_refused(struct session *session)
{
	uint64_t until_ns = __atomic_load_n(&session->refuses_until_ns, __ATOMIC_RELAXED);
	return until_ns && clock_ns(CLOCK_MONOTONIC_COARSE) < until_ns;
}

struct stream *stream_create(struct session *session, uintptr_t owner)
{
	uint32_t number = next_number(session);
	if (number > STREAM_LAST)
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

struct stream *stream_create_switches(struct session *session)
{
	struct stream *switches = NULL;
	struct file file;
	int cause = make(session, ID_STREAM_SWITCHES, SAMPLE_SEGMENTS, &file, &switches);
	if (!cause)
		publish(switches);
	file_close(&file);
	return cause ? NULL : switches;
}
