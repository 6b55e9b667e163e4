/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes what devices recorded themselves: a location group for each device and a location for each of its queues, with the
 * activities of the device's own records, at the device's times: kernels as regions, transfers as remote memory access into
 * a window over the process's threads and queues. A device that only the host's transfers name has one location without
 * events, because a transfer needs a location as its target. What has no time of the device is in archive_operations.c.
 *
 * One thread.
 */
#include "builder/devices/archive.h"
#include "builder/otf2/intern.h"
#include "builder/otf2/location.h"
#include "builder/otf2/mapping.h"
#include "builder/support/array.h"
#include "builder/support/sort.h"
#include "builder/support/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Which devices there are ---- */

static int by_number(const void *left, const void *right)
{
	return cmp(*(const int32_t *)left, *(const int32_t *)right);
}

static bool is_transfer(const struct operation *o)
{
	return o->type == OPERATION_DATA && operation_is_transfer(o->kind);
}

/* The numbers of the devices that have queues or that the host's transfers name, ascending, each once. To be freed. */
static int32_t *find_devices(const struct model *m, size_t *n)
{
	int32_t *numbers = memory_get(m->n_queues + 2 * (size_t)m->n_operations, sizeof *numbers, "the devices");
	size_t n_all = 0;
	for (uint32_t i = 0; i < m->n_queues; i++)
		numbers[n_all++] = m->queues[i].device;
	for (uint32_t i = 1; i < m->n_operations; i++) {
		const struct operation *o = &m->operations[i];
		if (is_transfer(o) && o->src_device != DEVICE_HOST)
			numbers[n_all++] = o->src_device;
		if (is_transfer(o) && o->dest_device != DEVICE_HOST)
			numbers[n_all++] = o->dest_device;
	}
	sort_array(numbers, n_all, by_number);
	*n = 0;
	for (size_t i = 0; i < n_all; i++)
		if (i == 0 || numbers[i] != numbers[i - 1])
			numbers[(*n)++] = numbers[i];
	return numbers;
}

/*
 * OTF2 has no paradigm for OpenMP's devices: the name of the device's type determines which one fits, otherwise it is OpenACC.
 */
static OTF2_Paradigm device_paradigm(const char *type)
{
	static const struct {
		const char *part;
		OTF2_Paradigm paradigm;
	} known[] = {{"amdgcn", OTF2_PARADIGM_HIP},
		     {"amdgpu", OTF2_PARADIGM_HIP},
		     {"gfx", OTF2_PARADIGM_HIP},
		     {"nvptx", OTF2_PARADIGM_CUDA},
		     {"sm_", OTF2_PARADIGM_CUDA}};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strstr(type, known[i].part) != NULL)
			return known[i].paradigm;
	return OTF2_PARADIGM_OPENACC;
}

static void add_queue(struct archive *a, uint32_t device, const struct queue *queue)
{
	struct archive_devices *all = devices_of(a);
	struct device_def *d = &all->devices[device];
	struct device_process *p = device_process(a);
	char name[64];
	snprintf(name, sizeof name, "Device %" PRId32 " queue %" PRIu32, d->number, d->n_queues);
	array_push(all->queues, all->n_queues, all->queues_capacity,
		   (struct queue_def){.device = device,
				      .id = (uint64_t)(a->now.def->n_locations + p->n_queues) << 32 | a->now.def->process,
				      .name = intern_string(&a->interned, name),
				      .hwid = queue != NULL ? queue->hwid : 0});
	p->n_queues++;
	d->n_queues++;
}

static void add_device(struct archive *a, int32_t number)
{
	struct archive_devices *all = devices_of(a);
	const struct model *m = a->now.model;
	const struct device *known = model_device(m, number);
	const char *type = known != NULL ? known->type : "";
	if (all->n_devices == 0)
		all->paradigm = device_paradigm(type);
	char name[256];
	snprintf(name, sizeof name, type[0] != '\0' ? "Device %" PRId32 " (%s)" : "Device %" PRId32, number, type);
	uint32_t row = all->n_devices;
	array_push(all->devices, all->n_devices, all->devices_capacity,
		   (struct device_def){.process = (uint32_t)(a->now.def - a->processes),
				       .number = number,
				       .name = intern_string(&a->interned, name),
				       .first_queue = all->n_queues});
	for (uint32_t i = 0; i < m->n_queues; i++)
		if (m->queues[i].device == number)
			add_queue(a, row, &m->queues[i]);
	if (all->devices[row].n_queues == 0)
		add_queue(a, row, NULL);
}

