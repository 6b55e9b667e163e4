/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The floor tool: every callback takes the time stamp and stores 32 bytes to a hot buffer of its thread, which wraps; nothing ever
 * leaves the process. No recorder of time-stamped records can be cheaper.
 */
#include "common/clock.h"
#include "common/event.h"

#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES ((size_t)256 * 1024)

/* The next slot. A buffer lies at an address with the bit of BUFFER_BYTES clear, so that clearing this bit wraps. */
static _Thread_local struct record *next_slot __attribute__((tls_model("initial-exec")));

static inline void store(struct record *slot, uint64_t now, uint64_t kind)
{
	*slot = (struct record){now, kind, 0, 0};
	next_slot = (struct record *)((uintptr_t)(slot + 1) & ~(uintptr_t)BUFFER_BYTES);
}

static __attribute__((noinline, cold)) void store_first(uint64_t now, uint64_t kind)
{
	void *buffer = aligned_alloc(2 * BUFFER_BYTES, 2 * BUFFER_BYTES);
	if (buffer == NULL)
		abort();
	memset(buffer, 0, BUFFER_BYTES);
	store(buffer, now, kind);
}

static inline void tool_event(uint64_t kind)
{
	uint64_t now = clock_counter();
	if (__builtin_expect(next_slot != NULL, 1))
		store(next_slot, now, kind);
	else
		store_first(now, kind);
}

static void tool_end(void)
{
}

#include "bench/tools/callbacks.h"
