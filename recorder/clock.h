/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which clock this process records with, and its readings. clock_choose() runs before the first record; everything else may be called
 * from any thread and from signal handlers.
 */
#ifndef OTTER_RECORDER_CLOCK_H
#define OTTER_RECORDER_CLOCK_H

#include <stdbool.h>
#include "common/clock.h"
#include "recorder/compiler.h"

/* Does the processor's counter run evenly, whatever its frequency and sleep states? Else ticks are CLOCK_MONOTONIC in ns. */
extern HIDDEN bool clock_is_counter;

/* Is what clock_counter() returns a tick? Only x86-64 has counters that are not to be trusted. */
static inline bool clock_counter_is_ticks(void)
{
#if defined(__x86_64__)
	return clock_is_counter;
#else
	return true;
#endif
}

void clock_choose(void);

/* As meta names it: tsc, cntvct or monotonic. */
const char *clock_name(void);

/* The three clocks at one moment. */
struct clock_triple clock_triple_now(void);

/* Out of line: nothing of it is kept ready in registers on the way past it. */
NOINLINE uint64_t clock_monotonic_ticks(void);

static inline uint64_t clock_ticks(void)
{
	return likely(clock_counter_is_ticks()) ? clock_counter() : clock_monotonic_ticks();
}

#endif
