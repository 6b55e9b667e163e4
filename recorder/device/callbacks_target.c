/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Callbacks for target constructs, operations on devices' data, launches, and the initialisation and finalisation of
 * devices, by the host's events. They run on the host's threads. All of these events are rare and take long, so all of
 * these callbacks take the slow path (record.h).
 *
 * Target regions and operations get ids from one counter of their stream, as the runtime keeps one id for both. A
 * runtime that has only the callbacks without _emi gives ids itself, and those are recorded.
 */
#include "recorder/omp/callbacks.h"

#include <string.h>

#include "recorder/device/device.h"
#include "recorder/guard.h"
#include "recorder/ring/record.h"
#include "recorder/session/maps.h"

#define TYPE_BYTES_MAX          255u
#define DOCUMENTATION_BYTES_MAX 65535u
#define FILENAME_BYTES_MAX      4095u

/* Returns a device's number as VALUE_LO32 has it. */
static inline uint64_t device_bits(int device)
{
	return (uint32_t)device;
}

static unsigned length_of(const char *text, unsigned max)
{
	return text ? (unsigned)strnlen(text, max) : 0;
}

/* Makes an id at a begin and gives it to the runtime, which passes it at the end. Without a begin it passes its own id,
 * or 0. */
static uint64_t give_id(struct stream *stream, uint64_t *place)
{
	uint64_t id = record_new_operation(stream);
	if (place)
		*place = id;
	return id;
}

/* ---- Target constructs ---- */

static void put_target_begin(struct stream *stream, uint64_t time, unsigned kind, int device, uint64_t id, uint64_t task,
			     uint64_t target_task, const void *codeptr)
{
	if (!record_is_on(stream, time))
		return;
	struct ring_group group = ring_group_begin(stream);
	ring_group_append(&group, time, record_head(EVENT_target_begin, kind, device_bits(device)), id, record_address(codeptr));
	ring_group_append(&group, 0, record_head(EVENT_target_more, 0, 0), task, target_task);
	ring_group_end(&group);
}

static void put_target_end(struct stream *stream, uint64_t time, unsigned kind, int device, uint64_t id, const void *codeptr)
{
	record_put(stream, time, record_head(EVENT_target_end, kind, device_bits(device)), id, record_address(codeptr));
}

void on_target_emi(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task, ompt_data_t *target_task,
		   ompt_data_t *target, const void *codeptr)
{
	uint64_t time = clock_ticks();
	struct stream *stream = record_enter(time);
	if (!stream)
		return;
	if (endpoint != ompt_scope_end)
		put_target_begin(stream, time, kind, device, give_id(stream, target ? &target->value : NULL), id_of(task),
				 id_of(target_task), codeptr);
	if (endpoint != ompt_scope_begin)
		put_target_end(stream, time, kind, device, id_of(target), codeptr);
	record_leave(stream);
}

void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task, ompt_id_t id, const void *codeptr)
{
	uint64_t time = clock_ticks();
	struct stream *stream = record_enter(time);
	if (!stream)
		return;
	if (endpoint != ompt_scope_end)
		put_target_begin(stream, time, kind, device, id, id_of(task), 0, codeptr);
	if (endpoint != ompt_scope_begin)
		put_target_end(stream, time, kind, device, id, codeptr);
	record_leave(stream);
}

/* ---- Operations on data ---- */

struct data_op {
	ompt_target_data_op_t type;
	int src_device;
	int dest_device;
	const void *src;
	const void *dest;
	size_t n_bytes;
	const void *codeptr;
};

static void append_data_op(struct ring_group *group, uint64_t time, enum event_kind kind, uint64_t id, const struct data_op *op)
{
	ring_group_append(group, time, record_head(kind, op->type, device_bits(op->src_device)), id, record_address(op->codeptr));
	ring_group_append(group, record_address(op->src), record_head(EVENT_target_data_op_more, 0, device_bits(op->dest_device)),
			  record_address(op->dest), op->n_bytes);
}

