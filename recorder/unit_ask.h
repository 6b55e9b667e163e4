/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a callback asks Argobots about an event (ABT_tool_query_thread), and what it need not ask, because it is told by
 * the thread's own events before. Only what the interface defines for an event is asked. A query takes 1.3 to 2.5 ns, a
 * time stamp 3.
 *
 * Every unit that stops running on an execution stream reports it. So between a unit's run and its stop it is this unit
 * that does everything on the thread. When it has stopped, its scheduler goes on, without an event, or a unit to which
 * it hands over; so the unit that runs next has the depth of the one that has stopped. If a scheduler stops, too, that
 * is an event of another unit than the one that ran last.
 *
 * A segment is complete in itself: stream_forget_units() is called when one is opened, and then everything is asked
 * again. Included by callbacks_unit.c; everything runs on the stream's own thread.
 */
#ifndef OTTER_RECORDER_UNIT_ASK_H
#define OTTER_RECORDER_UNIT_ASK_H

#include "recorder/abt.h"
#include "recorder/record.h"

#define DEPTH_MAX 255u

/* The address of a unit that an event is about, or that runs: never a null handle. NULL stays 0. */
static inline uint64_t address_of(abt_handle unit)
{
	return (uint64_t)(uintptr_t)unit;
}

static inline uint64_t ask_handle(abt_handle context, uint64_t event, enum abt_query kind)
{
	abt_handle handle;
	return abt.query(context, event, kind, &handle) == ABT_SUCCESS ? abt_address(handle) : 0;
}

static inline unsigned ask_number(abt_handle context, uint64_t event, enum abt_query kind)
{
	int number;
	return abt.query(context, event, kind, &number) == ABT_SUCCESS ? (unsigned)number : 0;
}

/* Returns the depth of the event's unit, as FLAGS_HI8 has it. */
static inline uint64_t ask_depth(abt_handle context, uint64_t event)
{
	unsigned depth = ask_number(context, event, ABT_QUERY_DEPTH);
	return (uint64_t)(depth < DEPTH_MAX ? depth : DEPTH_MAX) << 4;
}

/* Returns what makes a unit stop, as FLAGS_LO4 has it. */
static inline uint64_t ask_sync(abt_handle context, uint64_t event)
{
	return ask_number(context, event, ABT_QUERY_SYNC_TYPE) & 0xf;
}

/* By the interface's definition there is no object if the program itself yields or suspends, nor for what the library
 * calls "other". */
static inline uint64_t ask_object(abt_handle context, uint64_t event, uint64_t sync)
{
	bool has_none = sync == unit_sync_unknown || sync == unit_sync_user || sync == unit_sync_other;
	return has_none ? 0 : ask_handle(context, event, ABT_QUERY_SYNC_OBJECT);
}

/* Returns the event's pool, as VALUE has it. */
static inline uint64_t ask_pool(abt_handle context, uint64_t event)
{
	return ask_handle(context, event, ABT_QUERY_POOL) >> 3;
}

/* ---- What the thread's events tell ---- */

/* Does the running unit do what the event is about? An event with another execution stream than the thread's has
 * another caller, or none: the creation of an execution stream, the join of a tasklet that waits for a unit. */
static inline bool is_of_running(const struct stream *stream, abt_handle xstream)
{
	return likely(stream->running && stream->xstream == xstream);
}

/* Does the scheduler below the unit that ran last do it? */
static inline bool is_of_scheduler(const struct stream *stream, abt_handle xstream)
{
	return stream->has_told && !stream->running && stream->xstream == xstream;
}

/* Returns who does what the event is about, as B has it. */
static inline uint64_t ask_caller(abt_handle xstream, abt_handle context, uint64_t event)
{
	const struct stream *stream = tls_stream;
	return is_of_running(stream, xstream) ? address_of(stream->running) : ask_handle(context, event, ABT_QUERY_CALLER);
}

/* The unit that runs next is one of those above the unit that ran before, or one that this one hands over to. Does the
 * answer `previous` name its scheduler? */
static inline bool is_scheduler(const struct stream *stream, uint64_t previous)
{
	bool is_last = previous == address_of(stream->unit);
	return stream->unit && (stream->running ? is_last : !is_last);
}

/* Another unit may get the handle that this one had. */
static inline void forget(abt_handle unit)
{
	if (tls_stream->unit == unit)
		tls_stream->unit = tls_stream->running = NULL;
}

#endif
