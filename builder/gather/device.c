/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Gather: turns the records that devices made (OMPT device tracing) into rows of model.activities. Such a record is a
 * head, then its times, then more values. They come late and in any order, in the stream of any thread that the
 * device's runtime called. After the last stream the rows are matched with the host's own records by host_op_id, and
 * get a time and a queue.
 *
 * gather.c calls gather_device() for each record of each stream, and gather_settle_device() once at the end; one
 * thread.
 */
#include "builder/gather/device.h"
#include "builder/gather/walk.h"

#include <stdlib.h>
#include <string.h>

/* The activity that the last head has begun, and that continuation records describe. */
static struct activity *latest(const struct walk *w)
{
	return &w->m->activities[w->g->device.activity];
}

/* Adds a row, which becomes the latest. */
static void add_activity(struct walk *w, const struct record *r, enum activity_type type)
{
	struct model *m = w->m;
	if (m->n_activities == UINT32_MAX - 1)
		memory_fail(m->activities_capacity * sizeof *m->activities, "activities of devices, which have 32-bit numbers");
	array_reserve((void **)&m->activities, (size_t)m->n_activities + 2, &m->activities_capacity, sizeof *m->activities);
	if (m->n_activities == 0)
		m->activities[m->n_activities++] = (struct activity){.name = "", .queue = QUEUE_NONE};
	w->g->device.activity = m->n_activities++;
	*latest(w) = (struct activity){.id = r->a, .type = (uint8_t)type, .name = "", .queue = QUEUE_NONE};
}

static void add_data(struct walk *w, const struct record *r)
{
	add_activity(w, r, ACTIVITY_DATA);
	unsigned kind = record_flags(r);
	latest(w)->kind = (uint8_t)operation_sync_kind(kind);
	latest(w)->is_async = latest(w)->kind != kind;
	latest(w)->src_device = (int32_t)event_device_number(record_value(r));
	latest(w)->codeptr = r->b;
}

static void add_native(struct walk *w, const struct record *r)
{
	if (record_flags(r) != device_native_class_event)
		return; /* no activity with a time, or one that could not be read */
	add_activity(w, r, ACTIVITY_NATIVE);
	latest(w)->hwid = r->b;
	w->g->device.n_text_left = high32(record_value(r));
	w->g->device.n_text = 0;
}

static void add_kernel(struct walk *w, const struct record *r)
{
	add_activity(w, r, ACTIVITY_KERNEL);
	latest(w)->requested = low32(r->b);
	latest(w)->granted = high32(r->b);
}

static void take_times(struct walk *w, const struct record *r)
{
	latest(w)->device = (int32_t)event_device_number(record_value(r));
	latest(w)->begin_device = r->time;
	latest(w)->end_device = r->a;
}

static void take_host_times(struct walk *w, const struct record *r)
{
	latest(w)->target_id = r->time;
	latest(w)->begin_host_ns = r->a;
	latest(w)->end_host_ns = r->b;
}

static void take_more(struct walk *w, const struct record *r)
{
	latest(w)->dest_device = (int32_t)event_device_number(record_value(r));
	latest(w)->src_address = r->time;
	latest(w)->dest_address = r->a;
	latest(w)->n_bytes = r->b;
}

/* A copy of a name that the device uses, made once for each name: there are few, each used very often. */
static const char *keep_name(struct walk *w, const char *text)
{
	struct walk_device *d = &w->g->device;
	uint64_t hash = UINT64_C(1469598103934665603);
	for (const char *c = text; *c != '\0'; c++)
		hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
	uint32_t *row = map_put(&d->name_rows, hash | 1);
	if (*row != 0 && strcmp(d->names[*row - 1], text) == 0)
		return d->names[*row - 1];
	const char *name = model_keep(w->m, text);
	PUSH(d->names, d->n_names, d->names_capacity, name);
	*row = (uint32_t)d->n_names;
	return name;
}

