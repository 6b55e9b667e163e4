/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Definitions of devices: called by defs.c when the archive is closed, each where definitions of its kind are written.
 * Each returns 0 or -1, and writes nothing where there are no devices. Names are strings of the archive.
 */
#ifndef OTTER_BUILDER_OTF2_DEVICE_DEFS_H
#define OTTER_BUILDER_OTF2_DEVICE_DEFS_H

#include "builder/otf2/archive.h"

int device_define_paradigm(struct archive *a, OTF2_GlobalDefWriter *w, uint32_t name);
int device_define_nodes(struct archive *a, OTF2_GlobalDefWriter *w, uint32_t first_node, uint32_t class);
int device_define_domains(struct archive *a, OTF2_GlobalDefWriter *w);
int device_define_groups(struct archive *a, OTF2_GlobalDefWriter *w);
int device_define_queues(struct archive *a, OTF2_GlobalDefWriter *w);
int device_define_queue_properties(struct archive *a, OTF2_GlobalDefWriter *w, uint32_t hwid_name);
int device_define_windows(struct archive *a, OTF2_GlobalDefWriter *w, uint32_t name);

#endif
