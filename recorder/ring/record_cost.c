/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures what callbacks do for each record: they read the clock, and append on the fast path (record.h). The call
 * from the runtime and misses of the cache are not in the figure: it is the least that a record costs.
 */
#include "recorder/ring/record_cost.h"

#include <sys/mman.h>

#include "recorder/ring/record.h"
#include "recorder/system/sys.h"

#define RECORDS 256 /* a pass */
#define PASSES  10  /* the shortest one counts: no page fault, interrupt or other thread has delayed it */
#define BYTES   (STREAM_BYTES + RING_CONTROL_BYTES + RECORDS * sizeof(struct record))

/* Stands for a callback. It is not inlined, as the compiler would move parts of it out of the loop. */
NOINLINE static void append(struct stream *stream, uint64_t a)
{
	uint64_t time = clock_ticks(), position;
	if (likely(record_begin(stream, 1, &position)))
		record_end(stream, position, time, record_head(EVENT_task_create, 0, 0), a, 0);
}

uint64_t record_cost_ns(void)
{
	struct stream *stream = sys_mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!stream)
		return 0;
	uint64_t least_ns = UINT64_MAX;
	stream->base = (uintptr_t)stream + STREAM_BYTES + RING_CONTROL_BYTES;
	stream->limit = RECORDS * sizeof(struct record);
	for (unsigned pass = 0; pass < PASSES; pass++) {
		uint64_t begin_ns = clock_monotonic_ticks();
		stream_control(stream)->position = 0;
		for (uint64_t i = 0; i < RECORDS; i++)
			append(stream, i);
		uint64_t took_ns = clock_monotonic_ticks() - begin_ns;
		least_ns = took_ns < least_ns ? took_ns : least_ns;
	}
	sys_munmap(stream, BYTES);
	return (least_ns + RECORDS / 2) / RECORDS;
}
