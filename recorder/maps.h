/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which code is where: the executable file mappings of the process with their build ids, from /proc/self/maps and the files themselves.
 * No lock of the loader, no malloc, no stdio.
 */
#ifndef OTTER_RECORDER_MAPS_H
#define OTTER_RECORDER_MAPS_H

struct session;
struct text;

/* `maps_at` and a `map` line for each mapping. */
void maps_put(struct session *session, struct text *text);

/* The same, only if they are not what was last put. */
void maps_put_if_changed(struct session *session, struct text *text);

/* Appends them to meta if they changed: the drain thread, and whoever loads code onto a device. */
void maps_write_if_changed(struct session *session);

#endif
