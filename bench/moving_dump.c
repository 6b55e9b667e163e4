/* SPDX-License-Identifier: BSD-3-Clause
 *
 * moving_dump DIRECTORY ROUNDS NTH STREAMS: writes a dump of untied tasks on so many streams. Each task is suspended once;
 * of NTH tasks one goes on in another stream, and the others (all, if NTH is 0) go on in their own. So dumps that differ in
 * NTH alone have the same records but for that. Used by building.py.
 */
#include "tests/unit/dump_writer.h"

#include <stdlib.h>

#define STREAMS_MAX 4096

static struct dump_writer writer;
static uint64_t now_ticks = 1000, counters[STREAMS_MAX], begun[STREAMS_MAX], next_tasks[STREAMS_MAX];
static uint32_t n_streams;

static void put(uint32_t stream, unsigned kind, unsigned flags, uint64_t value, uint64_t a, uint64_t b)
{
	dump_writer_record(&writer, stream, now_ticks += 10, kind, flags, value, a, b);
}

static uint64_t implicit_of(uint32_t stream)
{
	return id_make(stream, stream == 0 ? 2 : 1);
}

static uint64_t create(uint32_t stream, uint64_t parent)
{
	put(stream, EVENT_task_create, task_flags_explicit | task_flags_untied, ++counters[stream], parent, 0x3000);
	return id_make(stream, counters[stream]);
}

static void schedule(uint32_t stream, unsigned status, uint64_t prior, uint64_t next)
{
	put(stream, EVENT_task_schedule, status, 0, prior, next);
}

static void barrier(uint32_t stream, unsigned kind)
{
	put(stream, kind, sync_kind_barrier_implicit_parallel, 0, implicit_of(stream), 0x2000);
}

/* Every stream begins its next task, which creates the one after it and is suspended; and then ends one. */
static void one_round(unsigned round, unsigned nth, int is_last)
{
	for (uint32_t i = 0; i < n_streams; i++) {
		uint64_t task = next_tasks[i];
		schedule(i, task_status_switch, implicit_of(i), task);
		next_tasks[i] = is_last ? 0 : create(i, task);
		schedule(i, task_status_switch, task, implicit_of(i));
		begun[i] = task;
	}
	for (uint32_t i = 0; i + 1 < n_streams; i++)
		if (nth != 0 && (round * (n_streams - 1) + i) % nth == 0) {
			uint64_t task = begun[i];
			begun[i] = begun[i + 1];
			begun[i + 1] = task;
		}
	for (uint32_t i = 0; i < n_streams; i++) {
		schedule(i, task_status_switch, implicit_of(i), begun[i]);
		schedule(i, task_status_complete, begun[i], implicit_of(i));
	}
}

int main(int argc, char **argv)
{
	if (argc != 5 || atoi(argv[4]) < 2 || atoi(argv[4]) > STREAMS_MAX)
		return 2;
	n_streams = (uint32_t)atoi(argv[4]);
	unsigned rounds = (unsigned)atoi(argv[2]), nth = (unsigned)atoi(argv[3]);
	dump_writer_init(&writer, argv[1]);
	writer.segment_bytes = 1 << 16;
	dump_writer_root(&writer, 0, now_ticks, 1, 1);
	put(0, EVENT_parallel_begin, parallel_flags_invoker_runtime | parallel_flags_team, 2, n_streams, 0x1000);
	for (uint32_t i = 0; i < n_streams; i++) {
		counters[i] = i == 0 ? 2 : 1;
		put(i, EVENT_implicit_task_begin, task_flags_implicit, counters[i], id_make(0, 2), n_streams | (uint64_t)i << 32);
		next_tasks[i] = create(i, implicit_of(i));
		barrier(i, EVENT_sync_region_begin);
	}
	for (unsigned round = 0; round < rounds; round++)
		one_round(round, nth, round + 1 == rounds);
	for (uint32_t i = 0; i < n_streams; i++) {
		barrier(i, EVENT_sync_region_end);
		put(i, EVENT_implicit_task_end, task_flags_implicit, 0, implicit_of(i), (uint64_t)i << 32);
	}
	put(0, EVENT_parallel_end, parallel_flags_team, 2, id_make(0, 1), 0x1000);
	put(0, EVENT_implicit_task_end, task_flags_initial, 0, id_make(0, 1), UINT64_C(1) << 32);
	put(0, EVENT_thread_detach, 0, 0, 4242, 0);
	dump_writer_finish(&writer);
	return 0;
}
