/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records where code lies: the executable file mappings of the process with their build ids, read from /proc/thread-self/maps
 * and from the files. It takes no lock of the loader and uses neither malloc nor stdio. It runs when a session begins
 * and ends, on the drain thread meanwhile, and in the callback that loads code onto a device.
 */
#ifndef OTTER_RECORDER_MAPS_H
#define OTTER_RECORDER_MAPS_H

#include <stdint.h>

struct session;

/* Part of struct session. */
struct maps_state {
	uint32_t checksum;   /* of the mappings that were written last */
	uint64_t checked_ns; /* when the drain thread last compared them */
};

/* Appends a `maps_at` line and a `map` line for each mapping to meta, if the mappings have changed since they were last
 * written. There may be any number of them: they are written in several parts where they are many. */
void maps_write_if_changed(struct session *session);

#endif
