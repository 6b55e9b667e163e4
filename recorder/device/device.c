/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/device/device.h"

#include <string.h>
#include <sys/mman.h>

#include "recorder/guard.h"
#include "recorder/ring/record.h"
#include "recorder/session/meta.h"
#include "recorder/system/sys.h"

#define DEVICES_MAX         64
#define DEVICE_BUFFERS      64 /* as many as a word has bits */
#define DEVICE_BUFFER_BYTES (1 << 20)

/* The devices of a session. Made with the first device that can be traced. */
struct devices {
	struct traced_device table[DEVICES_MAX];
	uint64_t free_buffers; /* a bit for each buffer that no device has */
	uint32_t has_refused;  /* 1: meta has a note that there was no buffer */
	unsigned char *buffers;
};

static const struct {
	const char *name;
	uint32_t bit;
	size_t offset;
} entry_table[] = {
#define ENTRY(name) {"ompt_" #name, device_entries_##name, offsetof(struct device_entries, name)},
	DEVICE_ENTRIES(ENTRY)
#undef ENTRY
};

/* ---- The table ---- */

static struct devices *devices_get(void)
{
	struct session *session = session_get();
	/* V2: The pointer is read before the table. Pairs with V1 in devices_make. */
	return session ? __atomic_load_n(&session->devices, __ATOMIC_ACQUIRE) : NULL;
}

/* Returns the session's table, and makes it if there is none yet. All of it is reserved, and only pages that are used
 * take memory. NULL: there is no memory. */
