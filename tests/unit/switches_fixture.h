/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of threads that lose their processor share: records of the stream of switches.
 */
#ifndef OTTER_TESTS_SWITCHES_FIXTURE_H
#define OTTER_TESTS_SWITCHES_FIXTURE_H

#include "tests/unit/states_fixture.h"

#define MONOTONIC          500000 /* CLOCK_MONOTONIC is this much ahead of the ticks */
#define HEAD_OF(stream, n) ((uint64_t)(n) << 32 | (stream))

/* A look at a stream: everything from `from` to now, with n stretches, which follow. */
static inline void put_switches(uint32_t stream, bool is_first, uint64_t from, uint64_t to, unsigned n)
{
	dump_writer_record(&replay_writer, WRITER_SWITCHES, to, EVENT_switches, is_first, HEAD_OF(stream, n), MONOTONIC + from,
			   MONOTONIC + to);
}

static inline void put_off(unsigned why, uint64_t begin, uint64_t end, unsigned cpu, unsigned next_cpu)
{
	dump_writer_record(&replay_writer, WRITER_SWITCHES, MONOTONIC + begin, EVENT_off, why, cpu, end ? MONOTONIC + end : 0,
			   next_cpu);
}

#endif
