/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes records of the contents of a device's buffer. It reads the buffer by the device's own entry points, each of
 * which may be missing, and trusts only what they return. It runs on the thread that delivers the buffer.
 */
#include "recorder/device/device.h"

#include <string.h>

#include "recorder/ring/record.h"

#define TYPE_BYTES_MAX     240
#define CLOCK_TRIES        3
#define RECORD_BYTES_LEAST 8 /* a device's record has at least as many, which limits how many a buffer can hold */
#define NS_PER_SECOND      1e9
#define TRANSLATION_MAX    9e9 /* seconds; larger values do not fit into ns and are no times */

/* Translates a device's time into ns of the host's clock; 0: unknown. */
static uint64_t translate(const struct traced_device *device, ompt_device_time_t time)
{
	if (time == 0 || !device->entries.translate_time || !device_is_traced(device))
		return 0;
	double seconds = device->entries.translate_time(device->handle, time);
	return seconds > 0 && seconds < TRANSLATION_MAX ? (uint64_t)(seconds * NS_PER_SECOND) : 0;
}

/* Is a record of this device to be recorded now? A device that can be paused may still deliver, while the program is
 * paused, records of the time before. A device that cannot be paused continues, and its records are dropped here. */
static bool is_wanted(const struct traced_device *device, struct stream *stream, uint64_t time)
{
	return record_is_on(stream, time) || (device->entries.pause_trace && !session_stopped(stream->session));
}

void device_record_clock(const struct traced_device *device)
{
	uint64_t before = 0, after = UINT64_MAX;
	ompt_device_time_t device_time = 0;
	if (!device->entries.get_device_time || !device_is_traced(device))
		return;
	for (int i = 0; i < CLOCK_TRIES; i++) {
		uint64_t from = clock_ticks();
		ompt_device_time_t now = device->entries.get_device_time(device->handle);
		uint64_t to = clock_ticks();
		if (to - from < after - before) {
			before = from;
			after = to;
			device_time = now;
		}
	}
	uint64_t host_ns = translate(device, device_time);
	uint64_t time = clock_ticks();
	struct stream *stream = record_enter(time);
	if (!stream)
		return;
	if (is_wanted(device, stream, time)) {
		struct ring_group group = ring_group_begin(stream);
		ring_group_append(&group, time, record_head(EVENT_device_clock, 0, (uint32_t)device->number), device_time, host_ns);
		ring_group_append(&group, 0, record_head(EVENT_device_clock_more, 0, 0), before, after);
		ring_group_end(&group);
	}
	record_leave(stream);
}

/* One record of a device. */
struct trace_record {
	int32_t device; /* the device that delivered it */
	uint64_t head, a, b;
	ompt_device_time_t begin, end;
	uint64_t thread, target;
	const ompt_record_target_data_op_t *data; /* NULL: it is no operation on data */
	const char *text;
	size_t n_text;
};

static void put(const struct traced_device *device, const struct trace_record *r)
{
	uint64_t begin_ns = translate(device, r->begin), end_ns = translate(device, r->end);
	uint64_t time = clock_ticks();
	struct stream *stream = record_enter(time);
	if (!stream)
		return;
	if (is_wanted(device, stream, time)) {
		struct ring_group group = ring_group_begin(stream);
		ring_group_append(&group, time, r->head, r->a, r->b);
		ring_group_append(&group, r->begin, record_head(EVENT_device_times, 0, (uint32_t)r->device), r->end, r->thread);
		ring_group_append(&group, r->target, record_head(EVENT_device_host_times, 0, 0), begin_ns, end_ns);
		if (r->data)
			ring_group_append(&group, record_address(r->data->src_addr),
					  record_head(EVENT_target_data_op_more, 0, (uint32_t)r->data->dest_device_num),
					  record_address(r->data->dest_addr), r->data->bytes);
		record_put_text(&group, r->text, r->n_text);
		ring_group_end(&group);
	}
	record_leave(stream);
}

