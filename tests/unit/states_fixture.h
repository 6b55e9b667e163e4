/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of thread states share: how long a state lasted, and records that make one.
 */
#ifndef OTTER_TESTS_STATES_FIXTURE_H
#define OTTER_TESTS_STATES_FIXTURE_H

#include "tests/unit/replay_fixture.h"

/* Of one that comes last to the closing barrier: there is no other thread to wait for. */
#define TEAM_MEMBER "overhead work_parallel overhead"

static inline uint64_t ticks_in(uint32_t stream, enum state state)
{
	return replay_states.times[model_stream_row(&replay_trace.dump, stream)].ticks[state];
}

static inline void wait_begin(uint32_t stream, unsigned kind, uint64_t task)
{
	replay_put(stream, EVENT_sync_region_wait_begin, kind, 0, task, 0x2000);
}

static inline void wait_end(uint32_t stream, unsigned kind, uint64_t task)
{
	replay_put(stream, EVENT_sync_region_wait_end, kind, 0, task, 0x2000);
}

static inline void switch_task(uint32_t stream, unsigned status, uint64_t prior, uint64_t next)
{
	replay_put(stream, EVENT_task_schedule, status, 0, prior, next);
}

/* A team of two, whose worker (stream 1) begins now. */
static inline uint64_t begin_team(uint64_t *worker)
{
	uint64_t me = replay_begin_program(2);
	replay_put(1, EVENT_thread_attach, 0, 0, 4243, 0);
	replay_put(1, EVENT_thread_begin, thread_type_worker, 0, 0, 0);
	replay_begin_implicit(1, 1, 2, 2, 1);
	*worker = id_make(1, 1);
	return me;
}

#endif
