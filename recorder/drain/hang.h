/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Notices that a write to the dump's file system does not return: the file system is frozen, or its server does not answer.
 * Meanwhile threads of the program write nothing themselves: they pack into memory, and drop and count what has no room.
 * One write is timed at a time, which is the oldest one in most cases. Any thread calls these.
 */
#ifndef OTTER_RECORDER_HANG_H
#define OTTER_RECORDER_HANG_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/session/session.h"

#include "recorder/system/sys.h"

/* A disk that is only slow writes a segment in less: the kernel makes a thread that dirties too many pages sleep for 200 ms
 * at most. */
#define HANG_NS UINT64_C(250000000)

/* To be called before each call that may wait for the file system, and hang_write_ends() after it, with the result. */
static inline bool hang_write_begins(struct session *session)
{
	uint64_t none = 0;
	/* Relaxed, here and below: a time by itself, which nothing else depends on. */
	return __atomic_compare_exchange_n(&session->drain.writes_since_ns, &none, sys_clock_ns(CLOCK_MONOTONIC_COARSE), false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static inline void hang_write_ends(struct session *session, bool is_timed)
{
	if (is_timed)
		__atomic_store_n(&session->drain.writes_since_ns, 0, __ATOMIC_RELAXED);
}

static inline bool hang_is_seen(const struct session *session)
{
	uint64_t since_ns = __atomic_load_n(&session->drain.writes_since_ns, __ATOMIC_RELAXED);
	return since_ns && sys_clock_ns(CLOCK_MONOTONIC_COARSE) > since_ns + HANG_NS;
}

#endif
