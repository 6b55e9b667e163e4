/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Argobots: one callback for everything that happens to work units; arguments and answers to one record. Only what the interface defines for
 * an event is asked (ABT_tool_query_thread). Whether the caller is a unit or an external thread is asked by its handle, which is NULL for the
 * latter by definition; for finish, yield, suspend and cancel the library has no caller to tell.
 *
 * An OS thread is a stream, whatever execution stream it is: the handle that comes with an event is not always that of the thread it comes on
 * (creation of an execution stream, cancellation). It is recorded where run, finish, yield and suspend say it.
 */
#include "recorder/abt.h"
#include "recorder/record.h"

#define DEPTH_MAX 255u

static inline uint64_t ask_handle(abt_handle context, uint64_t event, enum abt_query kind)
{
	abt_handle handle = NULL;
	abt.query(context, event, kind, &handle);
	return abt_address(handle);
}

static inline unsigned ask_number(abt_handle context, uint64_t event, enum abt_query kind)
{
	int number = 0;
	abt.query(context, event, kind, &number);
	return (unsigned)number;
}

/* FLAGS_HI8 */
static inline uint64_t ask_depth(abt_handle context, uint64_t event)
{
	unsigned depth = ask_number(context, event, ABT_QUERY_DEPTH);
	return (uint64_t)(depth < DEPTH_MAX ? depth : DEPTH_MAX) << 4;
}

/* Why a unit stops, and at which depth: FLAGS */
static inline uint64_t ask_stop(abt_handle context, uint64_t event)
{
	return ask_depth(context, event) | (ask_number(context, event, ABT_QUERY_SYNC_TYPE) & 0xf);
}

static inline uint64_t pool_value(uint64_t pool)
{
	return pool >> 3;
}

/* ---- Which execution stream is this OS thread? ---- */

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

static inline void see_xstream(uint64_t time, abt_handle xstream)
{
	if (unlikely(tls_stream->xstream != xstream))
		put_xstream(time, xstream);
}

/* ---- Creation ---- */

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

static inline void put_created(uint64_t time, uint64_t head, abt_handle unit, abt_handle xstream, uint64_t caller)
{
	struct stream *stream = tls_stream;
	void (*function)(void *) = NULL;
	size_t stack_bytes = 0;
	if (abt.function)
		abt.function(unit, &function);
	if (abt.stack_bytes)
		abt.stack_bytes(unit, &stack_bytes);
	const struct record more = {.time = abt_address(xstream),
				    .head = record_head(EVENT_unit_more, 0, stack_bytes),
				    .a = (uint64_t)(uintptr_t)function};
	uint64_t position;
	if (unlikely(!record_begin(stream, 2, &position))) {
		put_created_slow(time, head, abt_address(unit), caller, &more);
		return;
	}
	ring_store(stream, position, time, head, abt_address(unit), caller);
	ring_store(stream, position + sizeof more, more.time, more.head, more.a, more.b);
	ring_publish(stream, position + 2 * sizeof more);
	stream->n_units++;
	record_leave(stream);
}

/* ---- Polling ----
 *
 * A unit that waits by polling (the joiner of a tasklet, a second joiner) yields and runs again at once, as fast as the scheduler goes: millions
 * of pairs that say one thing. From the second one like it on, a pair is counted in a unit_polls record behind the first: the yield's record is
 * taken back when the run shows that nothing came in between, and the count and time of the last are brought up to date in their place. Both are
 * in the open segment, which nobody else reads but a reader of the memory of a process that runs or has died: it finds the yield, or the count with
 * it, and never more than happened.
 */

