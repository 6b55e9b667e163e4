/* SPDX-License-Identifier: BSD-3-Clause
 *
 * golden_dumps NAME DIRECTORY: writes one of the dumps that tests/golden.py compares outputs of and that no real program leaves: "contradictory",
 * whose records cannot all be true, and "damaged", of which parts are missing.
 */
#include "tests/unit/dump_writer.h"

#include <stdio.h>
#include <string.h>

static struct dump_writer writer;
static uint64_t now_ticks = 1000;

static void put(uint32_t stream, unsigned kind, unsigned flags, uint64_t value, uint64_t a, uint64_t b)
{
	dump_writer_record(&writer, stream, now_ticks += 10, kind, flags, value, a, b);
}

static uint64_t create(uint64_t counter, uint64_t parent)
{
	put(0, EVENT_task_create, task_flags_explicit, counter, parent, 0x3000 + counter);
	return id_make(0, counter);
}

static void schedule(unsigned status, uint64_t prior, uint64_t next)
{
	put(0, EVENT_task_schedule, status, 0, prior, next);
}

static void lock(unsigned kind, uint64_t object)
{
	put(0, kind, mutex_kind_lock, 0, object, 0x5000);
}

/* A root thread begins a region and its implicit task on stream 0, whose id is returned. */
static uint64_t begin_program(unsigned threads)
{
	dump_writer_root(&writer, 0, now_ticks, 1, 1);
	put(0, EVENT_parallel_begin, parallel_flags_invoker_runtime | parallel_flags_team, 2, threads, 0x1000);
	put(0, EVENT_implicit_task_begin, task_flags_implicit, 2, id_make(0, 2), threads);
	return id_make(0, 2);
}

static void end_program(void)
{
	put(0, EVENT_implicit_task_end, task_flags_implicit, 0, id_make(0, 2), 0);
	put(0, EVENT_parallel_end, parallel_flags_team, 2, id_make(0, 1), 0x1000);
	put(0, EVENT_implicit_task_end, task_flags_initial, 0, id_make(0, 1), UINT64_C(1) << 32);
	put(0, EVENT_thread_detach, 0, 0, 4242, 0);
}

/* Each record can be read, and what it says cannot be after what the records before it said. */
static void contradictory(void)
{
	uint64_t me = begin_program(1), first = create(3, me), second = create(4, me), third = create(5, second);
	schedule(task_status_switch, me, first);
	schedule(task_status_cancel, second, second); /* `first` is running */
	schedule(task_status_complete, first, me);
	schedule(task_status_complete, third, me);       /* nobody is running it */
	schedule(task_status_switch, me, id_make(0, 9)); /* nobody created it */
	schedule(task_status_complete, id_make(0, 9), me);
	put(0, EVENT_sync_region_begin, sync_kind_taskwait, 0, me, 0x2000);
	put(0, EVENT_sync_region_end, sync_kind_taskgroup, 0, me, 0x2000);
	for (int i = 0; i < 2; i++) {
		lock(EVENT_mutex_acquire, 0x77);
		lock(EVENT_mutex_acquired, 0x77);
	}
	lock(EVENT_mutex_released, 0x77);
	lock(EVENT_mutex_released, 0x78);
	end_program();
}

/* Stream 0 lacks its second segment, stream 1 lost records and was not ended, and the process was killed. */
static void damaged(void)
{
	uint64_t me = begin_program(2), task = create(3, me), other = id_make(1, 1);
	put(1, EVENT_thread_attach, 0, 0, 4243, 0);
	put(1, EVENT_implicit_task_begin, task_flags_implicit, 1, id_make(0, 2), 2 | UINT64_C(1) << 32);
	put(1, EVENT_sync_region_begin, sync_kind_taskwait, 0, other, 0x2000);
	put(1, EVENT_records_lost, loss_cause_full, 0, 7, 0);
	put(1, EVENT_sync_region_begin, sync_kind_barrier_explicit, 0, other, 0x2100);
	schedule(task_status_switch, me, task);
	put(0, EVENT_sync_region_begin, sync_kind_taskwait, 0, task, 0x2000);
	dump_writer_close_segment(&writer, 0);
	put(0, EVENT_sync_region_end, sync_kind_taskwait, 0, task, 0x2000);
	schedule(task_status_complete, task, me);
	dump_writer_close_segment(&writer, 0);
	create(4, me);
	end_program();
	writer.streams[0].missing = 2;
	writer.streams[1].is_live = true;
	writer.streams[1].place = WRITER_RING;
	writer.is_killed = true;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*write)(void);
	} dumps[] = {{"contradictory", contradictory}, {"damaged", damaged}};
	for (size_t i = 0; argc == 3 && i < sizeof dumps / sizeof *dumps; i++)
		if (strcmp(argv[1], dumps[i].name) == 0) {
			dump_writer_init(&writer, argv[2]);
			dumps[i].write();
			dump_writer_finish(&writer);
			return 0;
		}
	fprintf(stderr, "usage: golden_dumps contradictory|damaged DIRECTORY\n");
	return 2;
}
