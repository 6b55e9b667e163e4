/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/ring/supply.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "recorder/clock.h"
#include "recorder/drain/drain.h"
#include "recorder/drain/drain_idle.h"
#include "recorder/drain/file.h"
#include "recorder/drain/hang.h"
#include "recorder/drain/output.h"
#include "recorder/drain/output_shared.h"
#include "recorder/drain/pack_policy.h"
#include "recorder/drain/packer.h"
#include "recorder/ring/stream.h"
#include "recorder/session/session.h"
#include "recorder/session/session_turn.h"
#include "recorder/system/away.h"
#include "recorder/system/sys.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; older kernels refuse it, and pages are made by page faults */
#endif

void supply_populate(struct stream *stream, uint32_t index)
{
	sys_madvise(stream_segment(stream, index), (size_t)1 << stream->shift, MADV_POPULATE_WRITE);
}

/* A segment for which a file is opened. */
struct segment_work {
	struct stream *stream;
	uint32_t index;
	int cause;
};

static int work_on(struct stream *stream, uint32_t index, void (*function)(void *))
{
	struct segment_work work = {stream, index, loss_cause_io_error | FILE_LATER};
	away(function, &work);
	return work.cause;
}

static void fill_hole(void *argument)
{
	struct segment_work *work = argument;
	struct stream *stream = work->stream;
	struct file file;
	uint64_t bytes = UINT64_C(1) << stream->shift;
	work->cause = file_name(&file, stream->session, stream->ring_dir, stream->number, ".ring");
	if (!work->cause)
		work->cause = file_open(&file, O_WRONLY);
	if (!work->cause)
		work->cause = output_zeros(file.fd, RING_CONTROL_BYTES + work->index * bytes, bytes);
	file_close(&file);
}

/* Fills a hole in the ring's file: once the disk is full, a store into a hole raises SIGBUS. Returns 0, or the cause. */
static int make_room(struct stream *stream, uint32_t index)
{
	return work_on(stream, index, fill_hole);
}

/* Prepares a segment that was never used: its room in the ring's file, and its memory. The first segment has both from
 * the beginning. Returns 0, or the cause. */
static int begin_use(struct stream *stream)
{
	uint32_t index = stream->n_used;
	int cause = index && !stream->has_all_room ? make_room(stream, index) : 0;
	if (cause)
		return cause;
	if (index && !stream->is_samples)
		supply_populate(stream, index);
	__atomic_store_n(&stream->n_used, stream->n_used + 1, __ATOMIC_RELAXED); /* the drain thread reads it */
	return 0;
}

/* Does the stream drop records if no segment is empty? The handler of samples writes no files. With OTTER_FULL=drop no
 * thread of the program does, and none does while a write to the dump's file system does not return. */
static bool drops(const struct stream *stream)
{
	const struct session *session = stream->session;
	return stream->is_samples || (session->drain.has_thread && (session->config.drops_when_full || hang_is_seen(session)));
}

/* What a thread does to empty a full segment. */
enum effort {
	PACK_ONLY, /* it packs the segment, if there is room in the packing buffer */
	USUAL,     /* the same where segments are packed, else it writes the segment, unless it may as well do that later */
	AT_ONCE,   /* the same, but not later */
	ANYHOW     /* the same, and if there is no room in the packing buffer, it writes a part of the buffer to the disk */
};

/* Closes the open part of the packing buffer, and wakes or starts the drain thread to write it. Sealing a stream does not:
 * it writes the part itself. */
static void end_part(struct stream *stream, enum output_by by)
{
	packer_close(&stream->packer);
	if (by != OUTPUT_SEALED)
		drain_wake(stream->session);
}

/* Writes a closed part. Returns 0, -1 if there is none, or the cause. */
static int write_part(struct stream *stream, enum output_by by)
{
	uint32_t part;
	if (!packer_take(&stream->packer, &part))
		return -1;
	int cause = output_part(stream->session, &stream->packer, part, by);
	packer_give_back(&stream->packer, part, cause == 0);
	return cause;
}

