/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/device/fake_device.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"

struct fake_settings fake;
struct fake_calls fake_calls;

/* The device's own format: a slot holds one record of whatever kind. */
struct native {
	ompt_record_abstract_t abstract;
	ompt_id_t host_op_id;
};

struct slot {
	int device;
	ompt_record_t type;
	bool is_delivered;
	union {
		ompt_record_ompt_t ompt;
		struct native native;
	};
};

struct buffer {
	unsigned char *bytes;
	size_t n_bytes, used;
};

struct device {
	int number;
	bool is_traced, is_paused;
	bool has_target, has_data_op, has_submit, has_native;
	ompt_callback_buffer_request_t request;
	ompt_callback_buffer_complete_t complete;
	struct buffer own;
};

static struct device devices[FAKE_DEVICES] = {{.number = 0}, {.number = 1}, {.number = 2}, {.number = 3}};
static struct buffer shared;
static bool is_shared;
static uint64_t origin, drift_at;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- Clocks: device n counts (n + 1) / 2 for each tick of the host, from a number of its own ---- */

uint64_t fake_now(void)
{
	uint64_t now = clock_counter();
	if (origin == 0)
		origin = now;
	return now;
}

void fake_drift(void)
{
	drift_at = fake_now();
}

static uint64_t to_device(const struct device *d, uint64_t time)
{
	uint64_t passed = time - origin;
	if (drift_at != 0 && time > drift_at)
		passed += (time - drift_at) * fake.drift_ppm / 1000000;
	return (uint64_t)(d->number + 1) * UINT64_C(1000000000000) + passed * (uint64_t)(d->number + 1) / 2;
}

static uint64_t from_device(const struct device *d, uint64_t time)
{
	uint64_t passed = (time - (uint64_t)(d->number + 1) * UINT64_C(1000000000000)) * 2 / (uint64_t)(d->number + 1);
	if (drift_at != 0 && passed > drift_at - origin) {
		uint64_t behind = passed - (drift_at - origin);
		passed = drift_at - origin + (uint64_t)((__uint128_t)behind * 1000000 / (1000000 + fake.drift_ppm));
	}
	return origin + passed;
}

static void note_call(void)
{
	if (fake.is_gone)
		__atomic_fetch_add(&fake_calls.n_after, 1, __ATOMIC_RELAXED);
}

static ompt_device_time_t get_device_time(ompt_device_t *device)
{
	note_call();
	__atomic_fetch_add(&fake_calls.n_clock, 1, __ATOMIC_RELAXED);
	return to_device(device, fake_now());
}

/* omp_get_wtime of this runtime begins at 5000 s, and takes the host's counter for one of 2 GHz. Somebody may put it back. */
static double translate_time(ompt_device_t *device, ompt_device_time_t time)
{
	note_call();
	double put_back = fake.goes_back && drift_at != 0 ? 1 : 0;
	return 5000.0 + (double)(from_device(device, time) - origin) / 2e9 - put_back;
}

/* ---- What the tool asks for ---- */

static ompt_set_result_t set_trace_ompt(ompt_device_t *device, unsigned enable, unsigned etype)
{
	struct device *d = device;
	if (fake.knows_no_emi && etype >= ompt_callback_target_emi)
		return ompt_set_impossible;
	switch (etype) {
	case ompt_callback_target:
	case ompt_callback_target_emi: d->has_target = enable; break;
	case ompt_callback_target_data_op:
	case ompt_callback_target_data_op_emi: d->has_data_op = enable; break;
	case ompt_callback_target_submit:
	case ompt_callback_target_submit_emi: d->has_submit = enable; break;
	default: return ompt_set_never;
	}
	fake_calls.n_set_ompt++;
	return ompt_set_always;
}

static ompt_set_result_t set_trace_native(ompt_device_t *device, int enable, int flags)
{
	struct device *d = device;
	d->has_native = enable && flags & ompt_native_kernel_execution;
	fake_calls.n_set_native++;
	return ompt_set_sometimes;
}