void device_begin(struct archive *a)
{
	struct archive_devices *all = devices_of(a);
	if (all == NULL) {
		all = a->of_paradigm[PARADIGM_devices] = memory_zeroed(1, sizeof *all, "the devices");
		all->processes = memory_zeroed(a->n_processes, sizeof *all->processes, "the devices");
	}
	size_t n;
	int32_t *numbers = find_devices(a->now.model, &n);
	struct device_process *p = device_process(a);
	p->first_device = all->n_devices;
	p->first_queue = all->n_queues;
	for (size_t i = 0; i < n; i++)
		add_device(a, numbers[i]);
	p->n_devices = all->n_devices - p->first_device;
	if (n > 0)
		p->window = all->n_windows++;
	free(numbers);
}

/* ---- Ranks in the window's group: the process's threads, then its queues ---- */

static const struct device_def *find_device(const struct archive *a, int32_t number)
{
	const struct device_process *p = device_process(a);
	for (uint32_t i = p->first_device; i < p->first_device + p->n_devices; i++)
		if (devices_of(a)->devices[i].number == number)
			return &devices_of(a)->devices[i];
	return NULL;
}

uint32_t device_rank(const struct archive *a, int32_t number)
{
	const struct device_process *p = device_process(a);
	const struct device_def *d = find_device(a, number);
	return d != NULL ? a->now.def->n_locations + (d->first_queue - p->first_queue) : UNSET;
}

/* The location group of a device's memory; for DEVICE_HOST, of the process's memory. */
static uint32_t memory_group(const struct archive *a, int32_t number)
{
	const struct device_def *d = number != DEVICE_HOST ? find_device(a, number) : NULL;
	return d != NULL ? (uint32_t)(a->n_processes + (size_t)(d - devices_of(a)->devices))
			 : (uint32_t)(a->now.def - a->processes);
}

int device_add_memory_spaces(struct archive *a, OTF2_AttributeList *list, int32_t source, int32_t destination)
{
	OTF2_ErrorCode code = OTF2_AttributeList_AddLocationGroupRef(list, ATTRIBUTE_MEMORY_SPACE_SOURCE, memory_group(a, source));
	if (code == OTF2_SUCCESS)
		code = OTF2_AttributeList_AddLocationGroupRef(list, ATTRIBUTE_MEMORY_SPACE_DESTINATION,
							      memory_group(a, destination));
	return archive_check(a, code, "adding an attribute");
}

/* ---- Events ---- */

/* One queue's writer; its times never decrease. */
struct queue_writer {
	OTF2_EvtWriter *writer;
	uint64_t last_time;
	uint64_t n_written; /* activities written so far */
};

static uint64_t stamp(const struct archive *a, struct queue_writer *q, uint64_t ticks)
{
	uint64_t time = clock_stamp(&a->now, ticks);
	q->last_time = time > q->last_time ? time : q->last_time;
	return q->last_time;
}

/* The rank of the thread that requested the activity, or of the first one. */
static uint32_t host_rank(const struct archive *a, const struct activity *activity)
{
	return activity->operation != 0 ? a->now.model->operations[activity->operation].stream : 0;
}

/* The queue's device gets the data that it receives, and puts the data that it sends. */
static int write_transfer(struct archive *a, struct queue_writer *q, const struct activity *t)
{
	bool is_get = t->dest_device == t->device;
	int32_t other = is_get ? t->src_device : t->dest_device;
	uint32_t remote = other == DEVICE_HOST ? host_rank(a, t) : device_rank(a, other);
	if (remote == UNSET)
		remote = host_rank(a, t);
	uint64_t id = t->id != 0 ? t->id : q->n_written;
	uint64_t begin = stamp(a, q, t->begin_ticks);
	if (device_add_memory_spaces(a, a->attributes, t->src_device, t->dest_device) != 0)
		return -1;
	OTF2_ErrorCode code =
		is_get ? OTF2_EvtWriter_RmaGet(q->writer, a->attributes, begin, device_process(a)->window, remote, t->n_bytes, id)
		       : OTF2_EvtWriter_RmaPut(q->writer, a->attributes, begin, device_process(a)->window, remote, t->n_bytes, id);
	if (archive_check(a, code, "writing a transfer") != 0)
		return -1;
	uint64_t end = stamp(a, q, t->end_ticks);
	code = t->is_async ? OTF2_EvtWriter_RmaOpCompleteNonBlocking(q->writer, NULL, end, device_process(a)->window, id)
			   : OTF2_EvtWriter_RmaOpCompleteBlocking(q->writer, NULL, end, device_process(a)->window, id);
	return archive_check(a, code, "writing a transfer");
}

/* An activity for which only the device has a name is a region of that name, wherever it was launched. */
static uint32_t native_region(struct archive *a, const char *name)
{
	uint32_t string = intern_string(&a->interned, name[0] != '\0' ? name : "device activity");
	struct region_def def = {.kind = REGION_DEVICE_NATIVE, .native = string, .name = string};
	return intern_region(&a->interned, &def);
}