/* Packs a full segment into the packing buffer. Returns 0; -1 if packing does not make it smaller, or if there is no
 * room now; or the cause why a part could not be written. */
static int pack(struct stream *stream, uint32_t index, bool may_write, enum output_by by)
{
	struct packer *packer = &stream->packer;
	const struct segment_header *segment = stream_segment(stream, index);
	uint64_t sequence = segment->sequence;
	for (;;) {
		if (packer->open == PACKER_NONE && !packer_open(stream->session, packer)) {
			int cause = may_write ? write_part(stream, by) : -1;
			if (cause)
				return cause;
			continue;
		}
		bool is_fresh = packer_is_fresh(packer);
		if (packer_add(packer, segment)) {
			/* W1: The segment's packed copy is stored before it is noted as written, as in output_segment. */
			__atomic_store_n(&stream->written[index], sequence, __ATOMIC_RELEASE);
			return 0;
		}
		if (is_fresh)
			return -1; /* it does not become smaller */
		end_part(stream, by);
	}
}

/* Without a drain thread a part is written as soon as it is full. */
static bool may_write_parts(const struct stream *stream, enum effort effort)
{
	return effort == ANYHOW || (effort != PACK_ONLY && !stream->session->drain.has_thread);
}

static void write_segment(void *argument)
{
	struct segment_work *work = argument;
	struct session *session = work->stream->session;
	struct pack_timing timing = pack_write_begins(session);
	work->cause = output_segment(work->stream, work->index, false);
	pack_write_ends(session, &timing, stream_segment_used(work->stream, work->index));
}

/* Is there another segment to go on with? Then a thread that finds drain.seg taken writes later. */
static bool has_room(const struct stream *stream)
{
	return stream->spare || stream->n_used < stream->n_segments || handover_has(&stream->empty);
}

/* Writes or packs a full segment. Returns 0; the cause why neither is possible; or -1 if it was not tried. */
static int write_or_pack(struct stream *stream, uint32_t index, enum effort effort)
{
	struct session *session = stream->session;
	if (pack_is_on(session) && stream->packer.memory) {
		int cause = pack(stream, index, may_write_parts(stream, effort), OUTPUT_BY_OWNER);
		if (cause >= 0 || effort == PACK_ONLY)
			return cause;
		if (effort != ANYHOW && session->drain.has_thread && packer_has(&stream->packer))
			return -1; /* the disk is slow: the rest of the ring is used first */
	}
	if (effort == PACK_ONLY || (effort == USUAL && has_room(stream) && output_may_wait(stream)))
		return -1;
	return work_on(stream, index, write_segment);
}

/* The owner writes or packs its oldest full segment itself. Returns 0 and the segment's index; -1 if the drain thread
 * has just taken the last one, or it was not tried; or the cause why neither is possible. */
static int empty_oldest(struct stream *stream, uint32_t *index, enum effort effort)
{
	if (!handover_take_any(&stream->full, index))
		return -1;
	uint64_t begin = clock_ticks();
	stream->is_writing = true;
	signal_fence();
	int cause = write_or_pack(stream, *index, effort);
	signal_fence();
	stream->is_writing = false;
	if (cause < 0 || cause & FILE_LATER) { /* put back after the others; readers order segments by their sequences */
		handover_put(&stream->full, *index);
		drain_offer(stream->session, stream);
		return cause;
	}
	if (cause) {
		session_stop(stream->session, (unsigned)cause);
		return cause;
	}
	uint64_t end = clock_ticks();
	if (!stream->flush_bytes)
		stream->flush_begin = begin;
	stream->flush_end = end;
	stream->flush_bytes += stream_segment_used(stream, *index);
	uint64_t *stalled = &stream_control(stream)->stalled_ticks;
	__atomic_store_n(stalled, *stalled + (end - begin), __ATOMIC_RELAXED);
	return 0;
}

/* Takes a segment that was never used. Returns 0 and its index; -1 if there is none left; or the cause why it cannot be
 * used, with FILE_LATER if it may be later. */
