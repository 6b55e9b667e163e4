/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tracing of devices (OpenMP 5.1, section 4.2.5): the recorder makes a device that offers it trace its operations, and
 * gives it buffers for its records. The thread that delivers a buffer records its contents.
 *
 *   device.c          the devices of a session, their buffers, and the commands that they get
 *   device_records.c  makes records of the calling thread's stream from the contents of a buffer
 *
 * A device whose lookup offers none of the entry points costs nothing and is not recorded here. All memory is the
 * session's: one reservation, made when the first device is initialised that can be traced. Nothing is taken from the
 * program's allocator, and no callback waits. All of this runs in callbacks, and on the runtime's own threads, which
 * deliver buffers.
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

/* A device may lack any of them: then it is NULL here. */
struct device_entries {
#define DEVICE_ENTRY_MEMBER(name) ompt_##name##_t name;
	DEVICE_ENTRIES(DEVICE_ENTRY_MEMBER)
#undef DEVICE_ENTRY_MEMBER
};

enum device_state { DEVICE_NONE, DEVICE_CLAIMED, DEVICE_TRACED, DEVICE_FINALIZED };

struct traced_device {
	uint32_t state; /* enum device_state; all other members are set before it becomes DEVICE_TRACED */
	int32_t number;
	ompt_device_t *handle;
	struct device_entries entries;
};

/* To be called at the end of the callbacks of the same name, when the callback has left the stream: the device may call
 * back at once. */
void device_initialized(int number, ompt_device_t *handle, ompt_function_lookup_t lookup);
void device_finalized(int number);

/* Pauses, resumes, flushes and stops devices together with the program (omp_control_tool). To be called when the
 * callback has left the stream. */
enum device_command { DEVICE_RESUME, DEVICE_PAUSE, DEVICE_FLUSH, DEVICE_STOP };
void device_control(enum device_command command);

/* ---- Between the two files ---- */

static inline bool device_has_state(const struct traced_device *device, uint32_t state)
{
	/* V4: The state is read before the handle and the entry points. Pairs with V3 in device_initialized and
	 * device_finalized. */
	return __atomic_load_n(&device->state, __ATOMIC_ACQUIRE) == state;
}

/* May the device's handle still be used? A buffer may arrive after the device's finalization. */
static inline bool device_is_traced(const struct traced_device *device)
{
	return device_has_state(device, DEVICE_TRACED);
}

/* Reads the device's clock between two readings of the host's clock, and records all three. */
void device_record_clock(const struct traced_device *device);

struct device_counts {
	uint32_t n_records, n_invalid;
};

/* Records the contents of a buffer of `bytes` bytes, from `cursor` on. `number`: the device number with which the
 * runtime delivered it. Returns how many records the buffer had, and how many of them could not be read. */
struct device_counts device_record_buffer(const struct traced_device *device, int number, ompt_buffer_t *buffer, size_t bytes,
					  ompt_buffer_cursor_t cursor);

#endif
