/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Activities: what ran on devices, according to the devices' own records (OMPT device tracing). These are kernels,
 * operations on data, and activities for which a device has a name of its own. They are the rows of model.activities,
 * ordered by device, queue and time; row 0 means "none". A dump without device tracing has no activities; what its host
 * did for devices is in model.operations.
 *
 * Filled by devices/: activities.c makes the rows, clocks.c places them in the host's time, queues.c sorts them into
 * queues. Read by replay, graph/ and otf2/, on any thread.
 */
#ifndef OTTER_BUILDER_MODEL_ACTIVITY_H
#define OTTER_BUILDER_MODEL_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>

enum activity_type {
	ACTIVITY_KERNEL,
	ACTIVITY_DATA,  /* kind: target_data_op, without _async */
	ACTIVITY_NATIVE /* anything that only the device's own name describes */
};

#define QUEUE_NONE UINT32_MAX

struct activity {
	uint64_t id;           /* host_op_id, 0 unknown */
	uint64_t target_id;    /* 0 unknown */
	uint64_t begin_device; /* the device's own units; 0 unknown */
	uint64_t end_device;
	uint64_t begin_host_ns; /* as ompt_translate_time returned them: in ns of omp_get_wtime's clock; 0 unknown */
	uint64_t end_host_ns;
	uint64_t begin_ticks; /* by the host's clock; 0 if that cannot be determined */
	uint64_t end_ticks;
	uint64_t hwid; /* the place on the device, in the device's own numbers; 0 unknown */
	uint64_t src_address, dest_address, n_bytes;
	uint64_t codeptr;
	const char *name; /* ACTIVITY_NATIVE; "" for the other types */
	int32_t device;
	int32_t src_device, dest_device; /* ACTIVITY_DATA; DEVICE_HOST: the host */
	uint32_t requested, granted;     /* teams */
	uint32_t operation;              /* row of model.operations: the same operation as the host reported it; 0 none */
	uint32_t queue;                  /* row of model.queues; QUEUE_NONE if its times are not known */
	uint32_t construct;              /* ACTIVITY_KERNEL with an operation: CONSTRUCT_KERNEL where it was launched, else 0 */
	uint8_t type;                    /* enum activity_type */
	uint8_t kind;                    /* ACTIVITY_DATA: target_data_op */
	bool is_async;
	bool is_double; /* private to gather: another row is the same activity */
};

/* A sequence of activities of one place on one device that do not overlap. */
struct queue {
	int32_t device;
	uint32_t lane; /* from 0: a place whose activities overlap has several lanes */
	uint64_t hwid;
	uint32_t first, n; /* rows of model.activities */
};

#endif
