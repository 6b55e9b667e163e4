/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The steps with which gather completes the activities of devices after all streams have been walked. Shared by
 * device.c, which calls them, device_time.c and device_queues.c; no other file uses them. One thread.
 */
#ifndef OTTER_BUILDER_GATHER_DEVICE_H
#define OTTER_BUILDER_GATHER_DEVICE_H

#include <stddef.h>
#include <stdint.h>

struct model;

/* A reading of a device's clock, between two readings of the host's. */
struct device_reading {
	int32_t device;
	uint64_t device_time; /* in the device's own units */
	uint64_t host_ns;     /* device_time as ompt_translate_time gave it; 0 unknown */
	uint64_t before_ticks, after_ticks;
};

/* Fills begin_ticks and end_ticks of all activities, from the n readings. */
void device_time_settle(struct model *m, struct device_reading *readings, size_t n);

/* Sorts the activities into queues. */
void device_queues_settle(struct model *m);

#endif
