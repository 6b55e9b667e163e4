/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Argobots: one callback for all events of work units. It makes one record of its arguments and of the library's
 * answers to queries, which are needed where the thread's records do not imply them (unit_query.h). The caller's handle
 * is that of a unit, or NULL for an external thread; for finish, yield, suspend and cancel the library knows no caller.
 *
 * A stream is an OS thread, whatever execution stream the thread is: an event's handle is not always that of the thread
 * on which it happens (creation of an execution stream, cancellation). It is recorded where run, finish, yield and
 * suspend have it.
 *
 * The interface has one callback for all events. It calls a function for each event, so that no event saves registers
 * for another one; rare cases are functions of their own for the same reason. It runs on the thread where the event
 * happens, on the stack of the current unit.
 */
#include "recorder/abt/unit_query.h"

/* ---- The execution stream of this OS thread ---- */

static NOINLINE void put_xstream(uint64_t time, abt_handle xstream)
{
	struct stream *stream = record_enter_again(&time);
	if (!stream)
		return;
	int rank = -1;
	if (abt.rank)
		abt.rank(xstream, &rank);
	stream->xstream = xstream;
	record_put(stream, time, record_head(EVENT_unit_xstream, 0, 0), abt_address(xstream),
		   rank < 0 ? UINT64_MAX : (uint64_t)rank);
	record_leave(stream);
}

static inline void note_xstream(uint64_t time, abt_handle xstream)
{
	if (unlikely(tls_stream->xstream != xstream))
		put_xstream(time, xstream);
}

/* ---- Stops ---- */

/* For a unit that stops and is not the one that ran last by the records. Returns its FLAGS_HI8. */
static NOINLINE uint64_t query_stopped(uint64_t time, abt_handle xstream, abt_handle context, uint64_t event)
{
	if (tls_stream != STREAM_NONE && tls_stream != STREAM_CHANGING)
		stream_forget_units(tls_stream);
	note_xstream(time, xstream);
	return query_depth(context, event);
}

/* Returns the FLAGS_HI8 of a unit that stops running with this event. */
static inline uint64_t stop(uint64_t time, abt_handle unit, abt_handle xstream, abt_handle context, uint64_t event)
{
	struct stream *stream = tls_stream;
	if (unlikely(stream->unit != unit))
		return query_stopped(time, xstream, context, event);
	stream->running = NULL;
	return stream->depth;
}

/* ---- Creation ---- */

#define KIB 1024u

struct creation {
	uint64_t function;
	size_t stack_bytes; /* 0: a tasklet */
};

static inline struct creation query_creation(abt_handle unit)
{
	void (*function)(void *);
	size_t stack_bytes;
	if (!abt.function || abt.function(unit, &function) != ABT_SUCCESS)
		function = NULL;
	if (!abt.stack_bytes || abt.stack_bytes(unit, &stack_bytes) != ABT_SUCCESS)
		stack_bytes = 0;
	return (struct creation){(uint64_t)(uintptr_t)function, stack_bytes};
}

/* Does it fit into a unit_spawn record? */
static inline bool is_short(const struct creation *creation)
{
	return creation->stack_bytes % KIB == 0 && creation->stack_bytes / KIB <= RECORD_FLAGS_MASK;
}

static NOINLINE void put_created_slow(uint64_t time, uint64_t head, uint64_t unit, uint64_t caller, const struct record *more)
{
	struct stream *stream = record_enter_again(&time);
	if (!stream)
		return;
	if (record_is_on(stream, time)) {
		struct ring_group group = ring_group_begin(stream);
		ring_group_append(&group, time, head, unit, caller);
		stream->n_units += group.position != 0; /* before a segment that the second record may open */
		ring_group_append(&group, more->time, more->head, more->a, more->b);
		ring_group_end(&group);
	}
	record_leave(stream);
}

