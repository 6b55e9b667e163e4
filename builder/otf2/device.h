/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Devices: their locations, and what they told themselves. Called by otf2.c for each process, and by target.c for what
 * the host does. One thread.
 */
#ifndef OTTER_BUILDER_OTF2_DEVICE_H
#define OTTER_BUILDER_OTF2_DEVICE_H

#include "builder/otf2/archive.h"

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

#endif