static int take_unused(struct stream *stream, uint32_t *index)
{
	if (stream->n_used == stream->n_segments)
		return -1;
	*index = stream->n_used;
	int cause = begin_use(stream);
	if (cause == 0 || cause & FILE_LATER)
		return cause;
	/* The ring has fewer segments from now on. A single one is not enough: the drain thread may hold it, and no
	 * thread waits. */
	__atomic_store_n(&stream->n_segments, stream->n_used, __ATOMIC_RELAXED);
	if (stream->n_segments >= 2)
		return -1;
	session_stop(stream->session, (unsigned)cause);
	return cause;
}

/* Does the owner write or pack the segment that it has just filled, which is still in the cache? */
static bool empties_itself(const struct stream *stream)
{
	return !stream->is_samples && !drops(stream) && !drain_idle_takes(stream->session);
}

/* Empties the oldest full segment. If there is another one, left by the drain thread that has just gone away, it
 * empties that one, too: soon the only full segment is the one that was just filled. Returns like empty_oldest(). */
static int empty_just_filled(struct stream *stream, uint32_t *index)
{
	uint32_t newer;
	int cause = empty_oldest(stream, index, USUAL);
	if (cause == 0 && empty_oldest(stream, &newer, USUAL) == 0) {
		stream->spare |= UINT32_C(1) << *index;
		*index = newer;
	}
	return cause;
}

static bool take_spare(struct stream *stream, uint32_t *index)
{
	if (!stream->spare)
		return false;
	*index = (uint32_t)__builtin_ctz(stream->spare);
	stream->spare &= stream->spare - 1;
	return true;
}

#define SERVER_TRIES 300 /* somewhat longer than until a write is seen not to return (hang.h) */
#define SERVER_NS    UINT64_C(1000000)

/* The ring is full. On a file system with a server the thread sleeps for a moment, in which the drain thread may empty a
 * segment, in place of a write that may not return. False: it has done so often enough. */
static bool sleeps_for_drain(struct session *session, unsigned *n_tries)
{
	if (!session->budget.is_served || !session->drain.has_thread || ++*n_tries > SERVER_TRIES)
		return false;
	drain_wake(session);
	sys_sleep(SERVER_NS);
	return true;
}

int supply_take(struct stream *stream, uint32_t *index)
{
	struct session *session = stream->session;
	unsigned n_tries = 0;
	for (;;) {
		int cause = (int)session_stopped(session);
		if (cause)
			return cause;
		if (empties_itself(stream)) {
			cause = empty_just_filled(stream, index);
			if (cause >= 0 && !(cause & FILE_LATER))
				return cause;
		}
		if (take_spare(stream, index) || handover_take(&stream->empty, index))
			return 0;
		int unused = take_unused(stream, index);
		if (unused >= 0 && !(unused & FILE_LATER))
			return unused;
		if (session->drain.has_thread && !drain_idle_is_away(session))
			pack_disk_is_slow(session);
		if (drops(stream))
			return stream_is_of_events(stream) && empty_oldest(stream, index, PACK_ONLY) == 0 ? 0 : loss_cause_full;
		if (sleeps_for_drain(session, &n_tries))
			continue;
		/* If no segment is in either hand-over ring, the drain thread has just taken the last full one. It never holds
		 * all segments at a time, so the next round finds that one or another. But if it holds the only segment that
		 * there is now, this thread does not wait for it. */
		cause = empty_oldest(stream, index, ANYHOW);
		if (cause >= 0)
			return cause;
		if (unused > 0)
			return unused;
	}
}

bool supply_drops_on(const struct stream *stream)
{
	const struct session *session = stream->session;
	return drops(stream) && stream->current == SEGMENT_NONE && stream->n_used == stream->n_segments &&
	       !handover_has(&stream->empty) && !session_stopped(session);
}

void supply_flush(struct stream *stream)
{
	uint32_t index;
	while (empties_itself(stream) && empty_oldest(stream, &index, AT_ONCE) == 0)
		stream->spare |= UINT32_C(1) << index;
}

bool supply_pack_sealed(struct stream *stream, uint32_t index)
{
	return pack_is_on(stream->session) && stream->packer.memory && pack(stream, index, true, OUTPUT_SEALED) == 0;
}