/* Takes a continuation record with a part of the name; after the last part the activity gets its name. */
static void take_text(struct walk *w, const struct record *r)
{
	struct walk_device *d = &w->g->device;
	const uint64_t words[3] = {r->time, r->a, r->b};
	uint32_t n = record_flags(r) < sizeof words ? record_flags(r) : (uint32_t)sizeof words;
	n = n < d->n_text_left ? n : d->n_text_left;
	n = n < sizeof d->text - 1 - d->n_text ? n : (uint32_t)sizeof d->text - 1 - d->n_text;
	memcpy(d->text + d->n_text, words, n);
	d->n_text += n;
	d->n_text_left -= n;
	d->text[d->n_text] = '\0';
	if (n > 0 && d->n_text_left == 0)
		latest(w)->name = keep_name(w, d->text);
}

static void add_reading(struct walk *w, const struct record *r)
{
	struct device_reading reading = {
		.device = (int32_t)event_device_number(record_value(r)), .device_time = r->a, .host_ns = r->b};
	PUSH(w->g->device.readings, w->g->device.n_readings, w->g->device.readings_capacity, reading);
}

static void take_reading(struct walk *w, const struct record *r)
{
	struct device_reading *reading = &w->g->device.readings[w->g->device.n_readings - 1];
	reading->before_ticks = r->a;
	reading->after_ticks = r->b > r->a ? r->b : r->a;
}

/* A buffer's record says how many of the device's records in it could not be read. */
static void take_buffer(struct walk *w, const struct record *r)
{
	uint32_t n_invalid = high32(r->b);
	if (n_invalid > 0)
		tally_add(&w->m->notes->repairs, "device_record_invalid", n_invalid);
}

static void take_step(struct walk *w, const struct record *r)
{
	if (record_flags(r) == device_trace_step_no_buffer)
		tally_add(&w->m->notes->repairs, "device_without_buffer", 1);
}

static void take_head(struct walk *w, const struct record *r)
{
	w->g->device.activity = 0;
	w->g->device.n_text_left = 0;
	w->g->device.is_reading = false;
	switch (record_kind(r)) {
	case EVENT_device_kernel: add_kernel(w, r); return;
	case EVENT_device_data_op: add_data(w, r); return;
	case EVENT_device_native: add_native(w, r); return;
	case EVENT_device_clock:
		w->g->device.is_reading = true;
		add_reading(w, r);
		return;
	case EVENT_device_buffer: take_buffer(w, r); return;
	case EVENT_device_trace: take_step(w, r); return;
	default: return; /* the record of another kind ends the group before it */
	}
}

void gather_device(struct walk *w, const struct record *r)
{
	if (!record_is_continuation(r)) {
		take_head(w, r);
		return;
	}
	if (record_kind(r) == EVENT_device_clock_more && w->g->device.is_reading)
		take_reading(w, r);
	if (w->g->device.activity == 0)
		return;
	switch (record_kind(r)) {
	case EVENT_device_times: take_times(w, r); return;
	case EVENT_device_host_times: take_host_times(w, r); return;
	case EVENT_target_data_op_more: take_more(w, r); return;
	case EVENT_text: take_text(w, r); return;
	default: return;
	}
}

/* ---- After the last stream ---- */

/*
 * Determines the device of an activity. Up to ROCm 5.4 AMD's runtimes give every buffer as device 0's
 * (device_of_buffer): then the host's record of the same operation tells the device, or the source and destination of
 * the activity itself.
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

void gather_settle_device(struct gathering *g)
{
	struct model *m = g->m;
	if (m->n_activities > 1) {
		for (uint32_t i = 1; i < m->n_activities; i++) {
			struct activity *a = &m->activities[i];
			settle_operation(m, a);
			settle_device(m, a);
		}
		drop_doubles(m);
		device_time_settle(m, g->device.readings, g->device.n_readings);
		device_queues_settle(m);
		for (uint32_t i = m->n_activities - 1; i > 0; i--) /* backwards, so that the first activity of an operation stays */
			if (m->activities[i].operation != 0)
				m->operations[m->activities[i].operation].activity = i;
	}
	free(g->device.readings);
	free(g->device.names);
	map_free(&g->device.name_rows);
}
