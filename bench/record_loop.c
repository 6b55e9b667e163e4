/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The bare loop: what one record takes without a runtime around it, and below it the two steps that it is made of. Linked with the
 * recorder's own objects; the append is the inline function that the callbacks use. `record_loop STEP [COUNT]`, STEP one of
 *
 *   stamp    the time stamp alone
 *   store    the time stamp, and a store of 32 bytes to a hot 256 KiB buffer
 *   record   a record (OTTER_DIR, OTTER_DRAIN and the rest count as ever: the dump is a real one)
 *
 * Does COUNT (4 million) after an eighth of it to warm up, and prints one line:
 *
 *   threads=1 ops=N all_ops=N wall_ns=N cpu_ns=N chunk_ps=N
 *
 * chunk_ps: median over chunks of 1024 ops, picoseconds an op. Most chunks lie within a segment, so this is the append with the ring hot;
 * the opening and writing of segments is in wall_ns, and in cpu_ns what the drain thread does.
 */
#include "common/clock.h"
#include "recorder/record.h"
#include "recorder/session.h"
#include "recorder/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK        1024
#define BUFFER_BYTES ((size_t)256 * 1024)

static struct record *buffer; /* at an address with the bit of BUFFER_BYTES clear, so that clearing this bit wraps */

static void stamp(void)
{
	for (unsigned i = 0; i < CHUNK; i++) {
		uint64_t now = clock_ticks();
		__asm__ volatile("" : : "r"(now));
	}
}

static void store(void)
{
	for (unsigned i = 0; i < CHUNK; i++) {
		uint64_t now = clock_ticks();
		*buffer = (struct record){now, i, 0, 0};
		buffer = (struct record *)((uintptr_t)(buffer + 1) & ~(uintptr_t)BUFFER_BYTES);
	}
}

/* As a callback does it. */
static void record(void)
{
	for (unsigned i = 0; i < CHUNK; i++) {
		uint64_t time = clock_ticks();
		struct stream *stream = record_enter(time);
		if (!stream)
			return;
		record_put(stream, time, record_head(EVENT_task_schedule, task_status_switch, 0), i, i + 1);
		record_leave(stream);
	}
}

static void run(void (*step)(void), uint64_t n_chunks, uint64_t *chunk_ns)
{
	for (uint64_t i = 0; i < n_chunks; i++) {
		uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
		step();
		chunk_ns[i] = clock_ns(CLOCK_MONOTONIC) - begin_ns;
	}
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} steps[] = {{"stamp", stamp}, {"store", store}, {"record", record}};
	void (*step)(void) = NULL;
	for (size_t i = 0; argc >= 2 && i < sizeof steps / sizeof *steps; i++)
		if (strcmp(argv[1], steps[i].name) == 0)
			step = steps[i].run;
	uint64_t n_chunks = (argc == 3 ? strtoull(argv[2], NULL, 10) : 4000000) / CHUNK;
	if (step == NULL || argc > 3 || n_chunks == 0) {
		fprintf(stderr, "usage: record_loop stamp|store|record [COUNT]\n");
		return 2;
	}

	clock_choose();
	if (step == store) {
		buffer = aligned_alloc(2 * BUFFER_BYTES, 2 * BUFFER_BYTES);
		if (buffer != NULL)
			memset(buffer, 0, BUFFER_BYTES);
	}
	uint64_t *chunk_ns = calloc(n_chunks, sizeof *chunk_ns);
	if (chunk_ns == NULL || (step == store && buffer == NULL)) {
		fprintf(stderr, "record_loop: out of memory\n");
		return 1;
	}
	if (step == record && !session_begin()) {
		fprintf(stderr, "record_loop: cannot record: OTTER_VERBOSE=1 says why\n");
		return 1;
	}

	uint64_t n_warm_up = n_chunks / 8;
	run(step, n_warm_up, chunk_ns);
	uint64_t cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	uint64_t wall_ns = clock_ns(CLOCK_MONOTONIC);
	run(step, n_chunks, chunk_ns);
	wall_ns = clock_ns(CLOCK_MONOTONIC) - wall_ns;
	cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
	if (step == record)
		session_end("finalize");

	qsort(chunk_ns, n_chunks, sizeof *chunk_ns, compare);
	printf("threads=1 ops=%" PRIu64 " all_ops=%" PRIu64 " wall_ns=%" PRIu64 " cpu_ns=%" PRIu64 " chunk_ps=%" PRIu64 "\n",
	       n_chunks * CHUNK, (n_warm_up + n_chunks) * CHUNK, wall_ns, cpu_ns, chunk_ns[n_chunks / 2] * 1000 / CHUNK);
	free(chunk_ns);
	return 0;
}