static struct devices *devices_make(struct session *session)
{
	struct devices *devices = devices_get();
	if (devices)
		return devices;
	size_t table_bytes = (sizeof *devices + 4095) & ~(size_t)4095;
	size_t n_bytes = table_bytes + (size_t)DEVICE_BUFFERS * DEVICE_BUFFER_BYTES;
	unsigned char *memory = sys_mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (!memory)
		return NULL;
	devices = (struct devices *)(void *)memory;
	devices->buffers = memory + table_bytes;
	devices->free_buffers = UINT64_MAX;
	struct devices *none = NULL;
	/* V1: The table is stored before its pointer. Pairs with V2 in devices_get. Two devices may be initialised at once. */
	if (__atomic_compare_exchange_n(&session->devices, &none, devices, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return devices;
	sys_munmap(memory, n_bytes);
	return none;
}

/* Returns a row for a device that is initialised; if it was before, the row that it had. NULL: there are too many devices. */
static struct traced_device *claim_row(struct devices *devices, int number)
{
	/* V4: Here and below, the last user of the row has left it before another device takes it. Pairs with V3 in
	 * device_finalized. */
	for (size_t i = 0; i < DEVICES_MAX; i++) {
		struct traced_device *device = &devices->table[i];
		uint32_t state = DEVICE_FINALIZED;
		if (device_has_state(device, DEVICE_FINALIZED) && device->number == number &&
		    __atomic_compare_exchange_n(&device->state, &state, DEVICE_CLAIMED, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return device;
	}
	/* V4: As above, it pairs with V3. */
	for (size_t i = 0; i < DEVICES_MAX; i++) {
		uint32_t state = DEVICE_NONE;
		if (__atomic_compare_exchange_n(&devices->table[i].state, &state, DEVICE_CLAIMED, false, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			return &devices->table[i];
	}
	return NULL;
}

/* Returns the device that a buffer belongs to. AMD's runtimes up to ROCm 5.4 report 0 for every device. If no device
 * has that number, any device's entry points can read the buffer as well. NULL: there is no device. */
static const struct traced_device *device_of_buffer(const struct devices *devices, int number)
{
	const struct traced_device *any = NULL;
	for (size_t i = 0; i < DEVICES_MAX; i++) {
		const struct traced_device *device = &devices->table[i];
		if (!device_has_state(device, DEVICE_TRACED) && !device_has_state(device, DEVICE_FINALIZED))
			continue;
		if (device->number == number)
			return device;
		if (!any)
			any = device;
	}
	return any;
}

/* ---- Records about tracing itself ---- */

#define NO_ENTRY UINT64_MAX

static void record_step(int number, unsigned step, uint64_t result, uint64_t details)
{
	uint64_t time = clock_ticks();
	struct stream *stream = record_enter(time);
	if (!stream)
		return;
	record_put(stream, time, record_head(EVENT_device_trace, step, (uint32_t)number), result, details);
	record_leave(stream);
}

/* ---- Buffers: devices call these functions on any thread, at any time ---- */

/* A thread of the device's runtime, which OpenMP does not know, may never end: its stream must not stay open that long.
 * Returns true if the thread has no stream; then leave_foreign_thread() releases the stream that it takes meanwhile. */
static bool is_foreign_thread(void)
{
	return tls_stream == STREAM_NONE;
}

static void leave_foreign_thread(void)
{
	uint64_t time = clock_ticks();
	struct stream *stream = tls_stream != STREAM_NONE ? record_enter(time) : NULL;
	if (stream)
		stream_release(stream, time); /* leaves the stream, too */
}

static void on_buffer_request(int number, ompt_buffer_t **buffer, size_t *bytes)
{
	struct devices *devices = devices_get();
	uint64_t free_buffers = devices ? __atomic_load_n(&devices->free_buffers, __ATOMIC_RELAXED) : 0;
	/* The lowest one was used last, so few pages are ever touched. The acquire pairs with V5 in give_back: the
	 * buffer was read before it is used again. */
	while (free_buffers != 0 &&
	       !__atomic_compare_exchange_n(&devices->free_buffers, &free_buffers, free_buffers & (free_buffers - 1), false,
					    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		;
	if (free_buffers != 0) {
		*buffer = devices->buffers + (size_t)__builtin_ctzll(free_buffers) * DEVICE_BUFFER_BYTES;
		*bytes = DEVICE_BUFFER_BYTES;
		return;
	}
	/* By the specification the device drops its records from now on. */
	*buffer = NULL;
	*bytes = 0;
	if (!devices)
		return; /* a forked child's runtime requests a buffer for a device that its parent traced */
	struct guard guard = guard_enter();
	bool has_no_stream = is_foreign_thread();
	record_step(number, device_trace_step_no_buffer, 0, 0);
	if (!__atomic_exchange_n(&devices->has_refused, 1, __ATOMIC_RELAXED))
		meta_note(session_get(), "a device has kept all of the recorder's buffers: it is not traced any more");
	if (has_no_stream)
		leave_foreign_thread();
	guard_leave(guard);
}

static void give_back(struct devices *devices, const ompt_buffer_t *buffer)
{
	uintptr_t offset = (uintptr_t)buffer - (uintptr_t)devices->buffers;
	if (offset % DEVICE_BUFFER_BYTES != 0 || offset / DEVICE_BUFFER_BYTES >= DEVICE_BUFFERS)
		return; /* not a buffer of this session */
	/* V5: All reads of the buffer are ordered before the flag saying that it is free. Pairs with the acquire in
	 * on_buffer_request. */
	__atomic_fetch_or(&devices->free_buffers, UINT64_C(1) << offset / DEVICE_BUFFER_BYTES, __ATOMIC_RELEASE);
}

static void record_completion(int number, size_t bytes, bool is_owned, struct device_counts counts)
{
	uint64_t time = clock_ticks();
	struct stream *stream = record_enter(time);
	if (!stream)
		return;
	record_put(stream, time, record_head(EVENT_device_buffer, is_owned, (uint32_t)number), bytes,
		   (uint64_t)counts.n_invalid << 32 | counts.n_records);
	record_leave(stream);
}

static void on_buffer_complete(int number, ompt_buffer_t *buffer, size_t bytes, ompt_buffer_cursor_t begin, int is_owned)
{
	struct devices *devices = devices_get();
	const struct traced_device *device = devices ? device_of_buffer(devices, number) : NULL;
	if (!device)
		return; /* a forked child's runtime delivers a buffer of its parent */
	struct guard guard = guard_enter();
	bool has_no_stream = is_foreign_thread();
	struct device_counts counts = {0};
	/* A buffer without bytes is empty: some runtimes give buffers back like that. */
	if (buffer && bytes > 0) {
		device_record_clock(device);
		counts = device_record_buffer(device, number, buffer, bytes, begin);
	}
	record_completion(number, bytes, is_owned, counts);
	if (is_owned)
		give_back(devices, buffer);
	if (has_no_stream)
		leave_foreign_thread();
	guard_leave(guard);
}

/* ---- Initialisation and finalisation of devices ---- */

static uint32_t find_entries(ompt_function_lookup_t lookup, struct device_entries *entries)
{
	uint32_t found = 0;
	for (size_t i = 0; i < sizeof entry_table / sizeof *entry_table; i++) {
		ompt_interface_fn_t function = lookup(entry_table[i].name);
		memcpy((unsigned char *)entries + entry_table[i].offset, &function, sizeof function);
		if (function)
			found |= entry_table[i].bit;
	}
	return found;
}

/* Requests by the number of the callback with two ends, and if that is refused by the number of the older one: a device
 * may know both forms by either number. */
static uint64_t request(const struct traced_device *device, unsigned with_ends, unsigned without)
{
	ompt_set_trace_ompt_t set = device->entries.set_trace_ompt;
	ompt_set_result_t result = set(device->handle, 1, with_ends);
	if (result < ompt_set_sometimes)
		result = set(device->handle, 1, without);
	return (uint64_t)result & 15;
}

/* Requests the events that the recorder knows. Returns the device's answers, 4 bits each. */
static uint64_t request_events(const struct traced_device *device)
{
	uint64_t results = 0;
	if (device->entries.set_trace_ompt && device->entries.get_record_ompt)
		results = request(device, ompt_callback_target_emi, ompt_callback_target) |
			  request(device, ompt_callback_target_data_op_emi, ompt_callback_target_data_op) << 4 |
			  request(device, ompt_callback_target_submit_emi, ompt_callback_target_submit) << 8;
	/* Only a record in the device's own format has the place on the device. */
	if (device->entries.set_trace_native && device->entries.get_record_native && device->entries.get_record_abstract) {
		int flags = ompt_native_data_motion_explicit | ompt_native_data_motion_implicit | ompt_native_kernel_execution;
		results |= ((uint64_t)device->entries.set_trace_native(device->handle, 1, flags) & 15) << 12;
	}
	return results;
}

void device_initialized(int number, ompt_device_t *handle, ompt_function_lookup_t lookup)
{
	struct session *session = session_get();
	struct device_entries entries = {0};
	bool is_asked = session && session->config.groups >> GROUP_device & 1;
	uint32_t found = lookup && is_asked ? find_entries(lookup, &entries) : 0;
	if (found == 0)
		return;
	struct guard guard = guard_enter();
	bool can_read = entries.advance_buffer_cursor && (entries.get_record_ompt || entries.get_record_native);
	struct devices *devices = entries.start_trace && can_read ? devices_make(session) : NULL;
	struct traced_device *device = devices ? claim_row(devices, number) : NULL;
	uint64_t details = found;
	uint64_t result = NO_ENTRY;
	if (device) {
		device->number = number;
		device->handle = handle;
		device->entries = entries;
		/* V3: The handle and the entry points are stored before the state. Pairs with V4 in device_has_state. */
		__atomic_store_n(&device->state, DEVICE_TRACED, __ATOMIC_RELEASE);
		details |= request_events(device) << 32;
		device_record_clock(device);
		result = (uint64_t)(entries.start_trace(handle, on_buffer_request, on_buffer_complete) != 0);
	}
	record_step(number, device_trace_step_start, result, details);
	guard_leave(guard);
}

/* By the specification the runtime has stopped tracing, and delivered everything, before it announces a device's
 * finalisation. AMD's tools stop tracing here as well; where it was stopped, that does no harm. */
void device_finalized(int number)
{
	struct devices *devices = devices_get();
	for (size_t i = 0; devices && i < DEVICES_MAX; i++) {
		struct traced_device *device = &devices->table[i];
		if (!device_is_traced(device) || device->number != number)
			continue;
		struct guard guard = guard_enter();
		device_record_clock(device);
		uint64_t result =
			device->entries.stop_trace ? (uint64_t)(device->entries.stop_trace(device->handle) != 0) : NO_ENTRY;
		record_step(number, device_trace_step_stop, result, 0);
		/* V3: As in device_initialized, it pairs with V4 in device_has_state. */
		__atomic_store_n(&device->state, DEVICE_FINALIZED, __ATOMIC_RELEASE);
		guard_leave(guard);
	}
}

static uint64_t send_command(const struct traced_device *device, enum device_command command)
{
	const struct device_entries *entries = &device->entries;
	switch (command) {
	case DEVICE_RESUME:
	case DEVICE_PAUSE:
		return entries->pause_trace ? (uint64_t)(entries->pause_trace(device->handle, command == DEVICE_PAUSE) != 0)
					    : NO_ENTRY;
	case DEVICE_FLUSH: return entries->flush_trace ? (uint64_t)(entries->flush_trace(device->handle) != 0) : NO_ENTRY;
	case DEVICE_STOP: return entries->stop_trace ? (uint64_t)(entries->stop_trace(device->handle) != 0) : NO_ENTRY;
	}
	return NO_ENTRY;
}

void device_control(enum device_command command)
{
	static const unsigned steps[] = {[DEVICE_RESUME] = device_trace_step_resume,
					 [DEVICE_PAUSE] = device_trace_step_pause,
					 [DEVICE_FLUSH] = device_trace_step_flush,
					 [DEVICE_STOP] = device_trace_step_stop};
	struct devices *devices = devices_get();
	for (size_t i = 0; devices && i < DEVICES_MAX; i++) {
		const struct traced_device *device = &devices->table[i];
		if (!device_is_traced(device))
			continue;
		struct guard guard = guard_enter();
		uint64_t result = send_command(device, command);
		record_step(device->number, steps[command], result, 0);
		guard_leave(guard);
	}
}
