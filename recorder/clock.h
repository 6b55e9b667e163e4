/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses the clock that this process records with, and reads it. clock_choose() runs before the first record; all
 * other functions may be called on any thread and in signal handlers.
 */
#ifndef OTTER_RECORDER_CLOCK_H
#define OTTER_RECORDER_CLOCK_H

#include <stdbool.h>
#include "common/clock.h"
#include "recorder/compiler.h"

/* True where the processor's counter runs evenly, whatever its frequency and sleep states. Otherwise ticks are
 * CLOCK_MONOTONIC in ns. */
extern HIDDEN bool clock_is_counter;

/* Is the value of clock_counter() a time stamp? Only x86-64 has processors whose counter cannot be trusted. */
static inline bool clock_counter_is_ticks(void)
{
#if defined(__x86_64__)
	return clock_is_counter;
#else
	return true;
#endif
}

void clock_choose(void);

/* Returns the clock's name in meta: tsc, cntvct or monotonic. */
const char *clock_name(void);

/* Reads the three clocks as close to one moment as possible. */
struct clock_triple clock_triple_now(void);

/* CLOCK_MONOTONIC in ns. It is not inlined, so that callers save no registers for it. */
NOINLINE uint64_t clock_monotonic_ticks(void);

static inline uint64_t clock_ticks(void)
{
	return likely(clock_counter_is_ticks()) ? clock_counter() : clock_monotonic_ticks();
}

#endif
