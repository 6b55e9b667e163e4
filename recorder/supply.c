/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/supply.h"

#include <fcntl.h>

#include "recorder/clock.h"
#include "recorder/drain.h"
#include "recorder/drain_idle.h"
#include "recorder/file.h"
#include "recorder/output.h"
#include "recorder/pack_when.h"
#include "recorder/packer.h"
#include "recorder/segment.h"
#include "recorder/session.h"
#include "recorder/session_turn.h"
#include "recorder/stream.h"

/* Fills a hole in the ring's file: on a full disk it could not be filled, and a store into it would raise SIGBUS.
 * Returns 0, or the cause. */
static int make_room(struct stream *stream, uint32_t index)
{
	struct file file;
	uint64_t bytes = UINT64_C(1) << stream->shift;
	int cause = file_name(&file, stream->session, stream->session->ring_dir, stream->number, ".ring");
	if (!cause)
		cause = file_open(&file, O_WRONLY);
	if (!cause)
		cause = output_zeros(file.fd, RING_CONTROL_BYTES + index * bytes, bytes);
	file_close(&file);
	return cause;
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
		segment_populate(stream, index);
	__atomic_store_n(&stream->n_used, stream->n_used + 1, __ATOMIC_RELAXED); /* the drain thread reads it */
	return 0;
}

/* Does the stream drop records if no segment is empty? A handler writes no files, and with OTTER_FULL=drop no thread of
 * the program does. */
static bool drops(const struct stream *stream)
{
	const struct session *session = stream->session;
	return stream->is_samples || (session->config.drops_when_full && session->has_drain_thread);
}

/* How far a thread goes to get rid of a full segment. */
enum effort {
	PACK_ONLY, /* it is packed, if there is room in the packing buffer */
	USUAL,     /* the same where segments are packed, else it is written */
	ANYHOW     /* the same, but if there is no room in the packing buffer, some is made there by writing to the disk */
};

/* Closes the open part of the packing buffer. Where there is a drain thread, that one writes it, but it is not started by
 * the stream's seal. */
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

/* Packs a full segment into the packing buffer. Returns 0; -1 if it has to be written as it is, or if there is no room now;
 * or the cause why a part could not be written. */
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
			/* W1: The segment's packed copy comes before it is noted as written, as in output_segment. */
			__atomic_store_n(&stream->written[index], sequence, __ATOMIC_RELEASE);
			return 0;
		}
		if (is_fresh)
			return -1; /* it does not become less */
		end_part(stream, by);
	}
}

/* Without a drain thread a part is written as soon as it is full. */
static bool may_write_parts(const struct stream *stream, enum effort effort)
{
	return effort == ANYHOW || (effort == USUAL && !stream->session->has_drain_thread);
}

/* Writes or packs a full segment. Returns 0, or the cause why neither is possible, or -1 if it was not tried. */
static int put_away(struct stream *stream, uint32_t index, enum effort effort)
{
	struct session *session = stream->session;
	if (pack_is_on(session) && stream->packer.memory) {
		int cause = pack(stream, index, may_write_parts(stream, effort), OUTPUT_BY_OWNER);
		if (cause >= 0 || effort == PACK_ONLY)
			return cause;
		if (effort == USUAL && session->has_drain_thread && packer_has(&stream->packer))
			return -1; /* the disk is slow: the rest of the ring comes first */
	}
	if (effort == PACK_ONLY)
		return -1;
	struct pack_timing timing = pack_write_begins(session);
	int cause = output_segment(stream, index, false);
	pack_write_ends(session, &timing, stream_segment_used(stream, index));
	return cause;
}

/* The owner writes or packs its oldest full segment itself. Returns 0 and the segment's index; -1 if the drain thread has
 * just taken the last one, or it was not tried; or the cause why that is not possible. */
static int empty_oldest(struct stream *stream, uint32_t *index, enum effort effort)
{
	if (!handover_take_any(&stream->full, index))
		return -1;
	uint64_t begin = clock_ticks();
	stream->is_writing = true;
	signal_fence();
	int cause = put_away(stream, *index, effort);
	signal_fence();
	stream->is_writing = false;
	if (cause < 0 ||
	    cause & FILE_LATER) { /* it goes back into the ring, after the others; readers order segments by their sequences */
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

/* Takes a segment that was never used. Returns 0 and its index; -1 if there is none left; or the cause why there is
 * none now (FILE_LATER), or none any more. */
static int take_unused(struct stream *stream, uint32_t *index)
{
	if (stream->n_used == stream->n_segments)
		return -1;
	*index = stream->n_used;
	int cause = begin_use(stream);
	if (cause == 0 || cause & FILE_LATER)
		return cause;
	/* The ring has fewer segments from now on. With a single one it cannot go on: the drain thread may hold it, and
	 * no thread waits. */
	__atomic_store_n(&stream->n_segments, stream->n_used, __ATOMIC_RELAXED);
	if (stream->n_segments >= 2)
		return -1;
	session_stop(stream->session, (unsigned)cause);
	return cause;
}

/* Does the owner write or pack the segment that it has just filled? It is still in the cache, and is used again. */
static bool empties_itself(const struct stream *stream)
{
	return !stream->is_samples && !drops(stream) && !drain_idle_takes(stream->session);
}

/* Empties the oldest full segment. If there was another one, because the drain thread has been here until now, that one is
 * emptied, too: soon the only full segment is the one that was just filled. Returns like empty_oldest(). */
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

int supply_take(struct stream *stream, uint32_t *index)
{
	struct session *session = stream->session;
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
		if (session->has_drain_thread && !drain_idle_is_away(session))
			pack_disk_is_slow(session);
		if (drops(stream))
			return stream_is_of_events(stream) && empty_oldest(stream, index, PACK_ONLY) == 0 ? 0 : loss_cause_full;
		/* If no segment is in either hand-over ring, the drain thread has just taken the last full one. It
		 * never holds all segments at a time, so the next look finds that one or another. But if it holds the only
		 * segment that there is now, this thread does not wait for it. */
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
	while (empties_itself(stream) && empty_oldest(stream, &index, USUAL) == 0)
		stream->spare |= UINT32_C(1) << index;
}

bool supply_pack_sealed(struct stream *stream, uint32_t index)
{
	return pack_is_on(stream->session) && stream->packer.memory && pack(stream, index, true, OUTPUT_SEALED) == 0;
}
