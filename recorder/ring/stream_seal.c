/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ends a stream: writes all that no file has yet, marks the last segment, and removes the ring. It runs on the thread
 * that owns the stream: its last owner, or the thread that ends the session.
 */
#include "recorder/ring/stream.h"

#include "recorder/drain/drain_pack.h"
#include "recorder/drain/file.h"
#include "recorder/drain/output.h"
#include "recorder/ring/segment.h"
#include "recorder/ring/supply.h"
#include "recorder/session/session.h"
#include "recorder/system/away.h"

/* Returns the unwritten segment with the lowest sequence from `from` on; the one with the sequence `must` counts as
 * unwritten. SEGMENT_NONE: there is none. */
static uint32_t next_unwritten(struct stream *stream, uint64_t from, uint64_t last, uint64_t must)
{
	uint32_t next = SEGMENT_NONE;
	uint64_t lowest = last + 1;
	for (uint32_t i = 0; i < stream->n_used; i++) {
		uint64_t sequence = stream_segment(stream, i)->sequence;
		/* W2: If the segment is noted as written, it is in the file. Pairs with W1 in output_segment. A segment that the
		 * drain thread holds at this moment is written here as well: the drain thread may write it much later. */
		if (sequence < from || sequence >= lowest)
			continue;
		if (sequence != must && __atomic_load_n(&stream->written[i], __ATOMIC_ACQUIRE) == sequence)
			continue;
		lowest = sequence;
		next = i;
	}
	return next;
}

/* False: the segment is not packed. */
static bool pack_sealed(struct stream *stream, uint32_t index)
{
	return drain_pack_sealed(stream->session, stream_segment(stream, index)) || supply_pack_sealed(stream, index);
}

/* Writes what no file has yet, the oldest first: a circular file must keep the newest. Returns true if everything is
 * written. */
static bool write_rest(struct stream *stream, uint64_t last, uint64_t must)
{
	bool is_whole = true;
	uint64_t from = output_first_kept(stream->session, stream->number, last);
	for (uint32_t i; (i = next_unwritten(stream, from, last, must)) != SEGMENT_NONE;) {
		const struct segment_header *header = stream_segment(stream, i);
		from = header->sequence + 1;
		if (pack_sealed(stream, i) || output_sealed(stream, header, stream_segment_used(stream, i)) == 0)
			__atomic_store_n(&stream->written[i], header->sequence, __ATOMIC_RELAXED); /* only this loop reads it */
		else
			is_whole = false;
	}
	return is_whole;
}

/* Writes the rest of the packing buffer, and removes the buffer. If the drain thread is writing a part at this moment,
 * a second copy is written here, as the drain thread may finish much later. */
static bool write_packed(struct stream *stream)
{
	struct session *session = stream->session;
	struct packer *packer = &stream->packer;
	bool is_whole = true;
	if (!packer->is_mapped)
		return true;
	if (packer->open != PACKER_NONE)
		packer_close(packer);
	for (uint32_t i = 0; i < packer->n_parts; i++) {
		bool is_taken = packer_take_part(packer, i);
		if (!is_taken && packer_is_empty(packer, i))
			continue;
		bool is_written = output_part(session, packer, i, OUTPUT_SEALED) == 0;
		if (is_taken)
			packer_give_back(packer, i, is_written);
		is_whole &= is_written;
	}
	if (is_whole)
		packer_remove(session, packer);
	return is_whole;
}

static bool has_lost(struct stream *stream)
{
	for (unsigned cause = 0; cause < LOSS_CAUSES; cause++)
		if (stream_control(stream)->lost[cause])
			return true;
	return false;
}

static void remove_ring(struct stream *stream)
{
	struct file ring;
	if (!stream->has_ring_to_remove)
		return;
	stream->has_ring_to_remove = false;
	if (file_name(&ring, stream->session, stream->ring_dir, stream->number, ".ring") == 0)
		file_remove(&ring);
	file_close(&ring);
}

/* A thread that seals its own stream while the session ends may not be done: then its ring stays. */
static void remove_sealed_ring(struct stream *stream)
{
	/* I2: The owner is read before what sealing has left. Pairs with I1 in seal. */
	if (stream && __atomic_load_n(&stream->owner, __ATOMIC_ACQUIRE) == STREAM_SEALED)
		remove_ring(stream);
}

void stream_remove_ring(struct stream *stream)
{
	remove_sealed_ring(session_stream(stream->session, stream->number | ID_STREAM_SAMPLES));
	remove_sealed_ring(stream);
}

static void seal_one(void *argument)
{
	struct stream *stream = argument;
	struct ring_control *control = stream_control(stream);
	stream_put_counts(stream);
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
		/* The last segment was handed over before: it is written once more, now marked as the last. `written` cannot
		 * request that, as the drain thread may be about to note there that it has written the segment unmarked. */
		for (uint32_t i = 0; i < stream->n_used; i++) {
			struct segment_header *header = stream_segment(stream, i);
			if (header->sequence == last) {
				/* If the drain thread is writing it, its copy may have the mark or not; the copy made
				 * here has it. */
				tsan_writes_begin();
				__atomic_store_n(&header->closed, segment_closed(stream_segment_used(stream, i) | SEGMENT_SEALED),
						 __ATOMIC_RELAXED);
				tsan_writes_end();
				must = last;
			}
		}
	}
	bool is_whole = write_rest(stream, last, must);
	/* The ring has the counts of what was lost. Where a disk takes no more, meta may not get them. */
	is_whole &= write_packed(stream);
	/* Until meta has its end the ring alone says how many records were lost after the last one that is there. */
	stream->has_ring_to_remove = is_whole;
	if (!has_lost(stream))
		remove_ring(stream);
}

/* Where no file can be opened (away.h) the ring stays, with the count of what it has. */
static void seal(struct stream *stream)
{
	away(seal_one, stream);
	/* I1: What sealing has left is stored before the owner that no thread takes any more. Pairs with I2 in
	 * remove_sealed_ring. */
	__atomic_store_n(&stream->owner, STREAM_SEALED, __ATOMIC_RELEASE);
}

void stream_seal(struct stream *stream)
{
	struct stream *samples = session_stream(stream->session, stream->number | ID_STREAM_SAMPLES);
	if (samples && samples != stream) /* the stream of switches has the highest number */
		seal(samples);
	seal(stream);
}
