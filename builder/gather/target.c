/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Gather: turns the host's records about devices into rows: target regions, operations on data and launches
 * (model.operations), and devices (model.devices). Some columns can only be filled when all streams have been read:
 * which numbers are devices, the region of each operation, how many bytes a delete frees.
 *
 * gather.c calls gather_target() for each record of each stream, and gather_settle_target() once at the end; one
 * thread.
 */
#include "builder/gather/walk.h"

#include <stdlib.h>
#include <string.h>

/* Adds a row, which becomes the latest. 0, or -1 when memory is out; so do the functions below that return int. */
static int add_operation(struct walk *w, const struct record *r, enum operation_type type, unsigned kind)
{
	struct model *m = w->m;
	unsigned sync_kind = type == OPERATION_DATA ? operation_sync_kind(kind) : kind;
	struct operation new = {
		.id = r->a,
		.type = (uint8_t)type,
		.kind = (uint16_t)sync_kind,
		.is_async = sync_kind != kind,
		.stream = w->stream,
		.task = w->thread.task,
		.begin_ticks = r->time,
		.end_ticks = r->time,
	};
	if (m->n_operations == UINT32_MAX ||
	    !array_reserve((void **)&m->operations, (size_t)m->n_operations + 2, &m->operations_capacity, sizeof *m->operations))
		return -1;
	if (m->n_operations == 0)
		m->operations[m->n_operations++] = (struct operation){0};
	w->operation = m->n_operations++;
	m->operations[w->operation] = new;
	return r->a != 0 ? model_name_operation(m, w->operation) : 0;
}

/* The operation that the last record is about, and that its continuation records describe. */
static struct operation *latest(const struct walk *w)
{
	return &w->m->operations[w->operation];
}

static int target_begin(struct walk *w, const struct record *r)
{
	if (add_operation(w, r, OPERATION_TARGET, record_flags(r)) != 0)
		return -1;
	latest(w)->device = (int32_t)event_device_number(record_value(r));
	return 0;
}

static int data_op_begin(struct walk *w, const struct record *r, bool is_instant)
{
	if (add_operation(w, r, OPERATION_DATA, record_flags(r)) != 0)
		return -1;
	latest(w)->src_device = (int32_t)event_device_number(record_value(r));
	latest(w)->is_instant = is_instant;
	return 0;
}

static int submit_begin(struct walk *w, const struct record *r, bool is_instant)
{
	if (add_operation(w, r, OPERATION_SUBMIT, 0) != 0)
		return -1;
	latest(w)->requested = low32(record_value(r));
	latest(w)->target_id = r->b;
	latest(w)->is_instant = is_instant;
	return 0;
}

static void operation_end(struct walk *w, const struct record *r)
{
	bool is_target = record_kind(r) == EVENT_target_end;
	uint32_t row = is_target ? model_target(w->m, r->a) : model_operation(w->m, r->a);
	w->operation = row;
	if (row == 0)
		return;
	latest(w)->has_end = true;
	if (r->time > latest(w)->end_ticks)
		latest(w)->end_ticks = r->time;
}

static void data_op_more(struct walk *w, const struct record *r)
{
	if (w->operation == 0 || latest(w)->type != OPERATION_DATA)
		return;
	struct operation *o = latest(w);
	o->dest_device = (int32_t)event_device_number(record_value(r));
	o->src_address = r->time != 0 ? r->time : o->src_address;
	o->dest_address = r->a != 0 ? r->a : o->dest_address; /* an allocation's address is known only at its end */
	o->n_bytes = r->b != 0 ? r->b : o->n_bytes;
}

/*
 * No machine has more devices. Damaged records may announce any number, and must not make the searches slower and
 * slower.
 */
#define DEVICES_MAX 1024

int gather_add_device(struct model *m, struct device device)
{
	if (m->n_devices == DEVICES_MAX)
		return 0;
	if (!array_reserve((void **)&m->devices, m->n_devices + 1, &m->devices_capacity, sizeof *m->devices))
		return -1;
	m->devices[m->n_devices++] = device;
	return 0;
}

static int device_initialize(struct walk *w, const struct record *r)
{
	w->n_type_left = 0;
	if (w->m->n_devices == DEVICES_MAX)
		return 0;
	int32_t number = (int32_t)event_device_number(record_value(r));
	if (gather_add_device(w->m, (struct device){.number = number, .type = "", .begin_ticks = r->time}) != 0)
		return -1;
	w->n_type = 0;
	w->n_type_left = low32(r->b) < sizeof w->type ? low32(r->b) : (uint32_t)sizeof w->type - 1;
	return 0;
}

/* Takes a part of the type of the device that was announced last. */
static int device_text(struct walk *w, const struct record *r)
{
	uint64_t words[3] = {r->time, r->a, r->b};
	uint32_t n = record_flags(r) < sizeof words ? record_flags(r) : (uint32_t)sizeof words;
	if (w->n_type_left == 0)
		return 0;
	n = n < w->n_type_left ? n : w->n_type_left;
	memcpy(w->type + w->n_type, words, n);
	w->n_type += n;
	w->n_type_left -= n;
	if (w->n_type_left > 0)
		return 0;
	w->type[w->n_type] = '\0';
	const char *type = model_keep(w->m, w->type);
	if (type == NULL)
		return -1;
	w->m->devices[w->m->n_devices - 1].type = type;
	return 0;
}

