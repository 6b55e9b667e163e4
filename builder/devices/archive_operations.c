/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes target constructs, operations on data and launches as regions of the host's locations, at the host's times: these
 * records do not say what a device did, and when. On one thread at a time for each location.
 */
#include "builder/devices/archive.h"
#include "builder/otf2/current.h"
#include "builder/otf2/location.h"
#include "builder/otf2/intern.h"
#include "builder/otf2/events.h"

static enum region_kind target_region(unsigned kind)
{
	switch (kind) {
	case target_kind_enter_data:
	case target_kind_enter_data_nowait: return REGION_TARGET_ENTER_DATA;
	case target_kind_exit_data:
	case target_kind_exit_data_nowait: return REGION_TARGET_EXIT_DATA;
	case target_kind_update:
	case target_kind_update_nowait: return REGION_TARGET_UPDATE;
	default: return REGION_TARGET;
	}
}

static enum region_kind data_region(unsigned kind)
{
	switch (kind) {
	case target_data_op_alloc: return REGION_DATA_ALLOC;
	case target_data_op_delete: return REGION_DATA_DELETE;
	case target_data_op_associate: return REGION_DATA_ASSOCIATE;
	case target_data_op_disassociate: return REGION_DATA_DISASSOCIATE;
	case target_data_op_memset: return REGION_DATA_MEMSET;
	case target_data_op_transfer_to_device: return REGION_DATA_TO_DEVICE;
	case target_data_op_transfer_from_device: return REGION_DATA_FROM_DEVICE;
	default: return REGION_DATA_TRANSFER;
	}
}

static enum region_kind operation_region(const struct scope *scope)
{
	return scope->type == SCOPE_TARGET   ? target_region(scope->kind)
	       : scope->type == SCOPE_SUBMIT ? REGION_SUBMIT
					     : data_region(scope->kind);
}

/* Adds what is known about an allocation, or the end of one, when the operation begins. */
static int add_sizes(struct archive *a, struct location *l, const struct operation *o)
{
	if (o->kind == target_data_op_alloc)
		return archive_add_u64(a, l->attributes, ATTRIBUTE_ALLOCATION_SIZE, o->n_bytes);
	if (o->kind != target_data_op_delete)
		return 0;
	if (o->n_bytes != 0 && archive_add_u64(a, l->attributes, ATTRIBUTE_DEALLOCATION_SIZE, o->n_bytes) != 0)
		return -1;
	return archive_add_u64(a, l->attributes, ATTRIBUTE_ARGUMENT_ADDRESS, o->src_address);
}

/*
 * A transfer is on the host's location if its device recorded nothing about it: the host puts data into the device's
 * memory, or gets data from there, within the region of the operation. Otherwise it is on the device's own location, at
 * the device's times.
 */
static bool is_hosts_transfer(const struct archive *a, const struct operation *o)
{
	return o->type == OPERATION_DATA && operation_is_transfer(o->kind) && o->activity == 0 &&
	       device_rank(a, o->device) != UNSET;
}

static int transfer_begin(struct archive *a, struct location *l, uint64_t time, const struct operation *o)
{
	bool is_get = o->dest_device == DEVICE_HOST;
	uint32_t window = device_process(a)->window, remote = device_rank(a, o->device);
	if (device_add_memory_spaces(a, l->attributes, o->src_device, o->dest_device) != 0)
		return -1;
	if (is_get)
		return archive_check(a, WRITE_EVENT(l, RmaGet, l->attributes, time, window, remote, o->n_bytes, o->id),
				     "writing RmaGet");
	return archive_check(a, WRITE_EVENT(l, RmaPut, l->attributes, time, window, remote, o->n_bytes, o->id), "writing RmaPut");
}

static int transfer_end(struct archive *a, struct location *l, uint64_t time, const struct operation *o)
{
	uint32_t window = device_process(a)->window;
	if (o->is_async)
		return archive_check(a, WRITE_EVENT(l, RmaOpCompleteNonBlocking, NULL, time, window, o->id),
				     "writing RmaOpCompleteNonBlocking");
	return archive_check(a, WRITE_EVENT(l, RmaOpCompleteBlocking, NULL, time, window, o->id), "writing RmaOpCompleteBlocking");
}

int device_scope_enter(struct archive *a, const struct point *at, const struct scope *scope)
{
	struct location *l = &a->now.locations[at->stream];
	const struct operation *o = &a->now.model->operations[scope->operation];
	uint64_t time = location_stamp(a, l, at->ticks);
	if (task_follow(a, l, at, &time) != 0 || current_require(a, l, time, at->task) != 0)
		return -1;
	if (o->type == OPERATION_DATA && add_sizes(a, l, o) != 0)
		return -1;
	if (location_enter_with(a, l, time, scope->construct, operation_region(scope), at->task, OPEN_SCOPE, l->attributes) != 0)
		return -1;
	if (is_hosts_transfer(a, o))
		return transfer_begin(a, l, time, o);
	if (o->type != OPERATION_SUBMIT)
		return 0;
	if (location_parameter(a, l, time, PARAMETER_HOST_OP_ID, o->id) != 0)
		return -1;
	return location_parameter(a, l, time, PARAMETER_TEAMS, o->requested);
}

int device_scope_leave(struct archive *a, const struct point *at, const struct scope *scope)
{
	struct location *l = &a->now.locations[at->stream];
	const struct operation *o = &a->now.model->operations[scope->operation];
	enum region_kind kind = operation_region(scope);
	uint64_t time = location_stamp(a, l, at->ticks);
	if (is_hosts_transfer(a, o) && (current_require(a, l, time, at->task) != 0 || transfer_end(a, l, time, o) != 0))
		return -1;
	const struct open_region *top = l->n_open > 0 ? &l->open[l->n_open - 1] : NULL;
	bool is_innermost = top != NULL && top->kind == kind && top->task == at->task;
	if (!is_innermost || o->type != OPERATION_DATA || o->kind != target_data_op_alloc)
		return location_leave_kind(a, l, time, kind, at->task);
	if (archive_add_u64(a, l->attributes, ATTRIBUTE_RESULT_ADDRESS, o->dest_address) != 0)
		return -1;
	return location_leave_with(a, l, time, l->attributes);
}