static int start_trace(ompt_device_t *device, ompt_callback_buffer_request_t request, ompt_callback_buffer_complete_t complete)
{
	struct device *d = device;
	if (fake.refuses_start)
		return 0;
	d->request = request;
	d->complete = complete;
	d->is_traced = true;
	fake_calls.n_start++;
	return 1;
}

static int pause_trace(ompt_device_t *device, int begin_pause)
{
	note_call();
	struct device *d = device;
	d->is_paused = begin_pause;
	fake_calls.n_pause += begin_pause != 0;
	fake_calls.n_resume += begin_pause == 0;
	return 1;
}

static int flush_trace(ompt_device_t *device)
{
	note_call();
	const struct device *d = device;
	fake_calls.n_flush++;
	fake_complete(d->number, true); /* at once, on the caller's thread: allowed */
	return 1;
}

static int stop_trace(ompt_device_t *device)
{
	note_call();
	struct device *d = device;
	int was_traced = d->is_traced;
	d->is_traced = false;
	fake_calls.n_stop += was_traced != 0;
	return was_traced;
}

/* ---- Reading a buffer: a cursor is a slot's place + 1 ---- */

static struct slot *slot_at(ompt_buffer_t *buffer, ompt_buffer_cursor_t cursor)
{
	return (struct slot *)(void *)((unsigned char *)buffer + cursor - 1);
}

/* The next record of the same device: others' are in between where the buffer is shared. */
static int advance_buffer_cursor(ompt_device_t *device, ompt_buffer_t *buffer, size_t size, ompt_buffer_cursor_t current,
				 ompt_buffer_cursor_t *next)
{
	const struct device *d = device;
	if (fake.stands_still) {
		*next = current;
		return 1;
	}
	for (size_t at = current - 1 + sizeof(struct slot); at + sizeof(struct slot) <= size; at += sizeof(struct slot))
		if (slot_at(buffer, at + 1)->device == d->number || fake.forgets_number) {
			*next = at + 1;
			return 1;
		}
	return 0;
}

static ompt_record_t get_record_type(ompt_buffer_t *buffer, ompt_buffer_cursor_t current)
{
	return slot_at(buffer, current)->type;
}

static ompt_record_ompt_t *get_record_ompt(ompt_buffer_t *buffer, ompt_buffer_cursor_t current)
{
	struct slot *slot = slot_at(buffer, current);
	return slot->type == ompt_record_ompt ? &slot->ompt : NULL;
}

static void *get_record_native(ompt_buffer_t *buffer, ompt_buffer_cursor_t current, ompt_id_t *host_op_id)
{
	struct slot *slot = slot_at(buffer, current);
	*host_op_id = slot->native.host_op_id;
	return &slot->native;
}

static ompt_record_abstract_t *get_record_abstract(void *native_record)
{
	return &((struct native *)native_record)->abstract;
}

static int get_device_num_procs(ompt_device_t *device)
{
	(void)device;
	return 104;
}

ompt_interface_fn_t fake_lookup(const char *name)
{
#define ENTRY(entry, bit)                                                                                                          \
	{                                                                                                                          \
		"ompt_" #entry, (ompt_interface_fn_t)(void *)entry, bit                                                            \
	}
	static const struct {
		const char *name;
		ompt_interface_fn_t function;
		unsigned missing;
	} entries[] = {
		ENTRY(get_device_time, MISSING_GET_DEVICE_TIME),
		ENTRY(translate_time, MISSING_TRANSLATE_TIME),
		ENTRY(set_trace_ompt, MISSING_SET_TRACE_OMPT),
		ENTRY(set_trace_native, MISSING_SET_TRACE_NATIVE),
		ENTRY(start_trace, MISSING_START_TRACE),
		ENTRY(pause_trace, MISSING_PAUSE_TRACE),
		ENTRY(flush_trace, MISSING_FLUSH_TRACE),
		ENTRY(stop_trace, MISSING_STOP_TRACE),
		ENTRY(advance_buffer_cursor, MISSING_ADVANCE),
		ENTRY(get_record_type, MISSING_GET_RECORD_TYPE),
		ENTRY(get_record_ompt, MISSING_GET_RECORD_OMPT),
		ENTRY(get_record_native, MISSING_GET_RECORD_NATIVE),
		ENTRY(get_record_abstract, MISSING_GET_RECORD_ABSTRACT),
		ENTRY(get_device_num_procs, 1u << 15),
	};
#undef ENTRY
	fake_calls.n_lookups++;
	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
		if (strcmp(entries[i].name, name) == 0)
			return fake.missing & entries[i].missing ? NULL : entries[i].function;
	return NULL;
}

