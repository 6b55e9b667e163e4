/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The cost ladder: what one record takes, step by step, without a runtime around it. Linked with the recorder's own objects, so that the
 * upper rungs are the very code that a traced program runs:
 *
 *   loop        the loop alone
 *   bare        record_one() without a time stamp: what is otherwise done while the time stamp is waited for
 *   stamp       + the time stamp
 *   store       + 32 bytes to a hot buffer of 256 KiB, which wraps
 *   commit      the same through ring_append(): the position is loaded, compared with the segment's end, and stored (release)
 *   record      + record_one(): the stream out of TLS, marked busy and back, and is recording on?
 *   callback    + on_task_schedule() through a pointer: entry, arguments, ids
 *
 * One chunk of 1024 records of each, one rung after the other, over and over, so that all rungs are of the same moments. A rung's figure is
 * the median of its chunks; where a chunk filled a segment it is counted apart, and what it takes longer is the change of the segment.
 *
 *   change      callback, while pwrite() writes nothing: closing, handing over, opening
 *   write       callback, as it is: and the copy into the page cache
 *
 * With OTTER_DRAIN=auto (the environment counts as ever, the dump is a real one) `write` is the drain thread's. `ladder [CHUNKS]` prints a
 * line for each rung:
 *
 *   NAME ops=N wall_ns=N chunk_ps=N change_ns=N [cpu_ns=N]
 *
 * ops, wall_ns and, for the last two, cpu_ns (of all threads) are of the whole rung; chunk_ps is the median of the chunks within a segment, picoseconds a
 * record; change_ns what the median of the others took longer, by segment.
 */
#include "common/clock.h"
#include "recorder/omp/callbacks.h"
#include "recorder/ring/record.h"
#include "recorder/ring/stream.h"
#include "recorder/session/session_life.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define CHUNK        1024
#define BUFFER_BYTES ((size_t)256 * 1024)

/* ---- pwrite: the C library's, or nothing ---- */

static bool writes_nothing; /* looked at by the drain thread, too: only changed while it has nothing to do */

ssize_t pwrite(int fd, const void *bytes, size_t n_bytes, off_t offset)
{
	static ssize_t (*next)(int, const void *, size_t, off_t);
	if (__atomic_load_n(&writes_nothing, __ATOMIC_RELAXED))
		return (ssize_t)n_bytes;
	if (next == NULL)
		*(void **)&next = dlsym(RTLD_NEXT, "pwrite");
	return next(fd, bytes, n_bytes, offset);
}

/* ---- The rungs ---- */

static struct record *slot; /* at an address with the bit of BUFFER_BYTES clear, so that clearing this bit wraps */
static struct stream *own;
static ompt_data_t tasks[2];
static void (*volatile callback)(ompt_data_t *, ompt_task_status_t, ompt_data_t *) = on_task_schedule;

static void rung_loop(void)
{
	for (unsigned i = 0; i < CHUNK; i++)
		__asm__ volatile("");
}

static void rung_bare(void)
{
	for (unsigned i = 0; i < CHUNK; i++)
		record_one(i, record_head(EVENT_task_schedule, task_status_switch, 0), i, i + 1);
}

static void rung_stamp(void)
{
	for (unsigned i = 0; i < CHUNK; i++) {
		uint64_t now = clock_ticks();
		__asm__ volatile("" : : "r"(now));
	}
}

static void rung_store(void)
{
	for (unsigned i = 0; i < CHUNK; i++) {
		uint64_t now = clock_ticks();
		*slot = (struct record){now, i, 0, 0};
		slot = (struct record *)((uintptr_t)(slot + 1) & ~(uintptr_t)BUFFER_BYTES);
	}
}

static void rung_commit(void)
{
	for (unsigned i = 0; i < CHUNK; i++)
		ring_append(own, clock_ticks(), record_head(EVENT_task_schedule, task_status_switch, 0), i, i + 1);
}

static void rung_record(void)
{
	for (unsigned i = 0; i < CHUNK; i++)
		record_one(clock_ticks(), record_head(EVENT_task_schedule, task_status_switch, 0), i, i + 1);
}

static void rung_callback(void)
{
	for (unsigned i = 0; i < CHUNK; i++)
		callback(&tasks[i & 1], ompt_task_switch, &tasks[~i & 1]);
}

