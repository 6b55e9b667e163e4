/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Keeps the drain thread on idle processors. Its priority is normal, because a thread of low priority delays the process's
 * end: exit_group ends when every thread has run once more. Instead, the thread notices that it had to wait for a
 * processor, and then goes away for a while, in which threads of the program write their own segments.
 *
 * How it notices:
 *   - Its policy is SCHED_BATCH: when it is woken, it interrupts no running thread. If it runs soon after it was woken, a
 *     processor was idle.
 *   - Before each write it yields. If that takes time, or if it was preempted since the last check, another thread waits
 *     for its processor.
 *
 * All of this runs on the drain thread, but for drain_idle_is_away(), drain_idle_takes() and drain_idle_is_due(), which
 * threads with a full segment call as well.
 */
#ifndef OTTER_RECORDER_DRAIN_IDLE_H
#define OTTER_RECORDER_DRAIN_IDLE_H

#include <stdbool.h>
#include <stdint.h>

struct session;

/* Part of struct session. The drain thread alone uses away_ns and n_preemptions. */
struct drain_idle {
	bool stays;             /* it never goes away: only it writes, or a test acts in its place */
	uint32_t is_away;       /* 1: no processor is idle, threads write their own segments */
	uint64_t away_until_ns; /* it is not woken for their segments before that time */
	uint64_t woken_ns;      /* when it was woken last; 0: it has run since */
	uint64_t away_ns;       /* how long it stays away */
	uint64_t n_preemptions; /* when it last counted them */
};

/* To be called when the drain thread begins. With OTTER_FULL=drop it never goes away, as only it writes. */
void drain_idle_begin(struct session *session);

/* To be called when the drain thread was woken and runs: it goes away if that took long, else it is back. */
void drain_idle_woken(struct session *session);

/* Does no other thread wait for the drain thread's processor? If one does, the drain thread goes away. */
bool drain_idle_check(struct session *session);

/* Is the drain thread away? Then it writes only what threads of the program may not write. */
bool drain_idle_is_away(const struct session *session);

/* Does the drain thread take segments of events now? False: there is no drain thread, it is away, or it was woken and
 * has not run yet. */
bool drain_idle_takes(const struct session *session);

/* May the drain thread be woken for a segment of events? True if it is not away, or if it is time to try again. */
bool drain_idle_is_due(const struct session *session);

#endif
