/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Does the drain thread have a processor that nobody else wants? It has normal priority, because a thread of a low one
 * delays the process's end: exit_group ends when every thread has had a processor once more. What keeps it off the
 * program's processors is this instead: it notices that it had to wait for one, and then goes away for a while, in
 * which threads write their own segments.
 *
 * How it notices:
 *   - Its policy is SCHED_BATCH: when it is woken, it interrupts no running thread. If it runs soon after it was woken,
 *     a processor was idle.
 *   - Before each write it yields. If that takes time, or if it was preempted since the last look, somebody else wants its
 *     processor.
 *
 * The drain thread calls everything here but drain_idle_takes() and drain_idle_is_due(), which threads ask that have a
 * full segment.
 */
#ifndef OTTER_RECORDER_DRAIN_IDLE_H
#define OTTER_RECORDER_DRAIN_IDLE_H

#include <stdbool.h>

#include "recorder/session.h"

/* The drain thread begins. With OTTER_FULL=drop it never goes away, as only it writes. */
void drain_idle_begin(struct session *session);

/* The drain thread was woken, and runs: goes away if that took long, and comes back if it did not. */
void drain_idle_woken(struct session *session);

/* Has the drain thread's processor been idle but for it? If not, it goes away. */
bool drain_idle_goes_on(struct session *session);

/* Is the drain thread away? Then it writes only what no thread of the program may write. */
bool drain_idle_is_away(const struct session *session);

/* Does the drain thread take segments of events at this moment? False: there is no drain thread, it is away, or
 * it was woken and has not run yet. */
bool drain_idle_takes(const struct session *session);

/* May the drain thread be woken for a segment of events? True if it is not away, or if it is time to try again. */
bool drain_idle_is_due(const struct session *session);

#endif