struct rung {
	const char *name;
	void (*run)(void);
	uint64_t *hot, *full; /* ticks of the chunks within a segment, and of those that filled one */
	size_t n_hot, n_full;
	uint64_t wall_ticks;
};

static uint64_t segment_now(void)
{
	return stream_control(own)->position >> own->shift;
}

static void run_chunk(struct rung *rung)
{
	uint64_t segment = segment_now();
	uint64_t begin = clock_ticks();
	rung->run();
	uint64_t ticks = clock_ticks() - begin;
	rung->wall_ticks += ticks;
	if (segment_now() == segment)
		rung->hot[rung->n_hot++] = ticks;
	else
		rung->full[rung->n_full++] = ticks;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static double median(uint64_t *values, size_t n)
{
	qsort(values, n, sizeof *values, compare);
	return n ? (double)values[n / 2] : 0;
}

/* Runs the chunks of several rungs in turn, after an eighth of them to warm up, and prints them. */
static void climb(struct rung *rungs, size_t n_rungs, size_t n_chunks)
{
	for (size_t r = 0; r < n_rungs; r++) {
		rungs[r].hot = calloc(n_chunks, sizeof(uint64_t));
		rungs[r].full = calloc(n_chunks, sizeof(uint64_t));
		if (rungs[r].hot == NULL || rungs[r].full == NULL) {
			fprintf(stderr, "ladder: out of memory\n");
			exit(1);
		}
	}
	for (size_t i = 0; i < n_chunks / 8; i++)
		for (size_t r = 0; r < n_rungs; r++)
			rungs[r].run();
	uint64_t cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	uint64_t begin = clock_ticks(), begin_ns = clock_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; i < n_chunks; i++)
		for (size_t r = 0; r < n_rungs; r++)
			run_chunk(&rungs[r]);
	double ns_per_tick = (double)(clock_ns(CLOCK_MONOTONIC) - begin_ns) / (double)(clock_ticks() - begin);
	cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;

	for (size_t r = 0; r < n_rungs; r++) {
		double hot = median(rungs[r].hot, rungs[r].n_hot) * ns_per_tick;
		double full = rungs[r].n_full ? median(rungs[r].full, rungs[r].n_full) * ns_per_tick : hot;
		printf("%s ops=%zu wall_ns=%.0f chunk_ps=%.0f change_ns=%.0f", rungs[r].name, n_chunks * CHUNK,
		       (double)rungs[r].wall_ticks * ns_per_tick, hot * 1000 / CHUNK, full > hot ? full - hot : 0);
		if (n_rungs == 1)
			printf(" cpu_ns=%" PRIu64, cpu_ns);
		putchar('\n');
		free(rungs[r].hot);
		free(rungs[r].full);
	}
}

int main(int argc, char **argv)
{
	size_t n_chunks = argc == 2 ? strtoul(argv[1], NULL, 10) : 2000;
	if (argc > 2 || n_chunks == 0) {
		fprintf(stderr, "usage: ladder [CHUNKS]\n");
		return 2;
	}
	clock_choose();
	slot = aligned_alloc(2 * BUFFER_BYTES, 2 * BUFFER_BYTES);
	if (slot == NULL || !session_begin() || (own = record_enter(clock_ticks())) == NULL) {
		fprintf(stderr, "ladder: cannot record: OTTER_VERBOSE=1 says why\n");
		return 1;
	}
	memset(slot, 0, BUFFER_BYTES);
	record_leave(own);
	tasks[0].value = id_make(0, 1);
	tasks[1].value = id_make(0, 2);

	struct rung hot[] = {{.name = "loop", .run = rung_loop},        {.name = "bare", .run = rung_bare},
			     {.name = "stamp", .run = rung_stamp},      {.name = "store", .run = rung_store},
			     {.name = "commit", .run = rung_commit},    {.name = "record", .run = rung_record},
			     {.name = "callback", .run = rung_callback}};
	struct rung change = {.name = "change", .run = rung_callback}, write = {.name = "write", .run = rung_callback};
	__atomic_store_n(&writes_nothing, true, __ATOMIC_RELAXED);
	climb(hot, sizeof hot / sizeof *hot, n_chunks);
	climb(&change, 1, n_chunks);
	__atomic_store_n(&writes_nothing, false, __ATOMIC_RELAXED);
	climb(&write, 1, n_chunks);
	session_end("finalize");
	return 0;
}