static NOINLINE void put_created(uint64_t time, uint64_t head, abt_handle unit, abt_handle xstream, uint64_t caller,
				 const struct creation *creation)
{
	struct stream *stream = tls_stream;
	const struct record more = {.time = abt_address(xstream),
				    .head = record_head(EVENT_unit_more, 0, creation->stack_bytes),
				    .a = creation->function};
	uint64_t position;
	if (unlikely(!record_begin(stream, 2, &position))) {
		put_created_slow(time, head, record_address(unit), caller, &more);
		return;
	}
	ring_store(stream, position, time, head, record_address(unit), caller);
	ring_store(stream, position + sizeof more, more.time, more.head, more.a, more.b);
	ring_publish(stream, position + 2 * sizeof more);
	stream->n_units++;
	record_leave(stream);
}

/*
 * ---- Polling ----
 *
 * A unit that waits by polling (the joiner of a tasklet, a second joiner) yields and runs again at once, as fast as the
 * scheduler can: millions of equal pairs. From the second pair on, a pair is counted in a unit_polls record after the
 * first pair. The record of the yield is taken back when the run shows that no other record is between them, and the count
 * and the time of the last poll are updated in its place. Both are in the open segment, which is read only where the
 * process still runs or has died: its reader finds the yield, or a count that includes it, and never more than happened.
 */

/* Has the unit that is about to run here run elsewhere since it yielded here, or is it another unit with the same
 * handle? Until the unit runs, version 1.2 keeps the execution stream where it ran last. Version 1.1 does not, so that
 * polls of a unit that several streams run alternately may be counted as one stream's. */
static bool has_been_elsewhere(const struct stream *stream)
{
	abt_handle last;
	return abt.last_xstream && abt.last_xstream(stream->unit, &last) == ABT_SUCCESS && last != stream->xstream;
}

/* Counts a poll in place of a record, if this run is the second half of a pair that equals the previous pair. The run
 * has this head, is of `unit`, follows `previous`, and would be recorded at `position`. The segment is open. Returns
 * false if it is no such run: then nothing has changed. */
static NOINLINE bool is_counted(struct stream *stream, uint64_t position, uint64_t time, uint64_t head, uint64_t unit,
				uint64_t previous)
{
	const uint64_t size = sizeof(struct record);
	if (stream_offset(stream, position) < sizeof(struct segment_header) + 3 * size)
		return false;
	struct record *yield = (struct record *)(stream->base + position - size);
	if (record_kind(yield) != EVENT_unit_yield || yield->a != unit || (yield->head ^ head) >> (RECORD_FLAGS_SHIFT + 4) & 0xff)
		return false;
	if (has_been_elsewhere(stream))
		return false;
	struct record *before = yield - 1;
	if (record_kind(before) == EVENT_unit_polls && before->a == yield->a && before->b == yield->b &&
	    record_flags(before) == record_flags(yield)) {
		ring_publish(stream, position - size);
		__atomic_store_n(&before->head, before->head + (UINT64_C(1) << RECORD_VALUE_SHIFT), __ATOMIC_RELAXED);
		__atomic_store_n(&before->time, time, __ATOMIC_RELAXED);
		return true;
	}
	const struct record *first = yield - 2;
	if (before->head != head || before->a != unit || before->b != previous || first->head != yield->head ||
	    first->a != yield->a || first->b != yield->b)
		return false;
	ring_publish(stream, position - size);
	ring_store(stream, position - size, time, record_head(EVENT_unit_polls, record_flags(yield), 1), yield->a, yield->b);
	ring_publish(stream, position);
	return true;
}

/* ---- The callback, with a function for each event ---- */

typedef void unit_event(abt_handle unit, abt_handle xstream, uint64_t time, abt_handle context, uint64_t event);