/* Records EVENT_target_data_op_begin or EVENT_target_data_op. `target` and `target_task` have started the operation. */
static void put_data_op(struct stream *stream, uint64_t time, enum event_kind kind, uint64_t id, const struct data_op *op,
			uint64_t target, uint64_t target_task)
{
	if (!record_is_on(stream, time))
		return;
	struct ring_group group = ring_group_begin(stream);
	append_data_op(&group, time, kind, id, op);
	ring_group_append(&group, 0, record_head(EVENT_target_data_op_ids, 0, 0), target, target_task);
	ring_group_end(&group);
}

static void put_data_op_end(struct stream *stream, uint64_t time, uint64_t id, const struct data_op *op)
{
	if (!record_is_on(stream, time))
		return;
	struct ring_group group = ring_group_begin(stream);
	append_data_op(&group, time, EVENT_target_data_op_end, id, op);
	ring_group_end(&group);
}

void on_target_data_op_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_task, ompt_data_t *target, ompt_id_t *id,
			   ompt_target_data_op_t type, void *src, int src_device, void *dest, int dest_device, size_t n_bytes,
			   const void *codeptr)
{
	uint64_t time = clock_ticks();
	struct stream *stream = record_enter(time);
	if (!stream)
		return;
	struct data_op op = {type, src_device, dest_device, src, dest, n_bytes, codeptr};
	/* At a begin, the runtime's variable still has the id of the previous operation. */
	if (endpoint != ompt_scope_end)
		put_data_op(stream, time, EVENT_target_data_op_begin, give_id(stream, id), &op, id_of(target), id_of(target_task));
	if (endpoint != ompt_scope_begin)
		put_data_op_end(stream, time, id ? *id : 0, &op);
	record_leave(stream);
}

void on_target_data_op(ompt_id_t target, ompt_id_t id, ompt_target_data_op_t type, void *src, int src_device, void *dest,
		       int dest_device, size_t n_bytes, const void *codeptr)
{
	uint64_t time = clock_ticks();
	struct stream *stream = record_enter(time);
	if (!stream)
		return;
	struct data_op op = {type, src_device, dest_device, src, dest, n_bytes, codeptr};
	put_data_op(stream, time, EVENT_target_data_op, id, &op, target, 0);
	record_leave(stream);
}

/* ---- Launches ---- */

void on_target_submit_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target, ompt_id_t *id, unsigned requested)
{
	uint64_t time = clock_ticks();
	struct stream *stream = record_enter(time);
	if (!stream)
		return;
	if (endpoint != ompt_scope_end)
		record_put(stream, time, record_head(EVENT_target_submit_begin, 0, requested), give_id(stream, id), id_of(target));
	if (endpoint != ompt_scope_begin)
		record_put(stream, time, record_head(EVENT_target_submit_end, 0, requested), id ? *id : 0, id_of(target));
	record_leave(stream);
}

void on_target_submit(ompt_id_t target, ompt_id_t id, unsigned requested)
{
	uint64_t time = clock_ticks();
	struct stream *stream = record_enter(time);
	if (!stream)
		return;
	record_put(stream, time, record_head(EVENT_target_submit, 0, requested), id, target);
	record_leave(stream);
}

/* ---- Maps ---- */

static void put_map(uint64_t time, uint64_t target, unsigned n, void *const *host, void *const *device, const size_t *n_bytes,
		    const unsigned *flags, const void *codeptr)
{
	struct stream *stream = record_enter(time);
	if (!stream)
		return;
	if (record_is_on(stream, time)) {
		struct ring_group group = ring_group_begin(stream);
		ring_group_append(&group, time, record_head(EVENT_target_map, 0, n), target, record_address(codeptr));
		for (unsigned i = 0; i < n; i++)
			ring_group_append(&group, host ? record_address(host[i]) : 0,
					  record_head(EVENT_target_map_item, flags ? flags[i] : 0, 0),
					  device ? record_address(device[i]) : 0, n_bytes ? n_bytes[i] : 0);
		ring_group_end(&group);
	}
	record_leave(stream);
}

