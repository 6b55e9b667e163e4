/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Gather: turns the records that devices made (OMPT device tracing) into rows of model.activities. Such a record is a
 * head, then its times, then more values. They come late and in any order, in the stream of any thread that the
 * device's runtime called. After the last stream the rows are matched with the host's own records by host_op_id, and
 * get a time and a queue. One thread.
 */
#include "builder/devices/gather.h"
#include "builder/support/array.h"

#include <stdlib.h>
#include <string.h>

/* The activity that the last head has begun, and that continuation records describe. */
static struct activity *latest(const struct device_gather *d)
{
	return &d->m->activities[d->activity];
}

/* Adds a row, which becomes the latest. */
static void add_activity(struct device_gather *d, const struct record *r, enum activity_type type)
{
	struct model *m = d->m;
	if (m->n_activities == UINT32_MAX - 1)
		memory_fail(m->activities_capacity * sizeof *m->activities, "activities of devices, which have 32-bit numbers");
	array_reserve(m->activities, (size_t)m->n_activities + 2, m->activities_capacity);
	if (m->n_activities == 0)
		m->activities[m->n_activities++] = (struct activity){.name = "", .queue = QUEUE_NONE};
	d->activity = m->n_activities++;
	*latest(d) = (struct activity){.id = r->a, .type = (uint8_t)type, .name = "", .queue = QUEUE_NONE};
}

static void add_data(struct device_gather *d, const struct record *r)
{
	add_activity(d, r, ACTIVITY_DATA);
	unsigned kind = record_flags(r);
	latest(d)->kind = (uint8_t)operation_sync_kind(kind);
	latest(d)->is_async = latest(d)->kind != kind;
	latest(d)->src_device = (int32_t)event_device_number(record_value(r));
	latest(d)->codeptr = r->b;
}

static void add_native(struct device_gather *d, const struct record *r)
{
	if (record_flags(r) != device_native_class_event)
		return; /* an activity without a time, or one that could not be read */
	add_activity(d, r, ACTIVITY_NATIVE);
	latest(d)->hwid = r->b;
	d->n_text_left = high32(record_value(r));
	d->n_text = 0;
}

static void add_kernel(struct device_gather *d, const struct record *r)
{
	add_activity(d, r, ACTIVITY_KERNEL);
	latest(d)->requested = low32(r->b);
	latest(d)->granted = high32(r->b);
}

static void take_times(struct device_gather *d, const struct record *r)
{
	latest(d)->device = (int32_t)event_device_number(record_value(r));
	latest(d)->begin_device = r->time;
	latest(d)->end_device = r->a;
}

static void take_host_times(struct device_gather *d, const struct record *r)
{
	latest(d)->target_id = r->time;
	latest(d)->begin_host_ns = r->a;
	latest(d)->end_host_ns = r->b;
}

static void take_more(struct device_gather *d, const struct record *r)
{
	latest(d)->dest_device = (int32_t)event_device_number(record_value(r));
	latest(d)->src_address = r->time;
	latest(d)->dest_address = r->a;
	latest(d)->n_bytes = r->b;
}

/* A copy of a name that the device uses, made once for each name: there are few names, each used very often. */
static const char *keep_name(struct device_gather *d, const char *text)
{
	uint32_t *row = map_put(&d->name_rows, hash_text(HASH_BEGIN, text));
	if (*row != 0 && strcmp(d->names[*row - 1], text) == 0)
		return d->names[*row - 1];
	const char *name = model_keep(d->m, text);
	array_push(d->names, d->n_names, d->names_capacity, name);
	*row = (uint32_t)d->n_names;
	return name;
}

/* Takes a continuation record with a part of the name; after the last part the activity gets its name. */
static void take_text(struct device_gather *d, const struct record *r)
{
	const uint64_t words[3] = {r->time, r->a, r->b};
	uint32_t n = record_flags(r) < sizeof words ? record_flags(r) : (uint32_t)sizeof words;
	n = n < d->n_text_left ? n : d->n_text_left;
	n = n < sizeof d->text - 1 - d->n_text ? n : (uint32_t)sizeof d->text - 1 - d->n_text;
	memcpy(d->text + d->n_text, words, n);
	d->n_text += n;
	d->n_text_left -= n;
	d->text[d->n_text] = '\0';
	if (n > 0 && d->n_text_left == 0)
		latest(d)->name = keep_name(d, d->text);
}

static void add_reading(struct device_gather *d, const struct record *r)
{
	struct device_reading reading = {
		.device = (int32_t)event_device_number(record_value(r)), .device_time = r->a, .host_ns = r->b};
	array_push(d->readings, d->n_readings, d->readings_capacity, reading);
}

static void take_reading(struct device_gather *d, const struct record *r)
{
	struct device_reading *reading = &d->readings[d->n_readings - 1];
	reading->before_ticks = r->a;
	reading->after_ticks = r->b > r->a ? r->b : r->a;
}

/* A buffer's record says how many of the device's records in it could not be read. */
static void take_buffer(struct device_gather *d, const struct record *r)
{
	uint32_t n_invalid = high32(r->b);
	if (n_invalid > 0)
		tally_add(&d->m->notes->repairs, "device_record_invalid", n_invalid);
}

static void take_step(struct device_gather *d, const struct record *r)
{
	if (record_flags(r) == device_trace_step_no_buffer)
		tally_add(&d->m->notes->repairs, "device_without_buffer", 1);
}

