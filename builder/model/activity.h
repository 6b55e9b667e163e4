/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What ran on devices, as their own records tell (OMPT device tracing): kernels, operations on data, and what a device calls by names of its own.
 * Rows of model.activities, in the order of device, queue and time; row 0 is none. Where only the host's callbacks are known there are none:
 * model.operations has those.
 *
 * gather_device.c makes the rows, device_time.c finds when they were by the host's clock, device_queues.c which of them follow each other.
 */
#ifndef OTTER_BUILDER_MODEL_ACTIVITY_H
#define OTTER_BUILDER_MODEL_ACTIVITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model;

enum activity_type {
	ACTIVITY_KERNEL,
	ACTIVITY_DATA,  /* kind: target_data_op, without _async */
	ACTIVITY_NATIVE /* known by the device's own name for it */
};

#define QUEUE_NONE UINT32_MAX

struct activity {
	uint64_t id;           /* host_op_id, 0 unknown */
	uint64_t target_id;    /* 0 unknown */
	uint64_t begin_device; /* the device's own units; 0 unknown */
	uint64_t end_device;
	uint64_t begin_host_ns; /* as the runtime translates them: omp_get_wtime's clock; 0 unknown */
	uint64_t end_host_ns;
	uint64_t begin_ticks; /* by the host's clock; 0 where that cannot be told */
	uint64_t end_ticks;
	uint64_t hwid; /* where on the device, 0 unknown */
	uint64_t src_address, dest_address, n_bytes;
	uint64_t codeptr;
	const char *name; /* ACTIVITY_NATIVE, "" else */
	int32_t device;
	int32_t src_device, dest_device; /* ACTIVITY_DATA; DEVICE_HOST: the host */
	uint32_t requested, granted;     /* teams */
	uint32_t operation;              /* row of model.operations that it is about, 0 none */
	uint32_t queue;                  /* row of model.queues, QUEUE_NONE where its times are not known */
	uint32_t construct;              /* ACTIVITY_KERNEL with an operation: CONSTRUCT_KERNEL where it was launched, else 0 */
	uint8_t type;
	uint8_t kind;
	bool is_async;
	bool is_double; /* gather's own: another row says the same */
};

/* Activities of one device and place that do not overlap. */
struct queue {
	int32_t device;
	uint32_t lane; /* from 0: activities of one place that overlap are on several */
	uint64_t hwid;
	uint32_t first, n; /* rows of model.activities */
};

/* A device's clock, read between two readings of the host's. */
struct device_reading {
	int32_t device;
	uint64_t device_time;
	uint64_t host_ns; /* 0 unknown */
	uint64_t before_ticks, after_ticks;
};

/* Fills begin_ticks and end_ticks of all activities; sorts the readings. 0, or -1 when memory is out. */
int device_time_settle(struct model *m, struct device_reading *readings, size_t n);

/* Sorts the activities into queues. 0, or -1 when memory is out. */
int device_queues_settle(struct model *m);

#endif