static void device_finalize(struct walk *w, const struct record *r)
{
	for (size_t i = w->m->n_devices; i > 0; i--)
		if (w->m->devices[i - 1].number == event_device_number(record_value(r))) {
			w->m->devices[i - 1].end_ticks = r->time;
			return;
		}
}

int gather_target(struct walk *w, const struct record *r)
{
	switch (record_kind(r)) {
	case EVENT_target_begin: return target_begin(w, r);
	case EVENT_target_data_op_begin: return data_op_begin(w, r, false);
	case EVENT_target_data_op: return data_op_begin(w, r, true);
	case EVENT_target_submit_begin: return submit_begin(w, r, false);
	case EVENT_target_submit: return submit_begin(w, r, true);
	case EVENT_target_end:
	case EVENT_target_data_op_end:
	case EVENT_target_submit_end: operation_end(w, r); return 0;
	case EVENT_target_data_op_more: data_op_more(w, r); return 0;
	case EVENT_target_data_op_ids:
		if (w->operation != 0)
			latest(w)->target_id = r->a;
		return 0;
	case EVENT_device_initialize: return device_initialize(w, r);
	case EVENT_text: return device_text(w, r);
	case EVENT_device_finalize: device_finalize(w, r); return 0;
	default: return 0;
	}
}

/* ---- After the last stream ---- */

/* The device's number, or DEVICE_HOST in place of the numbers that runtimes have for the host. */
static int32_t normal_device(const struct model *m, int32_t number)
{
	return model_is_device(m, number) ? number : DEVICE_HOST;
}

/* Determines the device whose data an operation is about: its destination, or its source if data leaves a device. */
static void settle_devices(const struct model *m, struct operation *o)
{
	o->src_device = normal_device(m, o->src_device);
	o->dest_device = normal_device(m, o->dest_device);
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
	if (l->end_ticks != r->end_ticks)
		return l->end_ticks < r->end_ticks ? -1 : 1;
	return l < r ? -1 : l > r;
}

/*
 * A map's key for an address on a device. If two keys collide, a delete gets the size of another allocation, and
 * nothing worse.
 */
static uint64_t memory_key(const struct operation *o, uint64_t address)
{
	return (address ^ (uint64_t)(uint32_t)o->device << 48) | 1;
}

/* LLVM's runtime does not tell how many bytes a delete frees: as many as were allocated last at that address. */
static int settle_deletes(struct model *m)
{
	size_t n = 0;
	for (uint32_t i = 1; i < m->n_operations; i++)
		n += is_memory(&m->operations[i]);
	struct operation **all = calloc(n + 1, sizeof *all);
	if (all == NULL)
		return -1;
	n = 0;
	for (uint32_t i = 1; i < m->n_operations; i++)
		if (is_memory(&m->operations[i]))
			all[n++] = &m->operations[i];
	qsort(all, n, sizeof *all, by_time);
	struct map sizes = {0};
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		struct operation *o = all[i];
		if (o->kind == target_data_op_alloc && o->dest_address != 0) {
			uint32_t *row = map_put(&sizes, memory_key(o, o->dest_address));
			rc = row != NULL ? 0 : -1;
			if (row != NULL)
				*row = (uint32_t)i;
		} else if (o->kind == target_data_op_delete && o->n_bytes == 0) {
			const uint32_t *row = map_get(&sizes, memory_key(o, o->src_address));
			o->n_bytes = row != NULL ? all[*row]->n_bytes : 0;
		}
	}
	map_free(&sizes);
	free(all);
	return rc;
}

/*
 * An allocation that returns address 0 has failed; unless no allocation has an address, because the runtime does not
 * tell them.
 */
static void settle_failures(struct model *m)
{
	bool has_addresses = false;
	for (uint32_t i = 1; i < m->n_operations && !has_addresses; i++)
		has_addresses = is_allocation(&m->operations[i]) && m->operations[i].has_end && m->operations[i].dest_address != 0;
	for (uint32_t i = 1; i < m->n_operations && has_addresses; i++) {
		struct operation *o = &m->operations[i];
		o->has_failed = is_allocation(o) && o->has_end && o->dest_address == 0;
	}
}

int gather_settle_target(struct model *m)
{
	if (gather_unannounced_devices(m) != 0)
		return -1;
	for (uint32_t i = 1; i < m->n_operations; i++) {
		struct operation *o = &m->operations[i];
		if (o->type == OPERATION_DATA)
			settle_devices(m, o);
		else if (o->type == OPERATION_TARGET)
			o->device = normal_device(m, o->device);
		o->target = model_target(m, o->target_id);
	}
	settle_failures(m);
	return settle_deletes(m);
}
