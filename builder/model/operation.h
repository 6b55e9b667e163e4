/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operations: target regions, operations on the data of devices, and launches of kernels, according to the host's records.
 * They are the rows of model.operations, stream after stream, in the order of the records with which they begin; row 0
 * means "none". Filled by devices/operations.c, on one thread; then only read.
 */
#ifndef OTTER_BUILDER_MODEL_OPERATION_H
#define OTTER_BUILDER_MODEL_OPERATION_H

#include "common/event.h"

#include <stdbool.h>
#include <stdint.h>

enum operation_type {
	OPERATION_TARGET, /* kind: target_kind */
	OPERATION_DATA,   /* kind: target_data_op, without _async */
	OPERATION_SUBMIT
};

#define DEVICE_HOST INT32_MIN /* replaces the number that the runtime has for the host */

struct operation {
	uint64_t id; /* host_op_id or target_id: given by the recorder, or by the runtime; 0 unknown */
	uint16_t kind;
	uint8_t type;    /* enum operation_type */
	bool is_async;   /* it may continue after its end was reported */
	bool is_instant; /* reported by a single record: when it ended is not known */
	bool has_end;    /* its end was reported */
	bool has_failed; /* an allocation that returned no memory */
	int32_t device;  /* the device that the region or launch goes to, or whose data it is about; or DEVICE_HOST */
	int32_t src_device, dest_device;
	uint32_t stream;    /* row of dump.streams */
	uint32_t task;      /* row of the task that reports it */
	uint32_t target;    /* row of its target region, 0 none */
	uint32_t requested; /* OPERATION_SUBMIT: number of teams */
	uint32_t construct; /* row */
	uint32_t around;    /* row of the target region that was open in its task when it began, 0 none */
	uint32_t activity;  /* row of model.activities: the same operation as its device reported it; 0 none */
	uint64_t target_id; /* of the target region, as the record has it; 0 none */
	uint64_t src_address, dest_address;
	uint64_t n_bytes; /* a delete: those of the allocation, if known; a failed allocation: those requested */
	uint64_t begin_ticks, end_ticks;
};

/* A device that the runtime has announced. If it announced none: a device that operations use. */
struct device {
	int32_t number;
	const char *type;                /* as the runtime calls it; "" unknown */
	uint64_t begin_ticks, end_ticks; /* end_ticks 0: its end was not reported */
};

struct model;

/*
 * Gives each kernel that a device reported a construct, CONSTRUCT_KERNEL at the place of its launch. Called by gather/ when
 * the constructs of all launches are known. Always 0.
 */
void model_name_kernels(struct model *m);

/* The row of the operation with this host_op_id, and of the region with this target_id; 0 none. */
uint32_t model_operation(const struct model *m, uint64_t id);
uint32_t model_target(const struct model *m, uint64_t id);

/* Makes the row findable by its id. Always 0. */
void model_name_operation(struct model *m, uint32_t row);

/* Is this the number of a device? Runtimes name the host by other numbers: the number of devices, or a negative one. */
bool model_is_device(const struct model *m, int32_t number);

/* A device's number, or DEVICE_HOST in place of the numbers that runtimes have for the host. */
int32_t model_normal_device(const struct model *m, int32_t number);

/* The device's row, or NULL. */
const struct device *model_device(const struct model *m, int32_t number);

/* The synchronous kind of a kind of target_data_op: that of an asynchronous one is 16 less. */
static inline unsigned operation_sync_kind(unsigned kind)
{
	return kind >= target_data_op_alloc_async ? kind - 16 : kind;
}

/* Does a kind of target_data_op copy something? */
static inline bool operation_is_transfer(unsigned kind)
{
	return kind == target_data_op_transfer_to_device || kind == target_data_op_transfer_from_device ||
	       kind == target_data_op_transfer || kind == target_data_op_transfer_rect;
}

#endif