static HOT NO_CANARY void on_create(abt_handle unit, abt_handle xstream, uint64_t time, abt_handle context, uint64_t event)
{
	uint64_t pool = query_pool(context, event);
	const struct creation creation = query_creation(unit);
	struct stream *stream = tls_stream;
	uint64_t position;
	if (likely(is_of_running(stream, xstream) && event == ABT_CREATE && is_short(&creation) &&
		   record_begin(stream, 1, &position))) {
		uint64_t head = record_head(EVENT_unit_spawn, creation.stack_bytes / KIB, pool);
		stream->n_units++;
		record_end(stream, position, time, head, record_address(unit), creation.function);
		return;
	}
	enum event_kind kind = event == ABT_CREATE ? EVENT_unit_create : EVENT_unit_revive;
	put_created(time, record_head(kind, 0, pool), unit, xstream, query_caller(xstream, context, event), &creation);
}

/* Records an event that has a caller and nothing else, where the caller has to be queried. */
static NOINLINE NO_CANARY void put_queried(uint64_t time, uint64_t head, abt_handle unit, abt_handle context, uint64_t event)
{
	record_one(time, head, record_address(unit), query_handle(context, event, ABT_QUERY_CALLER));
}

static HOT NO_CANARY void on_join(abt_handle unit, abt_handle xstream, uint64_t time, abt_handle context, uint64_t event)
{
	const struct stream *stream = tls_stream;
	const uint64_t head = record_head(EVENT_unit_join, 0, 0);
	if (is_of_running(stream, xstream))
		record_one(time, head, record_address(unit), record_address(stream->running));
	else
		put_queried(time, head, unit, context, event);
}

static HOT NO_CANARY void on_free(abt_handle unit, abt_handle xstream, uint64_t time, abt_handle context, uint64_t event)
{
	const struct stream *stream = tls_stream;
	const uint64_t head = record_head(EVENT_unit_free, 0, 0);
	forget(unit);
	/* After a unit has stopped, and before another one runs, the caller is the scheduler: 0 in the record. */
	if (is_of_scheduler(stream, xstream) || is_of_running(stream, xstream))
		record_one(time, head, record_address(unit), record_address(stream->running));
	else
		put_queried(time, head, unit, context, event);
}

static NOINLINE void put_run_slow(uint64_t time, uint64_t head, abt_handle unit, uint64_t previous)
{
	struct stream *stream = record_enter_again(&time);
	if (!stream)
		return;
	stream_forget_units(stream);
	record_put(stream, time, head, record_address(unit), previous);
	record_leave(stream);
}

/* Records a run that may be a poll. */
static NOINLINE void put_run_again(uint64_t time, uint64_t head, abt_handle unit, uint64_t previous)
{
	struct stream *stream = tls_stream;
	uint64_t position;
	if (!record_begin(stream, 1, &position)) {
		put_run_slow(time, head, unit, previous);
		return;
	}
	stream->running = unit;
	if (is_counted(stream, position, time, head, record_address(unit), previous))
		record_leave(stream);
	else
		record_end(stream, position, time, head, record_address(unit), previous);
}

static inline void put_run(uint64_t time, uint64_t depth, abt_handle unit, uint64_t previous)
{
	struct stream *stream = tls_stream;
	const uint64_t head = record_head(EVENT_unit_run, depth, 0);
	uint64_t position;
	if (unlikely(stream->unit == unit && stream->depth == depth)) {
		put_run_again(time, head, unit, previous);
	} else if (likely(record_begin(stream, 1, &position))) {
		stream->unit = stream->running = unit;
		stream->depth = depth;
		record_end(stream, position, time, head, record_address(unit), previous);
	} else {
		put_run_slow(time, head, unit, previous);
	}
}

/* Records a run whose depth and scheduler are not known. */
static NOINLINE NO_CANARY void query_run(abt_handle unit, abt_handle xstream, uint64_t time, abt_handle context)
{
	note_xstream(time, xstream);
	uint64_t depth = query_depth(context, ABT_RUN);
	uint64_t previous = query_handle(context, ABT_RUN, ABT_QUERY_CALLER);
	struct stream *stream = tls_stream;
	if (stream->xstream == xstream) /* otherwise recording is off */
		stream->knows_scheduler = is_scheduler(stream, previous);
	put_run(time, depth, unit, previous);
}

