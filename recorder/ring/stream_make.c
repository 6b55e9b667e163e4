/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a stream: its number, its memory, and the file of its ring. It runs on the thread that needs the stream, with
 * its signals held.
 */
#include "recorder/ring/stream.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "recorder/clock.h"
#include "recorder/drain/file.h"
#include "recorder/drain/output.h"
#include "recorder/ring/nocow.h"
#include "recorder/ring/supply.h"
#include "recorder/session/meta.h"
#include "recorder/session/session.h"
#include "recorder/system/away.h"
#include "recorder/system/sys.h"

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
	cause = nocow_set(file->fd) ? output_ring(stream->session, file->fd, bytes, first, &stream->has_all_room)
				    : loss_cause_io_error;
	stream->has_all_room |= stream->is_samples;
	if (!cause) {
		file->mapping_bytes = bytes;
		signal_fence();
		file->mapping = where;
		signal_fence();
		if (!sys_mmap(where, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file->fd, 0))
			cause = loss_cause_no_stream; /* no memory, or RLIMIT_AS */
	}
	if (!cause) {
		/* A child must never write into its parent's ring, so it is not inherited. And there is no read-ahead: at the
		 * first fault it would fetch megabytes of zeros, page by page, while this thread waits. */
		sys_madvise(where, bytes, MADV_DONTFORK);
		sys_madvise(where, bytes, MADV_RANDOM);
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
	control->pid = (uint64_t)sys_getpid();
	control->position = UINT64_C(1) << stream->shift;
	control->magic = RING_MAGIC;
	control->checksum = ring_checksum(control);
}

/* Makes a stream with its ring mapped, which other threads do not see yet; file_close() has to follow. Returns 0, or
 * the cause: then nothing is left of the stream. */
