/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From the numbers that a location's events have to those of the archive. Called by otf2.c for each process, after its
 * replay; one thread.
 */
#ifndef OTTER_BUILDER_OTF2_MAPPING_H
#define OTTER_BUILDER_OTF2_MAPPING_H

#include "builder/otf2/archive.h"

/* Before the first event of a process: its locations' tables go on from the archive's. */
void mapping_begin(struct archive *a);

/*
 * Puts the location's own strings, regions and communicators into the archive, and writes its local definitions: tables
 * that map those of its numbers which differ from the archive's. Has to be called for one location after the other, in
 * their order. 0 or -1.
 */
int mapping_write(struct archive *a, uint32_t stream);

/* Writes local definitions without any. Consumers refuse archives without the file. 0 or -1. */
int mapping_write_none(struct archive *a, uint64_t id);

#endif