ompt_device_t *fake_handle(int device)
{
	return &devices[device];
}

/* ---- What happens on a device ---- */

static struct buffer *buffer_of(struct device *d)
{
	return is_shared ? &shared : &d->own;
}

void fake_share_buffers(bool do_share)
{
	is_shared = do_share;
}

static struct slot *new_slot(struct device *d, ompt_record_t type)
{
	struct buffer *b = buffer_of(d);
	if (!d->is_traced || d->is_paused)
		return NULL;
	if (b->bytes != NULL && b->used + sizeof(struct slot) > b->n_bytes)
		fake_complete(d->number, true);
	if (b->bytes == NULL) {
		void *bytes = NULL;
		size_t n_bytes = 0;
		d->request(d->number, &bytes, &n_bytes);
		__atomic_fetch_add(&fake_calls.n_requests, 1, __ATOMIC_RELAXED);
		if (bytes == NULL || n_bytes < sizeof(struct slot)) {
			fake_calls.n_refusals++;
			d->is_traced = false; /* until the tool starts it again */
			return NULL;
		}
		*b = (struct buffer){bytes, n_bytes, 0};
	}
	struct slot *slot = (struct slot *)(void *)(b->bytes + b->used);
	b->used += sizeof *slot;
	memset(slot, 0, sizeof *slot);
	slot->device = d->number;
	slot->type = type;
	return slot;
}

static ompt_callbacks_t numbered(ompt_callbacks_t with_ends, ompt_callbacks_t without)
{
	return fake.knows_no_emi ? without : with_ends;
}

bool fake_kernel(const struct fake_activity *a)
{
	struct device *d = &devices[a->device];
	struct slot *slot = d->has_submit ? new_slot(d, ompt_record_ompt) : NULL;
	if (slot == NULL)
		return false;
	slot->ompt = (ompt_record_ompt_t){.type = numbered(ompt_callback_target_submit_emi, ompt_callback_target_submit),
					  .time = a->begin ? to_device(d, a->begin) : 0,
					  .thread_id = 17,
					  .target_id = a->target_id};
	slot->ompt.record.target_kernel =
		(ompt_record_target_kernel_t){a->host_op_id, a->requested, a->granted, a->end ? to_device(d, a->end) : 0};
	return true;
}

bool fake_data_op(const struct fake_activity *a)
{
	struct device *d = &devices[a->device];
	struct slot *slot = d->has_data_op ? new_slot(d, ompt_record_ompt) : NULL;
	if (slot == NULL)
		return false;
	slot->ompt = (ompt_record_ompt_t){.type = numbered(ompt_callback_target_data_op_emi, ompt_callback_target_data_op),
					  .time = to_device(d, a->begin),
					  .thread_id = 18,
					  .target_id = a->target_id};
	slot->ompt.record.target_data_op = (ompt_record_target_data_op_t){.host_op_id = a->host_op_id,
									  .optype = a->optype,
									  .src_addr = (void *)0x1000,
									  .src_device_num = a->src_device,
									  .dest_addr = (void *)0x2000,
									  .dest_device_num = a->dest_device,
									  .bytes = a->bytes,
									  .end_time = to_device(d, a->end)};
	return true;
}