/* Is `run`, which would be at `position`, the second half of a pair like the one before it? Then that is counted. The segment is open. */
static bool is_counted(struct stream *stream, uint64_t position, const struct record *run)
{
	const uint64_t size = sizeof(struct record);
	if (stream_offset(stream, position) < sizeof(struct segment_header) + 3 * size)
		return false;
	struct record *yield = (struct record *)(stream->base + position - size);
	if (record_kind(yield) != EVENT_unit_yield || yield->a != run->a || (record_flags(yield) ^ record_flags(run)) >> 4)
		return false;
	struct record *before = yield - 1;
	if (record_kind(before) == EVENT_unit_polls && before->a == yield->a && before->b == yield->b &&
	    record_flags(before) == record_flags(yield)) {
		ring_publish(stream, position - size);
		__atomic_store_n(&before->head, before->head + (UINT64_C(1) << RECORD_VALUE_SHIFT), __ATOMIC_RELAXED);
		__atomic_store_n(&before->time, run->time, __ATOMIC_RELAXED);
		return true;
	}
	const struct record *first = yield - 2;
	if (before->head != run->head || before->a != run->a || before->b != run->b || first->head != yield->head ||
	    first->a != yield->a || first->b != yield->b)
		return false;
	ring_publish(stream, position - size);
	ring_store(stream, position - size, run->time, record_head(EVENT_unit_polls, record_flags(yield), 1), yield->a, yield->b);
	ring_publish(stream, position);
	return true;
}

static inline void put_run(uint64_t time, uint64_t depth, uint64_t unit, uint64_t previous)
{
	struct stream *stream = tls_stream;
	const struct record run = {.time = time, .head = record_head(EVENT_unit_run, depth, 0), .a = unit, .b = previous};
	uint64_t position;
	if (unlikely(!record_begin(stream, 1, &position)))
		record_one_slow(time, run.head, run.a, run.b);
	else if (is_counted(stream, position, &run))
		record_leave(stream);
	else
		record_end(stream, position, time, run.head, run.a, run.b);
}

/* ---- The callback ---- */

HOT void on_unit_event(abt_handle unit, abt_handle xstream, uint64_t event, abt_handle context, void *user)
{
	uint64_t time = record_time();
	const uint64_t a = abt_address(unit);
	(void)user;
	switch (event) {
	case ABT_RUN:
		see_xstream(time, xstream);
		put_run(time, ask_depth(context, event), a, ask_handle(context, event, ABT_QUERY_CALLER));
		break;
	case ABT_FINISH:
		see_xstream(time, xstream);
		record_one(time, record_head(EVENT_unit_finish, ask_depth(context, event), 0), a, 0);
		break;
	case ABT_YIELD:
		see_xstream(time, xstream);
		record_one(time,
			   record_head(EVENT_unit_yield, ask_stop(context, event),
				       pool_value(ask_handle(context, event, ABT_QUERY_POOL))),
			   a, ask_handle(context, event, ABT_QUERY_SYNC_OBJECT));
		break;
	case ABT_SUSPEND:
		see_xstream(time, xstream);
		record_one(time, record_head(EVENT_unit_suspend, ask_stop(context, event), 0), a,
			   ask_handle(context, event, ABT_QUERY_SYNC_OBJECT));
		break;
	case ABT_RESUME:
		record_one(time, record_head(EVENT_unit_resume, 0, pool_value(ask_handle(context, event, ABT_QUERY_POOL))), a,
			   ask_handle(context, event, ABT_QUERY_CALLER));
		break;
	case ABT_JOIN: record_one(time, record_head(EVENT_unit_join, 0, 0), a, ask_handle(context, event, ABT_QUERY_CALLER)); break;
	case ABT_FREE: record_one(time, record_head(EVENT_unit_free, 0, 0), a, ask_handle(context, event, ABT_QUERY_CALLER)); break;
	case ABT_CREATE:
	case ABT_REVIVE:
		put_created(time,
			    record_head(event == ABT_CREATE ? EVENT_unit_create : EVENT_unit_revive, 0,
					pool_value(ask_handle(context, event, ABT_QUERY_POOL))),
			    unit, xstream, ask_handle(context, event, ABT_QUERY_CALLER));
		break;
	case ABT_CANCEL: record_one(time, record_head(EVENT_unit_cancel, 0, 0), a, 0); break;
	default: record_one(time, record_head(EVENT_unit_other, 0, 0), a, event); break;
	}
	const struct abt_chain *chain = __atomic_load_n(&abt_chain, __ATOMIC_ACQUIRE); /* K2: pairs with K1 in on_register */
	if (unlikely(chain != NULL) && chain->events & event)
		chain->function(unit, xstream, event, context, chain->user);
}
