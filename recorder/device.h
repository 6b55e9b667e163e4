/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tracing of devices (OpenMP 5.1, 4.2.5): a device that offers it is asked for records of what it does, gets buffers to write them into, and
 * what comes back is recorded by whichever thread brings it.
 *
 *   device.c          the devices of a session, their buffers, and what they are told
 *   device_records.c  what a buffer holds, as records of the calling thread's stream
 *
 * A device whose lookup offers none of the entry points costs nothing and is not recorded here. All memory is the session's: one reservation
 * when the first device comes that can be traced. Nothing is ever taken from the program's allocator, and no callback waits.
 */
#ifndef OTTER_RECORDER_DEVICE_H
#define OTTER_RECORDER_DEVICE_H

#include <omp-tools.h>
#include <stdbool.h>
#include <stdint.h>

/* The entry points for tracing, in the order of the bits of device_entries in events.def. */
#define DEVICE_ENTRIES(ENTRY)                                                                                                      \
	ENTRY(get_device_num_procs)                                                                                                \
	ENTRY(get_device_time)                                                                                                     \
	ENTRY(translate_time)                                                                                                      \
	ENTRY(set_trace_ompt)                                                                                                      \
	ENTRY(set_trace_native)                                                                                                    \
	ENTRY(start_trace)                                                                                                         \
	ENTRY(pause_trace)                                                                                                         \
	ENTRY(flush_trace)                                                                                                         \
	ENTRY(stop_trace)                                                                                                          \
	ENTRY(advance_buffer_cursor)                                                                                               \
	ENTRY(get_record_type)                                                                                                     \
	ENTRY(get_record_ompt)                                                                                                     \
	ENTRY(get_record_native)                                                                                                   \
	ENTRY(get_record_abstract)

/* Each may be NULL. */
struct device_entries {
#define DEVICE_ENTRY_MEMBER(name) ompt_##name##_t name;
	DEVICE_ENTRIES(DEVICE_ENTRY_MEMBER)
#undef DEVICE_ENTRY_MEMBER
};

enum device_state { DEVICE_NONE, DEVICE_COMING, DEVICE_TRACED, DEVICE_GONE };

struct device {
	uint32_t state; /* enum device_state: the rest is set before it becomes TRACED */
	int32_t number;
	ompt_device_t *handle;
	struct device_entries entries;
};

/* A device is there, or goes: at the end of these callbacks, with the stream left, as the device may call back at once. */
void device_came(int number, ompt_device_t *handle, ompt_function_lookup_t lookup);
void device_goes(int number);

/* omp_control_tool: the devices are paused, resumed, flushed and stopped as the program is. Likewise with the stream left. */
enum device_command { DEVICE_RESUME, DEVICE_PAUSE, DEVICE_FLUSH, DEVICE_STOP };
void device_control(enum device_command command);

/* ---- between the two files ---- */

static inline bool device_has_state(const struct device *device, uint32_t state)
{
	return __atomic_load_n(&device->state, __ATOMIC_ACQUIRE) == state; /* V4: pairs with V3 in device_came and device_goes */
}

/* May the device's handle still be used? Behind its finalization a buffer may come, but the device is gone. */
static inline bool device_is_there(const struct device *device)
{
	return device_has_state(device, DEVICE_TRACED);
}

/* Reads the device's clock between two readings of ours, and records it. */
void device_record_clock(const struct device *device);

struct device_counts {
	uint32_t n_records, n_invalid;
};

/* Records what is in a buffer, from `cursor` on. */
struct device_counts device_record_buffer(const struct device *device, int number, ompt_buffer_t *buffer, size_t bytes,
					  ompt_buffer_cursor_t cursor);

#endif
