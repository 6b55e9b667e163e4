/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/ring/segment.h"

#include <string.h>

#include "recorder/clock.h"
#include "recorder/drain/drain.h"
#include "recorder/drain/file.h"
#include "recorder/guard.h"
#include "recorder/ring/ring.h"
#include "recorder/ring/supply.h"
#include "recorder/session/session.h"
#include "recorder/session/session_turn.h"
#include "recorder/system/sys.h"

/* What was refused for lack of a descriptor or of memory is not tried again for each record meanwhile: a try costs a hundred
 * times as much as a record. */
#define REST_NS UINT64_C(10000000)

void segment_lose(struct stream *stream, unsigned cause, uint64_t n)
{
	/* A relaxed load and store: only the owner writes the counter; others read it for their reports. */
	uint64_t *counter = &stream_control(stream)->lost[cause];
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

void segment_close(struct stream *stream, uint32_t flags)
{
	if (stream->current == SEGMENT_NONE)
		return;
	struct segment_header *header = stream_segment(stream, stream->current);
	uint64_t position = stream_control(stream)->position;
	uint32_t offset = stream_offset(stream, position);
	uint32_t used = offset ? offset : UINT32_C(1) << stream->shift;
	__atomic_store_n(&header->closed, segment_closed(used | flags), __ATOMIC_RELAXED);
	/* A relaxed store: others read it for their reports. */
	__atomic_store_n(&stream->n_records, stream->n_records + (used - sizeof *header) / sizeof(struct record), __ATOMIC_RELAXED);
	if (offset)
		ring_publish(stream, stream->end);
}

void segment_admit(struct stream *stream)
{
	if (!clock_counter_is_ticks())
		return; /* the fast path could not read the time */
	__atomic_store_n(&stream->limit, stream->end, __ATOMIC_RELAXED);
	/* G2: Opens the path, then reads the epoch. Pairs with G1 in session_turn, which changes the epoch, then closes
	 * the path. */
	ck_pr_fence_memory();
	if (stream->epoch != __atomic_load_n(&record_epoch, __ATOMIC_RELAXED))
		__atomic_store_n(&stream->limit, 0, __ATOMIC_RELAXED);
}

static void hand_over(struct stream *stream)
{
	handover_put(&stream->full, stream->current);
	stream->current = SEGMENT_NONE;
	if (stream->is_samples)
		drain_wake(stream->session);
	else
		drain_offer(stream->session, stream);
}

/* Not inlined, so that its copy of the header is not on the stack while a segment is written. */
static NOINLINE uint64_t open_segment(struct stream *stream, uint32_t index)
{
	struct segment_header *header = stream_segment(stream, index);
	struct ring_control *control = stream_control(stream);
	uint64_t sequence = control->position >> stream->shift;
	struct clock_triple clocks = clock_triple_now();

	/* O1: The old header becomes invalid before anything in it or after it changes. Pairs with A2, the reader's
	 * second read of the header. */
	__atomic_store_n(&header->sequence, 0, __ATOMIC_RELAXED);
	ck_pr_fence_store();

	struct segment_header filled = {
		.magic = SEGMENT_MAGIC,
		.sequence = sequence,
		.stream = stream->number,
		.ticks = clocks.ticks,
		.monotonic_ns = clocks.monotonic_ns,
		.realtime_ns = clocks.realtime_ns,
		.tid = stream->tid,
		.task = stream->now.task,
		.region = stream->now.region,
		.n_tasks = stream_n_tasks(stream),
		.n_regions = stream_n_regions(stream),
		.n_records = stream->n_records,
		.n_units = stream->n_units,
	};
	for (unsigned i = 0; i < LOSS_CAUSES; i++)
		filled.n_lost += control->lost[i];
	filled.checksum = segment_checksum(&filled);
	size_t rest = offsetof(struct segment_header, stream);
	header->magic = filled.magic;
	memcpy((unsigned char *)header + rest, (unsigned char *)&filled + rest, sizeof filled - rest);
	/* O2: The rest of the header is stored before its sequence. Pairs with A2, the reader's first read of the header. */
	__atomic_store_n(&header->sequence, sequence, __ATOMIC_RELEASE);

	__atomic_store_n(&control->n_tasks, filled.n_tasks, __ATOMIC_RELAXED);
	__atomic_store_n(&control->n_regions, filled.n_regions, __ATOMIC_RELAXED);
	stream_forget_units(stream); /* so that a segment can be understood without the ones before it */
	stream->current = index;
	stream->base = (uintptr_t)header - (sequence << stream->shift);
	stream->end = (sequence + 1) << stream->shift;
	uint64_t position = sequence << stream->shift | sizeof *header;
	ring_publish(stream, position);
	segment_admit(stream);
	return position;
}

/* If records were lost because there was no segment, the first records of the new one say how many. Returns the next
 * position. */
static uint64_t put_losses(struct stream *stream, uint64_t position, uint64_t time)
{
	static const unsigned causes[] = {loss_cause_full, loss_cause_io_error};
	for (unsigned i = 0; i < sizeof causes / sizeof *causes; i++) {
		uint64_t lost = stream_control(stream)->lost[causes[i]];
		uint64_t *said = &stream->lost_recorded[causes[i]];
		if (lost == *said)
			continue;
		ring_store(stream, position, time, record_head(EVENT_records_lost, causes[i], 0), lost - *said, 0);
		position += sizeof(struct record);
		ring_publish(stream, position);
		*said = lost;
	}
	return position;
}

/* Not inlined, so that the polling of switches takes no stack for its variables. */
static NOINLINE uint64_t next(struct stream *stream, uint64_t time)
{
	if (stream->current != SEGMENT_NONE) {
		segment_close(stream, 0);
		hand_over(stream);
	}
	uint32_t index = SEGMENT_NONE;
	unsigned taken = (unsigned)supply_take(stream, &index), cause = taken & ~(unsigned)FILE_LATER;
	stream->refused_until_ns = taken & FILE_LATER ? sys_clock_ns(CLOCK_MONOTONIC_COARSE) + REST_NS : 0;
	if (cause) {
		segment_lose(stream, cause, 1);
		return 0;
	}
	return put_losses(stream, open_segment(stream, index), time);
}

/* Was a file refused a moment ago, and has no other thread emptied a segment since? */
static bool rests(const struct stream *stream)
{
	return unlikely(stream->refused_until_ns) && stream->current == SEGMENT_NONE && !handover_has(&stream->empty) &&
	       !session_stopped(stream->session) && sys_clock_ns(CLOCK_MONOTONIC_COARSE) < stream->refused_until_ns;
}

NOINLINE uint64_t segment_next(struct stream *stream, uint64_t time)
{
	if (supply_drops_on(stream)) {
		segment_lose(stream, loss_cause_full, 1);
		return 0;
	}
	if (rests(stream)) {
		segment_lose(stream, loss_cause_io_error, 1);
		return 0;
	}
	struct guard guard = guard_enter();
	guard_hold_signals(&stream->signals_before);
	uint64_t position = next(stream, time);
	struct session *session = stream->session;
	if (session->switches.poll && stream_is_of_events(stream))
		session->switches.poll(session, stream);
	guard_let_signals(&stream->signals_before);
	guard_leave(guard);
	return position;
}

NOINLINE void segment_put_flush(struct stream *stream, uint64_t not_before)
{
	uint64_t begin = stream->flush_begin > not_before ? stream->flush_begin : not_before;
	uint64_t head = record_head(EVENT_buffer_flush, 0, stream->flush_bytes);
	stream->flush_bytes = 0;
	ring_append(stream, begin, head, stream->flush_end, 0);
}

NOINLINE bool ring_append_slow(struct stream *stream, uint64_t time, uint64_t head, uint64_t a, uint64_t b)
{
	uint64_t position = segment_next(stream, time);
	if (position == 0)
		return false;
	ring_store(stream, position, time, head, a, b);
	ring_publish(stream, position + sizeof(struct record));
	if (stream->flush_bytes)
		segment_put_flush(stream, time); /* the flush may have ended long ago, if the stream has had no owner since */
	return true;
}

void segment_flush(struct stream *stream)
{
	if (stream->current == SEGMENT_NONE)
		return;
	uint64_t signals;
	guard_hold_signals(&signals);
	segment_close(stream, 0);
	/* Relaxed: the hand-over that follows orders it (H1, D2). */
	__atomic_store_n(&stream->flush_upto, stream_segment(stream, stream->current)->sequence, __ATOMIC_RELAXED);
	hand_over(stream);
	supply_flush(stream);
	guard_let_signals(&signals);
}