static uint32_t activity_region(struct archive *a, const struct activity *activity)
{
	const struct model *m = a->now.model;
	if (activity->type == ACTIVITY_NATIVE)
		return native_region(a, activity->name);
	enum region_kind kind = activity->type == ACTIVITY_KERNEL         ? REGION_KERNEL
				: activity->kind == target_data_op_alloc  ? REGION_DEVICE_ALLOC
				: activity->kind == target_data_op_delete ? REGION_DEVICE_DELETE
									  : REGION_DEVICE_DATA;
	return region_in(&a->now, &a->interned, &a->now.device_regions,
			 activity->operation != 0 ? m->operations[activity->operation].construct : 0, kind);
}

/* Adds the attributes of an allocation, or of the end of one, to its Enter or its Leave. */
static int add_memory(struct archive *a, const struct activity *activity, bool is_enter)
{
	if (activity->type != ACTIVITY_DATA)
		return 0;
	if (activity->kind == target_data_op_alloc)
		return is_enter ? archive_add_u64(a, a->attributes, ATTRIBUTE_ALLOCATION_SIZE, activity->n_bytes)
				: archive_add_u64(a, a->attributes, ATTRIBUTE_RESULT_ADDRESS, activity->dest_address);
	if (activity->kind != target_data_op_delete || !is_enter)
		return 0;
	if (activity->n_bytes != 0 && archive_add_u64(a, a->attributes, ATTRIBUTE_DEALLOCATION_SIZE, activity->n_bytes) != 0)
		return -1;
	return archive_add_u64(a, a->attributes, ATTRIBUTE_ARGUMENT_ADDRESS, activity->src_address);
}

static int write_region(struct archive *a, struct queue_writer *q, const struct activity *activity)
{
	uint32_t region = activity_region(a, activity);
	uint64_t begin = stamp(a, q, activity->begin_ticks);
	if (add_memory(a, activity, true) != 0 ||
	    archive_check(a, OTF2_EvtWriter_Enter(q->writer, a->attributes, begin, region), "writing Enter") != 0 ||
	    archive_check(a, OTF2_EvtWriter_ParameterUnsignedInt(q->writer, NULL, begin, PARAMETER_HOST_OP_ID, activity->id),
			  "writing a parameter") != 0)
		return -1;
	if (activity->type == ACTIVITY_KERNEL &&
	    archive_check(a,
			  OTF2_EvtWriter_ParameterUnsignedInt(q->writer, NULL, begin, PARAMETER_GRANTED_TEAMS, activity->granted),
			  "writing a parameter") != 0)
		return -1;
	if (add_memory(a, activity, false) != 0)
		return -1;
	return archive_check(a, OTF2_EvtWriter_Leave(q->writer, a->attributes, stamp(a, q, activity->end_ticks), region),
			     "writing Leave");
}

static int write_queue(struct archive *a, struct queue_def *def, const struct queue *queue)
{
	const struct model *m = a->now.model;
	struct queue_writer q = {.writer = OTF2_Archive_GetEvtWriter(a->otf2, def->id)};
	if (q.writer == NULL)
		return archive_failed(a, OTF2_ERROR_INVALID, "opening a location");
	int rc = 0;
	for (uint32_t i = 0; queue != NULL && i < queue->n && rc == 0; i++, q.n_written++) {
		const struct activity *activity = &m->activities[queue->first + i];
		bool is_moving = activity->type == ACTIVITY_DATA && operation_is_transfer(activity->kind);
		rc = is_moving ? write_transfer(a, &q, activity) : write_region(a, &q, activity);
	}
	if (rc == 0)
		rc = archive_check(a, OTF2_EvtWriter_GetNumberOfEvents(q.writer, &def->n_events), "counting events");
	if (archive_check(a, OTF2_Archive_CloseEvtWriter(a->otf2, q.writer), "closing a location") != 0)
		rc = -1;
	return rc == 0 ? mapping_write_none(a, def->id) : -1;
}

int device_write(struct archive *a)
{
	const struct model *m = a->now.model;
	const struct device_process *p = device_process(a);
	int rc = 0;
	uint32_t row = 0; /* the next queue of the model; those of the archive are in the same order, but some have no events */
	for (uint32_t i = 0; i < p->n_queues && rc == 0; i++) {
		struct queue_def *def = &devices_of(a)->queues[p->first_queue + i];
		bool has_events = row < m->n_queues && m->queues[row].device == devices_of(a)->devices[def->device].number;
		rc = write_queue(a, def, has_events ? &m->queues[row] : NULL);
		row += has_events;
	}
	return rc;
}