static int make_in(struct session *session, const struct directory *dir, uint32_t number, uint32_t n_segments, struct file *file,
		   struct stream **made)
{
	size_t ring_bytes = RING_CONTROL_BYTES + ((size_t)n_segments << session->shift);
	int cause = file_name(file, session, dir, number, ".ring");
	if (cause)
		return loss_cause_io_error; /* without FILE_LATER: the next try is after a while in any case */
	bool packs = number < ID_STREAM_SAMPLES && session->config.pack != CONFIG_PACK_OFF;
	size_t bytes = STREAM_BYTES + ring_bytes + (packs ? packer_space(session->config.segment_bytes, PACKER_PARTS) : 0);
	void *memory = sys_mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (!memory)
		return loss_cause_no_stream;
	struct stream *stream = memory;
	cause = loss_cause_no_stream;
	if (sys_mprotect(memory, STREAM_BYTES, PROT_READ | PROT_WRITE) == 0) {
		stream->session = session;
		stream->shift = session->shift;
		stream->ring_dir = dir;
		stream->is_samples = number & ID_STREAM_SAMPLES && number != ID_STREAM_SWITCHES;
		unsigned char *after = (unsigned char *)memory + STREAM_BYTES + ring_bytes;
		if (!packs || packer_init(&stream->packer, after, number, session->config.segment_bytes, PACKER_PARTS))
			cause = map_ring(stream, file, ring_bytes);
	}
	if (cause) {
		file->mapping = NULL;
		signal_fence();
		sys_munmap(memory, bytes);
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

/* The same where the rings are, or in the dump if memory has no room for another one. */
static int make(struct session *session, uint32_t number, uint32_t n_segments, struct file *file, struct stream **made)
{
	int cause = make_in(session, &session->ring_dir, number, n_segments, file, made);
	if (cause != loss_cause_no_space || session->config.ring_dir[0] || session->ring_dir.id.device == session->dir.id.device)
		return cause;
	file_close(file);
	return make_in(session, &session->dir, number, n_segments, file, made);
}

/* S1: The stream is stored before its pointer. Pairs with S2 in session_stream. */
static void publish(struct stream *stream)
{
	__atomic_store_n(&stream->session->streams.by_number[stream->number], stream, __ATOMIC_RELEASE);
}

/* Returns the number of a stream that could not be made, or the next number: failures use no numbers up. */
static uint32_t next_number(struct session *session)
{
	uint32_t spare = __atomic_exchange_n(&session->streams.spare_number, 0, __ATOMIC_RELAXED);
	if (spare)
		return spare - 1;
	uint32_t number = __atomic_fetch_add(&session->streams.n, 1, __ATOMIC_RELAXED);
	if (number > STREAM_LAST)
		__atomic_store_n(&session->streams.n, ID_STREAM_SAMPLES, __ATOMIC_RELAXED);
	return number;
}

static void wait_for_a_while(struct session *session)
{
	__atomic_store_n(&session->streams.retry_ns, sys_clock_ns(CLOCK_MONOTONIC_COARSE) + REFUSAL_NS, __ATOMIC_RELAXED);
}

/* A ring that cannot be made now cannot be made a microsecond later, so not every event tries. But later there may be
 * descriptors, memory and room again. The first refusal for each cause is noted in meta. */
static void refuse_for_a_while(struct session *session, uint32_t number, int cause)
{
	__atomic_store_n(&session->streams.spare_number, number + 1, __ATOMIC_RELAXED);
	wait_for_a_while(session);
	meta_note_once(
		session, META_ONCE_RING + (unsigned)cause,
		cause == loss_cause_no_space
			? "the disk has no room for another ring, beside what is left to others: its thread is not recorded until "
			  "there is"
		: cause == loss_cause_limit ? "RLIMIT_FSIZE is smaller than a ring: its thread is not recorded"
		: cause == loss_cause_no_stream
			? "there is no memory for another ring: its thread is not recorded until there is"
			: "the file of another ring cannot be made, or only so that a full file system, or the end of its server, "
			  "could end the program: its thread is not recorded until it can be made (OTTER_RING_DIR is where rings "
			  "are)");
}

bool stream_is_refused(struct session *session)
{
	uint64_t until_ns = __atomic_load_n(&session->streams.retry_ns, __ATOMIC_RELAXED);
	return until_ns && sys_clock_ns(CLOCK_MONOTONIC_COARSE) < until_ns;
}

struct creation {
	struct session *session;
	struct stream *of; /* whose samples they are */
	uintptr_t owner;
	bool is_tried;
	struct stream *made;
};

static void create_events(void *argument)
{
	struct creation *creation = argument;
	struct session *session = creation->session;
	creation->is_tried = true;
	uint32_t number = next_number(session);
	if (number > STREAM_LAST)
		return;
	struct stream *stream;
	struct file file;
	int cause = make(session, number, RING_SEGMENTS, &file, &stream);
	if (cause) {
		file_close(&file);
		refuse_for_a_while(session, number, cause);
		return;
	}
	stream->n_flushes = __atomic_load_n(&session->n_flushes, __ATOMIC_RELAXED);
	stream->owner = creation->owner;
	supply_populate(stream, 0);
	publish(stream);
	file_close(&file);
	creation->made = stream;
}

static void create_others(struct creation *creation, uint32_t number)
{
	struct stream *stream;
	struct file file;
	if (make(creation->session, number, SAMPLE_SEGMENTS, &file, &stream) == 0) {
		publish(stream);
		creation->made = stream;
	}
	file_close(&file);
}

static void create_samples(void *argument)
{
	struct creation *creation = argument;
	create_others(creation, creation->of->number | ID_STREAM_SAMPLES);
}

static void create_switches(void *argument)
{
	create_others(argument, ID_STREAM_SWITCHES);
}

struct stream *stream_create(struct session *session, uintptr_t owner)
{
	struct creation creation = {.session = session, .owner = owner};
	away(create_events, &creation);
	if (!creation.is_tried)
		wait_for_a_while(session);
	return creation.made;
}

struct stream *stream_create_samples(struct stream *of)
{
	struct creation creation = {.session = of->session, .of = of};
	away(create_samples, &creation);
	if (!creation.made)
		meta_note_once(of->session, META_ONCE_SAMPLES, "OTTER_SAMPLE: no room for another ring: its thread is not sampled");
	return creation.made;
}

struct stream *stream_create_switches(struct session *session)
{
	struct creation creation = {.session = session};
	away(create_switches, &creation);
	return creation.made;
}