void on_target_map_emi(ompt_data_t *target, unsigned n, void **host, void **device, size_t *n_bytes, unsigned *flags,
		       const void *codeptr)
{
	put_map(clock_ticks(), id_of(target), n, host, device, n_bytes, flags, codeptr);
}

void on_target_map(ompt_id_t target, unsigned n, void **host, void **device, size_t *n_bytes, unsigned *flags, const void *codeptr)
{
	put_map(clock_ticks(), target, n, host, device, n_bytes, flags, codeptr);
}

/* ---- Devices ---- */

static uint64_t offers_of(ompt_function_lookup_t lookup)
{
	if (!lookup)
		return 0;
	return device_offers_lookup | (lookup("ompt_start_trace") ? device_offers_start_trace : 0) |
	       (lookup("ompt_translate_time") ? device_offers_translate_time : 0);
}

void on_device_initialize(int device, const char *type, ompt_device_t *handle, ompt_function_lookup_t lookup,
			  const char *documentation)
{
	uint64_t time = clock_ticks();
	uint64_t offers = offers_of(lookup);
	struct stream *stream = record_enter(time);
	if (!stream)
		return;
	if (record_is_on(stream, time)) {
		unsigned n_type = length_of(type, TYPE_BYTES_MAX),
			 n_documentation = length_of(documentation, DOCUMENTATION_BYTES_MAX);
		struct ring_group group = ring_group_begin(stream);
		ring_group_append(&group, time, record_head(EVENT_device_initialize, offers, device_bits(device)),
				  record_address(handle), n_type | (uint64_t)n_documentation << 32);
		record_put_text(&group, type, n_type);
		record_put_text(&group, documentation, n_documentation);
		ring_group_end(&group);
	}
	record_leave(stream);
	device_initialized(device, handle, lookup);
}

void on_device_finalize(int device)
{
	uint64_t time = clock_ticks();
	struct stream *stream = record_enter(time);
	if (!stream)
		return;
	record_put(stream, time, record_head(EVENT_device_finalize, 0, device_bits(device)), 0, 0);
	record_leave(stream);
	device_finalized(device);
}

/* Writes the maps. If the host itself acts as a device, its code is in a temporary file, which is removed and unmapped
 * when the process ends. */
static NOINLINE void note_code(void)
{
	struct session *session = session_get();
	if (!session)
		return;
	struct guard guard = guard_enter();
	uint64_t signals;
	guard_hold_signals(&signals);
	maps_write_if_changed(session);
	guard_let_signals(&signals);
	guard_leave(guard);
}

void on_device_load(int device, const char *filename, int64_t offset, void *vma, size_t n_bytes, void *host, void *on_device,
		    uint64_t module)
{
	uint64_t time = clock_ticks();
	struct stream *stream = record_enter(time);
	if (!stream)
		return;
	if (record_is_on(stream, time)) {
		unsigned n_filename = length_of(filename, FILENAME_BYTES_MAX);
		struct ring_group group = ring_group_begin(stream);
		ring_group_append(&group, time, record_head(EVENT_device_load, 0, device_bits(device)), module, n_filename);
		ring_group_append(&group, (uint64_t)offset, record_head(EVENT_device_load_file, 0, 0), record_address(vma),
				  n_bytes);
		ring_group_append(&group, 0, record_head(EVENT_device_load_memory, 0, 0), record_address(host),
				  record_address(on_device));
		record_put_text(&group, filename, n_filename);
		ring_group_end(&group);
	}
	record_leave(stream);
	note_code();
}

void on_device_unload(int device, uint64_t module)
{
	uint64_t time = clock_ticks();
	struct stream *stream = record_enter(time);
	if (!stream)
		return;
	record_put(stream, time, record_head(EVENT_device_unload, 0, device_bits(device)), module, 0);
	record_leave(stream);
}