static bool native(struct device *d, ompt_record_native_t rclass, const char *type, uint64_t begin, uint64_t end, uint64_t hwid,
		   ompt_id_t host_op_id)
{
	struct slot *slot = d->has_native ? new_slot(d, ompt_record_native) : NULL;
	if (slot == NULL)
		return false;
	slot->native =
		(struct native){{rclass, type, begin ? to_device(d, begin) : 0, end ? to_device(d, end) : 0, hwid}, host_op_id};
	return true;
}

bool fake_native_event(const struct fake_activity *a)
{
	return native(&devices[a->device], ompt_record_native_event, a->type, a->begin, a->end, a->hwid, a->host_op_id);
}

bool fake_native_info(int device, const char *type)
{
	return native(&devices[device], ompt_record_native_info, type, 0, 0, 0, 0);
}

bool fake_target(int device, ompt_target_t kind, ompt_scope_endpoint_t endpoint, ompt_id_t target_id, uint64_t time)
{
	struct device *d = &devices[device];
	struct slot *slot = d->has_target ? new_slot(d, ompt_record_ompt) : NULL;
	if (slot == NULL)
		return false;
	slot->ompt = (ompt_record_ompt_t){.type = numbered(ompt_callback_target_emi, ompt_callback_target),
					  .time = time ? to_device(d, time) : 0,
					  .target_id = target_id};
	slot->ompt.record.target =
		(ompt_record_target_t){.kind = kind, .endpoint = endpoint, .device_num = device, .target_id = target_id};
	return true;
}

bool fake_invalid(int device)
{
	return new_slot(&devices[device], ompt_record_invalid) != NULL;
}

bool fake_other(int device, uint64_t time)
{
	struct slot *slot = new_slot(&devices[device], ompt_record_ompt);
	if (slot == NULL)
		return false;
	slot->ompt = (ompt_record_ompt_t){.type = ompt_callback_thread_begin, .time = to_device(&devices[device], time)};
	slot->ompt.record.thread_begin.thread_type = ompt_thread_worker;
	return true;
}

/* ---- Completion: any thread ---- */

void fake_complete(int device, bool is_owned)
{
	struct device *d = &devices[device];
	pthread_mutex_lock(&lock);
	struct buffer *b = buffer_of(d), whole = *b;
	size_t first = 0;
	while (first < whole.used) {
		const struct slot *slot = slot_at(whole.bytes, first + 1);
		if (!slot->is_delivered && (slot->device == device || fake.forgets_number))
			break;
		first += sizeof *slot;
	}
	bool is_returned = is_owned && !fake.never_returns && whole.bytes != NULL;
	if (is_returned || (is_owned && fake.never_returns))
		*b = (struct buffer){0};
	pthread_mutex_unlock(&lock);
	int number = fake.forgets_number ? 0 : device;
	if (first < whole.used)
		d->complete(number, whole.bytes, whole.used, first + 1, is_returned);
	else if (is_returned)
		d->complete(number, whole.bytes, 0, 0, 1);
	if (is_returned)
		return;
	/* What was delivered is not delivered again with the rest of the buffer. */
	for (size_t at = first; at < whole.used; at += sizeof(struct slot)) {
		struct slot *slot = slot_at(whole.bytes, at + 1);
		if (slot->device == device || fake.forgets_number)
			slot->is_delivered = true;
	}
}

void fake_return_empty(int device)
{
	struct device *d = &devices[device];
	struct buffer *b = buffer_of(d), whole = *b;
	*b = (struct buffer){0};
	if (whole.bytes != NULL)
		d->complete(device, whole.bytes, 0, 0, 1);
}

void fake_complete_nonsense(void)
{
	static unsigned char foreign[64];
	struct device *d = &devices[0];
	d->complete(77, NULL, 0, 0, 1);
	d->complete(0, foreign, 0, 0, 1);
	d->complete(0, NULL, 4096, 1, 0);
	d->complete(-1, foreign + 3, 0, 0, 0);
}
