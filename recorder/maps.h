/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tells which code lies where: the executable file mappings of the process with their build ids, read from
 * /proc/self/maps and from the files. It takes no lock of the loader and uses neither malloc nor stdio. Called after
 * meta's first block and before its last one, by the drain thread, and by the callback that loads code onto a device.
 */
#ifndef OTTER_RECORDER_MAPS_H
#define OTTER_RECORDER_MAPS_H

struct session;

/* Appends a `maps_at` line and a `map` line for each mapping to meta, if the mappings have changed since they were last
 * written. There may be any number of them: they are written in several parts where they are many. */
void maps_write_if_changed(struct session *session);

#endif