static void take_head(struct device_gather *d, const struct record *r)
{
	d->activity = 0;
	d->n_text_left = 0;
	d->is_reading = false;
	switch (record_kind(r)) {
	case EVENT_device_kernel: add_kernel(d, r); return;
	case EVENT_device_data_op: add_data(d, r); return;
	case EVENT_device_native: add_native(d, r); return;
	case EVENT_device_clock:
		d->is_reading = true;
		add_reading(d, r);
		return;
	case EVENT_device_buffer: take_buffer(d, r); return;
	case EVENT_device_trace: take_step(d, r); return;
	default: return; /* the record of another kind ends the group before it */
	}
}

void device_activity_record(struct device_gather *d, const struct record *r)
{
	if (!record_is_continuation(r)) {
		take_head(d, r);
		return;
	}
	if (record_kind(r) == EVENT_device_clock_more && d->is_reading)
		take_reading(d, r);
	if (d->activity == 0)
		return;
	switch (record_kind(r)) {
	case EVENT_device_times: take_times(d, r); return;
	case EVENT_device_host_times: take_host_times(d, r); return;
	case EVENT_target_data_op_more: take_more(d, r); return;
	case EVENT_text: take_text(d, r); return;
	default: return;
	}
}

/* ---- After the last stream ---- */

/*
 * Determines the device of an activity. Up to ROCm 5.4 AMD's runtimes report every buffer as device 0's
 * (device_of_buffer): then the device is taken from the host's record of the same operation, or from the source and
 * destination of the activity itself.
 */
static void settle_device(struct model *m, struct activity *a)
{
	const struct operation *o = a->operation != 0 ? &m->operations[a->operation] : NULL;
	if (o != NULL && o->type == OPERATION_SUBMIT)
		o = o->target != 0 ? &m->operations[o->target] : NULL;
	bool is_known = o != NULL && o->device != DEVICE_HOST;
	int32_t device = is_known ? o->device : a->device;
	if (a->type == ACTIVITY_DATA) {
		a->src_device = model_normal_device(m, a->src_device);
		a->dest_device = model_normal_device(m, a->dest_device);
		if (a->device == a->src_device || a->device == a->dest_device)
			return;
		if (!is_known)
			device = a->dest_device != DEVICE_HOST ? a->dest_device : a->src_device;
	}
	if (device == a->device || device == DEVICE_HOST)
		return;
	a->device = device;
	a->begin_host_ns = a->end_host_ns = 0; /* wrong: they were translated by another device's clock */
	tally_add(&m->notes->quirks, "device_of_buffer", 1);
}

/* The row of the same activity from the device's record in OMPT's own format, if this one is native; 0 none. */
static uint32_t double_of(const struct model *m, const struct map *by_id, const struct activity *a)
{
	const uint32_t *row = a->type == ACTIVITY_NATIVE && a->id != 0 ? map_get(by_id, a->id) : NULL;
	return row != NULL && m->activities[*row].device == a->device ? *row : 0;
}

/*
 * A device that traces in OMPT's format and in its own reports each activity twice. The native record is used only for
 * the place on the device, and its row is removed.
 */
static void drop_doubles(struct model *m)
{
	struct map by_id = {0};
	for (uint32_t i = 1; i < m->n_activities; i++) {
		const struct activity *a = &m->activities[i];
		if (a->type != ACTIVITY_NATIVE && a->id != 0)
			*map_put(&by_id, a->id) = i;
	}
	for (uint32_t i = 1; i < m->n_activities; i++) {
		uint32_t row = double_of(m, &by_id, &m->activities[i]);
		m->activities[i].is_double = row != 0;
		if (row != 0 && m->activities[i].hwid != 0)
			m->activities[row].hwid = m->activities[i].hwid;
	}
	map_free(&by_id);
	uint32_t n = 1;
	for (uint32_t i = 1; i < m->n_activities; i++)
		if (!m->activities[i].is_double)
			m->activities[n++] = m->activities[i];
	m->n_activities = n;
}

/*
 * Finds the host's operation with the same id. It must be of the same type: AOMP 18 gives transfers the ids of kernels
 * (aomp#643). Kernels without an operation are counted by the graph (repair kernel_without_submit).
 */
static void settle_operation(struct model *m, struct activity *a)
{
	a->operation = a->id != 0 ? model_operation(m, a->id) : 0;
	enum operation_type type = a->operation != 0 ? m->operations[a->operation].type : OPERATION_TARGET;
	bool is_of_other_type =
		(a->type == ACTIVITY_KERNEL && type != OPERATION_SUBMIT) || (a->type == ACTIVITY_DATA && type != OPERATION_DATA);
	if (!is_of_other_type)
		return;
	a->operation = 0;
	if (a->type == ACTIVITY_DATA && a->id != 0)
		tally_add(&m->notes->repairs, "data_without_operation", 1);
}

void device_activities_settle(struct device_gather *d)
{
	struct model *m = d->m;
	if (m->n_activities > 1) {
		for (uint32_t i = 1; i < m->n_activities; i++) {
			struct activity *a = &m->activities[i];
			settle_operation(m, a);
			settle_device(m, a);
		}
		drop_doubles(m);
		device_time_settle(m, d->readings, d->n_readings);
		device_queues_settle(m);
		for (uint32_t i = m->n_activities - 1; i > 0; i--) /* backwards, so that the first activity of an operation stays */
			if (m->activities[i].operation != 0)
				m->operations[m->activities[i].operation].activity = i;
	}
}
