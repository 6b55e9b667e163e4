/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Gather: turns the host's records about devices into rows: target regions, operations on data and launches
 * (model.operations), and devices (model.devices). Some columns can only be filled when all streams have been read:
 * which numbers are devices, the region of each operation, how many bytes a delete frees. One thread.
 */
#include "builder/devices/gather.h"
#include "builder/support/array.h"
#include "builder/support/sort.h"

#include <stdlib.h>

/* Adds a row, which becomes the latest. */
static void add_operation(struct device_gather *d, const struct record *r, enum operation_type type, unsigned kind)
{
	struct model *m = d->m;
	unsigned sync_kind = type == OPERATION_DATA ? operation_sync_kind(kind) : kind;
	struct operation new = {
		.id = r->a,
		.type = (uint8_t)type,
		.kind = (uint16_t)sync_kind,
		.is_async = sync_kind != kind,
		.stream = d->stream->stream,
		.task = d->stream->thread.task,
		.begin_ticks = r->time,
		.end_ticks = r->time,
	};
	if (m->n_operations == UINT32_MAX)
		memory_fail(m->operations_capacity * sizeof *m->operations, "operations, which have 32-bit numbers");
	array_reserve(m->operations, (size_t)m->n_operations + 2, m->operations_capacity);
	if (m->n_operations == 0)
		m->operations[m->n_operations++] = (struct operation){0};
	d->operation = m->n_operations++;
	m->operations[d->operation] = new;
	if (r->a != 0)
		model_name_operation(m, d->operation);
}

/* The operation that the last record is about, and that its continuation records describe. */
static struct operation *latest(const struct device_gather *d)
{
	return &d->m->operations[d->operation];
}

/* ---- Constructs: in model.constructs, as streams are walked in order ---- */

static uint32_t *open_target(const struct device_gather *d)
{
	return map_get(&d->open_targets, d->stream->thread.task);
}

/* Gives the latest operation the target region around it; returns the row of that. */
static uint32_t put_around(struct device_gather *d)
{
	const uint32_t *around = open_target(d);
	return latest(d)->around = around != NULL ? *around : 0;
}

/* ---- Records ---- */

static void target_begin(struct device_gather *d, const struct record *r)
{
	add_operation(d, r, OPERATION_TARGET, record_flags(r));
	latest(d)->device = (int32_t)event_device_number(record_value(r));
	put_around(d);
	latest(d)->construct = gather_construct(d->stream, construct_of_target(record_flags(r)), r->b);
	*map_put(&d->open_targets, d->stream->thread.task) = d->operation;
}

static void data_op_begin(struct device_gather *d, const struct record *r, bool is_instant)
{
	add_operation(d, r, OPERATION_DATA, record_flags(r));
	latest(d)->src_device = (int32_t)event_device_number(record_value(r));
	latest(d)->is_instant = is_instant;
	put_around(d);
	latest(d)->construct = gather_construct(d->stream, construct_of_data(latest(d)->kind), r->b);
}

static void submit_begin(struct device_gather *d, const struct record *r, bool is_instant)
{
	add_operation(d, r, OPERATION_SUBMIT, 0);
	latest(d)->requested = low32(record_value(r));
	latest(d)->target_id = r->b;
	latest(d)->is_instant = is_instant;
	/* The callback has no return address: it gets the region's. */
	uint32_t around = put_around(d);
	uint64_t codeptr = around != 0 ? gather_codeptr(d->stream, d->m->operations[around].construct) : 0;
	latest(d)->construct = gather_construct(d->stream, CONSTRUCT_SUBMIT, codeptr);
}

static void operation_end(struct device_gather *d, const struct record *r)
{
	bool is_target = record_kind(r) == EVENT_target_end;
	uint32_t row = is_target ? model_target(d->m, r->a) : model_operation(d->m, r->a);
	d->operation = row;
	if (row == 0)
		return;
	latest(d)->has_end = true;
	if (r->time > latest(d)->end_ticks)
		latest(d)->end_ticks = r->time;
}

static void target_end(struct device_gather *d, const struct record *r)
{
	operation_end(d, r);
	uint32_t *open = open_target(d);
	if (open != NULL)
		*open = d->m->operations[*open].around;
}

static void data_op_more(struct device_gather *d, const struct record *r)
{
	if (d->operation == 0 || latest(d)->type != OPERATION_DATA)
		return;
	struct operation *o = latest(d);
	o->dest_device = (int32_t)event_device_number(record_value(r));
	o->src_address = r->time != 0 ? r->time : o->src_address;
	o->dest_address = r->a != 0 ? r->a : o->dest_address; /* an allocation's address is known only at its end */
	o->n_bytes = r->b != 0 ? r->b : o->n_bytes;
}

/* A record of target regions, data operations and launches; false: it is another one. */
static bool take_operation(struct device_gather *d, const struct record *r)
{
	switch (record_kind(r)) {
	case EVENT_target_begin: target_begin(d, r); return true;
	case EVENT_target_data_op_begin: data_op_begin(d, r, false); return true;
	case EVENT_target_data_op: data_op_begin(d, r, true); return true;
	case EVENT_target_submit_begin: submit_begin(d, r, false); return true;
	case EVENT_target_submit: submit_begin(d, r, true); return true;
	case EVENT_target_end: target_end(d, r); return true;
	default: return false;
	}
}

