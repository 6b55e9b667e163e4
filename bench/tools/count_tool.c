/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The counting tool: says on stderr how many callbacks came. It gives the divisor of "ns per callback", and is what the number of
 * records in a dump is compared with; it is never timed.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

static _Atomic uint64_t n_events;

static inline void tool_event(uint64_t kind)
{
	(void)kind;
	atomic_fetch_add_explicit(&n_events, 1, memory_order_relaxed);
}

static void tool_end(void)
{
	fprintf(stderr, "callbacks %" PRIu64 "\n", atomic_load(&n_events));
}

#include "bench/tools/callbacks.h"
