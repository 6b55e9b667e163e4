/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/device_fixture.h"

#include <check.h>
#include <string.h>

#define LATER 100000 /* ticks at the program's end, later than all records */

const struct model *device_model(void)
{
	return &replay_trace.model;
}

uint64_t device_repair(const char *name)
{
	return replay_count_of(&device_model()->notes->repairs, name) + replay_count_of(&replay_graph.repairs, name);
}

uint64_t device_n_counted(void)
{
	return replay_n_repairs() + tally_total(&device_model()->notes->quirks);
}

void device_put(unsigned kind, unsigned flags, uint64_t value, uint64_t a, uint64_t b)
{
	replay_put(DEVICE_HERALD, kind, flags, value, a, b);
}

void device_put_more(unsigned kind, unsigned flags, uint64_t value, uint64_t time, uint64_t a, uint64_t b)
{
	dump_writer_record(&replay_writer, DEVICE_HERALD, time, kind, flags, value, a, b);
}

void device_dump_begin(void)
{
	dump_writer_root(&replay_writer, 0, replay_now, 1, 1);
	device_put(EVENT_thread_attach, 0, 0, 4243, 0);
}

void device_finish(enum graph_level level)
{
	replay_now = LATER;
	replay_put(0, EVENT_implicit_task_end, task_flags_initial, 0, id_make(0, 1), UINT64_C(1) << 32);
	replay_put(0, EVENT_thread_detach, 0, 0, 4242, 0);
	device_put(EVENT_thread_detach, 0, 0, 4243, 0);
	replay_build(level);
}

void device_announce(uint32_t device)
{
	replay_put(0, EVENT_device_initialize, 0, device, 0, 0);
}

void device_reading(uint32_t device, uint64_t ticks, uint64_t width, uint64_t device_time, uint64_t host_ns)
{
	device_put(EVENT_device_clock, 0, device, device_time, host_ns);
	device_put_more(EVENT_device_clock_more, 0, 0, 0, ticks - width / 2, ticks + width / 2);
}

void device_times(uint32_t device, uint64_t from, uint64_t to, uint64_t from_ns, uint64_t to_ns)
{
	device_put_more(EVENT_device_times, 0, device, from, to, 0);
	device_put_more(EVENT_device_host_times, 0, 0, 0, from_ns, to_ns);
}

void device_kernel(uint32_t device, uint64_t id, uint64_t from, uint64_t to, uint64_t from_ns, uint64_t to_ns)
{
	device_put(EVENT_device_kernel, 0, device, id, UINT64_C(3) << 32 | 8);
	device_times(device, from, to, from_ns, to_ns);
}

void device_plain_kernel(uint32_t device, uint64_t id, uint64_t from, uint64_t to)
{
	device_kernel(device, id, from, to, 0, 0);
}

void device_native(uint32_t device, uint64_t id, uint64_t hwid, uint64_t from, uint64_t to, const char *name)
{
	uint64_t words[3] = {0};
	memcpy(words, name, strlen(name));
	device_put(EVENT_device_native, device_native_class_event, device | (uint64_t)strlen(name) << 32, id, hwid);
	device_times(device, from, to, 0, 0);
	device_put_more(EVENT_text, (unsigned)strlen(name), 0, words[0], words[1], words[2]);
}

void device_plain_clock(uint32_t device)
{
	device_reading(device, 2000, 4, 2000, 0);
	device_reading(device, 90000, 4, 90000, 0);
}

const struct activity *device_activity(uint64_t id)
{
	for (uint32_t i = 1; i < device_model()->n_activities; i++)
		if (device_model()->activities[i].id == id)
			return &device_model()->activities[i];
	ck_abort_msg("no activity %lu", (unsigned long)id);
	return NULL;
}

void device_check_times(uint64_t id, uint64_t from, uint64_t to)
{
	ck_assert_uint_eq(device_activity(id)->begin_ticks, from);
	ck_assert_uint_eq(device_activity(id)->end_ticks, to);
}
