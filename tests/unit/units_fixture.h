/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of Argobots' work units share: functions that append records of units to a stream, and what a visitor
 * of the replay is told about them.
 */
#ifndef OTTER_TESTS_UNITS_FIXTURE_H
#define OTTER_TESTS_UNITS_FIXTURE_H

#include "tests/unit/replay_fixture.h"

#include <check.h>

#define PRIMARY  0x9000
#define SCHED    0x9100
#define XSTREAM  0x100
#define U        0x1000
#define V        0x2000
#define FUNCTION 0x5000
#define STACK    16384
#define POOL     0x800

/* ---- Writing ---- */

static inline void put(uint32_t stream, unsigned kind, unsigned flags, uint64_t a, uint64_t b)
{
	replay_put(stream, kind, flags, 0, a, b);
}

static inline void attach(uint32_t stream)
{
	put(stream, EVENT_thread_attach, 0, 100 + stream, UINT64_MAX);
}

static inline void detach(uint32_t stream)
{
	put(stream, EVENT_thread_detach, 0, 100 + stream, 0);
}

static inline void begin(void)
{
	attach(0);
	put(0, EVENT_unit_begin, 0, PRIMARY, XSTREAM);
}

static inline void end(void)
{
	put(0, EVENT_unit_end, 0, 0, 0);
	detach(0);
}

static inline void creation(unsigned kind, uint32_t stream, uint64_t unit, uint64_t caller, uint64_t stack_bytes)
{
	replay_put(stream, kind, 0, stack_bytes != 0 ? POOL / 8 : 0, unit, caller);
	dump_writer_record(&replay_writer, stream, 0, EVENT_unit_more, 0, stack_bytes, FUNCTION, 0);
}

static inline void create(uint32_t stream, uint64_t unit, uint64_t caller)
{
	creation(EVENT_unit_create, stream, unit, caller, STACK);
}

static inline void run_unit(uint32_t stream, uint64_t unit, uint64_t previous, unsigned depth)
{
	put(stream, EVENT_unit_run, depth << 4, unit, previous);
}

static inline void finish(uint32_t stream, uint64_t unit, unsigned depth)
{
	put(stream, EVENT_unit_finish, depth << 4, unit, 0);
}

static inline void yield(uint32_t stream, uint64_t unit, unsigned sync, uint64_t object)
{
	put(stream, EVENT_unit_yield, 1 << 4 | sync, unit, object);
}

static inline void suspend(uint32_t stream, uint64_t unit, unsigned sync, uint64_t object)
{
	put(stream, EVENT_unit_suspend, 1 << 4 | sync, unit, object);
}

static inline void resume(uint32_t stream, uint64_t unit, uint64_t waker)
{
	put(stream, EVENT_unit_resume, 0, unit, waker);
}

/* Appends the whole story of a unit: the caller creates, joins and frees it, and it runs on the same stream. */
static inline void whole_unit(uint32_t stream, uint64_t unit, uint64_t caller)
{
	create(stream, unit, caller);
	suspend(stream, caller, unit_sync_unit_join, unit);
	run_unit(stream, unit, SCHED, 1);
	finish(stream, unit, 1);
	resume(stream, caller, unit);
	run_unit(stream, caller, unit, 1);
	put(stream, EVENT_unit_join, 0, unit, caller);
	put(stream, EVENT_unit_free, 0, unit, caller);
}

/* ---- Reading ---- */

/*
 * Builds the dump, and replays it for a visitor that writes a word for each event: "create2<1" (unit 1 creates unit 2),
 * "run3>2" (2 runs above 3), ... Valid until the next call.
 */
const char *units_told(void);

/* Fails unless every edge of the graph that was built has its nodes, and the graph has no cycle. */
void units_check_graph(void);

static inline const struct work_unit *unit(uint32_t row)
{
	ck_assert_uint_lt(row, replay_trace.model.n_units);
	return &replay_trace.model.units[row];
}

static inline uint64_t repairs(const char *name)
{
	return replay_count_of(&replay_trace.model.notes->repairs, name);
}

static inline uint64_t quirks(const char *name)
{
	return replay_count_of(&replay_trace.model.notes->quirks, name);
}

#endif
