/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Queries to Argobots about an event (ABT_tool_query_thread), and the rules by which the thread's earlier events make a
 * query unnecessary. A callback queries only properties that the interface defines for its event. A query takes 1.3 to
 * 2.5 ns, a time stamp 3. All of this runs on the stream's own thread.
 *
 * Every unit that stops running on an execution stream has an event. So between a unit's run and its stop this unit
 * does everything on the thread. When it has stopped, its scheduler continues, without an event, or a unit to which it
 * yields directly; so the unit that runs next has the depth of the one that has stopped. If a scheduler stops, too,
 * that is an event of another unit than the one that ran last.
 *
 * A segment is complete in itself: stream_forget_units() is called when one is opened, and then everything is queried
 * again.
 */
#ifndef OTTER_RECORDER_UNIT_QUERY_H
#define OTTER_RECORDER_UNIT_QUERY_H

#include "recorder/abt/abt.h"
#include "recorder/ring/record.h"

#define DEPTH_MAX 255u

static inline uint64_t query_handle(abt_handle context, uint64_t event, enum abt_query kind)
{
	abt_handle handle;
	return abt.query(context, event, kind, &handle) == ABT_SUCCESS ? abt_address(handle) : 0;
}

static inline unsigned query_number(abt_handle context, uint64_t event, enum abt_query kind)
{
	int number;
	return abt.query(context, event, kind, &number) == ABT_SUCCESS ? (unsigned)number : 0;
}

/* Returns the depth of the event's unit, as FLAGS_HI8 has it. */
static inline uint64_t query_depth(abt_handle context, uint64_t event)
{
	unsigned depth = query_number(context, event, ABT_QUERY_DEPTH);
	return (uint64_t)(depth < DEPTH_MAX ? depth : DEPTH_MAX) << 4;
}

/* Returns what makes a unit stop, as FLAGS_LO4 has it. */
static inline uint64_t query_sync(abt_handle context, uint64_t event)
{
	return query_number(context, event, ABT_QUERY_SYNC_TYPE) & 0xf;
}

/* By the interface's definition there is no object if the program itself yields or suspends, nor for what the library
 * calls "other". */
static inline uint64_t query_object(abt_handle context, uint64_t event, uint64_t sync)
{
	bool has_none = sync == unit_sync_unknown || sync == unit_sync_user || sync == unit_sync_other;
	return has_none ? 0 : query_handle(context, event, ABT_QUERY_SYNC_OBJECT);
}

/* Returns the event's pool, as VALUE has it. */
static inline uint64_t query_pool(abt_handle context, uint64_t event)
{
	return query_handle(context, event, ABT_QUERY_POOL) >> 3;
}

/* ---- Known by the thread's events ---- */

/* Is the running unit the event's caller? An event with another execution stream than the thread's has another caller,
 * or none: the creation of an execution stream, the join of a tasklet that waits for a unit. */
static inline bool is_of_running(const struct stream *stream, abt_handle xstream)
{
	return likely(stream->running && stream->xstream == xstream);
}

/* Is the scheduler of the unit that ran last the event's caller? */
static inline bool is_of_scheduler(const struct stream *stream, abt_handle xstream)
{
	return stream->knows_scheduler && !stream->running && stream->xstream == xstream;
}

/* Returns the event's caller, as B has it. */
static inline uint64_t query_caller(abt_handle xstream, abt_handle context, uint64_t event)
{
	const struct stream *stream = tls_stream;
	return is_of_running(stream, xstream) ? record_address(stream->running) : query_handle(context, event, ABT_QUERY_CALLER);
}

/* Is `previous`, the library's answer for a run, the scheduler of the unit that runs? If the last unit has not stopped,
 * it is that scheduler. If it has, the answer is the scheduler, unless it is the last unit itself, which has yielded
 * directly to this one. */
static inline bool is_scheduler(const struct stream *stream, uint64_t previous)
{
	bool is_last = previous == record_address(stream->unit);
	return stream->unit && (stream->running ? is_last : !is_last);
}

/* Another unit may get the handle that this one had. */
static inline void forget(abt_handle unit)
{
	if (tls_stream->unit == unit)
		tls_stream->unit = tls_stream->running = NULL;
}

#endif
