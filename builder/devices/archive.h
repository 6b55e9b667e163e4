/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Devices in the archive: a location group for each, and a location for each of its queues. In the archive they come after
 * everything that belongs to threads. One thread; except the functions for events of the host's locations: any thread.
 */
#ifndef OTTER_BUILDER_DEVICES_ARCHIVE_H
#define OTTER_BUILDER_DEVICES_ARCHIVE_H

#include "builder/otf2/archive.h"

struct archive_devices {
	/* A location group. */
	struct device_def {
		uint32_t process; /* row of archive.processes */
		int32_t number;
		uint32_t name; /* string */
		uint32_t node; /* system tree node */
		uint32_t first_queue, n_queues;
	} * devices; /* ordered by process */
	uint32_t n_devices;
	size_t devices_capacity;
	/* A location. */
	struct queue_def {
		uint32_t device; /* row of devices */
		uint32_t name;   /* string */
		uint64_t id;
		uint64_t hwid;
		uint64_t n_events;
	} * queues;
	uint32_t n_queues;
	size_t queues_capacity;
	struct device_process {
		uint32_t first_device, n_devices; /* rows of devices */
		uint32_t first_queue, n_queues;   /* rows of queues: their locations come after the threads' */
		uint32_t window;                  /* number of its RmaWin, where it has devices */
	} * processes;                            /* by row of archive.processes */
	uint32_t n_windows;
	OTF2_Paradigm paradigm;
};

/* NULL: no process has begun. */
static inline struct archive_devices *devices_of(const struct archive *a)
{
	return a->of_paradigm[PARADIGM_devices];
}

/* The devices of the process that is being written. */
static inline struct device_process *device_process(const struct archive *a)
{
	return &devices_of(a)->processes[a->now.def - a->processes];
}

/* ---- archive_queues.c ---- */

/* Finds the process's devices and queues: before its first event. */
void device_begin(struct archive *a);
/* Writes the queues' events: after the replay. 0 or -1. */
int device_write(struct archive *a);

/*
 * The device's place in the process's window (`remote` of RmaPut and RmaGet), UNSET for a device that no transfer
 * names.
 */
uint32_t device_rank(const struct archive *a, int32_t number);

/* Adds attributes of the next event: from which memory to which; device numbers, or DEVICE_HOST. 0 or -1. */
int device_add_memory_spaces(struct archive *a, OTF2_AttributeList *list, int32_t source, int32_t destination);

/* ---- archive_operations.c: the scopes of what the host does for devices ---- */

int device_scope_enter(struct archive *a, const struct point *at, const struct scope *scope);
int device_scope_leave(struct archive *a, const struct point *at, const struct scope *scope);

#endif