static void put_ompt(const struct traced_device *device, int number, const ompt_record_ompt_t *traced)
{
	struct trace_record r = {.device = number, .begin = traced->time, .thread = traced->thread_id, .target = traced->target_id};
	switch (traced->type) {
	case ompt_callback_target_submit:
	case ompt_callback_target_submit_emi: {
		const ompt_record_target_kernel_t *kernel = &traced->record.target_kernel;
		r.head = record_head(EVENT_device_kernel, 0, (uint32_t)number);
		r.a = kernel->host_op_id;
		r.b = (uint64_t)kernel->granted_num_teams << 32 | kernel->requested_num_teams;
		r.end = kernel->end_time;
		break;
	}
	case ompt_callback_target_data_op:
	case ompt_callback_target_data_op_emi: {
		const ompt_record_target_data_op_t *data = &traced->record.target_data_op;
		r.head = record_head(EVENT_device_data_op, (unsigned)data->optype, (uint32_t)data->src_device_num);
		r.a = data->host_op_id;
		r.b = record_address(data->codeptr_ra);
		r.end = data->end_time;
		r.data = data;
		break;
	}
	case ompt_callback_target:
	case ompt_callback_target_emi: {
		const ompt_record_target_t *target = &traced->record.target;
		r.head = record_head(EVENT_device_target, (unsigned)target->kind,
				     (uint64_t)target->endpoint << 32 | (uint32_t)target->device_num);
		r.a = target->target_id;
		r.b = record_address(target->codeptr_ra);
		break;
	}
	default: r.head = record_head(EVENT_device_other, (unsigned)traced->type, (uint32_t)number); break;
	}
	put(device, &r);
}

static void put_native(const struct traced_device *device, int number, void *native, ompt_id_t host_op_id)
{
	const ompt_record_abstract_t *abstract =
		device->entries.get_record_abstract ? device->entries.get_record_abstract(native) : NULL;
	struct trace_record r = {.device = number, .a = host_op_id};
	unsigned class = 0;
	if (abstract) {
		class = (unsigned)abstract->rclass;
		r.begin = abstract->start_time;
		r.end = abstract->end_time;
		r.b = abstract->hwid;
		r.text = abstract->type;
		r.n_text = r.text ? strnlen(r.text, TYPE_BYTES_MAX) : 0;
	}
	r.head = record_head(EVENT_device_native, class, (uint64_t)r.n_text << 32 | (uint32_t)number);
	put(device, &r);
}

/* Records one record of a buffer. Returns false if it cannot be read. */
static bool take(const struct traced_device *device, int number, ompt_buffer_t *buffer, ompt_buffer_cursor_t cursor)
{
	const struct device_entries *entries = &device->entries;
	ompt_record_t type = entries->get_record_type   ? entries->get_record_type(buffer, cursor)
			     : entries->get_record_ompt ? ompt_record_ompt
							: ompt_record_native;
	if (type == ompt_record_ompt) {
		const ompt_record_ompt_t *traced = entries->get_record_ompt ? entries->get_record_ompt(buffer, cursor) : NULL;
		if (traced)
			put_ompt(device, number, traced);
		return traced;
	}
	if (type == ompt_record_native) {
		ompt_id_t host_op_id = 0;
		void *native = entries->get_record_native ? entries->get_record_native(buffer, cursor, &host_op_id) : NULL;
		if (native)
			put_native(device, number, native, host_op_id);
		return native;
	}
	return false;
}

struct device_counts device_record_buffer(const struct traced_device *device, int number, ompt_buffer_t *buffer, size_t bytes,
					  ompt_buffer_cursor_t cursor)
{
	struct device_counts counts = {0};
	for (size_t n_left = bytes / RECORD_BYTES_LEAST + 1; n_left > 0; n_left--) {
		counts.n_records++;
		if (!take(device, number, buffer, cursor))
			counts.n_invalid++;
		ompt_buffer_cursor_t next = cursor;
		if (!device->entries.advance_buffer_cursor(device->handle, buffer, bytes, cursor, &next) || next == cursor)
			break;
		cursor = next;
	}
	return counts;
}