static HOT NO_CANARY void on_run(abt_handle unit, abt_handle xstream, uint64_t time, abt_handle context, uint64_t event)
{
	const struct stream *stream = tls_stream;
	(void)event;
	if (likely(is_of_scheduler(stream, xstream)))
		put_run(time, stream->depth, unit, 0);
	else
		query_run(unit, xstream, time, context);
}

static HOT NO_CANARY void on_finish(abt_handle unit, abt_handle xstream, uint64_t time, abt_handle context, uint64_t event)
{
	uint64_t depth = stop(time, unit, xstream, context, event);
	record_one(time, record_head(EVENT_unit_finish, depth, 0), record_address(unit), 0);
}

static NO_CANARY void on_cancel(abt_handle unit, abt_handle xstream, uint64_t time, abt_handle context, uint64_t event)
{
	(void)xstream;
	(void)context;
	(void)event;
	forget(unit);
	record_one(time, record_head(EVENT_unit_cancel, 0, 0), record_address(unit), 0);
}

static HOT NO_CANARY void on_yield(abt_handle unit, abt_handle xstream, uint64_t time, abt_handle context, uint64_t event)
{
	(void)event;
	uint64_t sync = query_sync(context, ABT_YIELD);
	uint64_t object = query_object(context, ABT_YIELD, sync);
	uint64_t pool = query_pool(context, ABT_YIELD);
	uint64_t depth = stop(time, unit, xstream, context, ABT_YIELD);
	record_one(time, record_head(EVENT_unit_yield, depth | sync, pool), record_address(unit), object);
}

static HOT NO_CANARY void on_suspend(abt_handle unit, abt_handle xstream, uint64_t time, abt_handle context, uint64_t event)
{
	(void)event;
	uint64_t sync = query_sync(context, ABT_SUSPEND);
	uint64_t object = query_object(context, ABT_SUSPEND, sync);
	uint64_t depth = stop(time, unit, xstream, context, ABT_SUSPEND);
	record_one(time, record_head(EVENT_unit_suspend, depth | sync, 0), record_address(unit), object);
}

static HOT NO_CANARY void on_resume(abt_handle unit, abt_handle xstream, uint64_t time, abt_handle context, uint64_t event)
{
	(void)event;
	uint64_t pool = query_pool(context, ABT_RESUME);
	uint64_t caller = query_caller(xstream, context, ABT_RESUME);
	record_one(time, record_head(EVENT_unit_resume, 0, pool), record_address(unit), caller);
}

static void on_other(abt_handle unit, abt_handle xstream, uint64_t time, abt_handle context, uint64_t event)
{
	(void)xstream;
	(void)context;
	record_one(time, record_head(EVENT_unit_other, 0, 0), record_address(unit), event);
}

/* The functions by the number of the event's bit. */
static unit_event *const events[64] = {on_create,
				       on_join,
				       on_free,
				       on_create,
				       on_run,
				       on_finish,
				       on_cancel,
				       on_yield,
				       on_suspend,
				       on_resume,
				       [10 ... 63] = on_other};

HOT void on_unit_event(abt_handle unit, abt_handle xstream, uint64_t event, abt_handle context, void *user)
{
	uint64_t time = record_time();
	(void)user;
	events[(unsigned)__builtin_ctzll(event | UINT64_C(1) << 63)](unit, xstream, time, context, event);
}

void on_unit_event_chained(abt_handle unit, abt_handle xstream, uint64_t event, abt_handle context, void *user)
{
	on_unit_event(unit, xstream, event, context, user);
	/* K2: The pointer is read before the description of the callback. Pairs with K1 in on_register. */
	const struct abt_chain *chain = __atomic_load_n(&abt_chain, __ATOMIC_ACQUIRE);
	if (chain && chain->events & event)
		chain->function(unit, xstream, event, context, chain->user);
}
