/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Target regions, operations on data of devices, and launches, as the host's records tell: rows of model.operations, in the order of the records of
 * their begins, one stream's behind the other's. Row 0 means none. Filled by gather/target.c and gather/constructs.c.
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

#define DEVICE_HOST INT32_MIN /* instead of whatever number the runtime has for the host */

struct operation {
	uint64_t id; /* of the record: the recorder's, or the runtime's own; 0 unknown */
	uint16_t kind;
	uint8_t type;
	bool is_async;   /* the operation may go on behind its end */
	bool is_instant; /* reported by one record: when it ended is not known */
	bool has_end;    /* that was reported */
	bool has_failed; /* an allocation that gave no memory */
	int32_t device;  /* where the region, or the launch, goes; which device's data it is. DEVICE_HOST: the host's own */
	int32_t src_device, dest_device;
	uint32_t stream;    /* row of dump.streams */
	uint32_t task;      /* that reports it */
	uint32_t target;    /* row of its target region, 0 none */
	uint32_t requested; /* teams */
	uint32_t construct;
	uint32_t around;    /* row of the target region that was open in its task when it began, 0 none */
	uint32_t activity;  /* what its device told of it: row of model.activities, 0 none */
	uint64_t target_id; /* of the record, 0 none */
	uint64_t src_address, dest_address;
	uint64_t n_bytes; /* of a delete: of the allocation that it takes back, where known; of one that failed: as asked for */
	uint64_t begin_ticks, end_ticks;
};

/* A device that the runtime has announced; where it announced none, one that something was done to. */
struct device {
	int32_t number;
	const char *type;                /* as the runtime calls it; "" */
	uint64_t begin_ticks, end_ticks; /* end 0: not seen */
};

struct model;

/*
 * Gives each kernel that a device reported a construct, CONSTRUCT_KERNEL at the place of its launch. Called by the replay at its end, when the
 * constructs of all launches are known. 0, or -1 when memory is out.
 */
int model_name_kernels(struct model *m);

/* The row of a host_op_id, and of a target_id, 0 none. */
uint32_t model_operation(const struct model *m, uint64_t id);
uint32_t model_target(const struct model *m, uint64_t id);

/* Enters the row under its id. 0, or -1 when memory is out. */
int model_name_operation(struct model *m, uint32_t row);

/* Has the number a device? The host has none: the number of devices, or a negative one. */
bool model_is_device(const struct model *m, int32_t number);

/* The device's row, or NULL. */
const struct device *model_device(const struct model *m, int32_t number);

/* The kind of target_data_op that an asynchronous one is otherwise: 16 below. */
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