void device_operation_record(struct device_gather *d, const struct record *r)
{
	if (take_operation(d, r)) {
		d->stream->met.innermost_group = 0;
		return;
	}
	switch (record_kind(r)) {
	case EVENT_target_data_op_end:
	case EVENT_target_submit_end: operation_end(d, r); return;
	case EVENT_target_data_op_more: data_op_more(d, r); return;
	case EVENT_target_data_op_ids:
		if (d->operation != 0)
			latest(d)->target_id = r->a;
		return;
	case EVENT_device_initialize: device_table_add(d, r); return;
	case EVENT_text: device_table_text(d, r); return;
	case EVENT_device_finalize: device_table_end(d, r); return;
	default: return;
	}
}

/* ---- After the last stream ---- */

/* Determines the device whose data an operation is about: its destination, or its source if data leaves a device. */
static void settle_devices(const struct model *m, struct operation *o)
{
	o->src_device = model_normal_device(m, o->src_device);
	o->dest_device = model_normal_device(m, o->dest_device);
	bool is_leaving = o->kind == target_data_op_transfer_from_device || o->kind == target_data_op_delete ||
			  o->kind == target_data_op_disassociate;
	int32_t own = is_leaving ? o->src_device : o->dest_device, other = is_leaving ? o->dest_device : o->src_device;
	o->device = own != DEVICE_HOST ? own : other;
}

static bool is_allocation(const struct operation *o)
{
	return o->type == OPERATION_DATA && o->kind == target_data_op_alloc;
}

static bool is_memory(const struct operation *o)
{
	return is_allocation(o) || (o->type == OPERATION_DATA && o->kind == target_data_op_delete);
}

static int by_time(const void *left, const void *right)
{
	const struct operation *l = *(struct operation *const *)left, *r = *(struct operation *const *)right;
	return cmp(l->end_ticks, r->end_ticks) ?: cmp(l, r);
}

/*
 * A map's key for an address on a device. If two keys collide, the only effect is that a delete gets the size of another
 * allocation.
 */
static uint64_t memory_key(const struct operation *o, uint64_t address)
{
	return (address ^ (uint64_t)(uint32_t)o->device << 48) | 1;
}

/* LLVM's runtime does not report how many bytes a delete frees: as many as were allocated last at that address. */
static void settle_deletes(struct model *m)
{
	size_t n = 0;
	for (uint32_t i = 1; i < m->n_operations; i++)
		n += is_memory(&m->operations[i]);
	struct operation **all = memory_get(n, sizeof *all, "the operations on a device's memory");
	n = 0;
	for (uint32_t i = 1; i < m->n_operations; i++)
		if (is_memory(&m->operations[i]))
			all[n++] = &m->operations[i];
	sort_array(all, n, by_time);
	struct map sizes = {0};
	for (size_t i = 0; i < n; i++) {
		struct operation *o = all[i];
		if (o->kind == target_data_op_alloc && o->dest_address != 0) {
			*map_put(&sizes, memory_key(o, o->dest_address)) = (uint32_t)i;
		} else if (o->kind == target_data_op_delete && o->n_bytes == 0) {
			const uint32_t *row = map_get(&sizes, memory_key(o, o->src_address));
			o->n_bytes = row != NULL ? all[*row]->n_bytes : 0;
		}
	}
	map_free(&sizes);
	free(all);
}

/*
 * An allocation that returns address 0 has failed. A runtime may also report no addresses at all: where another runtime
 * than LLVM's, which reports them, gives none for any allocation, it is not known which of them have failed.
 */
static void settle_failures(struct model *m)
{
	bool has_addresses = m->is_libomp;
	for (uint32_t i = 1; i < m->n_operations && !has_addresses; i++)
		has_addresses = is_allocation(&m->operations[i]) && m->operations[i].has_end && m->operations[i].dest_address != 0;
	for (uint32_t i = 1; i < m->n_operations && has_addresses; i++) {
		struct operation *o = &m->operations[i];
		o->has_failed = is_allocation(o) && o->has_end && o->dest_address == 0;
	}
}

void device_operations_settle(struct model *m)
{
	device_table_complete(m);
	for (uint32_t i = 1; i < m->n_operations; i++) {
		struct operation *o = &m->operations[i];
		if (o->type == OPERATION_DATA)
			settle_devices(m, o);
		else if (o->type == OPERATION_TARGET)
			o->device = model_normal_device(m, o->device);
		o->target = model_target(m, o->target_id);
	}
	settle_failures(m);
	settle_deletes(m);
}

void device_operations_settle_around(struct model *m)
{
	for (uint32_t row = 1; row < m->n_operations; row++) {
		struct operation *o = &m->operations[row];
		if (o->type == OPERATION_TARGET)
			continue;
		if (o->target == 0)
			o->target = o->around;
		if (o->type == OPERATION_SUBMIT)
			o->device = o->target != 0 ? m->operations[o->target].device : DEVICE_HOST;
	}
}
